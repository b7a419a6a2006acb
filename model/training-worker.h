// SPDX-License-Identifier: GPL-2.0-only

#ifndef GRADNET_TRAINING_WORKER_H
#define GRADNET_TRAINING_WORKER_H

#include "collective-player.h"

#include "ns3/random-variable-stream.h"
#include "ns3/training-profile.h"

#include <memory>
#include <optional>
#include <vector>

namespace ns3
{

/**
 * \ingroup gradnet
 * A worker of synchronous data-parallel training: computes forward from the first layer to the
 * last and backward from the last to the first, hands each unit of gradients over as soon as its
 * frontmost layer's backward ends, and starts a layer's next forward once the layer's parameters
 * are there. So communication overlaps with both passes, as frameworks with a dependency engine
 * have it.
 *
 * Compute times are the profile's, divided by ComputeScale, times Slowdown, and times a draw from
 * 1 - ComputeJitter to 1 + ComputeJitter for each layer and pass.
 */
class TrainingWorker : public CollectivePlayer
{
  public:
    static TypeId GetTypeId();
    TrainingWorker();

    /// \param profile the model; at least one layer
    void SetProfile(std::shared_ptr<const gradnet::TrainingProfile> profile);

    /**
     * \param stream first stream number to use
     * \return the number of streams used
     */
    int64_t AssignStreams(int64_t stream);

    /// \return true while a pass is under way; false while the worker waits, or has trained
    bool IsComputing() const;

    /**
     * Signature of the trace source IterationStarted.
     *
     * \param iteration the iteration whose first forward starts; after the last one, the number of
     *        iterations, when it could have started
     */
    typedef void (*IterationTracedCallback)(uint32_t iteration);
    /**
     * Signature of the trace source LayerComputed.
     *
     * \param iteration the iteration
     * \param layer the layer
     * \param isBackward true: its backward pass; false: its forward pass
     * \param duration the compute time
     */
    typedef void (*LayerTracedCallback)(uint32_t iteration,
                                        uint32_t layer,
                                        bool isBackward,
                                        Time duration);
    /**
     * Signature of the trace source StallEnded.
     *
     * \param iteration the iteration whose parameters were waited for
     * \param unit the unit of the plan that came last
     * \param duration how long the worker computed nothing
     */
    typedef void (*StallTracedCallback)(uint32_t iteration, uint32_t unit, Time duration);

  protected:
    void StartApplication() override;

  private:
    void UnitCompleted(uint32_t iteration, uint32_t unit) override;

    void TryForward();
    void EndForward();
    void StartBackward();
    void EndBackward();
    Time DrawDuration(double seconds);

    uint32_t m_iterations;
    double m_computeScale;
    double m_computeJitter;
    double m_slowdown;
    Ptr<UniformRandomVariable> m_jitter;

    std::shared_ptr<const gradnet::TrainingProfile> m_profile;
    std::vector<std::vector<uint32_t>> m_unitsAtLayer; ///< by layer: units whose front it is
    std::vector<uint32_t> m_unitsOfLayer;              ///< by layer: units it needs
    std::vector<uint32_t> m_missing;                   ///< by layer: of these, not yet arrived
    uint32_t m_iteration{0};
    uint32_t m_layer{0};
    uint32_t m_lastIterationUnits{0};   ///< units of the last iteration not yet arrived
    std::optional<Time> m_stalledSince; ///< set while the worker waits for m_layer's parameters
    Time m_duration;                    ///< of the pass under way

    TracedCallback<uint32_t> m_iterationStarted;
    TracedCallback<uint32_t, uint32_t, bool, Time> m_layerComputed;
    TracedCallback<uint32_t, uint32_t, Time> m_stallEnded;
    TracedCallback<> m_trainingCompleted;
};

} // namespace ns3

#endif // GRADNET_TRAINING_WORKER_H
