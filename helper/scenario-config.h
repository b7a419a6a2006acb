// SPDX-License-Identifier: GPL-2.0-only

#ifndef GRADNET_SCENARIO_CONFIG_H
#define GRADNET_SCENARIO_CONFIG_H

#include "data-center-defaults.h"

#include "ns3/closed-form.h"
#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/queue-size.h"
#include "ns3/training-profile.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/// \ingroup gradnet
/// The network of a scenario.
struct NetworkConfig
{
    enum class Topology
    {
        FAT_TREE,
        LEAF_SPINE
    };

    /// What a switch's ports queue with.
    enum class Queue
    {
        RED_ECN, ///< marks above DCTCP's threshold
        FIFO     ///< drops when full
    };

    Topology topology{Topology::FAT_TREE};
    uint32_t k{4};                                     ///< ports of a fat-tree's switch
    uint32_t leaves{4};                                ///< of a leaf-spine
    uint32_t spines{2};                                ///< of a leaf-spine
    uint32_t hostsPerLeaf{4};                          ///< of a leaf-spine
    DataRate rate{"25Gbps"};                           ///< of the hosts' links
    Time delay{MicroSeconds(1)};                       ///< of each link
    uint16_t mtu{1500};                                ///< in bytes
    QueueSize buffer{"4MB"};                           ///< of a switch's port
    Queue queue{Queue::RED_ECN};                       ///< of a switch's port
    QueueSize markingThreshold{"0B"};                  ///< of RED_ECN; 0: by the port's rate
    double oversubscription{1};                        ///< at least 1
    std::string selector{"ns3::FlowHashEcmpSelector"}; ///< an EcmpSelector
    std::map<uint32_t, double> losses; ///< share of packets lost on a host's link, by host
    std::string pcapFolder;            ///< traces of the hosts' ports go here; empty: none

    /// \return the number of hosts
    uint32_t GetNHosts() const;
    /// \return true if the selector chooses for each packet
    bool IsSpraying() const;
};

/// \ingroup gradnet
/// The training job of a scenario.
struct WorkloadConfig
{
    enum class Collective
    {
        PARAMETER_SERVER,
        RING
    };

    enum class Placement
    {
        SPREAD,    ///< workers dealt to the edges in turn
        CONTIGUOUS ///< workers edge after edge
    };

    std::shared_ptr<const gradnet::TrainingProfile> profile;
    Collective collective{Collective::PARAMETER_SERVER};
    Placement placement{Placement::SPREAD};
    uint32_t workers{8};
    uint32_t servers{2};              ///< not used by a ring
    bool frontLayersFirst{false};     ///< order in which tensors leave
    uint64_t partBytes{4'000'000};    ///< of parameter servers, or 0
    uint64_t sliceBytes{200'000};     ///< with front layers first
    uint64_t creditBytes{400'000};    ///< with front layers first
    uint64_t bucketBytes{25'000'000}; ///< of an all-reduce
    uint32_t warmUp{1};               ///< iterations before those that count
    uint32_t iterations{2};           ///< iterations that count
    double computeScale{1};
    double computeJitter{0.01};
    DataRate aggregationRate{0};           ///< of a server or rank; 0 adds in no time
    std::map<uint32_t, double> stragglers; ///< factor on compute times, by worker

    /// \return the number of hosts that serve; 0 in a ring
    uint32_t GetServers() const;
    /// \return the number of parts, or at most that of a ring's chunks, of an iteration
    uint64_t CountUnits() const;
};

/// \ingroup gradnet
/// A run, described whole.
struct ScenarioConfig
{
    NetworkConfig network;
    WorkloadConfig workload;
    std::string congestionOps{"TcpFlooredDctcp"}; ///< ns-3 class of TCP's congestion control
    Time minRto{MilliSeconds(10)};
    uint32_t reTxThreshold{0};   ///< TCP's duplicate acknowledgments; 0: by the selector
    Time stallTime{Seconds(10)}; ///< simulated time without progress after which a run is given up

    /// \return one sentence about the first thing that cannot be built, or an empty string
    std::string Check() const;
    /// \return the settings of TCP and queues
    DataCenterDefaults GetDefaults() const;
    /// \return the hosts of the workers, then of the servers
    std::vector<uint32_t> GetPlacement() const;
    /// \return payload of a full TCP segment in bytes, as ns-3's default is now
    uint32_t GetSegmentBytes() const;
    /// \return headers, rate and delay for closed forms
    gradnet::NetworkLimits GetLimits() const;
};

} // namespace ns3

#endif // GRADNET_SCENARIO_CONFIG_H
