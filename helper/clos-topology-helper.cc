// SPDX-License-Identifier: GPL-2.0-only

#include "clos-topology-helper.h"

#include "ns3/abort.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("ClosTopologyHelper");

namespace
{

/// First address of the block for links between switches, 172.16.0.0.
constexpr uint32_t SWITCH_LINKS = 0xac100000;

/// Distance of a host's address from its edge port's, both in the edge's /24.
constexpr uint32_t PORT_OFFSET = 128;

/// Bytes of a frame beyond its IP packet: PPP's header in ns-3, and everything on Ethernet.
constexpr uint32_t PPP_OVERHEAD = 2;
constexpr uint32_t ETHERNET_OVERHEAD = 38;

/// \return a maker of FIFOs of 1000 packets
TrafficControlHelper
MakeFifo(DataRate)
{
    TrafficControlHelper queue;
    queue.SetRootQueueDisc("ns3::FifoQueueDisc", "MaxSize", StringValue("1000p"));
    return queue;
}

} // namespace

ClosTopologyHelper::ClosTopologyHelper(uint32_t hostsPerEdge, std::vector<Tier> tiers)
    : m_hostsPerEdge(hostsPerEdge),
      m_tiers(std::move(tiers)),
      m_rate("100Gbps"),
      m_delay(MicroSeconds(1)),
      m_hostQueue(MakeFifo),
      m_switchQueue(MakeFifo)
{
}

void
ClosTopologyHelper::SetRate(DataRate rate)
{
    NS_ABORT_MSG_IF(rate.GetBitRate() == 0, "a link needs a rate above 0");
    m_rate = rate;
}

void
ClosTopologyHelper::SetDelay(Time delay)
{
    NS_ABORT_MSG_IF(delay.IsStrictlyNegative(), "a link needs a delay of at least 0");
    m_delay = delay;
}

void
ClosTopologyHelper::SetMtu(uint16_t mtu)
{
    NS_ABORT_MSG_IF(mtu < 68, "IPv4 needs an MTU of at least 68 bytes, got " << mtu);
    m_mtu = mtu;
}

void
ClosTopologyHelper::SetOversubscription(double oversubscription)
{
    NS_ABORT_MSG_IF(!(oversubscription >= 1),
                    "oversubscription needs to be at least 1, got " << oversubscription);
    m_oversubscription = oversubscription;
}

void
ClosTopologyHelper::SetHostQueue(QueueFactory queue)
{
    m_hostQueue = std::move(queue);
}

void
ClosTopologyHelper::SetSwitchQueue(QueueFactory queue)
{
    m_switchQueue = std::move(queue);
}

void
ClosTopologyHelper::SetRouting(const Ipv4EcmpHelper& routing)
{
    m_routing = routing;
}

void
ClosTopologyHelper::Install()
{
    NS_LOG_FUNCTION(this);
    NS_ABORT_MSG_IF(m_hosts.GetN() > 0, "a topology can be installed once");
    m_hosts.Create(GetNHosts());
    for (const Tier& tier : m_tiers)
    {
        m_switches.Create(tier.size);
    }
    const NodeContainer nodes(m_hosts, m_switches);

    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    stack.SetRoutingHelper(m_routing);
    stack.Install(nodes);

    for (uint32_t host = 0; host < GetNHosts(); ++host)
    {
        const Ipv4Address address = GetHostAddress(host);
        Connect({GetHost(host), address},
                {GetSwitch(0, GetEdgeOfHost(host)), Ipv4Address(address.Get() + PORT_OFFSET)},
                "255.255.255.0",
                m_rate);
    }
    DoConnectSwitches();
    Ipv4EcmpHelper::PopulateRoutingTables(nodes);
}

void
ClosTopologyHelper::ConnectSwitches(Ptr<Node> lower, Ptr<Node> upper, DataRate rate)
{
    const uint32_t subnet = SWITCH_LINKS + 4 * m_nSwitchLinks++;
    Connect({lower, Ipv4Address(subnet + 1)},
            {upper, Ipv4Address(subnet + 2)},
            "255.255.255.252",
            rate);
}

void
ClosTopologyHelper::Connect(const std::pair<Ptr<Node>, Ipv4Address>& lower,
                            const std::pair<Ptr<Node>, Ipv4Address>& upper,
                            Ipv4Mask mask,
                            DataRate rate)
{
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", DataRateValue(rate));
    link.SetDeviceAttribute("Mtu", UintegerValue(m_mtu));
    // A difference, so that a frame of full size is exact to the resolution of time.
    link.SetDeviceAttribute("InterframeGap",
                            TimeValue(rate.CalculateBytesTxTime(m_mtu + ETHERNET_OVERHEAD) -
                                      rate.CalculateBytesTxTime(m_mtu + PPP_OVERHEAD)));
    link.SetChannelAttribute("Delay", TimeValue(m_delay));
    link.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue("1p"));
    const NetDeviceContainer devices = link.Install(lower.first, upper.first);

    SetUpPort(devices.Get(0), lower.second, mask, rate);
    SetUpPort(devices.Get(1), upper.second, mask, rate);
    m_links.push_back({GetNodeName(lower.first) + ":" + GetNodeName(upper.first),
                       DynamicCast<PointToPointNetDevice>(devices.Get(0)),
                       DynamicCast<PointToPointNetDevice>(devices.Get(1)),
                       rate,
                       m_delay});
}

void
ClosTopologyHelper::SetUpPort(Ptr<NetDevice> device,
                              Ipv4Address address,
                              Ipv4Mask mask,
                              DataRate rate)
{
    const Ptr<Node> node = device->GetNode();
    const bool isHost = node->GetId() < m_switches.Get(0)->GetId();
    const QueueFactory& makeQueue = isHost ? m_hostQueue : m_switchQueue;
    makeQueue(rate).Install(device);

    // Ipv4AddressHelper can only count upwards from one end of a link to the other.
    const Ptr<Ipv4> ipv4 = node->GetObject<Ipv4>();
    const uint32_t interface = ipv4->AddInterface(device);
    ipv4->AddAddress(interface, Ipv4InterfaceAddress(address, mask));
    ipv4->SetMetric(interface, 1);
    ipv4->SetUp(interface);
}

uint32_t
ClosTopologyHelper::GetNHosts() const
{
    return GetNEdges() * m_hostsPerEdge;
}

uint32_t
ClosTopologyHelper::GetNEdges() const
{
    return m_tiers.front().size;
}

uint32_t
ClosTopologyHelper::GetEdgeOfHost(uint32_t host) const
{
    NS_ABORT_MSG_IF(host >= GetNHosts(), "there is no host " << host);
    return host / m_hostsPerEdge;
}

Ipv4Address
ClosTopologyHelper::GetHostAddress(uint32_t host) const
{
    return Ipv4Address(GetSubnet(GetEdgeOfHost(host)).Get() + 1 + host % m_hostsPerEdge);
}

uint32_t
ClosTopologyHelper::GetNHops(uint32_t hostA, uint32_t hostB) const
{
    const uint32_t distance = GetEdgeDistance(GetEdgeOfHost(hostA), GetEdgeOfHost(hostB));
    return hostA == hostB ? 0 : 2 + distance;
}

Ptr<Node>
ClosTopologyHelper::GetHost(uint32_t host) const
{
    NS_ABORT_MSG_IF(host >= m_hosts.GetN(), "there is no host " << host << ", or not yet");
    return m_hosts.Get(host);
}

NodeContainer
ClosTopologyHelper::GetHosts() const
{
    return m_hosts;
}

NodeContainer
ClosTopologyHelper::GetSwitches() const
{
    return m_switches;
}

Ptr<Node>
ClosTopologyHelper::GetSwitch(uint32_t tier, uint32_t index) const
{
    NS_ABORT_MSG_IF(index >= m_tiers[tier].size || m_switches.GetN() == 0,
                    "there is no " << m_tiers[tier].name << index << ", or not yet");
    for (uint32_t below = 0; below < tier; ++below)
    {
        index += m_tiers[below].size;
    }
    return m_switches.Get(index);
}

const std::vector<TopologyLink>&
ClosTopologyHelper::GetLinks() const
{
    return m_links;
}

std::string
ClosTopologyHelper::GetNodeName(Ptr<Node> node) const
{
    // Nodes were created in one go, and so have consecutive numbers.
    const uint32_t id = node->GetId();
    if (m_hosts.GetN() == 0 || id < m_hosts.Get(0)->GetId())
    {
        return "node" + std::to_string(id);
    }
    uint32_t index = id - m_hosts.Get(0)->GetId();
    if (index < GetNHosts())
    {
        return "host" + std::to_string(index);
    }
    index -= GetNHosts();
    for (const Tier& tier : m_tiers)
    {
        if (index < tier.size)
        {
            return tier.name + std::to_string(index);
        }
        index -= tier.size;
    }
    return "node" + std::to_string(id);
}

int64_t
ClosTopologyHelper::AssignStreams(int64_t stream)
{
    return Ipv4EcmpHelper::AssignStreams(NodeContainer(m_hosts, m_switches), stream);
}

DataRate
ClosTopologyHelper::GetRate() const
{
    return m_rate;
}

double
ClosTopologyHelper::GetOversubscription() const
{
    return m_oversubscription;
}

} // namespace ns3
