// Each mistake is told once, with the functions in which it is.
#include "diagnosis/naming.hpp"

#include "diagnosis/catalogue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headway::diagnosis {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

verdict::FunctionDiagnosis refuses_too_little(const std::string& function, const std::string& words) {
    verdict::FunctionDiagnosis diagnosis;
    diagnosis.function = function;
    diagnosis.state = verdict::FunctionState::named;
    diagnosis.mistakes = {not_refused};
    diagnosis.sentences = {words};
    return diagnosis;
}

TEST(Naming, OneRefusalThatSeveralFunctionsLackIsToldOnce) {
    const auto named =
        named_mistakes({refuses_too_little("repeat_heads", "there are no groups: your repeat_heads should throw"),
                        refuses_too_little("forward (heads)", "there are no groups: your forward should throw"),
                        refuses_too_little("pool_heads", "there are no groups: your pool_heads should throw")},
                       "09");
    ASSERT_THAT(named, SizeIs(1));
    EXPECT_EQ(named.front().title, "there are no groups: your repeat_heads should throw");
    EXPECT_THAT(named.front().functions, ElementsAre("repeat_heads", "forward (heads)", "pool_heads"));
}

TEST(Naming, HintsOfARefusalAreAboutRefusing) {
    const auto named =
        named_mistakes({refuses_too_little("reach", "there is no layer: your reach should throw")}, "11");
    ASSERT_THAT(named, SizeIs(1));
    ASSERT_THAT(named.front().hints, SizeIs(3));
    EXPECT_THAT(named.front().hints.back(), HasSubstr("throw std::invalid_argument"));
    for (const std::string& hint : named.front().hints) EXPECT_THAT(hint, testing::Not(HasSubstr("formula")));
}

TEST(Naming, APromiseBesideTheNumbersHasNoHintOnHowTheyAreComputed) {
    verdict::FunctionDiagnosis diagnosis = refuses_too_little("decode", "your decode changes its argument q");
    diagnosis.mistakes = {std::string(not_as_promised)};
    const auto named = named_mistakes({diagnosis}, "13");
    ASSERT_THAT(named, SizeIs(1));
    EXPECT_THAT(named.front().hints, SizeIs(2));
}

TEST(Naming, ACopyIsNoRemedyForWhatAttentionReturned) {
    const auto remedy = [](const std::string& words) {
        verdict::FunctionDiagnosis diagnosis = refuses_too_little("block_forward", words);
        diagnosis.mistakes = {std::string(not_as_promised)};
        return named_mistakes({diagnosis}, "14").front().right;
    };
    EXPECT_THAT(remedy("your block_forward changes its argument x"), HasSubstr("x.clone()"));
    EXPECT_THAT(remedy("where the order is post_norm, your block_forward changes its argument x: what attention "
                       "returned may be a view, so do not write into it"),
                AllOf(HasSubstr("new tensor"), testing::Not(HasSubstr("clone"))));
}

TEST(Naming, WhatIsMadeInSomePartsKeepsItsOwnRemedy) {
    verdict::FunctionDiagnosis diagnosis = refuses_too_little(
        "linear_backward", std::string(mistake("gradient_strides_ignored").title) + ": in weight and bias alone");
    diagnosis.mistakes = {"made_in_some_parts"};
    const auto named = named_mistakes({diagnosis}, "07");
    ASSERT_THAT(named, SizeIs(1));
    EXPECT_THAT(named.front().title, testing::EndsWith("in weight and bias alone"));
    EXPECT_EQ(named.front().right, mistake("gradient_strides_ignored").right);
    EXPECT_EQ(named.front().symptom, mistake("gradient_strides_ignored").symptom);
    EXPECT_THAT(named.front().lesson, HasSubstr("lesson 07"));
    EXPECT_THAT(named.front().hints.front(), HasSubstr("which the other lacks"));
    EXPECT_EQ(named.front().hints[1], "See " + named.front().lesson + ".");
    diagnosis.sentences = {"something else: in weight alone"};
    EXPECT_EQ(named_mistakes({diagnosis}, "07").front().right, mistake("made_in_some_parts").right);
}

TEST(Naming, OneMistakeInTwoFunctionsIsLikelierThanTwo) {
    const auto named = [](const std::string& function, const std::string& mistake,
                          const std::vector<std::string>& alternatives) {
        verdict::FunctionDiagnosis diagnosis;
        diagnosis.function = function;
        diagnosis.state = verdict::FunctionState::named;
        diagnosis.mistakes = {mistake};
        diagnosis.alternatives = alternatives;
        return diagnosis;
    };
    std::vector functions{named("forward", "merge_keeps_the_first_sequence", {"only_first_sequence"}),
                          named("attention_weights", "only_first_sequence", {})};
    prefer_what_others_have(functions);
    EXPECT_THAT(functions[0].mistakes, ElementsAre("only_first_sequence"));
    EXPECT_THAT(functions[0].alternatives, ElementsAre("merge_keeps_the_first_sequence"));
    EXPECT_THAT(functions[1].mistakes, ElementsAre("only_first_sequence"));
    std::vector alone{named("forward", "merge_keeps_the_first_sequence", {"only_first_sequence"})};
    prefer_what_others_have(alone);
    EXPECT_THAT(alone[0].mistakes, ElementsAre("merge_keeps_the_first_sequence"));
}

TEST(Naming, BesideAMistakeStandsWhatAllFunctionsThatHaveItLeaveOpen) {
    const auto in = [](const std::string& function, const std::vector<std::string>& alternatives) {
        verdict::FunctionDiagnosis diagnosis;
        diagnosis.function = function;
        diagnosis.state = verdict::FunctionState::named;
        diagnosis.mistakes = {"softmax_shift_of_everything"};
        diagnosis.alternatives = alternatives;
        return diagnosis;
    };
    const std::string of_all_open = "softmax_shift_of_all_open", in_double = "softmax_shift_of_everything_in_double";
    const auto told = [](const std::vector<verdict::FunctionDiagnosis>& functions) {
        return named_mistakes(functions, "03").front().also_known_as;
    };
    const std::string open_alone(mistake(of_all_open).title);
    EXPECT_THAT(told({in("masked_softmax", {of_all_open, in_double})}), SizeIs(2));
    EXPECT_THAT(told({in("masked_softmax", {of_all_open, in_double}), in("attention", {of_all_open})}),
                ElementsAre(open_alone));
    EXPECT_THAT(told({in("masked_softmax", {of_all_open}), in("attention", {})}), SizeIs(0));
    // What is true under a condition alone is told with it, and what nobody knows the condition of is not told.
    verdict::FunctionDiagnosis in_part = in("masked_softmax", {of_all_open});
    in_part.only_where = "a mask is given";
    EXPECT_THAT(told({in_part}), ElementsAre(open_alone + ", but only where a mask is given"));
    in_part.only_where = in_some_calls;
    EXPECT_THAT(told({in_part}), SizeIs(0));
}

/// What is told in exercise `number` of a function with this mistake, which leaves open the other.
verdict::NamedMistake told_of(const std::string& number, const std::string& function, const std::string& mistake,
                              const std::vector<std::string>& alternatives) {
    verdict::FunctionDiagnosis diagnosis;
    diagnosis.function = function;
    diagnosis.state = verdict::FunctionState::named;
    diagnosis.mistakes = {mistake};
    diagnosis.alternatives = alternatives;
    return named_mistakes({diagnosis}, number).front();
}

TEST(Naming, WhatIsWrongElsewhereStandsWithWhatIsRightThere) {
    EXPECT_THAT(told_of("04", "multi_head_attention", "keys_used_as_values", {"values_projected_by_w_k"}).also_known_as,
                ElementsAre("values are projected with w_k: w_v is never used (right: v = x · w_v)"));
}

TEST(Naming, WhereThereIsOneXItIsWhatIsProjected) {
    const auto right = [](const std::string& number) {
        return told_of(number, "attention", "values_projected_by_w_q", {}).right;
    };
    EXPECT_EQ(right("01"), "v = x · w_v");
    EXPECT_EQ(right("05"), "v = value · w_v");
}

TEST(Naming, QueriesAndKeysHandedOverInTheWrongOrderAreNamedIn01) {
    const auto told = [](const std::string& number) {
        return told_of(number, "single_head_attention", "query_and_key_weights_swapped", {});
    };
    EXPECT_THAT(told("01").also_known_as,
                ElementsAre("queries and keys are handed to attention_weights in the wrong order"));
    EXPECT_THAT(told("01").right, AllOf(HasSubstr("q = x · w_q"), HasSubstr("attention_weights(q, k)")));
    EXPECT_THAT(told("05").also_known_as, SizeIs(0)) << "others may be handed on";
}

TEST(Naming, NoOtherNameSpeaksOfMasksBeforeThereAreAny) {
    const auto others = [](const std::string& number) {
        return told_of(number, "softmax", "softmax_shift_of_everything", {"softmax_shift_of_all_open"}).also_known_as;
    };
    EXPECT_THAT(others("01"), SizeIs(0));
    EXPECT_THAT(others("03"), SizeIs(1));
}

TEST(Naming, OtherRefusalsAreToldEach) {
    EXPECT_THAT(
        named_mistakes({refuses_too_little("repeat_heads", "there are no groups: your repeat_heads should throw"),
                        refuses_too_little("pool_heads", "w is too narrow: your pool_heads should throw")},
                       "09"),
        SizeIs(2));
}

TEST(Naming, APromiseThatDoesNotHoldIsToldWithWhatToDo) {
    const auto right_of = [](const std::string& words) {
        verdict::FunctionDiagnosis diagnosis = refuses_too_little("forward (dropout)", words);
        diagnosis.mistakes = {not_as_promised};
        return named_mistakes({diagnosis}, "05").front().right;
    };
    EXPECT_THAT(right_of("an axis below 0 is neither refused nor counted from the end: with axis0 = -1, your f"),
                HasSubstr("axis += x.rank()"));
    EXPECT_THAT(right_of("your forward answers differently if the same numbers come in a view that is not contiguous"),
                AllOf(HasSubstr("by its indices"), HasSubstr("where it is only read"),
                      HasSubstr("what is written goes to the tensor itself"), HasSubstr("data()[i] is element i only"),
                      HasSubstr("clone() keeps strides")));
    EXPECT_THAT(right_of("your context changes running.gathered (2 becomes 0.5): a copied Tensor shares its storage"),
                HasSubstr("write to a copy, x.clone()"));
    EXPECT_THAT(right_of("what your forward returned changes when it is called again"), HasSubstr("new in each call"));
    EXPECT_THAT(right_of("your forward refuses, but it has changed the cache before"),
                HasSubstr("before the first number is written"));
    EXPECT_THAT(right_of("number 1 of your numbers, of -0, is 0; it should be -0"), HasSubstr("std::copysign"));
    EXPECT_THAT(right_of("number 1 of your numbers, of -1, is 0; it should be -0.5"), HasSubstr("header"));
    EXPECT_THAT(right_of("your window_attention looks at keys that no query sees"), HasSubstr("max(0, p - w + 1)"));
    EXPECT_THAT(right_of("your window_attention takes 16 times as long, and computes with keys that no query sees"),
                HasSubstr("for each run of queries"));
    EXPECT_THAT(right_of("a copy has changed: they share a storage, and your ring_append writes into it"),
                HasSubstr("cat({x}, 0)"));
    EXPECT_THAT(right_of("your ring_append writes into a storage that somebody else sees"), HasSubstr("cat({x}, 0)"));
    EXPECT_THAT(right_of("your forward answers 3; there are 4"),
                HasSubstr("header of exercise 05: the comment above forward,"));
}

TEST(Naming, WhatDependsOnStridesHasItsLesson) {
    const auto told_in = [](const std::string& exercise, const std::string& words) {
        verdict::FunctionDiagnosis diagnosis = refuses_too_little("f", "your f answers differently if " + words);
        diagnosis.mistakes = {not_as_promised};
        return named_mistakes({diagnosis}, exercise).front();
    };
    const std::string in_a_view = "the same numbers come in a view that is not contiguous";
    EXPECT_EQ(told_in("02", in_a_view).lesson, "lesson 01, \"What people get wrong\"");
    EXPECT_EQ(told_in("04", in_a_view).lesson, "lesson 03, \"What people get wrong\"");
    EXPECT_THAT(told_in("04", in_a_view).hints, SizeIs(3));
    EXPECT_EQ(told_in("10", "q or k comes in a view that is not contiguous along its last axis").lesson,
              told_in("10", in_a_view).lesson);
    EXPECT_EQ(told_in("04", "it is asked after another call").lesson, "");
}

TEST(Naming, TheHeaderIsThatOfTheExercise) {
    const auto told_in = [](const std::string& exercise) {
        verdict::FunctionDiagnosis diagnosis = refuses_too_little("append", "");
        diagnosis.mistakes = {"strides_ignored"};
        return named_mistakes({diagnosis}, exercise).front().lesson;
    };
    for (const std::string exercise : {"01", "04", "05", "08", "09", "10", "11", "12", "13", "14"})
        EXPECT_EQ(told_in(exercise), "the header of exercise " + exercise);
    EXPECT_EQ(told_in("07"), "lesson 07, \"What people get wrong\"");
}

TEST(Naming, WhatIsDroppedInPlaceOfWeightsIsToldWithWhatIsRight) {
    verdict::FunctionDiagnosis diagnosis;
    diagnosis.function = "forward";
    diagnosis.state = verdict::FunctionState::named;
    diagnosis.mistakes = {not_as_promised};
    diagnosis.sentences = {"in training single features vanish, not whole weights: a weight is 0 for one feature of v"};
    EXPECT_THAT(named_mistakes({diagnosis}, "05").front().right, HasSubstr("dropout(weights) · v"));
}

TEST(Naming, HowManyQueriesABlockHasEndsTheTitle) {
    verdict::FunctionDiagnosis diagnosis;
    diagnosis.function = "window_attention";
    diagnosis.state = verdict::FunctionState::named;
    diagnosis.mistakes = {"block_sees_its_last_keys"};
    diagnosis.sentences = {"of w / 2 queries"};
    EXPECT_THAT(named_mistakes({diagnosis}, "11").front().title,
                testing::EndsWith("each sees up to the last of its block of w / 2 queries"));
}

TEST(Naming, WhatIsNeverWrittenIsNotMendedByZeros) {
    verdict::FunctionDiagnosis diagnosis;
    diagnosis.function = "window_attention";
    diagnosis.state = verdict::FunctionState::named;
    diagnosis.mistakes = {"uninitialised_memory"};
    diagnosis.sentences = {"the same question gets another answer"};
    EXPECT_THAT(named_mistakes({diagnosis}, "11").front().right, HasSubstr("or begin at 0"));
    diagnosis.sentences = {"in the result, number 9 of the 10 is what memory held before: do loops go that far?"};
    const verdict::NamedMistake never = named_mistakes({diagnosis}, "11").front();
    EXPECT_THAT(never.right, testing::StartsWith("write every element, the last ones too"));
    EXPECT_THAT(never.hints, testing::Each(testing::Not(HasSubstr("+="))));
}

TEST(Naming, WhereItThrowsThoughSizesMayDifferTheyAreNamed) {
    const auto right = [](const std::string& words) {
        verdict::FunctionDiagnosis diagnosis;
        diagnosis.function = "project_output";
        diagnosis.state = verdict::FunctionState::named;
        diagnosis.mistakes = {"refuses_what_fits"};
        diagnosis.sentences = {words};
        return named_mistakes({diagnosis}, "04").front().right;
    };
    EXPECT_THAT(
        right("it throws where biases are given and D ≠ E: in all 42 such calls, and in none of the 196 others"),
        HasSubstr("an answer; D and E may differ: look for a check"));
    EXPECT_THAT(right("it throws where D ≠ E and biases are given: in all 42 such calls"),
                HasSubstr("an answer; D and E may differ: look for a check"));
    EXPECT_THAT(right("it throws where H > H_kv: in all 92 such calls, and in none of the 14 others"),
                HasSubstr("an answer; there queries have H heads, keys and values H_kv: look whether each split"));
    EXPECT_THAT(right("it throws where no sequence holds a token after the call: in all 6 such calls"),
                testing::EndsWith("look at S = 1 position at least"));
    EXPECT_THAT(right("it throws where H > 1: in all 9 such calls"), testing::EndsWith("an answer"));
}

}  // namespace
}  // namespace headway::diagnosis
