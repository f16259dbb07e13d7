// What gcov says of counts that a submission left.
#include "build/reached_lines.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

namespace headway::build {
namespace {

using nlohmann::json;

json file_entry(const std::string& name, const std::vector<std::pair<std::uint64_t, std::uint64_t>>& counts) {
    json lines = json::array();
    for (const auto& [line, count] : counts) lines.push_back({{"line_number", line}, {"count", count}});
    return {{"file", name}, {"lines", lines}};
}

json document_of(const std::vector<json>& entries) { return {{"files", entries}}; }

const std::vector<SourceFile> of_three_files{
    {"a.cpp", "int f() {\n    return 1;\n}\n"}, {"b/c.hpp", "int g();"}, {"d.hpp", ""}};

TEST(ReachedLines, AreThoseOfAllProcesses) {
    ReachedLines reached(of_three_files);
    reached.add(document_of({file_entry("./a.cpp", {{1, 1}, {2, 0}, {3, 0}})}));
    reached.add(document_of({file_entry("a.cpp", {{2, 2}}), file_entry("b/../b/c.hpp", {{1, 1}}),
                             file_entry("/usr/include/d.hpp", {{1, 1}}), file_entry("../a.cpp", {{3, 1}})}));
    const auto told = reached.found();
    ASSERT_EQ(told.size(), 2U) << "no document speaks of d.hpp";
    EXPECT_EQ(told[0].file, "a.cpp");
    EXPECT_EQ(told[0].all_lines, 3);
    EXPECT_EQ(told[0].reached_lines, 2);
    ASSERT_EQ(told[0].missed.size(), 1U);
    EXPECT_EQ(told[0].missed[0].line, 3);
    EXPECT_EQ(told[0].missed[0].text, "}");
    EXPECT_EQ(told[1].file, "b/c.hpp");
    EXPECT_EQ(told[1].reached_lines, 1);
}

TEST(ReachedLines, WhatIsNotAsGcovWritesItCountsForNothing) {
    ReachedLines reached(of_three_files);
    for (const char* text :
         {"", "[]", "{\"files\":1}", "{\"files\":[1,[]]}", "{\"files\":[{\"file\":2},{\"lines\":[1]}]}"})
        reached.add(json::parse(text, nullptr, false));
    EXPECT_TRUE(reached.found().empty());
    json without_lines = file_entry("d.hpp", {});
    without_lines["lines"] = "x";
    reached.add(document_of({file_entry("a.cpp", {{0, 1}, {4, 1}}), without_lines}));
    for (const verdict::Coverage& one : reached.found()) EXPECT_EQ(one.all_lines, 0);
}

/// #line makes up names. What a submission's own files are called is known all the same.
TEST(ReachedLines, NamesWithoutEndTakeNoLongTime) {
    std::vector<SourceFile> many{{"a.cpp", "int f();\n"}};
    for (int i = 0; i < 199; ++i) many.push_back({"h" + std::to_string(i) + ".hpp", ""});
    std::vector<json> entries;
    for (int i = 0; i < 40'000; ++i) entries.push_back(file_entry("b/../a" + std::to_string(i) + ".c", {}));
    entries.push_back(file_entry("./a.cpp", {{1, 1}}));
    const json document = document_of(entries);
    ReachedLines reached(many);
    const std::clock_t begin = std::clock();  // of this process: others may keep it waiting
    for (int process = 0; process < 20; ++process) reached.add(document);
    EXPECT_LT(std::clock() - begin, 5 * CLOCKS_PER_SEC);
    ASSERT_EQ(reached.found().size(), 1U);
    EXPECT_EQ(reached.found()[0].reached_lines, 1);
}

}  // namespace
}  // namespace headway::build
