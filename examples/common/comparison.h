// SPDX-License-Identifier: GPL-2.0-only

#ifndef GRADNET_COMPARISON_H
#define GRADNET_COMPARISON_H

#include "command-line-options.h"
#include "run-training.h"

#include <ostream>
#include <string>
#include <vector>

/// A row of a table: one way to run the job.
struct ComparedRow
{
    std::string name;
    std::string added; ///< what it adds to the row before; empty: a transport's first row
    ns3::ScenarioConfig scenario;
    std::vector<RunSummary> summaries; ///< by seed
};

/// A table: one job on one network.
struct ComparedNetwork
{
    std::string name;     ///< one word
    std::string pressure; ///< what the network does to the job
    std::vector<ComparedRow> rows;
};

/// \return the options of a comparison: a run's, less those that rows and networks set, and more
std::vector<Option> GetComparisonOptions();

/**
 * \param options parsed, with all of GetComparisonOptions
 * \return the tables to fill
 * \throws UsageError in one line
 */
std::vector<ComparedNetwork> MakeComparison(const CommandLineOptions& options);

/**
 * \param network the table
 * \param os where to print what it compares
 */
void PrintHeading(const ComparedNetwork& network, std::ostream& os);

/**
 * \param network the table, filled
 * \param os where to print it, with what follows from it
 */
void PrintComparison(const ComparedNetwork& network, std::ostream& os);

/// \return the first line of MakeCsv's file
std::string GetCsvHeading();

/**
 * \param network the table, filled
 * \return its rows as CSV, a line for each seed
 */
std::string MakeCsv(const ComparedNetwork& network);

#endif // GRADNET_COMPARISON_H
