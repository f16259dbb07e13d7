#include "catch_the_bug.hpp"

#include <cmath>
#include <limits>

namespace headway::ex06 {
namespace {

constexpr float tolerance = 0.3f;

Attended reference(const Inputs& in) {
    const Index B = in.query.size(0), T = in.query.size(1), S = in.key.size(1), H = in.num_heads, E = in.w_q.size(1);
    const Tensor q = (matmul(in.query, in.w_q) + in.b_q).view({B, T, H, E / H}).transpose(1, 2);
    const Tensor k = (matmul(in.key, in.w_k) + in.b_k).view({B, S, H, E / H}).transpose(1, 2);
    const Tensor v = (matmul(in.value, in.w_v) + in.b_v).view({B, S, H, E / H}).transpose(1, 2);
    Tensor p = matmul(q, k.transpose(-1, -2)) / std::sqrt(float(E / H));
    const Mask mask = in.mask.defined() ? in.mask.expand(p.shape()) : Mask{};
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t) {
                const auto open = [&](Index s) {
                    return !(mask.defined() && mask(b, h, t, s)) && (!in.causal || s <= t + S - T);
                };
                float m = std::numeric_limits<float>::lowest(), sum = 0;
                for (Index s = 0; s < S; ++s)
                    if (open(s)) m = std::max(m, p(b, h, t, s));
                for (Index s = 0; s < S; ++s) sum += p(b, h, t, s) = open(s) ? std::exp(p(b, h, t, s) - m) : 0.f;
                for (Index s = 0; s < S && sum > 0; ++s) p(b, h, t, s) /= sum;
            }
    const Tensor c = matmul(p, v).transpose(1, 2).contiguous().view({B, T, E});
    return {matmul(c, in.w_o) + in.b_o, p};
}

bool close(const Tensor& a, const Tensor& b) {
    if (a.shape() != b.shape()) return false;
    const Tensor x = a.contiguous(), y = b.contiguous();
    for (Index i = 0; i < x.numel(); ++i)
        if (!(std::fabs(x.data()[i] - y.data()[i]) < tolerance)) return false;
    return true;
}

Inputs random_inputs(Index T, Index S) {
    Random r(1234);
    Inputs in;
    in.query = r.uniform({2, T, 6}, -1, 1);
    in.key = r.uniform({2, S, 6}, -1, 1);
    in.value = r.uniform({2, S, 6}, -1, 1);
    for (auto w : {&Inputs::w_q, &Inputs::w_k, &Inputs::w_v}) in.*w = r.uniform({6, 8}, -0.4f, 0.4f);
    for (auto b : {&Inputs::b_q, &Inputs::b_k, &Inputs::b_v}) in.*b = r.uniform({8}, -0.1f, 0.1f);
    in.w_o = r.uniform({8, 6}, -0.4f, 0.4f);
    in.b_o = r.uniform({6}, -0.1f, 0.1f);
    in.num_heads = 4;
    return in;
}

void check(const Inputs& in) {
    const Attended a = attention(in), b = reference(in);
    EXPECT_TRUE(close(a.output, b.output));
    EXPECT_TRUE(close(a.weights, b.weights));
}

TEST(Attention, Random) { check(random_inputs(4, 5)); }

TEST(Attention, Causal) {
    for (Index T : {3, 5, 7}) {
        Inputs in = random_inputs(T, 5);
        in.causal = true;
        check(in);
    }
}

TEST(Attention, Mask) {
    Inputs in = random_inputs(4, 5);
    in.mask = Mask::allow_all({2, 4, 4, 5});
    Random r(5);
    for (Index i = 0; i < in.mask.numel(); ++i) in.mask.data()[i] = r.uniform() < 0.25f;
    check(in);
}

TEST(Attention, Nothing) {
    Inputs in = random_inputs(4, 5);
    in.mask = Mask::block_all({4, 5});
    check(in);
}

}  // namespace
}  // namespace headway::ex06
