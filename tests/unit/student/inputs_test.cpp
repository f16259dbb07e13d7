#include "student/inputs.hpp"
#include "student/layouts.hpp"

#include <gtest/gtest.h>

#include <set>

namespace headway::judge {
namespace {

bool is_power_of_two(Index size) { return (size & (size - 1)) == 0; }

TEST(Inputs, SizesDifferPairwiseAndHideNothing) {
    Random random(1);
    for (int round = 0; round < 1000; ++round) {
        const Sizes n = random_sizes(random);
        const std::set<Index> sizes{n.B, n.H, n.T, n.S, n.d, n.d_v, n.D()};
        EXPECT_EQ(sizes.size(), 7U);
        for (const Index size : sizes) EXPECT_FALSE(is_power_of_two(size)) << size;
        EXPECT_GE(n.B, 3);
        EXPECT_GE(n.H, 3);
    }
}

TEST(Inputs, StridedIsTheSameTensorElsewhere) {
    Random random(2);
    const Tensor x = random_tensor(random, {3, 5, 7});
    const Tensor y = strided(x);
    EXPECT_FALSE(y.is_contiguous());
    EXPECT_NE(y.offset(), 0);
    for (Index i = 0; i < 3; ++i)
        for (Index j = 0; j < 5; ++j)
            for (Index k = 0; k < 7; ++k) EXPECT_EQ(y(i, j, k), x(i, j, k));
}

TEST(Inputs, RowsLieInAnotherOrderOrHaveGaps) {
    Random random(3);
    const Tensor x = random_tensor(random, {3, 5, 7});
    const Tensor rows = rows_in_another_order(x), gaps = with_gaps_in_rows(x);
    EXPECT_EQ(rows.strides(), (Strides{7, 21, 1}));
    EXPECT_EQ(gaps.strides(), (Strides{70, 14, 2}));
    for (Index i = 0; i < 3; ++i)
        for (Index j = 0; j < 5; ++j)
            for (Index k = 0; k < 7; ++k) {
                EXPECT_EQ(rows(i, j, k), x(i, j, k));
                EXPECT_EQ(gaps(i, j, k), x(i, j, k));
            }
    EXPECT_EQ(with_gaps_in_rows(x.select(0, 0)).strides(), (Strides{14, 2}));
    EXPECT_FALSE(rows_in_another_order(x.select(0, 0)).is_contiguous());
}

TEST(Inputs, RandomMasksBlockSomeAndLeaveEachRowAKey) {
    Random random(3);
    const Mask mask = random_mask(random, {50, 7});
    Index blocked = 0;
    for (Index t = 0; t < 50; ++t) {
        Index in_row = 0;
        for (Index s = 0; s < 7; ++s) in_row += std::as_const(mask)(t, s) ? 1 : 0;
        EXPECT_LT(in_row, 7);
        blocked += in_row;
    }
    EXPECT_GT(blocked, 50);
}

}  // namespace
}  // namespace headway::judge
