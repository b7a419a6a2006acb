// SPDX-License-Identifier: GPL-2.0-only

#include "stream-tensor-channel.h"

#include "ns3/boolean.h"
#include "ns3/inet-socket-address.h"
#include "ns3/log.h"
#include "ns3/tcp-socket-base.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("StreamTensorChannel");
NS_OBJECT_ENSURE_REGISTERED(StreamTensorChannel);

TypeId
StreamTensorChannel::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::StreamTensorChannel")
            .SetParent<TensorChannel>()
            .SetGroupName("Gradnet")
            .AddConstructor<StreamTensorChannel>()
            .AddAttribute("SocketFactory",
                          "Factory of the stream sockets",
                          TypeIdValue(TcpSocketFactory::GetTypeId()),
                          MakeTypeIdAccessor(&StreamTensorChannel::m_socketFactory),
                          MakeTypeIdChecker())
            .AddAttribute("FrontLayersFirst",
                          "True: slices of front layers overtake those of back layers; false: "
                          "tensors leave whole, in the order in which they became ready. Read by "
                          "Connect",
                          BooleanValue(true),
                          MakeBooleanAccessor(&StreamTensorChannel::m_frontLayersFirst),
                          MakeBooleanChecker())
            .AddAttribute("SliceBytes",
                          "Longest slice in bytes when front layers go first; P3's 50,000 values",
                          UintegerValue(200000),
                          MakeUintegerAccessor(&StreamTensorChannel::m_sliceBytes),
                          MakeUintegerChecker<uint64_t>(1))
            .AddAttribute("Credit",
                          "Unacknowledged bytes to a peer above which no slice is started when "
                          "front layers go first; small: a front layer waits less; below the "
                          "bandwidth-delay product: the link idles",
                          UintegerValue(400000),
                          MakeUintegerAccessor(&StreamTensorChannel::m_credit),
                          MakeUintegerChecker<uint64_t>(1));
    return tid;
}

StreamTensorChannel::~StreamTensorChannel() = default;

void
StreamTensorChannel::DoDispose()
{
    for (const auto& way : m_outgoing)
    {
        way->socket->SetSendCallback(MakeNullCallback<void, Ptr<Socket>, uint32_t>());
        way->socket->SetConnectCallback(MakeNullCallback<void, Ptr<Socket>>(),
                                        MakeNullCallback<void, Ptr<Socket>>());
        way->socket->SetCloseCallbacks(MakeNullCallback<void, Ptr<Socket>>(),
                                       MakeNullCallback<void, Ptr<Socket>>());
        way->socket->TraceDisconnectWithoutContext(
            "Tx",
            MakeCallback(&Outgoing::HandleTransmit, way.get()));
        way->socket->TraceDisconnectWithoutContext("RTO",
                                                   MakeCallback(&Outgoing::HandleRto, way.get()));
    }
    for (const auto& [socket, way] : m_incoming)
    {
        socket->SetRecvCallback(MakeNullCallback<void, Ptr<Socket>>());
    }
    if (m_listener)
    {
        m_listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                      MakeNullCallback<void, Ptr<Socket>, const Address&>());
    }
    m_outgoing.clear();
    m_incoming.clear();
    m_listener = nullptr;
    m_node = nullptr;
    TensorChannel::DoDispose();
}

void
StreamTensorChannel::Listen(Ptr<Node> node, uint16_t port)
{
    NS_LOG_FUNCTION(this << node << port);
    m_node = node;
    m_listener = Socket::CreateSocket(node, m_socketFactory);
    const int error = m_listener->Bind(InetSocketAddress(Ipv4Address::GetAny(), port));
    NS_ABORT_MSG_IF(error != 0, "tensor channel: port " << port << " is in use on this host");
    m_listener->Listen();
    m_listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                  MakeCallback(&StreamTensorChannel::HandleAccept, this));
}

uint32_t
StreamTensorChannel::Connect(const Address& peer)
{
    NS_LOG_FUNCTION(this << peer);
    NS_ABORT_MSG_UNLESS(m_node, "tensor channel: Listen comes before Connect");
    auto way = std::make_unique<Outgoing>();
    way->channel = this;
    way->peer = m_outgoing.size();
    if (m_frontLayersFirst)
    {
        way->order = std::make_unique<gradnet::PriorityTensorOrder>(m_sliceBytes, m_credit);
    }
    else
    {
        way->order = std::make_unique<gradnet::FifoTensorOrder>();
    }
    way->socket = Socket::CreateSocket(m_node, m_socketFactory);
    way->socket->Bind();
    way->bufferBytes = way->socket->GetTxAvailable();
    way->socket->SetSendCallback(MakeCallback(&Outgoing::HandleRoom, way.get()));
    // A handshake without an answer ends in a failed connection, a reset in a normal close.
    way->socket->SetConnectCallback(MakeNullCallback<void, Ptr<Socket>>(),
                                    MakeCallback(&Outgoing::HandleFailure, way.get()));
    way->socket->SetCloseCallbacks(MakeCallback(&Outgoing::HandleFailure, way.get()),
                                   MakeCallback(&Outgoing::HandleFailure, way.get()));
    way->socket->TraceConnectWithoutContext("Tx",
                                            MakeCallback(&Outgoing::HandleTransmit, way.get()));
    way->socket->TraceConnectWithoutContext("RTO", MakeCallback(&Outgoing::HandleRto, way.get()));
    way->socket->Connect(peer);
    way->socket->ShutdownRecv();
    m_outgoing.push_back(std::move(way));
    return m_outgoing.size() - 1;
}

void
StreamTensorChannel::Send(uint32_t peer, const gradnet::Tensor& tensor)
{
    NS_LOG_FUNCTION(this << peer << tensor.part << tensor.bytes);
    NS_ASSERT_MSG(peer < m_outgoing.size(), "tensor channel: no peer " << peer);
    NS_ASSERT_MSG(tensor.bytes > 0, "tensor channel: an empty tensor is not sent");
    m_tensorQueued(tensor);
    Outgoing& way = *m_outgoing[peer];
    const uint64_t handle = way.nextHandle++;
    way.waiting.emplace(handle, tensor);
    way.order->Add({handle, tensor.layer, tensor.bytes});
    Pump(way);
}

void
StreamTensorChannel::Pump(Outgoing& way)
{
    while (true)
    {
        const uint32_t room = way.socket->GetTxAvailable();
        if (way.sliceLeft == 0)
        {
            if (!StartSlice(way, room))
            {
                return;
            }
            continue;
        }
        if (room == 0)
        {
            return;
        }
        const uint32_t bytes = std::min<uint64_t>(room, way.sliceLeft);
        if (way.socket->Send(Create<Packet>(bytes)) < 0)
        {
            return;
        }
        way.sliceLeft -= bytes;
        if (way.sliceLeft == 0 && way.slice.last)
        {
            const auto sent = way.waiting.extract(way.slice.id);
            m_tensorSent(sent.mapped());
        }
    }
}

bool
StreamTensorChannel::StartSlice(Outgoing& way, uint32_t room)
{
    if (room < TensorHeader::SIZE)
    {
        return false;
    }
    const auto slice = way.order->Poll(way.bufferBytes - room);
    if (!slice)
    {
        return false;
    }
    auto framing = Create<Packet>();
    framing->AddHeader(TensorHeader(way.waiting.at(slice->id), slice->offset, slice->bytes));
    if (way.socket->Send(framing) < 0)
    {
        return false;
    }
    way.slice = *slice;
    way.sliceLeft = slice->bytes;
    return true;
}

void
StreamTensorChannel::Outgoing::HandleRoom(Ptr<Socket>, uint32_t)
{
    channel->Pump(*this);
}

void
StreamTensorChannel::Outgoing::HandleFailure(Ptr<Socket>)
{
    if (!isFailed)
    {
        isFailed = true;
        channel->m_connectionFailed(peer);
    }
}

void
StreamTensorChannel::Outgoing::HandleTransmit(Ptr<const Packet> packet,
                                              const TcpHeader& header,
                                              Ptr<const TcpSocketBase>)
{
    const uint32_t bytes = packet->GetSize();
    if (bytes == 0)
    {
        return;
    }
    const SequenceNumber32 start = header.GetSequenceNumber();
    const SequenceNumber32 end = start + SequenceNumber32(bytes);
    if (isEstablished && start < highest)
    {
        channel->m_bytesResent(bytes);
    }
    highest = isEstablished ? std::max(highest, end) : end;
    isEstablished = true;
}

void
StreamTensorChannel::Outgoing::HandleRto(Time oldRto, Time newRto)
{
    // Only an expired timer doubles it exactly; an estimate hits the double by no more than chance,
    // but for the first one, of the handshake.
    if (isEstablished && newRto == oldRto + oldRto)
    {
        channel->m_timeoutExpired();
    }
}

void
StreamTensorChannel::HandleAccept(Ptr<Socket> socket, const Address& from)
{
    NS_LOG_FUNCTION(this << socket << from);
    m_incoming[socket].headerBytes = Create<Packet>();
    socket->SetRecvCallback(MakeCallback(&StreamTensorChannel::HandleRead, this));
}

void
StreamTensorChannel::HandleRead(Ptr<Socket> socket)
{
    Incoming& way = m_incoming.at(socket);
    while (Ptr<Packet> packet = socket->Recv())
    {
        if (packet->GetSize() == 0)
        {
            return;
        }
        Consume(way, packet);
    }
}

void
StreamTensorChannel::Consume(Incoming& way, Ptr<Packet> packet)
{
    while (packet->GetSize() > 0)
    {
        if (way.sliceLeft > 0)
        {
            const uint32_t bytes = std::min<uint64_t>(way.sliceLeft, packet->GetSize());
            packet->RemoveAtStart(bytes);
            way.sliceLeft -= bytes;
            Account(way, bytes);
            continue;
        }
        const uint32_t missing = TensorHeader::SIZE - way.headerBytes->GetSize();
        const uint32_t bytes = std::min(missing, packet->GetSize());
        way.headerBytes->AddAtEnd(packet->CreateFragment(0, bytes));
        packet->RemoveAtStart(bytes);
        if (bytes == missing)
        {
            way.headerBytes->RemoveHeader(way.header);
            way.sliceLeft = way.header.GetLength();
        }
    }
}

void
StreamTensorChannel::Account(Incoming& way, uint64_t bytes)
{
    const gradnet::Tensor tensor = way.header.GetTensor();
    m_bytesReceived(tensor, bytes);
    if (way.sliceLeft > 0)
    {
        return;
    }
    const uint64_t length = way.header.GetLength();
    if (length < tensor.bytes)
    {
        const TensorKey key{tensor.iteration, tensor.part, tensor.step};
        uint64_t& received = way.received[key];
        received += length;
        if (received < tensor.bytes)
        {
            return;
        }
        way.received.erase(key);
    }
    Deliver(tensor);
}

} // namespace ns3
