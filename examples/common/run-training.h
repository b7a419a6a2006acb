// SPDX-License-Identifier: GPL-2.0-only

#ifndef GRADNET_RUN_TRAINING_H
#define GRADNET_RUN_TRAINING_H

#include "ns3/training-scenario.h"

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

/// A run as a program starts it.
struct RunSettings
{
    ns3::ScenarioConfig scenario;
    uint64_t seed{1};                                            ///< ns-3's RngRun
    std::vector<std::pair<std::string, std::string>> attributes; ///< ns-3's, set last
    std::string outFolder; ///< files are written here; empty: none
};

/// What a run comes to. Times are in milliseconds, flow completion times in microseconds.
struct RunSummary
{
    std::string outcome;            ///< completed, stalled or failed
    std::vector<std::string> stuck; ///< a line for each tensor under way when it did not complete
    double iterationMs{0};          ///< median of the measured iterations
    double iterationMinMs{0};
    double iterationMaxMs{0};
    double computeMs{0}; ///< the median iteration's parts; they sum up to it
    double waitingMs{0};
    double networkMs{0};
    double runMs{0};   ///< from the start to the last parameters, warm-up included
    double boundMs{0}; ///< the least that runMs can be
    double fctP50Us{0};
    double fctP99Us{0};
    double slowdownP50{0}; ///< flow completion time over that on an idle network
    double slowdownP99{0};
    uint64_t tensors{0};                   ///< received in the measured iterations
    uint64_t deliveredBytes{0};            ///< payload, in the whole run
    uint64_t resentBytes{0};               ///< payload, in the whole run
    uint64_t timeouts{0};                  ///< in the whole run
    uint64_t markedPackets{0};             ///< in the whole run
    std::map<std::string, uint64_t> drops; ///< packets by reason, in the whole run

    /// \return packets dropped by queues
    uint64_t GetQueueDrops() const;
    /// \return packets lost at random on links
    uint64_t GetRandomLosses() const;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunSummary,
                                   outcome,
                                   stuck,
                                   iterationMs,
                                   iterationMinMs,
                                   iterationMaxMs,
                                   computeMs,
                                   waitingMs,
                                   networkMs,
                                   runMs,
                                   boundMs,
                                   fctP50Us,
                                   fctP99Us,
                                   slowdownP50,
                                   slowdownP99,
                                   tensors,
                                   deliveredBytes,
                                   resentBytes,
                                   timeouts,
                                   markedPackets,
                                   drops)

/// Exit statuses of the programs.
enum ExitStatus : int
{
    EXIT_DONE = 0,
    EXIT_BAD_INPUT = 1,
    EXIT_NOT_FINISHED = 2,
    EXIT_BELOW_BOUND = 4
};

/**
 * Makes sure that ns-3 takes the attributes. It aborts on some bad values, so they are tried in a
 * process of their own.
 *
 * \param settings the run
 * \throws UsageError in one line
 */
void CheckAttributes(const RunSettings& settings);

/**
 * Sets ns-3's defaults for a run.
 *
 * \param settings the run
 * \return sentences about settings that are bad for a data centre
 * \throws UsageError for segments that do not fit a frame
 */
std::vector<std::string> ApplyDefaults(const RunSettings& settings);

/**
 * Builds a run, runs it to its end, and writes its files. Once a process: ns-3 keeps random
 * streams and packet numbers beyond the end of a simulation.
 *
 * \param settings the run
 * \param progress called now and then with the share that is done, 0 to 1
 * \return its results
 */
RunSummary RunTraining(const RunSettings& settings, const std::function<void(double)>& progress);

/**
 * \param summary a run's results
 * \return the status that the program ends with
 */
ExitStatus GetExitStatus(const RunSummary& summary);

/**
 * The smallest value that a share of the values does not exceed (nearest rank).
 *
 * \param values the values, in any order; may be empty
 * \param share 0 to 1
 * \return the percentile; 0 without values
 */
double GetPercentile(std::vector<double> values, double share);

/**
 * \param values the values, in any order; may be empty
 * \return the middle one, or the mean of the two in the middle; 0 without values
 */
double GetMedian(std::vector<double> values);

#endif // GRADNET_RUN_TRAINING_H
