// SPDX-License-Identifier: GPL-2.0-only

#include "collective-player.h"

#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <limits>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("CollectivePlayer");
NS_OBJECT_ENSURE_REGISTERED(CollectivePlayer);

TypeId
CollectivePlayer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::CollectivePlayer")
            .SetParent<Application>()
            .SetGroupName("Gradnet")
            .AddAttribute("Job",
                          "Number of the training job, carried by each tensor",
                          UintegerValue(0),
                          MakeUintegerAccessor(&CollectivePlayer::m_job),
                          MakeUintegerChecker<uint16_t>())
            .AddAttribute("Port",
                          "Port on which the rank takes tensors",
                          UintegerValue(9000),
                          MakeUintegerAccessor(&CollectivePlayer::m_port),
                          MakeUintegerChecker<uint16_t>(1))
            .AddAttribute("AggregationRate",
                          "Rate at which received gradients are added, one tensor after the "
                          "other from their arrival on; 0 adds in no time",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&CollectivePlayer::m_aggregationRate),
                          MakeDataRateChecker());
    return tid;
}

void
CollectivePlayer::SetChannel(Ptr<TensorChannel> channel)
{
    m_channel = channel;
}

Ptr<TensorChannel>
CollectivePlayer::GetChannel() const
{
    return m_channel;
}

void
CollectivePlayer::SetScore(uint32_t rank, CollectiveScore score)
{
    NS_ABORT_MSG_IF(rank > std::numeric_limits<uint16_t>::max(),
                    "a job has at most 65536 ranks, got rank " << rank);
    m_rank = rank;
    m_score = std::move(score);
    m_firstStep.clear();
    uint32_t steps = 0;
    for (const auto& schedule : m_score.schedules)
    {
        m_firstStep.push_back(steps);
        steps += schedule->steps.size();
    }
}

bool
CollectivePlayer::IsAggregating() const
{
    return m_aggregatedUntil > Simulator::Now();
}

uint32_t
CollectivePlayer::GetRank() const
{
    return m_rank;
}

void
CollectivePlayer::AddPeer(uint32_t rank, const Address& address)
{
    m_addresses[rank] = address;
}

const gradnet::CommunicationPlan&
CollectivePlayer::GetPlan() const
{
    return *m_score.plan;
}

void
CollectivePlayer::StartApplication()
{
    NS_LOG_FUNCTION(this);
    m_channel->SetReceiveCallback(MakeCallback(&CollectivePlayer::HandleTensor, this));
    m_channel->Listen(GetNode(), m_port);
    for (const auto& [rank, address] : m_addresses)
    {
        m_peers[rank] = m_channel->Connect(address);
    }
}

void
CollectivePlayer::DoDispose()
{
    if (m_channel)
    {
        m_channel->Dispose();
    }
    m_channel = nullptr;
    Application::DoDispose();
}

uint64_t
CollectivePlayer::GetStepBytes(uint32_t unit, uint32_t chunk) const
{
    return gradnet::GetChunkBytes(m_score.plan->units[unit].bytes,
                                  m_score.schedules[unit]->chunks,
                                  chunk);
}

CollectivePlayer::Progress&
CollectivePlayer::GetProgress(uint32_t iteration)
{
    const auto [entry, isNew] = m_progress.try_emplace(iteration);
    Progress& progress = entry->second;
    if (isNew)
    {
        progress.unitsLeft = 0;
        for (uint32_t unit = 0; unit < m_score.schedules.size(); ++unit)
        {
            const auto& steps = m_score.schedules[unit]->steps;
            progress.unitsLeft += steps.empty() ? 0 : 1;
            progress.stepsLeft.push_back(steps.size());
            for (const auto& step : steps)
            {
                // An empty chunk is never sent, so nobody waits for it.
                const uint32_t receives = GetStepBytes(unit, step.chunk) > 0 ? step.receives : 0;
                progress.missing.push_back(receives + (step.ownGradient ? 1 : 0));
                progress.stepsLeft.back() -= progress.missing.back() == 0 ? 1 : 0;
            }
        }
    }
    return progress;
}

void
CollectivePlayer::ProvideGradient(uint32_t iteration, uint32_t unit)
{
    NS_LOG_FUNCTION(this << iteration << unit);
    const auto& steps = m_score.schedules[unit]->steps;
    for (uint32_t step = 0; step < steps.size(); ++step)
    {
        if (steps[step].ownGradient)
        {
            Arrive(iteration, unit, step);
        }
    }
}

void
CollectivePlayer::HandleTensor(const gradnet::Tensor& tensor)
{
    const bool isGradient = tensor.phase == gradnet::TensorPhase::PUSH ||
                            tensor.phase == gradnet::TensorPhase::REDUCE_SCATTER;
    if (!isGradient || m_aggregationRate.GetBitRate() == 0)
    {
        Arrive(tensor.iteration, tensor.part, tensor.step);
        return;
    }
    m_aggregatedUntil = std::max(m_aggregatedUntil, Simulator::Now()) +
                        m_aggregationRate.CalculateBytesTxTime(tensor.bytes);
    Simulator::Schedule(m_aggregatedUntil - Simulator::Now(),
                        &CollectivePlayer::Arrive,
                        this,
                        tensor.iteration,
                        tensor.part,
                        tensor.step);
}

void
CollectivePlayer::Arrive(uint32_t iteration, uint32_t unit, uint32_t step)
{
    uint32_t& missing = GetProgress(iteration).missing[m_firstStep[unit] + step];
    NS_ASSERT_MSG(missing > 0, "a tensor came twice: part " << unit << " step " << step);
    if (--missing == 0)
    {
        Fire(iteration, unit, step);
    }
}

void
CollectivePlayer::Fire(uint32_t iteration, uint32_t unit, uint32_t step)
{
    const auto& schedule = *m_score.schedules[unit];
    for (const auto& send : schedule.steps[step].sends)
    {
        gradnet::Tensor tensor;
        tensor.job = m_job;
        tensor.from = m_rank;
        tensor.to = send.to;
        tensor.layer = m_score.plan->units[unit].frontLayer;
        tensor.iteration = iteration;
        tensor.part = unit;
        tensor.step = send.step;
        tensor.phase = send.phase;
        tensor.bytes = GetStepBytes(unit, send.chunk);
        if (tensor.bytes > 0)
        {
            m_channel->Send(m_peers.at(send.to), tensor);
        }
    }
    Progress& progress = m_progress.at(iteration);
    if (--progress.stepsLeft[unit] > 0)
    {
        return;
    }
    if (--progress.unitsLeft == 0)
    {
        m_progress.erase(iteration);
    }
    UnitCompleted(iteration, unit);
}

} // namespace ns3
