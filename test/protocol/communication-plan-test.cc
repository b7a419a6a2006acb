// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/communication-plan.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <vector>

namespace gradnet
{

namespace
{

/// A model of which only the bytes count.
TrainingProfile
MakeProfile(const std::vector<uint64_t>& gradientBytes)
{
    TrainingProfile profile;
    for (const uint64_t bytes : gradientBytes)
    {
        profile.layers.push_back({"layer", 0, 0, bytes});
    }
    return profile;
}

/// A model of 1 to 30 layers, a third of them without gradients, the others of 1 to \p mostValues.
TrainingProfile
DrawProfile(std::mt19937& engine, uint32_t mostValues)
{
    std::vector<uint64_t> gradientBytes(1 + engine() % 30);
    for (auto& bytes : gradientBytes)
    {
        bytes = engine() % 3 == 0 ? 0 : 4 * (1 + engine() % mostValues);
    }
    return MakeProfile(gradientBytes);
}

void
ExpectUnits(const CommunicationPlan& plan, const std::vector<CommunicationUnit>& expected)
{
    ASSERT_EQ(plan.units.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
    {
        EXPECT_EQ(plan.units[i].frontLayer, expected[i].frontLayer) << "unit " << i;
        EXPECT_EQ(plan.units[i].backLayer, expected[i].backLayer) << "unit " << i;
        EXPECT_EQ(plan.units[i].bytes, expected[i].bytes) << "unit " << i;
        EXPECT_EQ(plan.units[i].server, expected[i].server) << "unit " << i;
    }
}

/// \return bytes on each server
std::vector<uint64_t>
GetLoads(const CommunicationPlan& plan, uint32_t servers)
{
    std::vector<uint64_t> loads(servers, 0);
    for (const auto& unit : plan.units)
    {
        loads.at(unit.server) += unit.bytes;
    }
    return loads;
}

/// Checks that the parts stand in the order of the layers and sum up to each layer's bytes.
void
ExpectLayersCovered(const CommunicationPlan& plan, const TrainingProfile& profile)
{
    std::vector<uint64_t> bytes(profile.layers.size(), 0);
    uint32_t last = 0;
    for (const auto& unit : plan.units)
    {
        EXPECT_EQ(unit.frontLayer, unit.backLayer);
        EXPECT_GE(unit.frontLayer, last);
        EXPECT_GT(unit.bytes, 0U);
        EXPECT_EQ(unit.bytes % 4, 0U);
        last = unit.frontLayer;
        bytes.at(last) += unit.bytes;
    }
    for (std::size_t layer = 0; layer < profile.layers.size(); ++layer)
    {
        EXPECT_EQ(bytes[layer], profile.layers[layer].gradientBytes) << "layer " << layer;
    }
}

} // namespace

TEST(ParameterServerPlanTest, CutsTensorsIntoEqualPartsForTheServerWithFewestBytes)
{
    // 40 bytes in parts of at most 16 make 3 parts of 16, 12, 12 bytes (4, 3, 3 values): to servers
    // 0, 1 and again 1, which has 12 < 16. Layer 1 sends nothing. The 8 bytes of layer 2 go to
    // server 0, with 16 < 24, and the 4 of layer 3 to the first of two with 24. Of the last 20, in
    // parts of 12 and 8, the first goes to server 1, with 24 < 28, the second to 0, with 28 < 36.
    const auto plan = MakeParameterServerPlan(MakeProfile({40, 0, 8, 4, 20}), 2, 16);
    ExpectUnits(plan,
                {{0, 0, 16, 0},
                 {0, 0, 12, 1},
                 {0, 0, 12, 1},
                 {2, 2, 8, 0},
                 {3, 3, 4, 0},
                 {4, 4, 12, 1},
                 {4, 4, 8, 0}});
}

TEST(ParameterServerPlanTest, KeepsPartsWithinTheirSizeAndServersWithinAPartOfOneAnother)
{
    std::mt19937 engine(1);
    for (uint32_t trial = 0; trial < 500; ++trial)
    {
        const auto profile = DrawProfile(engine, 500);
        const uint32_t servers = 1 + engine() % 8;
        const uint64_t partBytes = 4 * (1 + engine() % 300);
        const auto plan = MakeParameterServerPlan(profile, servers, partBytes);
        ExpectLayersCovered(plan, profile);
        for (const auto& unit : plan.units)
        {
            EXPECT_LE(unit.bytes, partBytes);
        }
        const auto loads = GetLoads(plan, servers);
        const auto [least, most] = std::minmax_element(loads.begin(), loads.end());
        EXPECT_LE(*most - *least, partBytes);
    }
}

TEST(ParameterServerPlanTest, CutsNoMoreThanThePartSizeAsksFor)
{
    // 24 bytes are 3 parts of 8, and 28 are 4.
    EXPECT_EQ(MakeParameterServerPlan(MakeProfile({24}), 1, 8).units.size(), 3U);
    EXPECT_EQ(MakeParameterServerPlan(MakeProfile({28}), 1, 8).units.size(), 4U);
}

TEST(ParameterServerPlanTest, CutsWithoutAPartSizeOnlyTensorsOfAMillionValues)
{
    // 3 999 996 bytes stay whole, on server 0. 4 000 000 bytes are cut over all 3: 1 000 000 values
    // are 333 334 + 333 333 + 333 333.
    const auto plan = MakeParameterServerPlan(MakeProfile({3'999'996, 4'000'000}), 3, 0);
    ExpectUnits(
        plan,
        {{0, 0, 3'999'996, 0}, {1, 1, 1'333'336, 0}, {1, 1, 1'333'332, 1}, {1, 1, 1'333'332, 2}});
}

TEST(ParameterServerPlanTest, SpreadsLargeTensorsOverAllServersWithoutAPartSize)
{
    std::mt19937 engine(1);
    for (uint32_t trial = 0; trial < 200; ++trial)
    {
        const auto profile = DrawProfile(engine, 2'000'000);
        const uint32_t servers = 1 + engine() % 8;
        const auto plan = MakeParameterServerPlan(profile, servers, 0);
        ExpectLayersCovered(plan, profile);
        std::vector<std::set<uint32_t>> serversOfLayer(profile.layers.size());
        std::vector<uint32_t> parts(profile.layers.size());
        for (const auto& unit : plan.units)
        {
            serversOfLayer[unit.frontLayer].insert(unit.server);
            ++parts[unit.frontLayer];
        }
        for (std::size_t layer = 0; layer < parts.size(); ++layer)
        {
            const uint64_t bytes = profile.layers[layer].gradientBytes;
            const uint32_t expected = bytes >= 4'000'000 ? servers : bytes > 0 ? 1 : 0;
            EXPECT_EQ(parts[layer], expected);
            EXPECT_EQ(serversOfLayer[layer].size(), expected);
        }
    }
}

TEST(AllReducePlanTest, FusesTensorsFromTheBackUntilTheBucketIsFull)
{
    // From the back: 8 + 8 bytes fill a bucket of 16; 40 overfills the next on its own; 4 + 8
    // are the rest, with layer 1 between them.
    const auto plan = MakeAllReducePlan(MakeProfile({8, 0, 4, 40, 8, 0, 8}), 16);
    ExpectUnits(plan, {{0, 2, 12, 0}, {3, 3, 40, 0}, {4, 6, 16, 0}});
}

TEST(AllReducePlanTest, MakesABucketOfEachTensorAtSize0)
{
    ExpectUnits(MakeAllReducePlan(MakeProfile({8, 0, 4}), 0), {{0, 0, 8, 0}, {2, 2, 4, 0}});
}

TEST(AllReducePlanTest, PutsEachTensorIntoOneBucketThatIsClosedByTheTensorThatFillsIt)
{
    std::mt19937 engine(1);
    for (uint32_t trial = 0; trial < 500; ++trial)
    {
        const auto profile = DrawProfile(engine, 100);
        const uint64_t bucketBytes = 4 * (engine() % 500);
        const auto plan = MakeAllReducePlan(profile, bucketBytes);
        uint32_t next = 0;
        for (std::size_t unit = 0; unit < plan.units.size(); ++unit)
        {
            const auto& bucket = plan.units[unit];
            // What lies between two buckets has no gradients.
            for (; next < bucket.frontLayer; ++next)
            {
                EXPECT_EQ(profile.layers[next].gradientBytes, 0U);
            }
            EXPECT_LE(bucket.frontLayer, bucket.backLayer);
            uint64_t bytes = 0;
            for (; next <= bucket.backLayer; ++next)
            {
                bytes += profile.layers[next].gradientBytes;
            }
            EXPECT_EQ(bucket.bytes, bytes);
            EXPECT_GT(profile.layers[bucket.frontLayer].gradientBytes, 0U);
            EXPECT_GT(profile.layers[bucket.backLayer].gradientBytes, 0U);
            // All but the front one are full, and none was before its front tensor.
            EXPECT_TRUE(unit == 0 || bytes >= bucketBytes);
            EXPECT_TRUE(bucket.frontLayer == bucket.backLayer ||
                        bytes - profile.layers[bucket.frontLayer].gradientBytes < bucketBytes);
        }
        for (; next < profile.layers.size(); ++next)
        {
            EXPECT_EQ(profile.layers[next].gradientBytes, 0U);
        }
    }
}

TEST(CommunicationPlanTest, NamesEachLayersUnitsInOrderAndNoneForALayerWithout)
{
    // Layers 0 and 2 in bucket 0, with 1 between; layer 4 in two parts, 1 and 2.
    CommunicationPlan plan;
    plan.units = {{0, 2, 8, 0}, {4, 4, 4, 0}, {4, 4, 4, 1}};
    const std::vector<std::vector<uint32_t>> expected{{0}, {0}, {0}, {}, {1, 2}};
    EXPECT_EQ(plan.GetUnitsByLayer(5), expected);
}

} // namespace gradnet
