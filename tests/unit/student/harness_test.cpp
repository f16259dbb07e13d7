// Students know the functions of their header. What the course runs around these has names that nobody else knows.
#include "student/harness.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <string>

#include "submission/digest.hpp"

namespace headway::judge {
namespace {

namespace fs = std::filesystem;
using build::read_file;

const fs::path course = HEADWAY_SOURCE_DIR;

std::set<std::string> found(const std::string& text, const std::regex& what) {
    std::set<std::string> names;
    for (std::sregex_iterator match(text.begin(), text.end(), what), end; match != end; ++match)
        names.insert((*match)[1]);
    return names;
}

/// All names in the header of an exercise, and in that of modules, whose functions exercise 05 inherits.
std::set<std::string> known_to_students(const std::string& exercise) {
    std::string headers;
    for (const fs::path& folder : {course / "exercises" / exercise, course / "tensor"})
        for (const auto& entry : fs::recursive_directory_iterator(folder))
            if (entry.path().extension() == ".hpp" &&
                (folder.filename() != "tensor" || entry.path().filename() == "nn.hpp"))
                headers += read_file(entry.path());
    return found(headers, std::regex(R"((\w+)\()"));
}

TEST(Harness, EveryNameThatIsNoFunctionOfAHeaderHasOthersWords) {
    static const std::regex added(R"re(\.add\(\s*"(\w+)")re");
    for (const auto& entry : fs::directory_iterator(course / "grader" / "suites")) {
        const std::string exercise = entry.path().filename();
        if (!entry.is_directory() || exercise == "06_catch_the_bug") continue;  // where the student's tests are asked
        const std::set<std::string> known = known_to_students(exercise);
        const std::set<std::string> asked = found(read_file(entry.path() / "dispatcher.cpp"), added);
        EXPECT_FALSE(asked.empty()) << exercise;
        for (const std::string& name : asked) {
            if (const Harness* harness = harness_of(name)) {
                EXPECT_FALSE(known.contains(name)) << exercise << ": " << name;
                EXPECT_TRUE(harness->function.empty() || known.contains(std::string(harness->function))) << name;
            } else {
                EXPECT_TRUE(known.contains(name)) << exercise << ": " << name << " needs a row in harness.cpp";
            }
        }
    }
}

TEST(Harness, MessagesAndStoriesSayTheStudentsFunction) {
    EXPECT_EQ(whose("decode_twice"), "decode");
    EXPECT_EQ(whose("decode"), "decode");
    EXPECT_EQ(whose("contents"), "program");
    EXPECT_EQ(whose("view_of_kept"), "program");
    EXPECT_EQ(told("decode", {{"base", 2.0}}), "decode(base = 2.0)");
    EXPECT_EQ(told("decode_twice", {{"base", 2.0}}),
              "decode(base = 2.0), of an empty cache, and once more of the cache that this returns");
    EXPECT_EQ(told("ring", {{"next", Index{3}}}), "RingCache(next = 3)");
}

}  // namespace
}  // namespace headway::judge
