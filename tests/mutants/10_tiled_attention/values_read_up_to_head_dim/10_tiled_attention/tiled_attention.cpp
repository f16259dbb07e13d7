#include "tiled_attention.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

// Plain loops, one query after the other, in double; absorb writes into what it is handed. tiled_attention uses none of
// the three functions above it.
namespace headway::ex10 {

static const double minus_infinity = -std::numeric_limits<double>::infinity();

Running nothing_seen(Index B, Index H, Index T, Index d_v) {
    if (B < 1 || H < 1 || T < 1 || d_v < 1) throw std::invalid_argument("nothing_seen: sizes must be positive");
    Running r;
    r.largest = Tensor::full({B, H, T, 1}, -std::numeric_limits<float>::infinity());
    r.total = Tensor::zeros({B, H, T, 1});
    r.gathered = Tensor::zeros({B, H, T, d_v});
    return r;
}

void absorb(Running& running, const Tensor& scores, const Tensor& v) {
    if (scores.rank() != 4 || v.rank() != 4) throw std::invalid_argument("absorb: rank");
    const Index B = scores.size(0), H = scores.size(1), T = scores.size(2), n = scores.size(3), d_v = v.size(3);
    if (v.size(0) != B || v.size(1) != H || v.size(2) != n) throw std::invalid_argument("absorb: scores and v");
    if (running.largest.shape() != Shape{B, H, T, 1} || running.total.shape() != Shape{B, H, T, 1} ||
        running.gathered.shape() != Shape{B, H, T, d_v})
        throw std::invalid_argument("absorb: running");
    for (Index b = 0; b < B; b++)
        for (Index h = 0; h < H; h++)
            for (Index t = 0; t < T; t++) {
                const double before = running.largest(b, h, t, 0);
                double now = before;
                for (Index s = 0; s < n; s++) now = std::max(now, static_cast<double>(scores(b, h, t, s)));
                if (now == minus_infinity) continue;
                const double shrink = before == minus_infinity ? 0.0 : std::exp(before - now);
                double total = shrink * running.total(b, h, t, 0);
                std::vector<double> part(n);
                for (Index s = 0; s < n; s++) {
                    part[s] = std::exp(scores(b, h, t, s) - now);
                    total += part[s];
                }
                for (Index j = 0; j < d_v; j++) {
                    double g = shrink * running.gathered(b, h, t, j);
                    for (Index s = 0; s < n; s++) g += part[s] * v(b, h, s, j);
                    running.gathered(b, h, t, j) = static_cast<float>(g);
                }
                running.total(b, h, t, 0) = static_cast<float>(total);
                running.largest(b, h, t, 0) = static_cast<float>(now);
            }
}

Tensor context(const Running& running) {
    Tensor y = Tensor::zeros(running.gathered.shape());
    for (Index b = 0; b < y.size(0); b++)
        for (Index h = 0; h < y.size(1); h++)
            for (Index t = 0; t < y.size(2); t++)
                for (Index j = 0; j < y.size(3); j++)
                    if (running.total(b, h, t, 0) > 0)
                        y(b, h, t, j) = running.gathered(b, h, t, j) / running.total(b, h, t, 0);
    return y;
}

Tensor tiled_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, Causal causal, Index tile) {
    if (tile < 1) throw std::invalid_argument("tiled_attention: a tile holds at least one key");
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4) throw std::invalid_argument("tiled_attention: rank");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2), d_v = v.size(3);
    if (k.shape() != Shape{B, H, S, d} || v.shape() != Shape{B, H, S, d_v})
        throw std::invalid_argument("tiled_attention: shapes");
    Mask blocked;
    if (mask.defined()) blocked = mask.expand({B, H, T, S});
    Tensor y = Tensor::zeros({B, H, T, d_v});
    const double root = std::sqrt(static_cast<double>(d));
    std::vector<double> score(std::min(tile, S));
    std::vector<double> gathered(d_v);
    for (Index b = 0; b < B; b++)
        for (Index h = 0; h < H; h++)
            for (Index t = 0; t < T; t++) {
                double largest = minus_infinity;
                double total = 0;
                for (Index j = 0; j < d_v; j++) gathered[j] = 0;
                Index last = S;  // keys [0, last) may be seen
                if (causal == Causal::yes) last = std::min(S, t + (S - T) + 1);
                for (Index s0 = 0; s0 < last; s0 += tile) {
                    const Index n = std::min(tile, last - s0);
                    double now = largest;
                    for (Index s = 0; s < n; s++) {
                        double dot = 0;
                        for (Index i = 0; i < d; i++) dot += static_cast<double>(q(b, h, t, i)) * k(b, h, s0 + s, i);
                        score[s] = dot / root;
                        if (blocked.defined() && blocked(b, h, t, s0 + s)) score[s] = minus_infinity;
                        now = std::max(now, score[s]);
                    }
                    if (now == minus_infinity) continue;
                    const double shrink = std::exp(largest - now);
                    total *= shrink;
                    for (Index j = 0; j < d_v; j++) gathered[j] *= shrink;
                    for (Index s = 0; s < n; s++) {
                        const double e = std::exp(score[s] - now);
                        if (e == 0) continue;
                        total += e;
                        for (Index j = 0; j < d; j++) gathered[j] += e * v(b, h, s0 + s, j);
                    }
                    largest = now;
                }
                if (total > 0)
                    for (Index j = 0; j < d_v; j++) y(b, h, t, j) = static_cast<float>(gathered[j] / total);
            }
    return y;
}

}  // namespace headway::ex10
