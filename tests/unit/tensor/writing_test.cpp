#include "naive.hpp"

#include <gmock/gmock.h>

#include <stdexcept>

namespace headway {
namespace {

using naive::numbers;
using testing::Each;
using testing::ElementsAre;
using testing::Eq;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// The storage of `target` after `value(index)` was written to each of its elements one by one.
template <class Value>
std::vector<float> storage_after(const Tensor& target, Value value) {
    Tensor expected = target.clone();
    for (const naive::Position& index : naive::indices(target.shape())) {
        Index position = 0;
        for (std::size_t axis = 0; axis < index.size(); ++axis) position += index[axis] * target.strides()[axis];
        expected.data()[position] = value(index);
    }
    return naive::storage(expected);
}

TEST(Fill, WritesThroughTheViewAndNothingElse) {
    Tensor x = Tensor::zeros({2, 3});
    x.transpose(0, 1)[1].fill(7);
    EXPECT_THAT(numbers(x), ElementsAre(0, 7, 0, 0, 7, 0));
}

TEST(CopyFrom, BroadcastsTheSource) {
    Tensor x = Tensor::zeros({2, 2});
    x.copy_from(Tensor::of({2}, {1, 2}));
    EXPECT_THAT(numbers(x), ElementsAre(1, 2, 1, 2));
    x[1].copy_from(Tensor::full({}, 9));
    EXPECT_THAT(numbers(x), ElementsAre(1, 2, 9, 9));
}

TEST(CopyFrom, SaysWhenTheSourceDoesNotBroadcast) {
    Tensor x = Tensor::zeros({2, 2});
    EXPECT_THAT([&] { x.copy_from(Tensor::zeros({3})); },
                ThrowsMessage<std::invalid_argument>(Eq("copy_from: (3) does not broadcast to (2, 2)")));
}

TEST(CopyFrom, ItselfTransposedTransposes) {
    Tensor x = Tensor::rows({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}});
    x.copy_from(x.transpose(0, 1));
    EXPECT_THAT(numbers(x), ElementsAre(1, 4, 7, 2, 5, 8, 3, 6, 9));
}

TEST(CopyFrom, AnOverlappingWindowShifts) {
    Tensor x = Tensor::arange(6);
    x.slice(0, 1, 6).copy_from(x.slice(0, 0, 5));
    EXPECT_THAT(numbers(x), ElementsAre(0, 0, 1, 2, 3, 4));
    x.slice(0, 0, 5).copy_from(x.slice(0, 1, 6));
    EXPECT_THAT(numbers(x), ElementsAre(0, 1, 2, 3, 4, 4));
}

TEST(CompoundAssignment, ReadsAnOverlappingOperandBeforeItWrites) {
    Tensor x = Tensor::of({2, 2}, {1, 2, 3, 4});
    x += x.transpose(0, 1);
    EXPECT_THAT(numbers(x), ElementsAre(2, 5, 5, 8));
    x -= x[0];
    EXPECT_THAT(numbers(x), ElementsAre(0, 0, 3, 3));
    x += x;
    EXPECT_THAT(numbers(x), ElementsAre(0, 0, 6, 6));
}

TEST(CompoundAssignment, TakesNumbers) {
    Tensor x = Tensor::of({2}, {1, 2});
    x += 3;
    x *= 4;
    x -= 2;
    x /= 2;
    EXPECT_THAT(numbers(x), ElementsAre(7, 9));
}

TEST(CompoundAssignment, NeverWidensTheTarget) {
    Tensor x = Tensor::zeros({2});
    EXPECT_THAT(
        [&] {
            x += Tensor::zeros({3, 2});
        },
        ThrowsMessage<std::invalid_argument>(Eq("a += b: (3, 2) does not broadcast to (2)")));
    EXPECT_THAT(numbers(x), Each(0));
}

TEST(Writing, ToAnExpandedTensorIsRefusedWhereOneNumberWouldTakeSeveralValues) {
    Tensor wide = Tensor::zeros({1, 2}).expand({3, 2});
    EXPECT_THAT([&] { wide += 1; }, ThrowsMessage<std::invalid_argument>(HasSubstr("stride 0")));
    EXPECT_THROW(wide.copy_from(Tensor::zeros({3, 2})), std::invalid_argument);
    EXPECT_NO_THROW(wide.fill(1));
}

TEST(Writing, ToAnyViewChangesItsElementsAndNoOthers) {
    Random random(51);
    for (int round = 0; round < 200; ++round) {
        const Shape shape = naive::random_shape(random, 0, 4, 0, 4);
        Tensor target = naive::random_view(random, shape);
        const Tensor source = naive::random_view(random, naive::random_narrower(random, shape), naive::Repeats::yes);
        const auto value = [&](const naive::Position& index) { return naive::at(source, index); };

        std::vector<float> expected =
            storage_after(target, [&](const auto& index) { return naive::at(target, index) + value(index); });
        target += source;
        ASSERT_EQ(naive::storage(target), expected);

        expected = storage_after(target, [&](const auto& index) { return naive::at(target, index) * value(index); });
        target *= source;
        ASSERT_EQ(naive::storage(target), expected);

        expected = storage_after(target, [&](const auto& index) { return naive::at(target, index) / value(index); });
        target /= source;
        ASSERT_EQ(naive::storage(target), expected);

        expected = storage_after(target, value);
        target.copy_from(source);
        ASSERT_EQ(naive::storage(target), expected);

        expected = storage_after(target, [](const auto&) { return -3.0F; });
        target.fill(-3);
        ASSERT_EQ(naive::storage(target), expected);
    }
}

TEST(Writing, FromAnyOverlappingViewReadsTheOldNumbers) {
    Random random(52);
    for (int round = 0; round < 200; ++round) {
        const Shape shape = naive::random_shape(random, 1, 3, 1, 4);
        Tensor target = naive::random_view(random, shape);
        Strides strides = target.strides();
        for (Index& stride : strides) stride = random.integer(0, stride);
        const Tensor source = target.as_strided(shape, strides, random.integer(0, target.offset()));
        const Tensor before = source.clone();

        const std::vector<float> expected =
            storage_after(target, [&](const auto& index) { return naive::at(before, index); });
        target.copy_from(source);
        ASSERT_EQ(naive::storage(target), expected);
    }
}

TEST(Writing, ToAnUndefinedTensorNamesTheOperation) {
    Tensor none;
    EXPECT_THAT([&] { none.fill(1); }, ThrowsMessage<std::invalid_argument>(HasSubstr("fill:")));
    EXPECT_THAT([&] { none.copy_from(Tensor::ones({1})); },
                ThrowsMessage<std::invalid_argument>(HasSubstr("copy_from:")));
    EXPECT_THAT([&] { none /= 2; }, ThrowsMessage<std::invalid_argument>(HasSubstr("a /= b:")));
    EXPECT_THAT([&] { none -= Tensor::ones({1}); }, ThrowsMessage<std::invalid_argument>(HasSubstr("a -= b:")));
}

}  // namespace
}  // namespace headway
