#include "the_name.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

// Numbers to follow by hand.
namespace headway::exNN {
namespace {

TEST(Doubled, DoublesEachNumber) {
    const Tensor y = doubled(Tensor::rows({{1, 2, 3}, {4, 5, 6}}));
    ASSERT_EQ(y.shape(), (Shape{2, 3}));
    EXPECT_EQ(y(0, 0), 2);
    EXPECT_EQ(y(1, 2), 12);
}

TEST(Doubled, LeavesItsArgumentAlone) {
    const Tensor x = Tensor::rows({{1, 2}});
    doubled(x);
    EXPECT_EQ(x(0, 1), 2);
}

TEST(Doubled, RefusesWhatIsNoMatrix) { EXPECT_THROW(doubled(Tensor::zeros({3})), std::invalid_argument); }

}  // namespace
}  // namespace headway::exNN
