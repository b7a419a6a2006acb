// SPDX-License-Identifier: GPL-2.0-only

#ifndef GRADNET_STREAM_TENSOR_CHANNEL_H
#define GRADNET_STREAM_TENSOR_CHANNEL_H

#include "tensor-channel.h"
#include "tensor-header.h"

#include "ns3/sequence-number.h"
#include "ns3/socket.h"
#include "ns3/tcp-header.h"
#include "ns3/tensor-order.h"

#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace ns3
{

class TcpSocketBase;

/**
 * \ingroup gradnet
 * Tensors over stream sockets, TCP unless SocketFactory says otherwise.
 *
 * One connection for each peer and direction: stock TCP drops reordered data of a two-way
 * connection (data whose acknowledgment number is old), so that the acknowledgments of sprayed
 * packets would cost retransmissions. Each slice is preceded by a TensorHeader. Each connection
 * has its own TensorOrder, so that a slow peer holds up no other.
 */
class StreamTensorChannel : public TensorChannel
{
  public:
    static TypeId GetTypeId();
    ~StreamTensorChannel() override;

    void Listen(Ptr<Node> node, uint16_t port) override;
    uint32_t Connect(const Address& peer) override;
    void Send(uint32_t peer, const gradnet::Tensor& tensor) override;

  protected:
    void DoDispose() override;

  private:
    /// The way to one peer.
    struct Outgoing
    {
        StreamTensorChannel* channel;
        uint32_t peer;
        Ptr<Socket> socket;
        uint32_t bufferBytes; ///< room of the empty send buffer
        std::unique_ptr<gradnet::TensorOrder> order;
        std::unordered_map<uint64_t, gradnet::Tensor> waiting; ///< by handle, until the last byte
        uint64_t nextHandle{0};
        gradnet::TensorSlice slice; ///< the slice under way
        uint64_t sliceLeft{0};      ///< its bytes still to hand to the socket
        SequenceNumber32 highest;   ///< end of what was transmitted once
        bool isEstablished{false};  ///< payload has been transmitted
        bool isFailed{false};       ///< the peer was given up

        void HandleTransmit(Ptr<const Packet> packet,
                            const TcpHeader& header,
                            Ptr<const TcpSocketBase> socket);
        void HandleRto(Time oldRto, Time newRto);
        void HandleRoom(Ptr<Socket> socket, uint32_t room);
        void HandleFailure(Ptr<Socket> socket);
    };

    /// What a tensor is known by among those of one peer: iteration, part, step.
    using TensorKey = std::tuple<uint32_t, uint32_t, uint16_t>;

    /// The way from one peer.
    struct Incoming
    {
        Ptr<Packet> headerBytes;                ///< of a header that has come in part
        TensorHeader header;                    ///< of the slice under way
        uint64_t sliceLeft{0};                  ///< its bytes still to come
        std::map<TensorKey, uint64_t> received; ///< bytes of tensors that came in part
    };

    void Pump(Outgoing& way);
    bool StartSlice(Outgoing& way, uint32_t room);
    void HandleAccept(Ptr<Socket> socket, const Address& from);
    void HandleRead(Ptr<Socket> socket);
    void Consume(Incoming& way, Ptr<Packet> packet);
    void Account(Incoming& way, uint64_t bytes);

    TypeId m_socketFactory;
    bool m_frontLayersFirst;
    uint64_t m_sliceBytes;
    uint64_t m_credit;

    Ptr<Node> m_node;
    Ptr<Socket> m_listener;
    std::vector<std::unique_ptr<Outgoing>> m_outgoing;
    std::map<Ptr<Socket>, Incoming> m_incoming;
};

} // namespace ns3

#endif // GRADNET_STREAM_TENSOR_CHANNEL_H
