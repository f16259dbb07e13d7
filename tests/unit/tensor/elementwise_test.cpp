#include "naive.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace headway {
namespace {

using naive::numbers;
using testing::ElementsAre;
using testing::Eq;
using testing::HasSubstr;
using testing::IsNan;
using testing::ThrowsMessage;

constexpr float nan_value = std::numeric_limits<float>::quiet_NaN();

TEST(Elementwise, AddsSubtractsMultipliesAndDivides) {
    const Tensor a = Tensor::of({2}, {6, 8});
    const Tensor b = Tensor::of({2}, {2, 4});
    EXPECT_THAT(numbers(a + b), ElementsAre(8, 12));
    EXPECT_THAT(numbers(a - b), ElementsAre(4, 4));
    EXPECT_THAT(numbers(a * b), ElementsAre(12, 32));
    EXPECT_THAT(numbers(a / b), ElementsAre(3, 2));
    EXPECT_THAT(numbers(-a), ElementsAre(-6, -8));
}

TEST(Elementwise, TakesANumberOnEitherSide) {
    const Tensor a = Tensor::of({2}, {2, 4});
    EXPECT_THAT(numbers(a + 1), ElementsAre(3, 5));
    EXPECT_THAT(numbers(a - 1), ElementsAre(1, 3));
    EXPECT_THAT(numbers(a * 3), ElementsAre(6, 12));
    EXPECT_THAT(numbers(a / 2), ElementsAre(1, 2));
    EXPECT_THAT(numbers(1 + a), ElementsAre(3, 5));
    EXPECT_THAT(numbers(1 - a), ElementsAre(-1, -3));
    EXPECT_THAT(numbers(3 * a), ElementsAre(6, 12));
    EXPECT_THAT(numbers(8 / a), ElementsAre(4, 2));
}

TEST(Elementwise, AColumnAndARowMakeAMatrix) {
    const Tensor column = Tensor::of({2, 1}, {10, 20});
    const Tensor row = Tensor::of({3}, {1, 2, 3});
    const Tensor sum = column + row;
    EXPECT_EQ(sum.shape(), (Shape{2, 3}));
    EXPECT_THAT(numbers(sum), ElementsAre(11, 12, 13, 21, 22, 23));
}

TEST(Elementwise, SaysOperationShapesAndAxisWhenShapesDoNotBroadcast) {
    EXPECT_THAT(
        [] {
            Tensor::zeros({2, 3}) * Tensor::zeros({2, 4});
        },
        ThrowsMessage<std::invalid_argument>(
            Eq("a * b: (2, 3) and (2, 4) do not broadcast: sizes 3 and 4 of axis -1 differ and neither is 1")));
}

TEST(Elementwise, ResultsAreNewAndRowMajor) {
    const Tensor a = Tensor::rows({{1, 2, 3}, {4, 5, 6}}).transpose(0, 1);
    const Tensor doubled = a + a;
    EXPECT_TRUE(doubled.is_contiguous());
    EXPECT_FALSE(doubled.shares_storage_with(a));
    EXPECT_THAT(numbers(doubled), ElementsAre(2, 8, 4, 10, 6, 12));
}

TEST(Elementwise, AgreesWithTheNaiveLoopOverBroadcastShapesAndAnyStrides) {
    Random random(41);
    for (int round = 0; round < 400; ++round) {
        const Shape shape = naive::random_shape(random, 0, 4, 0, 4);
        const Tensor a = naive::random_view(random, naive::random_narrower(random, shape), naive::Repeats::yes);
        const Tensor b = naive::random_view(random, naive::random_narrower(random, shape), naive::Repeats::yes);
        const Tensor sum = a + b, difference = a - b, product = a * b, quotient = a / b;
        ASSERT_EQ(sum.shape(), broadcast_shapes(a.shape(), b.shape(), "test"));
        for (const naive::Position& index : naive::indices(sum.shape())) {
            const float left = naive::at(a, index), right = naive::at(b, index);
            ASSERT_EQ(naive::at(sum, index), left + right);
            ASSERT_EQ(naive::at(difference, index), left - right);
            ASSERT_EQ(naive::at(product, index), left * right);
            ASSERT_EQ(naive::at(quotient, index), left / right);
        }
    }
}

TEST(Functions, ExpLogAndSqrtGoThroughEveryElement) {
    Random random(42);
    for (int round = 0; round < 100; ++round) {
        const Tensor x = naive::random_view(random, naive::random_shape(random, 0, 4, 0, 4), naive::Repeats::yes);
        const Tensor raised = exp(x), logged = log(raised), root = sqrt(raised);
        for (const naive::Position& index : naive::indices(x.shape())) {
            const double exact = std::exp(static_cast<double>(naive::at(x, index)));
            ASSERT_EQ(naive::at(raised, index), static_cast<float>(exact)) << "the nearest float32";
            ASSERT_EQ(naive::at(logged, index), std::log(naive::at(raised, index)));
            ASSERT_EQ(naive::at(root, index), std::sqrt(naive::at(raised, index)));
        }
    }
}

TEST(Functions, ExpIsTheNearestFloat32OrItsNeighbourFarBeyondWhatFloat32Holds) {
    const Tensor x = Tensor::arange(200001) / 1000.0F - 107.0F;  // to 93: from 0 over denormal numbers to infinity
    const Tensor raised = exp(x);
    Index neighbours = 0;
    for (Index i = 0; i < x.numel(); ++i) {
        const auto exact = static_cast<float>(std::exp(static_cast<double>(x.data()[i])));
        const float ours = raised.data()[i];
        ASSERT_TRUE(ours == exact || ours == std::nextafter(exact, ours)) << x.data()[i] << ": " << ours;
        neighbours += ours != exact ? 1 : 0;
    }
    EXPECT_LE(neighbours, 20);
    EXPECT_EQ(raised.data()[0], 0);
    EXPECT_EQ(raised.data()[200000], std::numeric_limits<float>::infinity());
}

TEST(Functions, ExpDoesNotMixUpItsElementsAtAnyLength) {
    const float infinity = std::numeric_limits<float>::infinity();
    for (Index length = 1; length < 40; ++length)
        for (Index i = 0; i < length; ++i) {
            Tensor x = Tensor::zeros({length});
            x(i) = -infinity;
            ASSERT_EQ(exp(x)(i), 0);
            ASSERT_EQ(sum(exp(x), 0)(), static_cast<float>(length - 1));
            x(i) = nan_value;
            ASSERT_THAT(exp(x)(i), IsNan());
        }
}

TEST(Functions, KeepInfinitiesExact) {
    const float infinity = std::numeric_limits<float>::infinity();
    EXPECT_THAT(numbers(exp(Tensor::of({3}, {-infinity, infinity, 0}))), ElementsAre(0, infinity, 1));
}

TEST(NotANumber, StaysVisibleInEveryOperation) {
    const Tensor bad = Tensor::of({1}, {nan_value});
    const Tensor one = Tensor::ones({1});
    for (const Tensor& result : {bad + one, one - bad, bad * 0, bad / bad, -bad, exp(bad), log(bad), sqrt(bad)})
        EXPECT_THAT(result(0), IsNan());
}

TEST(Temporaries, GiveTheirMemoryToTheResult) {
    Tensor x = Tensor::of({2, 2}, {1, 2, 3, 4});
    const float* memory = x.data();
    const Tensor row = Tensor::of({2}, {1, 2});
    x = (std::move(x) + row - row) * row / row / 2.0F;
    x = masked_fill(exp(std::move(x)), Mask::of({2}, {true, false}), 0);
    EXPECT_EQ(x.data(), memory);
    EXPECT_THAT(numbers(x), ElementsAre(0, exp(1.0F), 0, exp(2.0F)));
}

TEST(Temporaries, KeepTheirNumbersIfAnybodySeesThem) {
    const Tensor kept = Tensor::of({2, 2}, {1, 2, 3, 4});
    const auto shared = [&] { return kept; };
    const auto part = [] { return Tensor::of({3}, {1, 2, 3}).slice(0, 1, 3); };
    const auto turned = [] { return Tensor::rows({{1, 2}, {3, 4}}).transpose(0, 1); };
    const Tensor row = Tensor::of({2}, {1, 2});
    for (const Tensor& result : {shared() + row, shared() - row, shared() * row, shared() / row, shared() / 2.0F,
                                 exp(shared()), masked_fill(shared(), Mask::block_all({2}), 9)})
        EXPECT_FALSE(result.shares_storage_with(kept));
    EXPECT_THAT(numbers(kept), ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(numbers(part() + row), ElementsAre(3, 5));
    EXPECT_THAT(numbers(exp(part())), ElementsAre(exp(2.0F), exp(3.0F)));
    EXPECT_THAT(numbers(turned() - row), ElementsAre(0, 1, 1, 2));
    EXPECT_TRUE((turned() - row).is_contiguous());
}

TEST(Temporaries, GrowIntoTheShapeThatBroadcastsOrSayWhyNot) {
    const Tensor column = Tensor::of({2, 1}, {10, 20});
    EXPECT_THAT(numbers(Tensor::of({2}, {1, 2}) + column), ElementsAre(11, 12, 21, 22));
    EXPECT_THAT(
        [] {
            Tensor::zeros({2, 3}) * Tensor::zeros({2, 4});
        },
        ThrowsMessage<std::invalid_argument>(HasSubstr("a * b: (2, 3) and (2, 4) do not broadcast")));
    EXPECT_THAT([] { Tensor::zeros({2}) - Tensor{}; },
                ThrowsMessage<std::invalid_argument>(HasSubstr("a - b: a tensor is undefined")));
}

TEST(MaskedFill, WritesWhereTheMaskIsTrue) {
    const Tensor x = Tensor::of({2, 2}, {1, 2, 3, 4});
    EXPECT_THAT(numbers(masked_fill(x, Mask::of({2, 2}, {false, true, false, true}), 9)), ElementsAre(1, 9, 3, 9));
    EXPECT_THAT(numbers(masked_fill(x, Mask::of({2}, {false, true}), 9)), ElementsAre(1, 9, 3, 9));
    EXPECT_THAT(numbers(masked_fill(x, Mask{}, 9)), ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(numbers(x), ElementsAre(1, 2, 3, 4)) << "the argument is not changed";
    EXPECT_FALSE(masked_fill(x, Mask{}, 9).shares_storage_with(x));
}

TEST(MaskedFill, TheMaskBroadcastsToTheTensorNotTheOtherWayRound) {
    EXPECT_THAT(
        [] {
            masked_fill(Tensor::zeros({2}), Mask::allow_all({3, 2}), 1);
        },
        ThrowsMessage<std::invalid_argument>(Eq("masked_fill: the mask: (3, 2) does not broadcast to (2)")));
}

TEST(MaskedFill, AgreesWithTheNaiveLoop) {
    Random random(43);
    for (int round = 0; round < 200; ++round) {
        const Shape shape = naive::random_shape(random, 0, 4, 0, 4);
        const Tensor x = naive::random_view(random, shape, naive::Repeats::yes);
        const Mask mask = naive::random_mask(random, naive::random_narrower(random, shape));
        const Tensor filled = masked_fill(x, mask, 99);
        for (const naive::Position& index : naive::indices(shape))
            ASSERT_EQ(naive::at(filled, index), naive::at(mask, index) ? 99 : naive::at(x, index));
    }
}

TEST(Cat, JoinsAlongAnAxis) {
    const Tensor a = Tensor::rows({{1, 2}, {3, 4}});
    const Tensor b = Tensor::rows({{5}, {6}});
    EXPECT_THAT(numbers(cat({a, b}, 1)), ElementsAre(1, 2, 5, 3, 4, 6));
    EXPECT_THAT(numbers(cat({a, b, a}, -1)), ElementsAre(1, 2, 5, 1, 2, 3, 4, 6, 3, 4));
}

TEST(Cat, SaysWhatDoesNotFit) {
    EXPECT_THAT(
        [] {
            cat({Tensor::zeros({2, 3}), Tensor::zeros({3, 3})}, 1);
        },
        ThrowsMessage<std::invalid_argument>(Eq("cat: (2, 3) and (3, 3) differ in more than axis 1")));
    EXPECT_THROW(cat({Tensor::zeros({2, 3}), Tensor::zeros({2})}, 1), std::invalid_argument);
    EXPECT_THAT([] { cat({}, 0); }, ThrowsMessage<std::invalid_argument>(HasSubstr("cat: there is no tensor")));
    EXPECT_THROW(cat({Tensor::zeros({2})}, 1), std::out_of_range);
}

TEST(Cat, EachPieceIsFoundAgainInItsSlice) {
    Random random(44);
    for (int round = 0; round < 100; ++round) {
        Shape shape = naive::random_shape(random, 1, 4, 0, 3);
        const Index axis = random.integer(0, static_cast<Index>(shape.size()) - 1);
        std::vector<Tensor> pieces;
        for (Index count = random.integer(1, 4); count > 0; --count) {
            shape[static_cast<std::size_t>(axis)] = random.integer(0, 3);
            pieces.push_back(naive::random_view(random, shape, naive::Repeats::yes));
        }
        const Tensor joined = cat(pieces, axis);
        Index begin = 0;
        for (const Tensor& piece : pieces) {
            ASSERT_EQ(numbers(joined.slice(axis, begin, begin + piece.size(axis))), numbers(piece));
            begin += piece.size(axis);
        }
        ASSERT_EQ(begin, joined.size(axis));
    }
}

TEST(Undefined, IsRefusedByName) {
    const Tensor none, one = Tensor::ones({1});
    EXPECT_THAT([&] { none + one; }, ThrowsMessage<std::invalid_argument>(HasSubstr("a + b: a tensor is undefined")));
    EXPECT_THAT([&] { one / none; }, ThrowsMessage<std::invalid_argument>(HasSubstr("a / b:")));
    EXPECT_THAT([&] { none * 2; }, ThrowsMessage<std::invalid_argument>(HasSubstr("a * b:")));
    EXPECT_THAT([&] { exp(none); }, ThrowsMessage<std::invalid_argument>(HasSubstr("exp:")));
    EXPECT_THAT([&] { masked_fill(none, {}, 0); }, ThrowsMessage<std::invalid_argument>(HasSubstr("masked_fill:")));
    EXPECT_THAT([&] { cat({one, none}, 0); }, ThrowsMessage<std::invalid_argument>(HasSubstr("cat:")));
}

}  // namespace
}  // namespace headway
