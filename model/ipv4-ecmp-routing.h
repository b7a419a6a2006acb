// SPDX-License-Identifier: GPL-2.0-only

#ifndef IPV4_ECMP_ROUTING_H
#define IPV4_ECMP_ROUTING_H

#include "ecmp-selector.h"
#include "gradnet-compat.h"

#include "ns3/ipv4-route.h"
#include "ns3/ipv4-routing-protocol.h"
#include "ns3/ipv4.h"

#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace ns3
{

/// Where a packet goes next.
struct EcmpNextHop
{
    uint32_t interface;  ///< output interface
    Ipv4Address gateway; ///< next router; Ipv4Address::GetAny() for a destination on the link
};

/// \return true if both are the same next hop
inline bool
operator==(const EcmpNextHop& a, const EcmpNextHop& b)
{
    return a.interface == b.interface && a.gateway == b.gateway;
}

/// \return true if the first comes first in order of interface, then of gateway
inline bool
operator<(const EcmpNextHop& a, const EcmpNextHop& b)
{
    return std::tie(a.interface, a.gateway) < std::tie(b.interface, b.gateway);
}

/// A destination and the equal-cost next hops to it.
struct EcmpRoute
{
    Ipv4Address network;               ///< destination network
    Ipv4Mask mask;                     ///< its mask
    std::vector<EcmpNextHop> nextHops; ///< in order of interface, then of gateway
};

/**
 * Forwards unicast packets over equal-cost next hops, with a look-up whose cost depends on the
 * number of distinct masks (two or three in a data center), not on the number of routes.
 *
 * It decides which set of next hops the longest matching prefix names; an EcmpSelector (attribute
 * Selector, default RandomEcmpSelector) chooses within the set, and is not asked where one next hop
 * is left. The next hops of an interface that goes down leave every set, and come back with it; a
 * prefix without live next hops does not match. Somebody else fills the table, as
 * Ipv4EcmpHelper::PopulateRoutingTables does: no route is added by itself, not even one to the
 * subnet of an interface. So it may run alone, or in an Ipv4ListRouting beside static routing.
 *
 * Addresses of the node are delivered locally on whatever interface they arrive (ns-3's default,
 * the weak end-system model). Multicast is delivered but never forwarded or sent: that is left to
 * another protocol of the list. In RouteOutput ns-3 has added a TCP header already but not a UDP
 * header, so that the flow of a UDP packet has no ports where it starts, at a node with several
 * uplinks; where it is forwarded it has them.
 *
 * Stock ns-3 lacks the flow hash and the look-up: Ipv4GlobalRouting scans a list of routes, and
 * takes the first or a random one.
 */
class Ipv4EcmpRouting : public Ipv4RoutingProtocol
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Adds equal-cost next hops to a destination. They join those it has; one that is there
     * already is left alone.
     *
     * \param network destination network; bits outside the mask are ignored
     * \param mask its mask: a contiguous one
     * \param nextHops the next hops, at least one
     */
    void AddRoute(Ipv4Address network, Ipv4Mask mask, const std::vector<EcmpNextHop>& nextHops);

    /// Removes all routes.
    void ClearRoutes();

    /// \return the number of destinations
    uint32_t GetNRoutes() const;

    /// \return all destinations with all their next hops, longest masks first, then by network
    std::vector<EcmpRoute> GetRoutes() const;

    /**
     * The next hops among which a packet is balanced.
     *
     * \param destination an address
     * \return the live next hops of the longest matching prefix; empty if there is no route
     */
    std::vector<EcmpNextHop> GetNextHops(Ipv4Address destination) const;

    /**
     * Replaces the selector by a fresh one.
     *
     * \param type TypeId of a subclass of EcmpSelector
     */
    void SetSelectorType(TypeId type);

    /// \return TypeId of the selector
    TypeId GetSelectorType() const;

    /// \return the selector
    Ptr<EcmpSelector> GetSelector() const;

    /**
     * Assigns fixed random variable streams to the selector.
     *
     * \param stream first stream index to use
     * \return the number of streams assigned
     */
    int64_t AssignStreams(int64_t stream);

    // From Ipv4RoutingProtocol
    Ptr<Ipv4Route> RouteOutput(Ptr<Packet> p,
                               const Ipv4Header& header,
                               Ptr<NetDevice> oif,
                               Socket::SocketErrno& sockerr) override;
    bool RouteInput(Ptr<const Packet> p,
                    const Ipv4Header& header,
                    Ptr<const NetDevice> idev,
                    UnicastForwardArgument ucb,
                    MulticastForwardArgument mcb,
                    LocalDeliverArgument lcb,
                    RouteErrorArgument ecb) override;
    void NotifyInterfaceUp(uint32_t interface) override;
    void NotifyInterfaceDown(uint32_t interface) override;
    void NotifyAddAddress(uint32_t interface, Ipv4InterfaceAddress address) override;
    void NotifyRemoveAddress(uint32_t interface, Ipv4InterfaceAddress address) override;
    void SetIpv4(Ptr<Ipv4> ipv4) override;
    void PrintRoutingTable(Ptr<OutputStreamWrapper> stream,
                           Time::Unit unit = Time::S) const override;

  protected:
    void DoDispose() override;

  private:
    /// Next hops in order and without doubles, so that equal sets are equal vectors.
    using HopSet = std::vector<EcmpNextHop>;

    /// A set of next hops, shared by all destinations that have the same.
    struct Group
    {
        HopSet hops;                      ///< all of them
        std::vector<Ptr<Ipv4Route>> live; ///< routes of those whose interface is up, same order
    };

    /// The destinations of one mask.
    struct Table
    {
        Ipv4Mask mask;                                 ///< the mask
        std::unordered_map<uint32_t, uint32_t> groups; ///< network to index of its group
    };

    /**
     * \param mask a mask
     * \return the destinations of that mask, created if there are none
     */
    Table& GetTable(Ipv4Mask mask);

    /**
     * \param hops a set of next hops
     * \return index of its group, created if there is none
     */
    uint32_t GetGroup(const HopSet& hops);

    /**
     * \param hop a next hop
     * \return the one route object of that next hop
     */
    Ptr<Ipv4Route> GetRoute(const EcmpNextHop& hop);

    /**
     * Lists the live next hops of a group anew.
     *
     * \param group the group
     */
    void UpdateLive(Group& group);

    /**
     * Sets the source address of the routes over an interface.
     *
     * \param interface the interface
     */
    void UpdateSources(uint32_t interface);

    /**
     * \param hop a next hop
     * \return the address that packets of this node carry as their source
     */
    Ipv4Address SelectSource(const EcmpNextHop& hop) const;

    /**
     * Learns an address of this node and its subnet's broadcast address.
     *
     * \param interface the interface that has the address
     * \param address the address
     */
    void AddOwnAddress(uint32_t interface, const Ipv4InterfaceAddress& address);

    /// Learns all addresses of this node anew.
    void LearnOwnAddresses();

    /**
     * \param destination an address
     * \return the group of the longest prefix that has a live next hop; null if there is none
     */
    const Group* LookupGroup(Ipv4Address destination) const;

    /**
     * Routes one packet.
     *
     * \param header its IPv4 header
     * \param payload what follows that header; null where unknown
     * \return the route; null if there is none
     */
    Ptr<Ipv4Route> Lookup(const Ipv4Header& header, Ptr<const Packet> payload);

    /**
     * Routes a packet that must leave by one device.
     *
     * \param destination its destination
     * \param device the device
     * \return the route of the longest prefix that has one; null if there is none
     */
    Ptr<Ipv4Route> LookupOn(Ipv4Address destination, Ptr<NetDevice> device) const;

    /**
     * \param address an address
     * \param interface the interface at which a packet to it arrived
     * \return true if the packet is for this node
     */
    bool IsLocal(Ipv4Address address, uint32_t interface) const;

    Ptr<Ipv4> m_ipv4;                               ///< the node's IPv4
    Ptr<EcmpSelector> m_selector;                   ///< chooses within a group
    std::vector<Table> m_tables;                    ///< longest mask first
    std::vector<Group> m_groups;                    ///< all sets of next hops
    std::map<HopSet, uint32_t> m_groupOf;           ///< index in m_groups
    std::map<EcmpNextHop, Ptr<Ipv4Route>> m_routes; ///< one a next hop
    /// Interface of each own address and of each own subnet's broadcast address.
    std::unordered_map<uint32_t, uint32_t> m_ownAddresses;
};

} // namespace ns3

#endif // IPV4_ECMP_ROUTING_H
