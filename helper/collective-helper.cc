// SPDX-License-Identifier: GPL-2.0-only

#include "collective-helper.h"

#include "ns3/inet-socket-address.h"
#include "ns3/ipv4.h"
#include "ns3/uinteger.h"

namespace ns3
{

CollectiveHelper::CollectiveHelper(std::shared_ptr<const gradnet::TrainingProfile> profile)
    : m_profile(std::move(profile)),
      m_channel("ns3::StreamTensorChannel"),
      m_worker("ns3::TrainingWorker")
{
}

void
CollectiveHelper::SetChannelType(const std::string& typeId)
{
    m_channel.SetTypeId(typeId);
}

void
CollectiveHelper::SetChannelAttribute(const std::string& name, const AttributeValue& value)
{
    m_channel.Set(name, value);
}

void
CollectiveHelper::SetWorkerAttribute(const std::string& name, const AttributeValue& value)
{
    m_worker.Set(name, value);
}

const gradnet::CommunicationPlan&
CollectiveHelper::GetPlan() const
{
    NS_ABORT_MSG_UNLESS(m_plan, "a job has a plan once it is installed");
    return *m_plan;
}

int64_t
CollectiveHelper::AssignStreams(const ApplicationContainer& workers, int64_t stream)
{
    int64_t used = 0;
    for (uint32_t i = 0; i < workers.GetN(); ++i)
    {
        if (const auto worker = DynamicCast<TrainingWorker>(workers.Get(i)))
        {
            used += worker->AssignStreams(stream + used);
        }
    }
    return used;
}

void
CollectiveHelper::Equip(Ptr<CollectivePlayer> player,
                        Ptr<Node> node,
                        uint32_t rank,
                        const CollectiveScore& score) const
{
    node->AddApplication(player);
    player->SetChannel(m_channel.Create<TensorChannel>());
    player->SetScore(rank, score);
}

Ptr<TrainingWorker>
CollectiveHelper::MakeWorker() const
{
    const auto worker = m_worker.Create<TrainingWorker>();
    worker->SetProfile(m_profile);
    return worker;
}

Address
CollectiveHelper::GetAddress(Ptr<CollectivePlayer> player)
{
    const auto ipv4 = player->GetNode()->GetObject<Ipv4>();
    NS_ABORT_MSG_UNLESS(ipv4 && ipv4->GetNInterfaces() > 1 && ipv4->GetNAddresses(1) > 0,
                        "node " << player->GetNode()->GetId()
                                << " of a training job needs an IPv4 address");
    UintegerValue port;
    player->GetAttribute("Port", port);
    return InetSocketAddress(ipv4->GetAddress(1, 0).GetLocal(), port.Get());
}

} // namespace ns3
