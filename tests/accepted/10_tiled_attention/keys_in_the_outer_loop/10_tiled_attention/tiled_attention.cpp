#include "tiled_attention.hpp"

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

namespace headway::ex10 {
namespace {

bool is_nothing(float x) { return std::isinf(x) && x < 0; }

/// exp(a - b), where -inf - -inf counts as nothing happened.
Tensor ratio(const Tensor& a, const Tensor& b) {
    const Tensor wide = a.shape().back() >= b.shape().back() ? a.contiguous() : b.contiguous();
    Tensor out = Tensor::zeros(wide.shape());
    const Index n = out.size(3);
    const Tensor x = a.contiguous(), y = b.contiguous();
    for (Index i = 0; i < out.numel(); ++i) {
        const float from = x.data()[i], base = y.data()[i / n];
        out.data()[i] = is_nothing(from) ? 0.0F : std::exp(from - base);
    }
    return out;
}

}  // namespace

Running nothing_seen(Index B, Index H, Index T, Index d_v) {
    for (const Index size : {B, H, T, d_v})
        if (size < 1) throw std::invalid_argument("nothing_seen: size " + std::to_string(size));
    const Tensor one = Tensor::zeros({B, H, T, 1});
    return {one - INFINITY, one.clone(), Tensor::zeros({B, H, T, d_v})};
}

void absorb(Running& running, const Tensor& scores, const Tensor& v) {
    if (scores.rank() != 4 || v.rank() != 4 || scores.size(-1) != v.size(-2) || scores.size(0) != v.size(0) ||
        scores.size(1) != v.size(1) || scores.size(2) != running.total.size(2) ||
        scores.size(0) != running.total.size(0) || scores.size(1) != running.total.size(1) ||
        v.size(3) != running.gathered.size(3))
        throw std::invalid_argument("absorb: " + to_string(scores.shape()) + " " + to_string(v.shape()));
    const Tensor tile_largest = max(scores, -1, KeepAxis::yes);
    Tensor now = tile_largest.clone();
    for (Index i = 0; i < now.numel(); ++i) now.data()[i] = std::max(now.data()[i], running.largest.data()[i]);
    const Tensor old_part = ratio(running.largest, now);
    const Tensor p = ratio(scores, now);
    running.total *= old_part;
    running.total += sum(p, 3, KeepAxis::yes);
    running.gathered *= old_part;
    running.gathered += matmul(p, v);
    running.largest = now;
}

Tensor context(const Running& running) {
    Tensor total = running.total.clone();
    for (Index i = 0; i < total.numel(); ++i)
        if (total.data()[i] == 0.0F) total.data()[i] = 1.0F;
    return running.gathered / total;
}

Tensor tiled_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, Causal causal, Index tile) {
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4 || q.size(0) != k.size(0) || q.size(1) != k.size(1) ||
        q.size(3) != k.size(3) || v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
        throw std::invalid_argument("tiled_attention: shapes");
    if (tile <= 0) throw std::invalid_argument("tiled_attention: tile " + std::to_string(tile));
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2);
    if (mask.defined() && broadcast_shapes(mask.shape(), {B, H, T, S}, "mask") != Shape{B, H, T, S})
        throw std::invalid_argument("tiled_attention: mask");
    const Mask all = mask.defined() ? mask.expand({B, H, T, S}) : Mask{};
    std::vector<Running> states;
    for (Index t = 0; t < T; t += tile) states.push_back(nothing_seen(B, H, std::min(tile, T - t), v.size(3)));
    for (Index s = 0; s < S; s += tile) {
        const Index s_end = std::min(s + tile, S);
        const Tensor keys = k.slice(2, s, s_end).transpose(-2, -1);
        for (std::size_t i = 0; i < states.size(); ++i) {
            const Index t = static_cast<Index>(i) * tile, t_end = std::min(t + tile, T);
            if (causal == Causal::yes && s > t_end - 1 + S - T) continue;  // all in the future
            Tensor scores = matmul(q.slice(2, t, t_end), keys) * (1.0F / std::sqrt(static_cast<float>(q.size(3))));
            for (Index b = 0; b < B; ++b)
                for (Index h = 0; h < H; ++h)
                    for (Index row = t; row < t_end; ++row)
                        for (Index key = s; key < s_end; ++key)
                            if ((all.defined() && all(b, h, row, key)) || (causal == Causal::yes && key > row + S - T))
                                scores(b, h, row - t, key - s) = -INFINITY;
            absorb(states[i], scores, v.slice(2, s, s_end));
        }
    }
    std::vector<Tensor> parts;
    for (const Running& state : states) parts.push_back(context(state));
    return cat(parts, 2);
}

}  // namespace headway::ex10
