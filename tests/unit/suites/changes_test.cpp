// What experiments make of the questions of a student's tests.
#include "suites/06_catch_the_bug/changes.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace headway::judge {
namespace {

/// A query of infinities, which are one on the wire.
wire::Value asking_with(const Shape& shape) {
    const Tensor one = Tensor::full({1, 1}, std::numeric_limits<float>::infinity());
    return wire::Record{{{"query", one.expand(shape)}}};
}

TEST(Changes, OfAQuestionAreWithinThePromise) {
    ElementsLeft left;
    const auto tame = within_the_promise(asking_with({2, 3}), left);
    ASSERT_TRUE(tame);
    EXPECT_EQ(tensor_in(*tame, "query")->data()[5], 0);
}

TEST(Changes, AreNotMadeOfWhatUnfoldsWithoutEnd) {
    ElementsLeft left;
    EXPECT_FALSE(within_the_promise(asking_with({Index{1} << 12, (Index{1} << 10) + 1}), left));
    EXPECT_TRUE(within_the_promise(asking_with({2, 3}), left)) << "there is still room";
    int changed = 0;
    while (changed < 100 && within_the_promise(asking_with({Index{1} << 11, Index{1} << 11}), left)) ++changed;
    EXPECT_EQ(changed, 15) << "of all questions together";
}

}  // namespace
}  // namespace headway::judge
