// SPDX-License-Identifier: GPL-2.0-only

#ifndef GRADNET_ALL_REDUCE_HELPER_H
#define GRADNET_ALL_REDUCE_HELPER_H

#include "collective-helper.h"

namespace ns3
{

/**
 * \ingroup gradnet
 * Builds a job of synchronous training with ring all-reduce over buckets of tensors. Buckets that
 * are ready at the same time share the links.
 */
class AllReduceHelper : public CollectiveHelper
{
  public:
    /// \param profile the model
    explicit AllReduceHelper(std::shared_ptr<const gradnet::TrainingProfile> profile);

    /// \param bytes a bucket is closed once it holds so many bytes. Default 25,000,000
    void SetBucketBytes(uint64_t bytes);

    /**
     * \param ranks hosts of the ring in its order, each with an address
     * \return their applications
     */
    ApplicationContainer Install(const NodeContainer& ranks);

  private:
    uint64_t m_bucketBytes{25'000'000};
};

} // namespace ns3

#endif // GRADNET_ALL_REDUCE_HELPER_H
