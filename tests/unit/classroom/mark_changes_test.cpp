// Marks before and after a regrade, also where the course has other exercises than it had.
#include "classroom/mark_changes.hpp"

#include "temporary_folder.hpp"

#include <gmock/gmock.h>

namespace headway::classroom {
namespace {

using gradebook::Edition;
using testing::ElementsAre;
using testing::IsEmpty;

/// anna has 10 points of exercise 01, and of 02 if that counts.
class Regrade : public testing::Test {
protected:
    Regrade() {
        gradebook::Attempt attempt{0, "anna", "anna", {}, "", "", {}};
        std::vector<build::Submission> sources;
        for (const char* exercise : {"01_single_head", "02_head_splitting"}) {
            sources.push_back({exercise, {}, {{"a.cpp", exercise}}, {}});
            attempt.sources[exercise] = sources.back().digest();
        }
        gradebook_.record(attempt, sources);
        earlier_ = edition("", {{"01_single_head", "suite"}});
        later_ = edition("", {{"01_single_head", "suite"}, {"02_head_splitting", "suite"}});
    }

    Edition edition(const std::string& policy, const std::map<std::string, std::string>& suites) {
        const Edition edition = gradebook_.propose({0, 1, policy, suites});
        for (const gradebook::Job& job : gradebook_.pending(edition)) {
            gradebook::Graded graded;
            graded.exercise.name = job.exercise;
            graded.exercise.points = graded.exercise.max_points = 10;
            gradebook_.store(job, graded);
        }
        return edition;
    }
    double points_by(const Edition& edition) const {
        return derive_marks(record_of(gradebook_, edition),
                            gradebook::MarkingPolicy::parse(edition.policy, edition.exercises()))
            .at(0)
            .points;
    }

    build::TemporaryFolder folder_;
    gradebook::Gradebook gradebook_{folder_.path() / "gradebook.sqlite", gradebook::Access::read_write};
    Edition earlier_, later_;
};

TEST_F(Regrade, AnEditionHasTheExercisesThatTheCourseHadThen) {
    EXPECT_EQ(points_by(earlier_), 10);
    EXPECT_EQ(points_by(later_), 20);
    EXPECT_THROW(gradebook::MarkingPolicy::parse("[exercises.02]\npoints = 5", earlier_.exercises()),
                 gradebook::MarkingPolicyError);
}

TEST_F(Regrade, TellsWhichExercisesComeAndWhatTheyGive) {
    const MarkChanges found = mark_changes(gradebook_, earlier_, later_);
    EXPECT_THAT(found.exercises, ElementsAre("02_head_splitting counts now: 10 points"));
    ASSERT_EQ(found.changes.size(), 1U);
    EXPECT_EQ(found.changes[0].exercise, "02_head_splitting");
    EXPECT_EQ(found.changes[0].after, 10);
    EXPECT_THAT(found.changes[0].reasons, ElementsAre("did not count before"));
    EXPECT_EQ(found.up, 1U);
}

TEST_F(Regrade, TellsWhichExercisesGo) {
    const MarkChanges found = mark_changes(gradebook_, later_, earlier_);
    EXPECT_THAT(found.exercises, ElementsAre("02_head_splitting counts no more: 10 points"));
    ASSERT_EQ(found.changes.size(), 1U);
    EXPECT_THAT(found.changes[0].reasons, ElementsAre("counts no more"));
    EXPECT_EQ(found.down, 1U);
}

TEST_F(Regrade, TellsWhatIsDroppedAndWhatCanBeReached) {
    const MarkChanges found = mark_changes(gradebook_, later_, edition("drop_lowest = 1", later_.suites));
    EXPECT_THAT(found.exercises, ElementsAre("10 points can be reached in all, not 20"));
    ASSERT_EQ(found.changes.size(), 1U);
    EXPECT_EQ(found.changes[0].exercise, "02_head_splitting");
    EXPECT_THAT(found.changes[0].reasons, ElementsAre("is dropped, as one of the lowest"));
    EXPECT_EQ(found.down, 1U);
}

TEST_F(Regrade, TellsWhatIsRounded) {
    const MarkChanges found = mark_changes(gradebook_, later_, edition("round = 3", later_.suites));
    ASSERT_EQ(found.changes.size(), 1U);
    EXPECT_EQ(found.changes[0].exercise, "");
    EXPECT_EQ(found.changes[0].after, 21);
    EXPECT_THAT(found.changes[0].reasons, ElementsAre("rounded from 20"));
    EXPECT_EQ(found.marks, 1U);
    const MarkChanges coarser =
        mark_changes(gradebook_, edition("round = 3", later_.suites), edition("round = 15", later_.suites));
    ASSERT_EQ(coarser.changes.size(), 1U);
    EXPECT_EQ(coarser.changes[0].before, 21);
    EXPECT_EQ(coarser.changes[0].after, 15);
}

/// Nobody's points change, and yet everybody's share of them.
TEST_F(Regrade, TellsThatExtraCreditChangesWhatCanBeReached) {
    const MarkChanges found =
        mark_changes(gradebook_, later_, edition("[exercises.02]\nextra_credit = true", later_.suites));
    EXPECT_THAT(found.exercises, ElementsAre("10 points can be reached in all, not 20"));
    EXPECT_THAT(found.changes, IsEmpty());
}

TEST_F(Regrade, AnExerciseThatCountsNothingComesUntold) {
    const Edition without = edition("[exercises.02]\npoints = 0", later_.suites);
    const MarkChanges found = mark_changes(gradebook_, earlier_, without);
    EXPECT_THAT(found.exercises, IsEmpty());
    EXPECT_TRUE(found.changes.empty());
}

}  // namespace
}  // namespace headway::classroom
