// SPDX-License-Identifier: GPL-2.0-only

#ifndef ECMP_SELECTOR_H
#define ECMP_SELECTOR_H

#include "ns3/ecmp-path-selector.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv4-route.h"
#include "ns3/object.h"
#include "ns3/packet.h"
#include "ns3/random-variable-stream.h"

#include <optional>
#include <vector>

namespace ns3
{

/// A packet that waits for one of several equal-cost next hops.
struct EcmpQuery
{
    const Ipv4Header& header;                ///< the packet's IPv4 header
    Ptr<const Packet> payload;               ///< what follows that header; null where unknown
    uint32_t group;                          ///< index of the set of next hops within the node
    const std::vector<Ptr<Ipv4Route>>& hops; ///< the set's live next hops, two or more
};

/**
 * Chooses one of several equal-cost next hops for each packet of a node. The routing protocol
 * looks up the set and owns the selector; the decision itself is a gradnet::EcmpPathSelector, to
 * which this shell brings the flow key or the random draw.
 *
 * Stock ns-3 has no such object: Ipv4GlobalRouting takes the first route or draws one for each
 * packet, and has no flow hash.
 */
class EcmpSelector : public Object
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Chooses a next hop for one packet.
     *
     * \param query the packet and its next hops
     * \return index into query.hops
     */
    virtual uint32_t Select(const EcmpQuery& query) = 0;

    /**
     * Assigns fixed random variable streams.
     *
     * \param stream first stream index to use
     * \return the number of streams assigned
     */
    virtual int64_t AssignStreams(int64_t stream) = 0;

    /**
     * The flow of a packet. Ports are read from the first four bytes of a TCP or UDP payload, and
     * count as 0 in every fragment of a datagram, so that its fragments stay on one path.
     *
     * \param header the packet's IPv4 header
     * \param payload what follows that header; null where unknown
     * \return the 5-tuple
     */
    static gradnet::FlowKey GetFlowKey(const Ipv4Header& header, Ptr<const Packet> payload);
};

/// Flow ECMP: see gradnet::FlowHashPathSelector.
class FlowHashEcmpSelector : public EcmpSelector
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    FlowHashEcmpSelector();

    uint32_t Select(const EcmpQuery& query) override;
    int64_t AssignStreams(int64_t stream) override;

    /**
     * \param seed seed of the hash; 0 draws one from the selector's stream at the next packet
     */
    void SetSeed(uint64_t seed);

    /// \return the seed that was set, 0 where it is drawn
    uint64_t GetSeed() const;

  private:
    uint64_t m_seed{0};                                   ///< as set
    std::optional<gradnet::FlowHashPathSelector> m_paths; ///< made at the first packet
    Ptr<UniformRandomVariable> m_random;                  ///< source of a drawn seed
};

/// Per-packet ECMP at random: see gradnet::RandomPathSelector.
class RandomEcmpSelector : public EcmpSelector
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    RandomEcmpSelector();

    uint32_t Select(const EcmpQuery& query) override;
    int64_t AssignStreams(int64_t stream) override;

  private:
    gradnet::RandomPathSelector m_paths; ///< the decision
    Ptr<UniformRandomVariable> m_random; ///< one draw a packet
};

/**
 * Per-packet ECMP in turn: see gradnet::RoundRobinPathSelector. The first turn is drawn, so that
 * the switches of a network that starts at one instant do not march in step.
 */
class RoundRobinEcmpSelector : public EcmpSelector
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    RoundRobinEcmpSelector();

    uint32_t Select(const EcmpQuery& query) override;
    int64_t AssignStreams(int64_t stream) override;

  private:
    std::optional<gradnet::RoundRobinPathSelector> m_paths; ///< made at the first packet
    Ptr<UniformRandomVariable> m_random;                    ///< source of the first turn
};

} // namespace ns3

#endif // ECMP_SELECTOR_H
