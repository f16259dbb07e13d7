// The cost lab: what it counts is what the formula says.
#include "labs/cost/measure.hpp"
#include "labs/cost/windows.hpp"

#include <headway/given.hpp>
#include <headway/random.hpp>
#include <headway/work.hpp>

#include <module.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace headway::lab {
namespace {

Index counted(const std::function<void()>& work) {
    const Index before = multiply_adds();
    work();
    return multiply_adds() - before;
}

TEST(MultiplyAdds, AreCountedByMatmul) {
    const Tensor a = Tensor::ones({2, 3, 5, 7}), b = Tensor::ones({3, 7, 4});
    EXPECT_EQ(counted([&] { ops::matmul(a, b); }), 2 * 3 * 5 * 7 * 4);
}

TEST(Cost, AttentionDoesTheMultiplyAddsOfTheFormula) {
    for (const Index H : {1, 3, 6}) {
        const AttentionSizes sizes{.B = 2, .T = 5, .D = 18, .H = H};
        const Tensor q = Random(1).normal({2, H, 5, 18 / H});
        const Work work = work_of(sizes);
        EXPECT_EQ(counted([&] { given::scaled_dot_product_attention(q, q, q); }), work.scores + work.weighing);
        EXPECT_EQ(work.scores, 2 * 5 * 5 * 18) << "H cancels";
    }
}

TEST(Cost, TheSolutionDoesThoseAndNoMore) {
    for (const Index H : {1, 2, 4, 8}) {
        const AttentionSizes sizes{.B = 3, .T = 5, .D = 8, .H = H};
        const Cost cost = measure_one(sizes, 1);
        EXPECT_EQ(cost.counted, work_of(sizes).all());
    }
}

TEST(Cost, ScoresGrowWithTheHeads) {
    const Cost one = measure_one({.B = 3, .T = 5, .D = 8, .H = 1}, 1),
               eight = measure_one({.B = 3, .T = 5, .D = 8, .H = 8}, 1);
    EXPECT_EQ(one.weights, scores_in(one.sizes));
    EXPECT_EQ(eight.weights, scores_in(eight.sizes));
    EXPECT_EQ(eight.weights, 8 * one.weights);
}

TEST(Cost, WindowsAreMeasuredForTextsFourTimesAsLong) {
    const auto costs = measure_windows(256, 1);
    ASSERT_TRUE(costs);
    ASSERT_EQ(costs->texts.size(), 3U);
    for (const WindowCost& text : costs->texts) EXPECT_GT(std::min(text.all_ms, text.window_ms), 0);
    EXPECT_EQ(costs->texts.front().T, 16);
    EXPECT_EQ(costs->texts.back().T, 256);
}

}  // namespace
}  // namespace headway::lab
