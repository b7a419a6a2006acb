// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/tensor-order.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <random>
#include <vector>

namespace gradnet
{

namespace
{

/// Checks a slice field by field.
void
ExpectSlice(const std::optional<TensorSlice>& slice,
            uint64_t id,
            uint64_t offset,
            uint64_t bytes,
            bool last)
{
    ASSERT_TRUE(slice);
    EXPECT_EQ(slice->id, id);
    EXPECT_EQ(slice->offset, offset);
    EXPECT_EQ(slice->bytes, bytes);
    EXPECT_EQ(slice->last, last);
}

/// Adds and polls at random, and checks that each byte of each tensor leaves once and in order.
void
ExpectEveryByteOnce(TensorOrder& order, uint32_t seed)
{
    std::mt19937 engine(seed);
    std::map<uint64_t, PendingTensor> waiting; // bytes: all of the tensor
    std::map<uint64_t, uint64_t> sent;
    const auto take = [&] {
        const auto slice = order.Poll(0);
        ASSERT_EQ(slice.has_value(), !waiting.empty());
        if (!slice)
        {
            return;
        }
        ASSERT_EQ(waiting.count(slice->id), 1U);
        EXPECT_EQ(slice->offset, sent[slice->id]);
        EXPECT_GT(slice->bytes, 0U);
        sent[slice->id] += slice->bytes;
        EXPECT_EQ(slice->last, sent[slice->id] == waiting[slice->id].bytes);
        if (slice->last)
        {
            waiting.erase(slice->id);
        }
    };
    for (uint64_t id = 0; id < 200; ++id)
    {
        const PendingTensor tensor{id, static_cast<uint32_t>(engine() % 5), 1 + engine() % 50};
        waiting[id] = tensor;
        order.Add(tensor);
        for (uint32_t polls = engine() % 8; polls > 0; --polls)
        {
            take();
        }
    }
    // At most 50 slices a tensor are left, of a byte each.
    for (uint32_t polls = 0; polls < 200 * 50 && !waiting.empty(); ++polls)
    {
        take();
    }
    EXPECT_TRUE(waiting.empty());
    EXPECT_FALSE(order.Poll(0));
}

} // namespace

TEST(FifoTensorOrderTest, SendsTensorsWholeInOrderOfArrivalWhateverTheirPriority)
{
    FifoTensorOrder order;
    order.Add({7, 9, 100});
    order.Add({8, 0, 5'000'000'000});
    ExpectSlice(order.Poll(0), 7, 0, 100, true);
    ExpectSlice(order.Poll(0), 8, 0, 5'000'000'000, true);
    EXPECT_FALSE(order.Poll(0));
}

TEST(FifoTensorOrderTest, SendsWhateverIsOutstanding)
{
    FifoTensorOrder order;
    order.Add({1, 0, 4});
    EXPECT_TRUE(order.Poll(UINT64_MAX));
}

TEST(FifoTensorOrderTest, HandsOutEveryByteExactlyOnce)
{
    FifoTensorOrder order;
    ExpectEveryByteOnce(order, 1);
}

TEST(PriorityTensorOrderTest, CutsATensorIntoSlicesAndLeavesTheRestForTheLast)
{
    // 10 bytes in slices of 4: 4 + 4 + 2.
    PriorityTensorOrder order(4, 1);
    order.Add({7, 0, 10});
    ExpectSlice(order.Poll(0), 7, 0, 4, false);
    ExpectSlice(order.Poll(0), 7, 4, 4, false);
    ExpectSlice(order.Poll(0), 7, 8, 2, true);
    EXPECT_FALSE(order.Poll(0));
}

TEST(PriorityTensorOrderTest, HasNoEmptySliceAfterATensorOfWholeSlices)
{
    PriorityTensorOrder order(4, 1);
    order.Add({7, 0, 8});
    ExpectSlice(order.Poll(0), 7, 0, 4, false);
    ExpectSlice(order.Poll(0), 7, 4, 4, true);
    EXPECT_FALSE(order.Poll(0));
}

TEST(PriorityTensorOrderTest, CutsTensorsThatDoNotFitIn32Bits)
{
    // 5 GB in slices of 4.5 GB: the second starts beyond 2^32 and has 0.5 GB.
    PriorityTensorOrder order(4'500'000'000, 1);
    order.Add({7, 0, 5'000'000'000});
    ExpectSlice(order.Poll(0), 7, 0, 4'500'000'000, false);
    ExpectSlice(order.Poll(0), 7, 4'500'000'000, 500'000'000, true);
}

TEST(PriorityTensorOrderTest, LetsAFrontLayerOvertakeBetweenSlicesAndThenGoesOnWhereItStopped)
{
    PriorityTensorOrder order(4, 1);
    order.Add({7, 3, 8});
    ExpectSlice(order.Poll(0), 7, 0, 4, false);
    order.Add({8, 2, 4});
    ExpectSlice(order.Poll(0), 8, 0, 4, true);
    ExpectSlice(order.Poll(0), 7, 4, 4, true);
}

TEST(PriorityTensorOrderTest, SendsEqualPrioritiesInOrderOfArrivalEachToItsEnd)
{
    // Tensor 8 comes while 7 is under way, 9 after 7 has been overtaken by 6: 7, 8, 9 all the same.
    PriorityTensorOrder order(4, 1);
    order.Add({7, 3, 12});
    ExpectSlice(order.Poll(0), 7, 0, 4, false);
    order.Add({8, 3, 8});
    order.Add({6, 0, 4});
    ExpectSlice(order.Poll(0), 6, 0, 4, true);
    order.Add({9, 3, 4});
    ExpectSlice(order.Poll(0), 7, 4, 4, false);
    ExpectSlice(order.Poll(0), 7, 8, 4, true);
    ExpectSlice(order.Poll(0), 8, 0, 4, false);
    ExpectSlice(order.Poll(0), 8, 4, 4, true);
    ExpectSlice(order.Poll(0), 9, 0, 4, true);
}

TEST(PriorityTensorOrderTest, HoldsBackOnceTheCreditIsOutstandingAndForgetsNothing)
{
    // One byte below the credit of 100 still lets a whole slice of 8 go.
    PriorityTensorOrder order(8, 100);
    order.Add({7, 0, 16});
    ExpectSlice(order.Poll(99), 7, 0, 8, false);
    EXPECT_FALSE(order.Poll(100));
    EXPECT_FALSE(order.Poll(107));
    ExpectSlice(order.Poll(99), 7, 8, 8, true);
}

TEST(PriorityTensorOrderTest, TakesACreditOf0AsOneSliceAtATime)
{
    PriorityTensorOrder order(4, 0);
    order.Add({7, 0, 8});
    EXPECT_FALSE(order.Poll(1));
    ExpectSlice(order.Poll(0), 7, 0, 4, false);
}

TEST(PriorityTensorOrderTest, HandsOutEveryByteExactlyOnce)
{
    for (uint32_t seed = 0; seed < 20; ++seed)
    {
        PriorityTensorOrder order(1 + seed * 3, 1);
        ExpectEveryByteOnce(order, seed);
    }
}

TEST(PriorityTensorOrderTest, AlwaysTakesTheFirstOfTheFrontmostTensorsThatWait)
{
    std::mt19937 engine(1);
    PriorityTensorOrder order(7, 1);
    std::vector<PendingTensor> waiting; // in order of arrival; bytes: what is left
    for (uint64_t id = 0; id < 2000; ++id)
    {
        waiting.push_back({id, static_cast<uint32_t>(engine() % 5), 1 + engine() % 50});
        order.Add(waiting.back());
        for (uint32_t polls = engine() % 9; polls > 0 && !waiting.empty(); --polls)
        {
            const auto front =
                std::min_element(waiting.begin(), waiting.end(), [](const auto& a, const auto& b) {
                    return a.priority < b.priority;
                });
            const auto slice = order.Poll(0);
            ASSERT_TRUE(slice);
            ASSERT_EQ(slice->id, front->id);
            ASSERT_EQ(slice->bytes, std::min<uint64_t>(7, front->bytes));
            front->bytes -= slice->bytes;
            if (front->bytes == 0)
            {
                waiting.erase(front);
            }
        }
    }
}

} // namespace gradnet
