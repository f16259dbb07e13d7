#include "tiled_attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace headway::ex10 {
namespace {

using Limits = std::numeric_limits<float>;
const float nothing = -Limits::infinity();

class Tiles {
public:
    Tiles(const Tensor& q, const Tensor& k, const Mask& mask, Causal causal)
        : q_(q), k_(k), causal_(causal == Causal::yes), T_(q.size(2)), S_(k.size(2)) {
        if (mask.defined()) blocked_ = mask.expand({q.size(0), q.size(1), T_, S_});
    }

    /// Keys from here on are invisible to queries before `t_end`.
    Index visible(Index t_end) const { return causal_ ? std::max<Index>(0, std::min(S_, t_end + S_ - T_)) : S_; }

    Tensor scores(Index t, Index t_end, Index s, Index s_end) const {
        Tensor result = matmul(q_.slice(2, t, t_end), k_.slice(2, s, s_end).transpose(2, 3));
        result /= std::sqrt(static_cast<float>(q_.size(3)));
        for (Index b = 0; b < result.size(0); ++b)
            for (Index h = 0; h < result.size(1); ++h)
                for (Index i = t; i < t_end; ++i)
                    for (Index j = s; j < s_end; ++j)
                        if (hidden(b, h, i, j)) result(b, h, i - t, j - s) = nothing;
        return result;
    }

private:
    bool hidden(Index b, Index h, Index t, Index s) const { return blocked_.defined() && blocked_(b, h, t, s); }

    Tensor q_, k_;
    Mask blocked_;
    bool causal_;
    Index T_, S_;
};

}  // namespace

Running nothing_seen(Index B, Index H, Index T, Index d_v) {
    if (B * H * T * d_v == 0 || std::min(std::min(B, H), std::min(T, d_v)) < 0)
        throw std::invalid_argument("nothing_seen");
    return {.largest = Tensor::full({B, H, T, 1}, nothing),
            .total = Tensor::full({B, H, T, 1}, 0),
            .gathered = Tensor::full({B, H, T, d_v}, 0)};
}

void absorb(Running& running, const Tensor& scores, const Tensor& v) {
    const Shape want{running.total.size(0), running.total.size(1), running.total.size(2), v.size(2)};
    if (scores.shape() != want || v.rank() != 4 || v.size(0) != want[0] || v.size(1) != want[1] ||
        v.size(3) != running.gathered.size(3))
        throw std::invalid_argument("absorb: scores or v of a wrong shape");
    for (Index b = 0; b < want[0]; ++b)
        for (Index h = 0; h < want[1]; ++h)
            for (Index t = 0; t < want[2]; ++t)
                for (Index s = 0; s < want[3]; ++s) {  // key by key
                    const float score = scores(b, h, t, s);
                    if (score == nothing) continue;
                    Tensor sums = running.gathered[b][h][t];
                    float& largest = running.largest(b, h, t, 0);
                    float& total = running.total(b, h, t, 0);
                    const Tensor value = v[b][h][s];
                    if (score <= largest) {
                        const float share = std::exp(score - largest);
                        total += share;
                        sums += value * share;
                    } else {
                        const float shrink = std::exp(largest - score);
                        total = total * shrink + 1;
                        sums *= shrink;
                        sums += value;
                        largest = score;
                    }
                }
}

Tensor context(const Running& running) {
    Mask empty = Mask::allow_all(running.total.shape());
    for (Index i = 0; i < empty.numel(); ++i) empty.data()[i] = running.total.data()[i] == 0;
    return masked_fill(running.gathered / masked_fill(running.total, empty, 1), empty, 0);
}

Tensor tiled_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, Causal causal, Index tile) {
    if (tile < 1) throw std::invalid_argument("tile");
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4) throw std::invalid_argument("ranks");
    if (Shape{q.size(0), q.size(1), k.size(2), q.size(3)} != k.shape()) throw std::invalid_argument("q and k");
    if (Shape{k.size(0), k.size(1), k.size(2), v.size(3)} != v.shape()) throw std::invalid_argument("k and v");
    const Tiles tiles(q, k, mask, causal);
    Tensor y = Tensor::zeros({q.size(0), q.size(1), q.size(2), v.size(3)});
    for (Index t = 0; t < q.size(2); t += tile) {
        const Index t_end = std::min(t + tile, q.size(2));
        const Index S = tiles.visible(t_end);
        // First the largest score of each row and the sum, then the values: no rescaling is needed.
        Tensor largest = Tensor::full({q.size(0), q.size(1), t_end - t, 1}, nothing);
        for (Index s = 0; s < S; s += tile)
            largest = max(cat({largest, tiles.scores(t, t_end, s, std::min(s + tile, S))}, -1), -1, KeepAxis::yes);
        for (Index i = 0; i < largest.numel(); ++i)
            if (largest.data()[i] == nothing) largest.data()[i] = 0;
        Tensor total = Tensor::zeros(largest.shape());
        Tensor sums = Tensor::zeros({q.size(0), q.size(1), t_end - t, v.size(3)});
        for (Index s = 0; s < S; s += tile) {
            const Tensor e = exp(tiles.scores(t, t_end, s, std::min(s + tile, S)) - largest);
            total += sum(e, -1, KeepAxis::yes);
            sums += matmul(e, v.slice(2, s, std::min(s + tile, S)));
        }
        y.slice(2, t, t_end).copy_from(context({largest, total, sums}));
    }
    return y;
}

}  // namespace headway::ex10
