// SPDX-License-Identifier: GPL-2.0-only

#ifndef CHANNEL_TEST_CASE_H
#define CHANNEL_TEST_CASE_H

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/data-center-defaults.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/simulator.h"
#include "ns3/stream-tensor-channel.h"
#include "ns3/tcp-header.h"
#include "ns3/test.h"

#include <string>
#include <vector>

namespace ns3
{

/// The port that all channels listen to.
constexpr uint16_t CHANNEL_PORT = 9000;

/**
 * \param part its name among the tensors of a test
 * \param layer its priority
 * \param bytes its size
 * \return a tensor
 */
inline gradnet::Tensor
MakeTensor(uint32_t part, uint16_t layer, uint64_t bytes)
{
    gradnet::Tensor tensor;
    tensor.part = part;
    tensor.layer = layer;
    tensor.bytes = bytes;
    return tensor;
}

/// A host with a link of its own to each of its peers, and channels on all of them.
class ChannelTestCase : public TestCase
{
  public:
    /// \param name what is tested
    explicit ChannelTestCase(const std::string& name)
        : TestCase(name)
    {
    }

  protected:
    /// What a trace source told.
    struct Record
    {
        gradnet::Tensor tensor;
        Time at;
        uint64_t bytes;
    };

    /**
     * Builds the network and the channels. The sender connects to all peers at time 0.
     *
     * \param frontLayersFirst the sender's order
     * \param rates of the links, one for each peer
     */
    void Build(bool frontLayersFirst, const std::vector<std::string>& rates)
    {
        DataCenterDefaults defaults;
        defaults.rate = DataRate("10Gbps");
        defaults.Apply();
        m_nodes.Create(1 + rates.size());
        InternetStackHelper stack;
        stack.SetIpv6StackInstall(false);
        stack.Install(m_nodes);
        m_sender = CreateObject<StreamTensorChannel>();
        m_sender->SetAttribute("FrontLayersFirst", BooleanValue(frontLayersFirst));
        Simulator::Schedule(Seconds(0), [this] { m_sender->Listen(m_nodes.Get(0), CHANNEL_PORT); });
        Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
        for (uint32_t peer = 0; peer < rates.size(); ++peer)
        {
            PointToPointHelper link;
            link.SetDeviceAttribute("DataRate", DataRateValue(DataRate(rates[peer])));
            link.SetChannelAttribute("Delay", TimeValue(MicroSeconds(1)));
            m_links.push_back(link.Install(m_nodes.Get(0), m_nodes.Get(peer + 1)));
            defaults.MakeHostQueue().Install(m_links[peer]);
            const Ipv4Address address = addresses.Assign(m_links[peer]).GetAddress(1);
            addresses.NewNetwork();
            m_receivers.push_back(CreateObject<StreamTensorChannel>());
            Simulator::Schedule(Seconds(0), [this, peer, address] {
                m_receivers[peer]->Listen(m_nodes.Get(peer + 1), CHANNEL_PORT);
                NS_TEST_EXPECT_MSG_EQ(m_sender->Connect(InetSocketAddress(address, CHANNEL_PORT)),
                                      peer,
                                      "peers are counted from 0");
            });
            Watch(m_receivers[peer], "TensorReceived", m_received);
            m_receivers[peer]->TraceConnectWithoutContext(
                "BytesReceived",
                Callback<void, const gradnet::Tensor&, uint64_t>(
                    [this](const gradnet::Tensor& tensor, uint64_t bytes) {
                        m_arrivals.push_back({tensor, Simulator::Now(), bytes});
                    }));
            m_receivers[peer]->SetReceiveCallback(
                Callback<void, const gradnet::Tensor&>([this](const gradnet::Tensor&) {
                    ++m_delivered;
                    m_arrivedAtDelivery = m_arrivals.size();
                }));
        }
        Watch(m_sender, "TensorQueued", m_queued);
        Watch(m_sender, "TensorSent", m_sent);
        m_sender->TraceConnectWithoutContext(
            "BytesResent",
            Callback<void, uint32_t>([this](uint32_t bytes) { m_resent += bytes; }));
        m_sender->TraceConnectWithoutContext("TimeoutExpired",
                                             Callback<void>([this] { ++m_timeouts; }));
        m_sender->TraceConnectWithoutContext(
            "ConnectionFailed",
            Callback<void, uint32_t>([this](uint32_t peer) { m_failed.push_back(peer); }));
        m_nodes.Get(0)->GetObject<Ipv4>()->TraceConnectWithoutContext(
            "SendOutgoing",
            MakeCallback(&ChannelTestCase::CountPayload, this));
    }

    /**
     * \param at when
     * \param peer number of the receiver
     * \param tensor what the sender sends
     */
    void SendAt(Time at, uint32_t peer, const gradnet::Tensor& tensor)
    {
        Simulator::Schedule(at, [this, peer, tensor] { m_sender->Send(peer, tensor); });
    }

    /// Runs the simulation for a second, longer than any of these tests should need.
    static void Run()
    {
        Simulator::Stop(Seconds(1));
        Simulator::Run();
    }

    NodeContainer m_nodes;                             ///< the sender, then its peers
    std::vector<NetDeviceContainer> m_links;           ///< the sender's end, then the peer's
    Ptr<StreamTensorChannel> m_sender;                 ///< the sender's channel
    std::vector<Ptr<StreamTensorChannel>> m_receivers; ///< the peers' channels
    std::vector<Record> m_queued;                      ///< TensorQueued of the sender
    std::vector<Record> m_sent;                        ///< TensorSent of the sender
    std::vector<Record> m_received;                    ///< TensorReceived of all peers
    std::vector<Record> m_arrivals;                    ///< BytesReceived of all peers
    std::vector<uint32_t> m_failed;                    ///< ConnectionFailed of the sender
    uint64_t m_delivered{0};                           ///< calls of the receive callbacks
    size_t m_arrivedAtDelivery{0};                     ///< entries of m_arrivals at the last call
    uint64_t m_resent{0};                              ///< sum of the sender's BytesResent
    uint64_t m_timeouts{0};                            ///< TimeoutExpired of the sender
    uint64_t m_payload{0};                             ///< TCP payload that the sender sent

  private:
    /// Keeps what a trace source tells.
    void Watch(Ptr<StreamTensorChannel> channel, const std::string& source, std::vector<Record>& to)
    {
        channel->TraceConnectWithoutContext(
            source,
            Callback<void, const gradnet::Tensor&>([&to](const gradnet::Tensor& tensor) {
                to.push_back({tensor, Simulator::Now(), tensor.bytes});
            }));
    }

    /// Trace sink of the sender's IPv4.
    void CountPayload(const Ipv4Header&, Ptr<const Packet> packet, uint32_t)
    {
        TcpHeader header;
        m_payload += packet->GetSize() - packet->PeekHeader(header);
    }

    void DoTeardown() override
    {
        for (const auto& channel : m_receivers)
        {
            channel->Dispose();
        }
        m_sender->Dispose();
        Simulator::Destroy();
        Config::Reset();
    }
};

} // namespace ns3

#endif // CHANNEL_TEST_CASE_H
