// SPDX-License-Identifier: GPL-2.0-only

#include "training-worker.h"

#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <limits>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("TrainingWorker");
NS_OBJECT_ENSURE_REGISTERED(TrainingWorker);

TypeId
TrainingWorker::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::TrainingWorker")
            .SetParent<CollectivePlayer>()
            .SetGroupName("Gradnet")
            .AddConstructor<TrainingWorker>()
            .AddAttribute("Iterations",
                          "Iterations to train",
                          UintegerValue(1),
                          MakeUintegerAccessor(&TrainingWorker::m_iterations),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("ComputeScale",
                          "How many times faster the worker computes than the profile's device; "
                          "large: communication dominates",
                          DoubleValue(1),
                          MakeDoubleAccessor(&TrainingWorker::m_computeScale),
                          MakeDoubleChecker<double>(std::numeric_limits<double>::min()))
            .AddAttribute("ComputeJitter",
                          "Half width of the uniform factor on each compute time; 0: all workers "
                          "push in the same instant",
                          DoubleValue(0.01),
                          MakeDoubleAccessor(&TrainingWorker::m_computeJitter),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("Slowdown",
                          "Factor on each compute time; above 1: a straggler",
                          DoubleValue(1),
                          MakeDoubleAccessor(&TrainingWorker::m_slowdown),
                          MakeDoubleChecker<double>(std::numeric_limits<double>::min()))
            .AddTraceSource("IterationStarted",
                            "The first layer's forward pass starts",
                            MakeTraceSourceAccessor(&TrainingWorker::m_iterationStarted),
                            "ns3::TrainingWorker::IterationTracedCallback")
            .AddTraceSource("LayerComputed",
                            "A layer's forward or backward pass has ended",
                            MakeTraceSourceAccessor(&TrainingWorker::m_layerComputed),
                            "ns3::TrainingWorker::LayerTracedCallback")
            .AddTraceSource("StallEnded",
                            "The parameters that the worker waited for are there",
                            MakeTraceSourceAccessor(&TrainingWorker::m_stallEnded),
                            "ns3::TrainingWorker::StallTracedCallback")
            .AddTraceSource("TrainingCompleted",
                            "The parameters of the last iteration have all arrived",
                            MakeTraceSourceAccessor(&TrainingWorker::m_trainingCompleted),
                            "ns3::TracedCallback::Void");
    return tid;
}

TrainingWorker::TrainingWorker()
    : m_jitter(CreateObject<UniformRandomVariable>())
{
}

void
TrainingWorker::SetProfile(std::shared_ptr<const gradnet::TrainingProfile> profile)
{
    NS_ABORT_MSG_IF(profile->layers.empty(), "a training profile needs at least one layer");
    m_profile = std::move(profile);
}

int64_t
TrainingWorker::AssignStreams(int64_t stream)
{
    m_jitter->SetStream(stream);
    return 1;
}

bool
TrainingWorker::IsComputing() const
{
    return m_iteration < m_iterations && !m_stalledSince;
}

void
TrainingWorker::StartApplication()
{
    NS_LOG_FUNCTION(this);
    NS_ABORT_MSG_UNLESS(m_profile, "a training worker needs a profile");
    CollectivePlayer::StartApplication();
    const auto& units = GetPlan().units;
    const uint32_t layers = m_profile->layers.size();
    m_unitsAtLayer.assign(layers, {});
    for (uint32_t unit = 0; unit < units.size(); ++unit)
    {
        m_unitsAtLayer[units[unit].frontLayer].push_back(unit);
    }
    m_unitsOfLayer.clear();
    for (const auto& needed : GetPlan().GetUnitsByLayer(layers))
    {
        m_unitsOfLayer.push_back(needed.size());
    }
    m_missing.assign(layers, 0);
    m_lastIterationUnits = units.size();
    TryForward();
}

void
TrainingWorker::TryForward()
{
    if (m_missing[m_layer] > 0)
    {
        m_stalledSince = Simulator::Now();
        return;
    }
    if (m_layer == 0)
    {
        m_iterationStarted(m_iteration);
    }
    if (m_iteration == m_iterations)
    {
        return;
    }
    m_missing[m_layer] = m_unitsOfLayer[m_layer];
    m_duration = DrawDuration(m_profile->layers[m_layer].forwardSeconds);
    Simulator::Schedule(m_duration, &TrainingWorker::EndForward, this);
}

void
TrainingWorker::EndForward()
{
    m_layerComputed(m_iteration, m_layer, false, m_duration);
    if (m_layer + 1 == m_profile->layers.size())
    {
        StartBackward();
        return;
    }
    ++m_layer;
    TryForward();
}

void
TrainingWorker::StartBackward()
{
    m_duration = DrawDuration(m_profile->layers[m_layer].backwardSeconds);
    Simulator::Schedule(m_duration, &TrainingWorker::EndBackward, this);
}

void
TrainingWorker::EndBackward()
{
    m_layerComputed(m_iteration, m_layer, true, m_duration);
    const uint32_t iteration = m_iteration;
    const uint32_t layer = m_layer;
    if (layer > 0)
    {
        --m_layer;
        StartBackward();
    }
    else
    {
        ++m_iteration;
        TryForward();
    }
    for (const uint32_t unit : m_unitsAtLayer[layer])
    {
        ProvideGradient(iteration, unit);
    }
}

void
TrainingWorker::UnitCompleted(uint32_t iteration, uint32_t unit)
{
    NS_LOG_FUNCTION(this << iteration << unit);
    const auto& completed = GetPlan().units[unit];
    for (uint32_t layer = completed.frontLayer; layer <= completed.backLayer; ++layer)
    {
        --m_missing[layer];
    }
    if (m_stalledSince && m_missing[m_layer] == 0)
    {
        m_stallEnded(iteration, unit, Simulator::Now() - *m_stalledSince);
        m_stalledSince.reset();
        TryForward();
    }
    if (iteration + 1 == m_iterations && --m_lastIterationUnits == 0)
    {
        m_trainingCompleted();
    }
}

Time
TrainingWorker::DrawDuration(double seconds)
{
    const double jitter = m_jitter->GetValue(1 - m_computeJitter, 1 + m_computeJitter);
    return Seconds(seconds / m_computeScale * m_slowdown * jitter);
}

} // namespace ns3
