// Pages on their way back: where platforms look for them, and what becomes of old ones.
#include "classroom/feedback_names.hpp"
#include "classroom/page_folder.hpp"
#include "classroom/zip_file.hpp"

#include "intake/names_in_utf8.hpp"
#include "submission/digest.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>

#include <archive.h>
#include <archive_entry.h>

#include <fstream>
#include <memory>

namespace headway::classroom {
namespace {

namespace fs = std::filesystem;

/// As Moodle splits the folder's name: the second part is the participant, the third and fourth the plugin.
TEST(FeedbackNames, MoodlesFolderIsTheOneThatTheHandInCameIn) {
    const auto name = [](const char* entry) { return moodle_feedback_name({entry}, ""); };
    EXPECT_EQ(name("Ada Lovelace_4711_assignsubmission_file_"),
              "Ada Lovelace_4711_assignsubmission_file_/feedback.html");
    EXPECT_EQ(name("Ada Lovelace_4711_assignsubmission_file"), "Ada Lovelace_4711_assignsubmission_file/feedback.html");
    EXPECT_EQ(name("Jürgen_4711_assignsubmission_onlinetext_onlinetext.html"),
              "Jürgen_4711_assignsubmission_onlinetext_/feedback.html");
    EXPECT_EQ(name("Ada_Love_4711_assignsubmission_file_a_b.zip"),
              "Ada Love_4711_assignsubmission_file_/feedback.html");
    EXPECT_EQ(moodle_feedback_name({"anna.zip"}, "4711"), "Participant_4711_assignsubmission_file_/feedback.html");
    EXPECT_EQ(moodle_feedback_name({"anna.zip"}, "anna"), std::nullopt);
    EXPECT_EQ(name("A:B_4711_assignsubmission_file_"), "Participant_4711_assignsubmission_file_/feedback.html");
}

TEST(FeedbackNames, CanvassFileHasTheNameThatWasDownloaded) {
    const auto name = [](const char* entry) { return canvas_feedback_name({"anna", entry}); };
    EXPECT_EQ(name("adalovelace_815_90210_exercises.zip"), "adalovelace_815_90210_exercises.html");
    EXPECT_EQ(name("adalovelace_LATE_815_90210_exercises-1.tar.gz"), "adalovelace_LATE_815_90210_exercises-1.html");
    EXPECT_EQ(name("adalovelace_815_90210_merge_heads.cpp"), "adalovelace_815_90210_merge_heads.html");
    EXPECT_EQ(canvas_feedback_name({"anna.zip"}), std::nullopt);
    EXPECT_EQ(name("adalovelace_LATE_815_90210_a\\..\\b.cpp"), "student_815_90210_feedback.html");
}

std::map<std::string, std::string> content_of(const fs::path& zip) {
    std::map<std::string, std::string> content;
    const intake::NamesInUtf8 locale;
    const std::unique_ptr<archive, decltype(&archive_read_free)> reader(archive_read_new(), archive_read_free);
    archive_read_support_format_zip(reader.get());
    if (archive_read_open_filename(reader.get(), zip.c_str(), 4096) != ARCHIVE_OK) return content;
    archive_entry* entry = nullptr;
    while (archive_read_next_header(reader.get(), &entry) == ARCHIVE_OK) {
        std::string text(64, '\0');
        const auto size = archive_read_data(reader.get(), text.data(), text.size());
        text.resize(static_cast<std::size_t>(std::max<la_ssize_t>(size, 0)));
        content[archive_entry_pathname_utf8(entry)] = text;
    }
    return content;
}

TEST(ZipFile, HoldsNamesInAnyScriptWhateverTheLocale) {
    const build::TemporaryFolder folder;
    ZipFile zip(folder.path() / "a.zip");
    zip.add("Jürgen 李_1_assignsubmission_file_/feedback.html", "one");
    zip.add("b.html", "two");
    EXPECT_FALSE(fs::exists(folder.path() / "a.zip")) << "before it is whole";
    zip.finish();
    EXPECT_EQ(content_of(folder.path() / "a.zip"),
              (std::map<std::string, std::string>{{"Jürgen 李_1_assignsubmission_file_/feedback.html", "one"},
                                                  {"b.html", "two"}}));
}

TEST(ZipFile, TakesOnlyHarmlessNamesAndBoundedTexts) {
    const build::TemporaryFolder folder;
    {
        ZipFile zip(folder.path() / "a.zip");
        for (const char* name :
             {"", "/etc/x", "../x", "a/../x", "a//x", "a\\x", "C:x", "a\nx", "a\u202ex", ".x", "x. "})
            EXPECT_THROW(zip.add(name, ""), std::runtime_error) << name;
        EXPECT_THROW(zip.add(std::string(201, 'x'), ""), std::runtime_error);
        EXPECT_THROW(zip.add("big", std::string(ZipFile::most_bytes + 1, 'x')), std::runtime_error);
        zip.add("x", "");
        EXPECT_THROW(zip.add("x", ""), std::runtime_error) << "twice";
    }
    EXPECT_TRUE(fs::is_empty(folder.path())) << "one that was not finished leaves nothing";
    EXPECT_THROW(ZipFile(folder.path() / "nowhere" / "a.zip"), std::runtime_error);
}

TEST(PageFolder, RemovesWhatItWroteBeforeAndNothingElse) {
    const build::TemporaryFolder folder;
    const fs::path pages = folder.path() / "pages";
    for (const std::string student : {"anna.html", "ben.html"}) {
        const PageFolder now(pages, {"eve.html", student});
        now.write(student, student);
        now.write("eve.html", "eve");
        if (student == "anna.html") {
            build::write_file(pages / "mine.html", "an instructor's own");
            build::write_file(folder.path() / "outside.html", "not in the folder");
            std::ofstream(pages / PageFolder::list, std::ios::app) << "../outside.html\nmine.html/\n\n..\n";
        }
        EXPECT_EQ(now.finish(), student == "ben.html" ? 1U : 0U);
    }
    EXPECT_FALSE(fs::exists(pages / "anna.html"));
    for (const char* stays : {"ben.html", "eve.html", "mine.html", "../outside.html"})
        EXPECT_TRUE(fs::exists(pages / stays)) << stays;
    EXPECT_EQ(fs::status(pages).permissions(), fs::perms::owner_all);
}

TEST(PageFolder, RemovesAStudentsOwnFolderWithItsFile) {
    const build::TemporaryFolder folder;
    const fs::path pages = folder.path() / "pages";
    const std::set<std::string> all = {"anna/results.json", "ben/results.json", "eve/results.json"};
    const PageFolder first(pages, all);
    for (const std::string& name : all) first.write(name, "{}");
    EXPECT_EQ(first.finish(), 0U);
    EXPECT_EQ(fs::status(pages / "anna").permissions(), fs::perms::owner_all);
    build::write_file(pages / "ben/mine.txt", "an instructor's own");
    folder.write("elsewhere/results.json", "{}");
    fs::create_directory_symlink(folder.path() / "elsewhere", pages / "link");
    std::ofstream(pages / PageFolder::list, std::ios::app) << "link/results.json\nanna/../eve/results.json\n/\na/\n";
    EXPECT_EQ(PageFolder(pages, {"eve/results.json"}).finish(), 2U);
    EXPECT_FALSE(fs::exists(pages / "anna"));
    EXPECT_FALSE(fs::exists(pages / "ben/results.json"));
    for (const char* stays : {"ben/mine.txt", "eve/results.json", "../elsewhere/results.json"})
        EXPECT_TRUE(fs::exists(pages / stays)) << stays;
}

}  // namespace
}  // namespace headway::classroom
