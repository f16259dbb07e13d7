// What is said of all wrong answers of a function without a name holds of all of them.
#include "diagnosis/localise.hpp"
#include "diagnosis/where_wrong.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headway::diagnosis {
namespace {

using testing::_;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

Array of_shape(const Shape& shape, std::vector<double> numbers) {
    std::vector<double> error(numbers.size(), 1e-9);
    return {shape, std::move(numbers), std::move(error)};
}

Observation answered(Answer due, Answer seen) {
    return {{}, std::move(seen), [due = std::move(due)](const Choices&) { return due; }};
}

/// Of a 2×3 matrix.
Observation matrix(std::vector<double> due, std::vector<double> seen) {
    return answered(Answer::of(of_shape({2, 3}, std::move(due))), Answer::of(of_shape({2, 3}, std::move(seen))));
}

std::vector<std::string> said_of(const std::vector<Observation>& observations,
                                 const Function& function = {.name = "f"}) {
    sandbox::Command command;
    command.arguments = {"/bin/false"};  // it is not asked
    judge::Student student(sandbox::trusted(std::move(command), sandbox::Trusted::tests_of_headway), {});
    verdict::FunctionDiagnosis diagnosis;
    OwnFunctions own(function, student, false);
    localise(diagnosis, function, student, observations, own);
    return diagnosis.sentences;
}

const Observation thrown =
    answered(Answer::of(of_shape({2, 3}, {1, 2, 3, 4, 5, 6})), Answer::without_value(Answer::Kind::threw));

constexpr const char* all_nan = "every number of each wrong answer is NaN";
constexpr const char* turned_over = "stand in the order of the transposed matrix";
constexpr const char* in_zeros = "wrong only in rows that should be all zeros";

TEST(Localise, ThatAllIsNaNIsSaidOfAllWrongAnswers) {
    const Observation lost = matrix({1, 2, 3, 4, 5, 6}, std::vector<double>(6, not_a_number));
    EXPECT_THAT(said_of({lost}), Contains(HasSubstr(all_nan)));
    EXPECT_THAT(said_of({lost, thrown}), Each(Not(HasSubstr(all_nan))));
    EXPECT_THAT(said_of({lost, thrown}), Contains("it throws where it should answer"));
}

TEST(Localise, OfSeveralPartsThoseThatAreNaNAreNamed) {
    const Array right = of_shape({2}, {1, 2});
    const auto one = answered(Answer{.parts = {{"k", right}, {"v", right}}},
                              Answer{.parts = {{"k", of_shape({2}, {not_a_number, not_a_number})}, {"v", right}}});
    EXPECT_THAT(said_of({one}), Contains(HasSubstr("wherever k is wrong, all its numbers are NaN: somewhere")));
    EXPECT_THAT(said_of({one}), Each(Not(HasSubstr(all_nan))));
}

TEST(Localise, WhatFollowsOfEarlierFunctionsIsNoPartThatIsWrong) {
    const Array right = of_shape({2}, {1, 2}), twice = of_shape({2}, {2, 4}), lost = of_shape({2}, {0, 0});
    const Answer due{.parts = {{"k", right}, {"v", right}}};
    const Function calls_another{.name = "f", .given_own = [&](judge::Student&, const judge::Arguments&) {
                                     return std::optional(Answer{.parts = {{"k", twice}, {"v", right}}});
                                 }};
    const Observation both = answered(due, Answer{.parts = {{"k", twice}, {"v", lost}}});
    const Observation theirs = answered(due, Answer{.parts = {{"k", twice}, {"v", right}}});
    const auto said = said_of({both, theirs}, calls_another);
    EXPECT_THAT(said, Contains("wrong: v; right, or right given your own earlier functions: k"));
    EXPECT_THAT(said, Contains("of 2 calls with small inputs, 1 is right, or right given your own earlier functions"));
    // Where nothing follows of them, nothing is said of them.
    const Observation own_alone = answered(due, Answer{.parts = {{"k", right}, {"v", lost}}});
    EXPECT_THAT(said_of({own_alone}, calls_another), Contains("wrong: v; right: k"));
}

TEST(Localise, WhatSharesStorageInsteadOfACopyIsNotCalledRight) {
    const Array numbers = of_shape({2}, {3, 4});
    const Answer due{.parts = {{"", numbers}, {"strides", of_shape({1}, {1})}, {"copies", {}}}};
    const Answer seen{.parts = {{"", numbers}, {"strides", of_shape({1}, {5})}, {"shares storage", {}}}};
    EXPECT_THAT(said_of({answered(due, seen)}), Contains("wrong: strides; right: the numbers"));
}

TEST(Localise, ARefusalThatIsDueIsNotCountedAmongTheAnswersThatAreRight) {
    const Answer refusal = Answer::without_value(Answer::Kind::refused);
    const Observation refused = answered(refusal, refusal), good = matrix({1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 5, 6}),
                      bad = matrix({1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 5, 9});
    EXPECT_THAT(said_of({bad, refused, bad, refused}), Contains("of 2 calls with small inputs, none is right"));
    EXPECT_THAT(said_of({bad, refused, good}), Contains("of 2 calls with small inputs, 1 is right"));
    // Where refusals alone are wrong, they count.
    const Observation answered_all_the_same = answered(refusal, good.seen);
    EXPECT_THAT(said_of({good, refused, answered_all_the_same}), Contains("of 3 calls with small inputs, 2 are right"));
}

TEST(Localise, ThatItIsTransposedIsSaidOfAllWrongAnswers) {
    const Observation viewed = matrix({1, 2, 3, 4, 5, 6}, {1, 4, 2, 5, 3, 6});
    EXPECT_THAT(said_of({viewed}), Contains(HasSubstr(turned_over)));
    EXPECT_THAT(said_of({viewed, thrown}), Each(Not(HasSubstr(turned_over))));
}

TEST(Localise, TinyNumbersAreNotTransposedByChance) {
    EXPECT_THAT(said_of({matrix({1e-5, 2e-5, 3e-5, 4e-5, 5e-5, 6e-5}, {6e-5, 5e-5, 4e-5, 3e-5, 2e-5, 1e-5})}),
                Each(Not(HasSubstr(turned_over))));
}

TEST(Localise, ThatRowsOfZerosAreWrongIsSaidOfAllWrongAnswers) {
    const Observation open = matrix({1, 2, 3, 0, 0, 0}, {1, 2, 3, 1, 1, 1});
    EXPECT_THAT(said_of({open}), Contains(in_zeros));
    EXPECT_THAT(said_of({open, thrown}), Each(Not(in_zeros)));
    const Observation cut = answered(Answer::of(of_shape({2}, {1, 2})), Answer::of(of_shape({1}, {1})));
    EXPECT_THAT(said_of({open, cut}), Each(Not(in_zeros)));
}

TEST(Localise, AShapeIsToldOfThePartThatHasIt) {
    const auto part = [](const std::string& name, std::vector<double> numbers) {
        const auto size = static_cast<Index>(numbers.size());
        return std::pair(name, of_shape({size}, std::move(numbers)));
    };
    const Answer due{.parts = {part("k_proj.bias", {9}), part("v_proj.weight", {3, 3})}};
    const Answer wider{.parts = {part("k_proj.bias", {9, 9}), part("v_proj.weight", {3, 3})}};
    EXPECT_THAT(said_of({answered(due, wider)}), Contains("k_proj.bias has shape (2), not (1)"));
    const Answer without_bias{.parts = {part("v_proj.weight", {3, 3})}};
    EXPECT_THAT(said_of({answered(due, without_bias)}), Each(Not(HasSubstr("has shape"))))
        << "another part is due in its place";
}

TEST(Localise, AnAxisThatIsMissingIsTold) {
    const auto gave = [](const Shape& due, const Shape& seen) {
        const auto zeros = [](const Shape& shape) {
            std::size_t count = 1;
            for (const Index size : shape) count *= static_cast<std::size_t>(size);
            return Answer::of(of_shape(shape, std::vector<double>(count)));
        };
        return answered(zeros(due), zeros(seen));
    };
    EXPECT_THAT(said_of({gave({3, 1, 1, 1}, {3, 1, 1}), gave({3, 1, 2, 7}, {3, 2, 7})}),
                Contains("the result has shape (3, 2, 7), not (3, 1, 2, 7): it has 3 axes in place of 4, and axis 1 is "
                         "missing"));
    EXPECT_THAT(said_of({gave({3, 1, 1, 1}, {3, 1, 1})}),
                Contains("the result has shape (3, 1, 1), not (3, 1, 1, 1): it has 3 axes in place of 4"))
        << "which of three?";
    EXPECT_THAT(said_of({gave({2, 3}, {3, 2})}), Contains("the result has shape (3, 2), not (2, 3)"));
}

TEST(Localise, AlongAnAxisLieAllWrongAnswersOrNone) {
    const auto three =
        answered(Answer::of(of_shape({3, 2}, {1, 2, 3, 4, 5, 6})), Answer::of(of_shape({3, 2}, {1, 2, 9, 9, 9, 8})));
    const auto four = answered(Answer::of(of_shape({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8})),
                               Answer::of(of_shape({4, 2}, {1, 2, 9, 9, 9, 8, 9, 9})));
    EXPECT_THAT(said_of({three, four}), Contains("along the axis of the rows only the first is right"));
    EXPECT_THAT(said_of({three, four, thrown}), Each(Not(HasSubstr("along the axis"))));
}

TEST(Localise, WhatTheFirstSentenceSaysIsNotRepeated) {
    const auto told = [](const WhereWrong& where) {
        std::vector<std::string> sentences{"wrong already where H > H_kv", throws_for_some, "of 9 calls, 2 are right"};
        say_first(where, sentences);
        return sentences;
    };
    const std::string throws = "it throws where H > H_kv: in all 9 such calls, and in none of the 4 others";
    EXPECT_THAT(told({throws, true}), ElementsAre(throws, "of 9 calls, 2 are right"));
    const std::string wrong = "wrong in all 9 questions where H > H_kv and T > 1, right in all 4 others";
    EXPECT_THAT(told({wrong, false}), ElementsAre(wrong, throws_for_some, "of 9 calls, 2 are right"));
    const std::string some = "wrong only where causal is set: in 9 of 20 such questions, and in none of the 25 others";
    EXPECT_THAT(told({some, false}),
                ElementsAre(some, "wrong already where H > H_kv", throws_for_some, "of 9 calls, 2 are right"));
    EXPECT_THAT(told({}), SizeIs(3));
    const std::string layout = "wrong in all 9 questions where x is not contiguous, right in all 4 others";
    EXPECT_THAT(told({layout, false, "right: x.contiguous() first"}),
                ElementsAre(layout, "right: x.contiguous() first", throws_for_some, "of 9 calls, 2 are right"));
    std::vector<std::string> unmasked{std::string(wrong_already) + "where there is no mask"};
    const std::string without = "it throws where no mask is given: in all 9 such calls, and in none of the 4 others";
    say_first({without, true}, unmasked);
    EXPECT_THAT(unmasked, ElementsAre(without));
}

TEST(OwnFunctions, AMistakeOfTheirsIsInheritedIfItShowsWhereThoseOfTheCallerDoNot) {
    const MistakeSet theirs{&mistake("keys_projected_by_w_q")}, own{&mistake("keys_used_as_values")};
    const MistakeSet set{theirs.front(), own.front()};
    const auto question = [](double seen, bool shows_own) {
        return Observation{
            {}, Answer::of({{}, {seen}, {1e-9}}), [shows_own](const Choices& c) {
                const bool gathers_keys = shows_own && c.weighing.gathered == Gathered::keys;
                const bool by_another = c.projecting.weight[1] == 0;
                return Answer::of({{}, {(by_another ? 1.0 : 0.0) + (gathers_keys ? 10.0 : 0.0)}, {1e-9}});
            }};
    };
    const auto inherited = [&](double given, const std::vector<Observation>& all) {
        const Function function{.name = "f", .given_own = [given](judge::Student&, const judge::Arguments&) {
                                    return std::optional(Answer::of({{}, {given}, {1e-9}}));
                                }};
        sandbox::Command command;
        command.arguments = {"/bin/false"};  // it is not asked
        judge::Student student(sandbox::trusted(std::move(command), sandbox::Trusted::tests_of_headway), {});
        verdict::FunctionDiagnosis diagnosis;
        OwnFunctions(function, student, false).tell_whose(diagnosis, set, own, all, all);
        return diagnosis.inherited;
    };
    const std::vector<Observation> both{question(11, true), question(1, false)};
    EXPECT_EQ(inherited(1, both), (std::vector<std::string>{"keys_projected_by_w_q"}));
    EXPECT_EQ(inherited(2, both), std::nullopt) << "they do not give what was seen";
    EXPECT_EQ(inherited(1, {both.front()}), std::nullopt) << "all that is wrong shows its own";
}

}  // namespace
}  // namespace headway::diagnosis
