// What is told beside a mistake, and what is left out because it would be contradicted.
#include "report/besides.hpp"

#include <gtest/gtest.h>

namespace headway::report {
namespace {

TEST(Besides, NoEvidenceIsGivenWhereTestsListMoreThanWasCounted) {
    verdict::Exercise exercise;
    verdict::Failure& failure = exercise.tests.emplace_back().failure.emplace();
    failure.function = "cached_numbers";
    failure.message =
        "H is not divisible by H_kv: your cached_numbers should throw; also let through: num_heads is 0; num_heads is "
        "negative";
    verdict::FunctionDiagnosis function;
    function.function = "cached_numbers";
    function.telling = 2;
    EXPECT_TRUE(is_contradicted(exercise, function)) << "three calls are listed";
    function.telling = 3;
    EXPECT_FALSE(is_contradicted(exercise, function));
    function.telling = 0;
    EXPECT_FALSE(is_contradicted(exercise, function)) << "nobody counted: of other questions";
    function.telling = 2;
    function.function = "pool_heads";
    EXPECT_FALSE(is_contradicted(exercise, function)) << "another function";
}

TEST(Besides, WhatAllHaveFromOthersIsToldAsThat) {
    verdict::Diagnosis diagnosis;
    verdict::NamedMistake mistake;
    mistake.id = "not_refused";
    mistake.title = "x is empty: your block_backward should throw";
    mistake.functions = {"block_backward"};
    diagnosis.functions.emplace_back().function = "block_backward";
    EXPECT_EQ(of_earlier_functions(diagnosis, mistake), "");
    diagnosis.functions.front().inherited = {{"not_refused"}};
    EXPECT_EQ(of_earlier_functions(diagnosis, mistake),
              "x is empty: your block_backward should throw (it has that from your own earlier functions)");
    mistake.functions.emplace_back("mlp_backward");
    diagnosis.functions.emplace_back().function = "mlp_backward";
    EXPECT_EQ(of_earlier_functions(diagnosis, mistake), "");
}

}  // namespace
}  // namespace headway::report
