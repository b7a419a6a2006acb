// SPDX-License-Identifier: GPL-2.0-only

#ifndef GRADNET_RESULTS_WRITER_H
#define GRADNET_RESULTS_WRITER_H

#include "run-training.h"

#include <string>

/**
 * Makes a folder for results, and makes sure that files can be written there.
 *
 * \param folder its path
 * \throws UsageError in one line
 */
void PrepareFolder(const std::string& folder);

/**
 * Writes a file whole or not at all.
 *
 * \param path where it goes
 * \param content what it holds
 * \throws std::runtime_error naming the file
 */
void WriteFile(const std::string& path, const std::string& content);

/**
 * Writes summary.json, iterations.csv, tensors.csv and links.csv. They hold simulated results only:
 * the same run writes the same bytes.
 *
 * \param folder where they go
 * \param scenario the run
 * \param summary its results
 */
void WriteResults(const std::string& folder,
                  const ns3::TrainingScenario& scenario,
                  const RunSummary& summary);

#endif // GRADNET_RESULTS_WRITER_H
