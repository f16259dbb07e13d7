#include "tiled_attention.hpp"

#include <headway/eigen.hpp>

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace headway::ex10 {

namespace {

const float ninf = -std::numeric_limits<float>::infinity();

void need(bool ok, const std::string& why) {
    if (!ok) throw std::invalid_argument("ex10: " + why);
}

/// One sentence and head of a running state; m and l are columns.
void take_in(EigenMatrix& m, EigenMatrix& l, EigenMatrix& g, const EigenMatrix& scores, const EigenMatrix& v) {
    for (Index t = 0; t < scores.rows(); ++t) {
        const float now = std::max(m(t, 0), scores.row(t).maxCoeff());
        if (now == ninf) continue;
        const float shrink = std::exp(m(t, 0) - now);
        const EigenMatrix raised = (scores.row(t).array() - now).exp().matrix();
        const EigenMatrix part = raised * v;
        l(t, 0) += raised.sum();
        g.row(t) = g.row(t) * shrink + part;
        m(t, 0) = now;
    }
}

EigenMatrix divided(const EigenMatrix& g, const EigenMatrix& l) {
    EigenMatrix y = EigenMatrix::Zero(g.rows(), g.cols());
    for (Index t = 0; t < g.rows(); ++t)
        if (l(t, 0) != 0) y.row(t) = g.row(t) / l(t, 0);
    return y;
}

}  // namespace

Running nothing_seen(Index B, Index H, Index T, Index d_v) {
    for (Index n : {B, H, T, d_v}) need(n >= 1, "sizes are at least 1");
    return {Tensor::full({B, H, T, 1}, ninf), Tensor::full({B, H, T, 1}, 0), Tensor::full({B, H, T, d_v}, 0)};
}

void absorb(Running& running, const Tensor& scores, const Tensor& v) {
    need(scores.rank() == 4 && v.rank() == 4, "absorb needs (B, H, T, n) and (B, H, n, d_v)");
    const Index B = scores.size(0), H = scores.size(1), T = scores.size(2), n = scores.size(3), d_v = v.size(3);
    need(v.shape() == Shape{B, H, n, d_v}, "v is " + to_string(v.shape()));
    need(running.largest.shape() == Shape{B, H, T, 1} && running.total.shape() == Shape{B, H, T, 1} &&
             running.gathered.shape() == Shape{B, H, T, d_v},
         "scores are " + to_string(scores.shape()));
    need(n >= 1, "no keys");
    Running next = nothing_seen(B, H, T, d_v);
    for (Index b = 0; b < B; ++b) {
        for (Index h = 0; h < H; ++h) {
            EigenMatrix m = as_eigen(running.largest[b][h]), l = as_eigen(running.total[b][h]),
                        g = as_eigen(running.gathered[b][h]);
            take_in(m, l, g, as_eigen(scores[b][h]), as_eigen(v[b][h]));
            as_eigen(next.largest[b][h]) = m;
            as_eigen(next.total[b][h]) = l;
            as_eigen(next.gathered[b][h]) = g;
        }
    }
    running = next;
}

Tensor context(const Running& running) {
    Tensor y = Tensor::zeros(running.gathered.shape());
    for (Index b = 0; b < y.size(0); ++b)
        for (Index h = 0; h < y.size(1); ++h)
            as_eigen(y[b][h]) = divided(as_eigen(running.gathered[b][h]), as_eigen(running.total[b][h]));
    return y;
}

Tensor tiled_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, Causal causal, Index tile) {
    need(tile >= 1, "tile is " + std::to_string(tile));
    need(q.rank() == 4 && k.rank() == 4 && v.rank() == 4, "four axes");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2), d_v = v.size(3);
    need(k.size(0) == B && v.size(0) == B, "B differs");
    need(k.size(1) == H && v.size(1) == H, "H differs");
    need(k.size(3) == d, "d differs");
    need(v.size(2) == S, "S differs");
    const Mask all = mask.defined() ? mask.expand({B, H, T, S}) : Mask{};
    const bool is_causal = causal == Causal::yes;
    const Index past = S - T;
    Tensor y = Tensor::zeros({B, H, T, d_v});
    for (Index b = 0; b < B; ++b) {
        for (Index h = 0; h < H; ++h) {
            const Tensor Q = q[b][h], K = k[b][h], V = v[b][h];
            for (Index t = 0; t < T; t += tile) {
                const Index rows = std::min(tile, T - t);
                EigenMatrix m = EigenMatrix::Constant(rows, 1, ninf), l = EigenMatrix::Zero(rows, 1),
                            g = EigenMatrix::Zero(rows, d_v);
                for (Index s = 0; s < S; s += tile) {
                    if (is_causal && s > t + rows - 1 + past) continue;
                    const Index cols = std::min(tile, S - s);
                    EigenMatrix scores =
                        as_eigen(Q.slice(0, t, t + rows)) * as_eigen(K.slice(0, s, s + cols)).transpose();
                    scores /= std::sqrt(static_cast<float>(d));
                    for (Index i = 0; i < rows; ++i)
                        for (Index j = 0; j < cols; ++j) {
                            const bool future = is_causal && s + j >= t + i + past;
                            if (future || (all.defined() && all(b, h, t + i, s + j))) scores(i, j) = ninf;
                        }
                    take_in(m, l, g, scores, as_eigen(V.slice(0, s, s + cols)));
                }
                as_eigen(y[b][h].slice(0, t, t + rows)) = divided(g, l);
            }
        }
    }
    return y;
}

}  // namespace headway::ex10
