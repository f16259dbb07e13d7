#include "naive.hpp"

#include <gmock/gmock.h>

#include <limits>
#include <set>
#include <stdexcept>

namespace headway {
namespace {

using naive::numbers;

// The expected numbers were computed with an independent implementation, in Python. They may never change: seeds in
// lessons, hidden tests and recorded gradings stand for these numbers.

TEST(Random, IsSplitMix64) {
    Random random(0);  // the first three are those of the published reference implementation
    EXPECT_EQ(random.next(), 0xe220a8397b1dcdafU);
    EXPECT_EQ(random.next(), 0x6e789e6aa1b965f4U);
    EXPECT_EQ(random.next(), 0x06c45d188009454fU);
}

TEST(Random, UniformIsTheUpperTwentyFourBits) {
    Random random(42);
    EXPECT_EQ(random.uniform(), 12441394 * 0x1p-24F);
    EXPECT_EQ(random.uniform(), 2682851 * 0x1p-24F);
    EXPECT_EQ(random.uniform(), 4674151 * 0x1p-24F);
    EXPECT_EQ(random.uniform(), 5774561 * 0x1p-24F);
}

TEST(Random, UniformInARangeRoundsOnce) {
    Random random(42);
    EXPECT_EQ(random.uniform(-0.3F, 0.7F), 0x1.c42994p-2F);
    EXPECT_EQ(random.uniform(-0.3F, 0.7F), -0x1.1ee75p-3F);
    EXPECT_EQ(random.uniform(-0.3F, 0.7F), -0x1.5e998p-6F);
    EXPECT_EQ(random.uniform(-0.3F, 0.7F), 0x1.6a028p-5F);
}

TEST(Random, NormalIsTwelveUniformsLessSix) {
    Random random(42);
    EXPECT_EQ(random.normal(), -0x1.c9cbe6p-1F);
    EXPECT_EQ(random.normal(), -0x1.ddbb64p-2F);
    EXPECT_EQ(random.normal(), 0x1.97b0a8p+0F);
}

TEST(Random, IntegersIncludeBothEnds) {
    Random random(42);
    for (const Index expected : {0, -2, 5, 1, -3, -1, 2, 5, 2, 1}) EXPECT_EQ(random.integer(-3, 6), expected);

    std::set<Index> seen;
    for (int draw = 0; draw < 200; ++draw) seen.insert(random.integer(-1, 2));
    EXPECT_EQ(seen, (std::set<Index>{-1, 0, 1, 2}));
    EXPECT_EQ(random.integer(5, 5), 5);
    EXPECT_THROW(random.integer(5, 4), std::invalid_argument);
    EXPECT_THROW(random.uniform(1.0F, 0.0F), std::invalid_argument);
}

TEST(Random, IntegersCoverTheWholeRangeOfIndex) {
    Random random(7), same(7);
    const Index lowest = std::numeric_limits<Index>::min(), highest = std::numeric_limits<Index>::max();
    EXPECT_EQ(random.integer(lowest, highest), static_cast<Index>(same.next() + (std::uint64_t{1} << 63U)));
}

TEST(Random, UniformNeverReachesItsUpperEnd) {
    Random random(3);
    const float just_above = 0x1.000002p+0F;  // no float lies between: rounding would reach it half of the time
    for (int draw = 0; draw < 1000; ++draw) ASSERT_EQ(random.uniform(1.0F, just_above), 1.0F);
    EXPECT_EQ(random.uniform(2.0F, 2.0F), 2.0F);
}

TEST(Random, TensorsAreFilledInRowMajorOrder) {
    Random random(9), same(9);
    for (const float value : numbers(random.uniform({2, 3}, -1, 1))) EXPECT_EQ(value, same.uniform(-1, 1));
    for (const float value : numbers(random.normal({3, 2}))) EXPECT_EQ(value, same.normal());
}

TEST(Random, NormalHasMeanZeroAndVarianceOne) {
    Random random(5);
    constexpr int draws = 100000;
    double total = 0, squares = 0;
    for (int draw = 0; draw < draws; ++draw) {
        const auto value = static_cast<double>(random.normal());
        ASSERT_LE(value, 6);
        ASSERT_GE(value, -6);
        total += value;
        squares += value * value;
    }
    EXPECT_NEAR(total / draws, 0, 0.02);  // 6 sigma
    EXPECT_NEAR(squares / draws, 1, 0.03);
}

}  // namespace
}  // namespace headway
