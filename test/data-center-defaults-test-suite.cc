// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/data-center-defaults.h"
#include "ns3/double.h"
#include "ns3/inet-socket-address.h"
#include "ns3/ipv4-queue-disc-item.h"
#include "ns3/leaf-spine-helper.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/queue-disc.h"
#include "ns3/simulator.h"
#include "ns3/stream-tensor-channel.h"
#include "ns3/string.h"
#include "ns3/tcp-floored-dctcp.h"
#include "ns3/tcp-socket-state.h"
#include "ns3/test.h"
#include "ns3/traffic-control-layer.h"

#include <algorithm>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Check() against what a script does after Apply().
class CheckTestCase : public TestCase
{
  public:
    CheckTestCase()
        : TestCase("Check names each default that a script undid, and no other")
    {
    }

  private:
    /// A default that a script sets.
    struct Case
    {
        std::string attribute; ///< its full name
        std::string undone;    ///< what the script sets
        std::string expected;  ///< what Apply() has set
    };

    /**
     * \param time as text
     * \return the same as ns-3 shows it
     */
    static std::string Show(const std::string& time)
    {
        return TimeValue(Time(time)).SerializeToString(MakeTimeChecker());
    }

    void DoRun() override
    {
        DataCenterDefaults defaults;
        defaults.rate = DataRate("10Gbps");
        defaults.minRto = MilliSeconds(2);
        NS_TEST_EXPECT_MSG_GT(defaults.Check().size(), 8, "ns-3's own defaults are others");
        defaults.Apply();
        NS_TEST_EXPECT_MSG_EQ(defaults.Check().size(), 0, "right after Apply");

        const std::vector<Case> cases{
            {"ns3::TcpL4Protocol::SocketType", "ns3::TcpCubic", "ns3::TcpFlooredDctcp"},
            {"ns3::TcpL4Protocol::RecoveryType", "ns3::TcpPrrRecovery", "ns3::TcpClassicRecovery"},
            {"ns3::TcpSocket::SegmentSize", "536", "1448"}, // an MTU of 1500 less 52
            {"ns3::TcpSocket::SndBufSize", "131072", "400000"},
            {"ns3::TcpSocket::RcvBufSize", "131072", "1600000"},
            {"ns3::TcpSocket::DelAckTimeout", Show("200ms"), Show("200us")},
            {"ns3::TcpSocket::ConnTimeout", Show("3s"), Show("5ms")},
            {"ns3::TcpSocket::PersistTimeout", Show("6s"), Show("5ms")},
            {"ns3::TcpSocket::ConnCount", "6", "1000"},
            {"ns3::TcpSocket::DataRetries", "6", "1000"},
            {"ns3::TcpSocket::TcpNoDelay", "false", "true"},
            {"ns3::TcpSocketBase::MinRto", Show("1s"), Show("2ms")},
            {"ns3::TcpSocketBase::ClockGranularity", Show("1ms"), Show("10us")},
            {"ns3::TcpSocketBase::Timestamp", "true", "false"},
            {"ns3::TcpSocketBase::ReTxThreshold", "4", "3"},
            {"ns3::RttEstimator::InitialEstimation", Show("1s"), Show("100us")},
        };
        for (const Case& c : cases)
        {
            Config::SetDefault(c.attribute, StringValue(c.undone));
            const std::vector<std::string> sentences = defaults.Check();
            NS_TEST_EXPECT_MSG_EQ(sentences.size(), 1, c.attribute);
            const std::string sentence = sentences.empty() ? "" : sentences[0];
            const std::string start =
                c.attribute + " is " + c.undone + " instead of " + c.expected + ": ";
            NS_TEST_EXPECT_MSG_EQ(sentence.substr(0, start.size()), start, sentence);
            NS_TEST_EXPECT_MSG_GT(sentence.size(), start.size() + 10, "the reason");
            NS_TEST_EXPECT_MSG_EQ(sentence.substr(sentence.size() - 1), ".", sentence);
            Config::SetDefault(c.attribute, StringValue(c.expected));
            NS_TEST_EXPECT_MSG_EQ(defaults.Check().size(), 0, c.attribute << " is back");
        }
        for (const Case& c : cases)
        {
            Config::SetDefault(c.attribute, StringValue(c.undone));
        }
        NS_TEST_EXPECT_MSG_EQ(defaults.Check().size(), cases.size(), "all of them");
    }

    void DoTeardown() override
    {
        Config::Reset();
    }
};

/// Numbers that follow from rate, MTU and buffer.
class ClosedFormTestCase : public TestCase
{
  public:
    ClosedFormTestCase()
        : TestCase("thresholds and buffers follow from rate, MTU and buffer")
    {
    }

  private:
    /**
     * \param buffer of a port
     * \param mtu in bytes
     * \param rate of a port
     * \param expected marking threshold
     */
    void CheckMarking(const std::string& buffer,
                      uint16_t mtu,
                      const std::string& rate,
                      const std::string& expected)
    {
        DataCenterDefaults defaults;
        defaults.buffer = QueueSize(buffer);
        defaults.mtu = mtu;
        NS_TEST_EXPECT_MSG_EQ(defaults.GetMarkingThreshold(DataRate(rate)),
                              QueueSize(expected),
                              buffer << ", MTU " << mtu << ", " << rate);
    }

    void DoRun() override
    {
        // 65 x 1500 B = 97,500 B at 10 Gb/s, in proportion to the rate.
        CheckMarking("4MB", 1500, "10Gbps", "97500B");
        CheckMarking("4MB", 1500, "1Gbps", "9750B");
        CheckMarking("4MB", 1500, "25Gbps", "243750B");
        CheckMarking("4MB", 1500, "100Gbps", "975000B");
        CheckMarking("4MB", 9000, "100Gbps", "975000B");
        // 3,900,000 B at 400 Gb/s are above 0.4 of the buffer.
        CheckMarking("4MB", 1500, "400Gbps", "1600000B");
        CheckMarking("1000p", 1500, "10Gbps", "65p");
        CheckMarking("1000p", 1500, "25Gbps", "162p"); // 162.5
        CheckMarking("1000p", 9000, "10Gbps", "10p");  // 10.8
        // 650 packets at 100 Gb/s are above 0.4 of the buffer.
        CheckMarking("1000p", 1500, "100Gbps", "400p");
        CheckMarking("50p", 1500, "10Gbps", "20p");
        // At least 1: 0.4 of 2 packets are 0.8, 65 x 1500 B at 1 Mb/s are 0.0065 packets.
        CheckMarking("2p", 1500, "10Gbps", "1p");
        CheckMarking("1000p", 1500, "1Mbps", "1p");

        DataCenterDefaults defaults;
        defaults.markingThreshold = QueueSize("3MB");
        NS_TEST_EXPECT_MSG_EQ(defaults.GetMarkingThreshold(DataRate("10Gbps")),
                              QueueSize("3MB"),
                              "as the user wants it");

        // 0.4 MB at 10 Gb/s, with the square root of the rate, and no less below.
        for (const auto& [rate, expected] : {std::pair("10Gbps", 400'000U),
                                             std::pair("1Gbps", 400'000U),
                                             std::pair("40Gbps", 800'000U),
                                             std::pair("100Gbps", 1'264'911U)})
        {
            defaults.rate = DataRate(rate);
            NS_TEST_EXPECT_MSG_EQ(defaults.GetSendBufferBytes(), expected, rate);
        }
        // 3 duplicate ACKs in order; sprayed, 150,000 B of segments.
        NS_TEST_EXPECT_MSG_EQ(defaults.GetReTxThreshold(), 3, "one path");
        defaults.spraying = true;
        NS_TEST_EXPECT_MSG_EQ(defaults.GetReTxThreshold(), 100, "MTU 1500");
        defaults.mtu = 9000;
        NS_TEST_EXPECT_MSG_EQ(defaults.GetReTxThreshold(), 33, "MTU 9000: 33.3");
        defaults.mtu = 65535;
        NS_TEST_EXPECT_MSG_EQ(defaults.GetReTxThreshold(), 4, "the largest MTU: 4.6");
        defaults.reTxThreshold = 7;
        NS_TEST_EXPECT_MSG_EQ(defaults.GetReTxThreshold(), 7, "as the user wants it");
    }
};

/// The queue disc of a port that marks.
class RedTestCase : public TestCase
{
  public:
    /**
     * \param buffer of the port
     * \param threshold packets of 1500 B that it holds when marking begins, at 10 Gb/s
     * \param limit packets of 1500 B that it holds
     */
    RedTestCase(const std::string& buffer, uint32_t threshold, uint32_t limit)
        : TestCase("a port of " + buffer + " marks ECT and drops Not-ECT above its threshold"),
          m_buffer(buffer),
          m_threshold(threshold),
          m_limit(limit)
    {
    }

  private:
    /**
     * \param ecn codepoint of the packet
     * \return true if the disc took it
     */
    bool Enqueue(Ipv4Header::EcnType ecn)
    {
        Ipv4Header header;
        header.SetEcn(ecn);
        header.SetPayloadSize(1480);
        return m_disc->Enqueue(
            Create<Ipv4QueueDiscItem>(Create<Packet>(1480), Address(), 0x0800, header));
    }

    /**
     * \param packets number of packets to take out
     * \return how many of them were marked
     */
    uint32_t Dequeue(uint32_t packets)
    {
        uint32_t nMarked = 0;
        for (uint32_t i = 0; i < packets; ++i)
        {
            const auto item = DynamicCast<Ipv4QueueDiscItem>(m_disc->Dequeue());
            nMarked += item->GetHeader().GetEcn() == Ipv4Header::ECN_CE;
        }
        return nMarked;
    }

    void DoRun() override
    {
        DataCenterDefaults defaults;
        defaults.buffer = QueueSize(m_buffer);
        NodeContainer nodes(2);
        for (uint32_t i = 0; i < 2; ++i)
        {
            nodes.Get(i)->AggregateObject(CreateObject<TrafficControlLayer>());
        }
        const NetDeviceContainer devices = PointToPointHelper().Install(nodes);
        m_disc = defaults.MakeRedEcnQueue(DataRate("10Gbps")).Install(devices.Get(0)).Get(0);
        m_disc->Initialize();

        // Packets that find less than the threshold pass as they are, whatever they are.
        for (uint32_t i = 0; i < m_threshold; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(Enqueue(Ipv4Header::ECN_NotECT), true, "below");
        }
        // From there on Not-ECT is dropped, and ECT marked until the buffer is full.
        NS_TEST_EXPECT_MSG_EQ(Enqueue(Ipv4Header::ECN_NotECT), false, "at the threshold");
        for (uint32_t i = m_threshold; i < m_limit; ++i)
        {
            const auto ecn = i % 2 == 0 ? Ipv4Header::ECN_ECT0 : Ipv4Header::ECN_ECT1;
            NS_TEST_EXPECT_MSG_EQ(Enqueue(ecn), true, "packet " << i);
            NS_TEST_EXPECT_MSG_EQ(Enqueue(Ipv4Header::ECN_NotECT), false, "Not-ECT " << i);
        }
        NS_TEST_EXPECT_MSG_EQ(m_disc->GetNPackets(), m_limit, "full");
        NS_TEST_EXPECT_MSG_EQ(Enqueue(Ipv4Header::ECN_ECT0), false, "over the limit");
        NS_TEST_ASSERT_MSG_EQ(m_disc->GetNPackets(), m_limit, "still full");
        NS_TEST_EXPECT_MSG_EQ(Dequeue(m_threshold), 0, "marked below the threshold");
        // The queue is what it is now, not an average: one less than the threshold leaves room.
        const uint32_t rest = m_threshold - 1;
        const uint32_t above = m_limit - m_threshold - rest;
        NS_TEST_EXPECT_MSG_EQ(Dequeue(above), above, "marked above the threshold");
        NS_TEST_EXPECT_MSG_EQ(Enqueue(Ipv4Header::ECN_NotECT), true, "below again");
        NS_TEST_EXPECT_MSG_EQ(Enqueue(Ipv4Header::ECN_NotECT), false, "at the threshold again");
        NS_TEST_EXPECT_MSG_EQ(Dequeue(rest), rest, "marked above the threshold");
        NS_TEST_EXPECT_MSG_EQ(Dequeue(1), 0, "marked below the threshold again");
    }

    void DoTeardown() override
    {
        m_disc = nullptr;
        Simulator::Destroy();
    }

    std::string m_buffer;  ///< of the port
    uint32_t m_threshold;  ///< packets
    uint32_t m_limit;      ///< packets
    Ptr<QueueDisc> m_disc; ///< under test
};

/// The window's floor.
class FlooredDctcpTestCase : public TestCase
{
  public:
    FlooredDctcpTestCase()
        : TestCase("DCTCP's window never falls below two segments, in forked sockets neither")
    {
    }

  private:
    void DoRun() override
    {
        const auto dctcp = CreateObject<TcpFlooredDctcp>();
        dctcp->SetAttribute("DctcpAlphaOnInit", DoubleValue(1));
        const auto fork = dctcp->Fork();
        NS_TEST_EXPECT_MSG_EQ(fork->GetName(), "TcpFlooredDctcp", "a fork's name");
        NS_TEST_EXPECT_MSG_EQ(fork->GetInstanceTypeId(), TcpFlooredDctcp::GetTypeId(), "its type");
        const auto state = CreateObject<TcpSocketState>();
        state->m_segmentSize = 8948;
        // With alpha 1 the window is halved: 10 segments to 5, 4 to 2, 3 to 1.5, and so on.
        for (const auto& [before, after] :
             {std::pair(10, 5), std::pair(4, 2), std::pair(3, 2), std::pair(2, 2), std::pair(1, 2)})
        {
            state->m_cWnd = before * 8948;
            NS_TEST_EXPECT_MSG_EQ(dctcp->GetSsThresh(state, 0), after * 8948U, before);
            NS_TEST_EXPECT_MSG_EQ(fork->GetSsThresh(state, 0), after * 8948U, before << ", fork");
        }
    }
};

/// A baseline under pressure.
class BaselineTestCase : public TestCase
{
  public:
    /**
     * \param congestionOps class of the congestion control
     * \param red true: RED with ECN in the switch; false: FIFO
     * \param senders number of senders to one receiver
     * \param mtu of all links
     * \param buffer of the switch's ports
     * \param minRto smallest retransmission timeout
     */
    BaselineTestCase(const std::string& congestionOps,
                     bool red,
                     uint32_t senders,
                     uint16_t mtu,
                     const std::string& buffer,
                     Time minRto)
        : TestCase("50 MB from " + std::to_string(senders) + " senders through " + buffer + ", " +
                   congestionOps + ", MTU " + std::to_string(mtu)),
          m_red(red),
          m_senders(senders)
    {
        m_defaults.rate = DataRate("10Gbps");
        m_defaults.mtu = mtu;
        m_defaults.minRto = minRto;
        m_defaults.congestionOps = congestionOps;
        m_defaults.buffer = QueueSize(buffer);
    }

  private:
    /// Trace sink of the receiver.
    void OnBytes(const gradnet::Tensor&, uint64_t bytes)
    {
        m_longestGap = std::max(m_longestGap, Simulator::Now() - m_lastArrival);
        m_lastArrival = Simulator::Now();
        m_bytes += bytes;
    }

    void DoRun() override
    {
        m_defaults.Apply();
        // One switch, the receiver its last host.
        LeafSpineHelper star(1, 1, m_senders + 1);
        star.SetRate(m_defaults.rate);
        star.SetMtu(m_defaults.mtu);
        star.SetHostQueue([this](DataRate) { return m_defaults.MakeHostQueue(); });
        star.SetSwitchQueue([this](DataRate rate) {
            return m_red ? m_defaults.MakeRedEcnQueue(rate) : m_defaults.MakeFifoQueue();
        });
        star.Install();
        const uint64_t each = TOTAL / m_senders;
        for (uint32_t host = 0; host <= m_senders; ++host)
        {
            m_channels.push_back(CreateObject<StreamTensorChannel>());
            m_channels[host]->SetAttribute("FrontLayersFirst", BooleanValue(false));
            Simulator::Schedule(Seconds(0), [this, host, each, &star] {
                m_channels[host]->Listen(star.GetHost(host), 9000);
                if (host < m_senders)
                {
                    gradnet::Tensor tensor;
                    tensor.bytes = each;
                    const Ipv4Address receiver = star.GetHostAddress(m_senders);
                    m_channels[host]->Send(
                        m_channels[host]->Connect(InetSocketAddress(receiver, 9000)),
                        tensor);
                }
            });
        }
        m_channels[m_senders]->TraceConnectWithoutContext(
            "BytesReceived",
            MakeCallback(&BaselineTestCase::OnBytes, this));
        Simulator::Stop(Seconds(5));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_bytes, TOTAL, "all bytes arrive");
        NS_TEST_EXPECT_MSG_LT(m_longestGap, MilliSeconds(200), "no stall");
        // 50 MB take 40 ms at 10 Gb/s without headers, which the link cannot beat. Losses from 50
        // packets and timeouts of 10 ms may cost the loss-based ones some of them.
        NS_TEST_EXPECT_MSG_GT(m_lastArrival, MilliSeconds(40), "the link's rate");
        NS_TEST_EXPECT_MSG_LT(m_lastArrival, MilliSeconds(400), "a tenth of the link's rate");
    }

    void DoTeardown() override
    {
        for (const auto& channel : m_channels)
        {
            channel->Dispose();
        }
        Simulator::Destroy();
        Config::Reset();
    }

    static constexpr uint64_t TOTAL = 50'000'000; ///< bytes from all senders

    DataCenterDefaults m_defaults;                    ///< settings
    bool m_red;                                       ///< queue of the switch
    uint32_t m_senders;                               ///< hosts that send
    std::vector<Ptr<StreamTensorChannel>> m_channels; ///< of the senders, then the receiver's
    uint64_t m_bytes{0};                              ///< received
    Time m_lastArrival;                               ///< of payload
    Time m_longestGap;                                ///< in which no payload arrived
};

/// The suite.
class DataCenterDefaultsTestSuite : public TestSuite
{
  public:
    DataCenterDefaultsTestSuite()
        : TestSuite("gradnet-data-center-defaults", TestSuite::Type::UNIT)
    {
        AddTestCase(new CheckTestCase);
        AddTestCase(new ClosedFormTestCase);
        // The threshold is 0.4 of these buffers: 20 of 50 packets, 60 of 150 kB.
        AddTestCase(new RedTestCase("50p", 20, 50));
        AddTestCase(new RedTestCase("150kB", 40, 100));
        AddTestCase(new FlooredDctcpTestCase);
        const Time rto = MilliSeconds(10);
        AddTestCase(new BaselineTestCase("TcpFlooredDctcp", true, 2, 1500, "50p", rto));
        AddTestCase(new BaselineTestCase("TcpCubic", false, 2, 1500, "50p", rto));
        AddTestCase(new BaselineTestCase("TcpNewReno", false, 2, 1500, "50p", rto));
        AddTestCase(new BaselineTestCase("TcpFlooredDctcp", true, 8, 9000, "50p", rto));
        // 8 first windows of 10 jumbo frames fit, so nothing is lost, and no timer may be needed:
        // stock DCTCP, whose windows fall below a segment, waits for it and takes 2 s.
        AddTestCase(new BaselineTestCase("TcpFlooredDctcp", true, 8, 9000, "200p", Seconds(1)));
    }
};

DataCenterDefaultsTestSuite g_dataCenterDefaultsTestSuite; ///< registers the suite

} // namespace
