#include "grouped_query.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

// Numbers to follow by hand. exp(ln 3) = 3, so scores of ln 3 and 0 turn into shares of 3 : 1.
namespace headway::ex09 {
namespace {

const float ln3 = std::log(3.0F);
constexpr float tolerance = 1e-5F;

TEST(RepeatHeads, PutsTheCopiesOfAHeadSideBySide) {
    const Tensor kv = Tensor::of({1, 2, 1, 2}, {1, 2,    // head 0
                                                3, 4});  // head 1
    const Tensor six = repeat_heads(kv, 6);
    ASSERT_EQ(six.shape(), (Shape{1, 6, 1, 2}));
    for (const Index h : {0, 1, 2}) EXPECT_EQ(six(0, h, 0, 0), 1) << "head " << h;
    for (const Index h : {3, 4, 5}) EXPECT_EQ(six(0, h, 0, 1), 4) << "head " << h;
}

TEST(GroupedQueryAttention, LetsAGroupShareKeysAndValues) {
    // H = 4, H_kv = 2, one query, two keys, d = d_v = 1. Scores are q·k.
    const Tensor q = Tensor::of({1, 4, 1, 1}, {ln3, 0, ln3, 0});
    const Tensor k = Tensor::of({1, 2, 2, 1}, {1, 0,    // head 0 of the keys
                                               0, 1});  // head 1
    const Tensor v = Tensor::of({1, 2, 2, 1}, {4, 8, 40, 80});
    const Tensor y = grouped_query_attention(q, k, v, Mask{});
    ASSERT_EQ(y.shape(), (Shape{1, 4, 1, 1}));
    EXPECT_NEAR(y(0, 0, 0, 0), 5, tolerance);   // 3/4·4 + 1/4·8
    EXPECT_NEAR(y(0, 1, 0, 0), 6, tolerance);   // equal shares of 4 and 8
    EXPECT_NEAR(y(0, 2, 0, 0), 70, tolerance);  // 1/4·40 + 3/4·80
    EXPECT_NEAR(y(0, 3, 0, 0), 60, tolerance);
}

TEST(GroupedQueryAttention, HasMultiQueryAttentionAsItsEnd) {
    const Tensor q = Tensor::of({1, 3, 1, 1}, {ln3, 0, -ln3});
    const Tensor k = Tensor::of({1, 1, 2, 1}, {1, 0});
    const Tensor v = Tensor::of({1, 1, 2, 1}, {4, 8});
    const Tensor y = grouped_query_attention(q, k, v, Mask{});
    EXPECT_NEAR(y(0, 0, 0, 0), 5, tolerance);
    EXPECT_NEAR(y(0, 1, 0, 0), 6, tolerance);
    EXPECT_NEAR(y(0, 2, 0, 0), 7, tolerance);  // 1/4·4 + 3/4·8
}

TEST(CachedNumbers, CountsTheHeadsThatAreKept) {
    EXPECT_EQ(cached_numbers(1, 10, 6, 6, 5), 600);  // 2·10·6·5
    EXPECT_EQ(cached_numbers(1, 10, 6, 2, 5), 200);
    EXPECT_EQ(cached_numbers(3, 10, 6, 1, 5), 300);
}

TEST(PoolHeads, IsTheMeanOfEachGroup) {
    const Tensor w = Tensor::rows({{1, 2, 3, 4, 50, 60, 70, 80}});  // D = 1, H = 4, d = 2
    const Tensor pooled = pool_heads(w, 4, 2);
    ASSERT_EQ(pooled.shape(), (Shape{1, 4}));
    EXPECT_NEAR(pooled(0, 0), 2, tolerance);  // (1 + 3) / 2
    EXPECT_NEAR(pooled(0, 1), 3, tolerance);  // (2 + 4) / 2
    EXPECT_NEAR(pooled(0, 2), 60, tolerance);
    EXPECT_NEAR(pooled(0, 3), 70, tolerance);
}

TEST(GroupedQuerySelfAttention, RefusesUnevenGroups) {
    const Tensor x = Tensor::ones({1, 2, 6});
    const Tensor w = Tensor::eye(6);
    EXPECT_THROW(grouped_query_self_attention(x, w, w.slice(1, 0, 4), w.slice(1, 0, 4), w, 3, 2, Mask{}),
                 std::invalid_argument);
    EXPECT_NO_THROW(grouped_query_self_attention(x, w, w.slice(1, 0, 2), w.slice(1, 0, 2), w, 3, 1, Mask{}));
}

}  // namespace
}  // namespace headway::ex09
