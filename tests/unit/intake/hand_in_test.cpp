// Whose a submission is, and what of it counts, in the exports of learning platforms.
#include "intake/hand_in.hpp"
#include "intake/entry_name.hpp"

#include "temporary_folder.hpp"

#include <gtest/gtest.h>

#include <sys/stat.h>

namespace headway::intake {
namespace {

namespace fs = std::filesystem;

const std::vector<Wanted> wanted = {
    {"03_scaled_scores", std::string(HEADWAY_SOURCE_DIR) + "/exercises/03_scaled_scores"},
    {"04_merge_heads", std::string(HEADWAY_SOURCE_DIR) + "/exercises/04_merge_heads"}};

std::vector<std::string> students(const std::vector<HandIn>& hand_ins) {
    std::vector<std::string> ids;
    for (const HandIn& hand_in : hand_ins) ids.push_back(hand_in.student);
    return ids;
}

std::string problem_of(const HandIn& hand_in) {
    try {
        read_hand_in(hand_in, wanted);
    } catch (const Malformed& error) {
        return error.what();
    }
    return "";
}

TEST(HandIns, OneFolderAStudentIsCalledByItsName) {
    const build::TemporaryFolder folder;
    folder.write("anna/03_scaled_scores/scaled_scores.cpp", "1");
    folder.write("ben/repository/exercises/03_scaled_scores/scaled_scores.cpp", "2");
    folder.write("ben/repository/solutions/03_scaled_scores/scaled_scores.cpp", "3");
    folder.write("ben/repository/tests/mutants/x/03_scaled_scores/scaled_scores.cpp", "4");
    const auto found = find_hand_ins(folder.path(), {});
    EXPECT_EQ(students(found), (std::vector<std::string>{"anna", "ben"}));
    EXPECT_EQ(read_hand_in(found[0], wanted).at(0).files.at(0).text, "1");
    EXPECT_EQ(read_hand_in(found[1], wanted).at(0).files.at(0).text, "2");
}

TEST(HandIns, MoodleNamesTheParticipant) {
    const build::TemporaryFolder folder;
    folder.write("Ada Lovelace_4711_assignsubmission_file_/03_scaled_scores/scaled_scores.cpp", "1");
    folder.write("Émile du Châtelet_4712_assignsubmission_file_/scaled_scores.cpp", "2");
    EXPECT_EQ(format_of(folder.path()), ExportFormat::moodle);
    EXPECT_EQ(students(find_hand_ins(folder.path(), {})), (std::vector<std::string>{"4711", "4712"}));
}

TEST(HandIns, CanvasNamesTheUserAndNumbersFilesThatComeAgain) {
    const build::TemporaryFolder folder;
    folder.write("lovelaceada_LATE_815_90210_scaled_scores-1.cpp", "1");
    folder.write("lovelaceada_LATE_815_90211_merge_heads.cpp", "2");
    const auto found = find_hand_ins(folder.path(), {});
    EXPECT_EQ(format_of(folder.path()), ExportFormat::canvas);
    ASSERT_EQ(students(found), (std::vector<std::string>{"815"}));
    EXPECT_NE(found[0].note.find("late"), std::string::npos);
    EXPECT_EQ(read_hand_in(found[0], wanted).size(), 2U);
}

TEST(HandIns, AnOddNameBesideCanvassCostsNobodyAnId) {
    const build::TemporaryFolder folder;
    folder.write("lovelaceada_815_90210_scaled_scores.cpp", "1");
    folder.write("bob_816_90211_scaled_scores.cpp", "2");
    folder.write("_817_90212_scaled_scores.cpp", "3");  // a name of which Canvas keeps no letter
    folder.write("mine.zip/scaled_scores.cpp", "4");
    folder.write("815/scaled_scores.cpp", "5");
    const auto found = find_hand_ins(folder.path(), {});
    EXPECT_EQ(format_of(folder.path()), ExportFormat::canvas);
    ASSERT_EQ(students(found), (std::vector<std::string>{"'815'", "815", "816", "817", "mine.zip"}));
    EXPECT_NE(found[0].problem.find("no usable student id"), std::string::npos);
    EXPECT_EQ(read_hand_in(found[1], wanted).at(0).files.at(0).text, "1");
    EXPECT_NE(found[4].note.find("--student-id"), std::string::npos);
}

TEST(HandIns, ANameOnCanvasThatHoldsAnothersNumberTakesNothing) {
    const build::TemporaryFolder folder;
    folder.write("lovelaceada_815_90210_scaled_scores.cpp", "1");
    folder.write("eve_815_90210_902_79_scaled_scores.cpp", "2");
    folder.write("bob_816_90211_2026_11_scaled_scores.cpp", "3");  // Bob's file has numbers in its name
    const auto found = find_hand_ins(folder.path(), {});
    ASSERT_EQ(students(found), (std::vector<std::string>{"815", "816", "eve_815_90210_902_79_scaled_scores.cpp"}));
    EXPECT_TRUE(found[0].problem.empty());
    EXPECT_EQ(read_hand_in(found[0], wanted).at(0).files.at(0).text, "1");
    EXPECT_NE(found[2].note.find("several users"), std::string::npos);
}

TEST(HandIns, GradescopeNamesStudentsAndTimeInItsMetadata) {
    const build::TemporaryFolder folder;
    folder.write("submission_1/scaled_scores.cpp", "1");
    folder.write("submission_2/scaled_scores.cpp", "2");
    folder.write("submission_metadata.yml",
                 "---\nsubmission_1:\n  :submitters:\n  - :name: Ada Lovelace\n    :sid: '0017'\n    :email: a@x.org\n"
                 "  - :name: Ben\n    :sid: '18'\n    :email: b@x.org\n"
                 "  :created_at: 2026-05-01 14:00:00.340428000 +02:00\n  :score: 0.0\n"
                 "submission_2:\n  :submitters:\n  - :name: Carl\n    :sid:\n    :email: c@x.org\n");
    const auto found = find_hand_ins(folder.path(), {});
    EXPECT_EQ(students(found), (std::vector<std::string>{"0017", "18", "c@x.org"}));
    EXPECT_EQ(found[0].submitted, "2026-05-01T12:00:00Z");
}

TEST(HandIns, GradescopesTimesHaveCome) {
    const build::TemporaryFolder folder;
    folder.write("submission_1/scaled_scores.cpp", "1");
    folder.write("submission_metadata.yml",
                 "submission_1:\n  :submitters:\n  - :sid: '17'\n  :created_at: 9026-05-01 14:00:00 +02:00\n");
    EXPECT_THROW(find_hand_ins(folder.path(), {}), std::runtime_error);
}

TEST(HandIns, GradescopesMetadataLeadsNowhereElse) {
    const build::TemporaryFolder folder;
    folder.write("export/submission_metadata.yml", "../secret:\n  :submitters:\n  - :sid: '17'\n");
    folder.write("secret/scaled_scores.cpp", "1");
    EXPECT_THROW(find_hand_ins(folder.path() / "export", {}), std::runtime_error);
}

TEST(HandIns, APatternSaysWhereTheIdIs) {
    const build::TemporaryFolder folder;
    folder.write("headway-2026-anna/scaled_scores.cpp", "1");
    folder.write("notes/scaled_scores.cpp", "2");
    const auto found = find_hand_ins(folder.path(), {"^headway-2026-(.+)$", {{"anna", "2026-05-01T12:00:00Z"}}, {}});
    EXPECT_EQ(students(found), (std::vector<std::string>{"'notes'", "anna"}));
    EXPECT_NE(found[0].problem.find("does not fit its name"), std::string::npos);
    EXPECT_EQ(found[1].submitted, "2026-05-01T12:00:00Z");
    EXPECT_THROW(find_hand_ins(folder.path(), {"(", {}, {}}), std::runtime_error);
}

TEST(HandIns, APatternTakesNothingElseOfWhatAnExportSays) {
    const build::TemporaryFolder canvas, gradescope;
    canvas.write("ada_LATE_815_90210_scaled_scores-1.cpp", "1");
    const auto late = find_hand_ins(canvas.path(), {"^([a-z]+)_", {}, {}});
    EXPECT_EQ(students(late), std::vector<std::string>{"ada"});
    EXPECT_EQ(late[0].note, late_on_canvas);
    EXPECT_EQ(read_hand_in(late[0], wanted).at(0).files.at(0).path, "scaled_scores.cpp");
    gradescope.write("submission_17/scaled_scores.cpp", "1");
    gradescope.write("submission_metadata.yml",
                     "submission_17:\n  :submitters:\n  - :sid: '4711'\n  :created_at: 2026-05-01 14:00:00 +02:00\n");
    const auto timed = find_hand_ins(gradescope.path(), {"_(\\d+)$", {}, {}});
    EXPECT_EQ(students(timed), std::vector<std::string>{"17"});
    EXPECT_EQ(timed[0].submitted, "2026-05-01T12:00:00Z");
}

TEST(HandIns, WhatCannotBeReadSaysWhy) {
    const build::TemporaryFolder folder;
    fs::create_directory(folder.path() / "bare");
    folder.write("empty/readme.txt", "");
    folder.write("beside/main.cpp", "");
    folder.write("beside/work.zip", "");
    folder.write("packed/work.7z", "7z");
    folder.write("seven.7z", "7z");
    folder.write("twice/a/03_scaled_scores/scaled_scores.cpp", "1");
    folder.write("twice/b/03_scaled_scores/scaled_scores.cpp", "2");
    folder.write("torn.zip", "PK\x03\x04 and no more");
    folder.write("unpacked.zip/readme.txt", "a folder that is called like an archive");
    ASSERT_EQ(::mkfifo((folder.path() / "waits.zip").c_str(), 0600), 0);
    fs::create_directory(folder.path() / "linked");
    fs::create_symlink(folder.path() / "twice/a/03_scaled_scores/scaled_scores.cpp",
                       folder.path() / "linked/scaled_scores.cpp");
    const auto found = find_hand_ins(folder.path(), {});
    std::map<std::string, std::string> problems;
    for (const HandIn& hand_in : found) problems[hand_in.student] = problem_of(hand_in);
    const std::map<std::string, std::string> expected = {
        {"bare", "is empty"},
        {"beside", "work.zip was not opened, because there are sources beside it"},
        {"empty", "holds no exercise: neither"},
        {"linked", "scaled_scores.cpp is a link, or no ordinary file"},
        {"packed", "work.7z is an archive of a kind that is not read"},
        {"seven", "hand in a .zip or a .tar.gz"},
        {"torn", "cannot be unpacked"},
        {"twice", "which counts?"},
        {"unpacked", "holds no exercise"},
        {"waits", "no ordinary file"}};
    EXPECT_EQ(problems.size(), expected.size());
    for (const auto& [student, reason] : expected)
        EXPECT_NE(problems[student].find(reason), std::string::npos) << student << ": " << problems[student];
}

TEST(HandIns, ASecondOfTheSameNameNeitherCostsTheFirstAMarkNorGetsIt) {
    const build::TemporaryFolder folder;
    folder.write("anna/scaled_scores.cpp", "1");
    folder.write("anna.zip", "");
    folder.write("ben.tar.gz", "");
    folder.write("ben.zip", "");
    folder.write("carl.zip", "");
    folder.write("carl.zip.zip", "");
    const auto found = find_hand_ins(folder.path(), {});
    ASSERT_EQ(students(found),
              (std::vector<std::string>{"anna", "anna.zip", "ben.tar.gz", "ben.zip", "carl", "carl.zip.zip"}));
    EXPECT_EQ(found[0].problem, "");
    EXPECT_EQ(found[0].note, "2 submissions are called anna; this is anna");
    EXPECT_EQ(read_hand_in(found[0], wanted).at(0).files.at(0).text, "1");
    EXPECT_EQ(found[1].note, "2 submissions are called anna; this is anna.zip");
}

TEST(HandIns, ANameWithItsLettersWrittenInAnotherWayCostsNobodyAMark) {
    const std::string composed = "Jos\u00e9", decomposed = "Jose\u0301";
    const build::TemporaryFolder folder;
    folder.write(composed + "/scaled_scores.cpp", "1");
    folder.write(decomposed + "/scaled_scores.cpp", "2");
    const auto found = find_hand_ins(folder.path(), {});
    ASSERT_EQ(found.size(), 2U);
    for (const HandIn& one : found)
        if (one.student == composed) {
            EXPECT_EQ(one.problem, "");
            EXPECT_EQ(read_hand_in(one, wanted).at(0).files.at(0).text, "1");
        } else {
            EXPECT_NE(one.problem.find("nobody knows whose it is"), std::string::npos) << one.problem;
        }
}

TEST(HandIns, APipeIsNoHandIn) {
    const build::TemporaryFolder folder;
    folder.write("anna/scaled_scores.cpp", "1");
    ASSERT_EQ(::mkfifo((folder.path() / "mallory.cpp").c_str(), 0600), 0);
    const auto found = find_hand_ins(folder.path(), {});
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].problem, "");
    EXPECT_EQ(found[1].problem, "is no ordinary file and no folder");
}

TEST(HandIns, ASecondOfOneParticipantIsNotGuessedAt) {
    const build::TemporaryFolder folder;
    folder.write("headway-anna-1.zip", "");
    folder.write("headway-anna-2.zip", "");
    EXPECT_NE(find_hand_ins(folder.path(), {"^headway-([a-z]+)", {}, {}}).at(0).problem.find("second submission"),
              std::string::npos);
}

TEST(HandIns, SomebodyMaySayWhatTheFolderIs) {
    const build::TemporaryFolder folder;
    folder.write("lovelaceada_815_90210_scaled_scores.cpp", "1");
    folder.write("mine/scaled_scores.cpp", "2");
    folder.write("yours/scaled_scores.cpp", "3");
    EXPECT_EQ(format_of(folder.path()), ExportFormat::plain);
    EXPECT_EQ(students(find_hand_ins(folder.path(), {"", {}, format_called("canvas")})),
              (std::vector<std::string>{"815", "mine", "yours"}));
    EXPECT_THROW(find_hand_ins(folder.path(), {"", {}, ExportFormat::gradescope}), std::runtime_error);
}

TEST(HandIns, AnOnlineTextNeverStandsInTheWayOfFiles) {
    const build::TemporaryFolder folder;
    folder.write("Ada_4711_assignsubmission_onlinetext_/onlinetext.html", "<p>see my file</p>");
    folder.write("Ada_4711_assignsubmission_file_/scaled_scores.cpp", "1");
    const auto found = find_hand_ins(folder.path(), {});
    ASSERT_EQ(students(found), (std::vector<std::string>{"4711"}));
    EXPECT_EQ(found[0].problem, "");
    EXPECT_EQ(found[0].note, "handed in an online text too, which is not graded");
    EXPECT_EQ(read_hand_in(found[0], wanted).at(0).files.at(0).text, "1");
}

TEST(HandIns, ASingleFileBringsTheHeadersBesideIt) {
    const build::TemporaryFolder folder;
    folder.write("anna/hw1/scaled_scores.cpp", "1");
    folder.write("anna/hw1/mine.hpp", "2");
    folder.write("anna/hw1/scaled_scores.hpp", "the course's own goes before it");
    folder.write("anna/other/far.hpp", "3");
    const auto files = read_hand_in(find_hand_ins(folder.path(), {}).at(0), wanted).at(0).files;
    ASSERT_EQ(files.size(), 2U);
    EXPECT_EQ(files[0].path, "mine.hpp");
    EXPECT_EQ(files[1].path, "scaled_scores.cpp");
}

TEST(HandIns, TimesAreListedById) {
    const build::TemporaryFolder folder;
    folder.write("Jane Doe/scaled_scores.cpp", "1");
    EXPECT_EQ(find_hand_ins(folder.path(), {"", {{"Jane~Doe", "2026-05-01T12:00:00Z"}}, {}}).at(0).submitted,
              "2026-05-01T12:00:00Z");
}

/// Whichever of the two the student has chosen, the own name or the file's.
TEST(HandIns, NoNameMakesAnybodyAnotherParticipant) {
    for (const std::string name : {"Mallory_99_assignsubmission_file_x_4711_assignsubmission_file_scaled_scores.cpp",
                                   "Eve_4712_assignsubmission_file__4713_assignsubmission_file_",
                                   "_4712_assignsubmission_onlinetext_4713_assignsubmission_file"}) {
        const auto read = moodle_name(name);
        ASSERT_TRUE(read) << name;
        EXPECT_EQ(read->student, name);
        EXPECT_NE(read->note, "");
    }
}

TEST(HandIns, AMoodleNameThatFitsTwiceHasARowAndTouchesNobodyElses) {
    const std::string eve = "Eve_4712_assignsubmission_file__4713_assignsubmission_file";
    const build::TemporaryFolder folder;
    folder.write("Bob_4712_assignsubmission_file/scaled_scores.cpp", "bob's");
    folder.write(eve + "/scaled_scores.cpp", "eve's");
    const auto found = find_hand_ins(folder.path(), {});
    ASSERT_EQ(students(found), (std::vector<std::string>{"4712", eve}));
    EXPECT_EQ(found[0].problem + found[0].note, "");
    EXPECT_EQ(read_hand_in(found[0], wanted).at(0).files.at(0).text, "bob's");
    EXPECT_EQ(found[1].problem, "");
    EXPECT_NE(found[1].note.find("names several participants"), std::string::npos);
    EXPECT_EQ(read_hand_in(found[1], wanted).at(0).files.at(0).text, "eve's");
    EXPECT_EQ(students(find_hand_ins(folder.path(), {"_(\\d+)_assignsubmission_file$", {}, {}})),
              (std::vector<std::string>{"4712", "4713"}));
}

TEST(HandIns, NamesThatBeginWithADotAreLeftOutAndSaid) {
    const build::TemporaryFolder folder;
    folder.write("anna/scaled_scores.cpp", "1");
    folder.write(".hidden/scaled_scores.cpp", "2");
    folder.write(".DS_Store", "");
    EXPECT_EQ(students(find_hand_ins(folder.path(), {})), (std::vector<std::string>{"anna"}));
    EXPECT_EQ(left_out(folder.path(), {}), (std::vector<std::string>{".DS_Store", ".hidden"}));
}

TEST(HandIns, AParticipantWhoseNameBeginsWithADotHasARow) {
    const build::TemporaryFolder folder;
    folder.write(".Eve_4713_assignsubmission_file/scaled_scores.cpp", "1");
    EXPECT_EQ(students(find_hand_ins(folder.path(), {})), (std::vector<std::string>{"4713"}));
    EXPECT_TRUE(left_out(folder.path(), {}).empty());
}

}  // namespace
}  // namespace headway::intake
