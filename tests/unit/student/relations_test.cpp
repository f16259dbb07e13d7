#include "student/relations.hpp"

#include "student/sweep.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace headway::judge {
namespace {

template <class Holds>
bool somewhere(const std::vector<AxisSizes>& rows, Holds holds) {
    return std::any_of(rows.begin(), rows.end(), holds);
}

class Relations : public testing::TestWithParam<std::uint64_t> {
protected:
    Random random{GetParam()};
    Axes axes{"B H T S d d_v D=H*d"};
    std::vector<AxisSizes> rows = every_relation(random, axes);
};

TEST_P(Relations, EachAxisIsOneAloneAndWithEveryOther) {
    const auto ones = [&](const AxisSizes& row) {
        return std::count(row.all().begin(), row.all().begin() + 6, Index{1});
    };
    for (const std::string& a : axes.names())
        for (const std::string& b : axes.names())
            EXPECT_TRUE(somewhere(
                rows,
                [&](const AxisSizes& row) { return row[a] == 1 && row[b] == 1 && ones(row) == (a == b ? 1 : 2); }))
                << a << " and " << b;
    EXPECT_TRUE(somewhere(rows, [&](const AxisSizes& row) { return ones(row) == 6; }));
}

TEST_P(Relations, EachTwoAreEqualAndUnequalBothWays) {
    for (const char* a : {"B", "H", "T", "S", "d", "d_v", "D"})
        for (const char* b : {"B", "H", "T", "S", "d", "d_v", "D"}) {
            const std::string both = std::string(a) + b;
            if (both == "HD" || both == "DH" || both == "dD" || both == "Dd") continue;  // D is a multiple of them
            EXPECT_TRUE(a == b || somewhere(rows, [&](const AxisSizes& row) { return row[a] < row[b]; })) << both;
            EXPECT_TRUE(somewhere(rows, [&](const AxisSizes& row) { return row[a] == row[b] && row[a] > 1; })) << both;
        }
}

TEST_P(Relations, EachAxisIsLongSomewhere) {
    for (const char* axis : {"S", "d", "d_v"})
        EXPECT_TRUE(somewhere(rows, [&](const AxisSizes& row) { return row[axis] > 128; })) << axis;
    for (const char* axis : {"B", "H", "T"})
        EXPECT_TRUE(somewhere(rows, [&](const AxisSizes& row) { return row[axis] > 16; })) << axis;
}

TEST_P(Relations, TwoAreLongTogetherAndNothingIsLeftOver) {
    EXPECT_TRUE(somewhere(rows, [](const AxisSizes& row) {
        return row["T"] > 13 && row["S"] > 13 && row["T"] != row["S"] && row["B"] * row["H"] == 4;
    }));
    for (const char* axis : {"T", "S", "d"})
        EXPECT_TRUE(somewhere(rows, [&](const AxisSizes& row) { return row[axis] == 16; })) << axis;
    EXPECT_TRUE(somewhere(rows, [](const AxisSizes& row) {
        return row["T"] % 8 == 0 && row["S"] % 8 == 0 && row["d"] % 8 == 0 && row["T"] * row["S"] * row["d"] == 4096;
    }));
}

TEST_P(Relations, RowsAreFewAndSmall) {
    EXPECT_LE(rows.size(), 60U);
    for (const AxisSizes& row : rows) {
        Index elements = 1;
        for (std::size_t axis = 0; axis < axes.names().size(); ++axis) elements *= row.all()[axis];
        EXPECT_LE(elements, 50'000);
        EXPECT_LE(row["B"] * row["H"] * row["T"], 220) << "some programs take a thread for each row";
        EXPECT_LE(row["T"] * row["S"], 600) << "or for each score of a head";
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Relations, testing::Values(1, 2, 3, 4, 5));

TEST(Relations, OneAxisAloneHasRowsToo) {
    Random random(1);
    const Axes one("S");
    const std::vector<AxisSizes> rows = every_relation(random, one);
    EXPECT_TRUE(somewhere(rows, [](const AxisSizes& row) { return row["S"] == 1; }));
    EXPECT_TRUE(somewhere(rows, [](const AxisSizes& row) { return row["S"] > 128; }));
}

TEST(Relations, AProductNeedsItsFactors) {
    EXPECT_THROW(Axes("H D=H*d"), std::invalid_argument);
    EXPECT_THROW(Axes("D=H*d H d"), std::invalid_argument);
    EXPECT_THROW(Axes("H d D=H*d").place("E"), std::out_of_range);
}

/// What is said where the rows for which `wrong` holds are wrong, without the number of questions.
template <class Wrong>
std::string said(const std::string& text, Wrong wrong) {
    Random random(7);
    const Axes axes(text);
    const std::vector<AxisSizes> rows = every_relation(random, axes);
    std::vector<bool> marks;
    marks.reserve(rows.size());
    for (const AxisSizes& row : rows) marks.push_back(wrong(row));
    const std::string sentence = what_tells_apart(axes, rows, marks);
    const std::size_t sizes = sentence.find("sizes ");
    return sizes == std::string::npos ? sentence : sentence.substr(sizes + 6);
}

TEST(WhatTellsApart, NamesTheRelationThatIsWrong) {
    EXPECT_EQ(said("B H T S d", [](const AxisSizes& n) { return n["T"] == n["S"]; }),
              "it is wrong where T = S, and only there");
    EXPECT_EQ(said("B H T S d", [](const AxisSizes& n) { return n["T"] == 1; }),
              "it is wrong where T = 1, and only there");
    EXPECT_EQ(said("B H T S d", [](const AxisSizes& n) { return n["T"] == 1 && n["S"] == 1; }),
              "it is wrong where T = S = 1, and only there");
    EXPECT_EQ(said("B H T d D=H*d", [](const AxisSizes& n) { return n["T"] == n["D"]; }),
              "it is wrong where T = D, and only there");
    EXPECT_EQ(said("T E D", [](const AxisSizes& n) { return n["E"] != n["D"]; }),
              "it is wrong where E differs from D, and only there");
    EXPECT_EQ(said("T D d_v", [](const AxisSizes& n) { return n["d_v"] > n["D"]; }),
              "it is wrong where d_v > D, and only there");
    EXPECT_EQ(said("B T S", [](const AxisSizes& n) { return n["S"] > 64; }).substr(0, 25), "it is wrong where S >= 13");
}

TEST(WhatTellsApart, SaysWhatAllWrongOnesHave) {
    int among = 0;  // a mask that blocks nothing hides it now and then
    EXPECT_TRUE(said("B H T S d d_v", [&](const AxisSizes& n) {
                    return n["T"] == 1 && among++ != 2;
                }).ends_with(" are wrong, and all of these have T = 1"));
}

TEST(WhatTellsApart, SaysNothingWithoutARelation) {
    EXPECT_EQ(said("B T S", [](const AxisSizes&) { return true; }), "");
    EXPECT_EQ(said("B T S", [](const AxisSizes&) { return false; }), "");
    int row = 0;
    EXPECT_EQ(said("B H T S d d_v", [&](const AxisSizes&) { return row++ % 3 == 1; }), "");
}

TEST(StayWrong, WhatIsWrongByItsSizesIsWrongEachTime) {
    EXPECT_TRUE(stay_wrong({false, true, false}, [](std::size_t i) { return i == 1; }));
    int asked = 0;  // a mask that blocks nothing hides it now and then
    EXPECT_TRUE(stay_wrong({true, false, true}, [&](std::size_t) { return asked++ % 4 != 1; }));
    EXPECT_EQ(asked, 8);
}

TEST(StayWrong, WhatIsWrongByChanceIsRightAgain) {
    int asked = 0;
    EXPECT_FALSE(stay_wrong({false, true, false}, [&](std::size_t) { return asked++ % 2 == 0; }));
    EXPECT_FALSE(stay_wrong({true, false, true}, [](std::size_t i) { return i == 0; }));
}

TEST(StayWrong, OfManyNoneIsAskedAgain) {
    EXPECT_TRUE(stay_wrong({true, true, false, true}, [](std::size_t) { return false; }));
}

TEST(MaskForms, EachBroadcastsAndTheyDiffer) {
    Random random(3);
    const Shape scores{3, 5, 6, 7};
    std::size_t expanded = 0, views = 0;
    for (int form = 0; form < all_mask_forms; ++form) {
        const Mask mask = mask_of_form(form, random, scores);
        EXPECT_NO_THROW(mask.expand(scores)) << form;
        views += mask.strides() != Layout::contiguous(mask.shape()).strides ? 1 : 0;
        expanded += mask.storage_size() < mask.numel() ? 1 : 0;
    }
    EXPECT_EQ(views, 6U);
    EXPECT_EQ(expanded, 1U);
}

}  // namespace
}  // namespace headway::judge
