// SPDX-License-Identifier: GPL-2.0-only

// What does each technique add to the speed of distributed training, and on which network?
//
//   row 1   first-in first-out order, a path for each flow
//   row 2   + priority order (P3): front layers first
//   row 3   + packet spraying: a path for each packet
//
// Each row adds one thing to the row before, for each transport of --baselines, on each network of
// --networks. Each run has a process of its own, side by side on all cores.
//
// gradnet-compare --model=vgg16 --networks=clean,gray-link --baselines=dctcp,cubic

#include "common/child-process.h"
#include "common/command-line-options.h"
#include "common/comparison.h"
#include "common/progress-bar.h"
#include "common/results-writer.h"
#include "common/run-training.h"
#include "common/training-options.h"

#include <algorithm>
#include <iostream>
#include <thread>

namespace
{

/// A run of the comparison, and where its results belong.
struct PlannedRun
{
    std::string name;
    RunSettings settings;
    RunSummary summary;
};

/// \return the runs of a network, row by row, seed by seed
std::vector<PlannedRun>
PlanRuns(const ComparedNetwork& network, const CommandLineOptions& options)
{
    const uint64_t firstSeed = options.GetCount("seed", 1, std::numeric_limits<uint32_t>::max());
    const uint64_t seeds = options.GetCount("seeds", 1, 1000);
    const std::string out = options.GetText("out");
    std::vector<PlannedRun> runs;
    for (size_t row = 0; row < network.rows.size(); ++row)
    {
        for (uint64_t seed = firstSeed; seed < firstSeed + seeds; ++seed)
        {
            PlannedRun run;
            run.name =
                network.name + ", " + network.rows[row].name + ", seed " + std::to_string(seed);
            run.settings.scenario = network.rows[row].scenario;
            run.settings.seed = seed;
            run.settings.attributes = options.GetAttributes();
            if (!out.empty())
            {
                run.settings.outFolder = out + "/" + network.name + "/row" +
                                         std::to_string(row + 1) + "-seed" + std::to_string(seed);
            }
            runs.push_back(run);
        }
    }
    return runs;
}

/// Runs all in processes of their own. \return false if one ended without a result
bool
RunAll(std::vector<PlannedRun>& runs)
{
    std::vector<ChildTask> tasks;
    for (const PlannedRun& run : runs)
    {
        tasks.push_back({run.name, [&run](const std::function<void(double)>& progress) {
                             const RunSummary summary = RunTraining(run.settings, progress);
                             return nlohmann::json(summary)
                                 .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
                         }});
    }
    std::vector<ChildResult> results;
    {
        ProgressBar bar(std::to_string(runs.size()) + " runs");
        results = RunChildren(tasks,
                              std::max(1U, std::thread::hardware_concurrency()),
                              [&bar](double share) { bar.Update(share); });
    }
    bool isDone = true;
    for (size_t i = 0; i < runs.size(); ++i)
    {
        if (!results[i].isDone)
        {
            isDone = false;
            std::cerr << "gradnet-compare: no result from \"" << runs[i].name << "\":\n"
                      << results[i].log;
            continue;
        }
        std::cerr << results[i].log;
        runs[i].summary = nlohmann::json::parse(results[i].result).get<RunSummary>();
    }
    return isDone;
}

/// \return the worst exit status of the runs, having told about each that is not 0
ExitStatus
CheckRuns(const std::vector<PlannedRun>& runs)
{
    ExitStatus worst = EXIT_DONE;
    for (const PlannedRun& run : runs)
    {
        const ExitStatus status = GetExitStatus(run.summary);
        worst = std::max(worst, status);
        if (status == EXIT_NOT_FINISHED)
        {
            std::cerr << "gradnet-compare: \"" << run.name << "\" " << run.summary.outcome
                      << "; tensors under way:\n";
            for (const std::string& line : run.summary.stuck)
            {
                std::cerr << "  " << line << "\n";
            }
        }
        else if (status == EXIT_BELOW_BOUND)
        {
            std::cerr << "gradnet-compare: \"" << run.name
                      << "\" is below its bound, so one of the two is wrong\n";
        }
    }
    return worst;
}

int
Compare(int argc, char* argv[])
{
    CommandLineOptions options("What each technique adds to the speed of distributed training.",
                               GetComparisonOptions());
    options.Parse(argc, argv);
    std::vector<ComparedNetwork> networks = MakeComparison(options);
    std::vector<PlannedRun> runs;
    for (const ComparedNetwork& network : networks)
    {
        const auto planned = PlanRuns(network, options);
        runs.insert(runs.end(), planned.begin(), planned.end());
    }
    CheckAttributes(runs.front().settings);
    for (const std::string& sentence : ApplyDefaults(runs.front().settings))
    {
        std::cerr << "gradnet-compare: note: " << sentence << "\n";
    }
    if (options.GetFlag("validate"))
    {
        for (const ComparedNetwork& network : networks)
        {
            PrintHeading(network, std::cout);
        }
        std::cout << "valid\n";
        return EXIT_DONE;
    }
    for (const PlannedRun& run : runs)
    {
        if (!run.settings.outFolder.empty())
        {
            PrepareFolder(run.settings.outFolder);
        }
    }
    if (!RunAll(runs))
    {
        return EXIT_NOT_FINISHED;
    }
    const ExitStatus status = CheckRuns(runs);
    if (status == EXIT_NOT_FINISHED)
    {
        return status;
    }
    const size_t seeds = options.GetCount("seeds", 1, 1000);
    size_t run = 0;
    std::string csv = GetCsvHeading();
    for (ComparedNetwork& network : networks)
    {
        for (ComparedRow& row : network.rows)
        {
            for (size_t seed = 0; seed < seeds; ++seed)
            {
                row.summaries.push_back(runs[run++].summary);
            }
        }
        PrintComparison(network, std::cout);
        csv += MakeCsv(network);
    }
    if (!options.GetText("out").empty())
    {
        WriteFile(options.GetText("out") + "/comparison.csv", csv);
    }
    return status;
}

} // namespace

int
main(int argc, char* argv[])
{
    ns3::Time::SetResolution(ns3::Time::PS);
    try
    {
        return Compare(argc, argv);
    }
    catch (const std::exception& error)
    {
        std::cerr << "gradnet-compare: " << error.what() << "\n";
        return EXIT_BAD_INPUT;
    }
}
