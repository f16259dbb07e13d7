#include "tiled_attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace headway::ex10 {

const float minus_infinity = -std::numeric_limits<float>::infinity();

Running nothing_seen(Index B, Index H, Index T, Index d_v) {
    if (B < 1 || H < 1 || T < 1 || d_v < 1) throw std::invalid_argument("nothing_seen: a size is below 1");
    Running running;
    running.largest = Tensor::full({B, H, T, 1}, minus_infinity);
    running.total = Tensor::zeros({B, H, T, 1});
    running.gathered = Tensor::zeros({B, H, T, d_v});
    return running;
}

void absorb(Running& running, const Tensor& scores, const Tensor& v) {
    const Index B = running.largest.size(0);
    const Index H = running.largest.size(1);
    const Index T = running.largest.size(2);
    const Index d_v = running.gathered.size(3);
    if (scores.rank() != 4 || v.rank() != 4) throw std::invalid_argument("absorb: rank is not 4");
    const Index n = scores.size(3);
    if (scores.size(0) != B || scores.size(1) != H || scores.size(2) != T)
        throw std::invalid_argument("absorb: wrong shape of scores");
    if (v.size(0) != B || v.size(1) != H || v.size(2) != n || v.size(3) != d_v)
        throw std::invalid_argument("absorb: wrong shape of v");

    for (Index b = 0; b < B; b++) {
        for (Index h = 0; h < H; h++) {
            for (Index t = 0; t < T; t++) {
                const float before = running.largest(b, h, t, 0);
                float now = before;
                for (Index j = 0; j < n; j++) now = std::max(now, scores(b, h, t, j));
                if (now == minus_infinity) continue;  // still nothing

                const float shrink = std::exp(before - now);
                float total = running.total(b, h, t, 0) * shrink;
                for (Index c = 0; c < d_v; c++) running.gathered(b, h, t, c) *= shrink;
                for (Index j = 0; j < n; j++) {
                    const float raised = std::exp(scores(b, h, t, j) - now);
                    total += raised;
                    for (Index c = 0; c < d_v; c++) running.gathered(b, h, t, c) += raised * v(b, h, j, c);
                }
                running.total(b, h, t, 0) = total;
                running.largest(b, h, t, 0) = now;
            }
        }
    }
}

Tensor context(const Running& running) {
    Tensor result = Tensor::zeros(running.gathered.shape());
    for (Index b = 0; b < result.size(0); b++) {
        for (Index h = 0; h < result.size(1); h++) {
            for (Index t = 0; t < result.size(2); t++) {
                if (running.total(b, h, t, 0) == 0) continue;
                for (Index c = 0; c < result.size(3); c++)
                    result(b, h, t, c) = running.gathered(b, h, t, c) / running.total(b, h, t, 0);
            }
        }
    }
    return result;
}

Tensor tiled_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, Causal causal, Index tile) {
    if (tile < 1) throw std::invalid_argument("tile < 1");
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4) throw std::invalid_argument("rank is not 4");
    const Index B = q.size(0);
    const Index H = q.size(1);
    const Index T = q.size(2);
    const Index d = q.size(3);
    const Index S = k.size(2);
    const Index d_v = v.size(3);
    if (k.size(0) != B || v.size(0) != B) throw std::invalid_argument("B differs");
    if (k.size(1) != H || v.size(1) != H) throw std::invalid_argument("H differs");
    if (k.size(3) != d) throw std::invalid_argument("d differs");
    if (v.size(2) != S) throw std::invalid_argument("S differs");
    const Mask some = mask.defined() ? mask : Mask::allow_all({1});
    const Mask all = some.expand({B, H, T, S});
    const float root = std::sqrt(static_cast<float>(d));

    Tensor result = Tensor::zeros({B, H, T, d_v});
    Index t = 0;
    while (t < T) {
        const Index rows = std::min(tile, T - t);
        const Index last_seen = t + rows - 1 + (S - T);
        Running running = nothing_seen(B, H, rows, d_v);
        Index s = 0;
        while (s < S) {
            const Index keys = std::min(tile, S - s);
            if (causal == Causal::yes && s > last_seen) break;
            Tensor scores = Tensor::full({B, H, rows, keys}, minus_infinity);
            for (Index b = 0; b < B; b++) {
                for (Index h = 0; h < H; h++) {
                    for (Index i = 0; i < rows; i++) {
                        for (Index j = 0; j < keys; j++) {
                            if (causal == Causal::yes && s + j > t + i + (S - T)) continue;
                            if (all(b, h, i, j)) continue;
                            float product = 0;
                            for (Index c = 0; c < d; c++) product += q(b, h, t + i, c) * k(b, h, s + j, c);
                            scores(b, h, i, j) = product / root;
                        }
                    }
                }
            }
            absorb(running, scores, v.slice(2, s, s + keys));
            s += keys;
        }
        result.slice(2, t, t + rows).copy_from(context(running));
        t += rows;
    }
    return result;
}

}  // namespace headway::ex10
