// SPDX-License-Identifier: GPL-2.0-only

#ifndef CLOS_TOPOLOGY_HELPER_H
#define CLOS_TOPOLOGY_HELPER_H

#include "ipv4-ecmp-helper.h"

#include "ns3/data-rate.h"
#include "ns3/ipv4-address.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/traffic-control-helper.h"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// A link of a topology, for both directions.
struct TopologyLink
{
    std::string name;                 ///< as "host3:edge1", lower tier first
    Ptr<PointToPointNetDevice> lower; ///< the device nearer to the hosts
    Ptr<PointToPointNetDevice> upper; ///< the device nearer to the core
    DataRate rate;                    ///< of each direction
    Time delay;                       ///< propagation delay
};

/**
 * What fat-tree and leaf-spine have in common: hosts below edge switches, further tiers of switches
 * above, equal links, IPv4, a queue disc at every port, and multipath routing tables.
 *
 * Install builds in this order: nodes (hosts first, then the switches tier by tier), IPv4 stacks,
 * links, the queue discs before the addresses (ns-3 would install FqCoDel otherwise), and the
 * tables, which hold routes to hosts, not to addresses of switches. Each port has a device queue of
 * one packet, so that the queue disc decides about all others. Every frame takes 38 bytes more than
 * its IP packet on a link: 2 of the PPP header, and 36 as InterframeGap for what Ethernet adds
 * (preamble 8, MAC header and FCS 18, gap 12, less those 2), which delays the next frame.
 *
 * The helper keeps handles to what it built, and no other state of the simulation; objects of ns-3
 * stay the user's to change. Setters are legal until Install. Applications, failures and the
 * resolution of time are left to the caller; at ns-3's default of 1 ns a frame of full size is
 * exact to 1 ns, but one of 40 bytes at 100 Gb/s is 4% too fast. All nodes are of MPI rank 0.
 */
class ClosTopologyHelper
{
  public:
    /// Makes the queue disc of a port that sends at a rate.
    using QueueFactory = std::function<TrafficControlHelper(DataRate)>;

    virtual ~ClosTopologyHelper() = default;

    /// \param rate of the host links, default 100 Gb/s; others follow by the oversubscription
    void SetRate(DataRate rate);

    /// \param delay propagation delay of every link, default 1 us
    void SetDelay(Time delay);

    /// \param mtu of every device in bytes, default 1500
    void SetMtu(uint16_t mtu);

    /**
     * \param oversubscription what hosts can send upwards over what the slowest tier carries, at
     *        least 1, default 1 (non-blocking)
     */
    void SetOversubscription(double oversubscription);

    /// \param queue of the hosts' ports, default a FifoQueueDisc of 1000 packets
    void SetHostQueue(QueueFactory queue);

    /// \param queue of the switches' ports, default a FifoQueueDisc of 1000 packets
    void SetSwitchQueue(QueueFactory queue);

    /// \param routing of all nodes, default Ipv4EcmpHelper with its defaults
    void SetRouting(const Ipv4EcmpHelper& routing);

    /// Builds the network. May be called once.
    void Install();

    /// \return the number of hosts, also before Install
    uint32_t GetNHosts() const;

    /// \return the number of edge switches (leaves), also before Install
    uint32_t GetNEdges() const;

    /**
     * \param host index of a host
     * \return index of its edge switch (leaf), also before Install
     */
    uint32_t GetEdgeOfHost(uint32_t host) const;

    /**
     * \param host index of a host
     * \return its address, also before Install
     */
    Ipv4Address GetHostAddress(uint32_t host) const;

    /**
     * The length of a shortest path, also before Install.
     *
     * \param hostA index of a host
     * \param hostB index of another
     * \return the number of links; 0 from a host to itself
     */
    uint32_t GetNHops(uint32_t hostA, uint32_t hostB) const;

    /**
     * \param host index of a host
     * \return its node
     */
    Ptr<Node> GetHost(uint32_t host) const;

    /// \return the hosts
    NodeContainer GetHosts() const;

    /// \return the switches, tier by tier from the edge
    NodeContainer GetSwitches() const;

    /// \return all links, host links first, in order of the lower end, then of the upper
    const std::vector<TopologyLink>& GetLinks() const;

    /**
     * \param node a node
     * \return its name for messages, as "host3" or "agg1"; "node7" if it is not of this topology
     */
    std::string GetNodeName(Ptr<Node> node) const;

    /**
     * Assigns fixed random variable streams to the ECMP selectors. Queue discs have streams of
     * their own.
     *
     * \param stream first stream index to use
     * \return the number of streams assigned
     */
    int64_t AssignStreams(int64_t stream);

  protected:
    /// A tier of switches.
    struct Tier
    {
        std::string name; ///< of each switch, without its number
        uint32_t size;    ///< number of switches
    };

    /**
     * \param hostsPerEdge hosts below each switch of the first tier
     * \param tiers the switches, edge first
     */
    ClosTopologyHelper(uint32_t hostsPerEdge, std::vector<Tier> tiers);

    /**
     * \param tier 0 for the edge
     * \param index of the switch within its tier
     * \return its node
     */
    Ptr<Node> GetSwitch(uint32_t tier, uint32_t index) const;

    /**
     * Links two switches, with addresses of the next free /30 of 172.16.0.0/12.
     *
     * \param lower the switch nearer to the hosts
     * \param upper the other
     * \param rate of the link
     */
    void ConnectSwitches(Ptr<Node> lower, Ptr<Node> upper, DataRate rate);

    /// \return the rate of the host links
    DataRate GetRate() const;

    /// \return the oversubscription
    double GetOversubscription() const;

    /// Most hosts an edge can have: 1 to 126 are hosts in its /24, 129 to 254 its ports.
    static constexpr uint32_t MAX_HOSTS_PER_EDGE = 126;

    /// Most links between switches: one /30 each of 172.16.0.0/12.
    static constexpr uint32_t MAX_SWITCH_LINKS = 1U << 18;

  private:
    /// Links the switches to one another with ConnectSwitches.
    virtual void DoConnectSwitches() = 0;

    /**
     * \param edge index of an edge switch
     * \return its hosts' /24
     */
    virtual Ipv4Address GetSubnet(uint32_t edge) const = 0;

    /**
     * \param edgeA index of an edge switch
     * \param edgeB index of another
     * \return the number of links between them
     */
    virtual uint32_t GetEdgeDistance(uint32_t edgeA, uint32_t edgeB) const = 0;

    /**
     * Links two nodes.
     *
     * \param lower the node nearer to the hosts, and its address
     * \param upper the other
     * \param mask of both addresses
     * \param rate of the link
     */
    void Connect(const std::pair<Ptr<Node>, Ipv4Address>& lower,
                 const std::pair<Ptr<Node>, Ipv4Address>& upper,
                 Ipv4Mask mask,
                 DataRate rate);

    /**
     * Equips one end of a link.
     *
     * \param device the device
     * \param address its address
     * \param mask its mask
     * \param rate of the link
     */
    void SetUpPort(Ptr<NetDevice> device, Ipv4Address address, Ipv4Mask mask, DataRate rate);

    uint32_t m_hostsPerEdge;           ///< hosts below each edge switch
    std::vector<Tier> m_tiers;         ///< the switches
    DataRate m_rate;                   ///< of the host links
    Time m_delay;                      ///< of every link
    uint16_t m_mtu{1500};              ///< of every device, in bytes
    double m_oversubscription{1};      ///< 1 is non-blocking
    QueueFactory m_hostQueue;          ///< queue discs of the hosts
    QueueFactory m_switchQueue;        ///< queue discs of the switches
    Ipv4EcmpHelper m_routing;          ///< routing of all nodes
    NodeContainer m_hosts;             ///< all hosts
    NodeContainer m_switches;          ///< all switches
    std::vector<TopologyLink> m_links; ///< all links
    uint32_t m_nSwitchLinks{0};        ///< links between switches so far
};

} // namespace ns3

#endif // CLOS_TOPOLOGY_HELPER_H
