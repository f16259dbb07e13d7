#include "tiled_attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace headway::ex10 {

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

bool same_up_to(Index axes, const Tensor& a, const Tensor& b) {
    for (Index i = 0; i < axes; ++i)
        if (a.size(i) != b.size(i)) return false;
    return true;
}

}  // namespace

Running nothing_seen(Index B, Index H, Index T, Index d_v) {
    if (B <= 0 || H <= 0 || T <= 0 || d_v <= 0) throw std::invalid_argument("all sizes have to be positive");
    Running fresh{Tensor::full({B, H, T, 1}, -infinity), Tensor::zeros({B, H, T, 1}), Tensor::zeros({B, H, T, d_v})};
    return fresh;
}

void absorb(Running& running, const Tensor& scores, const Tensor& v) {
    if (scores.rank() != 4 || !same_up_to(3, scores, running.largest)) throw std::invalid_argument("scores: shape");
    if (v.rank() != 4 || !same_up_to(2, v, scores) || v.size(2) != scores.size(3) ||
        v.size(3) != running.gathered.size(3))
        throw std::invalid_argument("v: shape");

    Tensor weights = scores;  // turned into exp(score - largest) below
    for (Index b = 0; b < scores.size(0); ++b)
        for (Index h = 0; h < scores.size(1); ++h)
            for (Index t = 0; t < scores.size(2); ++t) {
                const float before = running.largest(b, h, t, 0);
                float now = before;
                for (Index s = 0; s < scores.size(3); ++s) now = max(now, static_cast<float>(weights(b, h, t, s)));
                const float shift = now == -infinity ? 0.0F : now;
                const float shrink = std::exp(before - shift);
                float total = running.total(b, h, t, 0) * shrink;
                for (Index s = 0; s < scores.size(3); ++s) {
                    weights(b, h, t, s) = std::exp(weights(b, h, t, s) - shift);
                    total += weights(b, h, t, s);
                }
                running.total(b, h, t, 0) = total;
                running.largest(b, h, t, 0) = now;
                for (Index i = 0; i < v.size(3); ++i) running.gathered(b, h, t, i) *= shrink;
            }
    running.gathered += matmul(weights, v);
}

Tensor context(const Running& running) {
    Tensor mean = running.gathered.clone();
    for (Index b = 0; b < mean.size(0); ++b)
        for (Index h = 0; h < mean.size(1); ++h)
            for (Index t = 0; t < mean.size(2); ++t) {
                const float total = running.total(b, h, t, 0);
                for (Index i = 0; i < mean.size(3); ++i)
                    mean(b, h, t, i) = total == 0 ? 0.0F : mean(b, h, t, i) / total;
            }
    return mean;
}

Tensor tiled_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, Causal causal, Index tile) {
    if (tile < 1) throw std::invalid_argument("tile: at least 1");
    if (!same_up_to(2, q, k) || !same_up_to(2, q, v)) throw std::invalid_argument("q, k, v: B and H must agree");
    if (q.size(3) != k.size(3)) throw std::invalid_argument("q, k: d must agree");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2);
    const Mask wide = mask.defined() ? mask.expand({B, H, T, S}) : Mask{};
    const float root = std::sqrt(static_cast<float>(q.size(3)));

    Tensor result = Tensor::zeros({B, H, T, v.size(3)});
    for (Index t0 = 0; t0 < T; t0 += tile) {
        const Index t1 = std::min(T, t0 + tile);
        Running running = nothing_seen(B, H, t1 - t0, v.size(3));
        const Index keys = causal == Causal::yes ? std::min(S, t1 + (S - T)) : S;
        for (Index s0 = 0; s0 < keys; s0 += tile) {
            const Index s1 = std::min(keys, s0 + tile);
            Tensor scores = matmul(q.slice(2, t0, t1), k.slice(2, s0, s1).transpose(2, 3)) / root;
            for (Index b = 0; b < B; ++b)
                for (Index h = 0; h < H; ++h)
                    for (Index t = t0; t < t1; ++t)
                        for (Index s = s0; s < s1; ++s)
                            if ((causal == Causal::yes && s > t + (S - T)) || (wide.defined() && wide(b, h, t, s)))
                                scores(b, h, t - t0, s - s0) = -infinity;
            absorb(running, scores, v.slice(2, s0, s1));
        }
        result.slice(2, t0, t1).copy_from(context(running));
    }
    return result;
}

}  // namespace headway::ex10
