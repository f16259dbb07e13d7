// What is said later: times, decisions, other editions; and what is undone, copied and forgotten.
#include "gradebook/gradebook.hpp"
#include "gradebook/schema.hpp"

#include "submission/digest.hpp"
#include "temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace headway::gradebook {
namespace {

using intake::TimeFrom;
using Recorded = Gradebook::Recorded;

constexpr const char* recorded = "2020-05-10T12:00:00Z";
constexpr const char* one_day = "2020-05-01T12:00:00Z";
constexpr const char* another = "2020-05-02T12:00:00Z";
constexpr const char* after_recording = "2020-05-11T12:00:00Z";

build::Submission text(const std::string& text) { return {"03_scaled_scores", {}, {{"a.cpp", text}}, {}}; }

class History : public testing::Test {
protected:
    /// anna, always with the same files.
    Recorded hand_in(std::optional<std::string> time = {}, TimeFrom from = TimeFrom::platform) {
        return hand_in("anna", text("1"), std::move(time), from);
    }
    Recorded hand_in(const std::string& student, const build::Submission& source, std::optional<std::string> time = {},
                     TimeFrom from = TimeFrom::platform) {
        return gradebook_.record(
            {0, student, student, std::move(time), "", "", {{source.exercise, source.digest()}}, recorded, from},
            {source});
    }
    std::vector<std::optional<std::string>> times() const {
        std::vector<std::optional<std::string>> times;
        for (const Attempt& attempt : gradebook_.attempts()) times.push_back(attempt.submitted);
        return times;
    }
    using Times = std::vector<std::optional<std::string>>;

    Edition edition(const std::string& policy) {
        return gradebook_.propose({0, 7, policy, {{"03_scaled_scores", "suite"}}});
    }
    std::string refusal(const std::map<std::string, std::string>& times) {
        try {
            gradebook_.say_times(times);
        } catch (const std::runtime_error& error) {
            return error.what();
        }
        return "";
    }

    build::TemporaryFolder folder_;
    std::filesystem::path file_ = folder_.path() / "gradebook.sqlite";
    Gradebook gradebook_{file_, Access::read_write};
};

TEST_F(History, ATimeThatComesLaterIsThatOfTheAttempt) {
    hand_in();
    EXPECT_EQ(hand_in(one_day, TimeFrom::person), Recorded::timed);
    EXPECT_EQ(hand_in(one_day, TimeFrom::person), Recorded::unchanged);
    EXPECT_EQ(hand_in(), Recorded::unchanged);
    EXPECT_EQ(times(), Times{one_day});
}

TEST_F(History, TheLastTimeThatAPersonSaysHoldsWhateverThePlatformSays) {
    EXPECT_EQ(hand_in(one_day), Recorded::anew);
    EXPECT_EQ(hand_in(another, TimeFrom::person), Recorded::retimed);
    EXPECT_EQ(hand_in(one_day), Recorded::unchanged);
    EXPECT_EQ(times(), Times{another});
    EXPECT_EQ(hand_in(one_day, TimeFrom::person), Recorded::retimed);
    EXPECT_EQ(times(), Times{one_day});
}

TEST_F(History, APersonsTimeHoldsWhenThePlatformFollows) {
    EXPECT_EQ(hand_in(one_day, TimeFrom::person), Recorded::anew);
    EXPECT_EQ(hand_in(another), Recorded::unchanged);
    EXPECT_EQ(times(), Times{one_day});
}

TEST_F(History, AnotherTimeOfThePlatformOrOneAfterTheRecordingIsAnotherHandIn) {
    hand_in(one_day);
    EXPECT_EQ(hand_in(another), Recorded::anew);
    EXPECT_EQ(hand_in(after_recording, TimeFrom::person), Recorded::anew);
    EXPECT_EQ(hand_in(after_recording, TimeFrom::person), Recorded::unchanged);
    EXPECT_EQ(times(), (Times{one_day, another, after_recording}));
}

TEST_F(History, AnOldExportThatComesAgainIsNoNewAttempt) {
    hand_in("anna", text("1"), one_day);
    hand_in("anna", text("2"), another);
    EXPECT_EQ(hand_in("anna", text("1"), one_day), Recorded::unchanged);
    EXPECT_EQ(hand_in("anna", text("1"), one_day, TimeFrom::person), Recorded::unchanged);
    EXPECT_EQ(hand_in("anna", text("1"), after_recording), Recorded::anew) << "the first program, handed in again";
    EXPECT_EQ(times(), (Times{one_day, another, after_recording}));
}

TEST_F(History, TimesAreSaidForAllOrNobody) {
    hand_in("anna", text("1"));
    hand_in("ben", text("2"), one_day);
    EXPECT_NE(refusal({{"anna", one_day}, {"anan", one_day}, {"bne", one_day}}).find("called anan, bne"),
              std::string::npos);
    EXPECT_NE(refusal({{"anna", one_day}, {"ben", after_recording}}).find("ben (recorded 2020-05-10"),
              std::string::npos);
    EXPECT_EQ(times(), (Times{std::nullopt, one_day}));
    EXPECT_EQ(gradebook_.say_times({{"anna", one_day}, {"ben", one_day}}), std::vector<std::string>{"anna"});
    EXPECT_EQ(times(), (Times{one_day, one_day}));
}

TEST_F(History, AnEarlierAttemptHasATimeOfItsOwnUntilItIsTakenBack) {
    const DecidedBy prof = {"prof", "the server was down"};
    const auto first = [&] { return gradebook_.attempts().at(0); };
    hand_in("anna", text("1"));
    hand_in("anna", text("2"), another);
    EXPECT_FALSE(gradebook_.unset_time(first(), prof)) << "nobody has said any";
    gradebook_.set_time(first(), one_day, prof);
    EXPECT_EQ(times(), (Times{one_day, another}));
    EXPECT_EQ(first().why_this_time, "the server was down (prof)");
    gradebook_.set_time(first(), another, prof);
    EXPECT_TRUE(gradebook_.unset_time(first(), prof));
    EXPECT_EQ(times(), (Times{one_day, another})) << "what was said before holds again";
    EXPECT_TRUE(gradebook_.unset_time(first(), prof));
    EXPECT_EQ(times(), (Times{std::nullopt, another}));
    EXPECT_EQ(first().why_this_time, "");
    EXPECT_THROW(gradebook_.set_time(first(), after_recording, prof), std::runtime_error);
}

TEST_F(History, ATimeThatIsTakenBackLeavesThePlatformsAndIsSaidAgainByAFile) {
    hand_in(one_day);
    gradebook_.set_time(gradebook_.attempts().at(0), another, {"prof", "why"});
    EXPECT_EQ(hand_in(one_day), Recorded::unchanged);
    EXPECT_EQ(times(), Times{another});
    EXPECT_EQ(gradebook_.say_times({{"anna", one_day}}).size(), 1U) << "the later said holds";
    EXPECT_EQ(gradebook_.attempts().at(0).why_this_time, "");
    gradebook_.unset_time(gradebook_.attempts().at(0), {"prof", "why"});
    EXPECT_EQ(times(), Times{another});
    gradebook_.unset_time(gradebook_.attempts().at(0), {"prof", "why"});
    EXPECT_EQ(times(), Times{one_day});
    EXPECT_EQ(hand_in(one_day), Recorded::unchanged);
}

TEST_F(History, DecisionsComeBackAsTheyWereMade) {
    hand_in();
    gradebook_.decide(
        {{Decision::Kind::pin, "anna", 1, "03_scaled_scores", 0, "prof", "the one before the talk", "2020"}});
    gradebook_.decide({{Decision::Kind::set, "anna", std::nullopt, "", 7.5, "prof", "oral", "2020"}});
    const auto decisions = gradebook_.decisions();
    ASSERT_EQ(decisions.size(), 2U);
    EXPECT_EQ(decisions[0].kind, Decision::Kind::pin);
    EXPECT_EQ(decisions[0].attempt, 1);
    EXPECT_EQ(decisions[0].reason, "the one before the talk");
    EXPECT_EQ(decisions[1].points, 7.5);
    EXPECT_EQ(decisions[1].attempt, std::nullopt);
}

TEST_F(History, WhatIsRemovedIsNotGradedUnlessSomebodyElseHandedItIn) {
    const Edition current = edition("");
    hand_in("anna", text("1"));
    gradebook_.decide({{Decision::Kind::remove, "anna", 1, "", 0, "prof", "never ends", "2020"}});
    EXPECT_EQ(gradebook_.count_pending(current), 0U);
    hand_in("ben", text("1"));
    ASSERT_EQ(gradebook_.pending(current).size(), 1U);
    EXPECT_EQ(gradebook_.pending(current).front().attempt, 2);
    gradebook_.decide({{Decision::Kind::restore, "anna", 1, "", 0, "prof", "", "2020"}});
    EXPECT_EQ(gradebook_.pending(current).front().attempt, 1);
}

TEST_F(History, AnAppliedEditionIsUndoneAndAppliedAgain) {
    EXPECT_EQ(gradebook_.undo(), std::nullopt);
    const Edition first = edition("# first");
    gradebook_.apply(first);
    EXPECT_EQ(gradebook_.undo(), std::nullopt) << "there is none before";
    const Edition second = edition("# second");
    EXPECT_EQ(gradebook_.current(), first);
    gradebook_.apply(second);
    const Edition third = edition("# third");
    gradebook_.apply(third);
    EXPECT_EQ(gradebook_.current(), third);
    EXPECT_EQ(gradebook_.undo(), second);
    EXPECT_EQ(gradebook_.undo(), first);
    EXPECT_EQ(edition("# third").id, third.id) << "its verdicts serve again";
    gradebook_.apply(third);
    EXPECT_EQ(gradebook_.current(), third);
    EXPECT_EQ(gradebook_.undo(), first);
}

TEST_F(History, AForgottenStudentLeavesNothingButWhatOthersHandedInToo) {
    const Edition current = edition("");
    hand_in("anna", text("only anna's"), one_day, TimeFrom::person);
    hand_in("anna", text("both"));
    hand_in("ben", text("both"));
    for (const Job& job : gradebook_.pending(current)) {
        Graded graded;
        graded.exercise.state = verdict::State::passed;
        gradebook_.store(job, graded);
        gradebook_.store_outage(job, "a cosmic ray");
    }
    gradebook_.adjust({"anna", "", 1, "prof", "why", "2020"});
    gradebook_.decide({{Decision::Kind::remove, "anna", 1, "", 0, "prof", "why", "2020"}});
    gradebook_.decide({{Decision::Kind::pin, "ben", 2, "", 0, "prof", "his partner's", "2020"}});
    EXPECT_EQ(gradebook_.forget("anna"), 2U);
    EXPECT_EQ(gradebook_.forget("anna"), 0U);
    EXPECT_EQ(gradebook_.attempts().size(), 1U);
    EXPECT_TRUE(gradebook_.decisions().empty());
    EXPECT_TRUE(gradebook_.adjustments().empty());
    EXPECT_EQ(gradebook_.scores(current).size(), 1U);
    EXPECT_THROW(gradebook_.source({"03_scaled_scores", text("only anna's").digest(), ""}), std::runtime_error);
    EXPECT_EQ(gradebook_.source({"03_scaled_scores", text("both").digest(), ""}).files.size(), 1U);
    EXPECT_EQ(build::read_file(file_).find("only anna's"), std::string::npos) << "nor on the disk";
}

TEST_F(History, ACopyIsMadeBesideTheGradebookAndNeverOverwritten) {
    using std::filesystem::perms;
    hand_in();
    const auto first = gradebook_.backup("regrade-2");
    hand_in("ben", text("2"));
    const auto second = gradebook_.backup("regrade-2");
    EXPECT_EQ(first, file_.string() + ".before-regrade-2");
    EXPECT_EQ(second, file_.string() + ".before-regrade-2-2");
    EXPECT_EQ(Gradebook(first, Access::read_only).attempts().size(), 1U);
    EXPECT_EQ(Gradebook(second, Access::read_only).attempts().size(), 2U);
    EXPECT_EQ(std::filesystem::status(first).permissions() & (perms::group_all | perms::others_all), perms::none);
    EXPECT_FALSE(std::filesystem::exists(first.string() + ".part"));
}

TEST_F(History, ACopyThatCannotBeMadeIsAnErrorThatSaysSo) {
    try {
        gradebook_.backup("nowhere/there");
        FAIL();
    } catch (const DatabaseError& error) {
        EXPECT_NE(std::string(error.what()).find("without which nothing is changed"), std::string::npos);
    }
}

TEST(Migration, KeepsACopyOfWhatWasThereAndItsEditions) {
    const build::TemporaryFolder folder;
    const std::filesystem::path file = folder.path() / "gradebook.sqlite";
    {
        Database database(file, Access::read_write);
        migrate(database, 2);
        database.execute(
            "INSERT INTO edition VALUES (1, '2026', '2026-02-01T00:00:00Z', '7', '# first');"
            "INSERT INTO edition VALUES (2, '2026', '2026-01-01T00:00:00Z', '7', '# second');"
            "INSERT INTO edition VALUES (3, '2026', NULL, '7', '# a proposal')");
    }
    EXPECT_EQ(Gradebook(file, Access::read_write).current()->policy, "# first") << "the newest that was applied";
    Database copy(file.string() + ".before-v" + std::to_string(newest_version), Access::read_only);
    EXPECT_EQ(copy.version(), 2);
    EXPECT_EQ(Gradebook(file, Access::read_write).undo()->policy, "# second");
}

TEST(Journal, IsWriteAheadOnlyWhereNoOtherMachineCanBe) {
    EXPECT_STREQ(journal_mode(0xEF53), "WAL") << "ext4";
    EXPECT_STREQ(journal_mode(0x01021994), "WAL") << "tmpfs";
    for (const std::uint64_t remote : {0x6969U, 0xFF534D42U, 0xFE534D42U, 0x65735546U, 0x0BD00BD0U, 0x47504653U, 0U})
        EXPECT_STREQ(journal_mode(remote), "DELETE") << std::hex << remote;
}

}  // namespace
}  // namespace headway::gradebook
