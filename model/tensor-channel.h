// SPDX-License-Identifier: GPL-2.0-only

#ifndef GRADNET_TENSOR_CHANNEL_H
#define GRADNET_TENSOR_CHANNEL_H

#include "ns3/address.h"
#include "ns3/callback.h"
#include "ns3/node.h"
#include "ns3/object.h"
#include "ns3/tensor.h"
#include "ns3/traced-callback.h"

namespace ns3
{

/**
 * \ingroup gradnet
 * What an application sends and receives tensors through, whatever the transport: the only thing
 * of the network that TrainingWorker and ParameterServer know.
 *
 * A channel decides the order in which tensors leave; it leaves congestion and loss to the
 * transport below. Each tensor is delivered once, or the channel reports ConnectionFailed.
 */
class TensorChannel : public Object
{
  public:
    static TypeId GetTypeId();

    /// Called for each tensor that has arrived.
    using ReceiveCallback = Callback<void, const gradnet::Tensor&>;

    /**
     * Takes tensors from any peer.
     *
     * \param node the host
     * \param port its port; tensors may come as soon as this returns
     */
    virtual void Listen(Ptr<Node> node, uint16_t port) = 0;

    /**
     * Opens the way to a peer that listens.
     *
     * \param peer its InetSocketAddress
     * \return the peer's number in Send, counted from 0
     */
    virtual uint32_t Connect(const Address& peer) = 0;

    /**
     * Sends a tensor; never blocks.
     *
     * \param peer a number that Connect returned
     * \param tensor the tensor, of more than 0 bytes
     */
    virtual void Send(uint32_t peer, const gradnet::Tensor& tensor) = 0;

    /// \param callback called for each tensor that has arrived
    void SetReceiveCallback(ReceiveCallback callback);

    /**
     * Signature of the trace sources that tell of a tensor.
     *
     * \param tensor the tensor
     */
    typedef void (*TensorTracedCallback)(const gradnet::Tensor& tensor);
    /**
     * Signature of the trace source BytesReceived.
     *
     * \param tensor the tensor that the bytes belong to
     * \param bytes payload that has just arrived, in bytes
     */
    typedef void (*BytesReceivedTracedCallback)(const gradnet::Tensor& tensor, uint64_t bytes);
    /**
     * Signature of the trace source BytesResent.
     *
     * \param bytes payload sent again in one packet, in bytes
     */
    typedef void (*BytesTracedCallback)(uint32_t bytes);
    /**
     * Signature of the trace source ConnectionFailed.
     *
     * \param peer the peer's number, as Connect returned it
     */
    typedef void (*PeerTracedCallback)(uint32_t peer);

  protected:
    void DoDispose() override;
    /// \param tensor a tensor that has arrived whole
    void Deliver(const gradnet::Tensor& tensor);

    TracedCallback<const gradnet::Tensor&> m_tensorQueued;
    TracedCallback<const gradnet::Tensor&> m_tensorSent;
    TracedCallback<const gradnet::Tensor&> m_tensorReceived;
    TracedCallback<const gradnet::Tensor&, uint64_t> m_bytesReceived;
    TracedCallback<uint32_t> m_bytesResent;
    TracedCallback<> m_timeoutExpired;
    TracedCallback<uint32_t> m_connectionFailed;

  private:
    ReceiveCallback m_receive;
};

} // namespace ns3

#endif // GRADNET_TENSOR_CHANNEL_H
