#include "tiled_attention.hpp"

#include <limits>
#include <stdexcept>

// Tensor operations on whole tiles; the future is one more mask, made for the tile that needs it.
namespace headway::ex10 {

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();

void require(bool good, const std::string& what) {
    if (!good) throw std::invalid_argument(what);
}

/// x, with 0 for -infinity.
Tensor finite(const Tensor& x) {
    Tensor y = x.contiguous().clone();
    for (Index i = 0; i < y.numel(); ++i)
        if (y.data()[i] == -inf) y.data()[i] = 0;
    return y;
}

Mask future(Index t0, Index t1, Index s0, Index s1, Index offset) {
    Mask m = Mask::allow_all({t1 - t0, s1 - s0});
    for (Index t = t0; t < t1; ++t)
        for (Index s = s0; s < s1; ++s) m(t - t0, s - s0) = s > t + offset;
    return m;
}

}  // namespace

Running nothing_seen(Index B, Index H, Index T, Index d_v) {
    require(B >= 1 && H >= 1 && T >= 1 && d_v >= 1, "nothing_seen: every size must be at least 1");
    return {Tensor::full({B, H, T, 1}, -inf), Tensor::zeros({B, H, T, 1}), Tensor::zeros({B, H, T, d_v})};
}

void absorb(Running& running, const Tensor& scores, const Tensor& v) {
    require(scores.rank() == 4 && v.rank() == 4 && running.gathered.rank() == 4, "absorb: rank 4");
    const Index B = scores.size(0), H = scores.size(1), T = scores.size(2), n = scores.size(3);
    require(running.largest.shape() == Shape{B, H, T, 1}, "absorb: largest");
    require(running.total.shape() == Shape{B, H, T, 1}, "absorb: total");
    require(v.shape() == Shape{B, H, n, v.size(3)}, "absorb: v");
    require(running.gathered.shape() == Shape{B, H, T, v.size(3)}, "absorb: gathered");
    if (n == 0) return;

    const Tensor now = max(cat({running.largest, scores}, -1), -1, KeepAxis::yes);
    const Tensor base = finite(now);
    const Tensor shrink = exp(running.largest - base);
    const Tensor raised = exp(scores - base);
    running = {now, running.total * shrink + sum(raised, -1, KeepAxis::yes),
               running.gathered * shrink + matmul(raised, v)};
}

Tensor context(const Running& running) {
    // total is at least 1 or 0: the small number does nothing but turn 0 / 0 into 0.
    return running.gathered / (running.total + 1e-30F);
}

Tensor tiled_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, Causal causal, Index tile) {
    require(tile > 0, "tiled_attention: tile");
    require(q.rank() == 4 && k.rank() == 4 && v.rank() == 4, "tiled_attention: rank 4");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2), d_v = v.size(3);
    require(k.shape() == Shape{B, H, S, d}, "tiled_attention: k");
    require(v.shape() == Shape{B, H, S, d_v}, "tiled_attention: v");
    const Mask wide = mask.defined() ? mask.expand({B, H, T, S}) : Mask{};

    Tensor result = Tensor::empty({B, H, T, d_v});
    for (Index t0 = 0; t0 < T; t0 += tile) {
        const Index t1 = t0 + tile < T ? t0 + tile : T;
        const Tensor queries = q.slice(2, t0, t1) / std::sqrt(static_cast<float>(d));
        Running running = nothing_seen(B, H, t1 - t0, d_v);
        for (Index s0 = 0; s0 < S; s0 += tile) {
            const Index s1 = s0 + tile < S ? s0 + tile : S;
            const Index offset = S - T;
            if (causal == Causal::yes && s0 > t0 + offset) break;
            Tensor scores = matmul(queries, k.slice(2, s0, s1).transpose(2, 3));
            if (wide.defined()) {
                const Strides& w = wide.strides();
                scores = masked_fill(
                    scores, wide.as_strided({B, H, t1 - t0, s1 - s0}, w, wide.layout().offset + t0 * w[2] + s0 * w[3]),
                    -inf);
            }
            if (causal == Causal::yes && s1 - 1 > t0 + offset)
                scores = masked_fill(scores, future(t0, t1, s0, s1, offset), -inf);
            absorb(running, scores, v.slice(2, s0, s1));
        }
        result.slice(2, t0, t1).copy_from(context(running));
    }
    return result;
}

}  // namespace headway::ex10
