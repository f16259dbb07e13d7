// By way of which of the student's functions a program came to the line where a sanitizer ended it.
#include "grading/where_it_failed.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headway::cli {
namespace {

const char* const turning =
    "Tensor turn(const Tensor& x) {\n    to[i] = 1;\n}\n"
    "Tensor rotate_pairs(const Tensor& x) {\n    return turn(x);\n}\n"
    "Tensor decode(const Tensor& x) {\n    return rotate_pairs(x);\n}\n";

/// As of a helper's line, reached by way of these lines.
verdict::SanitizerReport report_by_way_of(const std::vector<int>& lines) {
    verdict::SanitizerReport report;
    report.kind = "heap-buffer-overflow";
    report.file = "positions.cpp";
    report.line = 2;
    report.first_lines = {"==2==ERROR: AddressSanitizer: heap-buffer-overflow",
                          "    #0 0x55 in headway::Tensor::data() /course/tensor.hpp:150",
                          "    #1 0x56 in turn positions.cpp:2"};
    for (const int line : lines)
        report.first_lines.push_back(
            "    #2 0x57 in headway::ex13::f(headway::Tensor const&) ./positions.cpp:" + std::to_string(line) + ":7");
    report.first_lines.insert(report.first_lines.end(),
                              {"0x61 is located 4 bytes after a region allocated by thread T0 here:",
                               "    #1 0x58 in headway::ex13::decode positions.cpp:8"});
    return report;
}

TEST(WayToTheEnd, ASanitizerTellsTheWayToItsLine) {
    const std::vector<build::SourceFile> positions = {{"positions.cpp", turning}};
    const build::SourceLines own(positions);
    const auto callers = callers_in(report_by_way_of({5, 8, 99}), own);
    ASSERT_EQ(callers.size(), 2U);
    EXPECT_EQ(callers[0].text, "return turn(x);");
    EXPECT_EQ(callers[1].line, 8);
    EXPECT_TRUE(callers_in(report_by_way_of({}), own).empty()) << "memory was made elsewhere";
}

TEST(WayToTheEnd, WhatEndsInAHelperOfAnEarlierFunctionIsThatOnes) {
    const std::vector<build::SourceFile> positions = {{"positions.cpp", turning}};
    const auto inherited = [&](const std::vector<int>& way) {
        verdict::Exercise exercise;
        exercise.diagnosis.emplace();
        for (const char* function : {"rotate_pairs", "decode"}) {
            verdict::Test test;
            test.state = verdict::TestState::failed;
            test.failure.emplace();
            test.failure->function = function;
            test.failure->kind = verdict::FailureKind::sanitizer;
            test.failure->sanitizer = report_by_way_of(std::string(function) == "decode" ? way : std::vector<int>{5});
            test.failure->at = verdict::SourceLine{"positions.cpp", 2, "to[i] = 1;"};
            exercise.tests.push_back(test);
            verdict::FunctionDiagnosis found;
            found.function = function;
            found.mistakes = {"reads_out_of_bounds"};
            exercise.diagnosis->functions.push_back(found);
        }
        tell_in_whose_lines(exercise, positions);
        EXPECT_FALSE(exercise.diagnosis->functions[0].inherited);
        find_functions(exercise, positions);
        EXPECT_EQ(exercise.places.value().size(), 3U) << "the helper's, too";
        return exercise.diagnosis->functions[1].inherited.has_value();
    };
    EXPECT_TRUE(inherited({5, 8}));
    EXPECT_FALSE(inherited({8})) << "it calls the helper itself";
    EXPECT_FALSE(inherited({}));
}

}  // namespace
}  // namespace headway::cli
