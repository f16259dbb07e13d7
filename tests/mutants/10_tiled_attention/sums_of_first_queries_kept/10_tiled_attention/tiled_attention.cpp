#include "tiled_attention.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

// Two walks over the keys: the first finds the largest score, the second sums against it. Nothing ever shrinks. Keys
// outside, queries inside; std::vector<float> for everything.
namespace headway::ex10 {

using std::invalid_argument;

static float lowest() { return -std::numeric_limits<float>::infinity(); }

Running nothing_seen(Index B, Index H, Index T, Index d_v) {
    for (Index size : {B, H, T, d_v})
        if (size < 1) throw invalid_argument("nothing_seen: a size is below 1");
    return Running{.largest = Tensor::zeros({B, H, T, 1}) + lowest(),
                   .total = Tensor::zeros({B, H, T, 1}),
                   .gathered = Tensor::zeros({B, H, T, d_v})};
}

void absorb(Running& running, const Tensor& scores, const Tensor& v) {
    if (scores.rank() != 4 || v.rank() != 4) throw invalid_argument("absorb: four axes");
    const Index B = scores.size(0), H = scores.size(1), T = scores.size(2), n = scores.size(3), d_v = v.size(3);
    if (v.size(0) != B || v.size(1) != H || v.size(2) != n) throw invalid_argument("absorb: v");
    if (running.largest.shape() != Shape{B, H, T, 1} || running.total.shape() != Shape{B, H, T, 1} ||
        running.gathered.shape() != Shape{B, H, T, d_v})
        throw invalid_argument("absorb: running");
    Running next = nothing_seen(B, H, T, d_v);
    for (Index row = 0; row < B * H * T; ++row) {
        const Index b = row / (H * T), h = row / T % H, t = row % T;
        std::vector<float> all{running.largest(b, h, t, 0)};
        for (Index s = 0; s < n; ++s) all.push_back(scores(b, h, t, s));
        const float top = *std::max_element(all.begin(), all.end());
        if (top == lowest()) continue;
        for (float& score : all) score = std::exp(score - top);
        float total = running.total(b, h, t, 0) * all[0];
        for (Index s = 0; s < n; ++s) total += all[s + 1];
        for (Index j = 0; j < d_v; ++j) {
            float value = running.gathered(b, h, t, j) * all[0];
            for (Index s = 0; s < n; ++s) value += all[s + 1] * v(b, h, s, j);
            next.gathered(b, h, t, j) = value;
        }
        next.largest(b, h, t, 0) = top;
        next.total(b, h, t, 0) = total;
    }
    running = next;
}

Tensor context(const Running& running) {
    Tensor total = running.total.clone();
    for (Index b = 0; b < total.size(0); ++b)
        for (Index h = 0; h < total.size(1); ++h)
            for (Index t = 0; t < total.size(2); ++t) total(b, h, t, 0) = std::max(total(b, h, t, 0), 1.0F);
    return running.gathered / total;  // a total is never between 0 and 1
}

Tensor tiled_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, Causal causal, Index tile) {
    if (tile < 1) throw invalid_argument("tiled_attention: tile");
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4) throw invalid_argument("tiled_attention: four axes");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2), d_v = v.size(3);
    if (k.size(0) != B || k.size(1) != H || k.size(3) != d || v.size(0) != B || v.size(1) != H || v.size(2) != S)
        throw invalid_argument("tiled_attention: shapes");
    const Mask all = mask.defined() ? mask.expand({B, H, T, S}) : Mask::allow_all({1}).expand({B, H, T, S});
    const float scale = 1 / std::sqrt(static_cast<float>(d));

    Tensor y = Tensor::zeros({B, H, T, d_v});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h) {
            std::vector<float> largest(std::min(tile, T), lowest());
            std::vector<float> total(std::min(tile, T), 0.0F);
            std::vector<float> gathered(std::min(tile, T) * d_v, 0.0F);
            for (Index t0 = 0; t0 < T; t0 += tile) {
                const Index t1 = std::min(t0 + tile, T);
                const auto score = [&](Index t, Index s) {
                    if (all(b, h, t, s) || (causal == Causal::yes && s > t + S - T)) return lowest();
                    float dot = 0;
                    for (Index i = 0; i < d; ++i) dot += (q(b, h, t, i) * scale) * k(b, h, s, i);
                    return dot;
                };
                for (Index s = 0; s < S; ++s)
                    for (Index t = t0; t < t1; ++t) largest[t - t0] = std::max(largest[t - t0], score(t, s));
                for (Index s = 0; s < S; ++s)
                    for (Index t = t0; t < t1; ++t) {
                        const float x = score(t, s);
                        if (x == lowest()) continue;
                        const float e = std::exp(x - largest[t - t0]);
                        total[t - t0] += e;
                        for (Index j = 0; j < d_v; ++j) gathered[(t - t0) * d_v + j] += e * v(b, h, s, j);
                    }
                for (Index t = t0; t < t1; ++t)
                    for (Index j = 0; j < d_v && total[t - t0] > 0; ++j)
                        y(b, h, t, j) = gathered[(t - t0) * d_v + j] / total[t - t0];
            }
        }
    return y;
}

}  // namespace headway::ex10
