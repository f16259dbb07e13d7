#include "tiled_attention.hpp"

#include <cmath>
#include <stdexcept>
#include <vector>

namespace headway::ex10 {

Running nothing_seen(Index B, Index H, Index T, Index d_v) {
    if (B < 1 || H < 1 || T < 1 || d_v < 1) throw std::invalid_argument("nothing_seen: sizes");
    Running running;
    running.largest = Tensor::full({B, H, T, 1}, -INFINITY);
    running.total = Tensor::zeros({B, H, T, 1});
    running.gathered = Tensor::zeros({B, H, T, d_v});
    return running;
}

void absorb(Running& running, const Tensor& scores, const Tensor& v) {
    const Index B = scores.size(0), H = scores.size(1), T = scores.size(2), n = scores.size(3), d_v = v.size(3);
    if (v.shape() != Shape{B, H, n, d_v} || running.gathered.shape() != Shape{B, H, T, d_v})
        throw std::invalid_argument("absorb: shapes");
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t) {
                float& largest = running.largest(b, h, t, 0);
                float& total = running.total(b, h, t, 0);
                float now = largest;
                for (Index s = 0; s < n; ++s)
                    if (largest == -INFINITY) now = std::max(now, scores(b, h, t, s));
                if (now == -INFINITY) continue;
                const float shrink = std::exp(largest - now);
                total *= shrink;
                for (Index i = 0; i < d_v; ++i) running.gathered(b, h, t, i) *= shrink;
                for (Index s = 0; s < n; ++s) {
                    const float e = std::exp(scores(b, h, t, s) - now);
                    total += e;
                    for (Index i = 0; i < d_v; ++i) running.gathered(b, h, t, i) += e * v(b, h, s, i);
                }
                largest = now;
            }
}

Tensor context(const Running& running) {
    Tensor result = Tensor::zeros(running.gathered.shape());
    for (Index b = 0; b < result.size(0); ++b)
        for (Index h = 0; h < result.size(1); ++h)
            for (Index t = 0; t < result.size(2); ++t) {
                const float total = running.total(b, h, t, 0);
                if (total == 0) continue;
                for (Index i = 0; i < result.size(3); ++i) result(b, h, t, i) = running.gathered(b, h, t, i) / total;
            }
    return result;
}

Tensor tiled_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, Causal causal, Index tile) {
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4) throw std::invalid_argument("rank");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2);
    if (k.shape() != Shape{B, H, S, d} || v.shape() != Shape{B, H, S, v.size(3)}) throw std::invalid_argument("shapes");
    if (tile < 1) throw std::invalid_argument("tile");
    const Mask blocked = mask.defined() ? mask.expand({B, H, T, S}) : mask;
    Tensor result = Tensor::zeros({B, H, T, v.size(3)});
    for (Index first = 0; first < T; first += tile) {
        const Index rows = std::min(tile, T - first);
        Running running = nothing_seen(B, H, rows, v.size(3));
        for (Index begin = 0; begin < S; begin += tile) {
            const Index n = std::min(tile, S - begin);
            if (causal == Causal::yes && begin > first + rows - 1 + (S - T)) break;
            Tensor scores = Tensor::full({B, H, rows, n}, -INFINITY);
            for (Index b = 0; b < B; ++b)
                for (Index h = 0; h < H; ++h)
                    for (Index t = 0; t < rows; ++t)
                        for (Index s = 0; s < n; ++s) {
                            if (causal == Causal::yes && begin + s > first + t + (S - T)) continue;
                            if (blocked.defined() && blocked(b, h, first + t, begin + s)) continue;
                            float dot = 0;
                            for (Index i = 0; i < d; ++i) dot += q(b, h, first + t, i) * k(b, h, begin + s, i);
                            scores(b, h, t, s) = dot / std::sqrt(static_cast<float>(d));
                        }
            absorb(running, scores, v.slice(2, begin, begin + n));
        }
        result.slice(2, first, first + rows).copy_from(context(running));
    }
    return result;
}

}  // namespace headway::ex10
