// SPDX-License-Identifier: GPL-2.0-only

#ifndef GRADNET_TENSOR_H
#define GRADNET_TENSOR_H

#include <cstdint>

namespace gradnet
{

/// What a tensor is sent for.
enum class TensorPhase : uint8_t
{
    PUSH,           ///< gradients, worker to parameter server
    PULL,           ///< parameters, parameter server to worker
    REDUCE_SCATTER, ///< partial sums of an all-reduce
    ALL_GATHER      ///< finished sums of an all-reduce
};

/// The number of values of TensorPhase.
constexpr uint8_t TENSOR_PHASES = 4;

/**
 * A phase's name as it stands in tables and files.
 *
 * \param phase the phase
 * \return "push", "pull", "reduce-scatter" or "all-gather"
 */
inline const char*
ToString(TensorPhase phase)
{
    switch (phase)
    {
    case TensorPhase::PUSH:
        return "push";
    case TensorPhase::PULL:
        return "pull";
    case TensorPhase::REDUCE_SCATTER:
        return "reduce-scatter";
    case TensorPhase::ALL_GATHER:
        return "all-gather";
    }
    return "unknown";
}

/**
 * What one rank sends another in one piece: a part of a layer's gradients or parameters, or a
 * chunk of a bucket. (iteration, part, from, to, step) names it within a job.
 */
struct Tensor
{
    uint16_t job{0};                      ///< which of the jobs on the network
    uint16_t from{0};                     ///< rank that sends
    uint16_t to{0};                       ///< rank that receives
    uint16_t layer{0};                    ///< frontmost layer it belongs to, 0 = next to the input
    uint32_t iteration{0};                ///< training iteration, from 0
    uint32_t part{0};                     ///< index of the part or bucket in the job's plan
    uint16_t step{0};                     ///< the receiver's step that waits for it
    TensorPhase phase{TensorPhase::PUSH}; ///< what it is sent for
    float lossTolerance{0};               ///< share of the bytes that may stay undelivered, 0 to 1
    uint64_t bytes{0};                    ///< size in bytes, without headers
};

} // namespace gradnet

#endif // GRADNET_TENSOR_H
