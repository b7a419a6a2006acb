// SPDX-License-Identifier: GPL-2.0-only

#ifndef IPV4_ECMP_HELPER_H
#define IPV4_ECMP_HELPER_H

#include "ns3/attribute.h"
#include "ns3/ipv4-ecmp-routing.h"
#include "ns3/ipv4-routing-helper.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"

#include <string>

namespace ns3
{

/**
 * Gives nodes an Ipv4EcmpRouting, and fills the tables of a whole network from its topology.
 *
 * It goes to InternetStackHelper::SetRoutingHelper, alone or within an Ipv4ListRoutingHelper beside
 * static routing. PopulateRoutingTables comes after the addresses, and again whenever interfaces
 * have gone up or down and the network has noticed.
 */
class Ipv4EcmpHelper : public Ipv4RoutingHelper
{
  public:
    Ipv4EcmpHelper();

    Ipv4EcmpHelper* Copy() const override;
    Ptr<Ipv4RoutingProtocol> Create(Ptr<Node> node) const override;

    /**
     * Sets an attribute of the Ipv4EcmpRouting objects to come.
     *
     * \param name the attribute, as "Selector"
     * \param value its value, as TypeIdValue(FlowHashEcmpSelector::GetTypeId())
     */
    void Set(const std::string& name, const AttributeValue& value);

    /**
     * Assigns fixed random variable streams to the selectors of all nodes that have an
     * Ipv4EcmpRouting.
     *
     * \param nodes the nodes
     * \param stream first stream index to use
     * \return the number of streams assigned
     */
    static int64_t AssignStreams(const NodeContainer& nodes, int64_t stream);

    /**
     * Fills the tables of all nodes of the simulation that have an Ipv4EcmpRouting, in place of
     * what they hold, with all shortest paths over point-to-point links to the hosts.
     *
     * A node with one link is a host, and gets a default route only; every other node is a switch
     * if it has an Ipv4EcmpRouting. A link is left out while an interface at either end is down.
     * A switch gets a /32 route to each of its own hosts, and one route to each subnet of other
     * switches' hosts; a subnet whose hosts are spread over several switches counts as one /32
     * subnet a host. Hosts alone are destinations, not switches, nor servers with several links.
     * The cost is a breadth-first search from each switch that has hosts.
     */
    static void PopulateRoutingTables();

    /**
     * Fills the tables of some nodes; others, and links to them, are left out.
     *
     * \param nodes hosts and switches
     */
    static void PopulateRoutingTables(const NodeContainer& nodes);

  private:
    ObjectFactory m_factory; ///< makes the routing protocol
};

} // namespace ns3

#endif // IPV4_ECMP_HELPER_H
