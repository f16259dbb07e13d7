#include "naive.hpp"

#include <gmock/gmock.h>

#include <limits>
#include <stdexcept>

namespace headway {
namespace {

using naive::booleans;
using testing::Each;
using testing::ElementsAre;
using testing::Eq;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Mask, IsMadeFromValuesOrOfOneKind) {
    EXPECT_THAT(booleans(Mask::of({2, 2}, {false, true, true, false})), ElementsAre(false, true, true, false));
    EXPECT_THAT(booleans(Mask::allow_all({2, 3})), Each(false));
    EXPECT_THAT(booleans(Mask::block_all({2, 3})), Each(true));
    EXPECT_EQ(Mask::allow_all({2, 0}).numel(), 0);
    EXPECT_THAT([] { Mask::of({3}, {true}); },
                ThrowsMessage<std::invalid_argument>(Eq("Mask::of: shape (3) needs 3 values, not 1")));
}

TEST(Mask, UndefinedHasNoShapeAndNoElements) {
    const Mask none;
    EXPECT_FALSE(none.defined());
    EXPECT_EQ(none.numel(), 0);
    EXPECT_FALSE(none.clone().defined());
    EXPECT_THAT([&] { (void)none(0); }, ThrowsMessage<std::invalid_argument>(HasSubstr("element access")));
    EXPECT_THAT([&] { (void)none.expand({2}); }, ThrowsMessage<std::invalid_argument>(HasSubstr("expand:")));
    EXPECT_THAT([&] { (void)none.as_strided({}, {}, 0); },
                ThrowsMessage<std::invalid_argument>(HasSubstr("as_strided:")));
    EXPECT_THAT([&] { !none; }, ThrowsMessage<std::invalid_argument>(HasSubstr("!mask:")));
}

TEST(Mask, ElementAccessIsCheckedAsForTensors) {
    Mask mask = Mask::allow_all({2, 3});
    mask(1, 2) = true;
    EXPECT_TRUE(mask(1, 2));
    EXPECT_THAT([&] { mask(2, 0) = true; },
                ThrowsMessage<std::out_of_range>(Eq("index 2 is out of range for axis 0 of size 2, shape (2, 3)")));
    EXPECT_THROW((void)mask(1), std::out_of_range);
    EXPECT_EQ(mask.size(-1), 3);
    EXPECT_THROW((void)mask.size(2), std::out_of_range);
}

TEST(Mask, ACopyIsAnotherViewAndACloneIsNot) {
    Mask mask = Mask::allow_all({2});
    Mask same = mask;
    const Mask copy = mask.clone();
    same(0) = true;
    EXPECT_TRUE(mask(0));
    EXPECT_FALSE(copy(0));
}

TEST(Mask, ViewsShareStorage) {
    Mask mask = Mask::of({1, 3}, {false, false, true});
    EXPECT_THAT(booleans(mask.expand({2, 3})), ElementsAre(false, false, true, false, false, true));
    EXPECT_THAT(booleans(mask.as_strided({2}, {2}, 0)), ElementsAre(false, true));
    EXPECT_THROW((void)mask.as_strided({2}, {3}, 0), std::invalid_argument);
    EXPECT_THROW((void)mask.as_strided({2}, {std::numeric_limits<Index>::max()}, 2), std::invalid_argument);
}

TEST(Mask, OrBlocksWhereEitherDoes) {
    const Mask row = Mask::of({2}, {false, true});
    const Mask column = Mask::of({2, 1}, {false, true});
    EXPECT_THAT(booleans(row | column), ElementsAre(false, true, true, true));
    EXPECT_THAT(booleans(row | Mask{}), ElementsAre(false, true));
    EXPECT_THAT(booleans(Mask{} | row), ElementsAre(false, true));
    EXPECT_FALSE((Mask{} | Mask{}).defined());
    EXPECT_THAT([&] { row | Mask::allow_all({3}); },
                ThrowsMessage<std::invalid_argument>(HasSubstr("a | b: (2) and (3)")));
}

TEST(Mask, OrWithNoneIsIndependentOfItsArgument) {
    const Mask row = Mask::of({2}, {false, true});
    Mask same = row | Mask{};
    same(0) = true;
    EXPECT_FALSE(row(0));
}

TEST(Mask, OperationsAgreeWithTheNaiveLoopOnAnyView) {
    Random random(81);
    for (int round = 0; round < 200; ++round) {
        const Shape shape = naive::random_shape(random, 0, 4, 0, 4);
        const Mask a = naive::random_mask(random, naive::random_narrower(random, shape));
        const Mask b = naive::random_mask(random, naive::random_narrower(random, shape));
        const Mask either = a | b, opposite = !a;
        for (const naive::Position& index : naive::indices(either.shape()))
            ASSERT_EQ(naive::at(either, index), naive::at(a, index) || naive::at(b, index));
        for (const naive::Position& index : naive::indices(a.shape()))
            ASSERT_EQ(naive::at(opposite, index), !naive::at(a, index));
        ASSERT_EQ(booleans(a.clone()), booleans(a));
        ASSERT_TRUE(a.clone().layout().is_contiguous());
    }
}

}  // namespace
}  // namespace headway
