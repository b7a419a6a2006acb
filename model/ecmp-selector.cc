// SPDX-License-Identifier: GPL-2.0-only

#include "ecmp-selector.h"

#include "ns3/log.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/udp-l4-protocol.h"
#include "ns3/uinteger.h"

#include <limits>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("EcmpSelector");

NS_OBJECT_ENSURE_REGISTERED(EcmpSelector);
NS_OBJECT_ENSURE_REGISTERED(FlowHashEcmpSelector);
NS_OBJECT_ENSURE_REGISTERED(RandomEcmpSelector);
NS_OBJECT_ENSURE_REGISTERED(RoundRobinEcmpSelector);

namespace
{

/**
 * \param random a source of random numbers
 * \return a draw from all 32-bit values
 */
uint32_t
DrawWord(Ptr<UniformRandomVariable> random)
{
    return random->GetInteger(0, std::numeric_limits<uint32_t>::max());
}

} // namespace

TypeId
EcmpSelector::GetTypeId()
{
    static TypeId tid = TypeId("ns3::EcmpSelector").SetParent<Object>().SetGroupName("Gradnet");
    return tid;
}

gradnet::FlowKey
EcmpSelector::GetFlowKey(const Ipv4Header& header, Ptr<const Packet> payload)
{
    gradnet::FlowKey flow;
    flow.source = header.GetSource().Get();
    flow.destination = header.GetDestination().Get();
    flow.protocol = header.GetProtocol();

    const bool hasPorts =
        flow.protocol == TcpL4Protocol::PROT_NUMBER || flow.protocol == UdpL4Protocol::PROT_NUMBER;
    const bool isFragment = header.GetFragmentOffset() > 0 || !header.IsLastFragment();
    uint8_t ports[4];
    if (hasPorts && !isFragment && payload && payload->CopyData(ports, 4) == 4)
    {
        flow.sourcePort = static_cast<uint16_t>(ports[0] << 8 | ports[1]);
        flow.destinationPort = static_cast<uint16_t>(ports[2] << 8 | ports[3]);
    }
    return flow;
}

TypeId
FlowHashEcmpSelector::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FlowHashEcmpSelector")
            .SetParent<EcmpSelector>()
            .SetGroupName("Gradnet")
            .AddConstructor<FlowHashEcmpSelector>()
            .AddAttribute("Seed",
                          "Seed of the hash. 0 draws one for each node from its stream, so that "
                          "another run number makes other flows collide; one value for all nodes "
                          "polarizes: a switch then uses only some of its paths",
                          UintegerValue(0),
                          MakeUintegerAccessor(&FlowHashEcmpSelector::SetSeed,
                                               &FlowHashEcmpSelector::GetSeed),
                          MakeUintegerChecker<uint64_t>());
    return tid;
}

FlowHashEcmpSelector::FlowHashEcmpSelector()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

uint32_t
FlowHashEcmpSelector::Select(const EcmpQuery& query)
{
    if (!m_paths)
    {
        m_paths.emplace(m_seed ? m_seed : DrawWord(m_random));
    }
    gradnet::PathQuery paths;
    paths.nPaths = query.hops.size();
    paths.flow = GetFlowKey(query.header, query.payload);
    return m_paths->Select(paths);
}

int64_t
FlowHashEcmpSelector::AssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    m_random->SetStream(stream);
    m_paths.reset();
    return 1;
}

void
FlowHashEcmpSelector::SetSeed(uint64_t seed)
{
    NS_LOG_FUNCTION(this << seed);
    m_seed = seed;
    m_paths.reset();
}

uint64_t
FlowHashEcmpSelector::GetSeed() const
{
    return m_seed;
}

TypeId
RandomEcmpSelector::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RandomEcmpSelector")
                            .SetParent<EcmpSelector>()
                            .SetGroupName("Gradnet")
                            .AddConstructor<RandomEcmpSelector>();
    return tid;
}

RandomEcmpSelector::RandomEcmpSelector()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

uint32_t
RandomEcmpSelector::Select(const EcmpQuery& query)
{
    gradnet::PathQuery paths;
    paths.nPaths = query.hops.size();
    paths.draw = m_random->GetValue(0, 1);
    return m_paths.Select(paths);
}

int64_t
RandomEcmpSelector::AssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    m_random->SetStream(stream);
    return 1;
}

TypeId
RoundRobinEcmpSelector::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RoundRobinEcmpSelector")
                            .SetParent<EcmpSelector>()
                            .SetGroupName("Gradnet")
                            .AddConstructor<RoundRobinEcmpSelector>();
    return tid;
}

RoundRobinEcmpSelector::RoundRobinEcmpSelector()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

uint32_t
RoundRobinEcmpSelector::Select(const EcmpQuery& query)
{
    if (!m_paths)
    {
        m_paths.emplace(DrawWord(m_random));
    }
    gradnet::PathQuery paths;
    paths.nPaths = query.hops.size();
    paths.group = query.group;
    return m_paths->Select(paths);
}

int64_t
RoundRobinEcmpSelector::AssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    m_random->SetStream(stream);
    m_paths.reset();
    return 1;
}

} // namespace ns3
