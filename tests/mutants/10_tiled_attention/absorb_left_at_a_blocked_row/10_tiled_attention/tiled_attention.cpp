#include "tiled_attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

// Row by row over indices.
namespace headway::ex10 {
namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

void check(bool fits, const char* what) {
    if (!fits) throw std::invalid_argument(what);
}

}  // namespace

Running nothing_seen(Index B, Index H, Index T, Index d_v) {
    check(B >= 1, "nothing_seen: B < 1");
    check(H >= 1, "nothing_seen: H < 1");
    check(T >= 1, "nothing_seen: T < 1");
    check(d_v >= 1, "nothing_seen: d_v < 1");
    Running running;
    running.largest = Tensor::full({B, H, T, 1}, minus_infinity);
    running.total = Tensor::zeros({B, H, T, 1});
    running.gathered = Tensor::zeros({B, H, T, d_v});
    return running;
}

void absorb(Running& running, const Tensor& scores, const Tensor& v) {
    const Index B = running.total.size(0), H = running.total.size(1), T = running.total.size(2);
    const Index d_v = running.gathered.size(3);
    check(scores.rank() == 4 && v.rank() == 4, "absorb: rank");
    const Index n = scores.size(3);
    check(scores.size(0) == B && scores.size(1) == H && scores.size(2) == T, "absorb: scores are not (B, H, T, n)");
    check(v.shape() == Shape{B, H, n, d_v}, "absorb: v is not (B, H, n, d_v)");

    // Tensors of its own: those who hold the old ones keep what they say.
    running.largest = running.largest.clone();
    running.total = running.total.clone();
    running.gathered = running.gathered.clone();
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t) {
                float of_tile = minus_infinity;
                for (Index s = 0; s < n; ++s) of_tile = std::max(of_tile, scores(b, h, t, s));
                if (of_tile == minus_infinity) return;  // every key is blocked
                const float before = running.largest(b, h, t, 0);
                const float now = std::max(before, of_tile);
                const float shrink = std::exp(before - now);
                running.total(b, h, t, 0) *= shrink;
                for (Index i = 0; i < d_v; ++i) running.gathered(b, h, t, i) *= shrink;
                for (Index s = 0; s < n; ++s) {
                    const float raised = std::exp(scores(b, h, t, s) - now);
                    running.total(b, h, t, 0) += raised;
                    for (Index i = 0; i < d_v; ++i) running.gathered(b, h, t, i) += raised * v(b, h, s, i);
                }
                running.largest(b, h, t, 0) = now;
            }
}

Tensor context(const Running& running) {
    const Index B = running.gathered.size(0), H = running.gathered.size(1), T = running.gathered.size(2),
                d_v = running.gathered.size(3);
    Tensor result = Tensor::zeros({B, H, T, d_v});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t) {
                const float total = running.total(b, h, t, 0);
                if (total == 0) continue;
                for (Index i = 0; i < d_v; ++i) result(b, h, t, i) = running.gathered(b, h, t, i) / total;
            }
    return result;
}

Tensor tiled_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, Causal causal, Index tile) {
    check(q.rank() == 4 && k.rank() == 4 && v.rank() == 4, "tiled_attention: rank");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2), d_v = v.size(3);
    check(tile >= 1, "tiled_attention: tile < 1");
    check(k.size(0) == B && v.size(0) == B, "tiled_attention: B differs");
    check(k.size(1) == H && v.size(1) == H, "tiled_attention: H differs");
    check(k.size(3) == d, "tiled_attention: d differs");
    check(v.size(2) == S, "tiled_attention: S differs");
    const Mask blocked = (mask.defined() ? mask : Mask::allow_all({1, 1})).expand({B, H, T, S});

    Tensor result = Tensor::zeros({B, H, T, d_v});
    const float scale = 1 / std::sqrt(static_cast<float>(d));
    const Index past = S - T;  // query t stands at position t + past
    const Index rows = std::min(tile, T), columns = std::min(tile, S);
    for (Index t = 0; t < T; t += rows) {
        const Index t_end = std::min(T, t + rows);
        Running running = nothing_seen(B, H, t_end - t, d_v);
        for (Index s = 0; s < S; s += columns) {
            if (causal == Causal::yes && s > t_end - 1 + past) break;  // from here on, all is future
            const Index s_end = std::min(S, s + columns);
            Tensor scores = matmul(q.slice(2, t, t_end), k.slice(2, s, s_end).transpose(2, 3)) * scale;
            for (Index b = 0; b < B; ++b)
                for (Index h = 0; h < H; ++h)
                    for (Index i = t; i < t_end; ++i)
                        for (Index j = s; j < s_end; ++j)
                            if (blocked(b, h, i, j) || (causal == Causal::yes && j > i + past))
                                scores(b, h, i - t, j - s) = minus_infinity;
            absorb(running, scores, v.slice(2, s, s_end));
        }
        result.slice(2, t, t_end).copy_from(context(running));
    }
    return result;
}

}  // namespace headway::ex10
