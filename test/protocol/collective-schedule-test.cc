// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/collective-schedule.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <utility>
#include <vector>

namespace gradnet
{

namespace
{

/// How often each worker's gradients are in a sum.
using Contributions = std::vector<uint32_t>;

/// A tensor on its way.
struct Message
{
    uint32_t from;
    CollectiveSend send;
    Contributions content;
};

/// What one rank has.
struct Rank
{
    CollectiveSchedule schedule;
    std::vector<uint32_t> missing; ///< what each step waits for
    std::vector<bool> fired;
    std::vector<Contributions> sums; ///< what each step has received, and added
};

/**
 * Plays the schedules of all ranks for one unit, with what is possible next drawn at random, and
 * counts contributions instead of adding gradients. An empty chunk is neither sent nor waited for.
 */
class Orchestra
{
  public:
    Orchestra(const std::vector<CollectiveSchedule>& schedules,
              uint32_t workers,
              uint64_t bytes,
              uint32_t seed)
        : m_bytes(bytes),
          m_engine(seed)
    {
        for (const auto& schedule : schedules)
        {
            Rank rank{schedule, {}, {}, {}};
            for (const auto& step : schedule.steps)
            {
                const uint32_t receives = GetBytes(schedule, step.chunk) > 0 ? step.receives : 0;
                rank.missing.push_back(receives + (step.ownGradient ? 1 : 0));
                rank.fired.push_back(rank.missing.back() == 0);
                rank.sums.emplace_back(workers, 0);
            }
            m_ranks.push_back(rank);
        }
        for (uint32_t worker = 0; worker < workers; ++worker)
        {
            m_computing.push_back(worker);
        }
    }

    /// Never lets a worker have its gradients.
    void HoldBack(uint32_t worker)
    {
        m_computing.erase(m_computing.begin() + worker);
    }

    /// Plays until nothing more is possible.
    void Play()
    {
        while (!m_computing.empty() || !m_flying.empty())
        {
            const std::size_t next = m_engine() % (m_computing.size() + m_flying.size());
            if (next < m_computing.size())
            {
                ProvideGradient(TakeOut(m_computing, next));
            }
            else
            {
                Deliver(TakeOut(m_flying, next - m_computing.size()));
            }
        }
    }

    /// \return whether every step of every rank has fired
    bool IsThrough() const
    {
        for (const auto& rank : m_ranks)
        {
            for (const bool fired : rank.fired)
            {
                if (!fired)
                {
                    return false;
                }
            }
        }
        return true;
    }

    /// \return what a rank ends up with of each chunk that is not empty: its last step's sum
    std::map<uint32_t, Contributions> GetResult(uint32_t rank) const
    {
        std::map<uint32_t, Contributions> result;
        const auto& [schedule, missing, fired, sums] = m_ranks[rank];
        for (uint32_t step = 0; step < schedule.steps.size(); ++step)
        {
            const uint32_t chunk = schedule.steps[step].chunk;
            if (GetBytes(schedule, chunk) > 0)
            {
                result[chunk] = sums[step];
            }
        }
        return result;
    }

    /// \return every tensor that was sent
    const std::vector<Message>& GetSent() const
    {
        return m_sent;
    }

    /// \return bytes that a rank sent in a phase
    uint64_t GetSentBytes(uint32_t rank, TensorPhase phase) const
    {
        uint64_t bytes = 0;
        for (const auto& message : m_sent)
        {
            bytes += message.from == rank && message.send.phase == phase
                         ? GetBytes(m_ranks[rank].schedule, message.send.chunk)
                         : 0;
        }
        return bytes;
    }

  private:
    uint64_t GetBytes(const CollectiveSchedule& schedule, uint32_t chunk) const
    {
        return GetChunkBytes(m_bytes, schedule.chunks, chunk);
    }

    template <typename T>
    static T TakeOut(std::vector<T>& from, std::size_t index)
    {
        std::swap(from[index], from.back());
        T taken = from.back();
        from.pop_back();
        return taken;
    }

    void ProvideGradient(uint32_t worker)
    {
        for (uint32_t step = 0; step < m_ranks[worker].schedule.steps.size(); ++step)
        {
            if (m_ranks[worker].schedule.steps[step].ownGradient)
            {
                ++m_ranks[worker].sums[step][worker];
                Arrive(worker, step);
            }
        }
    }

    void Deliver(const Message& message)
    {
        Rank& rank = m_ranks.at(message.send.to);
        ASSERT_LT(message.send.step, rank.schedule.steps.size());
        EXPECT_EQ(rank.schedule.steps[message.send.step].chunk, message.send.chunk);
        for (uint32_t worker = 0; worker < message.content.size(); ++worker)
        {
            rank.sums[message.send.step][worker] += message.content[worker];
        }
        Arrive(message.send.to, message.send.step);
    }

    void Arrive(uint32_t rank, uint32_t step)
    {
        Rank& receiver = m_ranks[rank];
        ASSERT_GT(receiver.missing[step], 0U) << "more arrives than is waited for";
        if (--receiver.missing[step] > 0)
        {
            return;
        }
        receiver.fired[step] = true;
        for (const auto& send : receiver.schedule.steps[step].sends)
        {
            if (GetBytes(receiver.schedule, send.chunk) > 0)
            {
                m_flying.push_back({rank, send, receiver.sums[step]});
                m_sent.push_back(m_flying.back());
            }
        }
    }

    uint64_t m_bytes;
    std::mt19937 m_engine;
    std::vector<Rank> m_ranks;
    std::vector<uint32_t> m_computing;
    std::vector<Message> m_flying;
    std::vector<Message> m_sent;
};

Orchestra
MakeRing(uint32_t ranks, uint64_t bytes, uint32_t seed)
{
    std::vector<CollectiveSchedule> schedules;
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        schedules.push_back(MakeRingSchedule(ranks, rank));
    }
    return {schedules, ranks, bytes, seed};
}

/// Workers and their one server, the last rank.
Orchestra
MakeStar(uint32_t workers, uint32_t first, uint32_t seed)
{
    std::vector<CollectiveSchedule> schedules(workers, MakeWorkerSchedule(workers));
    schedules.push_back(MakeServerSchedule(workers, first));
    return {schedules, workers, 4, seed};
}

} // namespace

TEST(ChunkBytesTest, GivesTheFirstChunksAValueMoreWhereItDoesNotDivide)
{
    // 10 values in 4 chunks: 3, 3, 2 and 2 of 4 bytes.
    EXPECT_EQ(GetChunkBytes(40, 4, 0), 12U);
    EXPECT_EQ(GetChunkBytes(40, 4, 1), 12U);
    EXPECT_EQ(GetChunkBytes(40, 4, 2), 8U);
    EXPECT_EQ(GetChunkBytes(40, 4, 3), 8U);
}

TEST(ChunkBytesTest, LeavesTheLastChunksEmptyWhereThereAreFewerValues)
{
    EXPECT_EQ(GetChunkBytes(8, 3, 1), 4U);
    EXPECT_EQ(GetChunkBytes(8, 3, 2), 0U);
}

TEST(ChunkBytesTest, SumsUpToTheWholeInWholeValuesThatDifferByAtMostOne)
{
    std::mt19937 engine(1);
    for (uint32_t trial = 0; trial < 1000; ++trial)
    {
        // Every other whole has more values than 32 bits hold.
        const uint64_t values = trial % 2 == 0 ? engine() % 300 : uint64_t{engine()} << 18;
        const uint64_t bytes = 4 * values;
        const uint32_t chunks = 1 + engine() % 100;
        const uint64_t first = GetChunkBytes(bytes, chunks, 0);
        uint64_t sum = 0;
        for (uint32_t chunk = 0; chunk < chunks; ++chunk)
        {
            const uint64_t size = GetChunkBytes(bytes, chunks, chunk);
            EXPECT_EQ(size % 4, 0U);
            EXPECT_LE(size, first);
            EXPECT_GE(size + 4, first);
            sum += size;
        }
        EXPECT_EQ(sum, bytes);
    }
}

TEST(RingScheduleTest, SendsOneChunkAStepToTheNextRankGoingBackwardsThroughTheChunks)
{
    // Rank 1 of 3: its own chunk 1, then what rank 0 sends: the sums of 0 and, with its own the
    // third contribution, of 2; then the finished chunks 1 and 0. The sum of 2 is finished here, so
    // the all-gather starts with it.
    const auto schedule = MakeRingSchedule(3, 1);
    EXPECT_EQ(schedule.chunks, 3U);
    ASSERT_EQ(schedule.steps.size(), 5U);
    const std::vector<uint32_t> chunks{1, 0, 2, 1, 0};
    for (uint32_t i = 0; i < 5; ++i)
    {
        const auto& step = schedule.steps[i];
        EXPECT_EQ(step.receives, i == 0 ? 0U : 1U);
        EXPECT_EQ(step.chunk, chunks[i]);
        EXPECT_EQ(step.ownGradient, i < 3);
        ASSERT_EQ(step.sends.size(), i < 4 ? 1U : 0U);
        if (i < 4)
        {
            EXPECT_EQ(step.sends[0].to, 2U);
            EXPECT_EQ(step.sends[0].chunk, chunks[i]);
            EXPECT_EQ(step.sends[0].step, i + 1);
            EXPECT_EQ(step.sends[0].phase,
                      i < 2 ? TensorPhase::REDUCE_SCATTER : TensorPhase::ALL_GATHER);
        }
    }
}

TEST(RingScheduleTest, LetsALoneRankWaitForItsOwnGradientsOnly)
{
    const auto schedule = MakeRingSchedule(1, 0);
    EXPECT_EQ(schedule.chunks, 1U);
    ASSERT_EQ(schedule.steps.size(), 1U);
    EXPECT_EQ(schedule.steps[0].receives, 0U);
    EXPECT_TRUE(schedule.steps[0].ownGradient);
    EXPECT_TRUE(schedule.steps[0].sends.empty());
}

TEST(RingScheduleTest, BringsEveryContributionToEveryRankExactlyOnceInAnyOrder)
{
    // Buckets of 1 to 2n values: below n values, some chunks are empty.
    for (uint32_t ranks = 1; ranks <= 9; ++ranks)
    {
        for (uint32_t values = 1; values <= 2 * ranks; ++values)
        {
            for (uint32_t seed = 0; seed < 5; ++seed)
            {
                auto ring = MakeRing(ranks, values * 4, seed);
                ring.Play();
                EXPECT_TRUE(ring.IsThrough()) << ranks << " ranks, " << values << " values";
                for (uint32_t rank = 0; rank < ranks; ++rank)
                {
                    const auto result = ring.GetResult(rank);
                    EXPECT_EQ(result.size(), std::min(ranks, values));
                    for (const auto& [chunk, contributions] : result)
                    {
                        EXPECT_EQ(contributions, Contributions(ranks, 1))
                            << ranks << " ranks, chunk " << chunk << " at rank " << rank;
                    }
                }
            }
        }
    }
}

TEST(RingScheduleTest, SendsAShareOfNMinus1OfNInEachOfItsTwoPhases)
{
    for (uint32_t ranks = 1; ranks <= 9; ++ranks)
    {
        // n chunks of 5 values, 20 bytes each: n-1 of them in each phase.
        auto ring = MakeRing(ranks, 20 * ranks, 1);
        ring.Play();
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            EXPECT_EQ(ring.GetSentBytes(rank, TensorPhase::REDUCE_SCATTER), 20 * (ranks - 1));
            EXPECT_EQ(ring.GetSentBytes(rank, TensorPhase::ALL_GATHER), 20 * (ranks - 1));
        }
    }
}

TEST(RingScheduleTest, GathersNothingWhileOneRankHasNoGradients)
{
    for (uint32_t late = 0; late < 5; ++late)
    {
        auto ring = MakeRing(5, 100, late);
        ring.HoldBack(late);
        ring.Play();
        EXPECT_FALSE(ring.IsThrough());
        EXPECT_FALSE(ring.GetSent().empty());
        for (const auto& message : ring.GetSent())
        {
            EXPECT_EQ(message.send.phase, TensorPhase::REDUCE_SCATTER);
        }
    }
}

TEST(ParameterServerScheduleTest, PullsTheSumOfAllWorkersToEachOfThemInAnyOrder)
{
    for (uint32_t workers = 1; workers <= 9; ++workers)
    {
        for (uint32_t seed = 0; seed < 20; ++seed)
        {
            auto star = MakeStar(workers, seed % workers, seed);
            star.Play();
            EXPECT_TRUE(star.IsThrough());
            // A push and a pull a worker, of one value.
            EXPECT_EQ(star.GetSent().size(), 2 * workers);
            EXPECT_EQ(star.GetSentBytes(workers, TensorPhase::PULL), 4 * workers);
            for (uint32_t worker = 0; worker < workers; ++worker)
            {
                EXPECT_EQ(star.GetSentBytes(worker, TensorPhase::PUSH), 4U);
                EXPECT_EQ(star.GetResult(worker).at(0), Contributions(workers, 1));
            }
        }
    }
}

TEST(ParameterServerScheduleTest, PullsNothingBeforeTheLastPush)
{
    auto star = MakeStar(4, 0, 1);
    star.HoldBack(2);
    star.Play();
    EXPECT_EQ(star.GetSent().size(), 3U);
    for (const auto& message : star.GetSent())
    {
        EXPECT_EQ(message.send.phase, TensorPhase::PUSH);
    }
}

TEST(ParameterServerScheduleTest, ServesTheWorkersInTurnFromTheFirst)
{
    // From worker 2 of 4: 2, 3, 0, 1.
    const auto sends = MakeServerSchedule(4, 2).steps.at(0).sends;
    ASSERT_EQ(sends.size(), 4U);
    for (uint32_t i = 0; i < 4; ++i)
    {
        EXPECT_EQ(sends[i].to, (2 + i) % 4);
    }
}

} // namespace gradnet
