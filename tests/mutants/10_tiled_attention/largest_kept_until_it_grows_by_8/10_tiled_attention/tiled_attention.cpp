#include "tiled_attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace headway::ex10 {

namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

void need(bool condition, const char* message) {
    if (!condition) throw std::invalid_argument(message);
}

/// Calls body(b, h, t) for each row.
template <class Body>
void for_each_row(const Tensor& rows, Body body) {
    for (Index b = 0; b < rows.size(0); ++b)
        for (Index h = 0; h < rows.size(1); ++h)
            for (Index t = 0; t < rows.size(2); ++t) body(b, h, t);
}

/// What is subtracted from the scores: the largest, or 0 in rows that have seen nothing.
Tensor shift_of(const Tensor& largest) {
    Tensor shift = largest.clone();
    for_each_row(shift, [&](Index b, Index h, Index t) {
        if (shift(b, h, t, 0) == minus_infinity) shift(b, h, t, 0) = 0;
    });
    return shift;
}

/// Shrinking for every small step is wasted: exp(8) overflows nothing, so a row keeps what it compares with until the
/// largest has grown by more than 8.
Tensor worth_it(const Tensor& before, Tensor now) {
    for_each_row(now, [&](Index b, Index h, Index t) {
        if (now(b, h, t, 0) - before(b, h, t, 0) <= 8) now(b, h, t, 0) = before(b, h, t, 0);
    });
    return now;
}

/// Queries [t, t_end) and keys [s, s_end) of a mask (B, H, T, S).
Mask cut(const Mask& all, Index t, Index t_end, Index s, Index s_end) {
    const Strides& step = all.strides();
    return all.as_strided({all.size(0), all.size(1), t_end - t, s_end - s}, step,
                          all.layout().offset + t * step[2] + s * step[3]);
}

/// Hides key j of a tile from query i of it where j > i + offset.
void hide_future(Tensor& scores, Index offset) {
    for_each_row(scores, [&](Index b, Index h, Index i) {
        for (Index j = 0; j < scores.size(3); ++j)
            if (j > i + offset) scores(b, h, i, j) = minus_infinity;
    });
}

/// Where a tile that begins at `begin` ends.
Index end_of(Index begin, Index tile, Index size) { return size - begin > tile ? begin + tile : size; }

}  // namespace

Running nothing_seen(Index B, Index H, Index T, Index d_v) {
    need(B >= 1 && H >= 1 && T >= 1 && d_v >= 1, "nothing_seen: every size must be at least 1");
    return {Tensor::full({B, H, T, 1}, minus_infinity), Tensor::zeros({B, H, T, 1}), Tensor::zeros({B, H, T, d_v})};
}

void absorb(Running& running, const Tensor& scores, const Tensor& v) {
    need(scores.rank() == 4 && v.rank() == 4, "absorb: scores and v need four axes");
    const Tensor& gathered = running.gathered;
    for (Index axis = 0; axis < 3; ++axis)
        need(scores.size(axis) == gathered.size(axis), "absorb: the scores have other rows");
    need(v.size(0) == scores.size(0) && v.size(1) == scores.size(1), "absorb: v has other heads");
    need(v.size(2) == scores.size(3), "absorb: as many values as scores are needed");
    need(v.size(3) == gathered.size(3), "absorb: v has another width");

    const Tensor of_tile = max(scores, -1, KeepAxis::yes);
    const Tensor now = worth_it(running.largest, max(cat({running.largest, of_tile}, -1), -1, KeepAxis::yes));
    const Tensor shift = shift_of(now);
    const Tensor shrink = exp(running.largest - shift);
    const Tensor raised = exp(scores - shift);
    running.total = running.total * shrink + sum(raised, -1, KeepAxis::yes);
    running.gathered = running.gathered * shrink + matmul(raised, v);
    running.largest = now;
}

Tensor context(const Running& running) {
    Tensor divisor = running.total.clone();
    for_each_row(divisor, [&](Index b, Index h, Index t) {
        if (divisor(b, h, t, 0) == 0) divisor(b, h, t, 0) = 1;
    });
    return running.gathered / divisor;
}

Tensor tiled_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, Causal causal, Index tile) {
    need(tile >= 1, "tiled_attention: a tile must hold something");
    need(q.rank() == 4 && k.rank() == 4 && v.rank() == 4, "tiled_attention: four axes are needed");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2), d_v = v.size(3);
    need(k.shape() == Shape{B, H, S, d}, "tiled_attention: k does not fit q");
    need(v.shape() == Shape{B, H, S, d_v}, "tiled_attention: v does not fit k");
    Mask all;
    if (mask.defined()) all = mask.expand({B, H, T, S});

    const float scale = 1.0F / std::sqrt(static_cast<float>(d));
    Tensor result = Tensor::zeros({B, H, T, d_v});
    for (Index t = 0; t < T; t += tile) {
        const Index t_end = end_of(t, tile, T);
        const Index visible = causal == Causal::yes ? std::clamp<Index>(t_end + (S - T), 0, S) : S;
        const Tensor queries = q.slice(2, t, t_end);
        Running running = nothing_seen(B, H, t_end - t, d_v);
        for (Index s = 0; s < visible; s += tile) {
            const Index s_end = end_of(s, tile, S);
            Tensor scores = matmul(queries, k.slice(2, s, s_end).transpose(-2, -1)) * scale;
            if (all.defined()) scores = masked_fill(scores, cut(all, t, t_end, s, s_end), minus_infinity);
            if (causal == Causal::yes) hide_future(scores, t + (S - T) - s);
            absorb(running, scores, v.slice(2, s, s_end));
            if (s_end == S) break;
        }
        result.slice(2, t, t_end).copy_from(context(running));
        if (t_end == T) break;
    }
    return result;
}

}  // namespace headway::ex10
