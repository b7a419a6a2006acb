// SPDX-License-Identifier: GPL-2.0-only

#include "scenario-config.h"

#include "fat-tree-helper.h"
#include "leaf-spine-helper.h"

#include "ns3/tensor-header.h"
#include "ns3/uinteger.h"

#include <sstream>

namespace ns3
{

uint32_t
NetworkConfig::GetNHosts() const
{
    return topology == Topology::FAT_TREE ? FatTreeHelper::GetNHostsFor(k) : leaves * hostsPerLeaf;
}

bool
NetworkConfig::IsSpraying() const
{
    return selector != "ns3::FlowHashEcmpSelector";
}

uint32_t
WorkloadConfig::GetServers() const
{
    return collective == Collective::RING ? 0 : servers;
}

uint64_t
WorkloadConfig::CountUnits() const
{
    uint64_t units = 0;
    for (const auto& layer : profile->layers)
    {
        const uint64_t longest = partBytes > 0 ? partBytes : layer.gradientBytes;
        units += layer.gradientBytes > 0 ? (layer.gradientBytes - 1) / longest + 1 : 0;
    }
    return collective == Collective::RING ? profile->layers.size() * workers : units;
}

uint32_t
ScenarioConfig::GetSegmentBytes() const
{
    TypeId::AttributeInformation info;
    TypeId::LookupByName("ns3::TcpSocket").LookupAttributeByName("SegmentSize", &info);
    return DynamicCast<const UintegerValue>(info.initialValue)->Get();
}

std::string
ScenarioConfig::Check() const
{
    constexpr double MOST_RECORDS = 1e8;
    const std::string problem =
        network.topology == NetworkConfig::Topology::FAT_TREE
            ? FatTreeHelper::CheckConfig(network.k)
            : LeafSpineHelper::CheckConfig(network.leaves, network.spines, network.hostsPerLeaf);
    if (!problem.empty())
    {
        return problem;
    }
    const uint32_t hosts = network.GetNHosts();
    const double iterations = static_cast<double>(workload.warmUp) + workload.iterations;
    std::ostringstream sentence;
    if (network.mtu < 576)
    {
        sentence << "IPv4 needs an MTU of at least 576 B, got " << network.mtu;
    }
    else if (network.buffer.GetUnit() == QueueSizeUnit::BYTES &&
             network.buffer.GetValue() < network.mtu)
    {
        sentence << "a buffer of " << network.buffer << " does not hold a packet of " << network.mtu
                 << " B";
    }
    else if (workload.profile && iterations * workload.workers *
                                         (workload.CountUnits() + workload.profile->layers.size()) >
                                     MOST_RECORDS)
    {
        sentence << workload.CountUnits() << " parts, " << workload.workers << " workers and "
                 << iterations << " iterations make more than 1e8 tensors";
    }
    else if (workload.workers + workload.GetServers() > hosts)
    {
        sentence << workload.workers << " workers and " << workload.GetServers()
                 << " servers need a host each, but the topology has " << hosts << " hosts";
    }
    else if (workload.workers == 0)
    {
        sentence << "a training job needs at least 1 worker";
    }
    else if (workload.collective == WorkloadConfig::Collective::PARAMETER_SERVER &&
             workload.servers == 0)
    {
        sentence << "a parameter-server job needs at least 1 server";
    }
    else if (network.markingThreshold.GetValue() > 0 &&
             network.markingThreshold.GetUnit() != network.buffer.GetUnit())
    {
        sentence << "the marking threshold " << network.markingThreshold
                 << " needs the unit of the buffer, " << network.buffer;
    }
    else if (!network.losses.empty() && network.losses.rbegin()->first >= hosts)
    {
        sentence << "there is no host" << network.losses.rbegin()->first
                 << " to lose packets, the last one is host" << hosts - 1;
    }
    else if (!workload.stragglers.empty() &&
             workload.stragglers.rbegin()->first >= workload.workers)
    {
        sentence << "there is no worker" << workload.stragglers.rbegin()->first
                 << " to slow down, the last one is worker" << workload.workers - 1;
    }
    return sentence.str();
}

DataCenterDefaults
ScenarioConfig::GetDefaults() const
{
    DataCenterDefaults defaults;
    defaults.rate = network.rate;
    defaults.delay = network.delay;
    defaults.mtu = network.mtu;
    defaults.buffer = network.buffer;
    defaults.minRto = minRto;
    defaults.congestionOps = congestionOps;
    defaults.spraying = network.IsSpraying();
    defaults.markingThreshold = network.markingThreshold;
    defaults.reTxThreshold = reTxThreshold;
    return defaults;
}

std::vector<uint32_t>
ScenarioConfig::GetPlacement() const
{
    const uint32_t hosts = network.GetNHosts();
    const uint32_t hostsPerEdge = network.topology == NetworkConfig::Topology::FAT_TREE
                                      ? network.k / 2
                                      : network.hostsPerLeaf;
    const uint32_t edges = hosts / hostsPerEdge;
    const uint32_t firstServer = hosts - workload.GetServers();
    std::vector<uint32_t> placement;
    for (uint32_t i = 0; i < hosts && placement.size() < workload.workers; ++i)
    {
        const uint32_t host = workload.placement == WorkloadConfig::Placement::SPREAD
                                  ? i % edges * hostsPerEdge + i / edges
                                  : i;
        if (host < firstServer)
        {
            placement.push_back(host);
        }
    }
    for (uint32_t server = 0; server < workload.GetServers(); ++server)
    {
        placement.push_back(firstServer + server);
    }
    return placement;
}

gradnet::NetworkLimits
ScenarioConfig::GetLimits() const
{
    gradnet::NetworkLimits limits;
    limits.bytesPerSecond = network.rate.GetBitRate() / 8.0;
    limits.latencySeconds = network.delay.GetSeconds();
    limits.format.payloadBytes = GetSegmentBytes();
    limits.format.tensorBytes = TensorHeader::SIZE;
    return limits;
}

} // namespace ns3
