// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/closed-form.h"
#include "ns3/collective-schedule.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <random>
#include <vector>

namespace gradnet
{

namespace
{

constexpr double NEVER = std::numeric_limits<double>::infinity();

/// Headers that cost nothing: a byte of payload is a byte on the wire.
constexpr PacketFormat BARE{1000, 0, 0, 0};

/// What GetTrainingBound takes.
struct Training
{
    CommunicationPlan plan;
    CollectiveShape shape;
    NetworkLimits limits;
    ComputeTimes compute;

    double GetBound() const
    {
        return GetTrainingBound(plan, shape, limits, compute);
    }

    uint32_t GetNRanks() const
    {
        return compute.size() + (shape.ring ? 0 : shape.servers);
    }

    CollectiveSchedule MakeSchedule(uint32_t rank, uint32_t unit) const
    {
        const uint32_t workers = compute.size();
        if (shape.ring)
        {
            return MakeRingSchedule(workers, rank);
        }
        const uint32_t server = workers + plan.units[unit].server;
        if (rank < workers)
        {
            return MakeWorkerSchedule(server);
        }
        return rank == server ? MakeServerSchedule(workers, unit % workers) : CollectiveSchedule{};
    }
};

/// A tensor of one collective under way.
struct Transfer
{
    uint32_t from;
    uint32_t to;
    uint32_t iteration;
    uint32_t unit;
    uint32_t step;
    double wireBytes; ///< left to send
    double place;     ///< smaller goes first
};

/// Gives a transfer its place in the order, smaller first.
using Priority = std::function<double(const Transfer&)>;

/**
 * The training on an ideal network: a full-duplex link a host, any rate of flow, cut-through, no
 * loss. In order of priority each transfer gets all that is left of its sender's and its receiver's
 * link. So it does nothing that a real network could not come near to.
 */
class IdealRun
{
  public:
    IdealRun(const Training& training, Priority priority)
        : m_training(training),
          m_priority(std::move(priority)),
          m_layers(training.compute[0][0].size()),
          m_iterations(training.compute[0].size()),
          m_unitsByLayer(training.plan.GetUnitsByLayer(m_layers)),
          m_schedules(training.GetNRanks()),
          m_missing(training.GetNRanks()),
          m_workers(training.compute.size())
    {
        for (uint32_t rank = 0; rank < m_schedules.size(); ++rank)
        {
            for (uint32_t unit = 0; unit < training.plan.units.size(); ++unit)
            {
                m_schedules[rank].push_back(training.MakeSchedule(rank, unit));
            }
            m_missing[rank].assign(m_iterations, GetMissing(rank));
        }
    }

    /// \return when every worker has the last parameters
    double Run()
    {
        for (uint32_t worker = 0; worker < m_workers.size(); ++worker)
        {
            TryForward(worker);
        }
        while (true)
        {
            const std::vector<double> rates = ShareLinks();
            double next = m_arrivals.empty() ? NEVER : m_arrivals.begin()->first;
            for (const auto& worker : m_workers)
            {
                next = std::min(next, worker.busyUntil);
            }
            for (std::size_t i = 0; i < rates.size(); ++i)
            {
                next = std::min(next, m_now + m_transfers[i].wireBytes / rates[i]);
            }
            if (next == NEVER)
            {
                break;
            }
            Move(rates, next - m_now);
            m_now = next;
            HandleArrivals();
            HandleCompute();
        }
        for (const auto& worker : m_workers)
        {
            EXPECT_EQ(worker.iteration, m_iterations) << "a worker waits without end";
        }
        return m_now;
    }

  private:
    /// [unit][step]
    using Steps = std::vector<std::vector<uint32_t>>;

    struct Worker
    {
        uint32_t iteration{0};
        uint32_t layer{0};
        bool backward{false};
        double busyUntil{NEVER}; ///< NEVER while it waits, and after the last iteration
    };

    uint64_t GetBytes(uint32_t rank, uint32_t unit, uint32_t chunk) const
    {
        return GetChunkBytes(m_training.plan.units[unit].bytes,
                             m_schedules[rank][unit].chunks,
                             chunk);
    }

    Steps GetMissing(uint32_t rank) const
    {
        Steps missing(m_schedules[rank].size());
        for (uint32_t unit = 0; unit < missing.size(); ++unit)
        {
            for (const auto& step : m_schedules[rank][unit].steps)
            {
                const bool comes = GetBytes(rank, unit, step.chunk) > 0;
                missing[unit].push_back((comes ? step.receives : 0) + (step.ownGradient ? 1 : 0));
            }
        }
        return missing;
    }

    std::vector<double> ShareLinks()
    {
        std::sort(m_transfers.begin(), m_transfers.end(), [](const auto& a, const auto& b) {
            return a.place < b.place;
        });
        std::vector<double> out(m_schedules.size(), m_training.limits.bytesPerSecond);
        std::vector<double> in = out;
        std::vector<double> rates;
        for (const auto& transfer : m_transfers)
        {
            rates.push_back(std::min(out[transfer.from], in[transfer.to]));
            out[transfer.from] -= rates.back();
            in[transfer.to] -= rates.back();
        }
        return rates;
    }

    void Move(const std::vector<double>& rates, double seconds)
    {
        std::vector<Transfer> left;
        for (std::size_t i = 0; i < rates.size(); ++i)
        {
            Transfer& transfer = m_transfers[i];
            transfer.wireBytes -= rates[i] * seconds;
            if (transfer.wireBytes > 1e-9)
            {
                left.push_back(transfer);
                continue;
            }
            m_arrivals.emplace(m_now + seconds + m_training.limits.latencySeconds, transfer);
        }
        m_transfers = left;
    }

    void HandleArrivals()
    {
        while (!m_arrivals.empty() && m_arrivals.begin()->first <= m_now)
        {
            const Transfer transfer = m_arrivals.begin()->second;
            m_arrivals.erase(m_arrivals.begin());
            Arrive(transfer.to, transfer.iteration, transfer.unit, transfer.step);
        }
    }

    void HandleCompute()
    {
        for (uint32_t worker = 0; worker < m_workers.size(); ++worker)
        {
            if (m_workers[worker].busyUntil <= m_now)
            {
                m_workers[worker].busyUntil = NEVER;
                EndPass(worker);
            }
        }
    }

    void EndPass(uint32_t index)
    {
        Worker& worker = m_workers[index];
        if (!worker.backward && worker.layer + 1 < m_layers)
        {
            ++worker.layer;
            TryForward(index);
            return;
        }
        const uint32_t iteration = worker.iteration;
        const uint32_t layer = worker.layer;
        const bool hasGradient = worker.backward;
        if (!hasGradient || layer > 0)
        {
            worker.layer -= hasGradient ? 1 : 0;
            worker.backward = true;
            worker.busyUntil = m_now + m_training.compute[index][iteration][worker.layer].backward;
        }
        else
        {
            worker.backward = false;
            ++worker.iteration;
            TryForward(index);
        }
        for (uint32_t unit = 0; hasGradient && unit < m_training.plan.units.size(); ++unit)
        {
            if (m_training.plan.units[unit].frontLayer == layer)
            {
                ProvideGradient(index, iteration, unit);
            }
        }
    }

    void TryForward(uint32_t index)
    {
        Worker& worker = m_workers[index];
        if (worker.backward || worker.busyUntil != NEVER || worker.iteration == m_iterations)
        {
            return;
        }
        for (const uint32_t unit : m_unitsByLayer[worker.layer])
        {
            if (worker.iteration > 0)
            {
                const auto& missing = m_missing[index][worker.iteration - 1][unit];
                if (std::any_of(missing.begin(), missing.end(), [](auto n) { return n > 0; }))
                {
                    return;
                }
            }
        }
        worker.busyUntil =
            m_now + m_training.compute[index][worker.iteration][worker.layer].forward;
    }

    void ProvideGradient(uint32_t worker, uint32_t iteration, uint32_t unit)
    {
        const auto& steps = m_schedules[worker][unit].steps;
        for (uint32_t step = 0; step < steps.size(); ++step)
        {
            if (steps[step].ownGradient)
            {
                Arrive(worker, iteration, unit, step);
            }
        }
    }

    void Arrive(uint32_t rank, uint32_t iteration, uint32_t unit, uint32_t step)
    {
        if (--m_missing[rank][iteration][unit][step] > 0)
        {
            return;
        }
        for (const auto& send : m_schedules[rank][unit].steps[step].sends)
        {
            const uint64_t bytes = GetBytes(rank, unit, send.chunk);
            if (bytes > 0)
            {
                Transfer transfer{rank, send.to, iteration, unit, send.step, 0, 0};
                transfer.wireBytes = m_training.limits.format.GetWireBytes(bytes);
                transfer.place = m_priority(transfer);
                m_transfers.push_back(transfer);
            }
        }
        if (rank < m_workers.size())
        {
            TryForward(rank);
        }
    }

    const Training& m_training;
    Priority m_priority;
    uint32_t m_layers;
    uint32_t m_iterations;
    std::vector<std::vector<uint32_t>> m_unitsByLayer;
    std::vector<std::vector<CollectiveSchedule>> m_schedules; ///< [rank][unit]
    std::vector<std::vector<Steps>> m_missing;                ///< [rank][iteration]
    std::vector<Worker> m_workers;
    std::vector<Transfer> m_transfers;
    std::multimap<double, Transfer> m_arrivals;
    double m_now{0};
};

/// \return a draw from 0 to \p count - 1
uint32_t
Draw(std::mt19937& engine, uint32_t count)
{
    return engine() % count;
}

/**
 * \return a job of 1 to 4 workers and servers, 1 to 6 layers and 1 to 3 iterations. Times of 0,
 * layers without gradients, buckets of fewer values than workers, and framing are frequent.
 */
Training
DrawTraining(std::mt19937& engine, bool ring)
{
    const auto draw = [&engine](double most) {
        return engine() % 3 == 0 ? 0 : std::uniform_real_distribution<>(0, most)(engine);
    };
    TrainingProfile profile;
    const uint32_t layers = 1 + engine() % 6;
    const uint32_t mostValues = engine() % 3 == 0 ? 3 : 100;
    const double mostSeconds = engine() % 2 == 0 ? 1 : 10;
    for (uint32_t layer = 0; layer < layers; ++layer)
    {
        const uint64_t bytes = engine() % 4 == 0 ? 0 : 4 * (1 + engine() % mostValues);
        profile.layers.push_back({"layer", 0, 0, bytes});
    }
    Training training;
    training.shape.ring = ring;
    training.shape.servers = 1 + engine() % 4;
    training.plan = ring ? MakeAllReducePlan(profile, engine() % 2 * 200)
                         : MakeParameterServerPlan(profile, training.shape.servers, 200);
    training.limits.bytesPerSecond = 100;
    training.limits.latencySeconds = draw(0.5);
    training.limits.format = {40, Draw(engine, 20), Draw(engine, 20), 12 * Draw(engine, 2)};
    const uint32_t iterations = 1 + engine() % 3;
    for (uint32_t workers = 1 + engine() % 4; workers > 0; --workers)
    {
        training.compute.emplace_back(iterations, std::vector<LayerTimes>(layers));
        for (auto& iteration : training.compute.back())
        {
            for (auto& layer : iteration)
            {
                layer = {draw(mostSeconds), draw(mostSeconds)};
            }
        }
    }
    return training;
}

/// \return the shortest of runs under several orders: front layers first, rear ones, many drawn
double
GetBestIdealRun(const Training& training, std::mt19937& engine)
{
    double best = std::min(
        IdealRun(training, [](const Transfer& transfer) { return transfer.unit; }).Run(),
        IdealRun(training, [](const Transfer& transfer) { return -1.0 * transfer.unit; }).Run());
    for (uint32_t order = 0; order < 10; ++order)
    {
        best = std::min(best, IdealRun(training, [&engine](const Transfer&) {
                                  return static_cast<double>(engine());
                              }).Run());
    }
    return best;
}

/// Checks many jobs, and that the bound is no empty one: it is reached, and near on average.
void
ExpectNoIdealRunBelowTheBound(bool ring, double nearness)
{
    std::mt19937 engine(1);
    double sum = 0;
    double largest = 0;
    constexpr uint32_t TRIALS = 400;
    for (uint32_t trial = 0; trial < TRIALS; ++trial)
    {
        const Training training = DrawTraining(engine, ring);
        const double best = GetBestIdealRun(training, engine);
        const double share = best > 0 ? training.GetBound() / best : 1;
        EXPECT_LE(share, 1 + 1e-9) << "trial " << trial << ", " << training.compute.size()
                                   << " workers, best run " << best << " s";
        sum += share;
        largest = std::max(largest, share);
    }
    EXPECT_NEAR(largest, 1, 1e-9);
    EXPECT_GT(sum / TRIALS, nearness);
}

/**
 * Plays a tensor packet by packet over links that each store a frame before they forward it, and
 * leave a gap before their next one.
 */
double
PlayPipeline(uint64_t bytes, uint32_t hops, const NetworkLimits& limits)
{
    const PacketFormat& format = limits.format;
    std::vector<double> linkFree(hops, 0);
    double arrival = 0;
    for (uint64_t left = bytes + format.tensorBytes; left > 0;)
    {
        const uint64_t payload = std::min<uint64_t>(left, format.payloadBytes);
        left -= payload;
        arrival = 0;
        for (double& free : linkFree)
        {
            const double end =
                std::max(arrival, free) + (payload + format.headerBytes) / limits.bytesPerSecond;
            free = end + format.gapBytes / limits.bytesPerSecond;
            arrival = end + limits.latencySeconds;
        }
    }
    return arrival;
}

/// One worker and one server on links of 1 byte/s without headers; layers of 8 and 20 bytes.
Training
MakeTwoLayers(uint32_t iterations)
{
    Training training;
    training.plan.units = {{0, 0, 8, 0}, {1, 1, 20, 0}};
    training.limits = {1, 0, BARE};
    training.compute = {{iterations, {{1, 2}, {3, 4}}}};
    return training;
}

/// Two workers, of which the second computes longer; one layer of 8 bytes, 1 byte/s, 1 s latency.
Training
MakeTwoWorkers(uint32_t iterations)
{
    Training training;
    training.plan.units = {{0, 0, 8, 0}};
    training.limits = {1, 1, BARE};
    training.compute = {{iterations, {{1, 2}}}, {iterations, {{1, 7}}}};
    return training;
}

} // namespace

TEST(WireBytesTest, CountsHeadersAndGapsInProportionToThePayload)
{
    // A full packet of 1448 bytes takes 1448 + 42 + 36 = 1526 bytes of time.
    const PacketFormat format;
    EXPECT_DOUBLE_EQ(format.GetWireBytes(1448), 1526);
    EXPECT_DOUBLE_EQ(format.GetWireBytes(10 * 1448), 15260);
    EXPECT_DOUBLE_EQ(format.GetWireBytes(724), 763);
}

TEST(WireBytesTest, CountsTheFramingOfATensorAsPayload)
{
    // 1416 + 32 = 1448 bytes.
    PacketFormat format;
    format.tensorBytes = 32;
    EXPECT_DOUBLE_EQ(format.GetWireBytes(1416), 1526);
}

TEST(WireBytesTest, StaysBelowWhatPacketsOfTheTensorAloneTake)
{
    const PacketFormat format;
    for (uint64_t bytes = 4; bytes < 20'000; bytes += 4)
    {
        const uint64_t packets = (bytes + 1447) / 1448;
        EXPECT_LE(format.GetWireBytes(bytes), bytes + packets * 78.0 + 1e-6);
    }
}

TEST(IdealTransferTimeTest, AddsALongestFrameForEachHopAfterTheFirst)
{
    // 1458 bytes at 1 MB/s: frames of 1490 and 52 bytes and a gap of 36 make 1578 us over a link;
    // over three, the short frame waits behind the long one twice: 1578 + 2 x 1490 us.
    const NetworkLimits limits{1e6, 0, {}};
    EXPECT_DOUBLE_EQ(GetIdealTransferTime(1458, 1, limits), 1578e-6);
    EXPECT_DOUBLE_EQ(GetIdealTransferTime(1458, 3, limits), 4558e-6);
}

TEST(IdealTransferTimeTest, ForwardsASinglePacketAtItsOwnLength)
{
    // 100 + 42 bytes over three links of 1 MB/s and 10 us: 3 x (142 + 10) us.
    EXPECT_DOUBLE_EQ(GetIdealTransferTime(100, 3, {1e6, 10e-6, {}}), 456e-6);
}

TEST(IdealTransferTimeTest, IsThatOfAPipelinePlayedPacketByPacket)
{
    std::mt19937 engine(1);
    for (uint32_t trial = 0; trial < 500; ++trial)
    {
        NetworkLimits limits{1e9, (engine() % 1000) * 1e-9, {}};
        limits.format = {1 + Draw(engine, 100),
                         Draw(engine, 50),
                         Draw(engine, 50),
                         Draw(engine, 40)};
        const uint64_t bytes = 1 + engine() % 3000;
        const uint32_t hops = 1 + engine() % 7;
        EXPECT_NEAR(GetIdealTransferTime(bytes, hops, limits),
                    PlayPipeline(bytes, hops, limits),
                    1e-15)
            << bytes << " bytes over " << hops << " hops, " << limits.format.payloadBytes
            << " a packet";
    }
}

TEST(TrainingBoundTest, TakesTheLayersUpToEachOnTheirOwn)
{
    // The forward ends at 1 + 3 = 4, the backward of layer 1 at 8, that of layer 0 at 10. Layers up
    // to 1 push 8 + 20 bytes from 8 on, and the last of them, of 8 bytes at least, is then pulled:
    // 8 + 28 + 8 = 44. The pulls cannot start before a push either: 8 + 8 + 28.
    EXPECT_DOUBLE_EQ(MakeTwoLayers(1).GetBound(), 44);
    // Layer 0 alone is there from 10 + 8 + 8 = 26 on. So in iteration 2 layer 0 is forward at 27
    // and waits for layer 1 until 44: forward at 47, backward at 51, then 51 + 28 + 8 = 87.
    EXPECT_DOUBLE_EQ(MakeTwoLayers(2).GetBound(), 87);
}

TEST(TrainingBoundTest, WaitsForLayer0AloneWhereLayer1IsThereBefore)
{
    // The backward passes end at 104 and at 204: layer 1, of 4 bytes, is there from 112 on, and
    // layer 0 from 204 + 40 + 40 = 284. Both up to 1 push 44 bytes from 104 on: 104 + 44 + 4 = 152.
    Training training = MakeTwoLayers(1);
    training.plan.units = {{0, 0, 40, 0}, {1, 1, 4, 0}};
    training.compute = {{{{1, 100}, {3, 100}}}};
    EXPECT_DOUBLE_EQ(training.GetBound(), 284);
}

TEST(TrainingBoundTest, SharesTheServersLinkAmongTheWorkers)
{
    // Gradients leave at 3 and 8. The server's link takes 16 bytes from 3 on, the worker's 8 from 8
    // on: pushed at 19. Then a pull of 8 bytes and twice 1 s: both workers wait until 29. The last
    // of them waits longer: pulls begin after the push of the second, 8 + 8, and take 16 and twice
    // 1 s: 34.
    EXPECT_DOUBLE_EQ(MakeTwoWorkers(1).GetBound(), 34);
    // From 29 on the workers take 1 + 2 and 1 + 7 s: 32 and 37; a last one, whichever it is, goes
    // on at 34 and takes 3 s at least: 37. Pushed at 32 + 16 = 48, there at 58 or, at the last
    // worker, 37 + 8 + 16 + 2 = 63.
    EXPECT_DOUBLE_EQ(MakeTwoWorkers(2).GetBound(), 63);
    // If the second takes 1 + 20 s, its gradient leaves at 50: 50 + 8 + 16 + 2 = 76.
    Training slower = MakeTwoWorkers(2);
    slower.compute[1][1][0].backward = 20;
    EXPECT_DOUBLE_EQ(slower.GetBound(), 76);
}

TEST(TrainingBoundTest, StartsThePullsToAllWorkersAfterTheLastOneWhicheverItIs)
{
    // 20 bytes of layer 0 on server 0, 12 of layer 1 on each of servers 1 to 4. A forward takes
    // 100 s. The second worker's first backward takes another 100: gradients leave at 100 and 200.
    // Layer 0 is pushed at 200 + 20 and at each worker at 240, at the last one at 220 + 2 x 20. All
    // 68 bytes are pushed at 268, and 12 more pulled at 280.
    Training training;
    training.plan.units = {{0, 0, 20, 0},
                           {1, 1, 12, 1},
                           {1, 1, 12, 2},
                           {1, 1, 12, 3},
                           {1, 1, 12, 4}};
    training.shape.servers = 5;
    training.limits = {1, 0, BARE};
    const std::vector<LayerTimes> fast{{100, 0}, {0, 0}};
    const std::vector<LayerTimes> slow{{100, 0}, {0, 100}};
    training.compute = {{fast}, {slow}};
    EXPECT_DOUBLE_EQ(training.GetBound(), 280);
    // The second forwards end at 240 + 100, the last one at 260 + 100; backward takes 10 s. So
    // pulls begin after a push of 12 bytes from 370 on, and take 68 over a worker's link: 450. By
    // name a worker's gradients are known to leave at 350 only: 350 + 68 + 12 = 430.
    const std::vector<LayerTimes> second{{100, 0}, {0, 10}};
    training.compute = {{fast, second}, {slow, second}};
    EXPECT_DOUBLE_EQ(training.GetBound(), 450);
}

TEST(TrainingBoundTest, CountsForEachServerItsOwnParts)
{
    // 8 bytes on each of two servers instead: from 8 on the slow worker pushes 16, from 3 on each
    // server's link takes 16. Pushed at 24; there at 24 + 8 + 2 = 34; or pulls from 16 on, 16 over
    // each link: 34 as well. Were both parts on one server: 3 + 32 + 8 + 2 = 45, and at the last
    // worker 8 + 8 + 2 + 32 = 50.
    Training training = MakeTwoWorkers(1);
    training.plan.units = {{0, 0, 8, 0}, {0, 0, 8, 1}};
    training.shape.servers = 2;
    EXPECT_DOUBLE_EQ(training.GetBound(), 34);
    training.plan.units[1].server = 0;
    EXPECT_DOUBLE_EQ(training.GetBound(), 50);
}

TEST(TrainingBoundTest, SendsEachChunkOfARingOf2Twice)
{
    // Chunks of 4 bytes; gradients leave at 3 and 8. Rank 1 sends 2 x 4 from 8 on, which reaches
    // rank 0 at 8 + 8 + 1 = 17; rank 1 has its sum at 8 + 4 + 1 = 13.
    Training training = MakeTwoWorkers(1);
    training.shape.ring = true;
    EXPECT_DOUBLE_EQ(training.GetBound(), 17);
    // From 17 and 13 on they compute 3 and 8 s, until 20 and 21: 21 + 9 = 30.
    training = MakeTwoWorkers(2);
    training.shape.ring = true;
    EXPECT_DOUBLE_EQ(training.GetBound(), 30);
}

TEST(TrainingBoundTest, HoldsBackTheFrontLayerOfABucketUntilTheWholeBucketIsThere)
{
    // Two layers of 1 s forward in one bucket: 2 + 8 = 10, then both forwards and again 8: 20.
    Training training;
    training.shape.ring = true;
    training.limits = {1, 0, BARE};
    training.plan.units = {{0, 1, 8, 0}};
    training.compute.assign(2, {2, {{1, 0}, {1, 0}}});
    EXPECT_DOUBLE_EQ(training.GetBound(), 20);
}

TEST(TrainingBoundTest, LeavesOutTheLongestChunkOfARing)
{
    // 7 values in 3 chunks of 12, 8 and 8 bytes, of which each rank sends all but one a phase: at
    // least 8 + 8, twice, from 3 on. 3 + 32 = 35.
    Training training;
    training.plan.units = {{0, 0, 28, 0}};
    training.shape.ring = true;
    training.limits = {1, 0, BARE};
    training.compute.assign(3, {{{1, 2}}});
    EXPECT_DOUBLE_EQ(training.GetBound(), 35);
}

TEST(TrainingBoundTest, CountsNoFramingOfARingsEmptyChunks)
{
    // 10 buckets of 2 values among 4 ranks, 100 bytes of framing: two chunks of 4 bytes, two that
    // are never sent. A rank sends one of the two a phase at least: 2 x 104 bytes a bucket.
    Training training;
    training.shape.ring = true;
    training.limits = {1, 0, BARE};
    training.limits.format.tensorBytes = 100;
    training.plan.units.assign(10, {0, 0, 8, 0});
    training.compute.assign(4, {{{0, 0}}});
    EXPECT_DOUBLE_EQ(training.GetBound(), 2080);
}

TEST(TrainingBoundTest, CountsNoLatencyForTheRankThatFinishesARingsOnlyChunk)
{
    // One value: rank 1 adds its own to what rank 0 sent before, has the sum at once and starts to
    // compute again, 1000 s an iteration. Rank 0 waits for its second sum, 100 s away: 2100.
    Training training;
    training.shape.ring = true;
    training.limits = {1, 100, BARE};
    training.plan.units = {{0, 0, 4, 0}};
    training.compute = {{2, {{0, 0}}}, {2, {{0, 1000}}}};
    EXPECT_DOUBLE_EQ(training.GetBound(), 2100);
}

TEST(TrainingBoundTest, LetsALoneWorkerOfARingComputeOnly)
{
    Training training = MakeTwoLayers(3);
    training.shape.ring = true;
    EXPECT_DOUBLE_EQ(training.GetBound(), 30);
}

TEST(TrainingBoundTest, IsTheSlowestWorkersComputeWhereNothingIsSent)
{
    Training training = MakeTwoWorkers(3);
    training.plan.units.clear();
    EXPECT_DOUBLE_EQ(training.GetBound(), 24);
}

TEST(TrainingBoundTest, StaysBelowAnIdleNetworkOfTwoLinks)
{
    // A push and a pull, each over two links of 1 ms; the bound is told the 2 ms between two hosts,
    // and counts the gap after the last frame, which forwarding that frame makes up for.
    Training training;
    training.compute = {{{{0, 0}}}};
    for (uint64_t bytes = 4; bytes < 5000; bytes += 4)
    {
        training.plan.units = {{0, 0, bytes, 0}};
        training.limits = {1e6, 2e-3, {}};
        const double bound = training.GetBound();
        training.limits.latencySeconds = 1e-3;
        EXPECT_LE(bound, 2 * GetIdealTransferTime(bytes, 2, training.limits)) << bytes;
    }
}

TEST(TrainingBoundTest, IsAtLeastTheComputeTimeAndTheWireTime)
{
    std::mt19937 engine(1);
    for (uint32_t trial = 0; trial < 500; ++trial)
    {
        const Training training = DrawTraining(engine, trial % 2 == 0);
        const double bound = training.GetBound() * (1 + 1e-9);
        for (const auto& worker : training.compute)
        {
            double compute = 0;
            for (const auto& iteration : worker)
            {
                for (const auto& layer : iteration)
                {
                    compute += layer.forward + layer.backward;
                }
            }
            EXPECT_GE(bound, compute);
        }
        // Over a worker's link, of a ring the two phases without the longest chunk, which is the
        // first; over a server's link every worker's pushes.
        const uint32_t workers = training.compute.size();
        const PacketFormat& format = training.limits.format;
        std::vector<double> wire(training.GetNRanks(), 0);
        for (const auto& unit : training.plan.units)
        {
            wire[0] += training.shape.ring ? 0 : format.GetWireBytes(unit.bytes);
            for (uint32_t chunk = 1; training.shape.ring && chunk < workers; ++chunk)
            {
                const uint64_t bytes = GetChunkBytes(unit.bytes, workers, chunk);
                wire[0] += bytes > 0 ? 2 * format.GetWireBytes(bytes) : 0;
            }
            if (!training.shape.ring)
            {
                wire[workers + unit.server] += workers * format.GetWireBytes(unit.bytes);
            }
        }
        const double seconds = *std::max_element(wire.begin(), wire.end()) /
                               training.limits.bytesPerSecond * training.compute[0].size();
        EXPECT_GE(bound, seconds);
    }
}

TEST(TrainingBoundTest, NeverFallsWhenThereIsMoreToDo)
{
    std::mt19937 engine(1);
    for (uint32_t trial = 0; trial < 500; ++trial)
    {
        const Training training = DrawTraining(engine, trial % 2 == 0);
        const double bound = training.GetBound() * (1 - 1e-9);

        Training more = training;
        for (auto& unit : more.plan.units)
        {
            unit.bytes += 4 * (engine() % 3);
        }
        EXPECT_GE(more.GetBound(), bound) << "more bytes";

        more = training;
        more.limits.bytesPerSecond /= 1.5;
        EXPECT_GE(more.GetBound(), bound) << "slower links";

        more = training;
        more.limits.latencySeconds += 0.1;
        EXPECT_GE(more.GetBound(), bound) << "longer links";

        more = training;
        auto& worker = more.compute[engine() % more.compute.size()];
        auto& iteration = worker[engine() % worker.size()];
        LayerTimes& layer = iteration[engine() % iteration.size()];
        (engine() % 2 == 0 ? layer.forward : layer.backward) += 1;
        EXPECT_GE(more.GetBound(), bound) << "longer compute";

        more = training;
        for (auto& iterations : more.compute)
        {
            iterations.push_back(iterations.front());
        }
        EXPECT_GE(more.GetBound(), bound) << "one more iteration";
    }
}

TEST(TrainingBoundTest, IsPassedByNoIdealRunOfParameterServers)
{
    ExpectNoIdealRunBelowTheBound(false, 0.9);
}

TEST(TrainingBoundTest, IsPassedByNoIdealRunOfARing)
{
    ExpectNoIdealRunBelowTheBound(true, 0.93);
}

} // namespace gradnet
