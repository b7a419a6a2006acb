// SPDX-License-Identifier: GPL-2.0-only

#ifndef GRADNET_COLLECTIVE_SCHEDULE_H
#define GRADNET_COLLECTIVE_SCHEDULE_H

#include "tensor.h"

#include <cstdint>
#include <vector>

namespace gradnet
{

/// One tensor that a step sends.
struct CollectiveSend
{
    uint32_t to{0};    ///< rank that receives
    uint32_t chunk{0}; ///< which chunk of the part or bucket
    TensorPhase phase{TensorPhase::PUSH};
    uint32_t step{0}; ///< the receiver's step that waits for it
};

/**
 * A step fires once, when it has received all that it waits for and, if it adds the rank's own
 * gradients, these are there.
 */
struct CollectiveStep
{
    uint32_t receives{0};    ///< tensors to wait for
    uint32_t chunk{0};       ///< the chunk that these tensors carry
    bool ownGradient{false}; ///< true: waits for the rank's own gradients as well
    std::vector<CollectiveSend> sends;
};

/**
 * What one rank does for one part or bucket, as data: it is through when every step has fired.
 * Steps are independent of one another but for what they receive.
 */
struct CollectiveSchedule
{
    uint32_t chunks{1}; ///< equal pieces of whole fp32 values that the part or bucket is cut into
    std::vector<CollectiveStep> steps;
};

/**
 * The bytes of one of the equal chunks; the first ones are a value longer where it does not divide.
 *
 * \param bytes size of the whole in bytes, whole fp32 values
 * \param chunks number of chunks, at least 1
 * \param chunk index of the chunk
 * \return its size in bytes; 0 for the last ones when there are fewer values than chunks
 */
uint64_t GetChunkBytes(uint64_t bytes, uint32_t chunks, uint32_t chunk);

/**
 * Ring all-reduce: n-1 steps of reduce-scatter, n-1 of all-gather, each a 1/n of the bucket to the
 * next rank (Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms", 2009). A rank sends
 * 2(n-1)/n of the bucket.
 *
 * \param ranks number of ranks n, at least 1
 * \param rank the rank whose schedule it is
 * \return the schedule
 */
CollectiveSchedule MakeRingSchedule(uint32_t ranks, uint32_t rank);

/**
 * Parameter server, a worker's side: pushes its gradients, then waits for the parameters.
 *
 * \param server rank of the part's server
 * \return the schedule, the same for each worker
 */
CollectiveSchedule MakeWorkerSchedule(uint32_t server);

/**
 * Parameter server, the server's side: once every worker has pushed, sends the parameters to each.
 * No pull request is sent: the server answers the last push, as P3 does.
 *
 * \param workers number of workers; they are ranks 0 to workers-1
 * \param first the worker served first; the others follow in turn, so that the parts of one
 *        iteration do not favour the same worker
 * \return the schedule
 */
CollectiveSchedule MakeServerSchedule(uint32_t workers, uint32_t first);

} // namespace gradnet

#endif // GRADNET_COLLECTIVE_SCHEDULE_H
