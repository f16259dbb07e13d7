#include "tiled_attention.hpp"

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

// Row by row, with plain numbers.
namespace headway::ex10 {

static void fail_unless(bool ok, const std::string& message) {
    if (!ok) throw std::invalid_argument(message);
}

Running nothing_seen(Index B, Index H, Index T, Index d_v) {
    fail_unless(B > 0 && H > 0 && T > 0 && d_v > 0, "nothing_seen: all sizes must be positive");
    Running r;
    r.largest = Tensor::full({B, H, T, 1}, -INFINITY);
    r.total = Tensor::zeros({B, H, T, 1});
    r.gathered = Tensor::zeros({B, H, T, d_v});
    return r;
}

void absorb(Running& running, const Tensor& scores, const Tensor& v) {
    fail_unless(scores.rank() == 4 && v.rank() == 4, "absorb: scores (B, H, T, n), v (B, H, n, d_v)");
    const Shape& g = running.gathered.shape();
    const Index n = scores.size(3);
    fail_unless(scores.shape() == Shape{g[0], g[1], g[2], n}, "absorb: scores " + to_string(scores.shape()));
    fail_unless(v.shape() == Shape{g[0], g[1], n, g[3]}, "absorb: v " + to_string(v.shape()));

    Running next = nothing_seen(g[0], g[1], g[2], g[3]);
    std::vector<double> row(static_cast<size_t>(g[3]));
    for (Index b = 0; b < g[0]; b++)
        for (Index h = 0; h < g[1]; h++)
            for (Index t = 0; t < g[2]; t++) {
                const float old = running.largest(b, h, t, 0);
                float m = old;
                for (Index s = 0; s < n; s++)
                    if (scores(b, h, t, s) > m) m = scores(b, h, t, s);
                if (m == -INFINITY) continue;
                const double shrink = old == -INFINITY ? 0 : std::exp(static_cast<double>(m) - old);
                double total = running.total(b, h, t, 0) * shrink;
                for (Index j = 0; j < g[3]; j++) row[j] = running.gathered(b, h, t, j) * shrink;
                for (Index s = 0; s < n; s++) {
                    const double e = std::exp(static_cast<double>(scores(b, h, t, s)) - m);
                    if (e == 0) continue;
                    total += e;
                    for (Index j = 0; j < g[3]; j++) row[j] += e * v(b, h, s, j);
                }
                next.largest(b, h, t, 0) = m;
                next.total(b, h, t, 0) = static_cast<float>(total);
                for (Index j = 0; j < g[3]; j++) next.gathered(b, h, t, j) = static_cast<float>(row[j]);
            }
    running = next;
}

Tensor context(const Running& running) {
    Tensor result = Tensor::zeros(running.gathered.shape());
    for (Index b = 0; b < result.size(0); b++)
        for (Index h = 0; h < result.size(1); h++)
            for (Index t = 0; t < result.size(2); t++) {
                const float total = running.total(b, h, t, 0);
                if (total == 0) continue;
                for (Index j = 0; j < result.size(3); j++) result(b, h, t, j) = running.gathered(b, h, t, j) / total;
            }
    return result;
}

Tensor tiled_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, Causal causal, Index tile) {
    fail_unless(tile > 0, "tile must be positive");
    fail_unless(q.rank() == 4 && k.rank() == 4 && v.rank() == 4, "q, k, v have four axes");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2), d_v = v.size(3);
    fail_unless(k.shape() == Shape{B, H, S, d}, "k " + to_string(k.shape()));
    fail_unless(v.shape() == Shape{B, H, S, d_v}, "v " + to_string(v.shape()));
    const Mask m = mask.defined() ? mask.expand({B, H, T, S}) : Mask{};
    const bool is_causal = causal == Causal::yes;

    Tensor out = Tensor::zeros({B, H, T, d_v});
    for (Index t0 = 0; t0 < T; t0 += tile) {
        const Index rows = std::min(tile, T - t0);
        Running state = nothing_seen(B, H, rows, d_v);
        for (Index s0 = 0; s0 + tile <= S; s0 += tile) {
            const Index cols = std::min(tile, S - s0);
            const Index last_query_position = t0 + rows - 1 + (S - T);
            if (is_causal && s0 > last_query_position) break;
            Tensor scores = Tensor::empty({B, H, rows, cols});
            for (Index b = 0; b < B; b++)
                for (Index h = 0; h < H; h++)
                    for (Index t = 0; t < rows; t++)
                        for (Index s = 0; s < cols; s++) {
                            bool blocked = m.defined() && m(b, h, t0 + t, s0 + s);
                            if (is_causal) blocked = blocked || s0 + s > t0 + t + (S - T);
                            float dot = 0;
                            for (Index i = 0; i < d; i++) dot += q(b, h, t0 + t, i) * k(b, h, s0 + s, i);
                            scores(b, h, t, s) = blocked ? -INFINITY : dot / std::sqrt(static_cast<float>(d));
                        }
            absorb(state, scores, v.slice(2, s0, s0 + cols));
        }
        const Tensor done = context(state);
        for (Index b = 0; b < B; b++)
            for (Index h = 0; h < H; h++)
                for (Index t = 0; t < rows; t++)
                    for (Index j = 0; j < d_v; j++) out(b, h, t0 + t, j) = done(b, h, t, j);
    }
    return out;
}

}  // namespace headway::ex10
