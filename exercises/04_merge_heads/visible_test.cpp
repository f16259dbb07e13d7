#include "merge_heads.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

// Numbers to follow by hand. exp(ln 3) = 3, so scores of ln 3 and 0 turn into shares of 3 : 1.
namespace headway::ex04 {
namespace {

const float ln3 = std::log(3.0F);
constexpr float tolerance = 1e-5F;

TEST(MergeHeads, PutsTheHeadsOfEachTokenSideBySide) {
    // B = 1, H = 2, T = 3, d = 2. Tens: the token; ones: the feature.
    const Tensor context = Tensor::of({1, 2, 3, 2}, {1, 2, 11, 12, 21, 22,    // head 0: tokens 0, 1, 2
                                                     3, 4, 13, 14, 23, 24});  // head 1: tokens 0, 1, 2
    const Tensor merged = merge_heads(context);
    ASSERT_EQ(merged.shape(), (Shape{1, 3, 4}));  // token 0: 1 2 3 4, token 1: 11 12 13 14, ...
    EXPECT_EQ(merged(0, 0, 0), 1);
    EXPECT_EQ(merged(0, 0, 2), 3);
    EXPECT_EQ(merged(0, 1, 0), 11);
    EXPECT_EQ(merged(0, 1, 3), 14);
    EXPECT_EQ(merged(0, 2, 1), 22);
}

TEST(ProjectOutput, MixesWhatTheHeadsFoundAndAddsTheBias) {
    const Tensor merged = Tensor::of({1, 1, 2}, {3, 5});
    const Tensor w_o = Tensor::rows({{1, 0, 2}, {0, 1, 1}});  // (E, D) = (2, 3)
    const Tensor y = project_output(merged, w_o, Tensor::of({3}, {10, 20, 30}));
    ASSERT_EQ(y.shape(), (Shape{1, 1, 3}));
    EXPECT_NEAR(y(0, 0, 0), 13, tolerance);  // 3·1 + 5·0 + 10
    EXPECT_NEAR(y(0, 0, 1), 25, tolerance);  // 3·0 + 5·1 + 20
    EXPECT_NEAR(y(0, 0, 2), 41, tolerance);  // 3·2 + 5·1 + 30
}

TEST(ProjectOutput, NeedsNoBias) {
    const Tensor y = project_output(Tensor::of({1, 1, 2}, {3, 5}), Tensor::rows({{1, 0, 2}, {0, 1, 1}}), Tensor{});
    EXPECT_NEAR(y(0, 0, 0), 3, tolerance);
    EXPECT_NEAR(y(0, 0, 1), 5, tolerance);
    EXPECT_NEAR(y(0, 0, 2), 11, tolerance);
}

// Two tokens, two heads of width 1. With x = I every projection x·w is w itself: row = token, column = head.
struct TwoHeads {
    Tensor x = Tensor::of({1, 2, 2}, {1, 0, 0, 1});
    Tensor w_q = Tensor::rows({{ln3, 0}, {0, ln3}});
    Tensor w_k = Tensor::rows({{1, 1}, {0, 0}});
    Tensor w_v = Tensor::rows({{4, 8}, {12, 16}});
    Tensor w_o = Tensor::rows({{1, 0}, {1, 1}});  // out = (head 0 + head 1, head 1)
};

TEST(MultiHeadAttention, LetsEachHeadAttendOnItsOwn) {
    const TwoHeads a;
    const Tensor y = multi_head_attention(a.x, a.w_q, a.w_k, a.w_v, a.w_o, 2, Mask{});
    ASSERT_EQ(y.shape(), (Shape{1, 2, 2}));
    // Scores q·k / √1:      head 0                              head 1
    //   token 0     (ln 3, 0): 3/4·4 + 1/4·12 = 6     (0, 0):    1/2·8 + 1/2·16 = 12
    //   token 1     (0, 0):    1/2·4 + 1/2·12 = 8     (ln 3, 0): 3/4·8 + 1/4·16 = 10
    EXPECT_NEAR(y(0, 0, 0), 18, tolerance);  // 6 + 12
    EXPECT_NEAR(y(0, 0, 1), 12, tolerance);
    EXPECT_NEAR(y(0, 1, 0), 18, tolerance);  // 8 + 10
    EXPECT_NEAR(y(0, 1, 1), 10, tolerance);
}

TEST(MultiHeadAttention, AppliesTheMaskInEveryHead) {
    const TwoHeads a;
    const Tensor y = multi_head_attention(a.x, a.w_q, a.w_k, a.w_v, a.w_o, 2, given::causal_mask(2, 2));
    // Token 0 now sees only itself: head 0 finds 4, head 1 finds 8. Token 1 sees both, as before.
    EXPECT_NEAR(y(0, 0, 0), 12, tolerance);  // 4 + 8
    EXPECT_NEAR(y(0, 0, 1), 8, tolerance);
    EXPECT_NEAR(y(0, 1, 0), 18, tolerance);
    EXPECT_NEAR(y(0, 1, 1), 10, tolerance);
}

TEST(MultiHeadAttention, RefusesHeadsThatDoNotDivideTheWidth) {
    const TwoHeads a;
    EXPECT_THROW(multi_head_attention(a.x, a.w_q, a.w_k, a.w_v, a.w_o, 3, Mask{}), std::invalid_argument);
}

}  // namespace
}  // namespace headway::ex04
