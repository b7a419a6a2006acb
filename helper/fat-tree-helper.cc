// SPDX-License-Identifier: GPL-2.0-only

#include "fat-tree-helper.h"

#include "ns3/abort.h"

#include <cmath>

namespace ns3
{

namespace
{

/// Tiers of switches.
enum : uint32_t
{
    EDGE,
    AGGREGATION,
    CORE
};

/// Largest k whose k^3/2 links between switches have addresses.
constexpr uint32_t MAX_K = 80;

} // namespace

FatTreeHelper::FatTreeHelper(uint32_t k)
    : ClosTopologyHelper(k / 2, {{"edge", k * (k / 2)}, {"agg", k * (k / 2)}, {"core", k * k / 4}}),
      m_k(k),
      m_half(k / 2)
{
    static_assert(MAX_K * MAX_K * MAX_K / 2 <= MAX_SWITCH_LINKS);
    static_assert(MAX_K / 2 <= MAX_HOSTS_PER_EDGE);
    NS_ABORT_MSG_IF(!CheckConfig(k).empty(), CheckConfig(k));
}

std::string
FatTreeHelper::CheckConfig(uint32_t k)
{
    if (k < 2 || k % 2 != 0)
    {
        return "fat-tree needs an even k of at least 2, got " + std::to_string(k);
    }
    if (k > MAX_K)
    {
        return "fat-tree has addresses for a k of at most " + std::to_string(MAX_K) + ", got " +
               std::to_string(k);
    }
    return "";
}

uint32_t
FatTreeHelper::GetNHostsFor(uint32_t k)
{
    return k * k * k / 4;
}

uint32_t
FatTreeHelper::GetK() const
{
    return m_k;
}

uint32_t
FatTreeHelper::InTier(uint32_t pod, uint32_t index) const
{
    NS_ABORT_MSG_IF(pod >= m_k, "there is no pod " << pod);
    NS_ABORT_MSG_IF(index >= m_half, "a pod has no switch " << index << " in that tier");
    return pod * m_half + index;
}

Ptr<Node>
FatTreeHelper::GetHost(uint32_t pod, uint32_t edge, uint32_t index) const
{
    NS_ABORT_MSG_IF(index >= m_half, "an edge has no host " << index);
    return GetHost(InTier(pod, edge) * m_half + index);
}

Ptr<Node>
FatTreeHelper::GetEdge(uint32_t pod, uint32_t index) const
{
    return GetSwitch(EDGE, InTier(pod, index));
}

Ptr<Node>
FatTreeHelper::GetAggregation(uint32_t pod, uint32_t index) const
{
    return GetSwitch(AGGREGATION, InTier(pod, index));
}

Ptr<Node>
FatTreeHelper::GetCore(uint32_t index) const
{
    return GetSwitch(CORE, index);
}

void
FatTreeHelper::DoConnectSwitches()
{
    for (uint32_t edge = 0; edge < GetNEdges(); ++edge)
    {
        for (uint32_t i = 0; i < m_half; ++i)
        {
            ConnectSwitches(GetSwitch(EDGE, edge), GetAggregation(edge / m_half, i), GetRate());
        }
    }
    const DataRate coreRate(std::llround(GetRate().GetBitRate() / GetOversubscription()));
    for (uint32_t aggregation = 0; aggregation < m_k * m_half; ++aggregation)
    {
        for (uint32_t i = 0; i < m_half; ++i)
        {
            ConnectSwitches(GetSwitch(AGGREGATION, aggregation),
                            GetCore(aggregation % m_half * m_half + i),
                            coreRate);
        }
    }
}

Ipv4Address
FatTreeHelper::GetSubnet(uint32_t edge) const
{
    return Ipv4Address(10U << 24 | edge / m_half << 16 | edge % m_half << 8);
}

uint32_t
FatTreeHelper::GetEdgeDistance(uint32_t edgeA, uint32_t edgeB) const
{
    if (edgeA == edgeB)
    {
        return 0;
    }
    return edgeA / m_half == edgeB / m_half ? 2 : 4;
}

} // namespace ns3
