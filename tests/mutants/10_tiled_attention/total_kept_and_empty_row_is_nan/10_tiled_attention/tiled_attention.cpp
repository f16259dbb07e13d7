#include "tiled_attention.hpp"

#include <limits>
#include <stdexcept>

// Question 4 of the lesson: two states over different keys can be put together. So absorb makes a state of the tile
// and merges it, and tiled_attention halves its queries and its keys until both are small enough.
namespace headway::ex10 {

namespace {

constexpr float none = -std::numeric_limits<float>::infinity();

/// e^(a - b), where minus infinity less minus infinity counts as 0 keys: weight 0.
Tensor factor(const Tensor& from, const Tensor& to) {
    Tensor f = (from - to).contiguous();
    for (Index i = 0; i < f.numel(); ++i) f.data()[i] = std::isnan(f.data()[i]) ? 0.0F : std::exp(f.data()[i]);
    return f;
}

Running merge(const Running& a, const Running& b) {
    const Tensor largest = max(cat({a.largest, b.largest}, -1), -1, KeepAxis::yes);
    const Tensor fa = factor(a.largest, largest), fb = factor(b.largest, largest);
    return {largest, a.total + b.total * fb, a.gathered * fa + b.gathered * fb};
}

Running of_one_tile(const Tensor& scores, const Tensor& v) {
    const Tensor largest = max(scores, -1, KeepAxis::yes);
    const Tensor raised = factor(scores, largest);
    return {largest, sum(raised, -1, KeepAxis::yes), matmul(raised, v)};
}

struct Problem {
    Tensor q, k, v;
    Mask mask;
    bool causal;
    Index tile;
    Index B, H, T, S;

    Tensor scores(Index t, Index t_end, Index s, Index s_end) const {
        Tensor x = matmul(q.slice(2, t, t_end), k.slice(2, s, s_end).transpose(2, 3)).contiguous();
        x *= 1.0F / std::sqrt(static_cast<float>(q.size(3)));
        for (Index b = 0; b < B; ++b)
            for (Index h = 0; h < H; ++h)
                for (Index i = t; i < t_end; ++i)
                    for (Index j = s; j < s_end; ++j)
                        if ((causal && j > i + (S - T)) || (mask.defined() && mask(b, h, i, j)))
                            x(b, h, i - t, j - s) = none;
        return x;
    }

    /// What queries [t, t_end) see of keys [s, s_end), counted in tiles.
    Running over_keys(Index t, Index t_end, Index s_tile, Index tiles) const {
        if (tiles == 1) {
            const Index s = s_tile * tile, s_end = S - s < tile ? S : s + tile;
            return of_one_tile(scores(t, t_end, s, s_end), v.slice(2, s, s_end));
        }
        const Index left = tiles / 2;
        return merge(over_keys(t, t_end, s_tile, left), over_keys(t, t_end, s_tile + left, tiles - left));
    }

    void over_queries(Index t_tile, Index tiles, Tensor& y) const {
        if (tiles > 1) {
            over_queries(t_tile, tiles / 2, y);
            over_queries(t_tile + tiles / 2, tiles - tiles / 2, y);
            return;
        }
        const Index t = t_tile * tile, t_end = T - t < tile ? T : t + tile;
        Index visible = S;
        if (causal && t_end + (S - T) < S) visible = t_end + (S - T);
        if (visible <= 0) return;
        const Index key_tiles = (visible - 1) / tile + 1;
        y.slice(2, t, t_end).copy_from(context(over_keys(t, t_end, 0, key_tiles)));
    }
};

}  // namespace

Running nothing_seen(Index B, Index H, Index T, Index d_v) {
    if (!(B > 0 && H > 0 && T > 0 && d_v > 0)) throw std::invalid_argument("nothing_seen: sizes");
    return Running{Tensor::full({B, H, T, 1}, none), Tensor::zeros({B, H, T, 1}), Tensor::zeros({B, H, T, d_v})};
}

void absorb(Running& running, const Tensor& scores, const Tensor& v) {
    if (scores.rank() != 4 || v.rank() != 4) throw std::invalid_argument("absorb: four axes");
    Shape column = scores.shape(), wide = scores.shape(), values = scores.shape();
    column[3] = 1;
    wide[3] = v.size(3);
    values[2] = scores.size(3);
    values[3] = v.size(3);
    if (running.largest.shape() != column || running.total.shape() != column || running.gathered.shape() != wide ||
        v.shape() != values)
        throw std::invalid_argument("absorb: a shape does not fit");
    running = merge(running, of_one_tile(scores, v));
}

Tensor context(const Running& running) {
    Tensor share = (1.0F / running.total).contiguous();
    for (Index i = 0; i < share.numel(); ++i)
        if (std::isnan(share.data()[i])) share.data()[i] = 0;
    return running.gathered * share;
}

Tensor tiled_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, Causal causal, Index tile) {
    if (tile < 1) throw std::invalid_argument("tiled_attention: tile");
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4) throw std::invalid_argument("tiled_attention: four axes");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2);
    if (k.shape() != Shape{B, H, S, q.size(3)} || v.shape() != Shape{B, H, S, v.size(3)})
        throw std::invalid_argument("tiled_attention: shapes");
    const Mask wide = mask.defined() ? mask.expand({B, H, T, S}) : Mask{};
    const Problem problem{q, k, v, wide, causal == Causal::yes, tile, B, H, T, S};
    Tensor y = Tensor::zeros({B, H, T, v.size(3)});
    if (T > 0) problem.over_queries(0, (T - 1) / tile + 1, y);
    return y;
}

}  // namespace headway::ex10
