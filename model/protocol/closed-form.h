// SPDX-License-Identifier: GPL-2.0-only

#ifndef GRADNET_CLOSED_FORM_H
#define GRADNET_CLOSED_FORM_H

#include "communication-plan.h"

#include <cstdint>
#include <vector>

namespace gradnet
{

/// What a payload costs on a link.
struct PacketFormat
{
    uint32_t payloadBytes{1448}; ///< payload of a full packet, in bytes
    uint32_t headerBytes{42};    ///< headers in a frame: PPP 2, IPv4 20, TCP 20
    uint32_t gapBytes{36};       ///< rest of Ethernet: preamble, MAC header, FCS, interframe gap
    uint32_t tensorBytes{0};     ///< framing before each tensor

    /**
     * Link time that a payload takes at least, as bytes: full packets only.
     *
     * \param bytes payload of one tensor in bytes
     * \return bytes on the wire, headers and gaps included
     */
    double GetWireBytes(uint64_t bytes) const;
};

/// What the network can do at most.
struct NetworkLimits
{
    double bytesPerSecond{0}; ///< rate of a host's link, each direction
    double latencySeconds{0}; ///< smallest delay of signals between two hosts, one way
    PacketFormat format;      ///< headers
};

/// Compute time of one layer in one iteration on one worker, in seconds.
struct LayerTimes
{
    double forward{0};
    double backward{0};
};

/// [worker][iteration][layer]
using ComputeTimes = std::vector<std::vector<std::vector<LayerTimes>>>;

/// How the units of a plan travel.
struct CollectiveShape
{
    bool ring{false};    ///< true: ring all-reduce among the workers; false: parameter servers
    uint32_t servers{1}; ///< number of parameter servers
};

/**
 * The time that no run of the workload can pass, from the start of training until every worker has
 * the last parameters. It holds for every order, transport and load balancing, since it uses only
 *
 * - dependencies: a layer's forward waits for its parameters, these for every worker's gradients;
 * - release: a gradient leaves its worker after the layer's backward;
 * - capacity: what is released after t passes each host's link after t. For every layer, the units
 *   up to it are taken alone, as if the rest of the traffic were not there.
 *
 * Hosts are at least two links apart. This makes up for the gap after the last frame, which is
 * counted: the second link has to repeat that frame, whose headers are no shorter.
 *
 * doc/closed-forms.rst derives it.
 *
 * \param plan how gradients are cut
 * \param shape how the units travel
 * \param limits the network
 * \param compute the compute times as drawn, at least one worker and one iteration
 * \return the bound in seconds
 */
double GetTrainingBound(const CommunicationPlan& plan,
                        const CollectiveShape& shape,
                        const NetworkLimits& limits,
                        const ComputeTimes& compute);

/**
 * Time for one tensor on an idle path whose links have one rate, from its first byte at the sender
 * to its last at the receiver.
 *
 * \param bytes size of the tensor in bytes, above 0
 * \param hops number of links, at least 1
 * \param limits the network; its latency is taken as that of one link
 * \return the time in seconds
 */
double GetIdealTransferTime(uint64_t bytes, uint32_t hops, const NetworkLimits& limits);

} // namespace gradnet

#endif // GRADNET_CLOSED_FORM_H
