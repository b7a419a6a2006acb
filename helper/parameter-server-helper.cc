// SPDX-License-Identifier: GPL-2.0-only

#include "parameter-server-helper.h"

#include "ns3/parameter-server.h"

#include <map>

namespace ns3
{

namespace
{

using SharedSchedule = std::shared_ptr<const gradnet::CollectiveSchedule>;

SharedSchedule
Share(gradnet::CollectiveSchedule schedule)
{
    return std::make_shared<const gradnet::CollectiveSchedule>(std::move(schedule));
}

} // namespace

ParameterServerHelper::ParameterServerHelper(
    std::shared_ptr<const gradnet::TrainingProfile> profile)
    : CollectiveHelper(std::move(profile)),
      m_server("ns3::ParameterServer")
{
}

void
ParameterServerHelper::SetPartBytes(uint64_t bytes)
{
    NS_ABORT_MSG_IF(bytes % 4, "a part holds whole fp32 values, got " << bytes << " bytes");
    m_partBytes = bytes;
}

void
ParameterServerHelper::SetServerAttribute(const std::string& name, const AttributeValue& value)
{
    m_server.Set(name, value);
}

ApplicationContainer
ParameterServerHelper::Install(const NodeContainer& workers, const NodeContainer& servers)
{
    const uint32_t nWorkers = workers.GetN();
    const uint32_t nServers = servers.GetN();
    NS_ABORT_MSG_IF(nWorkers == 0 || nServers == 0,
                    "a parameter-server job needs a worker and a server, got "
                        << nWorkers << " and " << nServers);
    m_plan = std::make_shared<const gradnet::CommunicationPlan>(
        gradnet::MakeParameterServerPlan(*m_profile, nServers, m_partBytes));

    std::map<uint32_t, SharedSchedule> ofServer;
    std::map<uint32_t, SharedSchedule> ofFirstWorker;
    CollectiveScore workerScore{m_plan, {}};
    std::vector<std::vector<SharedSchedule>> serverSchedules(nServers);
    const auto idle = Share({});
    for (uint32_t unit = 0; unit < m_plan->units.size(); ++unit)
    {
        const uint32_t server = m_plan->units[unit].server;
        SharedSchedule& push = ofServer[server];
        push = push ? push : Share(gradnet::MakeWorkerSchedule(nWorkers + server));
        workerScore.schedules.push_back(push);

        SharedSchedule& pull = ofFirstWorker[unit % nWorkers];
        pull = pull ? pull : Share(gradnet::MakeServerSchedule(nWorkers, unit % nWorkers));
        for (uint32_t other = 0; other < nServers; ++other)
        {
            serverSchedules[other].push_back(other == server ? pull : idle);
        }
    }

    ApplicationContainer applications;
    for (uint32_t i = 0; i < nWorkers; ++i)
    {
        const auto worker = MakeWorker();
        Equip(worker, workers.Get(i), i, workerScore);
        applications.Add(worker);
    }
    for (uint32_t i = 0; i < nServers; ++i)
    {
        const auto server = m_server.Create<ParameterServer>();
        Equip(server, servers.Get(i), nWorkers + i, {m_plan, serverSchedules[i]});
        for (uint32_t j = 0; j < nWorkers; ++j)
        {
            const auto worker = DynamicCast<CollectivePlayer>(applications.Get(j));
            server->AddPeer(j, GetAddress(worker));
            worker->AddPeer(nWorkers + i, GetAddress(server));
        }
        applications.Add(server);
    }
    return applications;
}

} // namespace ns3
