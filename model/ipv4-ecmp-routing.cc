// SPDX-License-Identifier: GPL-2.0-only

#include "ipv4-ecmp-routing.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/net-device.h"
#include "ns3/node.h"
#include "ns3/object-factory.h"
#include "ns3/output-stream-wrapper.h"
#include "ns3/simulator.h"
#include "ns3/tcp-l4-protocol.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("Ipv4EcmpRouting");

NS_OBJECT_ENSURE_REGISTERED(Ipv4EcmpRouting);

TypeId
Ipv4EcmpRouting::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::Ipv4EcmpRouting")
            .SetParent<Ipv4RoutingProtocol>()
            .SetGroupName("Gradnet")
            .AddConstructor<Ipv4EcmpRouting>()
            .AddAttribute("Selector",
                          "TypeId of the EcmpSelector that chooses one of several equal-cost next "
                          "hops; setting it makes a fresh one",
                          TypeIdValue(RandomEcmpSelector::GetTypeId()),
                          MakeTypeIdAccessor(&Ipv4EcmpRouting::SetSelectorType,
                                             &Ipv4EcmpRouting::GetSelectorType),
                          MakeTypeIdChecker());
    return tid;
}

void
Ipv4EcmpRouting::DoDispose()
{
    NS_LOG_FUNCTION(this);
    ClearRoutes();
    m_ownAddresses.clear();
    m_selector = nullptr;
    m_ipv4 = nullptr;
    Ipv4RoutingProtocol::DoDispose();
}

void
Ipv4EcmpRouting::SetSelectorType(TypeId type)
{
    NS_LOG_FUNCTION(this << type);
    NS_ABORT_MSG_IF(!type.IsChildOf(EcmpSelector::GetTypeId()),
                    type.GetName() << " is no ns3::EcmpSelector");
    m_selector = ObjectFactory(type.GetName()).Create<EcmpSelector>();
}

TypeId
Ipv4EcmpRouting::GetSelectorType() const
{
    return m_selector->GetInstanceTypeId();
}

Ptr<EcmpSelector>
Ipv4EcmpRouting::GetSelector() const
{
    return m_selector;
}

int64_t
Ipv4EcmpRouting::AssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    return m_selector->AssignStreams(stream);
}

void
Ipv4EcmpRouting::AddRoute(Ipv4Address network,
                          Ipv4Mask mask,
                          const std::vector<EcmpNextHop>& nextHops)
{
    NS_LOG_FUNCTION(this << network << mask << nextHops.size());
    NS_ABORT_MSG_IF(!m_ipv4, "Ipv4EcmpRouting needs a node before it takes routes");
    NS_ABORT_MSG_IF(nextHops.empty(), "a route needs at least one next hop");

    for (const EcmpNextHop& hop : nextHops)
    {
        NS_ABORT_MSG_IF(hop.interface >= m_ipv4->GetNInterfaces(),
                        "there is no interface " << hop.interface);
    }
    HopSet hops = nextHops;
    Table& table = GetTable(mask);
    const uint32_t key = network.CombineMask(mask).Get();
    if (const auto known = table.groups.find(key); known != table.groups.end())
    {
        const HopSet& old = m_groups[known->second].hops;
        hops.insert(hops.end(), old.begin(), old.end());
    }
    std::sort(hops.begin(), hops.end());
    hops.erase(std::unique(hops.begin(), hops.end()), hops.end());
    table.groups[key] = GetGroup(hops);
}

void
Ipv4EcmpRouting::ClearRoutes()
{
    NS_LOG_FUNCTION(this);
    m_tables.clear();
    m_groups.clear();
    m_groupOf.clear();
    m_routes.clear();
}

Ipv4EcmpRouting::Table&
Ipv4EcmpRouting::GetTable(Ipv4Mask mask)
{
    const auto place = std::find_if(m_tables.begin(), m_tables.end(), [mask](const Table& table) {
        return table.mask.Get() <= mask.Get();
    });
    if (place != m_tables.end() && place->mask == mask)
    {
        return *place;
    }
    return *m_tables.insert(place, Table{mask, {}});
}

uint32_t
Ipv4EcmpRouting::GetGroup(const HopSet& hops)
{
    const auto [entry, isNew] = m_groupOf.try_emplace(hops, m_groups.size());
    if (isNew)
    {
        m_groups.push_back(Group{hops, {}});
        UpdateLive(m_groups.back());
    }
    return entry->second;
}

Ptr<Ipv4Route>
Ipv4EcmpRouting::GetRoute(const EcmpNextHop& hop)
{
    Ptr<Ipv4Route>& route = m_routes[hop];
    if (!route)
    {
        route = Create<Ipv4Route>();
        route->SetDestination(hop.gateway);
        route->SetGateway(hop.gateway);
        route->SetOutputDevice(m_ipv4->GetNetDevice(hop.interface));
        route->SetSource(SelectSource(hop));
    }
    return route;
}

uint32_t
Ipv4EcmpRouting::GetNRoutes() const
{
    uint32_t nRoutes = 0;
    for (const Table& table : m_tables)
    {
        nRoutes += table.groups.size();
    }
    return nRoutes;
}

std::vector<EcmpRoute>
Ipv4EcmpRouting::GetRoutes() const
{
    std::vector<EcmpRoute> routes;
    for (const Table& table : m_tables)
    {
        const std::map<uint32_t, uint32_t> sorted(table.groups.begin(), table.groups.end());
        for (const auto& [network, group] : sorted)
        {
            routes.push_back({Ipv4Address(network), table.mask, m_groups[group].hops});
        }
    }
    return routes;
}

std::vector<EcmpNextHop>
Ipv4EcmpRouting::GetNextHops(Ipv4Address destination) const
{
    std::vector<EcmpNextHop> nextHops;
    const Group* group = LookupGroup(destination);
    for (std::size_t i = 0; group && i < group->hops.size(); ++i)
    {
        if (m_ipv4->IsUp(group->hops[i].interface))
        {
            nextHops.push_back(group->hops[i]);
        }
    }
    return nextHops;
}

const Ipv4EcmpRouting::Group*
Ipv4EcmpRouting::LookupGroup(Ipv4Address destination) const
{
    for (const Table& table : m_tables)
    {
        const auto found = table.groups.find(destination.Get() & table.mask.Get());
        if (found != table.groups.end() && !m_groups[found->second].live.empty())
        {
            return &m_groups[found->second];
        }
    }
    return nullptr;
}

Ptr<Ipv4Route>
Ipv4EcmpRouting::Lookup(const Ipv4Header& header, Ptr<const Packet> payload)
{
    const Group* group = LookupGroup(header.GetDestination());
    if (!group)
    {
        return nullptr;
    }
    if (group->live.size() == 1)
    {
        return group->live.front();
    }
    const auto index = static_cast<uint32_t>(group - m_groups.data());
    const uint32_t chosen = m_selector->Select({header, payload, index, group->live});
    NS_ASSERT_MSG(chosen < group->live.size(), "the selector chose a next hop that is not there");
    return group->live[chosen];
}

Ptr<Ipv4Route>
Ipv4EcmpRouting::LookupOn(Ipv4Address destination, Ptr<NetDevice> device) const
{
    for (const Table& table : m_tables)
    {
        const auto found = table.groups.find(destination.Get() & table.mask.Get());
        if (found == table.groups.end())
        {
            continue;
        }
        for (const Ptr<Ipv4Route>& route : m_groups[found->second].live)
        {
            if (route->GetOutputDevice() == device)
            {
                return route;
            }
        }
    }
    return nullptr;
}

Ptr<Ipv4Route>
Ipv4EcmpRouting::RouteOutput(Ptr<Packet> p,
                             const Ipv4Header& header,
                             Ptr<NetDevice> oif,
                             Socket::SocketErrno& sockerr)
{
    NS_LOG_FUNCTION(this << p << header.GetDestination() << oif);
    const Ipv4Address destination = header.GetDestination();
    Ptr<Ipv4Route> route;
    if (destination.IsMulticast())
    {
        NS_LOG_LOGIC("multicast is left to others");
    }
    else if (const auto own = m_ownAddresses.find(destination.Get()); own != m_ownAddresses.end())
    {
        route = GetRoute({own->second, Ipv4Address::GetAny()});
        route = !oif || oif == route->GetOutputDevice() ? route : nullptr;
    }
    else if (oif)
    {
        route = LookupOn(destination, oif);
    }
    else
    {
        const bool hasHeader = header.GetProtocol() == TcpL4Protocol::PROT_NUMBER;
        route = Lookup(header, hasHeader ? p : nullptr);
    }
    sockerr = route ? Socket::ERROR_NOTERROR : Socket::ERROR_NOROUTETOHOST;
    return route;
}

bool
Ipv4EcmpRouting::IsLocal(Ipv4Address address, uint32_t interface) const
{
    return m_ownAddresses.count(address.Get()) > 0 ||
           ((address.IsMulticast() || address.IsBroadcast()) &&
            m_ipv4->IsDestinationAddress(address, interface));
}

bool
Ipv4EcmpRouting::RouteInput(Ptr<const Packet> p,
                            const Ipv4Header& header,
                            Ptr<const NetDevice> idev,
                            UnicastForwardArgument ucb,
                            MulticastForwardArgument,
                            LocalDeliverArgument lcb,
                            RouteErrorArgument ecb)
{
    NS_LOG_FUNCTION(this << p << header.GetDestination() << idev);
    const int32_t interface = m_ipv4->GetInterfaceForDevice(idev);
    NS_ASSERT_MSG(interface >= 0, "a packet arrived on a device without IPv4");

    if (IsLocal(header.GetDestination(), interface))
    {
        if (lcb.IsNull())
        {
            // A list of protocols has delivered it, and asks who forwards it as well.
            return false;
        }
        lcb(p, header, interface);
        return true;
    }
    if (!m_ipv4->IsForwarding(interface))
    {
        NS_LOG_LOGIC("forwarding is off at interface " << interface);
        ecb(p, header, Socket::ERROR_NOROUTETOHOST);
        return true;
    }
    if (Ptr<Ipv4Route> route = Lookup(header, p))
    {
        ucb(route, p, header);
        return true;
    }
    return false;
}

void
Ipv4EcmpRouting::UpdateLive(Group& group)
{
    group.live.clear();
    for (const EcmpNextHop& hop : group.hops)
    {
        if (m_ipv4->IsUp(hop.interface))
        {
            group.live.push_back(GetRoute(hop));
        }
    }
}

void
Ipv4EcmpRouting::UpdateSources(uint32_t interface)
{
    for (const auto& [hop, route] : m_routes)
    {
        if (hop.interface == interface)
        {
            route->SetSource(SelectSource(hop));
        }
    }
}

Ipv4Address
Ipv4EcmpRouting::SelectSource(const EcmpNextHop& hop) const
{
    return m_ipv4->GetNAddresses(hop.interface) > 0
               ? m_ipv4->SourceAddressSelection(hop.interface, hop.gateway)
               : Ipv4Address::GetAny();
}

void
Ipv4EcmpRouting::AddOwnAddress(uint32_t interface, const Ipv4InterfaceAddress& address)
{
    m_ownAddresses.emplace(address.GetLocal().Get(), interface);
    m_ownAddresses.emplace(address.GetBroadcast().Get(), interface);
}

void
Ipv4EcmpRouting::LearnOwnAddresses()
{
    m_ownAddresses.clear();
    for (uint32_t i = 0; i < m_ipv4->GetNInterfaces(); ++i)
    {
        for (uint32_t j = 0; j < m_ipv4->GetNAddresses(i); ++j)
        {
            AddOwnAddress(i, m_ipv4->GetAddress(i, j));
        }
    }
}

void
Ipv4EcmpRouting::NotifyInterfaceUp(uint32_t interface)
{
    NS_LOG_FUNCTION(this << interface);
    std::for_each(m_groups.begin(), m_groups.end(), [this](Group& group) { UpdateLive(group); });
}

void
Ipv4EcmpRouting::NotifyInterfaceDown(uint32_t interface)
{
    NS_LOG_FUNCTION(this << interface);
    std::for_each(m_groups.begin(), m_groups.end(), [this](Group& group) { UpdateLive(group); });
}

void
Ipv4EcmpRouting::NotifyAddAddress(uint32_t interface, Ipv4InterfaceAddress address)
{
    NS_LOG_FUNCTION(this << interface << address);
    AddOwnAddress(interface, address);
    UpdateSources(interface);
}

void
Ipv4EcmpRouting::NotifyRemoveAddress(uint32_t interface, Ipv4InterfaceAddress address)
{
    NS_LOG_FUNCTION(this << interface << address);
    LearnOwnAddresses();
    UpdateSources(interface);
}

void
Ipv4EcmpRouting::SetIpv4(Ptr<Ipv4> ipv4)
{
    NS_LOG_FUNCTION(this << ipv4);
    NS_ASSERT_MSG(!m_ipv4 && ipv4, "Ipv4EcmpRouting serves one node");
    m_ipv4 = ipv4;
    LearnOwnAddresses();
}

void
Ipv4EcmpRouting::PrintRoutingTable(Ptr<OutputStreamWrapper> stream, Time::Unit unit) const
{
    NS_LOG_FUNCTION(this << stream);
    const Ptr<Node> node = m_ipv4->GetObject<Node>();
    std::ostringstream table; // so that the caller's stream keeps its format
    table << "Node: " << node->GetId() << ", Time: " << Now().As(unit)
          << ", Local time: " << node->GetLocalTime().As(unit) << ", Ipv4EcmpRouting table\n"
          << std::left << std::setw(20) << "Destination" << std::setw(11) << "Interface"
          << std::setw(17) << "Gateway"
          << "State\n";
    for (const EcmpRoute& route : GetRoutes())
    {
        std::ostringstream destination;
        destination << route.network << "/" << route.mask.GetPrefixLength();
        for (const EcmpNextHop& hop : route.nextHops)
        {
            std::ostringstream gateway;
            gateway << hop.gateway;
            table << std::setw(20) << destination.str() << std::setw(11)
                  << hop.interface << std::setw(17) << gateway.str()
                  << (m_ipv4->IsUp(hop.interface) ? "up" : "down") << "\n";
            destination.str(""); // only beside the first next hop
        }
    }
    *stream->GetStream() << table.str() << std::endl;
}

} // namespace ns3
