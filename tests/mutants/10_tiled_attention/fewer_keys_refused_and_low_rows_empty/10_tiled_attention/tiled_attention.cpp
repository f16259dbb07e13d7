#include "tiled_attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace headway::ex10 {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

void require(bool fits, const std::string& message) {
    if (!fits) throw std::invalid_argument(message);
}

/// A copy of (B, H, T, 1) in which `from` is `to`.
Tensor replaced(const Tensor& column, float from, float to) {
    Tensor result = column.clone();
    for (Index b = 0; b < result.size(0); ++b)
        for (Index h = 0; h < result.size(1); ++h)
            for (Index t = 0; t < result.size(2); ++t)
                if (result(b, h, t, 0) == from) result(b, h, t, 0) = to;
    return result;
}

}  // namespace

Running nothing_seen(Index B, Index H, Index T, Index d_v) {
    require(B >= 1 && H >= 1 && T >= 1 && d_v >= 1, "nothing_seen: sizes must be at least 1");
    return {Tensor::full({B, H, T, 1}, -infinity), Tensor::zeros({B, H, T, 1}), Tensor::zeros({B, H, T, d_v})};
}

void absorb(Running& running, const Tensor& scores, const Tensor& v) {
    require(scores.rank() == 4 && v.rank() == 4, "absorb: scores and v have four axes");
    const Index B = running.gathered.size(0), H = running.gathered.size(1), T = running.gathered.size(2),
                d_v = running.gathered.size(3), n = scores.size(3);
    require(scores.shape() == Shape{B, H, T, n}, "absorb: scores do not fit");
    require(v.shape() == Shape{B, H, n, d_v}, "absorb: v does not fit");

    const Tensor now = max(cat({running.largest, max(scores, -1, KeepAxis::yes)}, -1), -1, KeepAxis::yes);
    const Tensor shift = replaced(now, -infinity, 0);
    const Tensor shrink = exp(running.largest - shift);
    const Tensor raised = exp(scores - shift);
    running.total = running.total * shrink + sum(raised, -1, KeepAxis::yes);
    running.gathered = running.gathered * shrink + matmul(raised, v);
    running.largest = now;
}

Tensor context(const Running& running) {
    Tensor total = running.total.clone();
    for (Index b = 0; b < total.size(0); ++b)
        for (Index h = 0; h < total.size(1); ++h)
            for (Index t = 0; t < total.size(2); ++t)
                if (running.largest(b, h, t, 0) < -1e5F) total(b, h, t, 0) = infinity;  // blocked: no share at all
    return running.gathered / total;
}

Tensor tiled_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, Causal causal, Index tile) {
    require(tile >= 1, "tiled_attention: a tile holds at least one");
    require(q.rank() == 4 && k.rank() == 4 && v.rank() == 4, "tiled_attention: q, k and v have four axes");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2), d_v = v.size(3);
    require(k.shape() == Shape{B, H, S, d}, "tiled_attention: k does not fit q");
    require(v.shape() == Shape{B, H, S, d_v}, "tiled_attention: v does not fit k");
    require(causal == Causal::no || T <= S, "tiled_attention: causal needs as many keys as queries");
    const Mask blocked = mask.defined() ? mask.expand({B, H, T, S}) : mask;
    tile = std::min(tile, std::max(T, S));

    const float root = std::sqrt(static_cast<float>(d));
    Tensor result = Tensor::zeros({B, H, T, d_v});
    for (Index t = 0; t < T; t += tile) {
        const Index t_end = std::min(t + tile, T);
        const Tensor queries = q.slice(2, t, t_end);
        Running running = nothing_seen(B, H, t_end - t, d_v);
        const Index visible = causal == Causal::yes ? std::min(t_end + (S - T), S) : S;
        for (Index s = 0; s < visible; s += tile) {
            const Index s_end = std::min(s + tile, S);
            Tensor scores = matmul(queries, k.slice(2, s, s_end).transpose(-2, -1)) / root;
            if (blocked.defined()) {
                const Strides& step = blocked.strides();
                scores = masked_fill(scores,
                                     blocked.as_strided({B, H, t_end - t, s_end - s}, step,
                                                        blocked.layout().offset + t * step[2] + s * step[3]),
                                     -infinity);
            }
            if (causal == Causal::yes) {
                Mask future = Mask::allow_all({t_end - t, s_end - s});
                for (Index i = t; i < t_end; ++i)
                    for (Index j = s; j < s_end; ++j) future(i - t, j - s) = j > i + (S - T);
                scores = masked_fill(scores, future, -infinity);
            }
            absorb(running, scores, v.slice(2, s, s_end));
        }
        result.slice(2, t, t_end).copy_from(context(running));
    }
    return result;
}

}  // namespace headway::ex10
