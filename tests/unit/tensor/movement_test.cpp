#include "naive.hpp"

#include <gmock/gmock.h>

#include <limits>
#include <stdexcept>

namespace headway {
namespace {

using naive::numbers;
using testing::AllOf;
using testing::ElementsAre;
using testing::Eq;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(View, KeepsNumbersOrderAndStorage) {
    const Tensor x = Tensor::arange(12);
    const Tensor seen = x.view({3, 4});
    EXPECT_EQ(seen.shape(), (Shape{3, 4}));
    EXPECT_EQ(numbers(seen), numbers(x));
    EXPECT_TRUE(seen.shares_storage_with(x));
    EXPECT_EQ(Tensor::ones({1, 1}).view({}).shape(), Shape{});
}

TEST(View, InfersOneSize) {
    EXPECT_EQ(Tensor::arange(12).view({2, -1, 3}).shape(), (Shape{2, 2, 3}));
    EXPECT_EQ(Tensor::zeros({0, 3}).view({-1, 3}).shape(), (Shape{0, 3}));
    EXPECT_THROW((void)Tensor::arange(12).view({5, -1}), std::invalid_argument);
    EXPECT_THROW((void)Tensor::arange(12).view({-1, -1}), std::invalid_argument);
    EXPECT_THROW((void)Tensor::zeros({0}).view({-1, 0}), std::invalid_argument) << "any size would fit";
}

TEST(View, OfAContiguousWindowKeepsItsOffset) {
    EXPECT_THAT(numbers(Tensor::arange(12).slice(0, 4, 8).view({2, 2})), ElementsAre(4, 5, 6, 7));
}

TEST(View, SaysThatCountsDiffer) {
    EXPECT_THAT(
        [] {
            (void)Tensor::zeros({2, 3}).view({4});
        },
        ThrowsMessage<std::invalid_argument>(Eq("view: (2, 3) as (4): 6 elements cannot become 4")));
    EXPECT_THROW((void)Tensor::zeros({4}).view({std::numeric_limits<Index>::max(), 4}), std::invalid_argument);
}

TEST(View, OfATransposedTensorSaysWhyNotAndWhatToDo) {
    const Tensor x = Tensor::zeros({2, 3}).transpose(0, 1);
    EXPECT_THAT([&] { (void)x.view({6}); },
                ThrowsMessage<std::invalid_argument>(AllOf(HasSubstr("view: (3, 2) as (6)"),
                                                           HasSubstr("not contiguous"), HasSubstr("strides are (1, 3)"),
                                                           HasSubstr("call contiguous() first"))));
    EXPECT_EQ(x.contiguous().view({6}).shape(), Shape{6});
}

TEST(Transpose, SwapsStridesAndMovesNothing) {
    const Tensor x = Tensor::rows({{1, 2, 3}, {4, 5, 6}});
    const Tensor swapped = x.transpose(0, 1);
    EXPECT_EQ(swapped.shape(), (Shape{3, 2}));
    EXPECT_EQ(swapped.strides(), (Strides{1, 3}));
    EXPECT_THAT(numbers(swapped), ElementsAre(1, 4, 2, 5, 3, 6));
    EXPECT_TRUE(swapped.shares_storage_with(x));
    EXPECT_EQ(x.transpose(-2, -1).layout(), swapped.layout());
}

TEST(Transpose, NamesAnAxisThatIsNotThere) {
    EXPECT_THAT(
        [] {
            (void)Tensor::zeros({2, 3}).transpose(0, 2);
        },
        ThrowsMessage<std::out_of_range>(Eq("transpose: axis 2 is out of range for rank 2, shape (2, 3)")));
}

TEST(Contiguous, CopiesOnlyIfNeeded) {
    const Tensor x = Tensor::rows({{1, 2, 3}, {4, 5, 6}});
    EXPECT_TRUE(x.contiguous().shares_storage_with(x));
    const Tensor copy = x.transpose(0, 1).contiguous();
    EXPECT_FALSE(copy.shares_storage_with(x));
    EXPECT_THAT(naive::storage(copy), ElementsAre(1, 4, 2, 5, 3, 6));
}

TEST(Movement, AgreesWithIndexArithmeticOnAnyView) {
    Random random(31);
    for (int round = 0; round < 200; ++round) {
        const Shape shape = naive::random_shape(random, 1, 4, 0, 4);
        const Tensor x = naive::random_view(random, shape, naive::Repeats::yes);
        const Index axis0 = random.integer(0, x.rank() - 1), axis1 = random.integer(0, x.rank() - 1);
        const Tensor swapped = x.transpose(axis0, axis1 - x.rank());
        for (naive::Position index : naive::indices(swapped.shape())) {
            const float here = naive::at(swapped, index);
            std::swap(index[static_cast<std::size_t>(axis0)], index[static_cast<std::size_t>(axis1)]);
            ASSERT_EQ(here, naive::at(x, index));
        }
        const Tensor dense = swapped.contiguous();
        ASSERT_TRUE(dense.is_contiguous());
        ASSERT_EQ(numbers(dense), numbers(swapped));
        ASSERT_EQ(numbers(dense.view({dense.numel()})), numbers(swapped));
        if (!swapped.is_contiguous()) {
            ASSERT_THROW((void)swapped.view({swapped.numel()}), std::invalid_argument);
        }
    }
}

TEST(Movement, OfAnUndefinedTensorNamesTheOperation) {
    const Tensor none;
    EXPECT_THAT([&] { (void)none.view({}); }, ThrowsMessage<std::invalid_argument>(HasSubstr("view:")));
    EXPECT_THAT([&] { (void)none.transpose(0, 1); }, ThrowsMessage<std::invalid_argument>(HasSubstr("transpose:")));
    EXPECT_THAT([&] { (void)none.contiguous(); }, ThrowsMessage<std::invalid_argument>(HasSubstr("contiguous:")));
}

}  // namespace
}  // namespace headway
