#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "submission/digest.hpp"

namespace {

namespace fs = std::filesystem;
using headway::build::read_file;

const fs::path course = HEADWAY_SOURCE_DIR;

struct Room {
    std::string name;
    std::set<std::string> includes;
};

/// The house, from the ground up: a room includes what stands above it in this list, and of that only what its line
/// names. A new arrow is added here, where one sees what it costs.
const std::vector<Room>& house() {
    static const std::vector<Room> rooms = {
        {"verdict", {}},
        {"wire", {}},
        {"sandbox", {}},
        {"reference", {}},
        {"submission", {"verdict"}},
        {"terminal", {"verdict"}},
        {"worker", {"wire"}},
        {"build", {"sandbox", "submission", "verdict"}},
        {"student", {"reference", "sandbox", "verdict", "wire"}},
        {"diagnosis", {"reference", "student", "verdict"}},
        {"report", {"terminal", "verdict"}},
        {"grading", {"build", "sandbox", "submission", "verdict"}},
        {"intake", {"submission", "verdict"}},
        {"gradebook", {"intake", "submission", "verdict"}},
        {"suites", {"build", "diagnosis", "reference", "student", "submission", "wire", "worker"}},
        {"judge", {"diagnosis", "sandbox", "student", "wire"}},
        {"classroom", {"gradebook", "grading", "intake", "report", "sandbox", "submission", "terminal", "verdict"}},
        {"verify", {"grading", "sandbox", "submission", "verdict"}},
        {"cli",
         {"build", "gradebook", "grading", "intake", "report", "sandbox", "submission", "terminal", "verdict", "wire"}},
        {"instructor",
         {"classroom", "cli", "gradebook", "grading", "intake", "report", "sandbox", "submission", "terminal",
          "verdict", "verify"}},
        {"labs", {"report", "terminal"}},
    };
    return rooms;
}

bool is_source(const fs::path& file) { return file.extension() == ".cpp" || file.extension() == ".hpp"; }

std::vector<fs::path> sources(const fs::path& folder) {
    std::vector<fs::path> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file() && is_source(entry.path())) found.push_back(entry.path());
    std::ranges::sort(found);
    return found;
}

std::vector<std::string> quoted_includes(const fs::path& file) {
    static const std::regex include(R"re(#\s*include\s+"([^"]+)")re");
    const std::string text = read_file(file);
    std::vector<std::string> found;
    for (std::sregex_iterator match(text.begin(), text.end(), include), end; match != end; ++match)
        found.push_back((*match)[1]);
    return found;
}

fs::path folder_of(const std::string& room) { return room == "labs" ? course / room : course / "grader" / room; }

TEST(Rooms, EveryFolderOfTheGraderIsARoom) {
    std::set<std::string> listed;
    for (const Room& room : house()) listed.insert(room.name);
    for (const auto& entry : fs::directory_iterator(course / "grader")) {
        if (!entry.is_directory()) continue;
        EXPECT_TRUE(listed.contains(entry.path().filename())) << entry.path();
        EXPECT_TRUE(fs::is_regular_file(entry.path() / "README.md")) << entry.path() << " says nowhere what it is for";
    }
}

TEST(Rooms, IncludeOnlyWhatStandsBelowThem) {
    std::set<std::string> below;
    for (const Room& room : house()) {
        EXPECT_TRUE(std::ranges::includes(below, room.includes)) << room.name << " names a room that comes after it";
        below.insert(room.name);
    }
}

TEST(Rooms, IncludeWhatTheListAllows) {
    for (const Room& room : house()) {
        std::set<std::string> included;
        for (const fs::path& file : sources(folder_of(room.name))) {
            for (const std::string& include : quoted_includes(file)) {
                const std::string first = include.substr(0, include.find('/'));
                const bool is_room = std::ranges::find(house(), first, &Room::name) != house().end();
                if (!is_room || first == room.name) continue;
                included.insert(first);
                EXPECT_TRUE(room.includes.contains(first)) << file << " includes " << include;
            }
        }
        EXPECT_EQ(included, room.includes) << room.name << ": an arrow that nothing needs any more";
    }
}

/// One style: from the root of the grader (of the labs: of the course), so that a file's move shows where it is used.
TEST(Rooms, IncludesAreRooted) {
    for (const Room& room : house()) {
        for (const fs::path& file : sources(folder_of(room.name))) {
            if (file.filename() == "prelude_eigen.hpp") continue;  // it is compiled elsewhere, beside what it includes
            for (const std::string& include : quoted_includes(file)) {
                EXPECT_FALSE(include.starts_with("..")) << file << " includes " << include;
                EXPECT_FALSE(fs::exists(file.parent_path() / include)) << file << " includes " << include;
            }
        }
    }
}

std::vector<std::string> lines_of(const fs::path& document) {
    std::vector<std::string> lines;
    std::istringstream text(read_file(document));
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
}

struct Searches {
    int count = 0;
    const char* why;
};

/// std::regex recurses once a character, and overflows the stack in a long text. What a submission, or its compiler,
/// may have written is searched by build/bounded_search.hpp. Here is what is searched elsewhere, how often, and why
/// that may be: a new search needs its reason, too.
const std::map<std::string, Searches>& other_searches() {
    static const std::map<std::string, Searches> searches = {
        {"build/bounded_search.cpp", {1, "600 bytes"}},
        {"intake/entry_name.cpp", {5, "names of at most 255 bytes"}},
        {"intake/exercise_names.cpp", {3, "names of at most 255 bytes"}},
        {"intake/hand_in.cpp", {1, "names of at most 255 bytes"}},
        {"intake/moodle_time.cpp", {6, "times of at most 80 bytes"}},
        {"intake/utc.cpp", {1, "times of at most 64 bytes"}},
        {"report/diagram.cpp", {3, "the course's own lessons"}},
        {"report/lesson_page.cpp", {2, "the course's own lessons"}},
        {"student/sanitizer_report.cpp", {6, "lines cut to 400 bytes"}},
        {"student/what_to_change.cpp", {1, "messages of at most 600 bytes"}},
        {"suites/06_catch_the_bug/changes.cpp", {1, "words cut to 400 bytes, when they are received"}},
        {"suites/06_catch_the_bug/test_words.cpp", {4, "words cut to 400 bytes, when they are received"}},
        {"verify/asked.cpp", {2, "the course's own headers and tests"}},
    };
    return searches;
}

TEST(Rooms, RegularExpressionsSearchBoundedText) {
    static const std::regex search("regex_(?:search|match|replace)|[csw]regex_(?:token_)?iterator|regex_iterator<");
    std::set<std::string> found;
    for (const fs::path& file : sources(course / "grader")) {
        int count = 0;
        for (const std::string& line : lines_of(file))
            count += static_cast<int>(
                std::distance(std::sregex_iterator(line.begin(), line.end(), search), std::sregex_iterator()));
        if (count == 0) continue;
        const std::string name = file.lexically_relative(course / "grader").generic_string();
        found.insert(name);
        const auto listed = other_searches().find(name);
        EXPECT_EQ(count, listed == other_searches().end() ? 0 : listed->second.count)
            << name << ": search what strangers wrote by found_in, or say above why its text is short";
    }
    for (const auto& [name, searches] : other_searches())
        EXPECT_TRUE(found.contains(name)) << name << " searches no more: " << searches.why;
}

/// Pages for engineers and instructors. CHANGELOG.md tells what was, and site/ and lessons/ have tests of their own.
std::vector<fs::path> documents() {
    std::vector<fs::path> found = {course / "README.md", course / "CONTRIBUTING.md", course / "SECURITY.md",
                                   course / "tests/fuzz/README.md", course / "tests/hostile/README.md"};
    for (const fs::path& folder : {course / "docs", course / "grader", course / "classroom"})
        for (const auto& entry : fs::recursive_directory_iterator(folder))
            if (entry.path().extension() == ".md") found.push_back(entry.path());
    return found;
}

/// The files that a line names, from the root of the course, the grader or the labs: `cli/main.cpp`. Where NN, NAME,
/// KEY, name or exercise 11 is part of it, it stands for others. PROOF.md is built.
std::vector<std::string> files_named(const std::string& line) {
    static const std::regex named(
        R"((^|[ `(])((?:[A-Za-z0-9_.-]+/)+[A-Za-z0-9_.-]+\.(?:cpp|hpp|md|sh|toml|ts|tsv|py|json|fbs|cmake|txt))\b)");
    static const std::regex stands_for_others("(^|/|_|-)(NN|NAME|KEY|name|11)(_|-|/|\\.)|^build/PROOF.md");
    std::vector<std::string> found;
    for (std::sregex_iterator match(line.begin(), line.end(), named), end; match != end; ++match)
        if (const std::string file = (*match)[2]; !std::regex_search(file, stands_for_others)) found.push_back(file);
    return found;
}

/// Empty if there is none.
fs::path find_file(const std::string& name, const fs::path& document) {
    for (const fs::path& folder : {course, course / "grader", course / "labs", document.parent_path()})
        if (fs::exists(folder / name)) return folder / name;
    return {};
}

TEST(Rooms, DocumentsNameFilesThatExist) {
    for (const fs::path& document : documents())
        for (const std::string& line : lines_of(document))
            for (const std::string& file : files_named(line))
                EXPECT_FALSE(find_file(file, document).empty()) << document << " names " << file;
}

/// What a room's README calls `file.cpp` is in that room.
TEST(Rooms, ReadmesNameTheirOwnFiles) {
    static const std::regex named("`([a-z_]+\\.(?:cpp|hpp|fbs))`");
    for (const Room& room : house()) {
        if (room.name == "labs") continue;
        std::set<std::string> own;
        for (const auto& entry : fs::recursive_directory_iterator(folder_of(room.name)))
            own.insert(entry.path().filename());
        const std::string text = read_file(folder_of(room.name) / "README.md");
        for (std::sregex_iterator match(text.begin(), text.end(), named), end; match != end; ++match)
            EXPECT_TRUE(own.contains((*match)[1])) << room.name << "/README.md names " << (*match)[1];
    }
}

/// In docs/, a function() that stands beside one file is in it.
TEST(Rooms, DocumentsNameFunctionsThatExist) {
    static const std::regex function(R"(([A-Za-z_]+)\()");
    int compared = 0;
    for (const auto& entry : fs::recursive_directory_iterator(course / "docs")) {
        if (!entry.is_regular_file()) continue;
        for (const std::string& line : lines_of(entry.path())) {
            const std::vector<std::string> files = files_named(line);
            if (files.size() != 1 || find_file(files.front(), entry.path()).extension() == ".md") continue;
            const std::string source = read_file(find_file(files.front(), entry.path()));
            for (std::sregex_iterator match(line.begin(), line.end(), function), end; match != end; ++match) {
                EXPECT_NE(source.find((*match)[1].str() + "("), std::string::npos) << entry.path() << ": " << line;
                ++compared;
            }
        }
    }
    EXPECT_GT(compared, 40);
}

/// Whether the definition of a function begins in a source: the type of its result stands before its name, and no
/// statement does.
bool defines(const fs::path& source, const std::string& function) {
    const std::regex beginning(R"(\s*(?! |return |throw |else |new )[\w:<>&*,\[\] ]*[\w>&*] (?:\w+::)*)" + function +
                               R"(\((?:.*[^;])?)");
    return std::ranges::any_of(lines_of(source),
                               [&](const std::string& line) { return std::regex_match(line, beginning); });
}

/// SECURITY.md names functions right after their file: `wire/decode.cpp` `decode_reply`.
TEST(Rooms, SecurityNamesFunctionsWhereTheyAreDefined) {
    static const std::regex named("`([a-z0-9_/]+\\.cpp)`((?:,? `[A-Za-z_:]+`)+)");
    static const std::regex last_name("([A-Za-z_]+)`");
    const fs::path document = course / "SECURITY.md";
    int compared = 0;
    for (const std::string& line : lines_of(document)) {
        for (std::sregex_iterator match(line.begin(), line.end(), named), end; match != end; ++match) {
            const fs::path source = find_file((*match)[1], document);
            if (source.empty()) continue;  // DocumentsNameFilesThatExist says so
            const std::string functions = (*match)[2];
            for (std::sregex_iterator name(functions.begin(), functions.end(), last_name); name != end; ++name) {
                EXPECT_TRUE(defines(source, (*name)[1])) << source << " does not define " << (*name)[1];
                ++compared;
            }
        }
    }
    EXPECT_GT(compared, 25);
}

/// As ctest calls them: room.Suite.Name.
std::set<std::string> names_of_tests() {
    static const std::regex test(R"(TEST(?:_F|_P)?\((\w+), (\w+)\).*)");
    std::set<std::string> names;
    for (const char* folder : {"tests/unit", "tests/end_to_end"})
        for (const fs::path& file : sources(course / folder))
            for (const std::string& line : lines_of(file))
                if (std::smatch match; line.starts_with("TEST") && std::regex_match(line, match, test))
                    names.insert(file.parent_path().filename().string() + "." + match[1].str() + "." + match[2].str());
    return names;
}

/// Pages write `room.Suite.Name`, or a * in place of the name's end.
TEST(Rooms, DocumentsNameTestsThatExist) {
    static const std::regex named("`([a-z_]+\\.[A-Z]\\w*\\.\\w*)(\\*?)`");
    const std::set<std::string> tests = names_of_tests();
    int compared = 0;
    for (const fs::path& document : documents()) {
        for (const std::string& line : lines_of(document)) {
            for (std::sregex_iterator match(line.begin(), line.end(), named), end; match != end; ++match, ++compared) {
                const std::string name = (*match)[1];
                const bool goes_on = (*match)[2].length() > 0;
                const auto found = tests.lower_bound(name);
                EXPECT_TRUE(found != tests.end() && (goes_on ? found->starts_with(name) : *found == name))
                    << document << " names the test " << name;
            }
        }
    }
    EXPECT_GT(compared, 30);
}

/// docs/architecture.md shows the same arrows as the list above.
TEST(Rooms, AreDrawnAsTheyAre) {
    const std::string page = read_file(course / "docs/architecture.md");
    for (const Room& room : house()) {
        std::string row = (room.name == "labs" ? "| `labs/` |" : "| `" + room.name + "` |");
        for (const std::string& other : room.includes) row += " " + other;
        EXPECT_NE(page.find(row + " | "), std::string::npos) << "docs/architecture.md has no row " << row;
    }
}

}  // namespace
