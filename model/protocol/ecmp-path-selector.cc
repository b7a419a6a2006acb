// SPDX-License-Identifier: GPL-2.0-only

#include "ecmp-path-selector.h"

#include <algorithm>

namespace gradnet
{

namespace
{

/// The finalizer of splitmix64 (Steele et al., "Fast Splittable Pseudorandom Number Generators").
uint64_t
Mix(uint64_t value)
{
    value += 0x9e3779b97f4a7c15;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    return value ^ (value >> 31);
}

} // namespace

uint64_t
HashFlow(const FlowKey& flow, uint64_t seed)
{
    const uint64_t addresses = uint64_t{flow.source} << 32 | flow.destination;
    const uint64_t rest =
        uint64_t{flow.sourcePort} << 48 | uint64_t{flow.destinationPort} << 32 | flow.protocol;
    return Mix(Mix(Mix(seed) ^ addresses) ^ rest);
}

FlowHashPathSelector::FlowHashPathSelector(uint64_t seed)
    : m_seed(seed)
{
}

uint32_t
FlowHashPathSelector::Select(const PathQuery& query)
{
    // The upper half, scaled instead of divided: no modulo bias and no division.
    return static_cast<uint32_t>((HashFlow(query.flow, m_seed) >> 32) * query.nPaths >> 32);
}

uint32_t
RandomPathSelector::Select(const PathQuery& query)
{
    return std::min(static_cast<uint32_t>(query.draw * query.nPaths), query.nPaths - 1);
}

RoundRobinPathSelector::RoundRobinPathSelector(uint32_t start)
    : m_start(start)
{
}

uint32_t
RoundRobinPathSelector::Select(const PathQuery& query)
{
    if (query.group >= m_turns.size())
    {
        m_turns.resize(query.group + 1, m_start);
    }
    const uint32_t turn = m_turns[query.group] % query.nPaths;
    m_turns[query.group] = turn + 1;
    return turn;
}

} // namespace gradnet
