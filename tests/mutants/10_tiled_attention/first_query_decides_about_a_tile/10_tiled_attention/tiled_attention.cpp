#include "tiled_attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

// One head of one sequence at a time: everything is a matrix.
namespace headway::ex10 {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

void must(bool fits, const char* what) {
    if (!fits) throw std::invalid_argument(what);
}

/// (T, n) or (T, d) of one head, with the two axes in front that a Running has.
Tensor head_of(const Tensor& tensor, Index b, Index h, Index begin, Index end) {
    return tensor.slice(0, b, b + 1).slice(1, h, h + 1).slice(2, begin, end);
}

bool blocks_everything(const Mask& tile) {
    for (Index j = 0; j < tile.size(1); ++j)
        if (!tile(0, j)) return false;
    return true;
}

}  // namespace

Running nothing_seen(Index B, Index H, Index T, Index d_v) {
    must(std::min(std::min(B, H), std::min(T, d_v)) >= 1, "nothing_seen: sizes are at least 1");
    const auto column = [&](float value) { return Tensor::full({B, H, T, 1}, value); };
    return Running{column(-infinity), column(0), Tensor::zeros({B, H, T, d_v})};
}

void absorb(Running& running, const Tensor& scores, const Tensor& v) {
    must(scores.rank() == 4, "absorb: scores are (B, H, T, n)");
    const Shape& wanted = running.gathered.shape();
    must(scores.size(0) == wanted[0] && scores.size(1) == wanted[1] && scores.size(2) == wanted[2],
         "absorb: scores do not fit what was seen");
    must(v.shape() == Shape{wanted[0], wanted[1], scores.size(3), wanted[3]}, "absorb: v does not fit");

    Running next = nothing_seen(wanted[0], wanted[1], wanted[2], wanted[3]);
    for (Index b = 0; b < wanted[0]; ++b)
        for (Index h = 0; h < wanted[1]; ++h) {
            const Tensor of_tile = max(scores[b][h], 1, KeepAxis::yes);
            const Tensor now = max(cat({running.largest[b][h], of_tile}, 1), 1, KeepAxis::yes);
            Tensor shift = now.clone();
            for (Index t = 0; t < wanted[2]; ++t)
                if (now(t, 0) == -infinity) shift(t, 0) = 0;
            const Tensor shrink = exp(running.largest[b][h] - shift);
            const Tensor raised = exp(scores[b][h] - shift);
            next.largest[b][h].copy_from(now);
            next.total[b][h].copy_from(running.total[b][h] * shrink + sum(raised, 1, KeepAxis::yes));
            next.gathered[b][h].copy_from(running.gathered[b][h] * shrink + matmul(raised, v[b][h]));
        }
    running = next;
}

Tensor context(const Running& running) {
    Tensor result = running.gathered.clone();
    for (Index b = 0; b < result.size(0); ++b)
        for (Index h = 0; h < result.size(1); ++h)
            for (Index t = 0; t < result.size(2); ++t)
                if (running.total(b, h, t, 0) != 0) result[b][h][t] /= running.total(b, h, t, 0);
    return result;
}

Tensor tiled_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, Causal causal, Index tile) {
    must(tile >= 1, "tiled_attention: tile is at least 1");
    must(q.rank() == 4 && k.rank() == 4 && v.rank() == 4, "tiled_attention: four axes");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2), d_v = v.size(3);
    must(k.shape() == Shape{B, H, S, q.size(3)}, "tiled_attention: k does not fit q");
    must(v.shape() == Shape{B, H, S, d_v}, "tiled_attention: v does not fit k");
    Mask blocked = Mask::allow_all({1, 1, 1, 1});
    if (mask.defined()) blocked = mask;
    blocked = blocked.expand({B, H, T, S});
    const Strides step = blocked.strides();

    const Index offset = S - T;
    const float root = std::sqrt(static_cast<float>(q.size(3)));
    const Index height = std::min(tile, T), width = std::min(tile, S);
    Tensor result = Tensor::zeros({B, H, T, d_v});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; t += height) {
                const Index t_end = std::min(t + height, T);
                Running running = nothing_seen(1, 1, t_end - t, d_v);
                for (Index s = 0; s < S; s += width) {
                    const Index s_end = std::min(s + width, S);
                    if (causal == Causal::yes && s >= t_end + offset) break;
                    const Mask of_tile = blocked.as_strided(
                        {t_end - t, s_end - s}, {step[2], step[3]},
                        blocked.layout().offset + b * step[0] + h * step[1] + t * step[2] + s * step[3]);
                    if (blocks_everything(of_tile)) continue;
                    Tensor scores =
                        matmul(head_of(q, b, h, t, t_end), head_of(k, b, h, s, s_end).transpose(-1, -2)) / root;
                    scores = masked_fill(scores, of_tile, -infinity);
                    if (causal == Causal::yes)
                        for (Index i = t; i < t_end; ++i)
                            for (Index j = std::max(s, i + offset + 1); j < s_end; ++j)
                                scores(0, 0, i - t, j - s) = -infinity;
                    absorb(running, scores, head_of(v, b, h, s, s_end));
                }
                head_of(result, b, h, t, t_end).copy_from(context(running));
            }
    return result;
}

}  // namespace headway::ex10
