#include "tiled_attention.hpp"

#include <headway/eigen.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace headway::ex10 {

namespace {

const float none = -std::numeric_limits<float>::infinity();

void check(bool fine, const std::string& what) {
    if (!fine) throw std::invalid_argument(what);
}

struct State {
    EigenMatrix largest, total, gathered;  // (rows, 1), (rows, 1), (rows, d_v)

    State(Index rows, Index d_v)
        : largest(EigenMatrix::Constant(rows, 1, none)),
          total(EigenMatrix::Zero(rows, 1)),
          gathered(EigenMatrix::Zero(rows, d_v)) {}

    template <class Values>
    void take(EigenMatrix scores, const Values& v) {
        for (Index t = 0; t < scores.rows(); ++t) {
            const float now = std::max(largest(t, 0), scores.row(t).maxCoeff());
            if (now == none) {
                scores.row(t).setZero();  // weights of nothing
                continue;
            }
            const float shrink = std::exp(largest(t, 0) - now);
            for (Index s = 0; s < scores.cols(); ++s) scores(t, s) = std::exp(scores(t, s) - now);
            total(t, 0) = total(t, 0) * shrink + scores.row(t).sum();
            gathered.row(t) *= shrink;
            largest(t, 0) = now;
        }
        gathered += scores * v;
    }
};

}  // namespace

Running nothing_seen(Index B, Index H, Index T, Index d_v) {
    check(std::min({B, H, T, d_v}) >= 1, "nothing_seen");
    Running fresh;
    fresh.largest = Tensor::full({B, H, T, 1}, none);
    fresh.total = Tensor::full({B, H, T, 1}, 0);
    fresh.gathered = Tensor::full({B, H, T, d_v}, 0);
    return fresh;
}

void absorb(Running& running, const Tensor& scores, const Tensor& v) {
    check(scores.rank() == 4 && v.rank() == 4, "absorb: ranks");
    const Index B = scores.size(0), H = scores.size(1), T = scores.size(2), n = scores.size(3), d_v = v.size(3);
    check(n > 0, "absorb: n = 0");
    check(v.size(0) == B && v.size(1) == H && v.size(2) == n, "absorb: v is " + to_string(v.shape()));
    check(running.largest.shape() == Shape{B, H, T, 1} && running.total.shape() == Shape{B, H, T, 1} &&
              running.gathered.shape() == Shape{B, H, T, d_v},
          "absorb: the running state is of another shape");
    Running next = nothing_seen(B, H, T, d_v);
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h) {
            State state(T, d_v);
            state.largest = as_eigen(running.largest[b][h]);
            state.total = as_eigen(running.total[b][h]);
            state.gathered = as_eigen(running.gathered[b][h]);
            state.take(as_eigen(scores[b][h]), as_eigen(v[b][h]));
            as_eigen(next.largest[b][h]) = state.largest;
            as_eigen(next.total[b][h]) = state.total;
            as_eigen(next.gathered[b][h]) = state.gathered;
        }
    running = next;
}

Tensor context(const Running& running) {
    Tensor out = Tensor::zeros(running.gathered.shape());
    for (Index b = 0; b < out.size(0); ++b)
        for (Index h = 0; h < out.size(1); ++h) {
            EigenMap to = as_eigen(out[b][h]);
            const EigenMap gathered = as_eigen(running.gathered[b][h]), total = as_eigen(running.total[b][h]);
            for (Index t = 0; t < to.rows(); ++t) to.row(t) = gathered.row(t) / total(t, 0);
        }
    return out;
}

Tensor tiled_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, Causal causal, Index tile) {
    check(tile >= 1, "tile");
    check(q.rank() == 4 && k.rank() == 4 && v.rank() == 4, "ranks");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2), d_v = v.size(3);
    check(k.size(0) == B && v.size(0) == B && k.size(1) == H && v.size(1) == H, "B and H");
    check(k.size(3) == q.size(3), "d");
    check(v.size(2) == S, "S");
    Mask blocked;
    if (mask.defined()) blocked = mask.expand({B, H, T, S});
    const Index past = 0;
    Tensor out = Tensor::zeros({B, H, T, d_v});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h) {
            const EigenMap Q = as_eigen(q[b][h]), K = as_eigen(k[b][h]), V = as_eigen(v[b][h]);
            EigenMap O = as_eigen(out[b][h]);
            for (Index t = 0, rows = 0; t < T; t += rows) {
                rows = std::min(tile, T - t);
                State state(rows, d_v);
                for (Index s = 0, cols = 0; s < S; s += cols) {
                    cols = std::min(tile, S - s);
                    if (causal == Causal::yes && s > t + rows - 1 + past) break;
                    EigenMatrix scores = Q.middleRows(t, rows) * K.middleRows(s, cols).transpose();
                    scores /= std::sqrt(static_cast<float>(Q.cols()));
                    for (Index i = 0; i < rows; ++i)
                        for (Index j = 0; j < cols; ++j) {
                            const bool future = causal == Causal::yes && s + j > t + i + past;
                            if (future || (blocked.defined() && blocked(b, h, t + i, s + j))) scores(i, j) = none;
                        }
                    state.take(scores, V.middleRows(s, cols));
                }
                for (Index i = 0; i < rows; ++i) O.row(t + i) = state.gathered.row(i) / state.total(i, 0);
            }
        }
    return out;
}

}  // namespace headway::ex10
