#include "naive.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace headway {
namespace {

using naive::numbers;
using testing::ElementsAre;
using testing::Eq;
using testing::HasSubstr;
using testing::IsNan;
using testing::ThrowsMessage;

constexpr float nan_value = std::numeric_limits<float>::quiet_NaN();

/// The elements of x along `axis`, at `index` of the shape in which that axis has size 1.
std::vector<float> line(const Tensor& x, Index axis, naive::Position index) {
    std::vector<float> values;
    for (Index i = 0; i < x.size(axis); ++i) {
        index[static_cast<std::size_t>(axis)] = i;
        values.push_back(naive::at(x, index));
    }
    return values;
}

TEST(Reductions, GoAlongTheNamedAxis) {
    const Tensor x = Tensor::rows({{1, 5, 3}, {4, 2, 6}});
    EXPECT_THAT(numbers(sum(x, 0)), ElementsAre(5, 7, 9));
    EXPECT_THAT(numbers(sum(x, 1)), ElementsAre(9, 12));
    EXPECT_THAT(numbers(mean(x, -1)), ElementsAre(3, 4));
    EXPECT_THAT(numbers(max(x, 0)), ElementsAre(4, 5, 6));
    EXPECT_THAT(numbers(max(x, 1)), ElementsAre(5, 6));
}

TEST(Reductions, MayKeepTheAxisWithSizeOne) {
    const Tensor x = Tensor::zeros({2, 3, 5});
    EXPECT_EQ(sum(x, 1).shape(), (Shape{2, 5}));
    EXPECT_EQ(sum(x, 1, KeepAxis::yes).shape(), (Shape{2, 1, 5}));
    EXPECT_EQ(sum(Tensor::zeros({4}), 0).shape(), Shape{});
}

TEST(Reductions, OfAnEmptyAxis) {
    const Tensor x = Tensor::zeros({2, 0});
    EXPECT_THAT(numbers(sum(x, 1)), ElementsAre(0, 0));
    EXPECT_THAT(mean(x, 1)(0), IsNan());
    EXPECT_THAT([&] { max(x, 1); }, ThrowsMessage<std::invalid_argument>(
                                        Eq("max: axis 1 of (2, 0) is empty, so there is no largest number")));
    EXPECT_EQ(max(x, 0).shape(), Shape{0});
}

TEST(Reductions, NameAnAxisThatIsNotThere) {
    EXPECT_THAT(
        [] {
            sum(Tensor::zeros({2, 3}), 2);
        },
        ThrowsMessage<std::out_of_range>(Eq("sum: axis 2 is out of range for rank 2, shape (2, 3)")));
    EXPECT_THAT([] { mean(Tensor::zeros({}), 0); }, ThrowsMessage<std::out_of_range>(HasSubstr("mean: axis 0")));
    EXPECT_THAT([] { max(Tensor::zeros({2}), -2); }, ThrowsMessage<std::out_of_range>(HasSubstr("max: axis -2")));
}

TEST(Reductions, OfAnUndefinedTensorNameTheOperation) {
    const Tensor none;
    EXPECT_THAT([&] { sum(none, 0); }, ThrowsMessage<std::invalid_argument>(HasSubstr("sum:")));
    EXPECT_THAT([&] { mean(none, 0); }, ThrowsMessage<std::invalid_argument>(HasSubstr("mean:")));
    EXPECT_THAT([&] { max(none, 0); }, ThrowsMessage<std::invalid_argument>(HasSubstr("max:")));
}

TEST(Max, OfALineWithANotANumberIsNotANumberWhereverItStands) {
    const float infinity = std::numeric_limits<float>::infinity();
    const Tensor x = Tensor::rows(
        {{nan_value, 1, 2}, {1, nan_value, 2}, {1, 2, nan_value}, {1, 2, infinity}, {-infinity, -infinity, -infinity}});
    const Tensor largest = max(x, 1);
    EXPECT_THAT(largest(0), IsNan());
    EXPECT_THAT(largest(1), IsNan());
    EXPECT_THAT(largest(2), IsNan());
    EXPECT_EQ(largest(3), infinity);
    EXPECT_EQ(largest(4), -infinity);
}

TEST(Reductions, MissNoElementOfALongLine) {
    for (const Index length : {31, 32, 33, 64, 77, 100})
        for (Index i = 0; i < length; ++i) {
            Tensor x = Tensor::full({length}, -3);
            x(i) = -2;
            ASSERT_EQ(max(x, 0)(), -2) << i << " of " << length;
            ASSERT_EQ(sum(x, 0)(), static_cast<float>(1 - 3 * length)) << i << " of " << length;
            x(i) = std::numeric_limits<float>::quiet_NaN();
            ASSERT_TRUE(std::isnan(max(x, 0)())) << i << " of " << length;
            ASSERT_TRUE(std::isnan(sum(x, 0)())) << i << " of " << length;
        }
}

TEST(Sum, LosesNoDigitsOnLongAxes) { EXPECT_EQ(sum(Tensor::full({1 << 20}, 0.1F), 0)(), 0.1F * (1 << 20)); }

TEST(Reductions, AgreeWithTheNaiveLoopOnAnyView) {
    Random random(61);
    for (int round = 0; round < 300; ++round) {
        Shape shape = naive::random_shape(random, 1, 4, 0, 5);
        const Index axis = random.integer(0, static_cast<Index>(shape.size()) - 1);
        shape[static_cast<std::size_t>(axis)] = random.integer(1, 5);
        const Tensor x = naive::random_view(random, shape, naive::Repeats::yes);
        shape[static_cast<std::size_t>(axis)] = 1;
        const Tensor total = sum(x, axis, KeepAxis::yes), average = mean(x, axis, KeepAxis::yes);
        const Tensor largest = max(x, axis, KeepAxis::yes);
        ASSERT_EQ(total.shape(), shape);
        for (const naive::Position& index : naive::indices(shape)) {
            const std::vector<float> values = line(x, axis, index);
            double expected = 0;
            for (const float value : values) expected += static_cast<double>(value);
            ASSERT_EQ(naive::at(total, index), static_cast<float>(expected));
            ASSERT_EQ(naive::at(average, index), static_cast<float>(expected / static_cast<double>(values.size())));
            ASSERT_EQ(naive::at(largest, index), *std::max_element(values.begin(), values.end()));
        }
        ASSERT_EQ(numbers(sum(x, axis)), numbers(total));
    }
}

}  // namespace
}  // namespace headway
