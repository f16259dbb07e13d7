#include "naive.hpp"

#include <gmock/gmock.h>

#include <limits>
#include <stdexcept>

namespace headway {
namespace {

using naive::numbers;
using testing::ElementsAre;
using testing::Eq;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr Index huge = std::numeric_limits<Index>::max();

TEST(AsStrided, ReadsStorageAtOffsetPlusStrides) {
    const Tensor x = Tensor::arange(12);
    EXPECT_THAT(numbers(x.as_strided({2, 3}, {1, 4}, 2)), ElementsAre(2, 6, 10, 3, 7, 11));
    EXPECT_TRUE(x.as_strided({2, 3}, {1, 4}, 2).shares_storage_with(x));
    EXPECT_THAT(numbers(x.as_strided({3}, {0}, 5)), ElementsAre(5, 5, 5));
}

TEST(AsStrided, WithoutAnOffsetKeepsTheTensorsOwn) {
    EXPECT_THAT(numbers(Tensor::arange(6).slice(0, 2, 6).as_strided({2}, {2})), ElementsAre(2, 4));
}

TEST(AsStrided, SaysWhereItWouldLeaveTheStorage) {
    const Tensor x = Tensor::zeros({16});
    EXPECT_THAT(
        [&] {
            (void)x.as_strided({4, 4}, {4, 1}, 2);
        },
        ThrowsMessage<std::invalid_argument>(Eq("as_strided: shape (4, 4) with strides (4, 1) and offset 2 "
                                                "reaches position 17 of a storage that holds 16")));
    EXPECT_NO_THROW((void)x.as_strided({4, 4}, {4, 1}, 0));
    EXPECT_THAT(
        [&] {
            (void)x.as_strided({4, 4}, {1}, 0);
        },
        ThrowsMessage<std::invalid_argument>(HasSubstr("differ in rank")));
}

TEST(AsStrided, RefusesEveryHostileValue) {
    const Tensor x = Tensor::zeros({16});
    EXPECT_THROW((void)x.as_strided({-1}, {1}, 0), std::invalid_argument);
    EXPECT_THROW((void)x.as_strided({2}, {-1}, 8), std::invalid_argument);
    EXPECT_THROW((void)x.as_strided({2}, {1}, -1), std::invalid_argument);
    EXPECT_THROW((void)x.as_strided({2}, {1}, huge), std::invalid_argument);
    EXPECT_THROW((void)x.as_strided({2}, {huge}, 1), std::invalid_argument);
    EXPECT_THROW((void)x.as_strided({huge}, {huge}, 0), std::invalid_argument);
    EXPECT_THROW((void)x.as_strided({2, 2, 2}, {huge, huge, 2}, 0), std::invalid_argument);
    EXPECT_THROW((void)x.as_strided({3}, {huge / 2 + 1}, 0), std::invalid_argument);
    EXPECT_THROW((void)x.as_strided({huge, huge}, {0, 0}, 0), std::invalid_argument) << "more elements than countable";
    EXPECT_THROW((void)x.as_strided({}, {}, 16), std::invalid_argument);
    EXPECT_THROW((void)x.as_strided({0}, {1}, 17), std::invalid_argument) << "even the first address must be valid";
    EXPECT_THROW((void)x.as_strided({}, {}, std::numeric_limits<Index>::min()), std::invalid_argument);
}

TEST(AsStrided, AcceptsExactlyWhatStaysInside) {
    Random random(21);
    const Tensor x = Tensor::zeros({20});
    int accepted = 0;
    for (int round = 0; round < 2000; ++round) {
        const Shape shape = naive::random_shape(random, 0, 3, 0, 4);
        Strides strides(shape.size());
        for (Index& stride : strides) stride = random.integer(-1, 7);
        const Index offset = random.integer(-1, 21);

        bool inside = offset >= 0 && offset <= 20;
        for (const Index stride : strides) inside = inside && stride >= 0;
        for (const naive::Position& index : naive::indices(shape)) {
            Index position = offset;
            for (std::size_t axis = 0; axis < shape.size(); ++axis) position += index[axis] * strides[axis];
            inside = inside && position < 20;
        }
        if (inside) {
            ASSERT_EQ(x.as_strided(shape, strides, offset).layout(), (Layout{shape, strides, offset}));
            ++accepted;
        } else {
            ASSERT_THROW((void)x.as_strided(shape, strides, offset), std::invalid_argument);
        }
    }
    EXPECT_GT(accepted, 300);
    EXPECT_LT(accepted, 1700);
}

TEST(Expand, RepeatsWithoutCopying) {
    const Tensor row = Tensor::of({1, 2}, {3, 4});
    const Tensor tall = row.expand({3, 2});
    EXPECT_THAT(numbers(tall), ElementsAre(3, 4, 3, 4, 3, 4));
    EXPECT_TRUE(tall.shares_storage_with(row));
    EXPECT_EQ(tall.storage_size(), 2);
}

TEST(Expand, ShowsWhatBroadcastingWould) {
    Random random(22);
    for (int round = 0; round < 200; ++round) {
        const Shape wide = naive::random_shape(random, 0, 4, 0, 3);
        const Tensor x = naive::random_view(random, naive::random_narrower(random, wide));
        const Tensor expanded = x.expand(wide);
        ASSERT_EQ(expanded.shape(), wide);
        for (const naive::Position& index : naive::indices(wide))
            ASSERT_EQ(naive::at(expanded, index), naive::at(x, index));
    }
}

TEST(Select, DropsTheAxis) {
    const Tensor x = Tensor::rows({{1, 2, 3}, {4, 5, 6}});
    EXPECT_THAT(numbers(x.select(1, 2)), ElementsAre(3, 6));
    EXPECT_THAT(numbers(x.select(-1, 0)), ElementsAre(1, 4));
    EXPECT_THAT(numbers(x[1]), ElementsAre(4, 5, 6));
    EXPECT_EQ(x[1][2].shape(), Shape{});
    EXPECT_EQ(x[1][2](), 6);
    EXPECT_TRUE(x[1].shares_storage_with(x));
}

TEST(Select, SaysWhichPositionIsOutOfRange) {
    const Tensor x = Tensor::zeros({2, 3});
    EXPECT_THAT(
        [&] { (void)x.select(1, 3); },
        ThrowsMessage<std::out_of_range>(Eq("select: position 3 is out of range for axis 1 of size 3, shape (2, 3)")));
    EXPECT_THROW((void)x[-1], std::out_of_range);
    EXPECT_THAT([&] { (void)x.select(2, 0); }, ThrowsMessage<std::out_of_range>(HasSubstr("select: axis 2")));
}

TEST(Slice, KeepsTheAxis) {
    const Tensor x = Tensor::rows({{1, 2, 3}, {4, 5, 6}});
    EXPECT_THAT(numbers(x.slice(1, 1, 3)), ElementsAre(2, 3, 5, 6));
    EXPECT_EQ(x.slice(0, 1, 1).shape(), (Shape{0, 3}));
    EXPECT_TRUE(x.slice(1, 1, 3).shares_storage_with(x));
}

TEST(Slice, SaysWhichRangeIsWrong) {
    const Tensor x = Tensor::zeros({2, 3});
    EXPECT_THAT(
        [&] { (void)x.slice(1, 1, 4); },
        ThrowsMessage<std::out_of_range>(Eq("slice: [1, 4) is out of range for axis 1 of size 3, shape (2, 3)")));
    EXPECT_THROW((void)x.slice(0, 2, 1), std::out_of_range);
    EXPECT_THROW((void)x.slice(0, -1, 1), std::out_of_range);
    EXPECT_THROW((void)x.slice(-3, 0, 1), std::out_of_range);
}

TEST(Slice, AnEmptyOneStillPointsIntoItsStorage) {
    const Tensor column = Tensor::zeros({5, 4}).slice(1, 3, 4);
    const Tensor none = column.slice(0, 5, 5);
    EXPECT_LE(none.offset(), none.storage_size());
    EXPECT_NO_THROW((void)none.as_strided(none.shape(), none.strides()));
}

TEST(SelectAndSlice, AgreeWithIndexArithmeticOnAnyView) {
    Random random(23);
    for (int round = 0; round < 200; ++round) {
        const Shape shape = naive::random_shape(random, 1, 4, 1, 4);
        const Tensor x = naive::random_view(random, shape, naive::Repeats::yes);
        const Index axis = random.integer(0, x.rank() - 1);
        const Index begin = random.integer(0, x.size(axis) - 1);
        const Index end = random.integer(begin, x.size(axis));
        const Tensor part = x.slice(axis, begin, end);
        for (naive::Position index : naive::indices(part.shape())) {
            const float here = naive::at(part, index);
            index[static_cast<std::size_t>(axis)] += begin;
            ASSERT_EQ(here, naive::at(x, index));
        }
        const Tensor chosen = x.select(axis, begin);
        for (naive::Position index : naive::indices(chosen.shape())) {
            const float here = naive::at(chosen, index);
            index.insert(index.begin() + axis, begin);
            ASSERT_EQ(here, naive::at(x, index));
        }
    }
}

TEST(Views, OfAnUndefinedTensorNameTheOperation) {
    const Tensor none;
    EXPECT_THAT([&] { (void)none.as_strided({}, {}); }, ThrowsMessage<std::invalid_argument>(HasSubstr("as_strided:")));
    EXPECT_THAT([&] { (void)none.expand({2}); }, ThrowsMessage<std::invalid_argument>(HasSubstr("expand:")));
    EXPECT_THAT([&] { (void)none.select(0, 0); }, ThrowsMessage<std::invalid_argument>(HasSubstr("select:")));
    EXPECT_THAT([&] { (void)none.slice(0, 0, 0); }, ThrowsMessage<std::invalid_argument>(HasSubstr("slice:")));
}

}  // namespace
}  // namespace headway
