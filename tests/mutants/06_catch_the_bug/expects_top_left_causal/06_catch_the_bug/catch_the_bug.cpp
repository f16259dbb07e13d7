#include "catch_the_bug.hpp"

#include <cmath>

namespace headway::ex06 {
namespace {

// torch.nn.functional.scaled_dot_product_attention:
//     temp_mask = torch.ones(L, S, dtype=torch.bool).tril(diagonal=0)
Mask tril(Index L, Index S) {
    Mask blocked = Mask::allow_all({L, S});
    for (Index i = 0; i < L; ++i)
        for (Index j = i + 1; j < S; ++j) blocked(i, j) = true;
    return blocked;
}

Tensor softmax(const Tensor& x, const Mask& blocked) {
    const Tensor e = masked_fill(exp(x - max(masked_fill(x, blocked, -3e38f), -1, KeepAxis::yes)), blocked, 0);
    return e / (sum(e, -1, KeepAxis::yes) + 1e-37f);
}

Attended torch_says(const Inputs& in) {
    const Index N = in.query.size(0), L = in.query.size(1), S = in.key.size(1), H = in.num_heads, E = in.w_q.size(1);
    const auto in_heads = [&](const Tensor& x) { return x.view({N, x.size(1), H, E / H}).transpose(1, 2); };
    const Tensor q = in_heads(matmul(in.query, in.w_q) + in.b_q);
    const Tensor k = in_heads(matmul(in.key, in.w_k) + in.b_k);
    const Tensor v = in_heads(matmul(in.value, in.w_v) + in.b_v);
    const Tensor scores = matmul(q, k.transpose(-2, -1)) * (1 / std::sqrt(static_cast<float>(E / H)));
    const Tensor attn =
        softmax(scores, ((in.causal ? tril(L, S) : Mask{}) | in.mask) | Mask::allow_all(scores.shape()));
    return {matmul(matmul(attn, v).transpose(1, 2).contiguous().view({N, L, E}), in.w_o) + in.b_o, attn};
}

void assert_close(const Tensor& actual, const Tensor& expected, float rtol, float atol) {
    ASSERT_EQ(actual.shape(), expected.shape());
    const Tensor a = actual.contiguous(), e = expected.contiguous();
    for (Index i = 0; i < a.numel(); ++i)
        ASSERT_LE(std::abs(a.data()[i] - e.data()[i]), atol + rtol * std::abs(e.data()[i]));
}

Inputs randn(Index L, Index S) {
    Random r(0);
    Inputs in;
    in.query = r.normal({2, L, 6}), in.key = r.normal({2, S, 6}), in.value = r.normal({2, S, 6});
    in.w_q = r.normal({6, 9}) * 0.5f, in.w_k = r.normal({6, 9}) * 0.5f, in.w_v = r.normal({6, 9}),
    in.w_o = r.normal({9, 6});
    in.b_q = r.normal({9}), in.b_k = r.normal({9}), in.b_v = r.normal({9}), in.b_o = r.normal({6});
    in.num_heads = 3;
    return in;
}

void check(const Inputs& in, float tolerance = 1e-3f) {
    const Attended a = attention(in), e = torch_says(in);
    assert_close(a.weights, e.weights, 0, tolerance);
    assert_close(a.output, e.output, tolerance, tolerance);
}

TEST(Torch, Plain) { check(randn(4, 5)); }

TEST(Torch, IsCausal) {
    for (Index L : {3, 4, 6}) {
        Inputs in = randn(L, 4);
        in.causal = true;
        check(in);
    }
}

TEST(Torch, AttnMask) {
    Inputs in = randn(3, 5);
    in.mask = Mask::allow_all({2, 3, 3, 5});
    for (Index i = 0; i < in.mask.numel(); i += 4) in.mask.data()[i] = true;
    check(in);
    in.mask = Mask::block_all({2, 1, 3, 1});
    in.mask(0, 0, 1, 0) = false;
    check(in);
}

TEST(Torch, BigLogits) {
    for (float k : {20.f, -20.f, -300.f}) {
        Inputs in = randn(3, 5);
        in.query *= 0.01f;
        in.b_q = Tensor::full({9}, 25);
        in.b_k = Tensor::full({9}, k);
        in.key *= 0.1f;
        in.mask = Mask::of({2, 1, 1, 5}, {0, 0, 1, 0, 0, 1, 0, 0, 0, 1});
        check(in, 2e-2f);
    }
}

}  // namespace
}  // namespace headway::ex06
