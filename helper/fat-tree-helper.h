// SPDX-License-Identifier: GPL-2.0-only

#ifndef FAT_TREE_HELPER_H
#define FAT_TREE_HELPER_H

#include "clos-topology-helper.h"

#include <string>

namespace ns3
{

/**
 * Builds a three-tier fat-tree of k-port switches (Al-Fares et al., "A Scalable, Commodity Data
 * Center Network Architecture", SIGCOMM 2008): k pods with k/2 edge and k/2 aggregation switches
 * each, (k/2)^2 core switches, k^3/4 hosts.
 *
 * Aggregation switch i of each pod has its k/2 links to the core switches i*k/2 and following.
 * Host i of an edge is 10.pod.edge.(1+i), and the edge's port to it 10.pod.edge.(129+i).
 * Oversubscription slows the links between aggregation and core. k is even, 2 to 80 (128,000
 * hosts): beyond that the links between switches run out of addresses.
 *
 * Edges, aggregation switches and hosts are numbered pod by pod: edge1 is the second edge of pod
 * 0.
 */
class FatTreeHelper : public ClosTopologyHelper
{
  public:
    /// \param k ports of each switch
    explicit FatTreeHelper(uint32_t k);

    /**
     * Tells whether a fat-tree can be built, for programs that check their options.
     *
     * \param k ports of each switch
     * \return an empty string, or the reason why not
     */
    static std::string CheckConfig(uint32_t k);

    /**
     * \param k ports of each switch
     * \return the number of hosts
     */
    static uint32_t GetNHostsFor(uint32_t k);

    /// \return ports of each switch
    uint32_t GetK() const;

    using ClosTopologyHelper::GetHost;

    /**
     * \param pod index of a pod
     * \param edge index of an edge switch within the pod
     * \param index of a host within the edge
     * \return its node
     */
    Ptr<Node> GetHost(uint32_t pod, uint32_t edge, uint32_t index) const;

    /**
     * \param pod index of a pod
     * \param index of an edge switch within the pod
     * \return its node
     */
    Ptr<Node> GetEdge(uint32_t pod, uint32_t index) const;

    /**
     * \param pod index of a pod
     * \param index of an aggregation switch within the pod
     * \return its node
     */
    Ptr<Node> GetAggregation(uint32_t pod, uint32_t index) const;

    /**
     * \param index of a core switch
     * \return its node
     */
    Ptr<Node> GetCore(uint32_t index) const;

  private:
    void DoConnectSwitches() override;
    Ipv4Address GetSubnet(uint32_t edge) const override;
    uint32_t GetEdgeDistance(uint32_t edgeA, uint32_t edgeB) const override;

    /**
     * \param pod index of a pod
     * \param index of a switch of one tier within the pod
     * \return its index within the tier
     */
    uint32_t InTier(uint32_t pod, uint32_t index) const;

    uint32_t m_k;    ///< ports of each switch
    uint32_t m_half; ///< hosts of an edge, edges and aggregation switches of a pod
};

} // namespace ns3

#endif // FAT_TREE_HELPER_H
