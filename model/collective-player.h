// SPDX-License-Identifier: GPL-2.0-only

#ifndef GRADNET_COLLECTIVE_PLAYER_H
#define GRADNET_COLLECTIVE_PLAYER_H

#include "tensor-channel.h"

#include "ns3/application.h"
#include "ns3/collective-schedule.h"
#include "ns3/communication-plan.h"
#include "ns3/data-rate.h"

#include <map>
#include <memory>
#include <vector>

namespace ns3
{

/**
 * \ingroup gradnet
 * What a rank plays: the plan of its job, and its own schedule for each unit of the plan. Shared,
 * since many ranks and units have the same.
 */
struct CollectiveScore
{
    std::shared_ptr<const gradnet::CommunicationPlan> plan;
    std::vector<std::shared_ptr<const gradnet::CollectiveSchedule>> schedules; ///< by unit
};

/**
 * \ingroup gradnet
 * A rank of a training job: plays the schedules of its plan, iteration after iteration, through a
 * TensorChannel. It decides nothing about order or loss; the channel does.
 *
 * It waits without end for what does not come: whoever runs the simulation watches for progress.
 */
class CollectivePlayer : public Application
{
  public:
    static TypeId GetTypeId();

    /// \param channel the rank's channel, not yet listening
    void SetChannel(Ptr<TensorChannel> channel);
    /// \return the rank's channel
    Ptr<TensorChannel> GetChannel() const;

    /**
     * \param rank this rank
     * \param score what it plays
     */
    void SetScore(uint32_t rank, CollectiveScore score);
    /// \return true while gradients that have arrived are being added
    bool IsAggregating() const;
    /// \return this rank
    uint32_t GetRank() const;

    /**
     * Names a rank to send to. The connection is opened at the application's start.
     *
     * \param rank the other rank
     * \param address where it listens
     */
    void AddPeer(uint32_t rank, const Address& address);

  protected:
    void DoDispose() override;
    void StartApplication() override;

    /**
     * The rank's own gradients of a unit are there.
     *
     * \param iteration the iteration
     * \param unit index in the plan
     */
    void ProvideGradient(uint32_t iteration, uint32_t unit);

    /**
     * Every step of a unit has fired: its result is at this rank.
     *
     * \param iteration the iteration
     * \param unit index in the plan
     */
    virtual void UnitCompleted(uint32_t iteration, uint32_t unit) = 0;

    /// \return the plan
    const gradnet::CommunicationPlan& GetPlan() const;

  private:
    /// Where one iteration stands.
    struct Progress
    {
        std::vector<uint32_t> missing;   ///< what each step of each unit waits for
        std::vector<uint32_t> stepsLeft; ///< by unit
        uint32_t unitsLeft;
    };

    Progress& GetProgress(uint32_t iteration);
    void HandleTensor(const gradnet::Tensor& tensor);
    void Arrive(uint32_t iteration, uint32_t unit, uint32_t step);
    void Fire(uint32_t iteration, uint32_t unit, uint32_t step);
    uint64_t GetStepBytes(uint32_t unit, uint32_t chunk) const;

    uint16_t m_job;
    uint16_t m_port;
    DataRate m_aggregationRate;

    Ptr<TensorChannel> m_channel;
    uint32_t m_rank{0};
    CollectiveScore m_score;
    std::vector<uint32_t> m_firstStep; ///< by unit: its first step's index in Progress::missing
    std::map<uint32_t, Address> m_addresses;
    std::map<uint32_t, uint32_t> m_peers; ///< rank to the channel's number
    std::map<uint32_t, Progress> m_progress;
    Time m_aggregatedUntil;
};

} // namespace ns3

#endif // GRADNET_COLLECTIVE_PLAYER_H
