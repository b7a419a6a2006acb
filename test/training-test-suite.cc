// SPDX-License-Identifier: GPL-2.0-only

#include "random-scenario.h"

#include "ns3/config.h"
#include "ns3/error-model.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

using Collective = WorkloadConfig::Collective;
using Placement = WorkloadConfig::Placement;
using Outcome = TrainingScenario::Outcome;

/// Runs scenarios, and checks what holds for all of them.
class TrainingTestCase : public TestCase
{
  public:
    /// \param name what is tested
    explicit TrainingTestCase(const std::string& name)
        : TestCase(name)
    {
    }

  protected:
    /// Builds m_scenario, with its own settings of TCP.
    void Build(const ScenarioConfig& config)
    {
        Clear();
        config.GetDefaults().Apply();
        m_scenario = std::make_unique<TrainingScenario>(config);
    }

    /**
     * Runs m_scenario to its end, and checks its books.
     *
     * \param name the scenario's, for messages
     */
    void Complete(const std::string& name)
    {
        const Outcome outcome = m_scenario->Run({});
        NS_TEST_ASSERT_MSG_EQ((outcome == Outcome::COMPLETED), true, "completed: " << name);
        const WorkloadConfig& workload = m_scenario->GetConfig().workload;
        const TrainingStatistics& statistics = m_scenario->GetStatistics();
        const uint32_t iterations = workload.warmUp + workload.iterations;

        // Every part goes to its server and back for each worker; of a bucket, a ring of n moves
        // n - 1 chunks of 1/n twice at each of n ranks.
        const uint64_t times =
            workload.collective == Collective::RING ? workload.workers - 1 : workload.workers;
        uint64_t received = 0;
        for (const TensorRecord& record : statistics.GetTensors())
        {
            received += record.receivedBytes;
            NS_TEST_EXPECT_MSG_EQ(record.receivedBytes, record.tensor.bytes, "whole: " << name);
            NS_TEST_EXPECT_MSG_GT_OR_EQ(record.sent, record.queued, "sent: " << name);
            NS_TEST_EXPECT_MSG_GT(record.received, record.sent, "received: " << name);
        }
        NS_TEST_EXPECT_MSG_EQ(received,
                              2 * times * workload.profile->GetGradientBytes() * iterations,
                              "every byte counts: " << name);

        const auto records = statistics.GetIterations();
        NS_TEST_EXPECT_MSG_EQ(records.size(), iterations, "iterations: " << name);
        for (const IterationRecord& record : records)
        {
            NS_TEST_EXPECT_MSG_EQ(record.compute + record.waiting + record.network,
                                  record.duration,
                                  "iteration " << record.iteration << " adds up: " << name);
        }
        // Time is in whole nanoseconds.
        NS_TEST_EXPECT_MSG_GT_OR_EQ(statistics.GetCompletionTime().GetSeconds(),
                                    m_scenario->GetBoundSeconds() - 1e-9,
                                    "not faster than the bound: " << name);
    }

    /// \return the duration of an iteration in ms, 0 if it did not end
    double GetMilliseconds(uint32_t iteration) const
    {
        const auto records = m_scenario->GetStatistics().GetIterations();
        return iteration < records.size() ? records[iteration].duration.GetSeconds() * 1e3 : 0;
    }

    /// Ends the simulation, then what had to outlive it.
    void Clear()
    {
        Simulator::Destroy();
        m_scenario.reset();
        Config::Reset();
    }

    std::unique_ptr<TrainingScenario> m_scenario; ///< the run

  private:
    void DoTeardown() override
    {
        Clear();
    }
};

/// Iteration times by hand.
class IterationTimeTestCase : public TrainingTestCase
{
  public:
    IterationTimeTestCase()
        : TrainingTestCase("iteration time is what a hand calculation says")
    {
    }

  private:
    /**
     * \param config the scenario
     * \param expected ms of an iteration but the first
     * \param name the scenario's
     */
    void Check(const ScenarioConfig& config, double expected, const std::string& name)
    {
        Build(config);
        Complete(name);
        for (const uint32_t iteration : {1, 2})
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(GetMilliseconds(iteration),
                                      expected,
                                      0.002 * expected,
                                      name << ", iteration " << iteration);
        }
        NS_TEST_EXPECT_MSG_EQ(m_scenario->GetStatistics().GetResentBytes(), 0, name);
        NS_TEST_EXPECT_MSG_EQ(m_scenario->GetStatistics().GetTimeouts(), 0, name);
    }

    void DoRun() override
    {
        // The front layer (1 ms forward, 2 ms backward) has 1 MB, the back layer the same compute
        // and 4 MB. A segment carries 1448 B and takes 1526 ns: 42 B of headers and 36 of gap. An
        // acknowledgment takes 78 ns, one for two segments. With 48 B of framing, 4 MB are 2763
        // segments, 1 MB are 691.
        const std::vector<gradnet::ProfileLayer> layers{{"front", 1e-3, 2e-3, 1'000'000},
                                                        {"back", 1e-3, 2e-3, 4'000'000}};
        constexpr double SEGMENT = 1526e-6; // ms
        constexpr double ACK = 78e-6;
        // Way of a tensor's end: two links of 1 us, and a frame stored at the switch.
        constexpr double WAY = 3.5e-3;
        const double back = 2763 * SEGMENT;
        const double front = 691 * SEGMENT;

        // FIFO, 14.5 ms. Forward 1 + 1, backward of the back layer 2; then its push of 4.2 ms,
        // which hides the front layer's backward; its pull, beside which the front layer's push
        // gets acknowledged; the front layer's pull, pushed long before.
        ScenarioConfig config = MakeTestScenario(1, 1, layers);
        config.workload.frontLayersFirst = false;
        Check(config, 4 + back + WAY + (back + 346 * ACK) + WAY + front, "FIFO");

        // Front layers first, 12.5 ms. The front layer overtakes the push, is back while the rest
        // is pushed, and the next iteration's forward of it is over when the back layer is pulled:
        // that forward, and the front layer's pull, are off the critical path.
        config.workload.frontLayersFirst = true;
        Check(config, 3 + back + front + 346 * ACK + WAY + back + WAY, "front layers first");

        // Rings: 2(n-1) steps with 1/n of each layer. Each link carries a data segment and half an
        // acknowledgment for the other neighbor. The front layer's chunks fill the link while the
        // back layer's are on their way and vice versa, so that steps cost no WAY but the first
        // ones and the last ones, 0.1%. Halves are 1382 + 346 segments, quarters 691 + 173.
        config = MakeTestScenario(2, 0, layers);
        Check(config, 4 + 2 * (1382 + 346) * (SEGMENT + ACK / 2) + WAY, "ring of 2");
        config = MakeTestScenario(4, 0, layers);
        Check(config, 4 + 6 * (691 + 173) * (SEGMENT + ACK / 2) + WAY, "ring of 4");

        // A ring of 1 sends nothing: 2 x 3 ms of compute.
        Check(MakeTestScenario(1, 0, layers), 6, "ring of 1");
    }
};

/// A straggler, and the server's time to add.
class SlowComputeTestCase : public TrainingTestCase
{
  public:
    SlowComputeTestCase()
        : TrainingTestCase("a straggler and slow aggregation cost what they must")
    {
    }

  private:
    /**
     * \param workers number of workers
     * \param servers number of servers; 0: a ring
     * \return what adding 1 MB at 1 Gb/s costs an iteration, in ms
     */
    double GetAggregationCost(uint32_t workers, uint32_t servers)
    {
        ScenarioConfig config =
            MakeTestScenario(workers, servers, {{"only", 1e-3, 1e-3, 1'000'000}});
        Build(config);
        Complete("added at once");
        const double atOnce = GetMilliseconds(1);
        config.workload.aggregationRate = DataRate("1Gbps");
        Build(config);
        Complete("added at 1 Gb/s");
        return GetMilliseconds(1) - atOnce;
    }

    void DoRun() override
    {
        // 3 + 7 ms of compute, 30 at the straggler; 8 pushes or pulls of 10 kB take 0.1 ms.
        for (const uint32_t servers : {0, 1})
        {
            ScenarioConfig config = MakeTestScenario(4, servers, {{"only", 3e-3, 7e-3, 10'000}});
            config.workload.stragglers[2] = 3;
            const std::string name = servers > 0 ? "straggler, servers" : "straggler, ring";
            Build(config);
            Complete(name);
            for (const auto& record : m_scenario->GetStatistics().GetIterations())
            {
                NS_TEST_EXPECT_MSG_EQ_TOL(record.duration.GetSeconds(), 30e-3, 0.2e-3, name);
                // All others wait for the straggler's push, not for the network.
                const bool isStraggler = record.worker == 2;
                NS_TEST_EXPECT_MSG_EQ(record.compute, MilliSeconds(isStraggler ? 30 : 10), name);
                NS_TEST_EXPECT_MSG_EQ_TOL(record.waiting.GetSeconds(),
                                          (isStraggler ? 0 : 20e-3),
                                          0.2e-3,
                                          name);
            }
        }
        // At 1 Gb/s a pushed 1 MB takes 8 ms to add, and a ring of 2 adds half of it. A microsecond
        // for segments that are acknowledged earlier or later.
        double cost = GetAggregationCost(1, 1);
        NS_TEST_EXPECT_MSG_EQ_TOL(cost, 8, 1e-3, "a worker and a server");
        cost = GetAggregationCost(2, 0);
        NS_TEST_EXPECT_MSG_EQ_TOL(cost, 4, 1e-3, "ring of 2");
        // Two workers' pushes are added one after the other, from the first one's arrival on. It
        // comes before the other by at most the 1.06 ms that a push takes alone.
        cost = GetAggregationCost(2, 1);
        NS_TEST_EXPECT_MSG_EQ_TOL(cost, 15.5, 0.6, "2 workers and a server");
    }
};

/// A hundred scenarios.
class RandomScenariosTestCase : public TrainingTestCase
{
  public:
    RandomScenariosTestCase()
        : TrainingTestCase("no run passes its bound, loses a byte or a nanosecond")
    {
    }

  private:
    void DoRun() override
    {
        for (uint32_t index = 0; index < 100; ++index)
        {
            const ScenarioConfig config = RandomScenario(index).Draw();
            const std::string name =
                "scenario " + std::to_string(index) + ": " + RandomScenario::Describe(config);
            NS_TEST_ASSERT_MSG_EQ(config.Check(), "", name);
            Build(config);
            Complete(name);
        }
    }
};

/// A server that cannot be reached any more.
class CutTestCase : public TrainingTestCase
{
  public:
    /// \param retries of TCP; 0: as many as gradnet sets
    explicit CutTestCase(uint32_t retries)
        : TrainingTestCase(retries == 0 ? "a run that stalls ends and tells what is stuck"
                                        : "a run whose connection fails ends"),
          m_retries(retries)
    {
    }

  private:
    void DoRun() override
    {
        ScenarioConfig config =
            MakeTestScenario(2,
                             2,
                             {{"front", 1e-3, 1e-3, 1'000'000}, {"back", 1e-3, 1e-3, 1'000'000}});
        config.stallTime = m_retries == 0 ? MilliSeconds(100) : Seconds(10);
        config.workload.iterations = 10;
        Build(config);
        if (m_retries > 0)
        {
            Config::SetDefault("ns3::TcpSocket::DataRetries", UintegerValue(m_retries));
        }
        // Layers go to one server each. The link of the first one, rank 2 on host 2, is cut when
        // some iterations of 4 ms and more are over.
        const TopologyLink& link = m_scenario->GetTopology().GetLinks()[2];
        Simulator::Schedule(MilliSeconds(20), [&link] {
            for (const auto& device : {link.lower, link.upper})
            {
                const auto loss = CreateObject<RateErrorModel>();
                loss->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
                loss->SetRate(1);
                device->SetReceiveErrorModel(loss);
            }
        });
        const Outcome outcome = m_scenario->Run({});
        const TrainingStatistics& statistics = m_scenario->GetStatistics();
        NS_TEST_EXPECT_MSG_EQ(statistics.IsCompleted(), false, "it is not complete");
        NS_TEST_EXPECT_MSG_EQ(statistics.GetCompletionTime(), Time(0), "nor has a time");
        NS_TEST_EXPECT_MSG_GT(statistics.GetIterations().size(), 0, "some iterations are over");
        NS_TEST_EXPECT_MSG_LT(statistics.GetIterations().size(), 10, "some are not");
        NS_TEST_EXPECT_MSG_GT(statistics.GetTimeouts(), 0, "TCP has noticed");
        const Time silence = Simulator::Now() - statistics.GetLastProgress();
        NS_TEST_EXPECT_MSG_LT(statistics.GetLastProgress(), MilliSeconds(30), "the last byte");
        if (m_retries == 0)
        {
            NS_TEST_EXPECT_MSG_EQ((outcome == Outcome::STALLED), true, "stalled");
            // The watch looks every millisecond.
            NS_TEST_EXPECT_MSG_GT_OR_EQ(silence, MilliSeconds(100), "not before the stall time");
            NS_TEST_EXPECT_MSG_LT_OR_EQ(silence, MilliSeconds(101), "nor much later");
        }
        else
        {
            NS_TEST_EXPECT_MSG_EQ((outcome == Outcome::FAILED), true, "failed");
            NS_TEST_EXPECT_MSG_GT(statistics.GetFailedConnections(), 0, "connections");
            NS_TEST_EXPECT_MSG_LT(silence, Seconds(1), "long before the stall time");
        }
        uint32_t nStuck = 0;
        for (const TensorRecord& record : statistics.GetTensors())
        {
            if (record.received.IsStrictlyNegative())
            {
                ++nStuck;
                NS_TEST_EXPECT_MSG_LT(record.receivedBytes, record.tensor.bytes, "not whole");
                NS_TEST_EXPECT_MSG_EQ((record.tensor.from == 2 || record.tensor.to == 2),
                                      true,
                                      "only the cut server's tensors are stuck");
            }
        }
        NS_TEST_EXPECT_MSG_GT(nStuck, 0, "stuck tensors");
        NS_TEST_EXPECT_MSG_EQ(m_scenario->GetRankName(2), "server0", "its name");
        NS_TEST_EXPECT_MSG_EQ(m_scenario->GetRankName(1), "worker1", "another name");
    }

    uint32_t m_retries; ///< of TCP, or 0
};

/// What can be said about a configuration without running it.
class ConfigTestCase : public TrainingTestCase
{
  public:
    ConfigTestCase()
        : TrainingTestCase("hosts are placed, and wrong configurations refused, as documented")
    {
    }

  private:
    /// Checks one placement.
    void CheckPlacement(const ScenarioConfig& config, const std::vector<uint32_t>& expected)
    {
        const std::vector<uint32_t> placement = config.GetPlacement();
        NS_TEST_ASSERT_MSG_EQ(placement.size(), expected.size(), "ranks");
        for (uint32_t rank = 0; rank < std::min(placement.size(), expected.size()); ++rank)
        {
            NS_TEST_EXPECT_MSG_EQ(placement[rank], expected[rank], "rank " << rank);
        }
    }

    void DoRun() override
    {
        // 8 workers and 2 servers on the 16 hosts of a k=4 fat-tree, 2 below each of 8 edges. The
        // servers take the last two; dealt in turn, a worker finds the eighth edge taken.
        ScenarioConfig config;
        CheckPlacement(config, {0, 2, 4, 6, 8, 10, 12, 1, 14, 15});
        config.workload.placement = Placement::CONTIGUOUS;
        CheckPlacement(config, {0, 1, 2, 3, 4, 5, 6, 7, 14, 15});
        // 4 leaves of 3 hosts, 3 servers: the last leaf is theirs.
        config.network.topology = NetworkConfig::Topology::LEAF_SPINE;
        config.network.hostsPerLeaf = 3;
        config.workload.workers = 5;
        config.workload.servers = 3;
        CheckPlacement(config, {0, 1, 2, 3, 4, 9, 10, 11});
        config.workload.placement = Placement::SPREAD;
        CheckPlacement(config, {0, 3, 6, 1, 4, 9, 10, 11});
        config.workload.servers = 0;
        CheckPlacement(config, {0, 3, 6, 9, 1});

        NS_TEST_EXPECT_MSG_EQ(ScenarioConfig().Check(), "", "the default");
        config = ScenarioConfig();
        config.network.k = 5;
        NS_TEST_EXPECT_MSG_EQ(config.Check(),
                              "fat-tree needs an even k of at least 2, got 5",
                              "odd k");
        config = ScenarioConfig();
        config.workload.workers = 14;
        NS_TEST_EXPECT_MSG_EQ(config.Check(), "", "16 ranks on 16 hosts");
        config.workload.workers = 15;
        NS_TEST_EXPECT_MSG_EQ(config.Check(),
                              "15 workers and 2 servers need a host each, but the topology has 16 "
                              "hosts",
                              "too many ranks");
        config.workload.workers = 0;
        NS_TEST_EXPECT_MSG_EQ(config.Check(), "a training job needs at least 1 worker", "none");
        config = ScenarioConfig();
        config.workload.servers = 0;
        NS_TEST_EXPECT_MSG_EQ(config.Check(),
                              "a parameter-server job needs at least 1 server",
                              "no server");
        config.workload.collective = Collective::RING;
        NS_TEST_EXPECT_MSG_EQ(config.Check(), "", "a ring needs none");
        config = ScenarioConfig();
        config.network.losses = {{15, 0.1}};
        NS_TEST_EXPECT_MSG_EQ(config.Check(), "", "the last host");
        config.network.losses = {{3, 0.1}, {16, 0.1}};
        NS_TEST_EXPECT_MSG_EQ(config.Check(),
                              "there is no host16 to lose packets, the last one is host15",
                              "unknown host");
        config = ScenarioConfig();
        config.workload.stragglers = {{7, 2}};
        NS_TEST_EXPECT_MSG_EQ(config.Check(), "", "the last worker");
        config.workload.stragglers = {{8, 2}};
        NS_TEST_EXPECT_MSG_EQ(config.Check(),
                              "there is no worker8 to slow down, the last one is worker7",
                              "unknown worker");
        config = ScenarioConfig();
        config.network.markingThreshold = QueueSize("100kB");
        NS_TEST_EXPECT_MSG_EQ(config.Check(), "", "bytes of bytes");
        config.network.markingThreshold = QueueSize("65p");
        std::ostringstream sentence;
        sentence << "the marking threshold 65p needs the unit of the buffer, "
                 << config.network.buffer;
        NS_TEST_EXPECT_MSG_EQ(config.Check(), sentence.str(), "packets of bytes");
    }
};

/// No settings at all.
class DefaultTestCase : public TrainingTestCase
{
  public:
    DefaultTestCase()
        : TrainingTestCase("a scenario with no settings but a model runs")
    {
    }

  private:
    void DoRun() override
    {
        ScenarioConfig config;
        config.workload.profile = std::make_shared<const gradnet::TrainingProfile>(
            gradnet::TrainingProfile{"test", {{"only", 1e-3, 2e-3, 100'000}}});
        Build(config);
        double last = -1;
        const Outcome outcome = m_scenario->Run([&](double share) {
            NS_TEST_EXPECT_MSG_GT_OR_EQ(share, last, "progress goes forward");
            last = share;
        });
        NS_TEST_EXPECT_MSG_EQ((outcome == Outcome::COMPLETED), true, "completed");
        NS_TEST_EXPECT_MSG_GT(last, 0.5, "progress");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(last, 1, "progress");
        // 1 warm-up and 2 iterations of 3 ms with 1% of jitter, 8 workers of 2 ranks a part.
        const TrainingStatistics& statistics = m_scenario->GetStatistics();
        NS_TEST_EXPECT_MSG_EQ(statistics.GetTensors().size(), 3 * 2 * 8, "tensors");
        NS_TEST_EXPECT_MSG_EQ(statistics.GetReceivedTensors(), 3 * 2 * 8, "all received");
        NS_TEST_EXPECT_MSG_GT(statistics.GetCompletionTime(), MicroSeconds(3 * 2970), "compute");
        NS_TEST_EXPECT_MSG_LT(statistics.GetCompletionTime(), MilliSeconds(12), "no stall");
        // 48 links, both directions.
        NS_TEST_EXPECT_MSG_EQ(m_scenario->GetLinks().size(), 96, "links");
    }
};

/// The suite.
class TrainingTestSuite : public TestSuite
{
  public:
    TrainingTestSuite()
        : TestSuite("gradnet-training", TestSuite::Type::UNIT)
    {
        AddTestCase(new ConfigTestCase);
        AddTestCase(new DefaultTestCase);
        AddTestCase(new IterationTimeTestCase);
        AddTestCase(new SlowComputeTestCase);
        AddTestCase(new CutTestCase(0));
        AddTestCase(new CutTestCase(3));
        AddTestCase(new RandomScenariosTestCase);
    }
};

TrainingTestSuite g_trainingTestSuite; ///< registers the suite

} // namespace
