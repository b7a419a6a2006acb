// SPDX-License-Identifier: GPL-2.0-only

#ifndef GRADNET_TRAINING_OPTIONS_H
#define GRADNET_TRAINING_OPTIONS_H

#include "command-line-options.h"

#include "ns3/training-scenario.h"

#include <string>
#include <vector>

/// \return the options of a training run, common to the programs
std::vector<Option> GetTrainingOptions();

/**
 * \param model a name in examples/profiles, or the path of a CSV or ASTRA-sim file
 * \return the model
 * \throws UsageError in one line: an unknown name with the known ones, or file, line and reason
 */
std::shared_ptr<const gradnet::TrainingProfile> ReadModel(const std::string& model);

/**
 * \param options parsed, with all of GetTrainingOptions
 * \return the run they describe, checked
 * \throws UsageError in one line
 */
ns3::ScenarioConfig MakeScenarioConfig(const CommandLineOptions& options);

/// What a transport's name stands for.
struct TransportChoice
{
    std::string congestionOps;       ///< ns-3 class
    ns3::NetworkConfig::Queue queue; ///< the queue that it does best with
};

/// \return the transports by name
const std::map<std::string, TransportChoice>& GetTransports();

/// \return the ECMP selectors by name
const std::map<std::string, std::string>& GetSelectors();

/**
 * \param config a run
 * \return what it is, for people, a line each
 */
std::vector<std::string> Describe(const ns3::ScenarioConfig& config);

#endif // GRADNET_TRAINING_OPTIONS_H
