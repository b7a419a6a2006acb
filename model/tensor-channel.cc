// SPDX-License-Identifier: GPL-2.0-only

#include "tensor-channel.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(TensorChannel);

TypeId
TensorChannel::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::TensorChannel")
            .SetParent<Object>()
            .SetGroupName("Gradnet")
            .AddTraceSource("TensorQueued",
                            "A tensor was handed to the channel",
                            MakeTraceSourceAccessor(&TensorChannel::m_tensorQueued),
                            "ns3::TensorChannel::TensorTracedCallback")
            .AddTraceSource("TensorSent",
                            "The last byte of a tensor was handed to the transport",
                            MakeTraceSourceAccessor(&TensorChannel::m_tensorSent),
                            "ns3::TensorChannel::TensorTracedCallback")
            .AddTraceSource("TensorReceived",
                            "A tensor has arrived at this host",
                            MakeTraceSourceAccessor(&TensorChannel::m_tensorReceived),
                            "ns3::TensorChannel::TensorTracedCallback")
            .AddTraceSource("BytesReceived",
                            "Payload of a tensor has arrived at this host, in order",
                            MakeTraceSourceAccessor(&TensorChannel::m_bytesReceived),
                            "ns3::TensorChannel::BytesReceivedTracedCallback")
            .AddTraceSource("BytesResent",
                            "The transport has sent payload again",
                            MakeTraceSourceAccessor(&TensorChannel::m_bytesResent),
                            "ns3::TensorChannel::BytesTracedCallback")
            .AddTraceSource("TimeoutExpired",
                            "The transport's retransmission timer has expired",
                            MakeTraceSourceAccessor(&TensorChannel::m_timeoutExpired),
                            "ns3::TracedCallback::Void")
            .AddTraceSource("ConnectionFailed",
                            "The transport has given a peer up",
                            MakeTraceSourceAccessor(&TensorChannel::m_connectionFailed),
                            "ns3::TensorChannel::PeerTracedCallback");
    return tid;
}

void
TensorChannel::SetReceiveCallback(ReceiveCallback callback)
{
    m_receive = callback;
}

void
TensorChannel::DoDispose()
{
    m_receive = ReceiveCallback();
    Object::DoDispose();
}

void
TensorChannel::Deliver(const gradnet::Tensor& tensor)
{
    m_tensorReceived(tensor);
    if (!m_receive.IsNull())
    {
        m_receive(tensor);
    }
}

} // namespace ns3
