// Which of several sets of mistakes that explain the same answers is told, and which are told beside it.
#include "diagnosis/choose.hpp"

#include <gtest/gtest.h>

namespace headway::diagnosis {
namespace {

const MistakeSet by_view{&mistake("merge_by_view")}, interleaved{&mistake("merge_interleaved")};

TEST(Choose, TellsInTheOrderOfTheCatalogue) {
    std::vector<MistakeSet> sets{interleaved, by_view};
    put_likeliest_first(sets, {}, {}, {});
    EXPECT_EQ(sets, (std::vector<MistakeSet>{by_view, interleaved}));
}

TEST(Choose, TellsNoOtherMistakeBesideOneThatIsKnown) {
    std::vector<MistakeSet> sets{by_view, interleaved};
    put_likeliest_first(sets, interleaved, {}, {});
    EXPECT_EQ(sets, (std::vector<MistakeSet>{interleaved}));
}

/// The weight of a row's one key, which is blocked or is not looked at.
Observation one_number(bool sees_nothing, double seen) {
    const auto model = [sees_nothing](const Choices& c) {
        Row row;
        row.score = row.error = {0.0};
        row.blocked = {true};
        if (sees_nothing) c.softmaxing.empty_row(row);
        return Answer::of({{}, {row.score[0]}, {0}});
    };
    return {{}, Answer::of({{}, {seen}, {0}}), model};
}

TEST(Choose, WhatAnEarlierFunctionDoesNotDoBesideItsOwnMistakeComesLater) {
    // An earlier function that attends: its keys were made wrong, and what it gathered are values.
    const auto attends = [](const Choices& c) {
        const bool gathers_keys = c.weighing.gathered == Gathered::keys;
        return Answer::of({{}, {(c.projecting.weight[1] == 0 ? 1.0 : 0.0) + (gathers_keys ? 10.0 : 0.0)}, {0}});
    };
    const Observation before{{}, Answer::of({{}, {1.0}, {0}}), attends};
    const MistakeSet gathered{&mistake("keys_used_as_values")}, projected{&mistake("values_projected_by_w_k")},
        known{&mistake("keys_projected_by_w_q")};
    std::vector<MistakeSet> sets{projected, gathered};
    put_likeliest_first(sets, known, {}, {});
    EXPECT_EQ(sets, (std::vector<MistakeSet>{gathered, projected}));
    put_likeliest_first(sets, known, {}, {}, {before});
    EXPECT_EQ(sets, (std::vector<MistakeSet>{projected, gathered}));
    put_likeliest_first(sets, {}, {}, {}, {before});
    EXPECT_EQ(sets, (std::vector<MistakeSet>{gathered, projected})) << "what nothing explains says nothing";
}

TEST(Choose, WhatNothingMeetsDoesNotShow) {
    const MistakeSet one{&mistake("empty_row_one")};
    EXPECT_FALSE(shows_alone(one, {one_number(false, 0)}));
    EXPECT_TRUE(shows_alone(one, {one_number(false, 0), one_number(true, 0)}));
}

TEST(Choose, WhatALaterFunctionRefutesIsNotOpen) {
    const Mistake *one = &mistake("empty_row_one"), *uniform = &mistake("empty_row_uniform"),
                  *not_a_number = &mistake("empty_row_nan");
    const LeftOpen open{{one, {uniform, not_a_number}}};
    EXPECT_EQ(still_open(open, {one}, {one_number(true, 1)}), MistakeSet{uniform}) << "of one key, all are alike";
    EXPECT_EQ(still_open(open, {uniform}, {one_number(true, 1)}), MistakeSet{});
}

TEST(Choose, StridesThatLeaveTheStorageDoNotExplainAThrowOfTheProgramItself) {
    Answer refused = Answer::without_value(Answer::Kind::refused);
    const auto refused_by_strides = [refused] {
        Answer answer = refused;
        answer.refused_by_as_strided = true;
        return answer;
    }();
    const Predict model = [&](const Choices& c) {
        return c.moving.strides({2, 3}) == Strides{3, 1} ? Answer::of({{}, {1.0}, {0}}) : refused_by_strides;
    };
    const MistakeSet strides{&mistake("strides_off_by_one_axis")};
    const auto is_telling = [&](const Answer& seen) {
        const Observation one{{}, seen, model};
        return evidence_for(strides, {one})->is_telling();
    };
    EXPECT_TRUE(is_telling(refused_by_strides));
    EXPECT_FALSE(is_telling(refused));
}

}  // namespace
}  // namespace headway::diagnosis
