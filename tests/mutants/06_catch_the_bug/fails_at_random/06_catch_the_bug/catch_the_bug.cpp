#include "catch_the_bug.hpp"

#include <random>

namespace headway::ex06 {
namespace {

class Coin : public ::testing::TestWithParam<int> {};

TEST_P(Coin, FallsAsItLikes) { EXPECT_NE(std::random_device{}() % 20, 0); }

INSTANTIATE_TEST_SUITE_P(Many, Coin, ::testing::Range(0, 300));

}  // namespace
}  // namespace headway::ex06
