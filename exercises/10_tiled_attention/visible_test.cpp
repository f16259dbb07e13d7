#include "tiled_attention.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

// Numbers to follow by hand. exp(ln 3) = 3, so scores of ln 3 and 0 turn into shares of 3 : 1.
namespace headway::ex10 {
namespace {

const float ln3 = std::log(3.0F);
const float ln2 = std::log(2.0F);
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float tolerance = 1e-5F;

/// Scores or values of one sequence, one head and one query: a row or a column.
Tensor row(const std::vector<float>& values) {
    return Tensor::of({1, 1, 1, static_cast<Index>(values.size())}, values);
}
Tensor column(const std::vector<float>& values) {
    return Tensor::of({1, 1, static_cast<Index>(values.size()), 1}, values);
}

TEST(Absorb, SumsOneTile) {
    Running running = nothing_seen(1, 1, 1, 1);
    absorb(running, row({ln3, 0}), column({4, 8}));
    EXPECT_NEAR(running.largest(0, 0, 0, 0), ln3, tolerance);
    EXPECT_NEAR(running.total(0, 0, 0, 0), 4.0 / 3, tolerance);      // 1 + 1/3
    EXPECT_NEAR(running.gathered(0, 0, 0, 0), 20.0 / 3, tolerance);  // 4 + 8/3
    EXPECT_NEAR(context(running)(0, 0, 0, 0), 5, tolerance);         // 3/4·4 + 1/4·8
}

TEST(Absorb, ShrinksWhatItHasWhenALargerScoreComes) {
    Running running = nothing_seen(1, 1, 1, 1);
    absorb(running, row({0, ln2}), column({6, 6}));  // shares 1 : 2
    absorb(running, row({ln3}), column({12}));       // and 3
    EXPECT_NEAR(running.largest(0, 0, 0, 0), ln3, tolerance);
    EXPECT_NEAR(running.total(0, 0, 0, 0), 2, tolerance);     // (1 + 2 + 3) / 3
    EXPECT_NEAR(context(running)(0, 0, 0, 0), 9, tolerance);  // (1·6 + 2·6 + 3·12) / 6
}

TEST(Absorb, LearnsNothingFromBlockedKeys) {
    Running running = nothing_seen(1, 1, 1, 1);
    absorb(running, row({-infinity, -infinity}), column({7, 7}));
    EXPECT_EQ(context(running)(0, 0, 0, 0), 0);
    absorb(running, row({-20000}), column({5}));  // a score like any other
    EXPECT_NEAR(context(running)(0, 0, 0, 0), 5, tolerance);
}

TEST(TiledAttention, GivesTheSameForEveryTile) {
    // One head, d = 1: scores of query 0 are ln 2 · (0, 1, 2), that is shares of 1 : 2 : 4.
    const Tensor q = Tensor::of({1, 1, 1, 1}, {ln2});
    const Tensor k = column({0, 1, 2});
    const Tensor v = column({7, 14, 21});
    for (const Index tile : {1, 2, 3, 5}) {
        const Tensor y = tiled_attention(q, k, v, Mask{}, Causal::no, tile);
        ASSERT_EQ(y.shape(), (Shape{1, 1, 1, 1}));
        EXPECT_NEAR(y(0, 0, 0, 0), 17, tolerance) << "tile " << tile;  // (7 + 2·14 + 4·21) / 7
    }
}

TEST(TiledAttention, SkipsTheFutureAndTheMask) {
    const Tensor zero = column({0, 0, 0});  // equal shares
    const Tensor v = column({1, 3, 8});
    const Tensor causal = tiled_attention(zero, zero, v, Mask{}, Causal::yes, 2);
    EXPECT_NEAR(causal(0, 0, 0, 0), 1, tolerance);
    EXPECT_NEAR(causal(0, 0, 1, 0), 2, tolerance);
    EXPECT_NEAR(causal(0, 0, 2, 0), 4, tolerance);
    const Tensor masked = tiled_attention(zero, zero, v, Mask::of({3}, {true, false, false}), Causal::yes, 2);
    EXPECT_EQ(masked(0, 0, 0, 0), 0);  // query 0 sees nothing
    EXPECT_NEAR(masked(0, 0, 1, 0), 3, tolerance);
    EXPECT_NEAR(masked(0, 0, 2, 0), 5.5, tolerance);
}

TEST(TiledAttention, RefusesATileThatHoldsNothing) {
    const Tensor one = column({1});
    EXPECT_THROW(tiled_attention(one, one, one, Mask{}, Causal::no, 0), std::invalid_argument);
}

}  // namespace
}  // namespace headway::ex10
