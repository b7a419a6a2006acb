// SPDX-License-Identifier: GPL-2.0-only

#ifndef GRADNET_TRAINING_SCENARIO_H
#define GRADNET_TRAINING_SCENARIO_H

#include "clos-topology-helper.h"
#include "scenario-config.h"
#include "training-statistics.h"

#include "ns3/closed-form.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/// \ingroup gradnet
/// What one direction of a link has carried.
struct LinkRecord
{
    std::string from; ///< node that sends
    std::string to;   ///< node that receives
    DataRate rate;
    uint64_t packets{0};   ///< sent
    uint64_t wireBytes{0}; ///< sent, with headers and gaps
    uint64_t marked{0};    ///< packets marked by the port's queue disc
    std::map<std::string, uint64_t>
        drops; ///< packets by reason, "Random loss" on the link included
};

/**
 * \ingroup gradnet
 * Builds a run and runs it: network, training job, statistics. The simulator must be new: nothing
 * scheduled, no node. ScenarioConfig::GetDefaults().Apply() is the caller's, before, so that a
 * script can change single settings in between.
 */
class TrainingScenario
{
  public:
    /// How a run ended.
    enum class Outcome
    {
        COMPLETED, ///< every worker has the last parameters
        STALLED,   ///< nothing progressed for the stall time
        FAILED     ///< a connection was given up
    };

    /// \param config the run; Check() must accept it
    explicit TrainingScenario(ScenarioConfig config);
    ~TrainingScenario();

    /**
     * Runs the simulation to its end.
     *
     * \param progress called now and then with the share of tensors received, 0 to 1; may be empty
     * \return how it ended
     */
    Outcome Run(std::function<void(double)> progress);

    /// \return what the run was built from
    const ScenarioConfig& GetConfig() const;
    /// \return the network, for scripts that change it before Run
    ClosTopologyHelper& GetTopology();
    /// \return what the traces told
    const TrainingStatistics& GetStatistics() const;
    /// \return how gradients are cut
    const gradnet::CommunicationPlan& GetPlan() const;
    /// \return what each direction of each link has carried
    std::vector<LinkRecord> GetLinks() const;
    /// \return the time from the start to the last parameters that no run of the job can pass
    double GetBoundSeconds() const;
    /**
     * \param tensor one of the statistics' tensors
     * \return its time on an idle network, in seconds
     */
    double GetIdealSeconds(const gradnet::Tensor& tensor) const;
    /// \return the name of a rank: "worker3" or "server0"
    std::string GetRankName(uint32_t rank) const;

  private:
    void BuildNetwork();
    void AddLoss(const TopologyLink& link, double share, uint32_t& stream);
    void BuildJob();
    void Watch();

    ScenarioConfig m_config;
    std::vector<uint32_t> m_placement;
    std::unique_ptr<ClosTopologyHelper> m_topology;
    gradnet::CommunicationPlan m_plan;
    std::unique_ptr<TrainingStatistics> m_statistics;
    std::map<Ptr<NetDevice>, uint64_t> m_lost; ///< packets lost on the way to a device
    std::function<void(double)> m_progress;
    double m_expectedTensors{0};
    Outcome m_outcome{Outcome::STALLED};
};

} // namespace ns3

#endif // GRADNET_TRAINING_SCENARIO_H
