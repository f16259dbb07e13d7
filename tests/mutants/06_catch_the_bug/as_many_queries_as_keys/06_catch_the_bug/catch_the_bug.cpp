#include "catch_the_bug.hpp"

#include <cmath>

namespace headway::ex06 {
namespace {

// Tensors all the way, as the exercises before taught it.
Attended mine(const Inputs& in) {
    const Index B = in.query.size(0), L = in.query.size(1), H = in.num_heads, E = in.w_q.size(1);
    const auto split = [&](const Tensor& x, const Tensor& w, const Tensor& b) {
        return (matmul(x, w) + b).view({B, L, H, E / H}).transpose(1, 2);
    };
    const Tensor q = split(in.query, in.w_q, in.b_q), k = split(in.key, in.w_k, in.b_k),
                 v = split(in.value, in.w_v, in.b_v);
    Mask mask = in.mask;
    if (in.causal) {
        Mask future = Mask::allow_all({L, L});
        for (Index t = 0; t < L; ++t)
            for (Index s = t + 1; s < L; ++s) future(t, s) = true;
        mask = mask | future;
    }
    const Tensor scores = matmul(q, k.transpose(2, 3)) / std::sqrt(static_cast<float>(E / H));
    const Tensor low = masked_fill(scores, mask, -1e30f);
    const Tensor e = masked_fill(exp(low - max(low, -1, KeepAxis::yes)), mask, 0);
    const Tensor weights = e / (sum(e, -1, KeepAxis::yes) + 1e-30f);
    return {matmul(matmul(weights, v).transpose(1, 2).contiguous().view({B, L, E}), in.w_o) + in.b_o, weights};
}

void expect_mine(const Inputs& in, float tolerance = 1e-3f) {
    const Attended theirs = attention(in), ours = mine(in);
    for (auto part : {&Attended::output, &Attended::weights}) {
        const Tensor a = (theirs.*part).contiguous(), b = (ours.*part).contiguous();
        ASSERT_EQ(a.shape(), b.shape());
        for (Index i = 0; i < a.numel(); ++i)
            ASSERT_NEAR(a.data()[i], b.data()[i], tolerance * (1 + std::abs(b.data()[i])));
    }
}

Inputs some(float size = 1) {
    constexpr Index B = 2, L = 5, D = 7, E = 6;
    Random r(606);
    return {.query = r.normal({B, L, D}) * size,
            .key = r.normal({B, L, D}),
            .value = r.normal({B, L, D}),
            .w_q = r.normal({D, E}),
            .w_k = r.normal({D, E}),
            .w_v = r.normal({D, E}),
            .b_q = r.normal({E}),
            .b_k = r.normal({E}),
            .b_v = r.normal({E}),
            .w_o = r.normal({E, D}),
            .b_o = r.normal({D}),
            .num_heads = 3};
}

Mask every_third(const Shape& shape) {
    Mask mask = Mask::allow_all(shape);
    for (Index i = 0; i < mask.numel(); i += 3) mask.data()[i] = true;
    return mask;
}

TEST(SelfAttention, Plain) { expect_mine(some()); }

TEST(SelfAttention, Causal) {
    Inputs in = some();
    in.causal = true;
    expect_mine(in);
    in.mask = every_third({2, 3, 5, 5});
    expect_mine(in);
}

TEST(SelfAttention, Masked) {
    for (const Shape& shape : {Shape{5, 5}, Shape{2, 1, 1, 5}, Shape{2, 3, 5, 5}, Shape{3, 1, 5}, Shape{5, 1}}) {
        Inputs in = some();
        in.mask = every_third(shape);
        expect_mine(in);
    }
}

TEST(SelfAttention, Large) {
    expect_mine(some(100), 3e-2f);
    for (float low : {-100.f, -3000.f, -11000.f}) {
        Inputs in = some(0.01f);
        in.w_k *= 0.01f;
        in.b_q = Tensor::full({6}, 10);
        in.b_k = Tensor::full({6}, low / 14);
        in.mask = every_third({5, 5});
        expect_mine(in, 1e-2f);
    }
}

}  // namespace
}  // namespace headway::ex06
