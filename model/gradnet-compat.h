// SPDX-License-Identifier: GPL-2.0-only

#ifndef GRADNET_COMPAT_H
#define GRADNET_COMPAT_H

#include "ns3/ipv4-routing-protocol.h"

#include <cstddef>
#include <tuple>

/**
 * \file
 * Everything in gradnet that depends on the release of ns-3, which is 3.37 to 3.48.
 */

namespace ns3
{

/// The argument types of a member function, from the type of a pointer to it.
template <typename Member>
struct MemberArguments;

/// \copydoc MemberArguments
template <typename Result, typename Class, typename... Arguments>
struct MemberArguments<Result (Class::*)(Arguments...)>
{
    /// The type of the argument at an index, counted from 0.
    template <std::size_t Index>
    using At = std::tuple_element_t<Index, std::tuple<Arguments...>>;
};

/**
 * The callbacks of Ipv4RoutingProtocol::RouteInput as an override must take them: by value up to
 * 3.38, by const reference after.
 * @{
 */
using RouteInputArguments = MemberArguments<decltype(&Ipv4RoutingProtocol::RouteInput)>;
using UnicastForwardArgument = RouteInputArguments::At<3>;
using MulticastForwardArgument = RouteInputArguments::At<4>;
using LocalDeliverArgument = RouteInputArguments::At<5>;
using RouteErrorArgument = RouteInputArguments::At<6>;

/** @} */

} // namespace ns3

#endif // GRADNET_COMPAT_H
