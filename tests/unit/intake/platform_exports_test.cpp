// Exports as platforms, browsers and file managers really write them, each with the ids and exercises that are in it.
#include "intake/hand_in.hpp"

#include "intake/written_archive.hpp"
#include "temporary_folder.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>

namespace headway::intake {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

/// One export. A '!' in a file's path stands between an archive and what is in it; text is the file's path.
struct Export {
    const char* name;
    Lines files;
    ExportFormat format;
    /// By id: the numbers of the exercises ("03 04"), or how the reason begins why there are none.
    std::map<std::string, std::string> students;
    Lines left_out = {};
    const char* metadata = "";  ///< Gradescope's
    const char* pattern = "";   ///< --student-id

    Naming naming() const { return {pattern, {}, {}}; }
};

void PrintTo(const Export& one, std::ostream* stream) { *stream << one.name; }

const std::string ada = "Ada Lovelace_4711_assignsubmission_";
const std::string cp437 = "J\x81rgen/";  // Jürgen, as zips of older Windows have it

const std::vector<Export> exports = {
    {"Moodle",
     {ada + "file_/scaled_scores.cpp", ada + "onlinetext_/onlinetext.html",
      "Émile du Châtelet_4712_assignsubmission_file_/abgabe.zip!exercises/04_merge_heads/merge_heads.cpp",
      "Noether, Emmy_4713_assignsubmission_onlinetext_/onlinetext.html", "Bewertungen-Kurs 1-Übung 3.csv"},
     ExportFormat::moodle,
     {{"4711", "03"}, {"4712", "04"}, {"4713", "holds no exercise"}},
     {"Bewertungen-Kurs 1-Übung 3.csv"}},
    {"MoodleWithoutFolders",
     {ada + "file_scaled_scores.cpp", ada + "file_merge_heads.cpp",
      "Ben Bitdiddle_4714_assignsubmission_file_hw1.tar.gz!hw1/exercises/03_scaled_scores/scaled_scores.cpp"},
     ExportFormat::moodle,
     {{"4711", "03 04"}, {"4714", "03"}}},
    {"Canvas",
     {"lovelaceada_LATE_815_90210_scaled_scores-1.cpp", "lovelaceada_LATE_815_90211_merge_heads.cpp",
      "bitdiddleben_816_90212_headway-submission-2.zip!03_scaled_scores/scaled_scores.cpp",
      "hopper_817_90213_report.pdf", "grades.csv"},
     ExportFormat::canvas,
     {{"815", "03 04"}, {"816", "03"}, {"817", "holds no exercise"}},
     {"grades.csv"}},
    {"CanvasWithAnArchiveAmongFiles",
     {"ada_815_90210_report.pdf", "ada_815_90211_work.zip!exercises/03_scaled_scores/scaled_scores.cpp",
      "ben_816_90212_a.zip!03_scaled_scores/scaled_scores.cpp", "ben_816_90213_b.tar.gz!hw/merge_heads.cpp",
      "carl_817_90214_one.zip!03_scaled_scores/scaled_scores.cpp",
      "carl_817_90215_two.zip!hw2/exercises/03_scaled_scores/scaled_scores.cpp", "dora_818_90216_scaled_scores.cpp",
      "dora_818_90217_rest.zip!merge_heads.cpp", "eve_819_90218_scaled_scores.cpp",
      "eve_819_90219_work.zip!03_scaled_scores/scaled_scores.cpp", "fay_820_90220_work.zip!scaled_scores.cpp",
      "fay_820_90221_work-1.zip!merge_heads.cpp"},
     ExportFormat::canvas,
     {{"815", "03"},
      {"816", "03 04"},
      {"817", "holds both 03_scaled_scores in one.zip and 03_scaled_scores in two.zip; which counts?"},
      {"818", "03 04"},
      {"819", "holds both 03_scaled_scores in work.zip and 03_scaled_scores in a single file; which counts?"},
      {"820", "03 04"}}},
    {"MoodleWithoutFoldersWithAnArchiveAmongFiles",
     {ada + "file_report.pdf", ada + "file_work.zip!03_scaled_scores/scaled_scores.cpp", ada + "file_merge_heads.cpp"},
     ExportFormat::moodle,
     {{"4711", "03 04"}}},
    {"CanvasWithItsMadeUpStudent",
     {"lovelaceada_815_90210_scaled_scores.cpp", "studenttest_999_90214_scaled_scores.cpp",
      "studenttest_LATE_999_90215_merge_heads.cpp", "testson_818_90216_scaled_scores.cpp"},
     ExportFormat::canvas,
     {{"815", "03"}, {"818", "03"}}},
    {"CanvasOfOneAndAStray",
     {"lovelaceada_815_90210_scaled_scores.cpp", "grades.csv"},
     ExportFormat::canvas,
     {{"815", "03"}},
     {"grades.csv"}},
    {"Gradescope",
     {"submission_1/scaled_scores.cpp", "submission_2/hw1/03_scaled_scores/scaled_scores.cpp", "submission_3/x.7z",
      "submission_4/merge_heads.cpp"},
     ExportFormat::gradescope,
     {{"0017", "03"},
      {"b@x.org", "03"},
      {"c@x.org", "03"},
      {"d@x.org", "holds no exercise: x.7z"},
      {"submission_4", "04"}},
     {},
     "submission_1:\n  :submitters:\n  - :name: Ada\n    :sid: '0017'\n    :email: a@x.org\n"
     "submission_2:\n  :submitters:\n  - :name: Ben\n    :email: b@x.org\n  - :name: Carl\n    :sid:\n"
     "    :email: c@x.org\n"
     "submission_3:\n  :submitters:\n  - :name: Dora\n    :sid: ''\n    :email: d@x.org\n"
     "submission_4:\n  :submitters:\n  - :name: Eve\n  - :name: Fay\n"},
    {"MoodleUnderAPattern",
     {ada + "file_/scaled_scores.cpp", ada + "onlinetext_/onlinetext.html",
      "Ben Bitdiddle_4714_assignsubmission_file_merge_heads.cpp"},
     ExportFormat::moodle,
     {{"Ada", "03"}, {"Ben", "04"}},
     {},
     "",
     "^(\\w+) "},
    {"CanvasUnderAPattern",
     {"ada_LATE_815_90210_scaled_scores-1.cpp", "ada_LATE_815_90211_merge_heads.cpp",
      "ben_816_90212_work-2.zip!03_scaled_scores/scaled_scores.cpp", "studenttest_999_90214_scaled_scores.cpp"},
     ExportFormat::canvas,
     {{"ada", "03 04"}, {"ben", "03"}},
     {},
     "",
     "^([a-z]+)_"},
    {"FoldersCalledByNames",
     {"Jane Doe/03_scaled_scores/scaled_scores.cpp", "Jürgen/scaled_scores (1).cpp", "王小明/Scaled_Scores.cc",
      "Doe, Jane/merge-heads.cpp", "readme.txt", "Thumbs.db"},
     ExportFormat::plain,
     {{"Jane~Doe", "03"}, {"Jürgen", "03"}, {"王小明", "03"}, {"Doe=2C~Jane", "04"}},
     {"Thumbs.db", "readme.txt"}},
    {"ZipsOfMacOs",
     {"anna.zip!anna/03_scaled_scores/scaled_scores.cpp", "anna.zip!__MACOSX/anna/03_scaled_scores/._scaled_scores.cpp",
      "anna.zip!anna/.DS_Store", "anna.zip!anna/Icon\r", "ben.ZIP!Übung 1/merge_heads copy 2.cpp"},
     ExportFormat::plain,
     {{"anna", "03"}, {"ben", "04"}}},
    {"ZipsOfWindows",
     {"anna.zip!hw1\\exercises\\03_scaled_scores\\scaled_scores.cpp", "ben.zip!" + cp437 + "L\x94sung.docx",
      "ben.zip!" + cp437 + "SCALED_SCORES.CPP", "carl/hw1\\04_merge_heads\\merge_heads.cpp"},
     ExportFormat::plain,
     {{"anna", "03"}, {"ben", "03"}, {"carl", "04"}}},
    {"WhateverIsInTheWay",
     {"anna/hw1/exercises/03_scaled_scores/scaled_scores.cpp", "anna/old/03_scaled_scores/scaled_scores.cpp",
      "ben/abgabe.zip!hw1.tar.gz", "carl/scaled_scores.cpp", "carl/scaled_scores (1).cpp", "dora.7z", "eve.rar",
      "fay/03_scaled_scores/scaled_scores.cpp", "fay/03_scaled_scores/scaled_scores (2).cpp",
      "gus/04_merge_heads/scaled_scores.cpp"},
     ExportFormat::plain,
     {{"anna", "03"},
      {"ben", "abgabe.zip/hw1.tar.gz cannot be unpacked"},
      {"carl", "holds both scaled_scores (1).cpp and scaled_scores.cpp; which counts?"},
      {"dora", "holds no exercise: dora.7z is an archive of a kind that is not read; hand in a .zip or a .tar.gz"},
      {"eve", "holds no exercise: eve.rar"},
      {"fay", "holds both 03_scaled_scores/scaled_scores.cpp and 03_scaled_scores/scaled_scores (2).cpp"},
      {"gus", "04"}}},
};

class Exports : public testing::TestWithParam<Export> {
protected:
    Exports() {
        std::map<std::string, std::unique_ptr<Archive>> archives;
        for (const std::string& file : GetParam().files) {
            const auto mark = file.find('!');
            if (mark == std::string::npos) {
                folder_.write(file, file);
                continue;
            }
            const std::string archive = file.substr(0, mark);
            const bool is_zip = !archive.ends_with(".tar.gz");
            const bool is_utf8 = file.find(cp437) == std::string::npos;
            fs::create_directories((folder_.path() / archive).parent_path());
            auto& writer = archives[archive];
            if (!writer)
                writer = std::make_unique<Archive>(folder_.path() / archive, is_zip ? Kind::zip : Kind::tar,
                                                   is_utf8 ? Names::utf8 : Names::bytes);
            writer->add(file.substr(mark + 1), file);
        }
        if (*GetParam().metadata != '\0') folder_.write("submission_metadata.yml", GetParam().metadata);
    }

    static std::string found_in(const HandIn& hand_in) {
        static const std::string exercises = std::string(HEADWAY_SOURCE_DIR) + "/exercises/";
        std::string numbers;
        try {
            for (const build::Submission& one :
                 read_hand_in(hand_in, {{"03_scaled_scores", exercises + "03_scaled_scores"},
                                        {"04_merge_heads", exercises + "04_merge_heads"}}))
                numbers += (numbers.empty() ? "" : " ") + one.exercise.substr(0, 2);
        } catch (const Malformed& error) {
            return error.what();
        }
        return numbers;
    }

    build::TemporaryFolder folder_;
};

TEST_P(Exports, AreReadAsWhatTheyAre) {
    EXPECT_EQ(to_string(format_of(folder_.path())), to_string(GetParam().format));
    std::map<std::string, std::string> found;
    for (const HandIn& hand_in : find_hand_ins(folder_.path(), GetParam().naming()))
        found[hand_in.student] = found_in(hand_in);
    for (const auto& [student, expected] : GetParam().students)
        EXPECT_TRUE(found[student].starts_with(expected)) << student << ": " << found[student];
    EXPECT_EQ(found.size(), GetParam().students.size());
    EXPECT_EQ(left_out(folder_.path(), GetParam().naming()), GetParam().left_out);
}

TEST(CanvasExport, SaysWhatItsMadeUpStudentHandedIn) {
    const build::TemporaryFolder folder;
    folder.write("lovelaceada_815_90210_scaled_scores.cpp", "");
    folder.write("studenttest_999_90214_scaled_scores.cpp", "");
    EXPECT_EQ(of_test_student(folder.path(), {}), Lines{"studenttest_999_90214_scaled_scores.cpp"});
    EXPECT_TRUE(of_test_student(folder.path(), {"", {}, ExportFormat::plain}).empty());
}

INSTANTIATE_TEST_SUITE_P(Platforms, Exports, testing::ValuesIn(exports),
                         [](const auto& exported) { return exported.param.name; });

}  // namespace
}  // namespace headway::intake
