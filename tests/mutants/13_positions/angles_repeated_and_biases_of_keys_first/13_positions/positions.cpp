#include "positions.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <ranges>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace headway::ex13 {

namespace {

[[noreturn]] void refuse(const char* why) { throw std::invalid_argument(why); }

template <class F>
Tensor map(const Tensor& x, F f) {
    Tensor y = Tensor::empty(x.shape());
    const Tensor source = x.contiguous();
    std::transform(source.data(), source.data() + source.numel(), y.data(), f);
    return y;
}

// (B, T, d/2) -> cos and sin, (B, 1, T, d/2)
std::pair<Tensor, Tensor> cos_sin(const Tensor& x, const Tensor& angles) {
    if (x.rank() != 4 || angles.rank() != 3) refuse("ranks");
    const Index B = x.size(0), T = x.size(2), d = x.size(3);
    if (d < 2 || d % 2 != 0 || angles.shape() != Shape{B, T, d / 2}) refuse("angles and x");
    const Shape with_heads{B, 1, T, d / 2};
    return {map(angles, [](float a) { return std::cos(a); }).view(with_heads),
            map(angles, [](float a) { return std::sin(a); }).view(with_heads)};
}

Tensor swap_inner(const Tensor& w, Index num_heads, bool to_halves) {
    if (!w.defined() || w.rank() < 1 || num_heads < 1) refuse("no axis, or no head");
    const Index E = w.size(-1);
    if (E % (2 * num_heads) != 0) refuse("heads of even width do not fill the last axis");
    const Index half = E / num_heads / 2;
    Shape cut(w.shape().begin(), w.shape().end() - 1);
    cut.push_back(num_heads);
    cut.push_back(to_halves ? half : 2);
    cut.push_back(to_halves ? 2 : half);
    return w.contiguous().view(cut).transpose(-1, -2).contiguous().view(w.shape()).clone();
}

Tensor share(const Tensor& kv, Index H) {
    const Index B = kv.size(0), H_kv = kv.size(1), S = kv.size(2), d = kv.size(3);
    const Tensor each = kv.contiguous().view({B, H_kv, 1, S, d});
    return each.expand({B, H_kv, H / H_kv, S, d}).contiguous().view({B, H, S, d});
}

void fits(const Tensor& q, const Tensor& k, const Tensor& v) {
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4) refuse("rank");
    const auto [B, H, H_kv] = std::tuple{q.size(0), q.size(1), k.size(1)};
    if (k.size(0) != B || v.size(0) != B || v.size(1) != H_kv || H_kv < 1 || H % H_kv != 0) refuse("B, H, H_kv");
    if (v.size(2) != k.size(2) || k.size(3) != q.size(3)) refuse("S or d");
}

}  // namespace

Tensor token_positions(const std::vector<Index>& padding, Index first, Index T) {
    if (first < 0 || T < 1 || padding.empty() || *std::ranges::min_element(padding) < 0) refuse("token_positions");
    std::vector<float> all;
    for (const Index pad : padding)
        for (Index column = first; column < first + T; ++column)
            all.push_back(column < pad ? 0.0F : static_cast<float>(column - pad));
    return Tensor::of({static_cast<Index>(padding.size()), T}, all);
}

Tensor rotation_angles(const Tensor& positions, Index d, double base) {
    if (positions.rank() != 2 || d < 2 || d % 2 != 0 || !(base > 0)) refuse("rotation_angles");
    std::vector<double> inv_freq(static_cast<std::size_t>(d / 2));
    for (double n = 0; auto& f : inv_freq) f = std::pow(base, -2.0 * n++ / static_cast<double>(d));
    const Tensor p = positions.contiguous();
    std::vector<float> out;
    for (Index n = 0; n < p.numel(); ++n)
        for (const double f : inv_freq) out.push_back(static_cast<float>(p.data()[n] * f));
    return Tensor::of({positions.size(0), positions.size(1), d / 2}, out);
}

Tensor rotate_pairs(const Tensor& x, const Tensor& angles) {
    const auto [c, s] = cos_sin(x, angles);
    const Index B = x.size(0), H = x.size(1), T = x.size(2), half = x.size(3) / 2;
    const Tensor pairs = x.contiguous().view({B, H, T, half, 2});
    const Tensor even = pairs.select(4, 0), odd = pairs.select(4, 1);
    const Tensor new_even = (even * c - odd * s).contiguous().view({B, H, T, half, 1});
    const Tensor new_odd = (even * s + odd * c).contiguous().view({B, H, T, half, 1});
    return cat({new_even, new_odd}, 4).contiguous().view({B, H, T, 2 * half});
}

Tensor rotate_halves(const Tensor& x, const Tensor& angles) {
    const auto [c, s] = cos_sin(x, angles);
    const Index d = x.size(3);
    const Tensor x1 = x.slice(3, 0, d / 2), x2 = x.slice(3, d / 2, d);
    const Index B = x.size(0), T = x.size(2);
    const auto twice = [&](const Tensor& a) {  // repeat_interleave(2)
        return a.contiguous().view({B, 1, T, d / 2, 1}).expand({B, 1, T, d / 2, 2}).contiguous().view({B, 1, T, d});
    };
    return x * twice(c) + cat({-x2, x1}, 3) * twice(s);
}

Tensor pairs_to_halves(const Tensor& w, Index num_heads) { return swap_inner(w, num_heads, true); }

Tensor halves_to_pairs(const Tensor& w, Index num_heads) { return swap_inner(w, num_heads, false); }

Tensor rotary_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& q_positions,
                        const Tensor& k_positions, double base, const Mask& mask) {
    fits(q, k, v);
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2), d = q.size(3);
    if (q_positions.shape() != Shape{B, T} || k_positions.shape() != Shape{B, S}) refuse("positions");
    const Tensor rq = rotate_pairs(q, rotation_angles(q_positions, d, base));
    const Tensor rk = rotate_pairs(k, rotation_angles(k_positions, d, base));
    const Tensor values = share(v, H);
    const Mask all = mask.defined() ? mask.expand({B, H, T, S}) : Mask::allow_all({B, H, T, S});
    Tensor scores = matmul(rq, share(rk, H).transpose(-2, -1)) / std::sqrt(static_cast<float>(d));
    scores = masked_fill(scores, all, -std::numeric_limits<float>::infinity());
    const Tensor top = map(max(scores, -1, KeepAxis::yes), [](float m) { return std::isinf(m) ? 0.0F : m; });
    const Tensor e = exp(scores - top);
    const Tensor total = map(sum(e, -1, KeepAxis::yes), [](float n) { return n == 0 ? 1.0F : n; });
    return matmul(e / total, values);
}

Decoded decode(const Cache& cache, const Tensor& q, const Tensor& k, const Tensor& v, const std::vector<Index>& padding,
               double base) {
    fits(q, k, v);
    const Index B = q.size(0), H = q.size(1), H_kv = k.size(1), T = q.size(2), d = q.size(3);
    if (k.size(2) != T || static_cast<Index>(padding.size()) != B) refuse("T or padding");
    if (cache.k.defined() != cache.v.defined()) refuse("half a cache");
    const bool fresh = !cache.k.defined();
    if (!fresh) {
        if (cache.k.rank() != 4 || cache.v.rank() != 4) refuse("cache rank");
        const Index kept = cache.k.size(2);
        if (cache.k.shape() != Shape{B, H_kv, kept, d} || cache.v.shape() != Shape{B, H_kv, kept, v.size(3)})
            refuse("cache");
    }
    const Index P = fresh ? 0 : cache.k.size(2), S = P + T;
    const Tensor angles = rotation_angles(token_positions(padding, P, T), d, base);
    const Tensor rq = rotate_pairs(q, angles), rk = rotate_pairs(k, angles);
    Decoded out;
    out.cache.k = fresh ? rk : cat({cache.k, rk}, 2);
    out.cache.v = fresh ? v.clone() : cat({cache.v, v}, 2);
    Mask hidden = Mask::allow_all({B, 1, T, S});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t)
            for (Index s = 0; s < S; ++s) hidden(b, 0, t, s) = s < padding[static_cast<std::size_t>(b)] || s > P + t;
    // angle 0 turns nothing: rotary_attention is used as plain attention
    out.context =
        rotary_attention(rq, out.cache.k, out.cache.v, Tensor::zeros({B, T}), Tensor::zeros({B, S}), base, hidden);
    (void)H;
    return out;
}

Packed pack_in_projection(const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& b_q, const Tensor& b_k,
                          const Tensor& b_v) {
    if (w_q.rank() != 2 || w_k.rank() != 2 || w_k.shape() != w_v.shape() || w_q.size(0) != w_k.size(0))
        refuse("weights");
    const auto biases = int{b_q.defined()} + int{b_k.defined()} + int{b_v.defined()};
    if (biases != 0 && biases != 3) refuse("some biases");
    const Shape q_bias{w_q.size(1)}, kv_bias{w_k.size(1)};
    if (biases == 3 && (b_q.shape() != q_bias || b_k.shape() != kv_bias || b_v.shape() != kv_bias)) refuse("biases");
    return {cat({w_q, w_k, w_v}, 1).transpose(0, 1).contiguous(), biases == 3 ? cat({b_k, b_q, b_v}, 0) : Tensor{}};
}

Projections unpack_in_projection(const Packed& packed, Index num_heads, Index num_kv_heads) {
    const auto& [weight, bias] = packed;
    if (num_heads < 1 || num_kv_heads < 1 || num_heads % num_kv_heads != 0 || weight.rank() != 2)
        refuse("heads or rank");
    const Index rows = weight.size(0), parts = num_heads + 2 * num_kv_heads;
    if (rows % parts != 0 || (bias.defined() && bias.shape() != Shape{rows})) refuse("rows or bias");
    const Index head_dim = rows / parts;
    const Index k_at = num_heads * head_dim, v_at = k_at + num_kv_heads * head_dim;
    const auto w = [&weight = weight](Index from, Index to) {
        return weight.slice(0, from, to).transpose(0, 1).contiguous().clone();
    };
    Projections out{w(0, k_at), w(k_at, v_at), w(v_at, rows), {}, {}, {}};
    if (bias.defined()) {
        out.b_q = bias.slice(0, 0, k_at).clone();
        out.b_k = bias.slice(0, k_at, v_at).clone();
        out.b_v = bias.slice(0, v_at, rows).clone();
    }
    return out;
}

}  // namespace headway::ex13
