// SPDX-License-Identifier: GPL-2.0-only

#ifndef GRADNET_ECMP_PATH_SELECTOR_H
#define GRADNET_ECMP_PATH_SELECTOR_H

#include <cstdint>
#include <vector>

namespace gradnet
{

/// The 5-tuple that makes packets one flow.
struct FlowKey
{
    uint32_t source{0};          ///< IPv4 address of the sender
    uint32_t destination{0};     ///< IPv4 address of the receiver
    uint16_t sourcePort{0};      ///< 0 where the packet has no ports
    uint16_t destinationPort{0}; ///< 0 where the packet has no ports
    uint8_t protocol{0};         ///< IP protocol number
};

/**
 * Hashes a flow: every bit of the key and of the seed moves every bit of the result with
 * probability 1/2, so that nodes with different seeds choose independently of one another.
 *
 * \param flow the flow
 * \param seed the node's seed
 * \return 64 well mixed bits
 */
uint64_t HashFlow(const FlowKey& flow, uint64_t seed);

/// What a selector may look at; each reads only what its decision needs.
struct PathQuery
{
    uint32_t nPaths{1}; ///< number of equal-cost paths, at least 1
    uint32_t group{0};  ///< index of the set of paths within the node, small and dense
    FlowKey flow;       ///< the packet's flow
    double draw{0};     ///< a fresh uniform draw from [0, 1)
};

/**
 * Decides which of a set of equal-cost paths a packet takes. The caller looks up the set, and
 * brings the draw where one is needed. One selector serves one node.
 */
class EcmpPathSelector
{
  public:
    virtual ~EcmpPathSelector() = default;

    /**
     * Chooses a path for one packet.
     *
     * \param query the packet and its paths
     * \return index of the path, below query.nPaths
     */
    virtual uint32_t Select(const PathQuery& query) = 0;
};

/**
 * Flow ECMP: all packets of a flow take one path, and two large flows may share it while another
 * idles (RFC 2992). Reads nPaths and flow. Nodes in a row need different seeds: with equal ones
 * the second sees only flows that the first sent its way, and uses one path of its own
 * (polarization).
 */
class FlowHashPathSelector final : public EcmpPathSelector
{
  public:
    /// \param seed the node's seed
    explicit FlowHashPathSelector(uint64_t seed);

    uint32_t Select(const PathQuery& query) override;

  private:
    uint64_t m_seed;
};

/**
 * Per-packet ECMP (packet spraying; Dixit et al., "On the Impact of Packet Spraying in Data Center
 * Networks", INFOCOM 2013): every packet takes a path of its own. Reads nPaths and draw.
 */
class RandomPathSelector final : public EcmpPathSelector
{
  public:
    uint32_t Select(const PathQuery& query) override;
};

/**
 * Per-packet ECMP in turn. The turn is kept for each set of paths, not for each destination, as
 * commodity switches do: after any number of packets the counts of a set's paths differ by one at
 * most, whatever the mix of destinations, while the packets of one destination may be uneven.
 * Reads nPaths and group.
 */
class RoundRobinPathSelector final : public EcmpPathSelector
{
  public:
    /// \param start the first turn; nodes with different ones do not march in step
    explicit RoundRobinPathSelector(uint32_t start = 0);

    uint32_t Select(const PathQuery& query) override;

  private:
    uint32_t m_start;
    std::vector<uint32_t> m_turns; ///< the next turn of each group
};

} // namespace gradnet

#endif // GRADNET_ECMP_PATH_SELECTOR_H
