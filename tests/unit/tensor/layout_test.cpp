#include <headway/layout.hpp>

#include <gmock/gmock.h>

#include <limits>
#include <stdexcept>

namespace headway {
namespace {

using testing::Eq;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr Index huge = std::numeric_limits<Index>::max();

TEST(Layout, ShapesPrintWithParenthesesAndCommas) {
    EXPECT_EQ(to_string(Shape{2, 3, 5}), "(2, 3, 5)");
    EXPECT_EQ(to_string(Shape{7}), "(7)");
    EXPECT_EQ(to_string(Shape{}), "()");
}

TEST(Layout, ContiguousMeansTheLastAxisIsDense) {
    EXPECT_EQ(Layout::contiguous({2, 3, 4}).strides, (Strides{12, 4, 1}));
    EXPECT_EQ(Layout::contiguous({}).strides, Strides{});
    EXPECT_EQ(Layout::contiguous({2, 3, 4}).numel(), 24);
    EXPECT_EQ(Layout::contiguous({}).numel(), 1);
    EXPECT_EQ(Layout::contiguous({3, 0, 2}).numel(), 0);
}

TEST(Layout, ElementsMayOverlapWhereAStepIsShorterThanWhatLiesWithin) {
    EXPECT_FALSE(Layout::contiguous({2, 3, 4}).may_overlap());
    EXPECT_FALSE((Layout{{4, 3, 2}, {1, 4, 12}}.may_overlap()));  // axes in another order
    EXPECT_FALSE((Layout{{2, 3}, {20, -5}, 10}.may_overlap()));   // a slice, backwards
    EXPECT_FALSE((Layout{{1, 3}, {0, 1}}.may_overlap()));
    EXPECT_FALSE((Layout{{0, 3}, {0, 0}}.may_overlap()));
    EXPECT_TRUE((Layout{{2, 3}, {0, 1}}.may_overlap()));
    EXPECT_TRUE((Layout{{3, 3}, {2, 1}}.may_overlap()));  // windows
}

TEST(Layout, AxesOfSizeOneMayHaveAnyStrideAndStayContiguous) {
    EXPECT_TRUE((Layout{{2, 1, 3}, {3, 99, 1}, 0}.is_contiguous()));
    EXPECT_TRUE((Layout{{1, 1}, {0, 0}, 4}.is_contiguous()));
    EXPECT_TRUE((Layout{{0, 5}, {7, 7}, 0}.is_contiguous()));
    EXPECT_FALSE((Layout{{3, 2}, {1, 3}, 0}.is_contiguous()));
    EXPECT_FALSE((Layout{{3, 2}, {4, 1}, 0}.is_contiguous()));
    EXPECT_FALSE((Layout{{3}, {0}, 0}.is_contiguous()));
}

TEST(Layout, CountsThatDoNotFitAnIndexAreRefusedNotWrapped) {
    EXPECT_THROW(Layout::contiguous({huge, 2}), std::invalid_argument);
    EXPECT_THROW(Layout::contiguous({Index{1} << 32, Index{1} << 32}), std::invalid_argument);
    EXPECT_THROW((Layout{{huge, huge}, {0, 0}, 0}.numel()), std::invalid_argument);
    EXPECT_THAT(
        [] {
            Layout::contiguous({2, -1});
        },
        ThrowsMessage<std::invalid_argument>(Eq("shape (2, -1): a size must not be negative")));
}

TEST(Layout, AnEmptyShapeOfHugeSizesIsStillEmpty) {
    EXPECT_EQ(Layout::contiguous({0, huge, huge}).numel(), 0);
    EXPECT_EQ(Layout::contiguous({huge, huge, 0}).numel(), 0);
}

TEST(Layout, NegativeAxesCountFromTheEnd) {
    const Layout layout = Layout::contiguous({2, 3, 5});
    EXPECT_EQ(layout.normalised_axis(-1), 2);
    EXPECT_EQ(layout.normalised_axis(-3), 0);
    EXPECT_EQ(layout.normalised_axis(2), 2);
    EXPECT_THAT([&] { (void)layout.normalised_axis(3); },
                ThrowsMessage<std::out_of_range>(Eq("axis 3 is out of range for rank 3, shape (2, 3, 5)")));
    EXPECT_THROW((void)layout.normalised_axis(-4), std::out_of_range);
    EXPECT_THROW((void)Layout{}.normalised_axis(0), std::out_of_range);
}

TEST(Layout, TheLargestAndSmallestPositionsFollowTheSignsOfTheStrides) {
    const Layout layout{{3, 4}, {-10, 2}, 50};
    EXPECT_EQ(layout.lowest(), 30);
    EXPECT_EQ(layout.highest(), 56);
}

TEST(Layout, HostilePositionsStopAtTheLargestIndexInsteadOfWrapping) {
    EXPECT_EQ((Layout{{huge}, {huge}, 0}.highest()), huge);
    EXPECT_EQ((Layout{{2, 2}, {huge, huge}, 5}.highest()), huge);
    EXPECT_EQ((Layout{{huge}, {-huge}, 0}.lowest()), std::numeric_limits<Index>::min());
}

TEST(Layout, ExpandRepeatsAxesWithStrideZero) {
    const Layout row{{1, 3}, {3, 1}, 7};
    EXPECT_EQ(row.expand({2, 4, 3}), (Layout{{2, 4, 3}, {0, 0, 1}, 7}));
    EXPECT_EQ(row.expand({1, 3}), row);
}

TEST(Layout, ExpandRefusesWhatDoesNotBroadcast) {
    const Layout layout = Layout::contiguous({2, 3});
    EXPECT_THAT(
        [&] {
            (void)layout.expand({4, 3});
        },
        ThrowsMessage<std::invalid_argument>(Eq("expand: (2, 3) does not broadcast to (4, 3)")));
    EXPECT_THROW((void)layout.expand({3}), std::invalid_argument);
    EXPECT_THROW((void)layout.expand({-1, 2, 3}), std::invalid_argument);
    EXPECT_THROW((void)layout.expand({huge, 2, 3}), std::invalid_argument);
}

TEST(BroadcastShapes, AlignsAtTheLastAxisAndStretchesOnes) {
    EXPECT_EQ(broadcast_shapes({2, 1, 5}, {3, 1}, "add"), (Shape{2, 3, 5}));
    EXPECT_EQ(broadcast_shapes({}, {4}, "add"), Shape{4});
    EXPECT_EQ(broadcast_shapes({1}, {0}, "add"), Shape{0});
}

TEST(BroadcastShapes, NamesTheOperationTheShapesAndTheAxis) {
    EXPECT_THAT(
        [] {
            broadcast_shapes({2, 3}, {4, 3}, "a + b");
        },
        ThrowsMessage<std::invalid_argument>(
            Eq("a + b: (2, 3) and (4, 3) do not broadcast: sizes 2 and 4 of axis -2 differ and neither is 1")));
    EXPECT_THAT([] { broadcast_shapes({3}, {0}, "a + b"); },
                ThrowsMessage<std::invalid_argument>(HasSubstr("3 and 0")));
}

}  // namespace
}  // namespace headway
