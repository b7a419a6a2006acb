// SPDX-License-Identifier: GPL-2.0-only

#include "run-training.h"

#include "child-process.h"
#include "command-line-options.h"
#include "results-table.h"
#include "results-writer.h"

#include "ns3/config.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

using ns3::IterationRecord;
using ns3::TensorRecord;
using ns3::TrainingScenario;

namespace
{

const std::string RANDOM_LOSS = "Random loss";

double
ToMs(const ns3::Time& time)
{
    return time.GetSeconds() * 1e3;
}

/// Medians over the measured iterations; an iteration's parts come from the ones in the middle.
void
SummarizeIterations(std::vector<IterationRecord> iterations, RunSummary& summary)
{
    if (iterations.empty())
    {
        return;
    }
    std::sort(iterations.begin(), iterations.end(), [](const auto& a, const auto& b) {
        return a.duration < b.duration;
    });
    const size_t count = iterations.size();
    const auto middle = {(count - 1) / 2, count / 2};
    for (const size_t i : middle)
    {
        summary.iterationMs += ToMs(iterations[i].duration) / 2;
        summary.computeMs += ToMs(iterations[i].compute) / 2;
        summary.waitingMs += ToMs(iterations[i].waiting) / 2;
        summary.networkMs += ToMs(iterations[i].network) / 2;
    }
    summary.iterationMinMs = ToMs(iterations.front().duration);
    summary.iterationMaxMs = ToMs(iterations.back().duration);
}

void
SummarizeTensors(const TrainingScenario& scenario, RunSummary& summary)
{
    std::vector<double> fcts;
    std::vector<double> slowdowns;
    for (const TensorRecord& record : scenario.GetStatistics().GetTensors())
    {
        summary.deliveredBytes += record.receivedBytes;
        if (record.received.IsStrictlyNegative() ||
            record.tensor.iteration < scenario.GetConfig().workload.warmUp)
        {
            continue;
        }
        const double fct = (record.received - record.queued).GetSeconds();
        fcts.push_back(fct * 1e6);
        slowdowns.push_back(fct / scenario.GetIdealSeconds(record.tensor));
    }
    summary.tensors = fcts.size();
    summary.fctP50Us = GetPercentile(fcts, 0.5);
    summary.fctP99Us = GetPercentile(fcts, 0.99);
    summary.slowdownP50 = GetPercentile(slowdowns, 0.5);
    summary.slowdownP99 = GetPercentile(slowdowns, 0.99);
}

std::vector<std::string>
DescribeStuck(const TrainingScenario& scenario)
{
    constexpr size_t SHOWN = 20;
    const auto& layers = scenario.GetConfig().workload.profile->layers;
    std::vector<std::string> lines;
    size_t stuck = 0;
    for (const TensorRecord& record : scenario.GetStatistics().GetTensors())
    {
        if (!record.received.IsStrictlyNegative() || ++stuck > SHOWN)
        {
            continue;
        }
        std::ostringstream line;
        line << gradnet::ToString(record.tensor.phase) << " "
             << scenario.GetRankName(record.tensor.from) << " -> "
             << scenario.GetRankName(record.tensor.to) << ", iteration " << record.tensor.iteration
             << ", layer " << layers[record.tensor.layer].name << ", part " << record.tensor.part
             << ": " << record.receivedBytes << " of " << record.tensor.bytes
             << " B received, queued at " << FormatNumber(ToMs(record.queued), 3) << " ms";
        lines.push_back(line.str());
    }
    if (stuck > SHOWN)
    {
        lines.push_back("and " + std::to_string(stuck - SHOWN) + " more");
    }
    return lines;
}

RunSummary
Summarize(const TrainingScenario& scenario, TrainingScenario::Outcome outcome)
{
    RunSummary summary;
    const auto& statistics = scenario.GetStatistics();
    auto iterations = statistics.GetIterations();
    const size_t warmUp = scenario.GetConfig().workload.warmUp;
    iterations.erase(iterations.begin(), iterations.begin() + std::min(warmUp, iterations.size()));
    SummarizeIterations(iterations, summary);
    SummarizeTensors(scenario, summary);
    for (const auto& link : scenario.GetLinks())
    {
        summary.markedPackets += link.marked;
        for (const auto& [reason, packets] : link.drops)
        {
            summary.drops[reason] += packets;
        }
    }
    summary.resentBytes = statistics.GetResentBytes();
    summary.timeouts = statistics.GetTimeouts();
    summary.runMs = ToMs(statistics.GetCompletionTime());
    switch (outcome)
    {
    case TrainingScenario::Outcome::COMPLETED:
        summary.outcome = "completed";
        summary.boundMs = scenario.GetBoundSeconds() * 1e3;
        break;
    case TrainingScenario::Outcome::STALLED:
        summary.outcome = "stalled";
        summary.stuck = DescribeStuck(scenario);
        break;
    case TrainingScenario::Outcome::FAILED:
        summary.outcome = "failed";
        summary.stuck = DescribeStuck(scenario);
        break;
    }
    return summary;
}

} // namespace

uint64_t
RunSummary::GetQueueDrops() const
{
    uint64_t packets = 0;
    for (const auto& [reason, dropped] : drops)
    {
        packets += dropped;
    }
    return packets - GetRandomLosses();
}

uint64_t
RunSummary::GetRandomLosses() const
{
    const auto found = drops.find(RANDOM_LOSS);
    return found == drops.end() ? 0 : found->second;
}

void
CheckAttributes(const RunSettings& settings)
{
    // The programs set these on each object, so a default would change nothing.
    static const std::set<std::string> setByOptions = {"ns3::TrainingWorker::Iterations",
                                                       "ns3::TrainingWorker::ComputeScale",
                                                       "ns3::TrainingWorker::ComputeJitter",
                                                       "ns3::TrainingWorker::Slowdown",
                                                       "ns3::CollectivePlayer::AggregationRate",
                                                       "ns3::StreamTensorChannel::FrontLayersFirst",
                                                       "ns3::StreamTensorChannel::SliceBytes",
                                                       "ns3::StreamTensorChannel::Credit",
                                                       "ns3::Ipv4EcmpRouting::Selector"};
    for (const auto& attribute : settings.attributes)
    {
        const auto& [name, value] = attribute;
        if (setByOptions.count(name) > 0)
        {
            throw UsageError("--" + name + ": the program sets it by an option of its own");
        }
        const auto set = [&attribute](const std::function<void(double)>&) -> std::string {
            const auto& [name, value] = attribute;
            return ns3::Config::SetDefaultFailSafe(name, ns3::StringValue(value)) ? "taken" : "";
        };
        const auto result = RunChildren({{name, set}}, 1, [](double) {}).front();
        if (result.result != "taken")
        {
            throw UsageError("--" + name + "=" + value +
                             ": ns-3 has no such attribute, or it does not take this value");
        }
    }
}

std::vector<std::string>
ApplyDefaults(const RunSettings& settings)
{
    const ns3::DataCenterDefaults defaults = settings.scenario.GetDefaults();
    defaults.Apply();
    for (const auto& [name, value] : settings.attributes)
    {
        ns3::Config::SetDefault(name, ns3::StringValue(value));
    }
    const uint32_t most = settings.scenario.network.mtu - 40;
    if (settings.scenario.GetSegmentBytes() > most)
    {
        throw UsageError("ns3::TcpSocket::SegmentSize: got " +
                         std::to_string(settings.scenario.GetSegmentBytes()) +
                         ", expected at most " + std::to_string(most) +
                         " so that a segment fits a frame");
    }
    return defaults.Check();
}

RunSummary
RunTraining(const RunSettings& settings, const std::function<void(double)>& progress)
{
    ns3::RngSeedManager::SetRun(settings.seed);
    ApplyDefaults(settings);
    RunSummary summary;
    {
        TrainingScenario scenario(settings.scenario);
        const auto outcome = scenario.Run(progress);
        summary = Summarize(scenario, outcome);
        if (!settings.outFolder.empty())
        {
            WriteResults(settings.outFolder, scenario, summary);
        }
    }
    ns3::Simulator::Destroy();
    return summary;
}

ExitStatus
GetExitStatus(const RunSummary& summary)
{
    // Both are exact up to rounding of each event to a picosecond.
    constexpr double ROUNDING = 1e-6;
    if (summary.outcome != "completed")
    {
        return EXIT_NOT_FINISHED;
    }
    return summary.runMs < summary.boundMs * (1 - ROUNDING) ? EXIT_BELOW_BOUND : EXIT_DONE;
}

double
GetPercentile(std::vector<double> values, double share)
{
    if (values.empty())
    {
        return 0;
    }
    const size_t rank = std::max<size_t>(1, std::ceil(share * values.size()));
    std::nth_element(values.begin(), values.begin() + (rank - 1), values.end());
    return values[rank - 1];
}

double
GetMedian(std::vector<double> values)
{
    if (values.empty())
    {
        return 0;
    }
    std::sort(values.begin(), values.end());
    return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}
