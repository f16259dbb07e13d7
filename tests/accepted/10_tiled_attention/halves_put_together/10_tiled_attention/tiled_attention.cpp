#include "tiled_attention.hpp"

#include <limits>
#include <stdexcept>

// Divide and conquer: the states of two halves of the keys are put together, as two machines would do it. Matrices
// by Eigen's side of the library are not needed; one head of one batch at a time.
namespace headway::ex10 {

namespace {

constexpr float none = -std::numeric_limits<float>::infinity();

struct Shapes {
    Index B, H, T, d_v;
};

Shapes shapes_of(const Running& r) {
    if (r.gathered.rank() != 4) throw std::invalid_argument("gathered must be (B, H, T, d_v)");
    const Shapes s{r.gathered.size(0), r.gathered.size(1), r.gathered.size(2), r.gathered.size(3)};
    if (r.largest.shape() != Shape{s.B, s.H, s.T, 1} || r.total.shape() != r.largest.shape())
        throw std::invalid_argument("largest and total must be (B, H, T, 1)");
    return s;
}

/// What both have seen.
Running together(const Running& a, const Running& b) {
    Running both{a.largest.clone(), Tensor::zeros(a.total.shape()), Tensor::zeros(a.gathered.shape())};
    const Shapes n = shapes_of(a);
    for (Index i = 0; i < n.B; i++)
        for (Index h = 0; h < n.H; h++)
            for (Index t = 0; t < n.T; t++) {
                const float ma = a.largest(i, h, t, 0), mb = b.largest(i, h, t, 0);
                const float m = ma > mb ? ma : mb;
                both.largest(i, h, t, 0) = m;
                const float fa = ma == none ? 0 : std::exp(ma - m);
                const float fb = mb == none ? 0 : std::exp(mb - m);
                both.total(i, h, t, 0) = fa * a.total(i, h, t, 0) + fb * b.total(i, h, t, 0);
                for (Index j = 0; j < n.d_v; j++)
                    both.gathered(i, h, t, j) = fa * a.gathered(i, h, t, j) + fb * b.gathered(i, h, t, j);
            }
    return both;
}

/// The state after one key: scores (B, H, T, 1), v (B, H, 1, d_v).
Running one_key(const Tensor& score, const Tensor& v) {
    Running r = nothing_seen(score.size(0), score.size(1), score.size(2), v.size(3));
    for (Index b = 0; b < score.size(0); b++)
        for (Index h = 0; h < score.size(1); h++)
            for (Index t = 0; t < score.size(2); t++) {
                if (score(b, h, t, 0) == none) continue;
                r.largest(b, h, t, 0) = score(b, h, t, 0);
                r.total(b, h, t, 0) = 1;
                r.gathered[b][h][t].copy_from(v[b][h][0]);
            }
    return r;
}

Running keys(const Tensor& scores, const Tensor& v, Index begin, Index end) {
    if (end - begin == 1) return one_key(scores.slice(3, begin, end), v.slice(2, begin, end));
    const Index middle = (begin + end) / 2;
    return together(keys(scores, v, begin, middle), keys(scores, v, middle, end));
}

}  // namespace

Running nothing_seen(Index B, Index H, Index T, Index d_v) {
    if (B <= 0 || H <= 0 || T <= 0 || d_v <= 0) throw std::invalid_argument("nothing_seen: sizes");
    return {Tensor::full({B, H, T, 1}, none), Tensor::zeros({B, H, T, 1}), Tensor::zeros({B, H, T, d_v})};
}

void absorb(Running& running, const Tensor& scores, const Tensor& v) {
    const Shapes n = shapes_of(running);
    if (scores.rank() != 4 || scores.size(0) != n.B || scores.size(1) != n.H || scores.size(2) != n.T)
        throw std::invalid_argument("absorb: scores");
    if (v.shape() != Shape{n.B, n.H, scores.size(3), n.d_v}) throw std::invalid_argument("absorb: v");
    if (scores.size(3) > 0) running = together(running, keys(scores, v, 0, scores.size(3)));
}

Tensor context(const Running& running) {
    const Shapes n = shapes_of(running);
    Tensor y = running.gathered.contiguous().clone();
    for (Index b = 0; b < n.B; b++)
        for (Index h = 0; h < n.H; h++)
            for (Index t = 0; t < n.T; t++) {
                Tensor row = y[b][h][t];
                if (running.largest(b, h, t, 0) == none)
                    row.fill(0);
                else
                    row /= running.total(b, h, t, 0);
            }
    return y;
}

Tensor tiled_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, Causal causal, Index tile) {
    if (tile < 1) throw std::invalid_argument("tiled_attention: tile < 1");
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4) throw std::invalid_argument("tiled_attention: ranks");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2), d_v = v.size(3);
    if (k.shape() != Shape{B, H, S, d} || v.shape() != Shape{B, H, S, d_v})
        throw std::invalid_argument("tiled_attention: q, k, v");
    Mask blocked = mask;
    if (blocked.defined()) blocked = blocked.expand({B, H, T, S});

    Tensor y = Tensor::zeros({B, H, T, d_v});
    for (Index b = 0; b < B; b++)
        for (Index h = 0; h < H; h++)
            for (Index t0 = 0; t0 < T; t0 += tile) {
                const Index rows = t0 + tile > T ? T - t0 : tile;
                Running seen = nothing_seen(1, 1, rows, d_v);
                // From the last tile to the first: the order of keys must not matter.
                for (Index c = (S + tile - 1) / tile; c-- > 0;) {
                    const Index s0 = c * tile, n = s0 + tile > S ? S - s0 : tile;
                    if (causal == Causal::yes && s0 > t0 + rows - 1 + S - T) continue;
                    Tensor scores =
                        matmul(q[b][h].slice(0, t0, t0 + rows), k[b][h].slice(0, s0, s0 + n).transpose(0, 1));
                    scores *= 1 / std::sqrt(static_cast<float>(d));
                    for (Index t = 0; t < rows; t++)
                        for (Index s = 0; s < n; s++) {
                            const bool ahead = causal == Causal::yes && s0 + s > t0 + t + S - T;
                            if (ahead || (blocked.defined() && blocked(b, h, t0 + t, s0 + s))) scores(t, s) = none;
                        }
                    absorb(seen, scores.view({1, 1, rows, n}),
                           v[b][h].slice(0, s0, s0 + n).contiguous().view({1, 1, n, d_v}));
                }
                y[b][h].slice(0, t0, t0 + rows).copy_from(context(seen)[0][0]);
            }
    return y;
}

}  // namespace headway::ex10
