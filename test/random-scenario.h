// SPDX-License-Identifier: GPL-2.0-only

#ifndef RANDOM_SCENARIO_H
#define RANDOM_SCENARIO_H

#include "ns3/training-scenario.h"

#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * A network and a job whose times are whole nanoseconds: at 8 Gb/s a byte takes 1 ns. All hosts
 * hang off one switch.
 *
 * \param workers number of workers
 * \param servers number of parameter servers; 0: a ring
 * \param layers the model
 * \return the scenario
 */
inline ScenarioConfig
MakeTestScenario(uint32_t workers,
                 uint32_t servers,
                 const std::vector<gradnet::ProfileLayer>& layers)
{
    ScenarioConfig config;
    config.network.topology = NetworkConfig::Topology::LEAF_SPINE;
    config.network.leaves = 1;
    config.network.spines = 1;
    config.network.hostsPerLeaf = workers + servers;
    config.network.rate = DataRate("8Gbps");
    config.workload.profile =
        std::make_shared<const gradnet::TrainingProfile>(gradnet::TrainingProfile{"test", layers});
    config.workload.collective = servers > 0 ? WorkloadConfig::Collective::PARAMETER_SERVER
                                             : WorkloadConfig::Collective::RING;
    config.workload.workers = workers;
    config.workload.servers = servers;
    config.workload.bucketBytes = 4; // a bucket a tensor
    config.workload.computeJitter = 0;
    return config;
}

/// Draws small scenarios, the same ones on every machine.
class RandomScenario
{
  public:
    /// \param seed which one
    explicit RandomScenario(uint32_t seed)
        : m_random(seed)
    {
    }

    /// \return a scenario
    ScenarioConfig Draw()
    {
        std::vector<gradnet::ProfileLayer> layers;
        for (uint32_t layer = Integer(2, 4); layer > 0; --layer)
        {
            layers.push_back({"layer",
                              Integer(0, 200) * 1e-6,
                              Integer(0, 400) * 1e-6,
                              4ULL * Integer(2'500, 75'000)});
        }
        const uint32_t workers = Integer(1, 4);
        const uint32_t servers = Integer(0, 2);
        ScenarioConfig config = MakeTestScenario(workers, servers, layers);

        NetworkConfig& network = config.network;
        if (Integer(0, 1) == 0)
        {
            network.topology = NetworkConfig::Topology::FAT_TREE;
            network.k = workers + servers > 2 ? 4 : Choose<uint32_t>({2, 4});
        }
        else
        {
            network.leaves = Integer(1, 3);
            network.spines = Integer(1, 3);
            network.hostsPerLeaf = (workers + servers + network.leaves - 1) / network.leaves;
        }
        // Rates at which no time is rounded to nanoseconds.
        network.rate = DataRate(Choose<std::string>({"1Gbps", "4Gbps", "8Gbps"}));
        network.delay = NanoSeconds(Integer(0, 3000));
        network.mtu = Choose<uint16_t>({1500, 9000});
        network.buffer = QueueSize(Choose<std::string>({"50p", "200p", "100kB", "4MB"}));
        network.queue = Choose<NetworkConfig::Queue>(
            {NetworkConfig::Queue::RED_ECN, NetworkConfig::Queue::FIFO});
        network.oversubscription = Choose<double>({1, 2});
        network.selector = Choose<std::string>({"ns3::FlowHashEcmpSelector",
                                                "ns3::RandomEcmpSelector",
                                                "ns3::RoundRobinEcmpSelector"});
        if (Integer(0, 3) == 0)
        {
            network.losses[config.GetPlacement()[Integer(0, workers + servers - 1)]] = 0.01;
        }
        config.congestionOps =
            Choose<std::string>({"TcpFlooredDctcp", "TcpCubic", "TcpNewReno", "TcpLinuxReno"});
        config.minRto = MilliSeconds(Choose<uint32_t>({1, 10}));

        WorkloadConfig& workload = config.workload;
        workload.placement = Choose<WorkloadConfig::Placement>(
            {WorkloadConfig::Placement::SPREAD, WorkloadConfig::Placement::CONTIGUOUS});
        workload.frontLayersFirst = Integer(0, 1) == 0;
        workload.partBytes = Choose<uint64_t>({0, 40'000, 4'000'000});
        workload.sliceBytes = Choose<uint64_t>({20'000, 200'000});
        workload.creditBytes = Choose<uint64_t>({40'000, 400'000});
        workload.bucketBytes = Choose<uint64_t>({4, 300'000, 25'000'000});
        workload.iterations = 1;
        workload.computeScale = Choose<double>({0.5, 1, 100});
        workload.computeJitter = Choose<double>({0, 0.01, 0.5});
        workload.aggregationRate = DataRate(Choose<uint64_t>({0, 0, 10'000'000'000}));
        if (Integer(0, 3) == 0)
        {
            workload.stragglers[Integer(0, workers - 1)] = 2;
        }
        return config;
    }

    /// \return what a failure needs to be run again
    static std::string Describe(const ScenarioConfig& config)
    {
        const NetworkConfig& network = config.network;
        const WorkloadConfig& workload = config.workload;
        std::ostringstream os;
        if (network.topology == NetworkConfig::Topology::FAT_TREE)
        {
            os << "fat-tree " << network.k;
        }
        else
        {
            os << "leaf-spine " << network.leaves << "x" << network.spines << "x"
               << network.hostsPerLeaf;
        }
        os << (network.queue == NetworkConfig::Queue::FIFO ? ", fifo " : ", red ") << network.buffer
           << ", " << network.rate << ", delay " << network.delay << ", mtu " << network.mtu
           << ", oversubscription " << network.oversubscription << ", " << network.selector << ", "
           << config.congestionOps << ", min RTO " << config.minRto;
        for (const auto& [host, share] : network.losses)
        {
            os << ", host" << host << " loses " << share;
        }
        os << (workload.collective == WorkloadConfig::Collective::RING ? "; ring" : "; ps")
           << " of " << workload.workers << "+" << workload.servers
           << (workload.placement == WorkloadConfig::Placement::SPREAD ? ", spread"
                                                                       : ", contiguous")
           << (workload.frontLayersFirst ? ", priority" : ", fifo") << ", part "
           << workload.partBytes << ", slice " << workload.sliceBytes << ", credit "
           << workload.creditBytes << ", bucket " << workload.bucketBytes << ", scale "
           << workload.computeScale << ", jitter " << workload.computeJitter << ", aggregation "
           << workload.aggregationRate;
        for (const auto& [worker, factor] : workload.stragglers)
        {
            os << ", worker" << worker << " x" << factor;
        }
        os << "; layers";
        for (const auto& layer : workload.profile->layers)
        {
            os << " " << layer.forwardSeconds * 1e6 << "/" << layer.backwardSeconds * 1e6 << " us "
               << layer.gradientBytes << " B";
        }
        return os.str();
    }

  private:
    /**
     * \param choices values
     * \return one of them
     */
    template <typename T>
    T Choose(const std::vector<T>& choices)
    {
        return choices[Integer(0, choices.size() - 1)];
    }

    /// \return a number from least to most
    uint32_t Integer(uint32_t least, uint32_t most)
    {
        // Not std::uniform_int_distribution: its draws differ with the standard library.
        return least + m_random() % (most - least + 1);
    }

    std::mt19937 m_random; ///< its draws are the same everywhere
};

} // namespace ns3

#endif // RANDOM_SCENARIO_H
