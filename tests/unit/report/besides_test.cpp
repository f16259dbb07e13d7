// What is told beside a mistake, and what is left out because it would be contradicted.
#include "report/besides.hpp"

#include "report/html.hpp"
#include "report/terminal.hpp"

#include <gmock/gmock.h>

#include "verdict/sample_verdicts.hpp"

#include <string>

namespace headway::report {
namespace {

using testing::HasSubstr;

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

TEST(Besides, WhatEndsWithoutAReturnIsNotSaidToThrow) {
    verdict::FunctionDiagnosis function;
    function.function = "project_output";
    verdict::Failure failure;
    const std::string rest = "where no biases are given: in all 9 such calls, and in none of the 5 others";
    for (const std::string verb : {"it throws ", "it gives no answer "}) {
        function.sentences = {"of 4 calls with small inputs, 3 are right", verb + rest};
        failure.kind = verdict::FailureKind::sanitizer;
        failure.message = "your project_output can end without returning a value at merge_heads.cpp:16";
        EXPECT_EQ(condition_of(function, failure), "it ends without a return " + rest);
        failure.message = "your pool can end without returning a value at merge_heads.cpp:9";
        EXPECT_EQ(condition_of(function, failure), "it gives no answer " + rest) << "another function does";
        failure.kind = verdict::FailureKind::exception;
        failure.message = "your project_output threw std::invalid_argument: no bias";
        EXPECT_EQ(condition_of(function, failure), verb + rest);
    }
    function.sentences = {"wrong only where causal is set: in 9 of 20 such questions"};
    EXPECT_EQ(condition_of(function, failure), function.sentences.front());
}

TEST(Besides, WhatToDoIsNotSaidToBeSeen) {
    verdict::Exercise exercise = samples::exercise("02", "head splitting", verdict::State::failed,
                                                   {samples::failed("A", "a property", 2, samples::wrong_scale())});
    verdict::FunctionDiagnosis& function = exercise.diagnosis.emplace().functions.emplace_back();
    function.function = "split_heads";
    function.state = verdict::FunctionState::named;
    function.mistakes = {"not_as_promised"};
    function.sentences = {"wrong in all 6 questions where x is not contiguous", "right: take the strides of x"};
    verdict::NamedMistake& mistake = exercise.diagnosis->mistakes.emplace_back();
    mistake.id = "not_as_promised";
    mistake.title = "strides are not read";
    mistake.functions = {"split_heads"};
    const verdict::Verdict verdict = samples::verdict_of({exercise});
    EXPECT_THAT(render(verdict, {}), HasSubstr("      seen: wrong in all 6 questions"));
    EXPECT_THAT(render(verdict, {}), HasSubstr("      right: take the strides of x\n"));
    EXPECT_THAT(html(verdict), HasSubstr("<p>right: take the strides of x</p>"));
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
