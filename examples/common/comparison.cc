// SPDX-License-Identifier: GPL-2.0-only

#include "comparison.h"

#include "results-table.h"
#include "training-options.h"

#include <algorithm>
#include <set>
#include <sstream>

using ns3::NetworkConfig;
using ns3::ScenarioConfig;
using ns3::WorkloadConfig;

namespace
{

/// Options that rows, --baselines, --networks and --workloads set, or that make no sense for many.
const std::set<std::string> SET_BY_ROWS =
    {"order", "selector", "transport", "workload", "loss", "pcap"};

using Pressure = void (*)(ScenarioConfig&);

void
KeepClean(ScenarioConfig&)
{
}

void
MakeLinkGray(ScenarioConfig& scenario)
{
    const uint32_t lastWorker = scenario.workload.workers - 1;
    scenario.network.losses[scenario.GetPlacement()[lastWorker]] = 0.01;
}

void
MakeBurst(ScenarioConfig& scenario)
{
    constexpr uint32_t LAYERS = 10;
    auto profile = std::make_shared<gradnet::TrainingProfile>();
    profile->name = "burst";
    for (uint32_t layer = 0; layer < LAYERS; ++layer)
    {
        profile->layers.push_back({"layer" + std::to_string(layer), 1e-3, 1e-3, 100'000});
    }
    scenario.workload.profile = profile;
    scenario.workload.workers = 32;
    scenario.network.buffer = ns3::QueueSize("100p");
    while (scenario.network.topology == NetworkConfig::Topology::FAT_TREE &&
           scenario.network.GetNHosts() < scenario.workload.workers + scenario.workload.servers)
    {
        scenario.network.k += 2;
    }
}

void
Oversubscribe(ScenarioConfig& scenario)
{
    scenario.network.oversubscription = 4;
}

/// A preset of --networks.
struct Preset
{
    std::string pressure;
    Pressure apply;
};

const std::map<std::string, Preset> PRESETS = {
    {"clean", {"no pressure", KeepClean}},
    {"gray-link", {"the last worker's link loses 1% of packets in both directions", MakeLinkGray}},
    {"burst",
     {"32 workers, a model of 100 kB tensors, 100-packet buffers, in place of --workers, --model, "
      "--buffer",
      MakeBurst}},
    {"oversubscribed", {"4:1 core", Oversubscribe}},
};

template <typename Value>
const Value&
Choose(const std::string& option,
       const std::string& word,
       const std::map<std::string, Value>& choices)
{
    const auto found = choices.find(word);
    if (found != choices.end())
    {
        return found->second;
    }
    std::vector<std::string> known;
    for (const auto& [name, value] : choices)
    {
        known.push_back(name);
    }
    CommandLineOptions::ThrowUnknown(option, word, known);
}

std::vector<std::string>
GetWords(const CommandLineOptions& options, const std::string& name)
{
    auto words = options.GetList(name);
    if (words.empty() || std::set<std::string>(words.begin(), words.end()).size() < words.size())
    {
        throw UsageError("--" + name + ": got \"" + options.GetText(name) +
                         "\", expected words, each once");
    }
    return words;
}

/// The rows of one transport, each adding one thing to the one before.
void
AddRows(ComparedNetwork& network,
        CommandLineOptions options,
        const std::string& transport,
        const std::string& preset)
{
    const auto add = [&](const std::string& name, const std::string& added) {
        ScenarioConfig scenario = MakeScenarioConfig(options);
        PRESETS.at(preset).apply(scenario);
        const std::string problem = scenario.Check();
        if (!problem.empty())
        {
            throw UsageError("--networks=" + preset + ": " + problem);
        }
        network.rows.push_back({name, added, scenario, {}});
    };
    const bool isRing = options.GetText("workload") == "ring";
    const bool isCutFiner = !isRing && options.GetText("partition") == "auto";
    options.Set("transport", transport);
    add(transport + ", FIFO" + (isCutFiner ? " 4MB" : "") + ", flow ECMP", "");
    options.Set("order", "priority");
    const std::string priority = isCutFiner ? "priority order 200kB" : "priority order";
    add("  + " + priority, priority);
    options.Set("selector", "random");
    add("  + spraying", "spraying");
}

double
GetMedianOf(const ComparedRow& row, double RunSummary::*member)
{
    std::vector<double> values;
    for (const RunSummary& summary : row.summaries)
    {
        values.push_back(summary.*member);
    }
    return GetMedian(values);
}

template <typename Getter>
std::string
CountMedian(const ComparedRow& row, Getter getter)
{
    std::vector<double> values;
    for (const RunSummary& summary : row.summaries)
    {
        values.push_back(static_cast<double>(getter(summary)));
    }
    return FormatNumber(GetMedian(values), 0);
}

std::string
FormatGain(double base, double time)
{
    if (time <= 0)
    {
        return "-";
    }
    const std::string text = FormatNumber(100 * (base / time - 1), 1);
    return text == "-0.0" ? "0.0" : text;
}

/// What a row adds to the one before; a difference within the seeds' ranges is none.
std::string
DescribeStep(const ComparedRow& before, const ComparedRow& row)
{
    const auto byTime = [](const RunSummary& a, const RunSummary& b) {
        return a.iterationMs < b.iterationMs;
    };
    const auto [leastBefore, mostBefore] =
        std::minmax_element(before.summaries.begin(), before.summaries.end(), byTime);
    const auto [least, most] =
        std::minmax_element(row.summaries.begin(), row.summaries.end(), byTime);
    const bool isApart = most->iterationMs < leastBefore->iterationMs ||
                         least->iterationMs > mostBefore->iterationMs;
    if (!isApart)
    {
        return row.added + " makes no difference";
    }
    return row.added + " adds " +
           FormatGain(GetMedianOf(before, &RunSummary::iterationMs),
                      GetMedianOf(row, &RunSummary::iterationMs)) +
           "%";
}

void
PrintFindings(const ComparedNetwork& network, const ComparedRow& best, std::ostream& os)
{
    for (size_t i = 0; i < network.rows.size(); ++i)
    {
        const ComparedRow& row = network.rows[i];
        if (row.added.empty())
        {
            os << (i == 0 ? "Each row against the one before: " : "; ")
               << row.name.substr(0, row.name.find(',')) << ": ";
            continue;
        }
        os << (network.rows[i - 1].added.empty() ? "" : ", ")
           << DescribeStep(network.rows[i - 1], row);
    }
    const std::string headroom =
        FormatGain(GetMedianOf(best, &RunSummary::runMs), GetMedianOf(best, &RunSummary::boundMs));
    os << ".\nThe run with the shortest iteration takes " << headroom
       << "% longer than its bound: with these parts, no transport, queue or load balancing can "
          "speed it up by more.\n";
    const size_t seeds = network.rows.front().summaries.size();
    os << (seeds == 1 ? "One seed: indicative; --seeds=5 gives median and range."
                      : "Medians over " + std::to_string(seeds) +
                            " seeds; the range is that of the iteration time.")
       << "\n\n";
}

} // namespace

std::vector<Option>
GetComparisonOptions()
{
    std::vector<Option> options{
        {"networks", "clean,gray-link", "clean, gray-link, burst, oversubscribed: pressure"},
        {"workloads", "ps", "ps (parameter server), ring (all-reduce)"},
        {"baselines", "dctcp", "dctcp, cubic, newreno: transports"},
        {"seeds", "1", "runs of each row, from --seed on"},
        {"out", "", "folder for comparison.csv and the files of each run"},
    };
    for (Option option : GetTrainingOptions())
    {
        option.isFixed = SET_BY_ROWS.count(option.name) > 0;
        options.push_back(option);
    }
    return options;
}

std::vector<ComparedNetwork>
MakeComparison(const CommandLineOptions& options)
{
    std::vector<ComparedNetwork> networks;
    for (const std::string& workload : GetWords(options, "workloads"))
    {
        for (const std::string& word : GetWords(options, "networks"))
        {
            const Preset& preset = Choose("--networks", word, PRESETS);
            ComparedNetwork network{workload == "ps" ? word : word + "-" + workload,
                                    preset.pressure,
                                    {}};
            CommandLineOptions ofNetwork = options;
            ofNetwork.Set("workload", workload);
            for (const std::string& transport : GetWords(options, "baselines"))
            {
                Choose("--baselines", transport, GetTransports());
                AddRows(network, ofNetwork, transport, word);
            }
            networks.push_back(network);
        }
    }
    return networks;
}

void
PrintHeading(const ComparedNetwork& network, std::ostream& os)
{
    os << "network " << network.name << ": " << network.pressure << "\n";
    for (const std::string& line : Describe(network.rows.front().scenario))
    {
        os << "  " << line << "\n";
    }
}

void
PrintComparison(const ComparedNetwork& network, std::ostream& os)
{
    PrintHeading(network, os);
    os << "\n";
    const bool hasRange = network.rows.front().summaries.size() > 1;
    const auto byTime = [](const ComparedRow& a, const ComparedRow& b) {
        return GetMedianOf(a, &RunSummary::iterationMs) < GetMedianOf(b, &RunSummary::iterationMs);
    };
    const ComparedRow& best = *std::min_element(network.rows.begin(), network.rows.end(), byTime);
    const double first = GetMedianOf(network.rows.front(), &RunSummary::iterationMs);
    const double least = GetMedianOf(best, &RunSummary::iterationMs);

    std::vector<ResultsTable::Column> columns{{"", ""}, {"iteration", "ms"}};
    if (hasRange)
    {
        columns.push_back({"range", "ms"});
    }
    for (const ResultsTable::Column& column : std::vector<ResultsTable::Column>{
             {"over first", "%"},
             {"over best", "%"},
             {"compute", "ms"},
             {"waiting", "ms"},
             {"network", "ms"},
             {"run", "ms"},
             {"bound", "ms"},
             {"FCT p50", "us"},
             {"FCT p99", "us"},
             {"dropped", "packets"},
             {"lost", "packets"},
             {"timeouts", ""},
             {"resent", "kB"},
         })
    {
        columns.push_back(column);
    }
    ResultsTable table(columns);
    for (const ComparedRow& row : network.rows)
    {
        const double time = GetMedianOf(row, &RunSummary::iterationMs);
        std::vector<std::string> cells{row.name, FormatNumber(time, 2)};
        if (hasRange)
        {
            const auto [low, high] =
                std::minmax_element(row.summaries.begin(),
                                    row.summaries.end(),
                                    [](const RunSummary& a, const RunSummary& b) {
                                        return a.iterationMs < b.iterationMs;
                                    });
            cells.push_back(FormatNumber(low->iterationMs, 2) + "-" +
                            FormatNumber(high->iterationMs, 2));
        }
        for (const std::string& cell : {
                 FormatGain(first, time),
                 FormatGain(least, time),
                 FormatNumber(GetMedianOf(row, &RunSummary::computeMs), 2),
                 FormatNumber(GetMedianOf(row, &RunSummary::waitingMs), 2),
                 FormatNumber(GetMedianOf(row, &RunSummary::networkMs), 2),
                 FormatNumber(GetMedianOf(row, &RunSummary::runMs), 2),
                 FormatNumber(GetMedianOf(row, &RunSummary::boundMs), 2),
                 FormatNumber(GetMedianOf(row, &RunSummary::fctP50Us), 0),
                 FormatNumber(GetMedianOf(row, &RunSummary::fctP99Us), 0),
                 CountMedian(row, [](const RunSummary& s) { return s.GetQueueDrops(); }),
                 CountMedian(row, [](const RunSummary& s) { return s.GetRandomLosses(); }),
                 CountMedian(row, [](const RunSummary& s) { return s.timeouts; }),
                 CountMedian(row, [](const RunSummary& s) { return s.resentBytes / 1000; }),
             })
        {
            cells.push_back(cell);
        }
        table.AddRow(cells);
    }
    table.Print(os);
    os << "over first, over best: acceleration T/t - 1 over the first and over the fastest "
          "row.\n";
    PrintFindings(network, best, os);
}

std::string
GetCsvHeading()
{
    return "network,row,seed_index,iteration_ms,compute_ms,waiting_ms,network_ms,run_ms,bound_ms,"
           "fct_p50_us,fct_p99_us,dropped_packets,lost_packets,timeouts,resent_bytes\n";
}

std::string
MakeCsv(const ComparedNetwork& network)
{
    std::ostringstream csv;
    for (size_t row = 0; row < network.rows.size(); ++row)
    {
        const auto& summaries = network.rows[row].summaries;
        for (size_t seed = 0; seed < summaries.size(); ++seed)
        {
            const RunSummary& summary = summaries[seed];
            csv << network.name << "," << row + 1 << "," << seed << ","
                << FormatNumber(summary.iterationMs, 6) << "," << FormatNumber(summary.computeMs, 6)
                << "," << FormatNumber(summary.waitingMs, 6) << ","
                << FormatNumber(summary.networkMs, 6) << "," << FormatNumber(summary.runMs, 6)
                << "," << FormatNumber(summary.boundMs, 6) << ","
                << FormatNumber(summary.fctP50Us, 3) << "," << FormatNumber(summary.fctP99Us, 3)
                << "," << summary.GetQueueDrops() << "," << summary.GetRandomLosses() << ","
                << summary.timeouts << "," << summary.resentBytes << "\n";
        }
    }
    return csv.str();
}
