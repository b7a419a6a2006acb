// SPDX-License-Identifier: GPL-2.0-only

#ifndef LEAF_SPINE_HELPER_H
#define LEAF_SPINE_HELPER_H

#include "clos-topology-helper.h"

#include <string>

namespace ns3
{

/**
 * Builds a two-tier network: every leaf has hosts and one link to every spine.
 *
 * All uplinks have the rate hostsPerLeaf * rate / (spines * oversubscription), whatever rates are
 * sold. Host i of a leaf is 10.x.y.(1+i) with leaf = 256 x + y, and the leaf's port to it
 * 10.x.y.(129+i). Address limits: 126 hosts a leaf, 65536 leaves, 262144 uplinks.
 */
class LeafSpineHelper : public ClosTopologyHelper
{
  public:
    /**
     * \param leaves number of leaves
     * \param spines number of spines
     * \param hostsPerLeaf number of hosts below each leaf
     */
    LeafSpineHelper(uint32_t leaves, uint32_t spines, uint32_t hostsPerLeaf);

    /**
     * Tells whether a network can be built, for programs that check their options.
     *
     * \param leaves number of leaves
     * \param spines number of spines
     * \param hostsPerLeaf number of hosts below each leaf
     * \return an empty string, or the reason why not
     */
    static std::string CheckConfig(uint32_t leaves, uint32_t spines, uint32_t hostsPerLeaf);

    using ClosTopologyHelper::GetHost;

    /**
     * \param leaf index of a leaf
     * \param index of a host below it
     * \return its node
     */
    Ptr<Node> GetHost(uint32_t leaf, uint32_t index) const;

    /**
     * \param index of a leaf
     * \return its node
     */
    Ptr<Node> GetLeaf(uint32_t index) const;

    /**
     * \param index of a spine
     * \return its node
     */
    Ptr<Node> GetSpine(uint32_t index) const;

  private:
    void DoConnectSwitches() override;
    Ipv4Address GetSubnet(uint32_t edge) const override;
    uint32_t GetEdgeDistance(uint32_t edgeA, uint32_t edgeB) const override;

    uint32_t m_spines;       ///< number of spines
    uint32_t m_hostsPerLeaf; ///< number of hosts below each leaf
};

} // namespace ns3

#endif // LEAF_SPINE_HELPER_H
