// SPDX-License-Identifier: GPL-2.0-only

#include "training-options.h"

#include "results-table.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

using ns3::NetworkConfig;
using ns3::ScenarioConfig;
using ns3::WorkloadConfig;

namespace
{

constexpr uint32_t MOST_HOSTS = 65535;

const std::map<std::string, WorkloadConfig::Collective> WORKLOADS = {
    {"ps", WorkloadConfig::Collective::PARAMETER_SERVER},
    {"ring", WorkloadConfig::Collective::RING},
};

const std::map<std::string, WorkloadConfig::Placement> PLACEMENTS = {
    {"spread", WorkloadConfig::Placement::SPREAD},
    {"contiguous", WorkloadConfig::Placement::CONTIGUOUS},
};

const std::map<std::string, NetworkConfig::Topology> TOPOLOGIES = {
    {"fat-tree", NetworkConfig::Topology::FAT_TREE},
    {"leaf-spine", NetworkConfig::Topology::LEAF_SPINE},
};

const std::map<std::string, NetworkConfig::Queue> QUEUES = {
    {"red-ecn", NetworkConfig::Queue::RED_ECN},
    {"fifo", NetworkConfig::Queue::FIFO},
};

std::string
NameOf(WorkloadConfig::Collective collective)
{
    return collective == WorkloadConfig::Collective::RING ? "ring all-reduce" : "parameter server";
}

std::string
FormatSize(const ns3::QueueSize& size)
{
    return size.GetUnit() == ns3::QueueSizeUnit::PACKETS
               ? std::to_string(size.GetValue()) + " packets"
               : FormatNumber(size.GetValue() / 1e3, 0) + " kB";
}

std::vector<std::string>
ListModels()
{
    std::vector<std::string> names;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(GRADNET_PROFILES_DIR, ignored))
    {
        if (entry.path().extension() == ".csv")
        {
            names.push_back(entry.path().stem().string());
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

uint64_t
GetPartBytes(const CommandLineOptions& options, bool frontLayersFirst)
{
    constexpr uint64_t FIFO_PART = 4'000'000; // BytePS cuts tensors to 4 MB
    constexpr uint64_t P3_SLICE = 200'000;    // P3: 50,000 values
    const std::string& text = options.GetText("partition");
    if (text == "auto")
    {
        return frontLayersFirst ? P3_SLICE : FIFO_PART;
    }
    if (text == "tensor")
    {
        return 0;
    }
    const uint64_t bytes = options.GetBytes("partition");
    if (bytes % 4)
    {
        throw UsageError("--partition: got \"" + text +
                         "\", expected whole fp32 values, a multiple of 4 bytes");
    }
    return bytes;
}

NetworkConfig
MakeNetworkConfig(const CommandLineOptions& options)
{
    NetworkConfig network;
    network.topology = options.GetChoice("topology", TOPOLOGIES);
    network.k = options.GetCount("k", 1, MOST_HOSTS);
    network.leaves = options.GetCount("leaves", 1, MOST_HOSTS);
    network.spines = options.GetCount("spines", 1, MOST_HOSTS);
    network.hostsPerLeaf = options.GetCount("hosts-per-leaf", 1, MOST_HOSTS);
    network.rate = options.GetRate("rate");
    network.delay = options.GetTime("delay", true);
    network.mtu = options.GetCount("mtu", 576, 65535);
    network.buffer = options.GetQueueSize("buffer");
    if (options.GetText("marking-threshold") != "auto")
    {
        network.markingThreshold = options.GetQueueSize("marking-threshold");
    }
    network.oversubscription = options.GetNumber("oversubscription", 1, 1000, false);
    network.selector = options.GetChoice("selector", GetSelectors());
    network.losses = options.GetByIndex("loss", "host", 1e-9, 1);
    network.pcapFolder = options.GetText("pcap");
    return network;
}

WorkloadConfig
MakeWorkloadConfig(const CommandLineOptions& options)
{
    WorkloadConfig workload;
    workload.profile = ReadModel(options.GetText("model"));
    workload.collective = options.GetChoice("workload", WORKLOADS);
    workload.placement = options.GetChoice("placement", PLACEMENTS);
    workload.workers = options.GetCount("workers", 1, MOST_HOSTS);
    const bool isRing = workload.collective == WorkloadConfig::Collective::RING;
    workload.servers = isRing ? 0 : options.GetCount("servers", 1, MOST_HOSTS);
    workload.frontLayersFirst =
        options.GetChoice<bool>("order", {{"fifo", false}, {"priority", true}});
    workload.partBytes = GetPartBytes(options, workload.frontLayersFirst);
    workload.sliceBytes = workload.partBytes > 0 ? workload.partBytes : workload.sliceBytes;
    if (options.GetText("credit") != "auto")
    {
        workload.creditBytes = options.GetBytes("credit");
    }
    workload.bucketBytes = options.GetBytes("bucket");
    workload.warmUp = options.GetCount("warm-up", 0, 1'000'000);
    workload.iterations = options.GetCount("iterations", 1, 1'000'000);
    workload.computeScale = options.GetNumber("compute-scale", 1e-3, 1e6, false);
    workload.computeJitter = options.GetNumber("compute-jitter", 0, 1, false);
    workload.aggregationRate = options.GetRate("aggregation-rate", true);
    workload.stragglers = options.GetByIndex("straggler", "worker", 1e-3, 1000);
    return workload;
}

} // namespace

std::vector<Option>
GetTrainingOptions()
{
    return {
        {"model", "resnet18", "name in examples/profiles, or path of a CSV or ASTRA-sim file"},
        {"workload", "ps", "ps (parameter server) or ring (all-reduce)"},
        {"workers", "8", "workers, a host each"},
        {"servers", "2", "parameter servers, a host each; not used by ring"},
        {"iterations", "2", "iterations that count"},
        {"warm-up", "1", "iterations before those that count"},
        {"compute-scale", "4", "how many times faster than the profile's device"},
        {"compute-jitter", "0.01", "half width of the uniform factor on each compute time, 0 to 1"},
        {"straggler", "", "workers that compute slower: worker3:1.5,worker5:2"},
        {"placement", "spread", "spread (workers dealt to edges in turn) or contiguous"},
        {"order", "fifo", "fifo, or priority (front layers first, P3)"},
        {"partition",
         "auto",
         "part of a tensor: a size, tensor (whole), auto (fifo 4MB, priority 200kB)"},
        {"credit",
         "auto",
         "unacknowledged bytes to a peer above which priority starts no slice: a size, or auto "
         "(400kB, or what a longer path holds)"},
        {"bucket", "25MB", "a ring's bucket is closed at this size"},
        {"aggregation-rate", "0bps", "rate at which a rank adds gradients; 0bps: in no time"},
        {"transport", "dctcp", "dctcp, cubic or newreno"},
        {"min-rto", "10ms", "TCP's smallest retransmission timeout"},
        {"retx-threshold",
         "auto",
         "duplicate ACKs that mean a loss to TCP: a count, auto (by selector)"},
        {"topology", "fat-tree", "fat-tree or leaf-spine"},
        {"k", "4", "ports of a fat-tree's switch; k^3/4 hosts"},
        {"leaves", "4", "leaves of a leaf-spine"},
        {"spines", "2", "spines of a leaf-spine"},
        {"hosts-per-leaf", "4", "hosts below each leaf of a leaf-spine"},
        {"rate", "25Gbps", "rate of the hosts' links"},
        {"delay", "1us", "propagation delay of each link"},
        {"mtu", "9000", "MTU in bytes"},
        {"oversubscription", "1", "hosts' rate over the core's, at least 1"},
        {"selector", "flow-hash", "path of a packet: flow-hash, random or round-robin"},
        {"queue", "auto", "switch ports: red-ecn, fifo, auto (dctcp red-ecn, else fifo)"},
        {"buffer", "4MB", "buffer of a switch port: a size, or packets (100p)"},
        {"marking-threshold",
         "auto",
         "queue above which red-ecn marks: a size, packets, auto (by rate)"},
        {"loss", "", "share of packets lost on hosts' links, both directions: host3:0.01"},
        {"stall-time", "10s", "simulated time without progress after which a run is given up"},
        {"seed", "1", "number of the run (ns-3's RngRun)"},
        {"pcap", "", "folder for packet traces of the hosts' ports"},
        {"validate", "", "check the input, print what was read, and stop", true},
    };
}

const std::map<std::string, TransportChoice>&
GetTransports()
{
    static const std::map<std::string, TransportChoice> transports = {
        {"dctcp", {"TcpFlooredDctcp", NetworkConfig::Queue::RED_ECN}},
        {"cubic", {"TcpCubic", NetworkConfig::Queue::FIFO}},
        {"newreno", {"TcpNewReno", NetworkConfig::Queue::FIFO}},
    };
    return transports;
}

const std::map<std::string, std::string>&
GetSelectors()
{
    static const std::map<std::string, std::string> selectors = {
        {"flow-hash", "ns3::FlowHashEcmpSelector"},
        {"random", "ns3::RandomEcmpSelector"},
        {"round-robin", "ns3::RoundRobinEcmpSelector"},
    };
    return selectors;
}

std::shared_ptr<const gradnet::TrainingProfile>
ReadModel(const std::string& model)
{
    const bool isPath = model.find_first_of("/.") != std::string::npos;
    const std::string path =
        isPath ? model : std::string(GRADNET_PROFILES_DIR) + "/" + model + ".csv";
    std::ifstream file(path);
    if (!file && !isPath)
    {
        CommandLineOptions::ThrowUnknown("--model", model, ListModels());
    }
    if (!file)
    {
        throw UsageError("--model: cannot read the file " + model);
    }
    try
    {
        return std::make_shared<const gradnet::TrainingProfile>(
            gradnet::ReadTrainingProfile(file, path));
    }
    catch (const gradnet::ProfileError& error)
    {
        throw UsageError(error.what());
    }
}

ScenarioConfig
MakeScenarioConfig(const CommandLineOptions& options)
{
    ScenarioConfig config;
    config.network = MakeNetworkConfig(options);
    config.workload = MakeWorkloadConfig(options);
    config.minRto = options.GetTime("min-rto");
    if (options.GetText("retx-threshold") != "auto")
    {
        config.reTxThreshold = options.GetCount("retx-threshold", 1, 1'000'000);
    }
    config.stallTime = options.GetTime("stall-time");
    const TransportChoice transport = options.GetChoice("transport", GetTransports());
    config.congestionOps = transport.congestionOps;
    config.network.queue =
        options.GetText("queue") == "auto" ? transport.queue : options.GetChoice("queue", QUEUES);
    if (options.GetText("credit") == "auto")
    {
        config.workload.creditBytes =
            std::max(config.workload.creditBytes,
                     config.GetDefaults().GetBandwidthDelayBytes() * 3 / 2);
    }
    constexpr double MOST_SECONDS = 1e5;
    const auto& profile = *config.workload.profile;
    const double seconds = (profile.GetForwardSeconds() + profile.GetBackwardSeconds()) /
                           config.workload.computeScale *
                           (config.workload.warmUp + config.workload.iterations);
    if (seconds > MOST_SECONDS)
    {
        throw UsageError("the iterations compute for " + FormatNumber(seconds, 0) +
                         " simulated seconds, expected at most " + FormatNumber(MOST_SECONDS, 0));
    }
    const std::string problem = config.Check();
    if (!problem.empty())
    {
        throw UsageError(problem);
    }
    return config;
}

std::vector<std::string>
Describe(const ScenarioConfig& config)
{
    const NetworkConfig& network = config.network;
    const WorkloadConfig& workload = config.workload;
    const gradnet::TrainingProfile& profile = *workload.profile;
    std::ostringstream model;
    model << "model     " << profile.name << ": " << profile.layers.size() << " layers, "
          << FormatNumber(profile.GetGradientBytes() / 1e6, 1) << " MB of gradients, forward "
          << FormatNumber(profile.GetForwardSeconds() * 1e3 / workload.computeScale, 1)
          << " ms, backward "
          << FormatNumber(profile.GetBackwardSeconds() * 1e3 / workload.computeScale, 1)
          << " ms (compute-scale " << workload.computeScale << ")";
    std::ostringstream job;
    job << "job       " << NameOf(workload.collective) << ", " << workload.workers << " workers";
    if (workload.servers > 0)
    {
        job << ", " << workload.servers << " servers";
    }
    job << ", " << workload.warmUp << " warm-up and " << workload.iterations
        << " measured iterations";
    std::ostringstream net;
    net << "network   ";
    if (network.topology == NetworkConfig::Topology::FAT_TREE)
    {
        net << "fat-tree k=" << network.k;
    }
    else
    {
        net << "leaf-spine " << network.leaves << " x " << network.spines << " x "
            << network.hostsPerLeaf;
    }
    net << ", " << network.GetNHosts() << " hosts, " << network.rate.GetBitRate() / 1e9 << " Gb/s, "
        << network.delay.GetNanoSeconds() / 1e3 << " us a link, MTU " << network.mtu
        << " B, buffer " << FormatSize(network.buffer) << " a port, TCP's min RTO "
        << config.minRto.GetNanoSeconds() / 1e6 << " ms";
    return {model.str(), job.str(), net.str()};
}
