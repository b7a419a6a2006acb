// SPDX-License-Identifier: GPL-2.0-only

#include "training-scenario.h"

#include "all-reduce-helper.h"
#include "fat-tree-helper.h"
#include "leaf-spine-helper.h"
#include "parameter-server-helper.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/error-model.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/simulator.h"
#include "ns3/traffic-control-layer.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr uint32_t PPP_HEADER_BYTES = 2;
constexpr uint32_t GAP_BYTES = 36;

constexpr int64_t ROUTING_STREAM = 1000;
constexpr int64_t LOSS_STREAM = 1'000'000;
constexpr int64_t WORKER_STREAM = 2'000'000;

} // namespace

TrainingScenario::TrainingScenario(ScenarioConfig config)
    : m_config(std::move(config))
{
    NS_ABORT_MSG_UNLESS(m_config.workload.profile, "a training job needs a model");
    const std::string problem = m_config.Check();
    NS_ABORT_MSG_UNLESS(problem.empty(), problem);
    m_placement = m_config.GetPlacement();
    BuildNetwork();
    BuildJob();
}

TrainingScenario::~TrainingScenario() = default;

void
TrainingScenario::BuildNetwork()
{
    const NetworkConfig& network = m_config.network;
    if (network.topology == NetworkConfig::Topology::FAT_TREE)
    {
        m_topology = std::make_unique<FatTreeHelper>(network.k);
    }
    else
    {
        m_topology =
            std::make_unique<LeafSpineHelper>(network.leaves, network.spines, network.hostsPerLeaf);
    }
    const DataCenterDefaults defaults = m_config.GetDefaults();
    m_topology->SetRate(network.rate);
    m_topology->SetDelay(network.delay);
    m_topology->SetMtu(network.mtu);
    m_topology->SetOversubscription(network.oversubscription);
    m_topology->SetHostQueue([defaults](DataRate) { return defaults.MakeHostQueue(); });
    m_topology->SetSwitchQueue([defaults, queue = network.queue](DataRate rate) {
        return queue == NetworkConfig::Queue::RED_ECN ? defaults.MakeRedEcnQueue(rate)
                                                      : defaults.MakeFifoQueue();
    });
    Ipv4EcmpHelper routing;
    routing.Set("Selector", TypeIdValue(TypeId::LookupByName(network.selector)));
    m_topology->SetRouting(routing);
    m_topology->Install();
    m_topology->AssignStreams(ROUTING_STREAM);

    uint32_t stream = 0;
    PointToPointHelper pcap;
    for (uint32_t host = 0; host < m_topology->GetNHosts(); ++host)
    {
        const TopologyLink& link = m_topology->GetLinks()[host];
        const auto loss = network.losses.find(host);
        if (loss != network.losses.end())
        {
            AddLoss(link, loss->second, stream);
        }
        if (!network.pcapFolder.empty())
        {
            pcap.EnablePcap(network.pcapFolder + "/" +
                                m_topology->GetNodeName(m_topology->GetHost(host)) + ".pcap",
                            link.lower,
                            false,
                            true);
        }
    }
}

void
TrainingScenario::AddLoss(const TopologyLink& link, double share, uint32_t& stream)
{
    for (const auto& device : {link.lower, link.upper})
    {
        const auto model = CreateObject<RateErrorModel>();
        model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
        model->SetRate(share);
        model->AssignStreams(LOSS_STREAM + stream++);
        device->SetReceiveErrorModel(model);
        device->TraceConnectWithoutContext(
            "PhyRxDrop",
            Callback<void, Ptr<const Packet>>(
                [&lost = m_lost[device]](Ptr<const Packet>) { ++lost; }));
    }
}

void
TrainingScenario::BuildJob()
{
    const WorkloadConfig& workload = m_config.workload;
    const uint32_t iterations = workload.warmUp + workload.iterations;
    NodeContainer workers;
    NodeContainer servers;
    for (uint32_t rank = 0; rank < m_placement.size(); ++rank)
    {
        (rank < workload.workers ? workers : servers).Add(m_topology->GetHost(m_placement[rank]));
    }
    const auto configure = [&](CollectiveHelper& helper) {
        helper.SetChannelAttribute("FrontLayersFirst", BooleanValue(workload.frontLayersFirst));
        helper.SetChannelAttribute("SliceBytes", UintegerValue(workload.sliceBytes));
        helper.SetChannelAttribute("Credit", UintegerValue(workload.creditBytes));
        helper.SetWorkerAttribute("Iterations", UintegerValue(iterations));
        helper.SetWorkerAttribute("ComputeScale", DoubleValue(workload.computeScale));
        helper.SetWorkerAttribute("ComputeJitter", DoubleValue(workload.computeJitter));
    };
    ApplicationContainer applications;
    if (workload.collective == WorkloadConfig::Collective::RING)
    {
        AllReduceHelper helper(workload.profile);
        configure(helper);
        helper.SetBucketBytes(workload.bucketBytes);
        helper.SetWorkerAttribute("AggregationRate", DataRateValue(workload.aggregationRate));
        applications = helper.Install(workers);
        m_plan = helper.GetPlan();
    }
    else
    {
        ParameterServerHelper helper(workload.profile);
        configure(helper);
        helper.SetPartBytes(workload.partBytes);
        helper.SetServerAttribute("AggregationRate", DataRateValue(workload.aggregationRate));
        applications = helper.Install(workers, servers);
        m_plan = helper.GetPlan();
    }
    for (const auto& [worker, factor] : workload.stragglers)
    {
        applications.Get(worker)->SetAttribute("Slowdown", DoubleValue(factor));
    }
    CollectiveHelper::AssignStreams(applications, WORKER_STREAM);
    m_statistics = std::make_unique<TrainingStatistics>(applications,
                                                        iterations,
                                                        workload.profile->layers.size());
    m_statistics->SetCompletedCallback([this] {
        m_outcome = Outcome::COMPLETED;
        Simulator::Stop();
    });
    // The few all-reduce chunks that are empty make this an estimate, good enough for a progress
    // bar.
    const double perUnit = workload.collective == WorkloadConfig::Collective::RING
                               ? 2.0 * workload.workers * (workload.workers - 1)
                               : 2.0 * workload.workers;
    m_expectedTensors = std::max(1.0, perUnit * m_plan.units.size() * iterations);
}

TrainingScenario::Outcome
TrainingScenario::Run(std::function<void(double)> progress)
{
    m_progress = std::move(progress);
    Simulator::ScheduleNow(&TrainingScenario::Watch, this);
    Simulator::Run();
    return m_outcome;
}

void
TrainingScenario::Watch()
{
    if (m_progress)
    {
        m_progress(std::min(1.0, m_statistics->GetReceivedTensors() / m_expectedTensors));
    }
    if (m_statistics->GetFailedConnections() > 0)
    {
        m_outcome = Outcome::FAILED;
        Simulator::Stop();
        return;
    }
    if (Simulator::Now() - m_statistics->GetLastProgress() >= m_config.stallTime)
    {
        m_outcome = Outcome::STALLED;
        Simulator::Stop();
        return;
    }
    Simulator::Schedule(std::min(MilliSeconds(1), m_config.stallTime),
                        &TrainingScenario::Watch,
                        this);
}

const ScenarioConfig&
TrainingScenario::GetConfig() const
{
    return m_config;
}

ClosTopologyHelper&
TrainingScenario::GetTopology()
{
    return *m_topology;
}

const TrainingStatistics&
TrainingScenario::GetStatistics() const
{
    return *m_statistics;
}

const gradnet::CommunicationPlan&
TrainingScenario::GetPlan() const
{
    return m_plan;
}

std::vector<LinkRecord>
TrainingScenario::GetLinks() const
{
    std::vector<LinkRecord> records;
    for (const TopologyLink& link : m_topology->GetLinks())
    {
        for (const auto& [sender, receiver] :
             {std::pair(link.lower, link.upper), std::pair(link.upper, link.lower)})
        {
            const auto layer = sender->GetNode()->GetObject<TrafficControlLayer>();
            const auto& stats = layer->GetRootQueueDiscOnDevice(sender)->GetStats();
            LinkRecord record;
            record.from = m_topology->GetNodeName(sender->GetNode());
            record.to = m_topology->GetNodeName(receiver->GetNode());
            record.rate = link.rate;
            record.packets = stats.nTotalSentPackets;
            record.wireBytes =
                stats.nTotalSentBytes + record.packets * (PPP_HEADER_BYTES + GAP_BYTES);
            record.marked = stats.nTotalMarkedPackets;
            for (const auto& [reason, packets] : stats.nDroppedPacketsBeforeEnqueue)
            {
                record.drops[reason] += packets;
            }
            for (const auto& [reason, packets] : stats.nDroppedPacketsAfterDequeue)
            {
                record.drops[reason] += packets;
            }
            const auto lost = m_lost.find(receiver);
            if (lost != m_lost.end() && lost->second > 0)
            {
                record.drops["Random loss"] = lost->second;
            }
            records.push_back(record);
        }
    }
    return records;
}

double
TrainingScenario::GetBoundSeconds() const
{
    const WorkloadConfig& workload = m_config.workload;
    gradnet::CollectiveShape shape;
    shape.ring = workload.collective == WorkloadConfig::Collective::RING;
    shape.servers = std::max(1U, workload.servers);
    gradnet::NetworkLimits limits = m_config.GetLimits();
    limits.latencySeconds *= 2; // two links between hosts below one edge
    return gradnet::GetTrainingBound(m_plan, shape, limits, m_statistics->GetComputeTimes());
}

double
TrainingScenario::GetIdealSeconds(const gradnet::Tensor& tensor) const
{
    const uint32_t hops = m_topology->GetNHops(m_placement[tensor.from], m_placement[tensor.to]);
    gradnet::NetworkLimits limits = m_config.GetLimits();
    // Only the longest paths cross the top tier, whose links come last.
    const uint32_t longest = m_config.network.topology == NetworkConfig::Topology::FAT_TREE ? 6 : 4;
    if (hops == longest)
    {
        const DataRate slowest =
            std::min(m_config.network.rate, m_topology->GetLinks().back().rate);
        limits.bytesPerSecond = slowest.GetBitRate() / 8.0;
    }
    return gradnet::GetIdealTransferTime(tensor.bytes, hops, limits);
}

std::string
TrainingScenario::GetRankName(uint32_t rank) const
{
    const uint32_t workers = m_config.workload.workers;
    return rank < workers ? "worker" + std::to_string(rank)
                          : "server" + std::to_string(rank - workers);
}

} // namespace ns3
