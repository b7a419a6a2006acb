// SPDX-License-Identifier: GPL-2.0-only

#include "collective-schedule.h"

namespace gradnet
{

namespace
{

constexpr uint64_t VALUE_BYTES = 4;

} // namespace

uint64_t
GetChunkBytes(uint64_t bytes, uint32_t chunks, uint32_t chunk)
{
    const uint64_t values = bytes / VALUE_BYTES;
    return (values / chunks + (chunk < values % chunks ? 1 : 0)) * VALUE_BYTES;
}

CollectiveSchedule
MakeRingSchedule(uint32_t ranks, uint32_t rank)
{
    CollectiveSchedule schedule;
    schedule.chunks = ranks;
    const uint32_t next = (rank + 1) % ranks;
    const uint32_t lastReduce = ranks - 1;
    const uint32_t lastGather = 2 * (ranks - 1);
    for (uint32_t i = 0; i <= lastGather; ++i)
    {
        CollectiveStep step;
        // Step i receives the chunk that the previous rank sent in its step i-1: going back one
        // chunk a step through the reduce-scatter, and once more through the all-gather.
        step.chunk = (rank + 2 * ranks - i) % ranks;
        step.receives = i == 0 ? 0 : 1;
        step.ownGradient = i <= lastReduce;
        if (i < lastGather)
        {
            const auto phase =
                i < lastReduce ? TensorPhase::REDUCE_SCATTER : TensorPhase::ALL_GATHER;
            step.sends.push_back({next, step.chunk, phase, i + 1});
        }
        schedule.steps.push_back(step);
    }
    return schedule;
}

CollectiveSchedule
MakeWorkerSchedule(uint32_t server)
{
    CollectiveStep push;
    push.ownGradient = true;
    push.sends.push_back({server, 0, TensorPhase::PUSH, 0});
    CollectiveStep pull;
    pull.receives = 1;
    return {1, {push, pull}};
}

CollectiveSchedule
MakeServerSchedule(uint32_t workers, uint32_t first)
{
    CollectiveStep step;
    step.receives = workers;
    for (uint32_t i = 0; i < workers; ++i)
    {
        step.sends.push_back({(first + i) % workers, 0, TensorPhase::PULL, 1});
    }
    return {1, {step}};
}

} // namespace gradnet
