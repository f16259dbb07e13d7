#include "head_splitting.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

// Whole numbers, to follow with a finger along the storage.
namespace headway::ex02 {
namespace {

TEST(ContiguousStrides, AreTheProductsOfTheSizesBehind) {
    EXPECT_EQ(contiguous_strides({2, 3, 4}), (Strides{12, 4, 1}));  // 3·4, 4, nothing
    EXPECT_EQ(contiguous_strides({5}), (Strides{1}));
    EXPECT_EQ(contiguous_strides({}), (Strides{}));
}

TEST(View, ReadsTheSameStorageWithAnotherShape) {
    Tensor x = Tensor::arange(6);      // 0 1 2 3 4 5
    const Tensor y = view(x, {2, 3});  // 0 1 2 | 3 4 5
    ASSERT_EQ(y.shape(), (Shape{2, 3}));
    EXPECT_EQ(y(0, 2), 2);
    EXPECT_EQ(y(1, 0), 3);
    x(3) = 30;
    EXPECT_EQ(y(1, 0), 30) << "the view must show what is written to x: was it copied?";
    EXPECT_THROW(view(x, {2, 4}), std::invalid_argument);  // 6 numbers are not 8
}

TEST(Transpose, SwapsStridesAndMovesNothing) {
    const Tensor x = Tensor::rows({{0, 1, 2}, {3, 4, 5}});  // strides (3, 1)
    const Tensor y = transpose(x, 0, 1);                    // 0 3 | 1 4 | 2 5
    EXPECT_EQ(y.shape(), (Shape{3, 2}));
    EXPECT_EQ(y.strides(), (Strides{1, 3}));
    EXPECT_EQ(y(2, 0), 2);
    EXPECT_EQ(y(0, 1), 3);
    EXPECT_TRUE(y.shares_storage_with(x));
}

TEST(Contiguous, CopiesOnlyWhatIsOutOfOrder) {
    const Tensor x = Tensor::rows({{0, 1, 2}, {3, 4, 5}});
    EXPECT_TRUE(contiguous(x).shares_storage_with(x));

    const Tensor columns = x.as_strided({3, 2}, {1, 3});  // x transposed: 0 3 | 1 4 | 2 5
    const Tensor copy = contiguous(columns);
    EXPECT_FALSE(copy.shares_storage_with(x));
    EXPECT_EQ(copy.shape(), (Shape{3, 2}));
    EXPECT_EQ(copy.strides(), (Strides{2, 1}));
    EXPECT_EQ(copy(0, 1), 3);
    EXPECT_EQ(copy(2, 0), 2);
}

TEST(SplitHeads, GivesEachHeadItsFeaturesOfEveryToken) {
    // One sequence of two tokens, six features each. Tens: the token; ones: the feature.
    const Tensor x = Tensor::of({1, 2, 6}, {0, 1, 2, 3, 4, 5,          // head 0: 0 1, head 1: 2 3, head 2: 4 5
                                            10, 11, 12, 13, 14, 15});  // head 0: 10 11, head 1: 12 13, head 2: 14 15
    const Tensor heads = split_heads(x, 3);
    ASSERT_EQ(heads.shape(), (Shape{1, 3, 2, 2}));  // (B, H, T, d)
    EXPECT_EQ(heads(0, 0, 0, 0), 0);
    EXPECT_EQ(heads(0, 1, 0, 0), 2);  // head 1 begins at feature 1·d = 2
    EXPECT_EQ(heads(0, 1, 1, 1), 13);
    EXPECT_EQ(heads(0, 2, 1, 0), 14);
    EXPECT_TRUE(heads.shares_storage_with(x));
}

TEST(SplitHeads, RefusesHeadsThatDoNotDivideTheWidth) {
    EXPECT_THROW(split_heads(Tensor::zeros({1, 2, 6}), 4), std::invalid_argument);
    EXPECT_THROW(split_heads(Tensor::zeros({1, 2, 6}), 0), std::invalid_argument);
}

}  // namespace
}  // namespace headway::ex02
