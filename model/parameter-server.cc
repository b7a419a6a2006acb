// SPDX-License-Identifier: GPL-2.0-only

#include "parameter-server.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(ParameterServer);

TypeId
ParameterServer::GetTypeId()
{
    static TypeId tid = TypeId("ns3::ParameterServer")
                            .SetParent<CollectivePlayer>()
                            .SetGroupName("Gradnet")
                            .AddConstructor<ParameterServer>();
    return tid;
}

void
ParameterServer::UnitCompleted(uint32_t, uint32_t)
{
}

} // namespace ns3
