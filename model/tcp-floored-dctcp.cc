// SPDX-License-Identifier: GPL-2.0-only

#include "tcp-floored-dctcp.h"

#include "ns3/tcp-socket-state.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(TcpFlooredDctcp);

TypeId
TcpFlooredDctcp::GetTypeId()
{
    static TypeId tid = TypeId("ns3::TcpFlooredDctcp")
                            .SetParent<TcpDctcp>()
                            .SetGroupName("Gradnet")
                            .AddConstructor<TcpFlooredDctcp>();
    return tid;
}

std::string
TcpFlooredDctcp::GetName() const
{
    return "TcpFlooredDctcp";
}

uint32_t
TcpFlooredDctcp::GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t bytesInFlight)
{
    return std::max(TcpDctcp::GetSsThresh(tcb, bytesInFlight), 2 * tcb->m_segmentSize);
}

Ptr<TcpCongestionOps>
TcpFlooredDctcp::Fork()
{
    return CopyObject<TcpFlooredDctcp>(this);
}

} // namespace ns3
