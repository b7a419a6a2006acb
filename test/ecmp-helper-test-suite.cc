// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/channel.h"
#include "ns3/fat-tree-helper.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-ecmp-helper.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/ipv4.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/**
 * \param device a point-to-point device
 * \return the one at the other end
 */
Ptr<NetDevice>
GetPeer(Ptr<NetDevice> device)
{
    const Ptr<Channel> channel = device->GetChannel();
    return channel->GetDevice(channel->GetDevice(0) == device ? 1 : 0);
}

/**
 * \param node a node
 * \return its routing
 */
Ptr<Ipv4EcmpRouting>
GetRouting(Ptr<Node> node)
{
    return DynamicCast<Ipv4EcmpRouting>(node->GetObject<Ipv4>()->GetRoutingProtocol());
}

/// Tables against distances that are computed here.
class OracleTestCase : public TestCase
{
  public:
    OracleTestCase()
        : TestCase("next hops of every switch to every host of a k=8 fat-tree are the nearer ones")
    {
    }

  private:
    /// Links that are in use, by node.
    using Graph = std::map<Ptr<Node>, std::vector<Ptr<NetDevice>>>;

    /**
     * \param graph a network
     * \param from a node
     * \return the number of links from it to each node that can be reached
     */
    static std::map<Ptr<Node>, uint32_t> GetDistances(const Graph& graph, Ptr<Node> from)
    {
        std::map<Ptr<Node>, uint32_t> distances{{from, 0}};
        std::deque<Ptr<Node>> queue{from};
        while (!queue.empty())
        {
            const Ptr<Node> node = queue.front();
            queue.pop_front();
            for (const Ptr<NetDevice>& device : graph.at(node))
            {
                if (distances.emplace(GetPeer(device)->GetNode(), distances[node] + 1).second)
                {
                    queue.push_back(GetPeer(device)->GetNode());
                }
            }
        }
        return distances;
    }

    /**
     * Compares the tables of all switches with the distances in a graph.
     *
     * \param fatTree the network
     * \param graph its links that are in use
     * \return the number of (switch, host) pairs that differ
     */
    static uint32_t Compare(const FatTreeHelper& fatTree, const Graph& graph)
    {
        uint32_t nWrong = 0;
        for (uint32_t host = 0; host < fatTree.GetNHosts(); ++host)
        {
            const auto distances = GetDistances(graph, fatTree.GetHost(host));
            const NodeContainer switches = fatTree.GetSwitches();
            for (auto node = switches.Begin(); node != switches.End(); ++node)
            {
                std::set<Ptr<NetDevice>> expected;
                for (const Ptr<NetDevice>& device : graph.at(*node))
                {
                    if (distances.at(GetPeer(device)->GetNode()) + 1 == distances.at(*node))
                    {
                        expected.insert(device);
                    }
                }
                std::set<Ptr<NetDevice>> actual;
                for (const EcmpNextHop& hop :
                     GetRouting(*node)->GetNextHops(fatTree.GetHostAddress(host)))
                {
                    const Ptr<NetDevice> device =
                        (*node)->GetObject<Ipv4>()->GetNetDevice(hop.interface);
                    const auto peer = GetPeer(device)->GetNode()->GetObject<Ipv4>();
                    nWrong += peer->GetInterfaceForAddress(hop.gateway) !=
                              peer->GetInterfaceForDevice(GetPeer(device));
                    actual.insert(device);
                }
                nWrong += actual != expected;
            }
        }
        return nWrong;
    }

    void DoRun() override
    {
        FatTreeHelper fatTree(8);
        fatTree.Install();
        Graph graph;
        for (const TopologyLink& link : fatTree.GetLinks())
        {
            graph[link.lower->GetNode()].push_back(link.lower);
            graph[link.upper->GetNode()].push_back(link.upper);
        }
        NS_TEST_EXPECT_MSG_EQ(Compare(fatTree, graph), 0, "wrong sets of next hops");
        // A switch knows its 4 hosts, if it is an edge, and the 31 or 32 other subnets.
        NS_TEST_EXPECT_MSG_EQ(GetRouting(fatTree.GetEdge(3, 1))->GetNRoutes(), 35, "edge");
        NS_TEST_EXPECT_MSG_EQ(GetRouting(fatTree.GetCore(5))->GetNRoutes(), 32, "core");
        NS_TEST_EXPECT_MSG_EQ(GetRouting(fatTree.GetHost(7))->GetNRoutes(), 1, "host");

        // Now without some links: one is down at its lower end, the other at its upper.
        const TopologyLink& first = fatTree.GetLinks()[128 + 5];   // edge1:agg1
        const TopologyLink& second = fatTree.GetLinks()[256 + 33]; // agg8:core1
        for (const auto& [device, link] : {std::pair(first.lower, first), {second.upper, second}})
        {
            const auto ipv4 = device->GetNode()->GetObject<Ipv4>();
            ipv4->SetDown(ipv4->GetInterfaceForDevice(device));
            for (const Ptr<NetDevice>& end : {Ptr<NetDevice>(link.lower), GetPeer(link.lower)})
            {
                auto& devices = graph[end->GetNode()];
                devices.erase(std::find(devices.begin(), devices.end(), end));
            }
        }
        Ipv4EcmpHelper::PopulateRoutingTables();
        NS_TEST_EXPECT_MSG_EQ(first.name, "edge1:agg1", "order of links");
        NS_TEST_EXPECT_MSG_EQ(second.name, "agg8:core1", "order of links");
        NS_TEST_EXPECT_MSG_EQ(Compare(fatTree, graph), 0, "wrong sets of next hops after failures");
        Simulator::Destroy();
    }
};

/// Networks that are no fat-trees.
class GraphTestCase : public TestCase
{
  public:
    GraphTestCase()
        : TestCase("tables of parallel links, shared subnets and failures")
    {
    }

  private:
    /**
     * Links two nodes.
     *
     * \param a a node, and its address
     * \param b another
     * \param mask of both addresses
     * \return interface of the link at node a
     */
    static uint32_t Link(const std::pair<Ptr<Node>, const char*>& a,
                         const std::pair<Ptr<Node>, const char*>& b,
                         const char* mask)
    {
        const NetDeviceContainer devices = PointToPointHelper().Install(a.first, b.first);
        uint32_t interfaces[2];
        for (uint32_t i = 0; i < 2; ++i)
        {
            const auto& [node, address] = i == 0 ? a : b;
            const auto ipv4 = node->GetObject<Ipv4>();
            interfaces[i] = ipv4->AddInterface(devices.Get(i));
            ipv4->AddAddress(interfaces[i], Ipv4InterfaceAddress(address, mask));
            ipv4->SetUp(interfaces[i]);
        }
        return interfaces[0];
    }

    /**
     * \param node a node
     * \param destination an address
     * \return interfaces of the next hops
     */
    static std::vector<uint32_t> GetInterfaces(Ptr<Node> node, const char* destination)
    {
        std::vector<uint32_t> interfaces;
        for (const EcmpNextHop& hop : GetRouting(node)->GetNextHops(Ipv4Address(destination)))
        {
            interfaces.push_back(hop.interface);
        }
        return interfaces;
    }

    /**
     * Checks the next hops at a node.
     *
     * \param node the node
     * \param destination an address
     * \param expected interfaces of the next hops
     */
    void Check(Ptr<Node> node, const char* destination, const std::vector<uint32_t>& expected)
    {
        NS_TEST_EXPECT_MSG_EQ((GetInterfaces(node, destination) == expected),
                              true,
                              "from node " << node->GetId() << " to " << destination);
    }

    void DoRun() override
    {
        //  a (10.1.0.1) --- s === t --- b (10.2.0.1)    and c (10.1.0.9) at t, in a's subnet,
        //                     \ /                      x forwards by static routing: no way,
        //                      x                       d has no IPv4
        NodeContainer nodes;
        nodes.Create(7);
        const Ptr<Node> a = nodes.Get(0);
        const Ptr<Node> b = nodes.Get(1);
        const Ptr<Node> c = nodes.Get(2);
        const Ptr<Node> s = nodes.Get(3);
        const Ptr<Node> t = nodes.Get(4);
        const Ptr<Node> x = nodes.Get(5);
        const Ptr<Node> d = nodes.Get(6);
        InternetStackHelper stack;
        stack.SetIpv6StackInstall(false);
        stack.SetRoutingHelper(Ipv4StaticRoutingHelper());
        stack.Install(x);
        stack.SetRoutingHelper(Ipv4EcmpHelper());
        stack.Install(NodeContainer(NodeContainer(a, b, c), NodeContainer(s, t)));
        PointToPointHelper().Install(s, d);
        const uint32_t sToA = Link({s, "10.1.0.2"}, {a, "10.1.0.1"}, "255.255.255.0");
        const uint32_t tToB = Link({t, "10.2.0.2"}, {b, "10.2.0.1"}, "255.255.255.0");
        const uint32_t tToC = Link({t, "10.1.0.8"}, {c, "10.1.0.9"}, "255.255.255.0");
        Link({s, "10.5.0.1"}, {x, "10.5.0.2"}, "255.255.255.0");
        Link({t, "10.6.0.1"}, {x, "10.6.0.2"}, "255.255.255.0");
        const uint32_t sToT = Link({s, "10.3.0.1"}, {t, "10.3.0.2"}, "255.255.255.0");
        const uint32_t second = Link({s, "10.4.0.1"}, {t, "10.4.0.2"}, "255.255.255.0");

        Ipv4EcmpHelper::PopulateRoutingTables();
        Check(s, "10.1.0.1", {sToA});
        Check(s, "10.2.0.1", {sToT, second});
        Check(s, "10.1.0.9", {sToT, second});
        Check(t, "10.1.0.9", {tToC});
        Check(t, "10.2.0.1", {tToB});
        Check(a, "10.2.0.1", {1});
        NS_TEST_EXPECT_MSG_EQ(GetRouting(a)->GetRoutes()[0].nextHops[0].gateway,
                              Ipv4Address("10.1.0.2"),
                              "default route");
        // 10.1.0.0/24 is no route, since its hosts are at two switches: /32s are.
        Check(s, "10.1.0.77", {});
        NS_TEST_EXPECT_MSG_EQ(GetRouting(s)->GetNRoutes(), 3, "a, c and 10.2.0.0/24");

        // t notices a failure of its end; s only when the tables are filled anew.
        const auto ipv4 = t->GetObject<Ipv4>();
        ipv4->SetDown(ipv4->GetInterfaceForAddress("10.3.0.2"));
        Check(t, "10.1.0.1", {5});
        Check(s, "10.2.0.1", {sToT, second});
        Ipv4EcmpHelper::PopulateRoutingTables();
        Check(s, "10.2.0.1", {second});
        ipv4->SetDown(ipv4->GetInterfaceForAddress("10.4.0.2"));
        ipv4->SetDown(tToC);
        Ipv4EcmpHelper::PopulateRoutingTables();
        Check(s, "10.2.0.1", {});
        Check(t, "10.1.0.9", {});
        Check(c, "10.2.0.1", {});
        Check(a, "10.2.0.1", {1});
        for (uint32_t i = 1; i < ipv4->GetNInterfaces(); ++i)
        {
            ipv4->SetUp(i);
        }
        Ipv4EcmpHelper::PopulateRoutingTables();
        Check(s, "10.2.0.1", {sToT, second});
        Check(c, "10.2.0.1", {1});

        // Of some nodes only: s is a host then, and t a switch.
        Ipv4EcmpHelper::PopulateRoutingTables(NodeContainer(NodeContainer(b, c), t));
        Check(b, "10.1.0.9", {1});
        Check(t, "10.1.0.1", {});
        Check(t, "10.1.0.9", {tToC});
        Check(s, "10.2.0.1", {sToT, second});
        Simulator::Destroy();
    }
};

/// Two hosts and nothing else.
class BackToBackTestCase : public TestCase
{
  public:
    BackToBackTestCase()
        : TestCase("two nodes with one link are hosts of each other")
    {
    }

  private:
    void DoRun() override
    {
        NodeContainer nodes;
        nodes.Create(2);
        InternetStackHelper stack;
        stack.SetRoutingHelper(Ipv4EcmpHelper());
        stack.Install(nodes);
        Ipv4AddressHelper("10.1.0.0", "255.255.255.0").Assign(PointToPointHelper().Install(nodes));
        Ipv4EcmpHelper::PopulateRoutingTables();
        NS_TEST_EXPECT_MSG_EQ(GetRouting(nodes.Get(0))->GetNextHops("10.1.0.2")[0].gateway,
                              Ipv4Address("10.1.0.2"),
                              "there");
        NS_TEST_EXPECT_MSG_EQ(GetRouting(nodes.Get(1))->GetNextHops("10.1.0.1")[0].gateway,
                              Ipv4Address("10.1.0.1"),
                              "and back");
        NS_TEST_EXPECT_MSG_EQ(Ipv4EcmpHelper::AssignStreams(nodes, 7), 2, "one stream each");
        Simulator::Destroy();
    }
};

/// The suite.
class EcmpHelperTestSuite : public TestSuite
{
  public:
    EcmpHelperTestSuite()
        : TestSuite("gradnet-ecmp-helper", TestSuite::Type::UNIT)
    {
        AddTestCase(new OracleTestCase);
        AddTestCase(new GraphTestCase);
        AddTestCase(new BackToBackTestCase);
    }
};

EcmpHelperTestSuite g_ecmpHelperTestSuite; ///< registers the suite

} // namespace
