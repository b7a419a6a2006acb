// SPDX-License-Identifier: GPL-2.0-only

// One training run over a data-centre network: how long does an iteration take, and on what does
// it wait?
//
//   host0 .. host(n-1)      workers, and the parameter servers on the last hosts
//     |         |
//   edge0 ..  edge          fat-tree of k-port switches, or leaf-spine
//     |    X    |
//   agg0  ..  core
//
// gradnet-train --model=vgg16 --workers=8 --servers=4 --transport=cubic --out=results

#include "common/command-line-options.h"
#include "common/progress-bar.h"
#include "common/results-table.h"
#include "common/results-writer.h"
#include "common/run-training.h"
#include "common/training-options.h"

#include <iostream>

namespace
{

void
PrintResults(const RunSummary& summary, const ns3::ScenarioConfig& scenario)
{
    ResultsTable times({{"iteration", "ms"},
                        {"least", "ms"},
                        {"most", "ms"},
                        {"compute", "ms"},
                        {"waiting", "ms"},
                        {"network", "ms"},
                        {"run", "ms"},
                        {"bound", "ms"},
                        {"run/bound", ""}});
    times.AddRow({FormatNumber(summary.iterationMs, 3),
                  FormatNumber(summary.iterationMinMs, 3),
                  FormatNumber(summary.iterationMaxMs, 3),
                  FormatNumber(summary.computeMs, 3),
                  FormatNumber(summary.waitingMs, 3),
                  FormatNumber(summary.networkMs, 3),
                  FormatNumber(summary.runMs, 3),
                  FormatNumber(summary.boundMs, 3),
                  summary.boundMs > 0 ? FormatNumber(summary.runMs / summary.boundMs, 3) : "-"});
    times.Print(std::cout);
    std::cout << "\n";

    ResultsTable network({{"tensors", ""},
                          {"FCT p50", "us"},
                          {"FCT p99", "us"},
                          {"slowdown p50", ""},
                          {"slowdown p99", ""},
                          {"delivered", "MB"},
                          {"resent", "MB"},
                          {"timeouts", ""},
                          {"marked", "packets"},
                          {"dropped", "packets"},
                          {"lost", "packets"}});
    network.AddRow({std::to_string(summary.tensors),
                    FormatNumber(summary.fctP50Us, 1),
                    FormatNumber(summary.fctP99Us, 1),
                    FormatNumber(summary.slowdownP50, 2),
                    FormatNumber(summary.slowdownP99, 2),
                    FormatNumber(summary.deliveredBytes / 1e6, 1),
                    FormatNumber(summary.resentBytes / 1e6, 3),
                    std::to_string(summary.timeouts),
                    std::to_string(summary.markedPackets),
                    std::to_string(summary.GetQueueDrops()),
                    std::to_string(summary.GetRandomLosses())});
    network.Print(std::cout);
    for (const auto& [reason, packets] : summary.drops)
    {
        std::cout << "  " << reason << ": " << packets << " packets\n";
    }
    std::cout << "\niteration: median of " << scenario.workload.iterations
              << " measured; run and bound: from the start to the last parameters, warm-up "
                 "included.\n";
}

int
Train(int argc, char* argv[])
{
    auto known = GetTrainingOptions();
    known.push_back({"out", "", "folder for summary.json, iterations.csv, tensors.csv, links.csv"});
    CommandLineOptions options("One distributed training run over a data-centre network.", known);
    options.Parse(argc, argv);

    RunSettings settings;
    settings.scenario = MakeScenarioConfig(options);
    settings.seed = options.GetCount("seed", 1, std::numeric_limits<uint32_t>::max());
    settings.attributes = options.GetAttributes();
    settings.outFolder = options.GetText("out");
    CheckAttributes(settings);
    for (const std::string& sentence : ApplyDefaults(settings))
    {
        std::cerr << "gradnet-train: note: " << sentence << "\n";
    }
    for (const std::string& line : Describe(settings.scenario))
    {
        std::cout << line << "\n";
    }
    std::cout << "transport " << options.GetText("transport") << ", order "
              << options.GetText("order") << ", selector " << options.GetText("selector") << "\n";
    if (options.GetFlag("validate"))
    {
        std::cout << "valid\n";
        return EXIT_DONE;
    }
    for (const std::string& folder : {settings.outFolder, settings.scenario.network.pcapFolder})
    {
        if (!folder.empty())
        {
            PrepareFolder(folder);
        }
    }
    std::cout << "\n" << std::flush;
    RunSummary summary;
    {
        ProgressBar bar("training");
        summary = RunTraining(settings, [&bar](double share) { bar.Update(share); });
    }
    const ExitStatus status = GetExitStatus(summary);
    if (status == EXIT_NOT_FINISHED)
    {
        std::cerr << "gradnet-train: the run " << summary.outcome << "; tensors under way"
                  << (summary.stuck.empty() ? ": none" : ":") << "\n";
        for (const std::string& line : summary.stuck)
        {
            std::cerr << "  " << line << "\n";
        }
        return status;
    }
    PrintResults(summary, settings.scenario);
    if (status == EXIT_BELOW_BOUND)
    {
        std::cerr << "gradnet-train: the run is below its bound, so one of the two is wrong\n";
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
        return Train(argc, argv);
    }
    catch (const std::exception& error)
    {
        std::cerr << "gradnet-train: " << error.what() << "\n";
        return EXIT_BAD_INPUT;
    }
}
