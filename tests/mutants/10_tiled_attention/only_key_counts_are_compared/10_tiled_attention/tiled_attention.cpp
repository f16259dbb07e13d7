#include "tiled_attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace headway::ex10 {

namespace {
const float lowest = -std::numeric_limits<float>::infinity();
}

Running nothing_seen(Index B, Index H, Index T, Index d_v) {
    if (B < 1 || H < 1 || T < 1 || d_v < 1) throw std::invalid_argument("nothing_seen: sizes start at 1");
    Running r;
    r.largest = Tensor::full({B, H, T, 1}, lowest);
    r.total = Tensor::zeros({B, H, T, 1});
    r.gathered = Tensor::zeros({B, H, T, d_v});
    return r;
}

void absorb(Running& running, const Tensor& scores, const Tensor& v) {
    if (scores.size(3) != v.size(2)) throw std::invalid_argument("absorb: one score for each key");
    Tensor largest = running.largest.clone();
    Tensor total = running.total.clone();
    Tensor gathered = running.gathered.clone();
    for (Index b = 0; b < gathered.size(0); ++b) {
        for (Index h = 0; h < gathered.size(1); ++h) {
            for (Index t = 0; t < gathered.size(2); ++t) {
                const float before = largest(b, h, t, 0);
                float top = before;
                for (Index s = 0; s < scores.size(3); ++s) top = std::max(top, scores(b, h, t, s));
                if (top == lowest) continue;
                const float shrink = before == lowest ? 0.0F : std::exp(before - top);
                total(b, h, t, 0) *= shrink;
                for (Index j = 0; j < gathered.size(3); ++j) gathered(b, h, t, j) *= shrink;
                for (Index s = 0; s < scores.size(3); ++s) {
                    const float e = std::exp(scores(b, h, t, s) - top);
                    total(b, h, t, 0) += e;
                    for (Index j = 0; j < gathered.size(3); ++j) gathered(b, h, t, j) += e * v(b, h, s, j);
                }
                largest(b, h, t, 0) = top;
            }
        }
    }
    running.largest = largest;
    running.total = total;
    running.gathered = gathered;
}

Tensor context(const Running& running) {
    Tensor out = running.gathered.clone();
    for (Index b = 0; b < out.size(0); ++b)
        for (Index h = 0; h < out.size(1); ++h)
            for (Index t = 0; t < out.size(2); ++t)
                for (Index j = 0; j < out.size(3); ++j)
                    if (running.total(b, h, t, 0) > 0) out(b, h, t, j) /= running.total(b, h, t, 0);
    return out;
}

Tensor tiled_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, Causal causal, Index tile) {
    if (tile < 1) throw std::invalid_argument("tiled_attention: a tile holds at least one key");
    for (Index axis : {0, 1, 3})
        if (q.size(axis) != k.size(axis)) throw std::invalid_argument("tiled_attention: q and k do not fit");
    for (Index axis : {0, 1, 2})
        if (k.size(axis) != v.size(axis)) throw std::invalid_argument("tiled_attention: k and v do not fit");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2);
    Mask all;
    if (mask.defined()) all = mask.expand({B, H, T, S});
    const float scale = 1 / std::sqrt(static_cast<float>(q.size(3)));
    Tensor out = Tensor::zeros({B, H, T, v.size(3)});
    for (Index t0 = 0; t0 < T; t0 += tile) {
        const Index t1 = std::min(T, t0 + tile);
        Running running = nothing_seen(B, H, t1 - t0, v.size(3));
        Index end = S;
        if (causal == Causal::yes) end = std::min(S, std::max<Index>(0, t1 + S - T));
        for (Index s0 = 0; s0 < end; s0 += tile) {
            const Index s1 = std::min(end, s0 + tile);
            Tensor scores = matmul(q.slice(2, t0, t1), k.slice(2, s0, s1).transpose(2, 3)) * scale;
            for (Index b = 0; b < B; ++b)
                for (Index h = 0; h < H; ++h)
                    for (Index t = t0; t < t1; ++t)
                        for (Index s = s0; s < s1; ++s) {
                            const bool later = causal == Causal::yes && s > t + S - T;
                            if (later || (all.defined() && all(b, h, t, s))) scores(b, h, t - t0, s - s0) = lowest;
                        }
            absorb(running, scores, v.slice(2, s0, s1));
        }
        out.slice(2, t0, t1).copy_from(context(running));
    }
    return out;
}

}  // namespace headway::ex10
