// A class in shards, on a batch system that loses tasks.
#include "classroom/batch_run.hpp"

#include "stand_in_queue.hpp"
#include "submission/digest.hpp"
#include "temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>

namespace headway::classroom {
namespace {

using gradebook::Gradebook;
using gradebook::Graded;
using gradebook::Job;

constexpr int students = 23;

build::Submission hand_in(int student) {
    return {"03_scaled_scores", {}, {{"a.cpp", "// " + std::to_string(student)}}, {}};
}

class Batches : public testing::Test {
protected:
    Batches() {
        edition_ = gradebook_.propose({0, 7, "", {{"03_scaled_scores", "suite"}}});
        gradebook_.apply(edition_);
        for (int student = 0; student < students; ++student) {
            const build::Submission source = hand_in(student);
            gradebook_.record(
                {0, "s" + std::to_string(student), "folder", {}, "", "", {{source.exercise, source.digest()}}},
                {source});
        }
        options_.waves = waves_;
        options_.shard_size = 3;
        options_.poll = std::chrono::milliseconds(1);
    }

    RunState run() { return run_in_batches(gradebook_, edition_, queue_, options_); }

    void expect_whole() {
        EXPECT_TRUE(gradebook_.pending(edition_).empty());
        const auto scores = gradebook_.scores(edition_);
        ASSERT_EQ(scores.size(), std::size_t{students});
        for (int student = 0; student < students; ++student) {
            const gradebook::Score score = scores.at(hand_in(student).digest());
            EXPECT_EQ(score.points, static_cast<int>(hand_in(student).files.front().text.size()));
            EXPECT_EQ(score.state, verdict::State::failed);
        }
        EXPECT_TRUE(std::filesystem::is_empty(waves_));
    }

    build::TemporaryFolder folder_;
    std::filesystem::path file_ = folder_.path() / "gradebook.sqlite";
    std::filesystem::path waves_ = folder_.path() / "waves";
    Gradebook gradebook_{file_, gradebook::Access::read_write};
    gradebook::Edition edition_;
    StandInQueue queue_{waves_};
    BatchOptions options_;
};

TEST_F(Batches, AllIsGradedOnceWithinTheSitesLimits) {
    const RunState state = run();
    EXPECT_EQ(state.all, std::size_t{students});
    EXPECT_EQ(state.done, std::size_t{students});
    EXPECT_EQ(queue_.ran, 8);  // shards of three hand-ins, and one of two
    EXPECT_EQ(queue_.largest_array, 4U);
    EXPECT_EQ(queue_.most_waiting, 6U);
    for (const auto& [source, times] : queue_.begun) EXPECT_EQ(times, 1);
    expect_whole();
    EXPECT_EQ(run().all, 0U);
}

TEST_F(Batches, WhatEndsWhileTheQueueIsAskedForIsNotLost) {
    queue_.ends_meanwhile = true;
    EXPECT_EQ(run().done, std::size_t{students});
    for (const auto& [source, times] : queue_.begun) EXPECT_EQ(times, 1);
    expect_whole();
}

TEST_F(Batches, WhatLostTasksLeftIsHandedInAgain) {
    queue_.fates = {{1, Fate::lost_midway}, {2, Fate::lost_before}, {5, Fate::lost_midway}, {9, Fate::lost_midway}};
    const RunState state = run();
    EXPECT_EQ(state.done, std::size_t{students});
    EXPECT_EQ(state.unavailable, 0U);
    expect_whole();
}

TEST_F(Batches, WhatEndsItsTaskIsGivenUpAndNothingElseIs) {
    queue_.poison = hand_in(4).digest();
    const RunState state = run();
    EXPECT_EQ(state.unavailable, 1U);
    EXPECT_EQ(state.done, std::size_t{students - 1});
    EXPECT_EQ(queue_.begun[queue_.poison], 3);
    ASSERT_EQ(gradebook_.pending(edition_).size(), 1U);  // no verdict, so no zero
    queue_.poison.clear();
    EXPECT_EQ(run().done, 1U);
    expect_whole();
}

TEST_F(Batches, ABatchSystemThatRunsNothingIsGivenUp) {
    for (int i = 0; i < 100; ++i) queue_.fates[i] = Fate::lost_before;
    const RunState state = run();
    EXPECT_EQ(state.unavailable, std::size_t{students});
    EXPECT_NE(state.last_problem.find("every node must see"), std::string::npos) << state.last_problem;
    EXPECT_TRUE(gradebook_.scores(edition_).empty());
}

TEST_F(Batches, WhatWaitsForAnAdministratorIsTakenBack) {
    queue_.fates = {{1, Fate::held}, {7, Fate::held}};
    EXPECT_EQ(run().done, std::size_t{students});
    expect_whole();
}

TEST_F(Batches, OfAClassOfAnySizeOnlyAPartIsInFlight) {
    options_.most_in_flight = 4;
    EXPECT_EQ(run().done, std::size_t{students});
    EXPECT_EQ(queue_.most_waiting, 2U);  // the second is begun while there is room
    for (const auto& [source, times] : queue_.begun) EXPECT_EQ(times, 1);
    expect_whole();
}

TEST_F(Batches, ANodesOutageIsTriedElsewhere) {
    queue_.fates = {{0, Fate::out_of_order}};
    EXPECT_EQ(run().done, std::size_t{students});
    expect_whole();
}

TEST_F(Batches, ACoordinatorThatComesBackGoesOnWithWhatIsQueued) {
    int asked = 0;
    for (int killed = 0; killed < 40 && !gradebook_.pending(edition_).empty(); ++killed) {
        asked = 0;
        options_.stop = [&] { return ++asked > 1 + killed % 3; };
        options_.most_in_flight = killed % 2 == 0 ? 5 : 100;
        run();
    }
    options_.stop = [] { return false; };
    run();
    for (const auto& [source, times] : queue_.begun) EXPECT_EQ(times, 1);
    expect_whole();
}

TEST_F(Batches, ACoordinatorThatComesBackAfterTheQueueIsEmptyTakesTheResults) {
    options_.stop = [] { return true; };
    run();
    while (!queue_.tasks({}).empty()) continue;
    const int ran = queue_.ran;
    options_.stop = [] { return false; };
    run();
    for (const auto& [source, times] : queue_.begun) EXPECT_EQ(times, 1);
    EXPECT_GT(queue_.ran, ran);  // the site took only a part at first
    expect_whole();
}

TEST_F(Batches, AWaveThatWasNeverHandedInIsHandedInLater) {
    Manifest manifest{7, {}, {}};
    const Job job = gradebook_.pending(edition_).front();
    manifest.work.emplace_back(job, gradebook_.source(job));
    write_manifest(waves_ / "headway-dead" / "0", manifest);
    std::filesystem::create_directories(waves_ / "headway-dead" / "1");  // killed before the second manifest
    EXPECT_EQ(run().done, std::size_t{students});
    expect_whole();
}

TEST_F(Batches, WhatWasHandedInForAnotherEditionIsLeftAlone) {
    Manifest manifest{6, {{"03_scaled_scores", "older suite"}}, {}};
    Job job = gradebook_.pending(edition_).front();
    const build::Submission source = gradebook_.source(job);
    job.suite = "older suite";
    manifest.work.emplace_back(job, source);
    write_manifest(waves_ / "headway-older" / "0", manifest);
    Shard older(waves_ / "headway-older" / "0");
    Graded forged = graded(job, source);
    forged.exercise.points = 1;
    older.store(job, forged);
    const RunState state = run();
    EXPECT_EQ(state.all, std::size_t{students});
    EXPECT_EQ(state.done, std::size_t{students});
    expect_whole();
}

TEST_F(Batches, WhatIsTakenBackAfterARestartIsSharedOutAgain) {
    options_.stop = [] { return true; };
    run();
    for (int i = 0; i < 4; ++i) queue_.fates[i] = Fate::lost_before;
    while (!queue_.tasks({}).empty()) continue;
    options_.stop = [] { return false; };
    run();
    EXPECT_GE(queue_.ran, 4 + 8) << "shards of three hand-ins, not one of all that came back";
    expect_whole();
}

TEST_F(Batches, FewerAreHandedInWhereTheSiteTakesFewer) {
    queue_.most_accepted = 1;
    EXPECT_EQ(run().done, std::size_t{students});
    expect_whole();
}

TEST_F(Batches, WhatASiteRefusesAltogetherIsItsWords) {
    queue_.most_accepted = 0;
    EXPECT_THROW(run(), QueueError);
    EXPECT_EQ(gradebook_.pending(edition_).size(), std::size_t{students});
    EXPECT_TRUE(std::filesystem::is_empty(waves_));
}

TEST_F(Batches, ASilentBatchSystemIsWaitedForAndNotForEver) {
    queue_.silent = 5;
    EXPECT_EQ(run().done, std::size_t{students});
    expect_whole();
}

/// The first of the batch system's calls that is answered again, as it comes back before what follows a refusal, or
/// after.
class AwayAtFirst : public Batches, public testing::WithParamInterface<int> {};

TEST_P(AwayAtFirst, IsWaitedFor) {
    queue_.away_after = 1;
    queue_.away_before = GetParam();
    EXPECT_EQ(run().done, std::size_t{students});
    expect_whole();
}

INSTANTIATE_TEST_SUITE_P(Calls, AwayAtFirst, testing::Values(3, 4, 5, 20));

TEST_F(Batches, OneThatStaysAwayIsNotWaitedForForEver) {
    queue_.away_after = 1;
    queue_.away_before = 1'000'000;
    options_.patience = std::chrono::milliseconds(20);
    EXPECT_THROW(run(), QueueError);
    EXPECT_EQ(gradebook_.pending(edition_).size(), std::size_t{students});
    EXPECT_TRUE(std::filesystem::is_empty(waves_));
}

TEST_F(Batches, PatienceEnds) {
    queue_.silent = 1'000'000;
    options_.patience = std::chrono::milliseconds(20);
    EXPECT_THROW(run(), QueueError);
}

TEST_F(Batches, AVerdictOnSomethingElseIsNone) {
    options_.stop = [] { return true; };
    queue_.stuck = true;
    run();
    const auto wave = *std::filesystem::directory_iterator(waves_);
    Shard shard(wave.path() / "0");
    const Job job = shard.pending()[0];
    Graded forged = graded(job, shard.source(job));
    forged.exercise.name = "01_single_head";
    forged.exercise.points = 1;
    shard.store(job, forged);
    const Job second = shard.pending()[0];
    Graded outage = graded(second, shard.source(second));
    outage.exercise.state = verdict::State::unavailable;
    shard.store(second, outage);
    const Job elsewhere{"03_scaled_scores", "no source of this shard", "suite"};
    shard.store(elsewhere, graded(elsewhere, hand_in(1)));
    queue_.stuck = false;
    options_.stop = [] { return false; };
    run();
    // The shard's own task holds it for done; another gets it.
    expect_whole();
}

}  // namespace
}  // namespace headway::classroom
