// SPDX-License-Identifier: GPL-2.0-only

#include "all-reduce-helper.h"

namespace ns3
{

AllReduceHelper::AllReduceHelper(std::shared_ptr<const gradnet::TrainingProfile> profile)
    : CollectiveHelper(std::move(profile))
{
}

void
AllReduceHelper::SetBucketBytes(uint64_t bytes)
{
    m_bucketBytes = bytes;
}

ApplicationContainer
AllReduceHelper::Install(const NodeContainer& ranks)
{
    const uint32_t nRanks = ranks.GetN();
    NS_ABORT_MSG_IF(nRanks == 0, "an all-reduce job needs a rank");
    m_plan = std::make_shared<const gradnet::CommunicationPlan>(
        gradnet::MakeAllReducePlan(*m_profile, m_bucketBytes));
    ApplicationContainer applications;
    for (uint32_t rank = 0; rank < nRanks; ++rank)
    {
        const auto schedule = std::make_shared<const gradnet::CollectiveSchedule>(
            gradnet::MakeRingSchedule(nRanks, rank));
        const auto worker = MakeWorker();
        Equip(worker, ranks.Get(rank), rank, {m_plan, {m_plan->units.size(), schedule}});
        applications.Add(worker);
    }
    for (uint32_t rank = 0; nRanks > 1 && rank < nRanks; ++rank)
    {
        const uint32_t next = (rank + 1) % nRanks;
        DynamicCast<CollectivePlayer>(applications.Get(rank))
            ->AddPeer(next, GetAddress(DynamicCast<CollectivePlayer>(applications.Get(next))));
    }
    return applications;
}

} // namespace ns3
