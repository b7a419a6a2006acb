// SPDX-License-Identifier: GPL-2.0-only

#include "training-statistics.h"

#include "ns3/simulator.h"
#include "ns3/tensor-channel.h"
#include "ns3/training-worker.h"

#include <algorithm>

namespace ns3
{

TrainingStatistics::TrainingStatistics(const ApplicationContainer& applications,
                                       uint32_t iterations,
                                       uint32_t layers)
    : m_applications(applications)
{
    for (uint32_t i = 0; i < applications.GetN(); ++i)
    {
        const auto player = DynamicCast<CollectivePlayer>(applications.Get(i));
        ConnectChannel(player->GetChannel());
        if (DynamicCast<TrainingWorker>(player))
        {
            ConnectWorker(player);
        }
    }
    // One iteration more: the start that would follow the last.
    m_workers.assign(m_workersLeft, std::vector<WorkerIteration>(iterations + 1));
    m_computeTimes.assign(m_workersLeft, {iterations, std::vector<gradnet::LayerTimes>(layers)});
}

void
TrainingStatistics::ConnectWorker(Ptr<CollectivePlayer> worker)
{
    const uint32_t rank = m_workersLeft++;
    using Self = TrainingStatistics;
    worker->TraceConnectWithoutContext("IterationStarted",
                                       Callback<void, uint32_t>([this, rank](uint32_t iteration) {
                                           HandleIterationStarted(rank, iteration);
                                       }));
    worker->TraceConnectWithoutContext(
        "LayerComputed",
        Callback<void, uint32_t, uint32_t, bool, Time>(
            [this, rank](uint32_t iteration, uint32_t layer, bool isBackward, Time duration) {
                HandleLayerComputed(rank, iteration, layer, isBackward, duration);
            }));
    worker->TraceConnectWithoutContext(
        "StallEnded",
        Callback<void, uint32_t, uint32_t, Time>(
            [this, rank](uint32_t iteration, uint32_t unit, Time duration) {
                HandleStallEnded(rank, iteration, unit, duration);
            }));
    worker->TraceConnectWithoutContext("TrainingCompleted",
                                       MakeCallback(&Self::HandleTrainingCompleted, this));
}

void
TrainingStatistics::ConnectChannel(Ptr<TensorChannel> channel)
{
    using Self = TrainingStatistics;
    channel->TraceConnectWithoutContext("TensorQueued", MakeCallback(&Self::HandleQueued, this));
    channel->TraceConnectWithoutContext("TensorSent", MakeCallback(&Self::HandleSent, this));
    channel->TraceConnectWithoutContext("TensorReceived",
                                        MakeCallback(&Self::HandleReceived, this));
    channel->TraceConnectWithoutContext("BytesReceived",
                                        MakeCallback(&Self::HandleBytesReceived, this));
    channel->TraceConnectWithoutContext("BytesResent",
                                        MakeCallback(&Self::HandleBytesResent, this));
    channel->TraceConnectWithoutContext("TimeoutExpired", MakeCallback(&Self::HandleTimeout, this));
    channel->TraceConnectWithoutContext("ConnectionFailed",
                                        MakeCallback(&Self::HandleConnectionFailed, this));
}

void
TrainingStatistics::SetCompletedCallback(std::function<void()> callback)
{
    m_completed = std::move(callback);
}

bool
TrainingStatistics::IsCompleted() const
{
    return m_workersLeft == 0;
}

Time
TrainingStatistics::GetLastProgress() const
{
    for (uint32_t i = 0; i < m_applications.GetN(); ++i)
    {
        const auto player = DynamicCast<CollectivePlayer>(m_applications.Get(i));
        const auto worker = DynamicCast<TrainingWorker>(player);
        if (player->IsAggregating() || (worker && worker->IsComputing()))
        {
            return Simulator::Now();
        }
    }
    return m_lastProgress;
}

uint64_t
TrainingStatistics::GetReceivedTensors() const
{
    return m_receivedTensors;
}

std::vector<IterationRecord>
TrainingStatistics::GetIterations() const
{
    std::vector<IterationRecord> records;
    for (uint32_t i = 0; i + 1 < m_workers[0].size(); ++i)
    {
        uint32_t latest = 0;
        for (uint32_t worker = 0; worker < m_workers.size(); ++worker)
        {
            if (m_workers[worker][i + 1].start.IsStrictlyNegative())
            {
                return records;
            }
            if (m_workers[worker][i].start > m_workers[latest][i].start)
            {
                latest = worker;
            }
        }
        const WorkerIteration& seen = m_workers[latest][i];
        records.push_back({i,
                           latest,
                           seen.start,
                           m_workers[latest][i + 1].start - seen.start,
                           seen.compute,
                           seen.waiting,
                           seen.network});
    }
    return records;
}

const std::vector<TensorRecord>&
TrainingStatistics::GetTensors() const
{
    return m_tensors;
}

const gradnet::ComputeTimes&
TrainingStatistics::GetComputeTimes() const
{
    return m_computeTimes;
}

Time
TrainingStatistics::GetCompletionTime() const
{
    return m_completionTime;
}

uint64_t
TrainingStatistics::GetResentBytes() const
{
    return m_resentBytes;
}

uint64_t
TrainingStatistics::GetTimeouts() const
{
    return m_timeouts;
}

uint64_t
TrainingStatistics::GetFailedConnections() const
{
    return m_failedConnections;
}

TrainingStatistics::TensorKey
TrainingStatistics::GetKey(const gradnet::Tensor& tensor)
{
    return {tensor.iteration, tensor.part, tensor.from, tensor.to, tensor.step};
}

void
TrainingStatistics::HandleIterationStarted(uint32_t worker, uint32_t iteration)
{
    m_workers[worker][iteration].start = Simulator::Now();
}

void
TrainingStatistics::HandleLayerComputed(uint32_t worker,
                                        uint32_t iteration,
                                        uint32_t layer,
                                        bool isBackward,
                                        Time duration)
{
    m_lastProgress = Simulator::Now();
    m_workers[worker][iteration].compute += duration;
    auto& times = m_computeTimes[worker][iteration][layer];
    (isBackward ? times.backward : times.forward) = duration.GetSeconds();
}

void
TrainingStatistics::HandleStallEnded(uint32_t worker,
                                     uint32_t iteration,
                                     uint32_t unit,
                                     Time duration)
{
    // The stall before the next iteration's first forward still belongs to this iteration.
    auto& next = m_workers[worker][iteration + 1];
    auto& current = next.start.IsStrictlyNegative() ? m_workers[worker][iteration] : next;
    const Time stallStart = Simulator::Now() - duration;
    const auto left = m_lastLeft.find({iteration, unit});
    const Time leftAt = left == m_lastLeft.end() ? stallStart : left->second;
    const Time waiting = std::clamp(leftAt - stallStart, Time(0), duration);
    current.waiting += waiting;
    current.network += duration - waiting;
}

void
TrainingStatistics::HandleTrainingCompleted()
{
    if (--m_workersLeft == 0)
    {
        m_completionTime = Simulator::Now();
        if (m_completed)
        {
            m_completed();
        }
    }
}

void
TrainingStatistics::HandleQueued(const gradnet::Tensor& tensor)
{
    m_inFlight.emplace(GetKey(tensor), m_tensors.size());
    m_tensors.push_back({tensor, Simulator::Now(), Seconds(-1), Seconds(-1), 0});
}

void
TrainingStatistics::HandleSent(const gradnet::Tensor& tensor)
{
    m_tensors[m_inFlight.at(GetKey(tensor))].sent = Simulator::Now();
    const bool isOwnGradient =
        tensor.phase == gradnet::TensorPhase::PUSH ||
        (tensor.phase == gradnet::TensorPhase::REDUCE_SCATTER && tensor.step == 1);
    if (isOwnGradient)
    {
        Time& last = m_lastLeft[{tensor.iteration, tensor.part}];
        last = std::max(last, Simulator::Now());
    }
}

void
TrainingStatistics::HandleReceived(const gradnet::Tensor& tensor)
{
    ++m_receivedTensors;
    const auto entry = m_inFlight.find(GetKey(tensor));
    m_tensors[entry->second].received = Simulator::Now();
    m_inFlight.erase(entry);
}

void
TrainingStatistics::HandleBytesReceived(const gradnet::Tensor& tensor, uint64_t bytes)
{
    m_lastProgress = Simulator::Now();
    m_tensors[m_inFlight.at(GetKey(tensor))].receivedBytes += bytes;
}

void
TrainingStatistics::HandleBytesResent(uint32_t bytes)
{
    m_resentBytes += bytes;
}

void
TrainingStatistics::HandleTimeout()
{
    ++m_timeouts;
}

void
TrainingStatistics::HandleConnectionFailed(uint32_t)
{
    ++m_failedConnections;
}

} // namespace ns3
