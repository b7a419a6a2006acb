// SPDX-License-Identifier: GPL-2.0-only

#ifndef GRADNET_TRAINING_STATISTICS_H
#define GRADNET_TRAINING_STATISTICS_H

#include "ns3/application-container.h"
#include "ns3/closed-form.h"
#include "ns3/nstime.h"
#include "ns3/simple-ref-count.h"
#include "ns3/tensor.h"

#include <boost/functional/hash.hpp>
#include <functional>
#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace ns3
{

class CollectivePlayer;
class TensorChannel;

/// \ingroup gradnet
/// One tensor's way through the network.
struct TensorRecord
{
    gradnet::Tensor tensor;
    Time queued;               ///< handed to the sender's channel
    Time sent;                 ///< last byte handed to the transport; negative: not yet
    Time received;             ///< there; negative: not yet
    uint64_t receivedBytes{0}; ///< payload at the receiver so far
};

/// \ingroup gradnet
/// One iteration, as the worker saw it that started last.
struct IterationRecord
{
    uint32_t iteration{0};
    uint32_t worker{0}; ///< the worker that started last
    Time start;         ///< of its first layer's forward pass
    Time duration;      ///< until its next iteration's; the sum of the three below
    Time compute;       ///< own forward and backward passes
    Time waiting;       ///< stall until the awaited unit's last gradients had left their worker
    Time network;       ///< the rest of the stall
};

/**
 * \ingroup gradnet
 * Turns the trace sources of a training job into results. One object for each job, attached before
 * the simulation starts; it must outlive the simulation.
 */
class TrainingStatistics
{
  public:
    /**
     * \param applications what a helper's Install returned
     * \param iterations iterations that each worker trains
     * \param layers layers of the model
     */
    TrainingStatistics(const ApplicationContainer& applications,
                       uint32_t iterations,
                       uint32_t layers);

    /// \param callback called once every worker has the last parameters
    void SetCompletedCallback(std::function<void()> callback);

    /// \return true once every worker has the last parameters
    bool IsCompleted() const;
    /// \return when the last progress was made: payload received; now while a rank computes or adds
    Time GetLastProgress() const;
    /// \return tensors received so far
    uint64_t GetReceivedTensors() const;

    /// \return the iterations that have ended on every worker, from the first
    std::vector<IterationRecord> GetIterations() const;
    /// \return every tensor, in the order in which they were queued
    const std::vector<TensorRecord>& GetTensors() const;
    /// \return compute times as drawn; complete once the training is
    const gradnet::ComputeTimes& GetComputeTimes() const;
    /// \return when every worker had the last parameters; 0 before
    Time GetCompletionTime() const;
    /// \return payload that transports sent again, in bytes
    uint64_t GetResentBytes() const;
    /// \return retransmission timers that expired
    uint64_t GetTimeouts() const;
    /// \return connections that were given up
    uint64_t GetFailedConnections() const;

  private:
    /// Durations of one worker in one iteration.
    struct WorkerIteration
    {
        Time start{Seconds(-1)};
        Time compute;
        Time waiting;
        Time network;
    };

    /// iteration, part, from, to, step
    using TensorKey = std::tuple<uint32_t, uint32_t, uint16_t, uint16_t, uint16_t>;

    static TensorKey GetKey(const gradnet::Tensor& tensor);

    void ConnectWorker(Ptr<CollectivePlayer> worker);
    void ConnectChannel(Ptr<TensorChannel> channel);
    void HandleIterationStarted(uint32_t worker, uint32_t iteration);
    void HandleLayerComputed(uint32_t worker,
                             uint32_t iteration,
                             uint32_t layer,
                             bool isBackward,
                             Time duration);
    void HandleStallEnded(uint32_t worker, uint32_t iteration, uint32_t unit, Time duration);
    void HandleTrainingCompleted();
    void HandleQueued(const gradnet::Tensor& tensor);
    void HandleSent(const gradnet::Tensor& tensor);
    void HandleReceived(const gradnet::Tensor& tensor);
    void HandleBytesReceived(const gradnet::Tensor& tensor, uint64_t bytes);
    void HandleBytesResent(uint32_t bytes);
    void HandleTimeout();
    void HandleConnectionFailed(uint32_t peer);

    ApplicationContainer m_applications;
    std::function<void()> m_completed;
    std::vector<std::vector<WorkerIteration>> m_workers; ///< [worker][iteration]
    gradnet::ComputeTimes m_computeTimes;
    std::vector<TensorRecord> m_tensors;
    std::unordered_map<TensorKey, size_t, boost::hash<TensorKey>> m_inFlight; ///< into m_tensors
    std::map<std::pair<uint32_t, uint32_t>, Time> m_lastLeft; ///< by iteration and part
    uint32_t m_workersLeft{0};
    Time m_completionTime;
    Time m_lastProgress;
    uint64_t m_receivedTensors{0};
    uint64_t m_resentBytes{0};
    uint64_t m_timeouts{0};
    uint64_t m_failedConnections{0};
};

} // namespace ns3

#endif // GRADNET_TRAINING_STATISTICS_H
