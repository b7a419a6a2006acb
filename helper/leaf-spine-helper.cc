// SPDX-License-Identifier: GPL-2.0-only

#include "leaf-spine-helper.h"

#include "ns3/abort.h"

#include <cmath>

namespace ns3
{

namespace
{

/// Most leaves that have a /24 of 10.0.0.0/8.
constexpr uint32_t MAX_LEAVES = 1U << 16;

} // namespace

LeafSpineHelper::LeafSpineHelper(uint32_t leaves, uint32_t spines, uint32_t hostsPerLeaf)
    : ClosTopologyHelper(hostsPerLeaf, {{"leaf", leaves}, {"spine", spines}}),
      m_spines(spines),
      m_hostsPerLeaf(hostsPerLeaf)
{
    const std::string problem = CheckConfig(leaves, spines, hostsPerLeaf);
    NS_ABORT_MSG_IF(!problem.empty(), problem);
}

std::string
LeafSpineHelper::CheckConfig(uint32_t leaves, uint32_t spines, uint32_t hostsPerLeaf)
{
    if (leaves == 0 || spines == 0 || hostsPerLeaf == 0)
    {
        return "leaf-spine needs at least one leaf, one spine and one host a leaf";
    }
    if (hostsPerLeaf > MAX_HOSTS_PER_EDGE)
    {
        return "leaf-spine has addresses for at most " + std::to_string(MAX_HOSTS_PER_EDGE) +
               " hosts a leaf, got " + std::to_string(hostsPerLeaf);
    }
    if (leaves > MAX_LEAVES)
    {
        return "leaf-spine has addresses for at most " + std::to_string(MAX_LEAVES) +
               " leaves, got " + std::to_string(leaves);
    }
    if (uint64_t{leaves} * spines > MAX_SWITCH_LINKS)
    {
        return "leaf-spine has addresses for at most " + std::to_string(MAX_SWITCH_LINKS) +
               " uplinks, got " + std::to_string(uint64_t{leaves} * spines);
    }
    return "";
}

Ptr<Node>
LeafSpineHelper::GetHost(uint32_t leaf, uint32_t index) const
{
    NS_ABORT_MSG_IF(index >= m_hostsPerLeaf, "a leaf has no host " << index);
    return GetHost(leaf * m_hostsPerLeaf + index);
}

Ptr<Node>
LeafSpineHelper::GetLeaf(uint32_t index) const
{
    return GetSwitch(0, index);
}

Ptr<Node>
LeafSpineHelper::GetSpine(uint32_t index) const
{
    return GetSwitch(1, index);
}

void
LeafSpineHelper::DoConnectSwitches()
{
    const double hostBits = static_cast<double>(GetRate().GetBitRate()) * m_hostsPerLeaf;
    const DataRate uplink(std::llround(hostBits / (m_spines * GetOversubscription())));
    for (uint32_t leaf = 0; leaf < GetNEdges(); ++leaf)
    {
        for (uint32_t spine = 0; spine < m_spines; ++spine)
        {
            ConnectSwitches(GetLeaf(leaf), GetSpine(spine), uplink);
        }
    }
}

Ipv4Address
LeafSpineHelper::GetSubnet(uint32_t edge) const
{
    return Ipv4Address(10U << 24 | edge << 8);
}

uint32_t
LeafSpineHelper::GetEdgeDistance(uint32_t edgeA, uint32_t edgeB) const
{
    return edgeA == edgeB ? 0 : 2;
}

} // namespace ns3
