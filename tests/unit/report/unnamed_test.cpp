// What is said of a function whose mistake has no name.
#include "report/loud.hpp"
#include "report/words.hpp"

#include <gmock/gmock.h>

#include "verdict/sample_verdicts.hpp"

namespace headway::report {
namespace {

using testing::StartsWith;

TEST(Unnamed, WhatIsWrongForViewsAloneDependsOnTheLayout) {
    verdict::Exercise exercise = samples::exercise("13", "positions", verdict::State::failed, {});
    verdict::FunctionDiagnosis function;
    function.function = "rotate_halves";
    exercise.diagnosis.emplace().functions = {function};
    const auto told = [&](const std::string& sentence) {
        exercise.diagnosis->functions.front().sentences = {sentence, "of 4 calls with small inputs, 3 are right"};
        return unnamed_in_words(exercise, "rotate_halves");
    };
    EXPECT_THAT(told("wrong in all 21 questions where angles is not contiguous, right in all 64 others"),
                StartsWith("your rotate_halves answers differently if the same numbers come in a view"));
    for (const char* other : {"wrong in all 21 questions where H > 1 and x is not contiguous, right in all 64 others",
                              "right in all 64 questions where x is not contiguous, wrong in all 21 others",
                              "wrong in all 21 questions where H > 1, right in all 64 others", "wrong in all "})
        EXPECT_EQ(told(other), "rotate_halves is wrong in a way that Headway has no name for") << other;
    EXPECT_EQ(told("the result has shape (3, 2, 7), not (3, 1, 2, 7): it has 3 axes in place of 4"),
              "rotate_halves returns a result of another shape than it should");
}

TEST(Unnamed, WhatThrowsIsSaidToThrowThoughNoTestOfItsOwnShowsIt) {
    verdict::Failure failure;
    failure.kind = verdict::FailureKind::exception;
    failure.function = "halves_to_pairs";
    failure.message = "your halves_to_pairs answers in none of these tests";
    verdict::Exercise exercise = samples::exercise("13", "positions", verdict::State::failed,
                                                   {samples::failed("A", "what does not fit is refused", 1, failure)});
    verdict::FunctionDiagnosis function;
    function.function = "halves_to_pairs";
    function.sentences = {"it throws where it should answer"};
    exercise.diagnosis.emplace().functions = {function};
    EXPECT_TRUE(loud_failure(exercise, "halves_to_pairs"));
    exercise.tests.front().depends_on = "halves_to_pairs";
    EXPECT_FALSE(loud_failure(exercise, "halves_to_pairs")) << "it is not judged by that test";
    EXPECT_EQ(unnamed_in_words(exercise, "halves_to_pairs"), "halves_to_pairs throws where it should answer");
}

}  // namespace
}  // namespace headway::report
