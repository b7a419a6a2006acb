// SPDX-License-Identifier: GPL-2.0-only

#ifndef GRADNET_DATA_CENTER_DEFAULTS_H
#define GRADNET_DATA_CENTER_DEFAULTS_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/queue-size.h"
#include "ns3/traffic-control-helper.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup gradnet
 * Settings under which ns-3's TCP and queues do their best in a data centre. Stock defaults are
 * made for the wide area: 536 B segments, 1 s minimum RTO, 200 ms delayed acknowledgments.
 *
 * Use: set the members, call Apply() before any node exists, and print what Check() returns once
 * the script has made its own settings.
 */
class DataCenterDefaults
{
  public:
    DataRate rate{"25Gbps"};                      ///< rate of the hosts' links
    Time delay{MicroSeconds(1)};                  ///< propagation delay of a link
    uint16_t mtu{1500};                           ///< MTU of every link in bytes, at least 576
    Time minRto{MilliSeconds(10)};                ///< smallest retransmission timeout
    std::string congestionOps{"TcpFlooredDctcp"}; ///< ns-3 class of the congestion control
    QueueSize buffer{"4MB"};                      ///< buffer of a switch port
    bool spraying{false};                         ///< true: packets of a connection take many paths
    QueueSize markingThreshold{"0B"};             ///< of a port that marks; 0: by the port's rate
    uint32_t reTxThreshold{0};                    ///< duplicate acknowledgments; 0: by `spraying`

    /// Sets the attributes' defaults. Sockets that exist keep theirs.
    void Apply() const;

    /**
     * Tells which of the defaults are no longer as Apply() set them.
     *
     * \return a sentence for each, with the value, the one set here, and why
     */
    std::vector<std::string> Check() const;

    /**
     * A switch port's RED queue disc that marks every ECN-capable packet above one threshold of the
     * instantaneous queue, as DCTCP wants it, and drops others there.
     *
     * \param portRate rate of the port
     * \return a helper that installs it
     */
    TrafficControlHelper MakeRedEcnQueue(DataRate portRate) const;

    /// \return a helper that installs a switch port's drop-tail queue disc
    TrafficControlHelper MakeFifoQueue() const;

    /**
     * A host's queue disc: one queue a connection, round robin, no early drop. ns-3's TCP puts its
     * whole window into the queue below, so that in a single queue connections would hold up one
     * another, and drops there would be losses that no network made.
     *
     * \return a helper that installs it
     */
    TrafficControlHelper MakeHostQueue() const;

    /**
     * DCTCP's marking threshold: 65 packets of 1500 B at 10 Gb/s, in proportion to the rate, at
     * most 0.4 of the buffer (Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010, section
     * 3.4: 65 packets at 10 Gb/s).
     *
     * \param portRate rate of the port
     * \return `markingThreshold` if it is above 0, else the threshold in the unit of `buffer`
     */
    QueueSize GetMarkingThreshold(DataRate portRate) const;

    /// \return what fits into the longest path and back, 12 links, at `rate`, in bytes
    uint64_t GetBandwidthDelayBytes() const;

    /// \return the send buffer of a socket, in bytes; the receive buffer is 4 times as large
    uint32_t GetSendBufferBytes() const;

    /// \return duplicate acknowledgments after which TCP takes a segment for lost
    uint32_t GetReTxThreshold() const;

  private:
    /// One default and the reason for it.
    struct Setting
    {
        std::string typeId;
        std::string attribute;
        std::string value;
        std::string reason;
    };

    std::vector<Setting> GetSettings() const;
};

} // namespace ns3

#endif // GRADNET_DATA_CENTER_DEFAULTS_H
