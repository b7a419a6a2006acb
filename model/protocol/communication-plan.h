// SPDX-License-Identifier: GPL-2.0-only

#ifndef GRADNET_COMMUNICATION_PLAN_H
#define GRADNET_COMMUNICATION_PLAN_H

#include "training-profile.h"

#include <cstdint>
#include <vector>

namespace gradnet
{

/// What is reduced together: a part of a tensor, or a bucket of several.
struct CommunicationUnit
{
    uint32_t frontLayer{0}; ///< frontmost layer in it; its gradient is the last to be ready
    uint32_t backLayer{0};  ///< rearmost layer in it; the layers between belong to it, too
    uint64_t bytes{0};      ///< size in bytes, above 0
    uint32_t server{0};     ///< index of its parameter server; 0 in an all-reduce
};

/// How a model's gradients are cut up, in the order of the layers. The index of a unit is its part.
struct CommunicationPlan
{
    std::vector<CommunicationUnit> units;

    /**
     * The parts that each layer needs before its forward pass.
     *
     * \param layers number of layers of the model
     * \return indices of units for each layer
     */
    std::vector<std::vector<uint32_t>> GetUnitsByLayer(uint32_t layers) const;
};

/**
 * Cuts each tensor into parts for parameter servers, each to the server that has fewest bytes.
 *
 * \param profile the model
 * \param servers number of servers, at least 1
 * \param partBytes longest part in bytes, a multiple of 4; 0 keeps a tensor whole on one server,
 *        but gives each server an equal part of one of 4 MB or more (MXNet's rule for arrays of a
 *        million values)
 * \return the plan; a layer without gradients has no unit
 */
CommunicationPlan MakeParameterServerPlan(const TrainingProfile& profile,
                                          uint32_t servers,
                                          uint64_t partBytes);

/**
 * Fuses tensors into buckets for an all-reduce, from the back, as their gradients become ready. A
 * tensor is never cut; a bucket is closed by the tensor that fills it (PyTorch's
 * DistributedDataParallel, whose default is 25 MB; Li et al., VLDB 2020).
 *
 * \param profile the model
 * \param bucketBytes a bucket is closed once it holds so many bytes
 * \return the plan
 */
CommunicationPlan MakeAllReducePlan(const TrainingProfile& profile, uint64_t bucketBytes);

} // namespace gradnet

#endif // GRADNET_COMMUNICATION_PLAN_H
