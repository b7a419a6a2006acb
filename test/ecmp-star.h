// SPDX-License-Identifier: GPL-2.0-only

#ifndef ECMP_STAR_H
#define ECMP_STAR_H

#include "ns3/abort.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-ecmp-helper.h"
#include "ns3/ipv4-ecmp-routing.h"
#include "ns3/ipv4.h"
#include "ns3/node-container.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/udp-header.h"
#include "ns3/udp-l4-protocol.h"

#include <vector>

namespace ns3
{

/**
 * A router in the middle of some neighbors: interface i+1 of the router is 10.1.i.1/24, and
 * neighbor i is 10.1.i.2. Packets are handed to the router's RouteInput as if neighbor 0 had sent
 * them, and what became of them is kept.
 */
class EcmpStar
{
  public:
    /// What RouteInput did.
    enum Outcome
    {
        LEFT,
        FORWARDED,
        DELIVERED,
        REFUSED
    };

    /**
     * \param nNeighbors number of neighbors
     * \param selector TypeId of the selector
     */
    EcmpStar(uint32_t nNeighbors, TypeId selector)
    {
        Ipv4EcmpHelper ecmp;
        ecmp.Set("Selector", TypeIdValue(selector));
        Build(nNeighbors, ecmp);
    }

    /**
     * \param nNeighbors number of neighbors
     * \param routing routing of all nodes
     */
    EcmpStar(uint32_t nNeighbors, const Ipv4RoutingHelper& routing)
    {
        Build(nNeighbors, routing);
    }

    /// \return all neighbors as next hops
    std::vector<EcmpNextHop> AllHops() const
    {
        std::vector<EcmpNextHop> hops;
        for (uint32_t i = 1; i < nodes.GetN(); ++i)
        {
            hops.push_back(Hop(i));
        }
        return hops;
    }

    /**
     * \param interface an interface of the router
     * \return the neighbor there as a next hop
     */
    static EcmpNextHop Hop(uint32_t interface)
    {
        return {interface, Ipv4Address(0x0a010002 + ((interface - 1) << 8))};
    }

    /**
     * Hands a UDP packet to the router.
     *
     * \param destination where to
     * \param port its source port
     * \return the interface it left by; 0 if it was not forwarded
     */
    uint32_t Forward(const char* destination, uint16_t port = 9)
    {
        header.SetDestination(Ipv4Address(destination));
        header.SetSource("10.1.0.2");
        header.SetProtocol(UdpL4Protocol::PROT_NUMBER);
        UdpHeader udp;
        udp.SetSourcePort(port);
        udp.SetDestinationPort(9);
        Ptr<Packet> packet = Create<Packet>(100);
        packet->AddHeader(udp);
        RouteInput(packet, MakeCallback(&EcmpStar::Deliver, this));
        return outcome == FORWARDED ? ipv4->GetInterfaceForDevice(route->GetOutputDevice()) : 0;
    }

    /**
     * \param destination where to
     * \param deliver the local delivery callback; may be null
     * \return what became of the packet
     */
    Outcome Receive(const char* destination, Ipv4RoutingProtocol::LocalDeliverCallback deliver)
    {
        header.SetDestination(Ipv4Address(destination));
        RouteInput(Create<Packet>(100), deliver);
        return outcome;
    }

    /**
     * \param destination where to
     * \return what became of the packet
     */
    Outcome Receive(const char* destination)
    {
        return Receive(destination, MakeCallback(&EcmpStar::Deliver, this));
    }

    /**
     * Asks the router for a route of a packet of its own.
     *
     * \param destination where to
     * \param device the device to leave by; may be null
     * \return the route; null if there is none
     */
    Ptr<Ipv4Route> Output(const char* destination, Ptr<NetDevice> device = nullptr)
    {
        Ipv4Header output;
        output.SetDestination(Ipv4Address(destination));
        return ipv4->GetRoutingProtocol()->RouteOutput(nullptr, output, device, error);
    }

    NodeContainer nodes;                           ///< the router, then the neighbors
    Ptr<Ipv4> ipv4;                                ///< the router's IPv4
    Ptr<Ipv4EcmpRouting> routing;                  ///< the router's ECMP routing
    Ipv4Header header;                             ///< of the next packet
    Outcome outcome{LEFT};                         ///< of the last packet
    Ptr<Ipv4Route> route;                          ///< of the last forwarded packet
    Socket::SocketErrno error{Socket::ERROR_BADF}; ///< of the last output

  private:
    /**
     * \param nNeighbors number of neighbors
     * \param helper routing of all nodes
     */
    void Build(uint32_t nNeighbors, const Ipv4RoutingHelper& helper)
    {
        nodes.Create(nNeighbors + 1);
        InternetStackHelper stack;
        stack.SetIpv6StackInstall(false);
        stack.SetRoutingHelper(helper);
        stack.Install(nodes);
        PointToPointHelper link;
        Ipv4AddressHelper addresses("10.1.0.0", "255.255.255.0");
        for (uint32_t i = 1; i <= nNeighbors; ++i)
        {
            addresses.Assign(link.Install(nodes.Get(0), nodes.Get(i)));
            addresses.NewNetwork();
        }
        ipv4 = nodes.Get(0)->GetObject<Ipv4>();
        routing = Ipv4RoutingHelper::GetRouting<Ipv4EcmpRouting>(ipv4->GetRoutingProtocol());
    }

    /**
     * \param packet a packet with the current header
     * \param deliver the local delivery callback
     */
    void RouteInput(Ptr<const Packet> packet, Ipv4RoutingProtocol::LocalDeliverCallback deliver)
    {
        outcome = LEFT;
        const bool taken =
            ipv4->GetRoutingProtocol()->RouteInput(packet,
                                                   header,
                                                   ipv4->GetNetDevice(1),
                                                   MakeCallback(&EcmpStar::OnForward, this),
                                                   Ipv4RoutingProtocol::MulticastForwardCallback(),
                                                   deliver,
                                                   MakeCallback(&EcmpStar::OnError, this));
        NS_ABORT_MSG_IF(taken != (outcome != LEFT), "RouteInput's result contradicts its callback");
    }

    /// Unicast forward callback.
    void OnForward(Ptr<Ipv4Route> forwarded, Ptr<const Packet>, const Ipv4Header&)
    {
        outcome = FORWARDED;
        route = forwarded;
    }

    /// Local delivery callback.
    void Deliver(Ptr<const Packet>, const Ipv4Header&, uint32_t)
    {
        outcome = DELIVERED;
    }

    /// Error callback.
    void OnError(Ptr<const Packet>, const Ipv4Header&, Socket::SocketErrno)
    {
        outcome = REFUSED;
    }
};

} // namespace ns3

#endif // ECMP_STAR_H
