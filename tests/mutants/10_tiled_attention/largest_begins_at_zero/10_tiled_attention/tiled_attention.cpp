#include "tiled_attention.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace headway::ex10 {

namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

void require(bool fits, const char* message) {
    if (!fits) throw std::invalid_argument(message);
}

/// x with `instead` where it is `what`.
Tensor replaced(const Tensor& x, float what, float instead) {
    Tensor y = x.contiguous().clone();
    for (Index i = 0; i < y.numel(); ++i)
        if (y.data()[i] == what) y.data()[i] = instead;
    return y;
}

}  // namespace

Running nothing_seen(Index B, Index H, Index T, Index d_v) {
    require(B >= 1 && H >= 1 && T >= 1 && d_v >= 1, "nothing_seen: sizes must be at least 1");
    return {Tensor::zeros({B, H, T, 1}), Tensor::zeros({B, H, T, 1}), Tensor::zeros({B, H, T, d_v})};
}

void absorb(Running& running, const Tensor& scores, const Tensor& v) {
    require(scores.rank() == 4, "absorb: scores must be (B, H, T, n)");
    require(v.rank() == 4, "absorb: v must be (B, H, n, d_v)");
    const Index B = scores.size(0), H = scores.size(1), T = scores.size(2), n = scores.size(3), d_v = v.size(3);
    require(v.shape() == Shape{B, H, n, d_v}, "absorb: scores and v do not fit");
    require(running.largest.shape() == Shape{B, H, T, 1}, "absorb: scores do not fit what was seen");
    require(running.total.shape() == Shape{B, H, T, 1}, "absorb: scores do not fit what was seen");
    require(running.gathered.shape() == Shape{B, H, T, d_v}, "absorb: v does not fit what was gathered");
    if (n == 0) return;

    const Tensor of_tile = max(scores, -1, KeepAxis::yes);
    const Tensor now = max(cat({running.largest, of_tile}, -1), -1, KeepAxis::yes);
    const Tensor shift = replaced(now, minus_infinity, 0);
    const Tensor shrink = exp(running.largest - shift);
    const Tensor raised = exp(scores - shift);
    running.total = running.total * shrink + sum(raised, -1, KeepAxis::yes);
    running.gathered = running.gathered * shrink + matmul(raised, v);
    running.largest = now;
}

Tensor context(const Running& running) { return running.gathered / replaced(running.total, 0, 1); }

Tensor tiled_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, Causal causal, Index tile) {
    require(tile >= 1, "tiled_attention: a tile holds at least 1");
    require(q.rank() == 4 && k.rank() == 4 && v.rank() == 4, "tiled_attention: q, k and v have 4 axes");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2), d_v = v.size(3);
    require(k.shape() == Shape{B, H, S, d}, "tiled_attention: k does not fit q");
    require(v.shape() == Shape{B, H, S, d_v}, "tiled_attention: v does not fit k");
    const Mask wide = mask.defined() ? mask.expand({B, H, T, S}) : Mask{};

    Tensor result = Tensor::zeros({B, H, T, d_v});
    const float root = std::sqrt(static_cast<float>(d));
    for (Index t = 0; t < T; t += tile) {
        const Index t_end = std::min(t + tile, T);
        const Tensor queries = q.slice(2, t, t_end);
        Running running = nothing_seen(B, H, t_end - t, d_v);
        const Index visible = causal == Causal::yes ? std::clamp<Index>(t_end + (S - T), 0, S) : S;
        for (Index s = 0; s < visible; s += tile) {
            const Index s_end = std::min(s + tile, S);
            Tensor scores = matmul(queries, k.slice(2, s, s_end).transpose(-2, -1)) / root;
            if (wide.defined()) {
                const Index start = wide.layout().offset + t * wide.strides()[2] + s * wide.strides()[3];
                const Mask piece = wide.as_strided({B, H, t_end - t, s_end - s}, wide.strides(), start);
                scores = masked_fill(scores, piece, minus_infinity);
            }
            if (causal == Causal::yes && s_end - 1 > t + (S - T)) {
                Mask future = Mask::allow_all({t_end - t, s_end - s});
                for (Index i = t; i < t_end; ++i)
                    for (Index j = s; j < s_end; ++j) future(i - t, j - s) = j > i + (S - T);
                scores = masked_fill(scores, future, minus_infinity);
            }
            absorb(running, scores, v.slice(2, s, s_end));
        }
        result.slice(2, t, t_end).copy_from(context(running));
    }
    return result;
}

}  // namespace headway::ex10
