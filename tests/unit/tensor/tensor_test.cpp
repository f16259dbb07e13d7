#include "naive.hpp"

#include <gmock/gmock.h>

#include <stdexcept>

namespace headway {
namespace {

using naive::numbers;
using testing::ElementsAre;
using testing::Eq;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Tensor, IsMadeFromValuesRowsAndPatterns) {
    EXPECT_THAT(numbers(Tensor::of({2, 2}, {1, 2, 3, 4})), ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(numbers(Tensor::rows({{1, 2, 3}, {4, 5, 6}})), ElementsAre(1, 2, 3, 4, 5, 6));
    EXPECT_EQ(Tensor::rows({{1, 2, 3}, {4, 5, 6}}).shape(), (Shape{2, 3}));
    EXPECT_THAT(numbers(Tensor::zeros({3})), ElementsAre(0, 0, 0));
    EXPECT_THAT(numbers(Tensor::ones({1, 2})), ElementsAre(1, 1));
    EXPECT_THAT(numbers(Tensor::full({2}, 7.5F)), ElementsAre(7.5F, 7.5F));
    EXPECT_THAT(numbers(Tensor::eye(2)), ElementsAre(1, 0, 0, 1));
    EXPECT_THAT(numbers(Tensor::arange(4)), ElementsAre(0, 1, 2, 3));
    EXPECT_EQ(Tensor::of({}, {5})(), 5.0F);
}

TEST(Tensor, RefusesValuesThatDoNotFitTheShape) {
    EXPECT_THAT(
        [] {
            Tensor::of({2, 2}, {1, 2, 3});
        },
        ThrowsMessage<std::invalid_argument>(Eq("Tensor::of: shape (2, 2) needs 4 values, not 3")));
    EXPECT_THAT(
        [] {
            Tensor::rows({{1, 2}, {3}});
        },
        ThrowsMessage<std::invalid_argument>(Eq("Tensor::rows: the first row has 2 numbers, another has 1")));
    EXPECT_THROW(Tensor::zeros({2, -3}), std::invalid_argument);
    EXPECT_THROW(Tensor::arange(-1), std::invalid_argument);
}

TEST(Tensor, EmptyShapesAreShapesToo) {
    const Tensor none = Tensor::zeros({2, 0, 3});
    EXPECT_TRUE(none.defined());
    EXPECT_EQ(none.numel(), 0);
    EXPECT_EQ(none.shape(), (Shape{2, 0, 3}));
    EXPECT_EQ(Tensor::rows({}).shape(), (Shape{0, 0}));
}

TEST(Tensor, UndefinedStandsForNone) {
    const Tensor none;
    EXPECT_FALSE(none.defined());
    EXPECT_EQ(none.numel(), 0);
    EXPECT_FALSE(none.shares_storage_with(none));
    EXPECT_FALSE(none.clone().defined());
    EXPECT_THAT([&] { (void)none(); }, ThrowsMessage<std::invalid_argument>(HasSubstr("element access")));
}

TEST(Tensor, ACopyIsAnotherViewAndACloneIsNot) {
    Tensor a = Tensor::zeros({2});
    Tensor b = a;
    const Tensor c = a.clone();
    b(1) = 5;
    EXPECT_EQ(a(1), 5);
    EXPECT_EQ(c(1), 0);
    EXPECT_TRUE(a.shares_storage_with(b));
    EXPECT_FALSE(a.shares_storage_with(c));
}

TEST(Tensor, CloneKeepsStridesAndOffset) {
    const Tensor window = Tensor::arange(10).as_strided({2, 3}, {1, 3}, 1);
    const Tensor copy = window.clone();
    EXPECT_EQ(copy.layout(), window.layout());
    EXPECT_EQ(naive::storage(copy), naive::storage(window));
}

TEST(Tensor, EachElementOfACloneCanBeWrittenAlone) {
    const Tensor row = Tensor::arange(3).view({1, 3});
    Tensor copy = row.expand({2, 3}).clone();
    copy(1, 2) = 7;
    EXPECT_EQ(copy(0, 2), 2);
    EXPECT_EQ(copy(1, 2), 7);
    Tensor windows = Tensor::arange(5).as_strided({3, 3}, {1, 1}, 0).clone();
    windows(0, 1) = 7;
    EXPECT_EQ(windows(1, 0), 1);
}

TEST(Tensor, SizesMayBeAskedFromTheEnd) {
    const Tensor x = Tensor::zeros({2, 3, 5});
    EXPECT_EQ(x.size(-1), 5);
    EXPECT_EQ(x.size(0), 2);
    EXPECT_THROW((void)x.size(3), std::out_of_range);
}

TEST(ElementAccess, SaysWhichAxisWasLeft) {
    Tensor x = Tensor::zeros({2, 3, 5});
    EXPECT_THAT([&] { x(1, 2, 5) = 1; },
                ThrowsMessage<std::out_of_range>(Eq("index 5 is out of range for axis 2 of size 5, shape (2, 3, 5)")));
    EXPECT_THAT([&] { x(0, -1, 0) = 1; },
                ThrowsMessage<std::out_of_range>(Eq("index -1 is out of range for axis 1 of size 3, shape (2, 3, 5)")));
}

TEST(ElementAccess, SaysHowManyIndicesAreNeeded) {
    const Tensor x = Tensor::zeros({2, 3, 5});
    EXPECT_THAT([&] { (void)x(1, 2); },
                ThrowsMessage<std::out_of_range>(Eq("2 indices given, but rank 3 needs 3, shape (2, 3, 5)")));
    EXPECT_THAT([&] { (void)x(1); },
                ThrowsMessage<std::out_of_range>(Eq("1 index given, but rank 3 needs 3, shape (2, 3, 5)")));
}

TEST(ElementAccess, AgreesWithTheStridesOfAnyView) {
    Random random(11);
    for (int round = 0; round < 50; ++round) {
        const Tensor x = naive::random_view(random, naive::random_shape(random, 3, 3, 1, 4), naive::Repeats::yes);
        for (const naive::Position& i : naive::indices(x.shape())) ASSERT_EQ(x(i[0], i[1], i[2]), naive::at(x, i));
    }
}

TEST(Storage, EmptyLeavesItAsItWas) {
    // Freed numbers are found again by the next allocation of that size; AddressSanitizer fills it with a pattern.
    { const Tensor written = Tensor::full({50}, 42.0F); }
    const Tensor unwritten = Tensor::empty({50});
    EXPECT_NE(numbers(unwritten), std::vector<float>(50, 0.0F));
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HEADWAY_TEST_SEES_ADDRESSES
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(HEADWAY_TEST_SEES_ADDRESSES)
TEST(Storage, EndsBehindTheLastElement) {
    const Tensor x = Tensor::zeros({5});
    const volatile float* first = x.data();
    EXPECT_DEATH((void)first[5], "heap-buffer-overflow");
    EXPECT_DEATH((void)first[-1], "heap-buffer-overflow");
}
#endif

TEST(NotImplemented, SaysWhichFunctionIsNotWritten) {
    const NotImplemented missing{"make_ring"};
    EXPECT_STREQ(missing.what(), "make_ring is not written yet");
    EXPECT_EQ(missing.function(), "make_ring");
}

}  // namespace
}  // namespace headway
