#include "catch_the_bug.hpp"

#include <cmath>
#include <vector>

namespace headway::ex06 {
namespace {

/// (B, n, D) · (D, E) + (E) -> (B, H, n, d)
Tensor heads(const Tensor& x, const Tensor& w, const Tensor& b, Index num_heads) {
    const Tensor y = b.defined() ? matmul(x, w) + b : matmul(x, w);
    return y.view({x.size(0), x.size(1), num_heads, w.size(1) / num_heads}).transpose(1, 2);
}

/// Whether query t of T may not see key s of S.
bool is_blocked(const Inputs& in, const Mask& mask, Index b, Index h, Index t, Index s) {
    if (in.causal && s > t + in.key.size(1) - in.query.size(1)) return true;
    return mask.defined() && mask(b, h, t, s);
}

Attended expected(const Inputs& in) {
    const Index B = in.query.size(0), T = in.query.size(1), S = in.key.size(1), H = in.num_heads;
    const Tensor q = heads(in.query, in.w_q, in.b_q, H);
    const Tensor k = heads(in.key, in.w_k, in.b_k, H);
    const Tensor v = heads(in.value, in.w_v, in.b_v, H);
    const Tensor scores = matmul(q, k.transpose(2, 3)) / std::sqrt(static_cast<float>(q.size(3)));
    const Mask mask = in.mask.defined() ? in.mask.expand({B, H, T, S}) : Mask{};
    Tensor weights = Tensor::zeros({B, H, T, S});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t) {
                float largest = -INFINITY;
                for (Index s = 0; s < S; ++s)
                    if (!is_blocked(in, mask, b, h, t, s)) largest = max(largest, scores(b, h, t, s));
                float total = 0;
                for (Index s = 0; s < S; ++s)
                    if (!is_blocked(in, mask, b, h, t, s))
                        total += weights(b, h, t, s) = std::exp(scores(b, h, t, s) - largest);
                for (Index s = 0; s < S && total > 0; ++s) weights(b, h, t, s) /= total;
            }
    const Tensor merged = matmul(weights, v).transpose(1, 2).contiguous().view({B, T, in.w_q.size(1)});
    const Tensor output = matmul(merged, in.w_o);
    return {in.b_o.defined() ? output + in.b_o : output, weights};
}

void expect_close(const Tensor& a, const Tensor& b, float tolerance) {
    const Tensor x = a.contiguous(), y = b.contiguous();
    ASSERT_EQ(x.shape(), y.shape());
    for (Index i = 0; i < x.numel(); ++i) EXPECT_NEAR(x.data()[i], y.data()[i], tolerance);
}

class Sizes : public ::testing::TestWithParam<int> {};

TEST_P(Sizes, GiveWhatTheVisibleTestGives) {
    const int i = GetParam();
    Random random(static_cast<std::uint64_t>(i));
    const Index B = 2 + i % 2, H = 1 + i % 3, T = 2 + i, S = i % 4 == 0 ? T : 3 + i / 2, d = 2 + i % 5, D = 5,
                E = H * d;
    const float far = i % 6 == 5 ? 300.0F : 1.0F;
    Inputs in{random.normal({B, T, D}), random.normal({B, S, D}) * far, random.normal({B, S, D}), random.normal({D, E}),
              random.normal({D, E}),    random.normal({D, E}),          random.normal({E}),       random.normal({E}),
              random.normal({E}),       random.normal({E, D}),          random.normal({D}),       H};
    in.causal = i % 3 == 0;
    if (i % 2 == 1) {
        in.mask = Mask::allow_all({B, 1, T, S});
        for (Index j = 0; j < in.mask.numel(); ++j) in.mask.data()[j] = random.uniform() < 0.6F;
    }
    const Attended right = expected(in), answered = attention(in);
    expect_close(answered.weights, right.weights, far > 1 ? 0.02F : 1e-4F);
    if (far == 1) expect_close(answered.output, right.output, 1e-3F);
}

INSTANTIATE_TEST_SUITE_P(Other, Sizes, ::testing::Range(0, 24));

/// One feature, so that scores can be chosen.
void compare_scores(const std::vector<float>& keys) {
    const Index S = static_cast<Index>(keys.size());
    Inputs in{Tensor::ones({1, 1, 1}), Tensor::of({1, S, 1}, keys), Tensor::arange(S).view({1, S, 1})};
    in.w_q = in.w_k = in.w_v = in.w_o = Tensor::ones({1, 1});
    in.mask = Mask::allow_all({S});
    in.mask(S - 1) = true;
    expect_close(attention(in).weights, expected(in).weights, 1e-3F);
}

TEST(Scores, GiveWhatTheVisibleTestGives) {
    compare_scores({-2000, -2000, 0});
    compare_scores({-30000, -30000, 1, 30000});
}

}  // namespace
}  // namespace headway::ex06
