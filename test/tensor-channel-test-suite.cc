// SPDX-License-Identifier: GPL-2.0-only

#include "channel-test-case.h"

#include "ns3/config.h"
#include "ns3/error-model.h"
#include "ns3/pointer.h"
#include "ns3/tensor-header.h"
#include "ns3/uinteger.h"

#include <limits>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Payload of a full segment: an MTU of 1500 B less 20 of IPv4, 20 of TCP and 12 of its options.
constexpr uint32_t SEGMENT = 1448;

/// A full segment's frame: 20 B of TCP, 20 of IPv4, 2 of PPP; at 8 Gb/s a byte takes 1 ns.
constexpr uint32_t FRAME = SEGMENT + 42;

/// The header brings every field back.
class HeaderTestCase : public TestCase
{
  public:
    HeaderTestCase()
        : TestCase("a tensor header takes 48 bytes and brings every field back")
    {
    }

  private:
    /**
     * Writes a header and reads it back.
     *
     * \param tensor a tensor
     * \param offset of a slice
     * \param length of a slice
     */
    void Check(const gradnet::Tensor& tensor, uint64_t offset, uint64_t length)
    {
        const auto packet = Create<Packet>(7);
        packet->AddHeader(TensorHeader(tensor, offset, length));
        NS_TEST_EXPECT_MSG_EQ(packet->GetSize(), 48 + 7, "size");
        TensorHeader header;
        NS_TEST_EXPECT_MSG_EQ(packet->RemoveHeader(header), 48, "read");
        NS_TEST_EXPECT_MSG_EQ(packet->GetSize(), 7, "payload");
        const gradnet::Tensor& read = header.GetTensor();
        NS_TEST_EXPECT_MSG_EQ(read.job, tensor.job, "job");
        NS_TEST_EXPECT_MSG_EQ(read.from, tensor.from, "from");
        NS_TEST_EXPECT_MSG_EQ(read.to, tensor.to, "to");
        NS_TEST_EXPECT_MSG_EQ(read.layer, tensor.layer, "layer");
        NS_TEST_EXPECT_MSG_EQ(read.iteration, tensor.iteration, "iteration");
        NS_TEST_EXPECT_MSG_EQ(read.part, tensor.part, "part");
        NS_TEST_EXPECT_MSG_EQ(read.step, tensor.step, "step");
        NS_TEST_EXPECT_MSG_EQ((read.phase == tensor.phase), true, "phase");
        NS_TEST_EXPECT_MSG_EQ(read.bytes, tensor.bytes, "bytes");
        // 32 bits of a share between 0 and 1: off by half of 2^-32 at most.
        NS_TEST_EXPECT_MSG_EQ_TOL(read.lossTolerance, tensor.lossTolerance, 2e-10, "tolerance");
        NS_TEST_EXPECT_MSG_EQ(header.GetOffset(), offset, "offset");
        NS_TEST_EXPECT_MSG_EQ(header.GetLength(), length, "length");
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(TensorHeader::SIZE, 48, "as documented");
        Check(gradnet::Tensor{}, 0, 0);
        Check({1, 2, 3, 4, 5, 6, 7, gradnet::TensorPhase::PULL, 0.01F, 8}, 9, 10);
        constexpr uint16_t MAX_16 = std::numeric_limits<uint16_t>::max();
        constexpr uint32_t MAX_32 = std::numeric_limits<uint32_t>::max();
        constexpr uint64_t MAX_64 = std::numeric_limits<uint64_t>::max();
        Check({MAX_16,
               MAX_16 - 1,
               MAX_16 - 2,
               MAX_16 - 3,
               MAX_32,
               MAX_32 - 1,
               MAX_16 - 4,
               gradnet::TensorPhase::ALL_GATHER,
               1.0F,
               MAX_64},
              MAX_64 - 1,
              MAX_64 - 2);
    }
};

/// One tensor.
class OneTensorTestCase : public ChannelTestCase
{
  public:
    /**
     * \param bytes size of the tensor
     * \param frontLayersFirst the order
     */
    OneTensorTestCase(uint64_t bytes, bool frontLayersFirst)
        : ChannelTestCase("a tensor of " + std::to_string(bytes) + " bytes arrives once, " +
                          (frontLayersFirst ? "in slices" : "whole")),
          m_bytes(bytes),
          m_frontLayersFirst(frontLayersFirst)
    {
    }

  private:
    void DoRun() override
    {
        Build(m_frontLayersFirst, {"8Gbps"});
        const gradnet::Tensor
            tensor{1, 2, 3, 4, 5, 6, 7, gradnet::TensorPhase::PULL, 0.01F, m_bytes};
        SendAt(Seconds(0), 0, tensor);
        Run();
        NS_TEST_ASSERT_MSG_EQ(m_received.size(), 1, "traced once");
        if (IsStatusFailure())
        {
            return;
        }
        NS_TEST_EXPECT_MSG_EQ(m_delivered, 1, "delivered once");
        const gradnet::Tensor& got = m_received[0].tensor;
        NS_TEST_EXPECT_MSG_EQ(got.job, 1, "job");
        NS_TEST_EXPECT_MSG_EQ(got.from, 2, "from");
        NS_TEST_EXPECT_MSG_EQ(got.to, 3, "to");
        NS_TEST_EXPECT_MSG_EQ(got.layer, 4, "layer");
        NS_TEST_EXPECT_MSG_EQ(got.iteration, 5, "iteration");
        NS_TEST_EXPECT_MSG_EQ(got.part, 6, "part");
        NS_TEST_EXPECT_MSG_EQ(got.step, 7, "step");
        NS_TEST_EXPECT_MSG_EQ((got.phase == gradnet::TensorPhase::PULL), true, "phase");
        NS_TEST_EXPECT_MSG_EQ(got.bytes, m_bytes, "bytes");
        uint64_t arrived = 0;
        for (const Record& arrival : m_arrivals)
        {
            arrived += arrival.bytes;
        }
        NS_TEST_EXPECT_MSG_EQ(arrived, m_bytes, "bytes received");
        NS_TEST_EXPECT_MSG_EQ(m_arrivedAtDelivery, m_arrivals.size(), "delivered with the last");
        // A header of 48 B a slice, and a slice is 200,000 B or else the whole tensor.
        const uint64_t slices = m_frontLayersFirst ? (m_bytes + 199'999) / 200'000 : 1;
        NS_TEST_EXPECT_MSG_EQ(m_payload, m_bytes + 48 * slices, "bytes on the wire");
        NS_TEST_ASSERT_MSG_EQ(m_queued.size(), 1, "queued once");
        NS_TEST_ASSERT_MSG_EQ(m_sent.size(), 1, "sent once");
        if (IsStatusFailure())
        {
            return;
        }
        NS_TEST_EXPECT_MSG_EQ(m_queued[0].at, Seconds(0), "queued at once");
        NS_TEST_EXPECT_MSG_LT(m_sent[0].at, m_received[0].at, "sent before it is received");
        NS_TEST_EXPECT_MSG_EQ(m_resent, 0, "nothing is resent on a lossless link");
        NS_TEST_EXPECT_MSG_EQ(m_timeouts, 0, "no timer expires on a lossless link");
        NS_TEST_EXPECT_MSG_EQ(m_failed.size(), 0, "the connection lives");
    }

    uint64_t m_bytes;        ///< size of the tensor
    bool m_frontLayersFirst; ///< the order
};

/// Many tensors in FIFO order.
class FifoTestCase : public ChannelTestCase
{
  public:
    FifoTestCase()
        : ChannelTestCase("in FIFO order tensors leave whole, in the order in which they came")
    {
    }

  private:
    void DoRun() override
    {
        Build(false, {"8Gbps"});
        // Headers are split over segments: 27 tensors of 48 + 4 B leave 1448 - 27 x 52 = 44 B of
        // the first segment to the header of the 28th.
        uint64_t bytes = 0;
        for (uint32_t part = 0; part < 1000; ++part)
        {
            bytes += 4;
            SendAt(Seconds(0), 0, MakeTensor(part, 1000 - part, 4));
        }
        // Then sizes up to 10 MB, the last ones of front layers and while the large one is sent.
        const std::vector<uint64_t> sizes{8, 10'000'000, 1448, 1400, 1401, 100'000, 4};
        for (uint32_t i = 0; i < sizes.size(); ++i)
        {
            bytes += sizes[i];
            SendAt(MicroSeconds(100 * i), 0, MakeTensor(1000 + i, 100 - i, sizes[i]));
        }
        Run();
        NS_TEST_ASSERT_MSG_EQ(m_received.size(), 1007, "all arrive");
        if (IsStatusFailure())
        {
            return;
        }
        NS_TEST_EXPECT_MSG_EQ(m_delivered, 1007, "each once");
        NS_TEST_EXPECT_MSG_EQ(m_payload, bytes + 48 * 1007, "bytes on the wire");
        for (uint32_t i = 0; i < 1007; ++i)
        {
            NS_TEST_ASSERT_MSG_EQ(m_received[i].tensor.part, i, "order of arrival");
            NS_TEST_ASSERT_MSG_EQ(m_sent[i].tensor.part, i, "order of leaving");
            NS_TEST_ASSERT_MSG_LT(m_sent[i].at, m_received[i].at, "sent before received");
        }
        for (uint32_t i = 1; i < m_arrivals.size(); ++i)
        {
            NS_TEST_ASSERT_MSG_LT_OR_EQ(m_arrivals[i - 1].tensor.part,
                                        m_arrivals[i].tensor.part,
                                        "bytes of different tensors do not mix");
        }
    }
};

/// A front layer overtakes a back layer.
class OvertakeTestCase : public ChannelTestCase
{
  public:
    OvertakeTestCase()
        : ChannelTestCase("a front layer overtakes a large tensor within credit and a slice")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t CREDIT = 100'000;
        constexpr uint32_t SLICE = 20'000;
        Build(true, {"8Gbps"});
        m_sender->SetAttribute("Credit", UintegerValue(CREDIT));
        m_sender->SetAttribute("SliceBytes", UintegerValue(SLICE));
        SendAt(Seconds(0), 0, MakeTensor(0, 9, 10'000'000));
        const Time start = MilliSeconds(2);
        SendAt(start, 0, MakeTensor(1, 3, SLICE));
        Run();
        NS_TEST_ASSERT_MSG_EQ(m_received.size(), 2, "both arrive");
        if (IsStatusFailure())
        {
            return;
        }
        NS_TEST_EXPECT_MSG_EQ(m_received[0].tensor.part, 1, "the front layer is first");
        // Before it: less than the credit when the slice under way was begun, and that slice with
        // its header. Then its own slice and header. All of it leaves at 1 B/ns in full segments,
        // and in a short one at the end of each of the 7 slices that this is at most.
        const uint32_t payload = CREDIT + 2 * (SLICE + TensorHeader::SIZE);
        const uint32_t frames = payload / SEGMENT + 7;
        const Time latest = start + NanoSeconds(frames * FRAME) + MicroSeconds(1);
        NS_TEST_EXPECT_MSG_LT_OR_EQ(m_received[0].at, latest, "within credit and slice");
        // Alone on the link it would need 14 frames and the delay.
        NS_TEST_EXPECT_MSG_GT(m_received[0].at,
                              start + NanoSeconds(SLICE) + MicroSeconds(1),
                              "not faster than the link");
        // The large one takes 10^7 B of payload and 42 B of headers a segment, 10.29 ms, and 501
        // tensor headers and up to 501 short segments with it: 1% at most.
        const double ideal = 10e6 / SEGMENT * FRAME * 1e-9;
        NS_TEST_EXPECT_MSG_GT(m_received[1].at.GetSeconds(), ideal, "as the link allows");
        NS_TEST_EXPECT_MSG_LT(m_received[1].at.GetSeconds(),
                              1.02 * ideal + 100e-6,
                              "the link is not left idle, but for the handshake");
    }
};

/// Two peers.
class PeersTestCase : public ChannelTestCase
{
  public:
    /// \param frontLayersFirst the order
    explicit PeersTestCase(bool frontLayersFirst)
        : ChannelTestCase(std::string("a slow peer holds up no other, ") +
                          (frontLayersFirst ? "front layers first" : "FIFO")),
          m_frontLayersFirst(frontLayersFirst)
    {
    }

  private:
    void DoRun() override
    {
        Build(m_frontLayersFirst, {"100Mbps", "8Gbps"});
        // 10 MB need 824 ms over the one link; 1 MB needs 1.03 ms over the other, and 3 round trips
        // of 2 us with frames of 1.5 us each until its window is open.
        SendAt(Seconds(0), 0, MakeTensor(0, 0, 10'000'000));
        SendAt(MilliSeconds(1), 1, MakeTensor(1, 9, 1'000'000));
        Run();
        NS_TEST_ASSERT_MSG_EQ(m_received.size(), 2, "both arrive");
        if (IsStatusFailure())
        {
            return;
        }
        NS_TEST_EXPECT_MSG_EQ(m_received[0].tensor.part, 1, "the small one is first");
        NS_TEST_EXPECT_MSG_LT(m_received[0].at, MilliSeconds(1) + MicroSeconds(1050), "its time");
        NS_TEST_EXPECT_MSG_EQ_TOL(m_received[1].at.GetSeconds(), 0.8232, 0.01, "the large one");
    }

    bool m_frontLayersFirst; ///< the order
};

/// Random loss in both directions.
class LossTestCase : public ChannelTestCase
{
  public:
    LossTestCase()
        : ChannelTestCase("with 1% of packets lost all tensors arrive, and resends are counted")
    {
    }

  private:
    void DoRun() override
    {
        Build(true, {"8Gbps"});
        uint64_t lostPayload = 0;
        for (uint32_t end = 0; end < 2; ++end)
        {
            const auto loss = CreateObject<RateErrorModel>();
            loss->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
            loss->SetRate(0.01);
            loss->AssignStreams(1 + end);
            m_links[0].Get(end)->SetAttribute("ReceiveErrorModel", PointerValue(loss));
        }
        m_links[0].Get(1)->TraceConnectWithoutContext(
            "PhyRxDrop",
            Callback<void, Ptr<const Packet>>([&lostPayload](Ptr<const Packet> packet) {
                lostPayload += packet->GetSize() > 100 ? packet->GetSize() - 62 : 0;
            }));
        for (uint32_t part = 0; part < 50; ++part)
        {
            SendAt(Seconds(0), 0, MakeTensor(part, 50 - part, 200'000));
        }
        Run();
        NS_TEST_ASSERT_MSG_EQ(m_received.size(), 50, "all arrive");
        if (IsStatusFailure())
        {
            return;
        }
        NS_TEST_EXPECT_MSG_EQ(m_delivered, 50, "each once");
        // Of 10 MB, 6900 segments, some 69 are lost: 10 is 7 standard deviations below. What is
        // lost is resent; 62 B are the headers with a list of SACK blocks, which data have not.
        NS_TEST_EXPECT_MSG_GT(lostPayload, 10 * SEGMENT, "losses");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(m_resent, lostPayload, "what was lost was resent");
        NS_TEST_EXPECT_MSG_EQ(m_payload, 50 * 200'048 + m_resent, "nothing else was");
        // A timer runs for 10 ms at least before it expires.
        NS_TEST_EXPECT_MSG_LT_OR_EQ(m_timeouts * MilliSeconds(10),
                                    m_received.back().at,
                                    "timers take their time");
    }
};

/// The only data segment is lost.
class TimeoutTestCase : public ChannelTestCase
{
  public:
    TimeoutTestCase()
        : ChannelTestCase("a lost last segment costs one timeout, and its bytes once more")
    {
    }

  private:
    void DoRun() override
    {
        Build(false, {"8Gbps"});
        // At the receiver: SYN, ACK, data. A timeout later the data once more, and all is well.
        const auto loss = CreateObject<ReceiveListErrorModel>();
        loss->SetList({2});
        m_links[0].Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(loss));
        SendAt(Seconds(0), 0, MakeTensor(0, 0, 4));
        SendAt(MilliSeconds(50), 0, MakeTensor(1, 0, 4));
        Run();
        NS_TEST_ASSERT_MSG_EQ(m_received.size(), 2, "both arrive");
        if (IsStatusFailure())
        {
            return;
        }
        NS_TEST_EXPECT_MSG_EQ(m_resent, 48 + 4, "bytes resent");
        NS_TEST_EXPECT_MSG_EQ(m_timeouts, 1, "timeouts");
        // The handshake takes some microseconds, the timer 10 ms.
        NS_TEST_EXPECT_MSG_EQ_TOL(m_received[0].at.GetSeconds(), 10e-3, 20e-6, "min RTO");
        NS_TEST_EXPECT_MSG_EQ_TOL(m_received[1].at.GetSeconds(), 50e-3, 20e-6, "no timeout");
    }
};

/// A peer that cannot be reached is reported.
class FailureTestCase : public ChannelTestCase
{
  public:
    /**
     * \param retries attribute that limits the attempts
     * \param cutAt when the link is cut
     */
    FailureTestCase(const std::string& retries, Time cutAt)
        : ChannelTestCase("a peer is reported once " + retries + " is used up"),
          m_retries(retries),
          m_cutAt(cutAt)
    {
    }

  private:
    void DoRun() override
    {
        Build(false, {"8Gbps", "8Gbps"});
        Config::SetDefault("ns3::TcpSocket::" + m_retries, UintegerValue(3));
        Simulator::Schedule(m_cutAt, [this] {
            const auto loss = CreateObject<RateErrorModel>();
            loss->SetRate(1);
            loss->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
            m_links[1].Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(loss));
        });
        for (uint32_t peer = 0; peer < 2; ++peer)
        {
            SendAt(MicroSeconds(1), peer, MakeTensor(peer, 0, 1'000'000));
        }
        Run();
        NS_TEST_EXPECT_MSG_EQ(m_received.size(), 1, "one arrives");
        NS_TEST_ASSERT_MSG_EQ(m_failed.size(), 1, "reported once");
        if (IsStatusFailure())
        {
            return;
        }
        NS_TEST_EXPECT_MSG_EQ(m_failed[0], 1, "the other peer");
    }

    std::string m_retries; ///< attribute of TcpSocket
    Time m_cutAt;          ///< when the link is cut
};

/// Channels go while data are under way.
class DisposeTestCase : public ChannelTestCase
{
  public:
    /// \param sender true: the sender's channel; false: the receiver's
    explicit DisposeTestCase(bool sender)
        : ChannelTestCase(std::string("a ") + (sender ? "sender" : "receiver") +
                          " may be disposed with data in flight"),
          m_isSender(sender)
    {
    }

  private:
    void DoRun() override
    {
        Build(true, {"8Gbps"});
        SendAt(Seconds(0), 0, MakeTensor(0, 9, 10'000'000));
        Simulator::Schedule(MilliSeconds(1), [this] {
            NS_TEST_EXPECT_MSG_GT(m_arrivals.size(), 0, "data are under way");
            const size_t before = m_arrivals.size();
            (m_isSender ? m_sender : m_receivers[0])->Dispose();
            NS_TEST_EXPECT_MSG_EQ(m_arrivals.size(), before, "nothing arrives by that");
        });
        Run();
        NS_TEST_EXPECT_MSG_EQ(m_received.size(), 0, "it does not arrive whole");
        NS_TEST_EXPECT_MSG_EQ(m_failed.size(), 0, "a channel that is gone reports nothing");
    }

    bool m_isSender; ///< whose channel goes
};

/// The suite.
class TensorChannelTestSuite : public TestSuite
{
  public:
    TensorChannelTestSuite()
        : TestSuite("gradnet-tensor-channel", TestSuite::Type::UNIT)
    {
        AddTestCase(new HeaderTestCase);
        // 4 B, a full segment with the header less and more than 4 B, slices, 10 MB.
        for (const uint64_t bytes : {4, 1396, 1400, 1404, 200'000, 200'004, 10'000'000})
        {
            AddTestCase(new OneTensorTestCase(bytes, false));
            AddTestCase(new OneTensorTestCase(bytes, true));
        }
        AddTestCase(new FifoTestCase);
        AddTestCase(new OvertakeTestCase);
        AddTestCase(new PeersTestCase(false));
        AddTestCase(new PeersTestCase(true));
        AddTestCase(new LossTestCase);
        AddTestCase(new TimeoutTestCase);
        AddTestCase(new FailureTestCase("ConnCount", Seconds(0)));
        AddTestCase(new FailureTestCase("DataRetries", MicroSeconds(100)));
        AddTestCase(new DisposeTestCase(true));
        AddTestCase(new DisposeTestCase(false));
    }
};

TensorChannelTestSuite g_tensorChannelTestSuite; ///< registers the suite

} // namespace
