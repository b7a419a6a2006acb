// SPDX-License-Identifier: GPL-2.0-only

#ifndef GRADNET_TCP_FLOORED_DCTCP_H
#define GRADNET_TCP_FLOORED_DCTCP_H

#include "ns3/tcp-dctcp.h"

namespace ns3
{

/**
 * \ingroup gradnet
 * DCTCP whose window never falls below two segments, as Linux has it.
 *
 * Stock TcpDctcp multiplies the window down without a floor. Below one segment, with nothing in
 * flight, ns-3 sends nothing more until a retransmission timer expires, if one runs: many workers
 * with jumbo frames on one server get there within milliseconds.
 */
class TcpFlooredDctcp : public TcpDctcp
{
  public:
    static TypeId GetTypeId();

    std::string GetName() const override;
    uint32_t GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t bytesInFlight) override;
    Ptr<TcpCongestionOps> Fork() override;
};

} // namespace ns3

#endif // GRADNET_TCP_FLOORED_DCTCP_H
