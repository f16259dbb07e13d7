// A tile is an object that knows its place and computes its own scores; which tiles are worth it is decided beforehand.
#include "tiled_attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

namespace headway::ex10 {
namespace {

constexpr float nothing = -std::numeric_limits<float>::infinity();

void demand(bool fulfilled, const char* what) {
    if (!fulfilled) throw std::invalid_argument(what);
}

struct Tile {
    Index t, t_end, s, s_end;

    bool is_behind(Index offset) const { return s > t_end - 1 + offset; }

    /// No sequence and no head sees its outermost keys with its outermost queries.
    bool is_blocked(const Mask& mask) const {
        for (Index b = 0; b < mask.size(0); ++b)
            for (Index h = 0; h < mask.size(1); ++h)
                if (!mask(b, h, t, s) || !mask(b, h, t, s_end - 1) || !mask(b, h, t_end - 1, s) ||
                    !mask(b, h, t_end - 1, s_end - 1))
                    return false;
        return true;
    }
};

/// The tiles of some queries that have to be computed.
std::vector<Tile> tiles_of(Index t, Index t_end, Index S, Index tile, Index offset, Causal causal, const Mask& mask) {
    std::vector<Tile> all;
    for (Index s = 0; s < S; s += std::min(tile, S)) {
        const Tile one{t, t_end, s, s + std::min(tile, S - s)};
        if (causal == Causal::yes && one.is_behind(offset)) continue;
        if (!mask.defined() || !one.is_blocked(mask)) all.push_back(one);
    }
    return all;
}

}  // namespace

Running nothing_seen(Index B, Index H, Index T, Index d_v) {
    for (const Index size : {B, H, T, d_v}) demand(size >= 1, "nothing_seen: sizes begin at 1");
    return {Tensor::full({B, H, T, 1}, nothing), Tensor::full({B, H, T, 1}, 0), Tensor::full({B, H, T, d_v}, 0)};
}

void absorb(Running& running, const Tensor& scores, const Tensor& v) {
    demand(scores.rank() == 4 && v.rank() == 4, "absorb: four axes");
    const Index B = running.gathered.size(0), H = running.gathered.size(1), T = running.gathered.size(2);
    const Index n = scores.size(3), d_v = running.gathered.size(3);
    demand(scores.shape() == Shape{B, H, T, n} && v.shape() == Shape{B, H, n, d_v}, "absorb: scores or v");
    const Tensor largest = max(cat({running.largest, scores}, 3), 3, KeepAxis::yes);
    Tensor base = largest.contiguous().clone();
    std::replace(base.data(), base.data() + base.numel(), nothing, 0.0F);
    const Tensor shrink = exp(running.largest - base), raised = exp(scores - base);
    running.total = running.total * shrink + sum(raised, 3, KeepAxis::yes);
    running.gathered = running.gathered * shrink + matmul(raised, v);
    running.largest = largest;
}

Tensor context(const Running& running) {
    Tensor mean = running.gathered.clone();
    for (Index b = 0; b < mean.size(0); ++b)
        for (Index h = 0; h < mean.size(1); ++h)
            for (Index t = 0; t < mean.size(2); ++t)
                if (const float total = Tensor(running.total)(b, h, t, 0); total > 0) mean[b][h][t] /= total;
    return mean;
}

Tensor tiled_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, Causal causal, Index tile) {
    demand(tile >= 1, "tiled_attention: a tile of nothing");
    demand(q.rank() == 4 && k.rank() == 4 && v.rank() == 4, "tiled_attention: four axes");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2), d_v = v.size(3);
    demand(k.shape() == Shape{B, H, S, d} && v.shape() == Shape{B, H, S, d_v}, "tiled_attention: shapes");
    const Mask wide = mask.defined() ? mask.expand({B, H, T, S}) : mask;
    const Index offset = S - T;
    Tensor y = Tensor::zeros({B, H, T, d_v});
    for (Index t = 0; t < T; t += std::min(tile, T)) {
        const Index t_end = t + std::min(tile, T - t);
        Running running = nothing_seen(B, H, t_end - t, d_v);
        const Tensor queries = q.slice(2, t, t_end) / std::sqrt(static_cast<float>(d));
        for (const Tile& one : tiles_of(t, t_end, S, tile, offset, causal, wide)) {
            Tensor scores = matmul(queries, k.slice(2, one.s, one.s_end).transpose(2, 3));
            for (Index b = 0; b < B; ++b)
                for (Index h = 0; h < H; ++h)
                    for (Index i = t; i < t_end; ++i)
                        for (Index j = one.s; j < one.s_end; ++j)
                            if ((wide.defined() && wide(b, h, i, j)) || (causal == Causal::yes && j > i + offset))
                                scores(b, h, i - t, j - one.s) = nothing;
            absorb(running, scores, v.slice(2, one.s, one.s_end));
        }
        y.slice(2, t, t_end).copy_from(context(running));
    }
    return y;
}

}  // namespace headway::ex10
