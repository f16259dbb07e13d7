#include "naive.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <stdexcept>

namespace headway {
namespace {

using naive::numbers;
using testing::Each;
using testing::ElementsAre;
using testing::Eq;
using testing::HasSubstr;
using testing::IsNan;
using testing::ThrowsMessage;

TEST(Matmul, IsRowsTimesColumns) {
    const Tensor a = Tensor::rows({{1, 2, 3}, {4, 5, 6}});
    const Tensor b = Tensor::rows({{1, 0}, {0, 1}, {1, 1}});
    EXPECT_THAT(numbers(matmul(a, b)), ElementsAre(4, 5, 10, 11));
    EXPECT_EQ(matmul(a, b).shape(), (Shape{2, 2}));
}

TEST(Matmul, LeadingAxesBroadcast) {
    EXPECT_EQ(matmul(Tensor::ones({2, 1, 3, 4}), Tensor::ones({5, 4, 7})).shape(), (Shape{2, 5, 3, 7}));
    EXPECT_THAT(numbers(matmul(Tensor::ones({2, 1, 3, 4}), Tensor::ones({5, 4, 7}))), Each(4));
}

TEST(Matmul, AnEmptyInnerAxisSumsToZero) {
    EXPECT_THAT(numbers(matmul(Tensor::ones({2, 0}), Tensor::ones({0, 3}))), ElementsAre(0, 0, 0, 0, 0, 0));
    EXPECT_EQ(matmul(Tensor::ones({0, 2, 3}), Tensor::ones({3, 4})).shape(), (Shape{0, 2, 4}));
}

TEST(Matmul, SuggestsTheTranspositionThatWouldFit) {
    const auto product = [](const Shape& a, const Shape& b) {
        return [a, b] { matmul(Tensor::zeros(a), Tensor::zeros(b)); };
    };
    EXPECT_THAT(product({2, 3, 5, 4}, {2, 3, 7, 4}),
                ThrowsMessage<std::invalid_argument>(Eq("matmul: (2, 3, 5, 4) x (2, 3, 7, 4): inner sizes 4 and 7 "
                                                        "differ; did you mean b.transpose(-2, -1)?")));
    EXPECT_THAT(product({4, 5}, {4, 7}),
                ThrowsMessage<std::invalid_argument>(
                    Eq("matmul: (4, 5) x (4, 7): inner sizes 5 and 4 differ; did you mean a.transpose(-2, -1)?")));
}

TEST(Matmul, SuggestsNothingThatWouldNotFit) {
    EXPECT_THAT(
        [] {
            matmul(Tensor::zeros({5, 4}), Tensor::zeros({7, 3}));
        },
        ThrowsMessage<std::invalid_argument>(Eq("matmul: (5, 4) x (7, 3): inner sizes 4 and 7 differ")));
    EXPECT_THAT(
        [] {
            matmul(Tensor::zeros({2, 5, 4}), Tensor::zeros({3, 7, 4}));
        },
        ThrowsMessage<std::invalid_argument>(Eq("matmul: (2, 5, 4) x (3, 7, 4): inner sizes 4 and 7 differ")));
}

TEST(Matmul, SaysWhenLeadingAxesOrRankDoNotFit) {
    EXPECT_THAT(
        [] {
            matmul(Tensor::zeros({2, 5, 4}), Tensor::zeros({3, 4, 7}));
        },
        ThrowsMessage<std::invalid_argument>(
            Eq("matmul: (2, 5, 4) x (3, 4, 7): leading axes (2) and (3) do not broadcast")));
    EXPECT_THAT(
        [] {
            matmul(Tensor::zeros({4}), Tensor::zeros({4, 7}));
        },
        ThrowsMessage<std::invalid_argument>(
            Eq("matmul: (4) x (4, 7): each needs at least two axes, rows and columns")));
    EXPECT_THAT(
        [] {
            matmul(Tensor{}, Tensor::zeros({4, 7}));
        },
        ThrowsMessage<std::invalid_argument>(HasSubstr("matmul: a tensor is undefined")));
}

TEST(Matmul, NotANumberAndInfinityReachTheResult) {
    const float nan_value = std::numeric_limits<float>::quiet_NaN();
    for (const Index size : {2, 40}) {  // Eigen takes another way for small products
        Tensor a = Tensor::zeros({size, size});
        a(1, 0) = nan_value;
        const Tensor product = matmul(a, Tensor::zeros({size, size}));
        EXPECT_THAT(product(1, 0), IsNan());
        EXPECT_EQ(product(0, 0), 0);
    }
}

/// Each element lies within the forward error bound of a float sum of k products.
void expect_product(const Tensor& product, const Tensor& a, const Tensor& b) {
    const Index inner = a.size(-1);
    for (const naive::Position& index : naive::indices(product.shape())) {
        double expected = 0, magnitude = 0;
        naive::Position at_a = index, at_b = index;
        for (Index k = 0; k < inner; ++k) {
            at_a.back() = k;
            at_b[at_b.size() - 2] = k;
            const double term = static_cast<double>(naive::at(a, at_a)) * static_cast<double>(naive::at(b, at_b));
            expected += term;
            magnitude += std::abs(term);
        }
        ASSERT_NEAR(naive::at(product, index), expected, static_cast<double>(inner + 1) * 0x1p-24 * magnitude)
            << to_string(a.layout().shape) << to_string(a.strides()) << " x " << to_string(b.shape())
            << to_string(b.strides());
    }
}

void expect_random_product(Random& random, Index largest_matrix, Index max_leading_rank) {
    const Shape batch = naive::random_shape(random, 0, max_leading_rank, 0, 3);
    const Index m = random.integer(0, largest_matrix), k = random.integer(0, largest_matrix),
                n = random.integer(0, largest_matrix);
    const auto with_matrix = [](Shape shape, Index rows, Index cols) {
        shape.push_back(rows);
        shape.push_back(cols);
        return shape;
    };
    const Tensor a =
        naive::random_view(random, with_matrix(naive::random_narrower(random, batch), m, k), naive::Repeats::yes);
    const Tensor b =
        naive::random_view(random, with_matrix(naive::random_narrower(random, batch), k, n), naive::Repeats::yes);
    const Tensor product = matmul(a, b);
    ASSERT_TRUE(product.is_contiguous());
    ASSERT_EQ(product.size(-2), m);
    ASSERT_EQ(product.size(-1), n);
    expect_product(product, a, b);
}

TEST(Matmul, AgreesWithTheNaiveLoopOnAnyBatchAndStrides) {
    Random random(71);
    for (int round = 0; round < 500; ++round) ASSERT_NO_FATAL_FAILURE(expect_random_product(random, 6, 3));
}

TEST(Matmul, AgreesWithTheNaiveLoopOnLargerMatrices) {
    Random random(72);
    for (int round = 0; round < 40; ++round) ASSERT_NO_FATAL_FAILURE(expect_random_product(random, 45, 1));
}

TEST(Matmul, OverlappingWindowsAreAFineFactor) {
    const Tensor windows = Tensor::arange(40).as_strided({30, 11}, {1, 1}, 0);
    const Tensor repeated = Tensor::arange(20).as_strided({11, 20}, {0, 1}, 0);
    expect_product(matmul(windows, repeated), windows, repeated);
    expect_product(matmul(windows, windows.transpose(0, 1)), windows, windows.transpose(0, 1));
}

}  // namespace
}  // namespace headway
