#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
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
/// names. Whoever wants one more arrow adds it here, and sees by that what it costs.
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
        {"intake", {"submission"}},
        {"gradebook", {"intake", "submission", "verdict"}},
        {"suites", {"build", "diagnosis", "reference", "student", "submission", "wire", "worker"}},
        {"judge", {"diagnosis", "sandbox", "student", "wire"}},
        {"classroom", {"gradebook", "grading", "intake", "report", "sandbox", "submission", "terminal", "verdict"}},
        {"verify", {"grading", "sandbox", "submission", "verdict"}},
        {"cli",
         {"build", "classroom", "gradebook", "grading", "intake", "report", "sandbox", "submission", "terminal",
          "verdict", "verify", "wire"}},
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

/// What documents name in backticks as `room/file.cpp` is there.
TEST(Rooms, DocumentsNameFilesThatExist) {
    static const std::regex named(R"(`([a-z_]+)/([a-z_0-9/]+\.[ch]pp)`)");
    std::vector<fs::path> documents;
    for (const fs::path& folder : {course, course / "docs", course / "tests/fuzz"}) {
        if (!fs::exists(folder)) continue;
        for (const auto& entry : fs::recursive_directory_iterator(folder)) {
            if (folder == course && entry.path().parent_path() != course) continue;
            if (entry.path().extension() == ".md") documents.push_back(entry.path());
        }
    }
    for (const fs::path& document : documents) {
        if (document.filename() == "CHANGELOG.md") continue;  // it tells what was
        const std::string text = read_file(document);
        for (std::sregex_iterator match(text.begin(), text.end(), named), end; match != end; ++match) {
            if (std::ranges::find(house(), (*match)[1].str(), &Room::name) == house().end()) continue;
            const fs::path file = folder_of((*match)[1]) / (*match)[2].str();
            EXPECT_TRUE(fs::exists(file)) << document << " names " << (*match)[0];
        }
    }
}

}  // namespace
