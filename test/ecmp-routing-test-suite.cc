// SPDX-License-Identifier: GPL-2.0-only

#include "ecmp-star.h"

#include "ns3/ecmp-selector.h"
#include "ns3/inet-socket-address.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv4-list-routing-helper.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/output-stream-wrapper.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"
#include "ns3/test.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <set>
#include <sstream>

using namespace ns3;

namespace
{

/// A selector that always takes the last next hop and counts how often it was asked.
class LastHopSelector : public EcmpSelector
{
  public:
    /// \return the object TypeId
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::GradnetTestLastHopSelector")
                                .SetParent<EcmpSelector>()
                                .AddConstructor<LastHopSelector>();
        return tid;
    }

    uint32_t Select(const EcmpQuery& query) override
    {
        ++nCalls;
        return query.hops.size() - 1;
    }

    int64_t AssignStreams(int64_t) override
    {
        return 0;
    }

    uint32_t nCalls{0}; ///< packets that were asked about
};

/// The longest prefix wins; next hops join, without doubles; routes are listed in order.
class LongestPrefixTestCase : public TestCase
{
  public:
    LongestPrefixTestCase()
        : TestCase("the longest matching prefix names the next hops")
    {
    }

  private:
    void DoRun() override
    {
        EcmpStar star(4, LastHopSelector::GetTypeId());
        star.routing->AddRoute("0.0.0.0", "0.0.0.0", {star.Hop(1)});
        star.routing->AddRoute("10.9.0.0", "255.255.0.0", {star.Hop(2)});
        star.routing->AddRoute("10.9.7.77", "255.255.255.0", {star.Hop(3)});
        star.routing->AddRoute("10.9.7.8", "255.255.255.255", {star.Hop(4), star.Hop(4)});
        NS_TEST_EXPECT_MSG_EQ(star.Forward("11.0.0.1"), 1, "default route");
        NS_TEST_EXPECT_MSG_EQ(star.Forward("10.9.1.1"), 2, "/16");
        NS_TEST_EXPECT_MSG_EQ(star.Forward("10.9.7.7"), 3, "/24, host bits ignored");
        NS_TEST_EXPECT_MSG_EQ(star.Forward("10.9.7.8"), 4, "/32");
        NS_TEST_EXPECT_MSG_EQ(star.route->GetGateway(), Ipv4Address("10.1.3.2"), "gateway");
        NS_TEST_EXPECT_MSG_EQ(star.routing->GetNRoutes(), 4, "destinations");
        NS_TEST_EXPECT_MSG_EQ(star.routing->GetNextHops("10.9.7.8").size(), 1, "a double counted");

        star.routing->AddRoute("10.9.0.0", "255.255.0.0", {star.Hop(4), star.Hop(2)});
        const std::vector<EcmpRoute> routes = star.routing->GetRoutes();
        NS_TEST_ASSERT_MSG_EQ(routes.size(), 4, "next hops join the destination");
        NS_TEST_EXPECT_MSG_EQ(routes[2].network, Ipv4Address("10.9.0.0"), "longest masks first");
        NS_TEST_ASSERT_MSG_EQ(routes[2].nextHops.size(), 2, "2 and 4");
        NS_TEST_EXPECT_MSG_EQ(routes[2].nextHops[1].interface, 4, "in order of interface");
        NS_TEST_EXPECT_MSG_EQ(star.Forward("10.9.1.1"), 4, "the selector takes the last");

        std::ostringstream text;
        star.routing->PrintRoutingTable(Create<OutputStreamWrapper>(&text));
        NS_TEST_EXPECT_MSG_NE(text.str().find(
                                  "10.9.0.0/16         2          10.1.1.2         up\n"
                                  "                    4          10.1.3.2         up\n"),
                              std::string::npos,
                              "table:\n"
                                  << text.str());
        star.routing->ClearRoutes();
        NS_TEST_EXPECT_MSG_EQ(star.routing->GetNRoutes(), 0, "cleared");
        NS_TEST_EXPECT_MSG_EQ(star.Receive("10.9.7.8"), EcmpStar::LEFT, "cleared");
        Simulator::Destroy();
    }
};

/// What is for the node itself, and what is for nobody it knows.
class LocalDeliveryTestCase : public TestCase
{
  public:
    LocalDeliveryTestCase()
        : TestCase("own addresses are delivered, and unknown ones left to others")
    {
    }

  private:
    void DoRun() override
    {
        EcmpStar star(2, RandomEcmpSelector::GetTypeId());
        star.routing->AddRoute("10.9.0.0", "255.255.0.0", star.AllHops());
        for (const char* own : {"10.1.0.1", "10.1.1.1", "10.1.1.255", "255.255.255.255"})
        {
            NS_TEST_EXPECT_MSG_EQ(star.Receive(own), EcmpStar::DELIVERED, own);
            // Below Ipv4ListRouting, which has delivered the packet itself.
            NS_TEST_EXPECT_MSG_EQ(star.Receive(own, {}), EcmpStar::LEFT, own << ", no callback");
        }
        NS_TEST_EXPECT_MSG_EQ(star.Receive("224.0.0.5"), EcmpStar::DELIVERED, "multicast");
        NS_TEST_EXPECT_MSG_EQ(star.Receive("10.1.0.3"), EcmpStar::LEFT, "no route to the subnet");

        star.ipv4->AddAddress(2, Ipv4InterfaceAddress("10.5.0.1", "255.255.255.0"));
        NS_TEST_EXPECT_MSG_EQ(star.Receive("10.5.0.1"), EcmpStar::DELIVERED, "added address");
        star.ipv4->RemoveAddress(2, Ipv4Address("10.5.0.1"));
        NS_TEST_EXPECT_MSG_EQ(star.Receive("10.5.0.1"), EcmpStar::LEFT, "removed address");
        NS_TEST_EXPECT_MSG_EQ(star.Receive("10.1.1.1"), EcmpStar::DELIVERED, "the other stays");

        star.ipv4->SetForwarding(1, false);
        NS_TEST_EXPECT_MSG_EQ(star.Receive("10.9.0.1"), EcmpStar::REFUSED, "forwarding is off");
        NS_TEST_EXPECT_MSG_EQ(star.Receive("10.1.1.1"), EcmpStar::DELIVERED, "but local is not");
        Simulator::Destroy();
    }
};

/// Routes of the node's own packets, as transports ask for them.
class RouteOutputTestCase : public TestCase
{
  public:
    RouteOutputTestCase()
        : TestCase("RouteOutput takes a null packet, honors the device and sets the source")
    {
    }

  private:
    void DoRun() override
    {
        EcmpStar star(3, LastHopSelector::GetTypeId());
        star.routing->AddRoute("0.0.0.0", "0.0.0.0", {star.Hop(1)});
        star.routing->AddRoute("10.9.0.0", "255.255.0.0", {star.Hop(2), star.Hop(3)});

        Ptr<Ipv4Route> route = star.Output("10.9.0.1");
        NS_TEST_ASSERT_MSG_EQ(bool(route), true, "a null packet has a route");
        NS_TEST_EXPECT_MSG_EQ(star.error, Socket::ERROR_NOTERROR, "errno");
        NS_TEST_EXPECT_MSG_EQ(route->GetSource(), Ipv4Address("10.1.2.1"), "source");
        NS_TEST_EXPECT_MSG_EQ(route->GetOutputDevice(), star.ipv4->GetNetDevice(3), "device");

        route = star.Output("10.9.0.1", star.ipv4->GetNetDevice(2));
        NS_TEST_ASSERT_MSG_EQ(bool(route), true, "bound to the other next hop");
        NS_TEST_EXPECT_MSG_EQ(route->GetGateway(), Ipv4Address("10.1.1.2"), "gateway");
        route = star.Output("10.9.0.1", star.ipv4->GetNetDevice(1));
        NS_TEST_ASSERT_MSG_EQ(bool(route), true, "bound to a device that has a shorter prefix");
        NS_TEST_EXPECT_MSG_EQ(route->GetGateway(), Ipv4Address("10.1.0.2"), "gateway");
        route = star.Output("11.0.0.1", star.ipv4->GetNetDevice(2));
        NS_TEST_EXPECT_MSG_EQ(bool(route), false, "bound to a device without a route");
        NS_TEST_EXPECT_MSG_EQ(star.error, Socket::ERROR_NOROUTETOHOST, "errno");

        route = star.Output("10.1.1.1");
        NS_TEST_ASSERT_MSG_EQ(bool(route), true, "own address");
        NS_TEST_EXPECT_MSG_EQ(route->GetOutputDevice(), star.ipv4->GetNetDevice(2), "its device");
        NS_TEST_EXPECT_MSG_EQ(route->GetGateway(), Ipv4Address::GetAny(), "on link");
        route = star.Output("10.1.1.1", star.ipv4->GetNetDevice(1));
        NS_TEST_EXPECT_MSG_EQ(bool(route), false, "own address, bound to another device");
        route = star.Output("127.0.0.1");
        NS_TEST_ASSERT_MSG_EQ(bool(route), true, "loopback");
        NS_TEST_EXPECT_MSG_EQ(route->GetSource(), Ipv4Address::GetLoopback(), "source");
        NS_TEST_EXPECT_MSG_EQ(bool(star.Output("224.0.0.5")), false, "multicast is left");

        // A changed address shows in the routes that are cached.
        star.ipv4->RemoveAddress(3, Ipv4Address("10.1.2.1"));
        star.ipv4->AddAddress(3, Ipv4InterfaceAddress("10.1.2.9", "255.255.255.0"));
        NS_TEST_EXPECT_MSG_EQ(star.Output("10.9.0.1")->GetSource(),
                              Ipv4Address("10.1.2.9"),
                              "new source");
        star.routing->ClearRoutes();
        NS_TEST_EXPECT_MSG_EQ(bool(star.Output("10.9.0.1")), false, "no route");
        NS_TEST_EXPECT_MSG_EQ(star.error, Socket::ERROR_NOROUTETOHOST, "errno");
        Simulator::Destroy();
    }
};

/// Random and round robin use all next hops alike, whatever the flow.
class SprayTestCase : public TestCase
{
  public:
    SprayTestCase()
        : TestCase("random and round robin spread packets evenly")
    {
    }

  private:
    /**
     * \param selector TypeId of the selector
     * \return packets out of 8000 of one flow that each of 4 next hops got, while a flow that has
     *         2 next hops mixes with it
     */
    static std::vector<uint32_t> Count(TypeId selector)
    {
        EcmpStar star(4, selector);
        star.routing->AddRoute("10.9.0.0", "255.255.0.0", star.AllHops());
        star.routing->AddRoute("10.8.0.0", "255.255.0.0", {star.Hop(1), star.Hop(2)});
        star.routing->AssignStreams(1);
        std::vector<uint32_t> counts(5);
        for (uint32_t i = 0; i < 8000; ++i)
        {
            ++counts[star.Forward("10.9.0.1")];
            star.Forward("10.8.0.1");
        }
        Simulator::Destroy();
        return counts;
    }

    void DoRun() override
    {
        // Binomial: mean 8000 / 4 = 2000, standard deviation sqrt(8000 * 1/4 * 3/4) = 38.7; five of
        // these are exceeded once in two million runs.
        for (const uint32_t count : Count(RandomEcmpSelector::GetTypeId()))
        {
            NS_TEST_EXPECT_MSG_EQ((count == 0 || std::abs(count - 2000.0) < 5 * 38.7),
                                  true,
                                  "random, " << count);
        }
        const std::vector<uint32_t> exact{0, 2000, 2000, 2000, 2000};
        NS_TEST_EXPECT_MSG_EQ((Count(RoundRobinEcmpSelector::GetTypeId()) == exact),
                              true,
                              "round robin");
    }
};

/// A flow keeps its path; seeds and streams decide which.
class FlowHashTestCase : public TestCase
{
  public:
    FlowHashTestCase()
        : TestCase("flow hash keeps a flow on one path, chosen by the seed or the stream")
    {
    }

  private:
    /**
     * \param star a router
     * \return next hops of 200 flows
     */
    static std::vector<uint32_t> GetPaths(EcmpStar& star)
    {
        std::vector<uint32_t> paths;
        for (uint16_t port = 1000; port < 1200; ++port)
        {
            paths.push_back(star.Forward("10.9.0.1", port));
        }
        return paths;
    }

    void DoRun() override
    {
        EcmpStar star(4, FlowHashEcmpSelector::GetTypeId());
        star.routing->AddRoute("10.9.0.0", "255.255.0.0", star.AllHops());
        // 200 flows with 4 choices each: two independent seeds agree with probability 4^-200.
        star.routing->AssignStreams(1);
        const std::vector<uint32_t> drawn = GetPaths(star);
        NS_TEST_EXPECT_MSG_EQ((GetPaths(star) == drawn), true, "flows keep their paths");
        star.routing->AssignStreams(2);
        NS_TEST_EXPECT_MSG_EQ((GetPaths(star) == drawn), false, "other stream");
        star.routing->AssignStreams(1);
        NS_TEST_EXPECT_MSG_EQ((GetPaths(star) == drawn), true, "same stream");

        const Ptr<EcmpSelector> selector = star.routing->GetSelector();
        selector->SetAttribute("Seed", UintegerValue(5));
        const std::vector<uint32_t> five = GetPaths(star);
        NS_TEST_EXPECT_MSG_EQ(std::set<uint32_t>(five.begin(), five.end()).size(), 4, "all used");
        selector->SetAttribute("Seed", UintegerValue(6));
        NS_TEST_EXPECT_MSG_EQ((GetPaths(star) == five), false, "other seed");
        star.routing->AssignStreams(2);
        selector->SetAttribute("Seed", UintegerValue(5));
        NS_TEST_EXPECT_MSG_EQ((GetPaths(star) == five), true, "same seed, whatever the stream");

        // Fragments have no ports: all of a datagram's take one path, whatever its flow.
        star.header.SetMoreFragments();
        const std::vector<uint32_t> fragments = GetPaths(star);
        NS_TEST_EXPECT_MSG_EQ(std::set<uint32_t>(fragments.begin(), fragments.end()).size(),
                              1,
                              "first fragments");
        star.header.SetLastFragment();
        star.header.SetFragmentOffset(8);
        NS_TEST_EXPECT_MSG_EQ((GetPaths(star) == fragments), true, "last fragments");
        Simulator::Destroy();
    }
};

/// Interfaces leave the sets of next hops, and come back.
class InterfaceDownTestCase : public TestCase
{
  public:
    InterfaceDownTestCase()
        : TestCase("an interface that goes down takes its next hops along until it is up")
    {
    }

  private:
    void DoRun() override
    {
        EcmpStar star(3, LastHopSelector::GetTypeId());
        const auto selector = DynamicCast<LastHopSelector>(star.routing->GetSelector());
        star.routing->AddRoute("0.0.0.0", "0.0.0.0", {star.Hop(1)});
        star.routing->AddRoute("10.9.0.0", "255.255.0.0", {star.Hop(2), star.Hop(3)});
        NS_TEST_EXPECT_MSG_EQ(star.Forward("10.9.0.1"), 3, "the selector takes the last");
        NS_TEST_EXPECT_MSG_EQ(selector->nCalls, 1, "the selector was asked");

        star.ipv4->SetDown(3);
        NS_TEST_EXPECT_MSG_EQ(star.Forward("10.9.0.1"), 2, "one is left");
        NS_TEST_EXPECT_MSG_EQ(selector->nCalls, 1, "nothing to select");
        NS_TEST_EXPECT_MSG_EQ(star.routing->GetNextHops("10.9.0.1").size(), 1, "one is left");
        star.ipv4->SetDown(2);
        NS_TEST_EXPECT_MSG_EQ(star.Forward("10.9.0.1"), 1, "none is left: the shorter prefix");
        star.routing->AddRoute("10.8.0.0", "255.255.0.0", {star.Hop(3)});
        NS_TEST_EXPECT_MSG_EQ(star.Forward("10.8.0.1"), 1, "added while it is down");

        star.ipv4->SetUp(3);
        NS_TEST_EXPECT_MSG_EQ(star.Forward("10.8.0.1"), 3, "up again");
        NS_TEST_EXPECT_MSG_EQ(star.Forward("10.9.0.1"), 3, "up again");
        star.ipv4->SetUp(2);
        NS_TEST_EXPECT_MSG_EQ(star.routing->GetNextHops("10.9.0.1").size(), 2, "both are up");
        Simulator::Destroy();
    }
};

/// The whole stack with default settings: a packet arrives, and one without a route is counted.
class DefaultsTestCase : public TestCase
{
  public:
    /**
     * \param isListed true to run in an Ipv4ListRouting, below static routing
     */
    explicit DefaultsTestCase(bool isListed)
        : TestCase(isListed ? "beside static routing in a list" : "alone, with default settings"),
          m_isListed(isListed)
    {
    }

  private:
    /**
     * Sends a packet from the first neighbor.
     *
     * \param star the network
     * \param destination where to
     */
    static void Send(const EcmpStar* star, const char* destination)
    {
        const auto socket = Socket::CreateSocket(star->nodes.Get(1), UdpSocketFactory::GetTypeId());
        socket->SendTo(Create<Packet>(100), 0, InetSocketAddress(Ipv4Address(destination), 9));
    }

    /// Trace sink of the router's drops.
    void OnDrop(const Ipv4Header&,
                Ptr<const Packet>,
                Ipv4L3Protocol::DropReason reason,
                Ptr<Ipv4>,
                uint32_t)
    {
        m_nNoRoute += reason == Ipv4L3Protocol::DROP_NO_ROUTE;
    }

    void DoRun() override
    {
        Ipv4ListRoutingHelper list;
        list.Add(Ipv4StaticRoutingHelper(), 0);
        list.Add(Ipv4EcmpHelper(), -10);
        const Ipv4EcmpHelper alone;
        EcmpStar star(3, m_isListed ? static_cast<const Ipv4RoutingHelper&>(list) : alone);
        Ipv4EcmpHelper::PopulateRoutingTables();
        NS_TEST_EXPECT_MSG_EQ(star.routing->GetSelectorType(),
                              RandomEcmpSelector::GetTypeId(),
                              "default selector");
        star.ipv4->TraceConnectWithoutContext("Drop",
                                              MakeCallback(&DefaultsTestCase::OnDrop, this));
        const auto receiver =
            Socket::CreateSocket(star.nodes.Get(2), UdpSocketFactory::GetTypeId());
        receiver->Bind(InetSocketAddress(Ipv4Address::GetAny(), 9));
        if (m_isListed)
        {
            // Static routing comes first: it sends what belongs to neighbor 2 to neighbor 1.
            Ipv4StaticRoutingHelper().GetStaticRouting(star.ipv4)->AddHostRouteTo("10.1.2.2",
                                                                                  "10.1.1.2",
                                                                                  2);
            NS_TEST_EXPECT_MSG_EQ(star.Forward("10.1.2.2"), 2, "static route first");
            star.routing->AddRoute("10.9.0.0", "255.255.0.0", {star.Hop(3)});
            NS_TEST_EXPECT_MSG_EQ(star.Forward("10.9.0.1"), 3, "then ECMP");
            NS_TEST_EXPECT_MSG_EQ(star.Receive("10.1.2.1"), EcmpStar::DELIVERED, "by the list");
        }
        Simulator::Schedule(Seconds(0), &DefaultsTestCase::Send, &star, "10.1.1.2");
        Simulator::Schedule(Seconds(0), &DefaultsTestCase::Send, &star, "10.77.0.1");
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(receiver->GetRxAvailable(), 100, "one packet of 100 bytes arrived");
        NS_TEST_EXPECT_MSG_EQ(m_nNoRoute, 1, "the other was counted as one without a route");
        Simulator::Destroy();
    }

    bool m_isListed;        ///< run in a list
    uint32_t m_nNoRoute{0}; ///< packets that the router dropped for want of a route
};

/// The suite.
class EcmpRoutingTestSuite : public TestSuite
{
  public:
    EcmpRoutingTestSuite()
        : TestSuite("gradnet-ecmp-routing", TestSuite::Type::UNIT)
    {
        AddTestCase(new LongestPrefixTestCase);
        AddTestCase(new LocalDeliveryTestCase);
        AddTestCase(new RouteOutputTestCase);
        AddTestCase(new SprayTestCase);
        AddTestCase(new FlowHashTestCase);
        AddTestCase(new InterfaceDownTestCase);
        AddTestCase(new DefaultsTestCase(false));
        AddTestCase(new DefaultsTestCase(true));
    }
};

EcmpRoutingTestSuite g_ecmpRoutingTestSuite; ///< registers the suite

} // namespace
