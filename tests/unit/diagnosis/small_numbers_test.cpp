// The model of exercise 12, where the order of a sum in float is open, or the side of a tie.
#include "suites/12_small_numbers/eight.hpp"
#include "suites/12_small_numbers/sixteen.hpp"

#include "diagnosis/answer.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace headway::diagnosis {
namespace {

/// The sum in float of these, as it is and how far another order of it may be off.
Array summed_in_float(const std::vector<float>& numbers) {
    Halves unrounded = Halves::right();
    unrounded.order = Halves::Order::never;
    return sum_in(unrounded, reference::exact(Tensor::of({static_cast<Index>(numbers.size())}, numbers)), true);
}

TEST(SumsInFloat, AreOpenWhereAnOrderOfThemRounds) {
    const float tiny = std::ldexp(1.0F, -24);
    const std::vector<float> numbers{1, tiny, tiny};  // a float holds what they sum to, and not 1 + tiny
    float in_turn = 0, from_the_end = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        in_turn += numbers[i];
        from_the_end += numbers[numbers.size() - 1 - i];
    }
    ASSERT_NE(in_turn, from_the_end);
    const Array total = summed_in_float(numbers);
    EXPECT_LE(std::abs(total.value[0] - double{in_turn}), total.error[0]);
    EXPECT_LE(std::abs(total.value[0] - double{from_the_end}), total.error[0]);
}

TEST(SumsInFloat, AreExactWhereNoOrderRounds) {
    for (const std::vector<float>& numbers :
         {std::vector<float>{1, 0.5F, 0, 0.125F}, std::vector<float>(4096, 1.0F), std::vector<float>{2048, -2048, 1}})
        EXPECT_EQ(summed_in_float(numbers).error[0], 0);
}

/// x at a scale of 1.
CodedRows coded(float x) {
    return to_int8(Eights::right(), reference::exact(Tensor::of({1, 1, 1, 1}, {x})),
                   reference::exact(Tensor::ones({1, 1, 1})));
}

TEST(Codes, AreOpenWhereASumWith128MeetsATie) {
    const float below_a_half = std::nextafter(0.5F, 0.0F);
    const int cut_off = static_cast<int>(below_a_half + 127.5F) - 127;
    const CodedRows rows = coded(below_a_half);
    ASSERT_NE(cut_off, rows.codes.value[0]);
    EXPECT_LE(std::abs(cut_off - rows.codes.value[0]), 4 * rows.codes.error[0]);
}

/// What a comparison leaves around 0 is far more than such numbers are.
TEST(NumbersNearZero, AreToldFromOneAnother) {
    const auto agrees = [](double predicted, double seen) {
        return fit(Answer::of(within({{1}, {predicted}, {0}}, 1e-6)), Answer::of({{1}, {seen}, {0}})).has_value();
    };
    const double least = std::ldexp(1.0, -149);
    EXPECT_FALSE(agrees(0, least));
    EXPECT_FALSE(agrees(least, 0));
    EXPECT_FALSE(agrees(2 * least, least));
    EXPECT_FALSE(agrees(1.42e-30, 1.43e-30));
    EXPECT_TRUE(agrees(least, least));
    EXPECT_TRUE(agrees(-1.42e-30, -1.42e-30 * (1 + 1e-7)));
    EXPECT_TRUE(agrees(0, 0));
    EXPECT_TRUE(agrees(1, 1 + 1e-7));
}

TEST(Codes, AreNotOpenElsewhere) {
    for (const float x : {0.0F, 0.4999F, 1.0F, 100.49F, 200.5F}) EXPECT_EQ(coded(x).codes.error[0], 0);
}

}  // namespace
}  // namespace headway::diagnosis
