// What is a factor times what it should be is told by that factor: a size of the call, or 0.
#include "diagnosis/constant_factor.hpp"

#include "student/inputs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace headway::diagnosis {
namespace {

using judge::Arguments;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Arguments heads(Index B, Index H, Index T) {
    Random random(static_cast<std::uint64_t>(100 * B + 10 * H + T));
    return {{"q", judge::random_tensor(random, {B, H, T, 4})}};
}

/// What is told of them; empty if nothing is.
std::vector<std::string> told(const std::vector<Observation>& observations) {
    const auto factors = factors_of_results(observations);
    return factors ? factors->sentences : std::vector<std::string>{};
}

/// Observations of a function that should return q.
std::vector<Observation> times(const std::vector<Arguments>& calls,
                               const std::function<double(const Tensor&)>& factor) {
    std::vector<Observation> all;
    for (const Arguments& call : calls) {
        const Tensor q = tensor(call, "q");
        Array seen = reference::exact(q);
        for (double& x : seen.value) x *= factor(q);
        all.push_back(
            {call, Answer::of(std::move(seen)), [q](const Choices&) { return Answer::of(reference::exact(q)); }});
    }
    return all;
}

const std::vector<Arguments> calls = {heads(2, 3, 5), heads(3, 5, 4), heads(4, 2, 3)};

TEST(Factors, OneSizeIsNamed) {
    const auto by_heads = [](const Tensor& q) { return 1 / static_cast<double>(q.size(1)); };
    EXPECT_THAT(told(times(calls, by_heads)), ElementsAre("every number is 1 / H times what it should be"));
}

TEST(Factors, ARatioIsNamed) {
    const auto ratio = [](const Tensor& q) { return static_cast<double>(q.size(2)) / static_cast<double>(q.size(0)); };
    EXPECT_THAT(told(times(calls, ratio)), ElementsAre("every number is T / B times what it should be"));
}

TEST(Factors, TwoSizesThatAreEqualAreNotTold) {
    const auto by_heads = [](const Tensor& q) { return 1 / static_cast<double>(q.size(1)); };
    EXPECT_THAT(told(times({heads(3, 3, 5), heads(5, 5, 4), heads(2, 2, 3)}, by_heads)), IsEmpty());
}

TEST(Factors, AConstantIsNoSize) {
    EXPECT_THAT(told(times(calls, [](const Tensor&) { return 2; })),
                ElementsAre("all numbers are 2 times what they should be, in all 3 results that are wrong"));
}

TEST(Factors, OfEachPartThatIsWrong) {
    std::vector<Observation> all = times(calls, [](const Tensor& q) { return static_cast<double>(q.size(1)); });
    for (Observation& one : all) {
        const Array wrong = one.seen.parts.front().second, right = reference::exact(tensor(one.arguments, "q"));
        Array half = right;
        for (double& x : half.value) x *= 0.5;
        one.seen.parts = {{"a", wrong}, {"b", right}, {"c", half}};
        one.predict = [right](const Choices&) { return Answer{.parts = {{"a", right}, {"b", right}, {"c", right}}}; };
    }
    EXPECT_THAT(told(all), ElementsAre("of the result, a: every number is H times what it should be",
                                       "of the result, c: all numbers are 0.5 times what they should be, in all 3 "
                                       "results that are wrong"));
    all.front().seen.parts[1].second.value[0] += 1;
    EXPECT_THAT(told(all), IsEmpty()) << "b is wrong otherwise";
}

Pair scaled_numbers(std::vector<double> due, std::vector<double> seen) {
    const auto size = static_cast<Index>(due.size());
    std::vector<double> error(due.size(), 1e-7);
    return {"", {{size}, std::move(due), error}, {{size}, std::move(seen), error}};
}

TEST(ConstantFactor, IsOfAllNumbers) {
    EXPECT_THAT(constant_factor({scaled_numbers({1, 2, 0, 0.005}, {0.7, 1.4, 0, 0.0035})}),
                HasSubstr("all numbers are 0.7"));
    EXPECT_THAT(constant_factor({scaled_numbers({1, 2, 0.005}, {0.7, 1.4, 0.005})}),
                HasSubstr("the wrong numbers are 0.7"));
}

TEST(ConstantFactor, OfAResultThatIsOneNumber) {
    const auto number = [](double due, double seen) { return Pair{"", {{}, {due}, {0}}, {{}, {seen}, {0}}}; };
    EXPECT_EQ(constant_factor({number(10, 15), number(4, 12)}),
              "where it is wrong, the number is 1.5 to 3 times what it should be, as inputs differ");
    EXPECT_EQ(constant_factor({number(10, 5), number(4, 2)}),
              "the number is 0.5 times what it should be, in all 2 results that are wrong");
    EXPECT_EQ(constant_factor({scaled_numbers({1, 2}, {2, 4}), scaled_numbers({1, 2}, {3, 6})}),
              "in each wrong answer all numbers are one number times what they should be, 2 to 3 as inputs "
              "differ");
}

TEST(ConstantFactor, IsRounded) {
    const double root = std::sqrt(5.0);
    EXPECT_THAT(constant_factor({scaled_numbers({1, 2}, {root, 2 * root})}), HasSubstr("are 2.2361 times"));
}

TEST(ConstantFactor, MakesNothingOfAZero) {
    EXPECT_EQ(constant_factor({scaled_numbers({1, 2, 0}, {0.7, 1.4, 0.3})}), "");
    EXPECT_EQ(constant_factor({scaled_numbers({1, 2, 0.005}, {0.7, 1.4, 0.3})}), "");
}

TEST(ZerosIn, AreToldWhereverTheyAre) {
    const auto zero_for_two = [](const Tensor& q) { return q.size(0) == 2 ? 0 : 3; };
    EXPECT_EQ(zeros_in(wrong_pairs(times({heads(2, 3, 5), heads(3, 5, 4), heads(4, 2, 3)}, zero_for_two))),
              std::vector<std::string>{"every number of the result is 0, in 1 of 3 answers that are wrong"});
    EXPECT_EQ(zeros_in(wrong_pairs(times({heads(2, 3, 5)}, zero_for_two))),
              std::vector<std::string>{"every number of the result is 0, in the one answer that is wrong"});
    EXPECT_EQ(zeros_in(wrong_pairs(times({heads(2, 3, 5), heads(2, 5, 4)}, zero_for_two))),
              std::vector<std::string>{"every number of the result is 0, in each answer that is wrong"});
    EXPECT_TRUE(zeros_in(wrong_pairs(times({heads(3, 3, 5)}, zero_for_two))).empty());
}

}  // namespace
}  // namespace headway::diagnosis
