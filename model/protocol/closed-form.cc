// SPDX-License-Identifier: GPL-2.0-only

#include "closed-form.h"

#include "collective-schedule.h"

#include <algorithm>
#include <limits>

namespace gradnet
{

namespace
{

/// Lower bounds on when the gradients of each layer are there.
struct Releases
{
    std::vector<std::vector<double>> ofWorker; ///< [worker][layer]
    std::vector<double> ofLast;                ///< [layer], on the last worker, whichever it is
};

/// Lower bounds on when the parameters of the layers up to each are there.
struct Arrivals
{
    std::vector<std::vector<double>> atWorker; ///< [worker][layer]
    std::vector<double> atLast;                ///< [layer], at the last worker, whichever it is
};

/// The units up to a layer: sums and maxima that grow unit by unit.
class PrefixBound
{
  public:
    PrefixBound(const CommunicationPlan& plan,
                const CollectiveShape& shape,
                const NetworkLimits& limits,
                uint32_t workers)
        : m_plan(plan),
          m_shape(shape),
          m_limits(limits),
          m_workers(workers)
    {
    }

    Arrivals GetArrivals(const Releases& releases, uint32_t layers)
    {
        Arrivals arrivals;
        arrivals.atWorker.assign(m_workers, std::vector<double>(layers, 0));
        arrivals.atLast.assign(layers, 0);
        Reset();
        uint32_t unit = 0;
        for (uint32_t layer = 0; layer < layers; ++layer)
        {
            for (; unit < m_plan.units.size() && m_plan.units[unit].frontLayer <= layer; ++unit)
            {
                m_shape.ring ? AddBucket(m_plan.units[unit], releases)
                             : AddPart(m_plan.units[unit], releases);
            }
            for (uint32_t worker = 0; worker < m_workers; ++worker)
            {
                arrivals.atWorker[worker][layer] = m_worker[worker];
            }
            arrivals.atLast[layer] =
                std::max(m_last, *std::max_element(m_worker.begin(), m_worker.end()));
        }
        return arrivals;
    }

  private:
    void Reset()
    {
        m_worker.assign(m_workers, 0);
        m_last = 0;
        m_total = 0;
        m_server.assign(m_shape.servers, 0);
        m_smallest = std::numeric_limits<double>::infinity();
    }

    double Seconds(double wireBytes) const
    {
        return wireBytes / m_limits.bytesPerSecond;
    }

    static double FirstRelease(const Releases& releases, uint32_t layer)
    {
        double first = releases.ofWorker[0][layer];
        for (const auto& worker : releases.ofWorker)
        {
            first = std::min(first, worker[layer]);
        }
        return first;
    }

    void AddPart(const CommunicationUnit& unit, const Releases& releases)
    {
        const double wire = m_limits.format.GetWireBytes(unit.bytes);
        m_total += wire;
        m_server[unit.server] += wire;
        m_smallest = std::min(m_smallest, wire);
        const double oneMore = Seconds(m_smallest) + 2 * m_limits.latencySeconds;
        const double allOfServer = Seconds(m_workers * m_server[unit.server]);

        // Every worker waits for the slowest push: over its worker's link, over the server's link.
        double pushed = FirstRelease(releases, unit.frontLayer) + allOfServer;
        for (const auto& release : releases.ofWorker)
        {
            pushed = std::max(pushed, release[unit.frontLayer] + Seconds(m_total));
        }
        // Pulls begin after the last push of a part: over each worker's link, over the server's.
        const double pullable = releases.ofLast[unit.frontLayer] + oneMore;
        const double each = std::max(pushed + oneMore, pullable + Seconds(m_total));
        for (double& arrival : m_worker)
        {
            arrival = std::max(arrival, each);
        }
        m_last = std::max(m_last, pullable + allOfServer);
    }

    void AddBucket(const CommunicationUnit& unit, const Releases& releases)
    {
        if (m_workers == 1)
        {
            m_worker[0] = std::max(m_worker[0], releases.ofLast[unit.frontLayer]);
            return;
        }
        // In each of its two phases a rank sends all chunks but one, at least all but the longest,
        // which is the first. In the second these are sums that hold every gradient.
        for (uint32_t chunk = 1; chunk < m_workers; ++chunk)
        {
            const uint64_t bytes = GetChunkBytes(unit.bytes, m_workers, chunk);
            m_total += bytes > 0 ? m_limits.format.GetWireBytes(bytes) : 0;
        }
        // The only chunk of a bucket of one value is finished at a rank that gathers nothing.
        const double latency = m_total > 0 ? m_limits.latencySeconds : 0;
        const double gathered = releases.ofLast[unit.frontLayer] + Seconds(m_total) + latency;
        for (uint32_t rank = 0; rank < m_workers; ++rank)
        {
            const double sent = releases.ofWorker[rank][unit.frontLayer] + Seconds(2 * m_total) +
                                m_limits.latencySeconds;
            double& next = m_worker[(rank + 1) % m_workers];
            next = std::max({next, sent, gathered});
        }
    }

    const CommunicationPlan& m_plan;
    const CollectiveShape& m_shape;
    const NetworkLimits& m_limits;
    uint32_t m_workers;
    std::vector<double> m_worker; ///< units so far are at this worker
    double m_last{0};             ///< units so far are at every worker
    double m_total{0};            ///< wire bytes of the units so far over a worker's link
    std::vector<double> m_server; ///< the same from one worker to each server
    double m_smallest{0};         ///< wire bytes of the smallest unit so far
};

/// Plays one iteration with the arrivals of the last one.
Releases
PlayIteration(const ComputeTimes& compute,
              uint32_t iteration,
              const Arrivals& arrivals,
              std::vector<double>& end)
{
    const uint32_t layers = compute[0][iteration].size();
    Releases releases;
    releases.ofLast.assign(layers, 0);
    std::vector<double> fastest(layers, std::numeric_limits<double>::infinity());
    for (uint32_t worker = 0; worker < compute.size(); ++worker)
    {
        const auto& times = compute[worker][iteration];
        double now = end[worker];
        for (uint32_t layer = 0; layer < layers; ++layer)
        {
            now = std::max(now, arrivals.atWorker[worker][layer]) + times[layer].forward;
        }
        std::vector<double> release(layers);
        for (uint32_t layer = layers; layer-- > 0;)
        {
            now += times[layer].backward;
            release[layer] = now;
            releases.ofLast[layer] = std::max(releases.ofLast[layer], now);
        }
        end[worker] = now;
        releases.ofWorker.push_back(release);

        double rest = 0;
        for (uint32_t layer = layers; layer-- > 0;)
        {
            rest += times[layer].forward;
            fastest[layer] = std::min(fastest[layer], rest);
        }
    }
    // Some worker, if not one known by name, waited until `atLast`.
    double lastForward = 0;
    for (uint32_t layer = 0; layer < layers; ++layer)
    {
        lastForward = std::max(lastForward, arrivals.atLast[layer] + fastest[layer]);
    }
    for (uint32_t layer = layers; layer-- > 0;)
    {
        double shortest = std::numeric_limits<double>::infinity();
        for (const auto& worker : compute)
        {
            shortest = std::min(shortest, worker[iteration][layer].backward);
        }
        lastForward += shortest;
        releases.ofLast[layer] = std::max(releases.ofLast[layer], lastForward);
    }
    return releases;
}

} // namespace

double
PacketFormat::GetWireBytes(uint64_t bytes) const
{
    const double perByte =
        (static_cast<double>(payloadBytes) + headerBytes + gapBytes) / payloadBytes;
    return (static_cast<double>(bytes) + tensorBytes) * perByte;
}

double
GetTrainingBound(const CommunicationPlan& plan,
                 const CollectiveShape& shape,
                 const NetworkLimits& limits,
                 const ComputeTimes& compute)
{
    const uint32_t workers = compute.size();
    const uint32_t layers = compute[0][0].size();
    PrefixBound bound(plan, shape, limits, workers);
    Arrivals arrivals;
    arrivals.atWorker.assign(workers, std::vector<double>(layers, 0));
    arrivals.atLast.assign(layers, 0);
    std::vector<double> end(workers, 0);
    for (uint32_t iteration = 0; iteration < compute[0].size(); ++iteration)
    {
        arrivals = bound.GetArrivals(PlayIteration(compute, iteration, arrivals, end), layers);
    }
    return std::max(arrivals.atLast.back(), *std::max_element(end.begin(), end.end()));
}

double
GetIdealTransferTime(uint64_t bytes, uint32_t hops, const NetworkLimits& limits)
{
    const PacketFormat& format = limits.format;
    const uint64_t payload = bytes + format.tensorBytes;
    const uint64_t packets = (payload + format.payloadBytes - 1) / format.payloadBytes;
    const uint64_t wire = payload + packets * format.headerBytes + (packets - 1) * format.gapBytes;
    const uint64_t longest = std::min<uint64_t>(payload, format.payloadBytes) + format.headerBytes;
    // A short last packet waits behind a full one at every hop, so each hop adds a full one.
    return (wire + (hops - 1) * longest) / limits.bytesPerSecond + hops * limits.latencySeconds;
}

} // namespace gradnet
