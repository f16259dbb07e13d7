// What is said of a function that threw within another one that the exercise asks for.
#include "grading/handed_on.hpp"

#include <gtest/gtest.h>

namespace headway::cli {
namespace {

TEST(HandedOn, WhatIsHandedToAFunctionThatPassesItsTestsIsTheCallers) {
    const std::vector<build::SourceFile> grouped = {{"grouped.cpp",
                                                     "Tensor attend(const Tensor& q) {\n"
                                                     "    throw std::invalid_argument(\"q\");\n"
                                                     "}\n"
                                                     "Tensor layer(const Tensor& x) {\n"
                                                     "    return attend(x);\n"
                                                     "}\n"}};
    verdict::Exercise exercise;
    exercise.tests.resize(1);
    verdict::Failure& thrown = exercise.tests[0].failure.emplace();
    thrown.function = "layer (causal)";
    thrown.at = verdict::SourceLine{"grouped.cpp", 2, ""};
    thrown.through = verdict::SourceLine{"grouped.cpp", 5, ""};
    const auto told = [&](const std::set<std::string>& functions, const std::set<std::string>& may_refuse = {}) {
        exercise.tests[0].failure->advice = "Widths differ.";
        tell_what_is_handed_on(exercise, {functions, may_refuse}, grouped);
        return *exercise.tests[0].failure->advice;
    };
    EXPECT_EQ(
        told({"attend", "layer"}),
        "Widths differ. Nothing that was asked of attend itself is wrong: look at what it is handed there, and where "
        "layer makes that.");
    EXPECT_EQ(told({"layer"}), "Widths differ.") << "a helper, which nobody asks";
    EXPECT_EQ(
        told({"attend", "layer"}, {"attend"}),
        "Widths differ. The header lets attend refuse only what your own layer does not ask of it, and here layer "
        "asks for it: let attend answer that, unless what it is handed there is wrong.");
    thrown.kind = verdict::FailureKind::sanitizer;
    EXPECT_EQ(told({"attend", "layer"}, {"attend"}), told({"attend", "layer"})) << "it refuses nothing";
    thrown.kind = verdict::FailureKind::exception;
    verdict::FunctionDiagnosis& pool = exercise.diagnosis.emplace().functions.emplace_back();
    pool.function = "pool";
    pool.state = verdict::FunctionState::named;
    EXPECT_EQ(told({"attend", "layer"}),
              "Widths differ. Nothing that was asked of attend itself is wrong: look at what it is handed there.")
        << "pool may make that";
    exercise.tests[0].failure->story = {"pool(x (2, 3))", "layer(x (2, 3))"};
    EXPECT_EQ(
        told({"attend", "layer"}),
        "Widths differ. Nothing that was asked of attend itself is wrong: look at what it is handed there, and at "
        "pool, which is wrong itself.");
    exercise.diagnosis->functions.emplace_back().function = "attend";
    EXPECT_EQ(told({"attend", "layer"}), "Widths differ.") << "it is wrong elsewhere";
}

TEST(HandedOn, TheHeaderSaysWhatMayBeRefused) {
    const AskedFor asked = asked_for(std::string(HEADWAY_SOURCE_DIR) + "/exercises/08_kv_cache");
    EXPECT_TRUE(asked.functions.contains("decode"));
    EXPECT_EQ(asked.may_refuse, std::set<std::string>{"decoding_mask"});
}

}  // namespace
}  // namespace headway::cli
