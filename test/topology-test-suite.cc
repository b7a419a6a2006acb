// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/channel.h"
#include "ns3/data-rate.h"
#include "ns3/drop-tail-queue.h"
#include "ns3/fat-tree-helper.h"
#include "ns3/inet-socket-address.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/leaf-spine-helper.h"
#include "ns3/queue-disc.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/traffic-control-layer.h"
#include "ns3/udp-socket-factory.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// The port that all hosts listen to.
constexpr uint16_t PORT = 9;

/**
 * Makes hosts take packets without an answer.
 *
 * \param hosts the hosts
 * \return their sockets
 */
std::vector<Ptr<Socket>>
Listen(const NodeContainer& hosts)
{
    std::vector<Ptr<Socket>> sockets;
    for (uint32_t i = 0; i < hosts.GetN(); ++i)
    {
        sockets.push_back(Socket::CreateSocket(hosts.Get(i), UdpSocketFactory::GetTypeId()));
        sockets.back()->Bind(InetSocketAddress(Ipv4Address::GetAny(), PORT));
    }
    return sockets;
}

/**
 * Sends a packet from a new port, as soon as the simulation runs.
 *
 * \param from the sender
 * \param to the receiver's address
 * \param bytes of UDP payload
 */
void
SendLater(Ptr<Node> from, Ipv4Address to, uint32_t bytes)
{
    Simulator::Schedule(Seconds(0), [from, to, bytes]() {
        const auto socket = Socket::CreateSocket(from, UdpSocketFactory::GetTypeId());
        socket->SendTo(Create<Packet>(bytes), 0, InetSocketAddress(to, PORT));
    });
}

/// Every pair of hosts reach one another over a shortest path.
class AllPairsTestCase : public TestCase
{
  public:
    /**
     * \param topology a network to be installed
     * \param name its name
     */
    AllPairsTestCase(std::shared_ptr<ClosTopologyHelper> topology, const std::string& name)
        : TestCase("all pairs of hosts of a " + name + " reach one another"),
          m_topology(topology)
    {
    }

  private:
    /**
     * Trace sink of a host's local delivery.
     *
     * \param test the test
     * \param host index of the host
     * \param header the packet's header as it arrived
     */
    static void OnDeliver(AllPairsTestCase* test,
                          uint32_t host,
                          const Ipv4Header& header,
                          Ptr<const Packet>,
                          uint32_t)
    {
        // Sent with 64, and one less after each node between two links.
        test->m_nHops[{header.GetSource().Get(), host}].push_back(65 - header.GetTtl());
    }

    void DoRun() override
    {
        m_topology->Install();
        const uint32_t nHosts = m_topology->GetNHosts();
        const std::vector<Ptr<Socket>> listeners = Listen(m_topology->GetHosts());
        for (uint32_t i = 0; i < nHosts; ++i)
        {
            m_topology->GetHost(i)->GetObject<Ipv4>()->TraceConnectWithoutContext(
                "LocalDeliver",
                MakeBoundCallback(&AllPairsTestCase::OnDeliver, this, i));
            for (uint32_t j = 0; j < nHosts; ++j)
            {
                SendLater(m_topology->GetHost(i), m_topology->GetHostAddress(j), 100);
            }
        }
        Simulator::Run();
        for (uint32_t i = 0; i < nHosts; ++i)
        {
            for (uint32_t j = 0; j < nHosts; ++j)
            {
                const auto& nHops = m_nHops[{m_topology->GetHostAddress(i).Get(), j}];
                NS_TEST_ASSERT_MSG_EQ(nHops.size(), 1, "from host " << i << " to host " << j);
                // To itself a packet crosses no link and no node either.
                const uint32_t expected = i == j ? 1 : m_topology->GetNHops(i, j);
                NS_TEST_EXPECT_MSG_EQ(nHops[0], expected, "from " << i << " to " << j);
            }
        }
        Simulator::Destroy();
    }

    std::shared_ptr<ClosTopologyHelper> m_topology; ///< the network
    /// Links crossed by the packets from an address to a host.
    std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> m_nHops;
};

/// Flow hash leaves no link unused.
class LinkUseTestCase : public TestCase
{
  public:
    /// \param k ports of each switch of the fat-tree
    explicit LinkUseTestCase(uint32_t k)
        : TestCase("flow hash uses all links of a fat-tree, k=" + std::to_string(k)),
          m_k(k)
    {
    }

  private:
    /**
     * Trace sink of a device's transmissions.
     *
     * \param count of frames that the device has sent
     */
    static void Count(uint32_t* count, Ptr<const Packet>)
    {
        ++*count;
    }

    void DoRun() override
    {
        Ipv4EcmpHelper routing;
        routing.Set("Selector", TypeIdValue(FlowHashEcmpSelector::GetTypeId()));
        FatTreeHelper fatTree(m_k);
        fatTree.SetRouting(routing);
        fatTree.Install();
        fatTree.AssignStreams(1);
        std::map<std::string, uint32_t> counts;
        for (const TopologyLink& link : fatTree.GetLinks())
        {
            link.lower->TraceConnectWithoutContext(
                "PhyTxBegin",
                MakeBoundCallback(&LinkUseTestCase::Count, &counts[link.name + ", up"]));
            link.upper->TraceConnectWithoutContext(
                "PhyTxBegin",
                MakeBoundCallback(&LinkUseTestCase::Count, &counts[link.name + ", down"]));
        }
        // 5000 flows: each host to others in turn, at least one of them in each other pod.
        const std::vector<Ptr<Socket>> listeners = Listen(fatTree.GetHosts());
        const uint32_t nHosts = fatTree.GetNHosts();
        for (uint32_t flow = 0; flow < 5000; ++flow)
        {
            const uint32_t from = flow % nHosts;
            const uint32_t to = (from + 1 + flow / nHosts * 7 % (nHosts - 1)) % nHosts;
            SendLater(fatTree.GetHost(from), fatTree.GetHostAddress(to), 100);
        }
        Simulator::Run();
        // At k=8, 4 of 5 flows and more leave their pod over 128 links between aggregation and
        // core: 31 a link or more, and one stays idle with a probability of about e^-31.
        for (const auto& [name, count] : counts)
        {
            NS_TEST_EXPECT_MSG_GT(count, 0, name << " is idle");
        }
        NS_TEST_EXPECT_MSG_EQ(counts.size(), 2 * 3 * m_k * m_k * m_k / 4, "links");
        Simulator::Destroy();
    }

    uint32_t m_k; ///< ports of each switch
};

/// Names, numbers, addresses.
class GettersTestCase : public TestCase
{
  public:
    GettersTestCase()
        : TestCase("nodes, links and addresses are where the documentation says")
    {
    }

  private:
    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(FatTreeHelper::CheckConfig(4), "", "k=4");
        NS_TEST_EXPECT_MSG_EQ(FatTreeHelper::CheckConfig(80), "", "k=80");
        NS_TEST_EXPECT_MSG_EQ(FatTreeHelper::CheckConfig(5),
                              "fat-tree needs an even k of at least 2, got 5",
                              "k=5");
        NS_TEST_EXPECT_MSG_NE(FatTreeHelper::CheckConfig(0), "", "k=0");
        NS_TEST_EXPECT_MSG_NE(FatTreeHelper::CheckConfig(82), "", "k=82");
        NS_TEST_EXPECT_MSG_EQ(LeafSpineHelper::CheckConfig(9, 4, 16), "", "144 hosts");
        NS_TEST_EXPECT_MSG_NE(LeafSpineHelper::CheckConfig(9, 0, 16), "", "no spine");
        NS_TEST_EXPECT_MSG_NE(LeafSpineHelper::CheckConfig(9, 4, 127), "", "127 hosts a leaf");
        NS_TEST_EXPECT_MSG_NE(LeafSpineHelper::CheckConfig(65537, 1, 1), "", "65537 leaves");
        NS_TEST_EXPECT_MSG_NE(LeafSpineHelper::CheckConfig(65536, 5, 1), "", "327680 uplinks");
        NS_TEST_EXPECT_MSG_EQ(FatTreeHelper::GetNHostsFor(16), 1024, "k=16");

        const Ptr<Node> other = CreateObject<Node>();
        FatTreeHelper fatTree(4);
        NS_TEST_EXPECT_MSG_EQ(fatTree.GetNHosts(), 16, "before Install");
        fatTree.Install();
        // Host 13 = pod 3, edge 0, index 1; it hangs off the seventh edge.
        NS_TEST_EXPECT_MSG_EQ(fatTree.GetHostAddress(13), Ipv4Address("10.3.0.2"), "address");
        NS_TEST_EXPECT_MSG_EQ(fatTree.GetHost(13), fatTree.GetHost(3, 0, 1), "host");
        NS_TEST_EXPECT_MSG_EQ(fatTree.GetEdgeOfHost(13), 6, "edge");
        NS_TEST_EXPECT_MSG_EQ(fatTree.GetNodeName(fatTree.GetHost(13)), "host13", "name");
        NS_TEST_EXPECT_MSG_EQ(fatTree.GetNodeName(fatTree.GetEdge(3, 0)), "edge6", "name");
        NS_TEST_EXPECT_MSG_EQ(fatTree.GetNodeName(fatTree.GetAggregation(1, 1)), "agg3", "name");
        NS_TEST_EXPECT_MSG_EQ(fatTree.GetNodeName(fatTree.GetCore(2)), "core2", "name");
        NS_TEST_EXPECT_MSG_EQ(fatTree.GetNodeName(other),
                              "node" + std::to_string(other->GetId()),
                              "not of the topology");
        NS_TEST_EXPECT_MSG_EQ(fatTree.GetNHops(0, 0), 0, "itself");
        NS_TEST_EXPECT_MSG_EQ(fatTree.GetNHops(0, 1), 2, "same edge");
        NS_TEST_EXPECT_MSG_EQ(fatTree.GetNHops(0, 2), 4, "same pod");
        NS_TEST_EXPECT_MSG_EQ(fatTree.GetNHops(0, 4), 6, "other pod");

        const std::vector<TopologyLink>& links = fatTree.GetLinks();
        NS_TEST_ASSERT_MSG_EQ(links.size(), 48, "16 a tier");
        NS_TEST_EXPECT_MSG_EQ(links[13].name, "host13:edge6", "name");
        NS_TEST_EXPECT_MSG_EQ(links[13].lower->GetNode(), fatTree.GetHost(13), "lower end");
        NS_TEST_EXPECT_MSG_EQ(links[13].upper->GetNode(), fatTree.GetEdge(3, 0), "upper end");
        const auto edge = fatTree.GetEdge(3, 0)->GetObject<Ipv4>();
        NS_TEST_EXPECT_MSG_EQ(edge->GetInterfaceForAddress("10.3.0.130"),
                              edge->GetInterfaceForDevice(links[13].upper),
                              "port to host 13");
        NS_TEST_EXPECT_MSG_EQ(links[47].name, "agg7:core3", "name");

        // A second network of the same simulation, with a leaf beyond the first byte.
        LeafSpineHelper leafSpine(300, 1, 2);
        leafSpine.Install();
        NS_TEST_EXPECT_MSG_EQ(leafSpine.GetHostAddress(599), Ipv4Address("10.1.43.2"), "256 + 43");
        NS_TEST_EXPECT_MSG_EQ(leafSpine.GetHost(299, 1), leafSpine.GetHost(599), "host");
        NS_TEST_EXPECT_MSG_EQ(leafSpine.GetNodeName(leafSpine.GetSpine(0)), "spine0", "name");
        NS_TEST_EXPECT_MSG_EQ(leafSpine.GetLinks()[600].name, "leaf0:spine0", "name");
        NS_TEST_EXPECT_MSG_EQ(leafSpine.GetLinks()[600].lower->GetNode(),
                              leafSpine.GetLeaf(0),
                              "lower end");
        NS_TEST_EXPECT_MSG_EQ(leafSpine.GetNHops(0, 599), 4, "other leaf");
        Simulator::Destroy();
    }
};

/// Rates, queues and frames of the ports.
class PortsTestCase : public TestCase
{
  public:
    PortsTestCase()
        : TestCase("ports have the rate, the MTU and the queue disc that were asked for")
    {
    }

  private:
    /**
     * \param rate of a port
     * \return a FIFO of one packet for each Gb/s
     */
    static TrafficControlHelper MakeQueue(DataRate rate)
    {
        const uint64_t packets = rate.GetBitRate() / 1000000000;
        TrafficControlHelper queue;
        queue.SetRootQueueDisc("ns3::FifoQueueDisc",
                               "MaxSize",
                               StringValue(std::to_string(packets) + "p"));
        return queue;
    }

    /**
     * Checks one port.
     *
     * \param device the device
     * \param rate its rate
     * \param packets limit of its queue disc
     */
    void Check(Ptr<PointToPointNetDevice> device, const std::string& rate, uint32_t packets)
    {
        DataRateValue actual;
        device->GetAttribute("DataRate", actual);
        NS_TEST_EXPECT_MSG_EQ(actual.Get(), DataRate(rate), "rate");
        const auto queue = DynamicCast<DropTailQueue<Packet>>(device->GetQueue());
        NS_TEST_EXPECT_MSG_EQ(queue->GetMaxSize(), QueueSize("1p"), "device queue");
        const auto control = device->GetNode()->GetObject<TrafficControlLayer>();
        const Ptr<QueueDisc> disc = control->GetRootQueueDiscOnDevice(device);
        NS_TEST_EXPECT_MSG_EQ(disc->GetInstanceTypeId().GetName(), "ns3::FifoQueueDisc", "disc");
        NS_TEST_EXPECT_MSG_EQ(disc->GetMaxSize(),
                              QueueSize(QueueSizeUnit::PACKETS, packets),
                              "limit");
    }

    void DoRun() override
    {
        FatTreeHelper fatTree(4);
        fatTree.SetOversubscription(4);
        fatTree.SetMtu(9000);
        fatTree.SetDelay(NanoSeconds(500));
        fatTree.SetSwitchQueue(&PortsTestCase::MakeQueue);
        fatTree.Install();
        const std::vector<TopologyLink>& links = fatTree.GetLinks();
        Check(links[0].lower, "100Gbps", 1000);
        Check(links[0].upper, "100Gbps", 100);
        Check(links[16].lower, "100Gbps", 100);
        Check(links[32].lower, "25Gbps", 25);
        Check(links[32].upper, "25Gbps", 25);
        NS_TEST_EXPECT_MSG_EQ(links[32].rate, DataRate("25Gbps"), "as listed");
        NS_TEST_EXPECT_MSG_EQ(links[0].lower->GetMtu(), 9000, "MTU");
        TimeValue delay;
        links[0].lower->GetChannel()->GetAttribute("Delay", delay);
        NS_TEST_EXPECT_MSG_EQ(delay.Get(), NanoSeconds(500), "delay");

        // 16 hosts of 10 Gb/s a leaf, over 4 spines: uplinks of 40 Gb/s, or half of it at 2:1.
        for (const double oversubscription : {1.0, 2.0})
        {
            LeafSpineHelper leafSpine(2, 4, 16);
            leafSpine.SetRate(DataRate("10Gbps"));
            leafSpine.SetOversubscription(oversubscription);
            leafSpine.Install();
            Check(leafSpine.GetLinks()[0].lower, "10Gbps", 1000);
            Check(leafSpine.GetLinks()[32].upper,
                  oversubscription == 1 ? "40Gbps" : "20Gbps",
                  1000);
        }
        Simulator::Destroy();
    }
};

/// A frame takes its IP packet and 38 bytes on a link.
class FrameTimeTestCase : public TestCase
{
  public:
    /**
     * \param rate of the link
     * \param mtu size of the packets in bytes
     * \param expected time from packet to packet in ns
     * \param tolerance in ns
     */
    FrameTimeTestCase(const std::string& rate, uint16_t mtu, double expected, double tolerance)
        : TestCase("packets of " + std::to_string(mtu) + " bytes back to back at " + rate),
          m_rate(rate),
          m_mtu(mtu),
          m_expected(expected),
          m_tolerance(tolerance)
    {
    }

  private:
    /// Trace sink of the receiving device.
    void OnReceive(Ptr<const Packet>)
    {
        m_arrivals.push_back(Simulator::Now());
    }

    void DoRun() override
    {
        LeafSpineHelper leafSpine(1, 1, 2);
        leafSpine.SetRate(DataRate(m_rate));
        leafSpine.SetMtu(m_mtu);
        leafSpine.Install();
        leafSpine.GetLinks()[0].upper->TraceConnectWithoutContext(
            "PhyRxEnd",
            MakeCallback(&FrameTimeTestCase::OnReceive, this));
        const std::vector<Ptr<Socket>> listeners = Listen(leafSpine.GetHosts());
        for (uint32_t i = 0; i < 100; ++i)
        {
            // 20 bytes of IPv4 header and 8 of UDP header fill the MTU.
            SendLater(leafSpine.GetHost(0), leafSpine.GetHostAddress(1), m_mtu - 28);
        }
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_arrivals.size(), 100, "packets");
        for (std::size_t i = 1; i < m_arrivals.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL((m_arrivals[i] - m_arrivals[i - 1]).GetSeconds() * 1e9,
                                      m_expected,
                                      m_tolerance,
                                      "packet " << i);
        }
        Simulator::Destroy();
    }

    std::string m_rate;           ///< of the link
    uint16_t m_mtu;               ///< size of the packets in bytes
    double m_expected;            ///< time from packet to packet in ns
    double m_tolerance;           ///< in ns
    std::vector<Time> m_arrivals; ///< at the other end of the link
};

/// The suite.
class TopologyTestSuite : public TestSuite
{
  public:
    TopologyTestSuite()
        : TestSuite("gradnet-topology", TestSuite::Type::UNIT)
    {
        AddTestCase(new GettersTestCase);
        AddTestCase(new PortsTestCase);
        // (1500 + 38) * 8 bits at 1 Gb/s are 12304 ns exactly, a jumbo frame's 72304 ns.
        AddTestCase(new FrameTimeTestCase("1Gbps", 1500, 12304, 0.001));
        AddTestCase(new FrameTimeTestCase("1Gbps", 9000, 72304, 0.001));
        // 123.04 ns, off by less than the resolution of 1 ns.
        AddTestCase(new FrameTimeTestCase("100Gbps", 1500, 123.04, 1));
        AddTestCase(new AllPairsTestCase(std::make_shared<FatTreeHelper>(2), "k=2 fat-tree"));
        AddTestCase(new AllPairsTestCase(std::make_shared<FatTreeHelper>(4), "k=4 fat-tree"));
        AddTestCase(new AllPairsTestCase(std::make_shared<LeafSpineHelper>(3, 2, 4), "leaf-spine"));
        AddTestCase(new LinkUseTestCase(4));
        AddTestCase(new LinkUseTestCase(8));
    }
};

TopologyTestSuite g_topologyTestSuite; ///< registers the suite

} // namespace
