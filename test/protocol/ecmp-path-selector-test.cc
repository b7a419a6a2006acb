// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/ecmp-path-selector.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <set>
#include <vector>

namespace gradnet
{

namespace
{

/// \return a flow of random addresses and ports
FlowKey
RandomFlow(std::mt19937_64& engine)
{
    FlowKey flow;
    flow.source = static_cast<uint32_t>(engine());
    flow.destination = static_cast<uint32_t>(engine());
    flow.sourcePort = static_cast<uint16_t>(engine());
    flow.destinationPort = static_cast<uint16_t>(engine());
    flow.protocol = 17;
    return flow;
}

/// \return a query of a flow
PathQuery
Query(const FlowKey& flow, uint32_t nPaths)
{
    PathQuery query;
    query.nPaths = nPaths;
    query.flow = flow;
    return query;
}

/// \return a query of a group
PathQuery
Query(uint32_t group, uint32_t nPaths)
{
    PathQuery query;
    query.nPaths = nPaths;
    query.group = group;
    return query;
}

/// \return a query with a draw
PathQuery
Query(double draw, uint32_t nPaths)
{
    PathQuery query;
    query.nPaths = nPaths;
    query.draw = draw;
    return query;
}

/**
 * Checks that counts are what independent uniform choices give: each is binomial with mean n/k and
 * a standard deviation below sqrt(n/k), and five of these are exceeded once in two million.
 */
void
ExpectEven(const std::vector<uint32_t>& counts)
{
    double total = 0;
    for (const uint32_t count : counts)
    {
        total += count;
    }
    const double mean = total / static_cast<double>(counts.size());
    for (const uint32_t count : counts)
    {
        EXPECT_NEAR(count, mean, 5 * std::sqrt(mean));
    }
}

} // namespace

TEST(HashFlow, EachBitOfKeyAndSeedMovesEachBitOfTheResultHalfOfTheTime)
{
    constexpr uint32_t trials = 4096;
    // Standard deviation of a share of 4096 fair coins: 0.5 / 64; 10,752 shares are compared, whose
    // largest deviation is about 4 of these.
    constexpr double tolerance = 6 * 0.5 / 64;

    std::vector<std::function<void(FlowKey&, uint64_t&)>> flips;
    for (uint32_t bit = 0; bit < 64; ++bit)
    {
        flips.emplace_back([bit](FlowKey&, uint64_t& seed) { seed ^= uint64_t{1} << bit; });
    }
    for (uint32_t bit = 0; bit < 32; ++bit)
    {
        flips.emplace_back([bit](FlowKey& flow, uint64_t&) { flow.source ^= 1U << bit; });
        flips.emplace_back([bit](FlowKey& flow, uint64_t&) { flow.destination ^= 1U << bit; });
    }
    for (uint32_t bit = 0; bit < 16; ++bit)
    {
        flips.emplace_back([bit](FlowKey& flow, uint64_t&) { flow.sourcePort ^= 1U << bit; });
        flips.emplace_back([bit](FlowKey& flow, uint64_t&) { flow.destinationPort ^= 1U << bit; });
    }
    for (uint32_t bit = 0; bit < 8; ++bit)
    {
        flips.emplace_back([bit](FlowKey& flow, uint64_t&) { flow.protocol ^= 1U << bit; });
    }

    std::mt19937_64 engine(1);
    for (std::size_t i = 0; i < flips.size(); ++i)
    {
        std::array<uint32_t, 64> moved{};
        for (uint32_t trial = 0; trial < trials; ++trial)
        {
            FlowKey flow = RandomFlow(engine);
            uint64_t seed = engine();
            uint64_t difference = HashFlow(flow, seed);
            flips[i](flow, seed);
            difference ^= HashFlow(flow, seed);
            for (uint32_t bit = 0; bit < 64; ++bit)
            {
                moved[bit] += difference >> bit & 1;
            }
        }
        for (uint32_t bit = 0; bit < 64; ++bit)
        {
            EXPECT_NEAR(moved[bit] / double{trials}, 0.5, tolerance) << "input " << i;
        }
    }
}

TEST(FlowHashPathSelector, AFlowKeepsItsPath)
{
    std::mt19937_64 engine(2);
    FlowHashPathSelector selector(7);
    FlowHashPathSelector twin(7);
    for (uint32_t i = 0; i < 100; ++i)
    {
        const FlowKey flow = RandomFlow(engine);
        const uint32_t path = selector.Select(Query(flow, 8));
        EXPECT_LT(path, 8U);
        EXPECT_EQ(selector.Select(Query(flow, 8)), path);
        EXPECT_EQ(twin.Select(Query(flow, 8)), path);
    }
}

TEST(FlowHashPathSelector, OnePathIsAlwaysTheFirst)
{
    std::mt19937_64 engine(3);
    FlowHashPathSelector selector(7);
    for (uint32_t i = 0; i < 100; ++i)
    {
        EXPECT_EQ(selector.Select(Query(RandomFlow(engine), 1)), 0U);
    }
}

TEST(FlowHashPathSelector, FlowsThatDifferInOnePortSpreadEvenly)
{
    for (const uint32_t nPaths : {2U, 3U, 4U, 8U, 40U})
    {
        FlowHashPathSelector selector(11);
        std::vector<uint32_t> counts(nPaths);
        for (uint32_t port = 0; port < 40000; ++port)
        {
            FlowKey flow{0x0a000001, 0x0a010001, static_cast<uint16_t>(port), 9, 6};
            ++counts[selector.Select(Query(flow, nPaths))];
        }
        ExpectEven(counts);
    }
}

TEST(FlowHashPathSelector, FlowsBetweenConsecutiveAddressesSpreadEvenly)
{
    FlowHashPathSelector selector(12);
    std::vector<uint32_t> counts(4);
    for (uint32_t source = 0; source < 200; ++source)
    {
        for (uint32_t destination = 0; destination < 200; ++destination)
        {
            const FlowKey flow{0x0a000001 + source, 0x0a010001 + destination, 9, 9, 17};
            ++counts[selector.Select(Query(flow, 4))];
        }
    }
    ExpectEven(counts);
}

TEST(FlowHashPathSelector, AnotherSeedChoosesIndependently)
{
    std::mt19937_64 engine(4);
    FlowHashPathSelector first(1);
    FlowHashPathSelector second(2);
    std::vector<uint32_t> pairs(16);
    for (uint32_t i = 0; i < 40000; ++i)
    {
        const FlowKey flow = RandomFlow(engine);
        ++pairs[4 * first.Select(Query(flow, 4)) + second.Select(Query(flow, 4))];
    }
    ExpectEven(pairs);
}

TEST(FlowHashPathSelector, TheSameSeedTwiceInARowPolarizes)
{
    std::mt19937_64 engine(5);
    FlowHashPathSelector first(1);
    FlowHashPathSelector second(1);
    for (uint32_t i = 0; i < 1000; ++i)
    {
        const FlowKey flow = RandomFlow(engine);
        EXPECT_EQ(first.Select(Query(flow, 4)), second.Select(Query(flow, 4)));
    }
}

TEST(RandomPathSelector, TheDrawIsScaledToThePaths)
{
    RandomPathSelector selector;
    EXPECT_EQ(selector.Select(Query(0.0, 4)), 0U);
    EXPECT_EQ(selector.Select(Query(0.2499, 4)), 0U);
    EXPECT_EQ(selector.Select(Query(0.25, 4)), 1U);
    EXPECT_EQ(selector.Select(Query(0.9999, 4)), 3U);
    EXPECT_EQ(selector.Select(Query(0.9999, 1)), 0U);
}

TEST(RandomPathSelector, TheLargestDrawStaysBelowTheNumberOfPaths)
{
    RandomPathSelector selector;
    const double largest = std::nextafter(1.0, 0.0);
    for (uint32_t nPaths = 1; nPaths < 1000; ++nPaths)
    {
        EXPECT_EQ(selector.Select(Query(largest, nPaths)), nPaths - 1);
    }
    // A draw of 1 breaks the contract, and still must not leave the array.
    EXPECT_EQ(selector.Select(Query(1.0, 4)), 3U);
}

TEST(RoundRobinPathSelector, PathsTakeTurns)
{
    RoundRobinPathSelector selector;
    for (uint32_t i = 0; i < 12; ++i)
    {
        EXPECT_EQ(selector.Select(Query(0U, 3)), i % 3);
    }
}

TEST(RoundRobinPathSelector, GroupsTakeTurnsOnTheirOwn)
{
    RoundRobinPathSelector selector;
    EXPECT_EQ(selector.Select(Query(5U, 4)), 0U);
    EXPECT_EQ(selector.Select(Query(5U, 4)), 1U);
    EXPECT_EQ(selector.Select(Query(2U, 3)), 0U);
    EXPECT_EQ(selector.Select(Query(5U, 4)), 2U);
    EXPECT_EQ(selector.Select(Query(2U, 3)), 1U);
}

TEST(RoundRobinPathSelector, StartsAtItsFirstTurnEvenTheLargest)
{
    RoundRobinPathSelector selector(std::numeric_limits<uint32_t>::max()); // 2^32-1 = 0 modulo 3
    EXPECT_EQ(selector.Select(Query(0U, 3)), 0U);
    EXPECT_EQ(selector.Select(Query(0U, 3)), 1U);
    EXPECT_EQ(RoundRobinPathSelector(6).Select(Query(0U, 4)), 2U);
}

TEST(RoundRobinPathSelector, CountsNeverDifferByMoreThanOne)
{
    RoundRobinPathSelector selector(2);
    std::vector<uint32_t> counts(5);
    for (uint32_t i = 0; i < 1003; ++i)
    {
        ++counts[selector.Select(Query(0U, 5))];
        const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
        EXPECT_LE(*most - *least, 1U);
    }
}

TEST(RoundRobinPathSelector, ALostPathLeavesTheTurnWithinTheRest)
{
    RoundRobinPathSelector selector(3);
    EXPECT_EQ(selector.Select(Query(0U, 4)), 3U);
    std::set<uint32_t> seen;
    for (uint32_t i = 0; i < 3; ++i)
    {
        seen.insert(selector.Select(Query(0U, 3)));
    }
    EXPECT_EQ(seen, (std::set<uint32_t>{0, 1, 2}));
}

} // namespace gradnet
