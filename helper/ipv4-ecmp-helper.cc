// SPDX-License-Identifier: GPL-2.0-only

#include "ipv4-ecmp-helper.h"

#include "ns3/ipv4.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/point-to-point-channel.h"
#include "ns3/point-to-point-net-device.h"

#include <limits>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("Ipv4EcmpHelper");

namespace
{

/// Breadth-first searches over the point-to-point links among some nodes.
class EcmpTopology
{
  public:
    /// \param nodes hosts and switches
    explicit EcmpTopology(const NodeContainer& nodes);

    /// Fills the tables of all nodes.
    void Populate();

  private:
    /// A network and its mask.
    using Prefix = std::pair<uint32_t, uint32_t>;

    /// One end of a link.
    struct Port
    {
        uint32_t peer;          ///< index of the node at the other end
        uint32_t peerInterface; ///< its interface
        EcmpNextHop hop;        ///< how to get there
        bool isUp;              ///< both interfaces are up
    };

    /// A node and what is attached to it.
    struct Vertex
    {
        Ptr<Ipv4> ipv4;               ///< the node's IPv4
        Ptr<Ipv4EcmpRouting> routing; ///< what is filled; may be null for a host
        std::vector<Port> ports;      ///< its links
        std::vector<Prefix> prefixes; ///< subnets by which its hosts are reached

        /// \return true for a node with one link
        bool IsHost() const
        {
            return ports.size() == 1;
        }

        /// \return true for a node that packets may pass
        bool IsSwitch() const
        {
            return routing && ports.size() > 1;
        }
    };

    /**
     * Adds the links of a node.
     *
     * \param node the node
     * \param indexOf index of each node by its id
     */
    void AddPorts(Ptr<Node> node, const std::unordered_map<uint32_t, uint32_t>& indexOf);

    /// Gives each switch the subnets of its hosts, and the routes to these hosts.
    void AttachHosts();

    /**
     * Gives all other switches routes to the hosts of one.
     *
     * \param edge the switch that has hosts
     */
    void SpreadRoutes(uint32_t edge);

    /**
     * \param from a switch
     * \return the number of links from each switch to it, UNREACHABLE without a path
     */
    std::vector<uint32_t> GetDistances(uint32_t from) const;

    /// The distance of a switch without a path.
    static constexpr uint32_t UNREACHABLE = std::numeric_limits<uint32_t>::max();

    std::vector<Vertex> m_vertices; ///< all nodes
};

EcmpTopology::EcmpTopology(const NodeContainer& nodes)
    : m_vertices(nodes.GetN())
{
    std::unordered_map<uint32_t, uint32_t> indexOf;
    for (uint32_t i = 0; i < nodes.GetN(); ++i)
    {
        Vertex& vertex = m_vertices[i];
        vertex.ipv4 = nodes.Get(i)->GetObject<Ipv4>();
        if (vertex.ipv4)
        {
            indexOf[nodes.Get(i)->GetId()] = i;
            vertex.routing =
                Ipv4RoutingHelper::GetRouting<Ipv4EcmpRouting>(vertex.ipv4->GetRoutingProtocol());
        }
    }
    for (uint32_t i = 0; i < nodes.GetN(); ++i)
    {
        if (m_vertices[i].ipv4)
        {
            AddPorts(nodes.Get(i), indexOf);
        }
    }
}

void
EcmpTopology::AddPorts(Ptr<Node> node, const std::unordered_map<uint32_t, uint32_t>& indexOf)
{
    Vertex& vertex = m_vertices[indexOf.at(node->GetId())];
    for (uint32_t i = 0; i < node->GetNDevices(); ++i)
    {
        const auto device = DynamicCast<PointToPointNetDevice>(node->GetDevice(i));
        const auto channel =
            device ? DynamicCast<PointToPointChannel>(device->GetChannel()) : nullptr;
        if (!channel || channel->GetNDevices() != 2)
        {
            continue;
        }
        const Ptr<NetDevice> other = channel->GetDevice(channel->GetDevice(0) == device ? 1 : 0);
        const auto peer = indexOf.find(other->GetNode()->GetId());
        if (peer == indexOf.end())
        {
            continue;
        }
        const Ptr<Ipv4>& peerIpv4 = m_vertices[peer->second].ipv4;
        const int32_t interface = vertex.ipv4->GetInterfaceForDevice(device);
        const int32_t peerInterface = peerIpv4->GetInterfaceForDevice(other);
        if (interface < 0 || peerInterface < 0 || peerIpv4->GetNAddresses(peerInterface) == 0)
        {
            continue;
        }
        const Ipv4Address gateway = peerIpv4->GetAddress(peerInterface, 0).GetLocal();
        vertex.ports.push_back({peer->second,
                                static_cast<uint32_t>(peerInterface),
                                {static_cast<uint32_t>(interface), gateway},
                                vertex.ipv4->IsUp(interface) && peerIpv4->IsUp(peerInterface)});
    }
}

void
EcmpTopology::Populate()
{
    for (Vertex& vertex : m_vertices)
    {
        if (vertex.routing)
        {
            vertex.routing->ClearRoutes();
        }
        if (vertex.routing && vertex.IsHost() && vertex.ports.front().isUp)
        {
            vertex.routing->AddRoute(Ipv4Address::GetAny(),
                                     Ipv4Mask::GetZero(),
                                     {vertex.ports.front().hop});
        }
    }
    AttachHosts();
    for (uint32_t i = 0; i < m_vertices.size(); ++i)
    {
        if (!m_vertices[i].prefixes.empty())
        {
            SpreadRoutes(i);
        }
    }
}

void
EcmpTopology::AttachHosts()
{
    // The hosts of each subnet as (switch, address), to see which subnets one switch has alone.
    std::map<Prefix, std::vector<std::pair<uint32_t, Ipv4Address>>> subnets;
    for (uint32_t i = 0; i < m_vertices.size(); ++i)
    {
        if (!m_vertices[i].IsSwitch())
        {
            continue;
        }
        for (const Port& port : m_vertices[i].ports)
        {
            const Vertex& host = m_vertices[port.peer];
            for (uint32_t j = 0; host.IsHost() && j < host.ipv4->GetNAddresses(port.peerInterface);
                 ++j)
            {
                const Ipv4InterfaceAddress address = host.ipv4->GetAddress(port.peerInterface, j);
                const Ipv4Address network = address.GetLocal().CombineMask(address.GetMask());
                subnets[{network.Get(), address.GetMask().Get()}].emplace_back(i,
                                                                               address.GetLocal());
                if (port.isUp)
                {
                    m_vertices[i].routing->AddRoute(address.GetLocal(),
                                                    Ipv4Mask::GetOnes(),
                                                    {port.hop});
                }
            }
        }
    }
    for (const auto& [prefix, hosts] : subnets)
    {
        if (hosts.front().first == hosts.back().first)
        {
            m_vertices[hosts.front().first].prefixes.push_back(prefix);
            continue;
        }
        for (const auto& [edge, address] : hosts)
        {
            m_vertices[edge].prefixes.emplace_back(address.Get(), Ipv4Mask::GetOnes().Get());
        }
    }
}

std::vector<uint32_t>
EcmpTopology::GetDistances(uint32_t from) const
{
    std::vector<uint32_t> distances(m_vertices.size(), UNREACHABLE);
    std::vector<uint32_t> queue{from};
    distances[from] = 0;
    for (std::size_t head = 0; head < queue.size(); ++head)
    {
        for (const Port& port : m_vertices[queue[head]].ports)
        {
            if (port.isUp && m_vertices[port.peer].IsSwitch() &&
                distances[port.peer] == UNREACHABLE)
            {
                distances[port.peer] = distances[queue[head]] + 1;
                queue.push_back(port.peer);
            }
        }
    }
    return distances;
}

void
EcmpTopology::SpreadRoutes(uint32_t edge)
{
    const std::vector<uint32_t> distances = GetDistances(edge);
    for (uint32_t i = 0; i < m_vertices.size(); ++i)
    {
        if (i == edge || distances[i] == UNREACHABLE)
        {
            continue;
        }
        std::vector<EcmpNextHop> nextHops;
        for (const Port& port : m_vertices[i].ports)
        {
            if (port.isUp && distances[port.peer] + 1 == distances[i])
            {
                nextHops.push_back(port.hop);
            }
        }
        for (const auto& [network, mask] : m_vertices[edge].prefixes)
        {
            m_vertices[i].routing->AddRoute(Ipv4Address(network), Ipv4Mask(mask), nextHops);
        }
    }
}

} // namespace

Ipv4EcmpHelper::Ipv4EcmpHelper()
{
    m_factory.SetTypeId(Ipv4EcmpRouting::GetTypeId());
}

Ipv4EcmpHelper*
Ipv4EcmpHelper::Copy() const
{
    return new Ipv4EcmpHelper(*this);
}

Ptr<Ipv4RoutingProtocol>
Ipv4EcmpHelper::Create(Ptr<Node>) const
{
    return m_factory.Create<Ipv4RoutingProtocol>();
}

void
Ipv4EcmpHelper::Set(const std::string& name, const AttributeValue& value)
{
    m_factory.Set(name, value);
}

int64_t
Ipv4EcmpHelper::AssignStreams(const NodeContainer& nodes, int64_t stream)
{
    int64_t next = stream;
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        const Ptr<Ipv4> ipv4 = (*node)->GetObject<Ipv4>();
        const Ptr<Ipv4EcmpRouting> routing =
            ipv4 ? GetRouting<Ipv4EcmpRouting>(ipv4->GetRoutingProtocol()) : nullptr;
        next += routing ? routing->AssignStreams(next) : 0;
    }
    return next - stream;
}

void
Ipv4EcmpHelper::PopulateRoutingTables()
{
    PopulateRoutingTables(NodeContainer::GetGlobal());
}

void
Ipv4EcmpHelper::PopulateRoutingTables(const NodeContainer& nodes)
{
    NS_LOG_FUNCTION(nodes.GetN());
    EcmpTopology(nodes).Populate();
}

} // namespace ns3
