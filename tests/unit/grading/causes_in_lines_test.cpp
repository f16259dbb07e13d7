// What one line of a submission says of why a call failed.
#include "grading/causes_in_lines.hpp"

#include "grading/causes_in_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headway::cli {
namespace {

using testing::HasSubstr;

TEST(CausesInLines, AThrowThatWasLeftIsToldWithItsLine) {
    const auto told = [](const std::string& body) {
        verdict::Failure failure;
        failure.function = "merge";
        failure.message = "merge is not written yet";
        const std::vector<build::SourceFile> files = {
            {"merge.cpp", "Tensor merge(const Tensor& x) {\n" + body + "}\n"}};
        tell_of_a_throw_left(failure, ReadSources(files));
        return failure.at ? failure.message + ":" + std::to_string(failure.at->line) + ":" + *failure.advice
                          : failure.message;
    };
    EXPECT_EQ(told("    throw NotImplemented{\"merge\"};\n"), "merge is not written yet");
    EXPECT_EQ(told("    throw NotImplemented{\"merge\"};\n    return x;\n"),
              "merge still throws NotImplemented:2:The code below it never runs: delete that line.");
    EXPECT_THAT(told("    if (x.defined()) return x;\n    throw NotImplemented{\"merge\"};\n"),
                HasSubstr(":3:What is written above it ends there, unless"));
    EXPECT_THAT(told("    if (x.defined()) {\n    throw NotImplemented{\"merge\"};\n    }\n    return x;\n"),
                HasSubstr(":3:Some call gets there"));
    EXPECT_EQ(told("    if (a) throw NotImplemented{\"merge\"};\n    throw NotImplemented{\"merge\"};\n"),
              "merge is not written yet")
        << "which of the two it was is not known";
    EXPECT_EQ(told("    return x;\n"), "merge is not written yet") << "what it calls threw";
}

TEST(CausesInLines, WhoHandsToItselfWhatItRefusesIsTold) {
    const std::vector<build::SourceFile> files = {{"block.cpp",
                                                   "int back(int n) {\n"
                                                   "    if (n == 0) throw std::invalid_argument(\"no block\");\n"
                                                   "    return back(n - 1);\n"
                                                   "}\n"
                                                   "int other(int n) {\n"
                                                   "    return back(n);\n"
                                                   "}\n"}};
    const auto told = [&](int caller, bool is_the_throw) {
        verdict::Failure failure;
        tell_who_hands_on_what_is_refused(failure,
                                          {.line = {"block.cpp", 2, ""},
                                           .is_the_throw = is_the_throw,
                                           .in_loop = {},
                                           .callers = {{"block.cpp", caller, ""}}},
                                          ReadSources(files));
        return failure.advice.value_or("");
    };
    EXPECT_EQ(told(3, true),
              "back calls itself in line 3, and refuses what it hands on there: end the recursion one call earlier.");
    EXPECT_EQ(told(3, false), "");
    EXPECT_EQ(told(6, true), "");
}

TEST(CausesInLines, ACommaInSquareBracketsIsTold) {
    const auto told = [](const std::string& line) {
        verdict::Failure failure;
        failure.at = verdict::SourceLine{"grouped.cpp", 3, line};
        tell_what_a_comma_leaves(failure);
        return failure.advice.value_or("");
    };
    EXPECT_EQ(
        told("result[b, h].copy_from(kv[b, h / group]);"),
        "result[b, …] is result[…]: in square brackets only what stands behind the comma counts, here for axis 0. "
        "Write result[b][…].");
    EXPECT_EQ(told("sort(x.begin(), x.end(), [x, y](int a, int b) { return a < b; });"), "");
    EXPECT_EQ(told("return [x, y](int a) { return a; };"), "");
    EXPECT_EQ(told("const auto [k, v] = both;"), "");
    EXPECT_EQ(told("x[f(b, h)].fill(0);"), "");
    EXPECT_EQ(told("f(x[b], y[h]);"), "");
}

TEST(CausesInLines, AStructThatWasHandedOnEmptyIsTold) {
    const auto told = [](const std::string& declared, const std::string& call) {
        verdict::Failure failure;
        failure.message = "your tiled threw std::out_of_range: axis 0 is out of range for rank 0, shape ()";
        failure.at = verdict::SourceLine{"tiled.cpp", 2, "const Index B = running.gathered.size(0);"};
        const std::vector<build::SourceFile> files = {
            {"tiled.cpp", "Running nothing_seen(Index B) {\n    return {};\n}\nTensor tiled(const Tensor& q) {\n" +
                              declared + "\n" + call + "\n}\n"}};
        tell_what_was_handed_on_empty(failure, {{"tiled.cpp", 6, call}}, ReadSources(files));
        return failure.advice.value_or("");
    };
    EXPECT_EQ(told("Running running;", "absorb(running, q);"),
              "running holds nothing when it gets there: line 5 declares it without a value. Write Running running = "
              "nothing_seen(…); there.");
    EXPECT_EQ(told("Running running = nothing_seen(1);", "absorb(running, q);"), "");
    EXPECT_EQ(told("Running running; running.largest = q;", "absorb(running, q);"), "");
    EXPECT_EQ(told("Tensor running;", "absorb(running, q);"), "") << "one may be meant to be empty";
    EXPECT_EQ(told("Running running;", "absorb(q);"), "");
}

}  // namespace
}  // namespace headway::cli
