// Along which axis wrong answers lie, where all of them agree.
#include "diagnosis/slices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace headway::diagnosis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// An answer of zeros in which the rows that are wrong hold ones.
Pair rows_wrong(Index rows, const std::function<bool(Index)>& is_wrong) {
    const Shape shape{rows, 2};
    Pair pair{"", reference::exact(Tensor::zeros(shape)), reference::exact(Tensor::zeros(shape))};
    for (Index row = 0; row < rows; ++row)
        for (Index column = 0; column < 2; ++column)
            pair.seen.value[static_cast<std::size_t>(2 * row + column)] = is_wrong(row) ? 1 : 0;
    return pair;
}

const auto after_the_first = [](Index row) { return row > 0; };
const auto always = [](Index) { return true; };

TEST(WrongSlices, OfAllAnswersThatAreWrong) {
    EXPECT_THAT(wrong_slices({rows_wrong(3, after_the_first), rows_wrong(4, after_the_first)}, false),
                ElementsAre("along the axis of the rows only the first is right"));
}

TEST(WrongSlices, NoPatternIsSeenInOneAnswer) {
    EXPECT_THAT(wrong_slices({rows_wrong(3, after_the_first)}, false), IsEmpty());
    EXPECT_THAT(wrong_slices({rows_wrong(3, after_the_first), rows_wrong(2, after_the_first)}, false), IsEmpty())
        << "of two rows, the first that is right is the last that is right";
}

TEST(WrongSlices, AWrongAnswerOfOneRowIsOneOfThem) {
    const Pair three = rows_wrong(3, after_the_first), four = rows_wrong(4, after_the_first);
    EXPECT_THAT(wrong_slices({three, four, rows_wrong(1, always)}, false), IsEmpty()) << "there the first is wrong";
    const auto the_first = [](Index row) { return row == 0; };
    EXPECT_THAT(wrong_slices({rows_wrong(3, the_first), rows_wrong(4, the_first), rows_wrong(1, always)}, false),
                ElementsAre("along the axis of the rows only the first is wrong"));
}

TEST(WrongSlices, NothingIsCarriedOnWhereTheOnlyHeadIsWrong) {
    const auto heads = [](Index B, Index H, Index first_wrong) {
        const Shape shape{B, H, 2, 1};
        Pair pair{"", reference::exact(Tensor::zeros(shape)), reference::exact(Tensor::zeros(shape))};
        for (auto i = static_cast<std::size_t>(2 * first_wrong); i < pair.seen.value.size(); ++i)
            pair.seen.value[i] = 1;
        return pair;
    };
    EXPECT_THAT(wrong_slices({heads(2, 3, 1), heads(3, 2, 1)}, false),
                ElementsAre("only the first head of the first sequence is right: is something carried on from one to "
                            "the next?"));
    EXPECT_THAT(wrong_slices({heads(2, 3, 1), heads(3, 2, 1), heads(1, 1, 0)}, false), IsEmpty());
    EXPECT_THAT(wrong_slices({heads(2, 3, 1)}, false), IsEmpty()) << "in one answer it may be chance";
}

/// Of 2 sequences with 2 heads each, T queries of which so many are wrong.
Pair first_queries_wrong(std::size_t T, std::size_t wrong) {
    const Shape shape{2, 2, static_cast<Index>(T), 1};
    Pair pair{"", reference::exact(Tensor::zeros(shape)), reference::exact(Tensor::zeros(shape))};
    for (std::size_t i = 0; i < pair.seen.value.size(); ++i) pair.seen.value[i] = i % T < wrong ? 1 : 0;
    return pair;
}

/// How many queries lie before the first key follows from T and S.
TEST(WrongSlices, WhichQueriesAreWrongIsNotSaidOfOneLengthAlone) {
    EXPECT_THAT(wrong_slices({first_queries_wrong(6, 1), first_queries_wrong(6, 1)}, false), IsEmpty());
    EXPECT_THAT(wrong_slices({first_queries_wrong(6, 1), first_queries_wrong(8, 3)}, false), IsEmpty());
    EXPECT_THAT(wrong_slices({first_queries_wrong(6, 1), first_queries_wrong(8, 1)}, false),
                ElementsAre("along the axis of the queries only the first is wrong"));
}

TEST(WrongSlices, OfSequencesAndHeadsAloneSayNothingOfOtherAxes) {
    const std::vector<Pair> pairs{first_queries_wrong(3, 1), first_queries_wrong(4, 1)};
    EXPECT_THAT(wrong_slices(pairs, false), ElementsAre("along the axis of the queries only the first is wrong"));
    EXPECT_THAT(wrong_slices(pairs, false, Along::sequences_and_heads), IsEmpty());
}

TEST(WrongSlices, WhatIsTakenOfTheFirstMatrixLeavesThatOneRight) {
    // Of 2 sequences with 2 heads each.
    const auto matrices = [](const std::vector<std::size_t>& wrong) {
        const Shape shape{2, 2, 1, 1};
        Pair pair{"", reference::exact(Tensor::zeros(shape)), reference::exact(Tensor::zeros(shape))};
        for (const std::size_t matrix : wrong) pair.seen.value[matrix] = 1;
        return pair;
    };
    const Pair other_heads = matrices({1, 3}), other_sequences = matrices({2, 3});
    EXPECT_THAT(wrong_slices({other_heads, other_sequences, other_heads, other_sequences}, false),
                ElementsAre("the first head of the first sequence is right in all 4 answers that are wrong: is "
                            "something of it, such as its mask, taken for all?"));
    EXPECT_THAT(wrong_slices({other_heads, other_sequences, other_heads}, false), IsEmpty()) << "too few";
    EXPECT_THAT(wrong_slices({other_heads, other_sequences, other_heads, matrices({0, 1})}, false), IsEmpty());
    EXPECT_THAT(wrong_slices({other_heads, other_heads, other_heads, other_heads}, false), IsEmpty())
        << "the first heads of both sequences are right";
}

}  // namespace
}  // namespace headway::diagnosis
