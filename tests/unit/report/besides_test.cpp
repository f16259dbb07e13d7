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

}  // namespace
}  // namespace headway::report
