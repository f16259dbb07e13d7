#include "tiled_attention.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <stdexcept>

namespace headway::ex10 {

namespace {

const float inf = std::numeric_limits<float>::infinity();

const auto refuse_unless = [](bool condition, const char* message) {
    if (!condition) throw std::invalid_argument(message);
};

/// f of each element, in a tensor of its own.
Tensor mapped(const Tensor& x, const std::function<float(float)>& f) {
    Tensor y = x.contiguous().clone();
    std::transform(y.data(), y.data() + y.numel(), y.data(), f);
    return y;
}

}  // namespace

Running nothing_seen(Index B, Index H, Index T, Index d_v) {
    refuse_unless(B >= 1 && H >= 1 && T >= 1 && d_v >= 1, "nothing_seen: sizes");
    const Tensor zeros = Tensor::zeros({B, H, T, 1});
    return {mapped(zeros, [](float) { return -inf; }), zeros, Tensor::zeros({B, H, T, d_v})};
}

void absorb(Running& running, const Tensor& scores, const Tensor& v) {
    refuse_unless(scores.rank() == 4 && v.rank() == 4, "absorb: axes");
    const auto like_scores = [&](Index last) {
        Shape shape = scores.shape();
        shape[3] = last;
        return shape;
    };
    refuse_unless(scores.size(3) >= 1, "absorb: keys");
    refuse_unless(running.largest.shape() == like_scores(1), "absorb: largest");
    refuse_unless(running.total.shape() == like_scores(1), "absorb: total");
    refuse_unless(running.gathered.shape() == like_scores(v.size(3)), "absorb: gathered");
    refuse_unless(v.shape() == Shape{scores.size(0), scores.size(1), scores.size(3), v.size(3)}, "absorb: v");

    const Tensor now = max(cat({scores, running.largest}, 3), 3, KeepAxis::yes);
    const Tensor shift = mapped(now, [](float x) { return x == -inf ? 0.0F : x; });
    const Tensor both = exp(cat({running.largest, scores}, 3) - shift);  // the factor first, then the weights
    const Tensor factor = both.slice(3, 0, 1), weights = both.slice(3, 1, both.size(3));
    running = Running{now, running.total * factor + sum(weights, 3, KeepAxis::yes),
                      running.gathered * factor + matmul(weights, v)};
}

Tensor context(const Running& running) {
    return running.gathered * mapped(running.total, [](float x) { return x == 0 ? 0.0F : 1 / x; });
}

Tensor tiled_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, Causal causal, Index tile) {
    refuse_unless(tile >= 1, "tiled_attention: tile");
    refuse_unless(q.rank() == 4 && k.rank() == 4 && v.rank() == 4, "tiled_attention: axes");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2);
    refuse_unless(k.shape() == Shape{B, H, S, d}, "tiled_attention: k");
    refuse_unless(v.shape() == Shape{B, H, S, v.size(3)}, "tiled_attention: v");
    Mask blocked;
    if (mask.defined()) blocked = mask.expand({B, H, T, S});
    const bool only_past = causal == Causal::yes;

    const auto hidden = [&](Index b, Index h, Index t, Index s) {
        return (only_past && s - S > t - T) || (blocked.defined() && *&blocked(b, h, t, s));
    };
    Tensor result = Tensor::zeros({B, H, T, v.size(3)});
    for (Index t_end = T; t_end > 0;) {
        const Index t = t_end > tile ? t_end - tile : 0;
        Running running = nothing_seen(B, H, t_end - t, v.size(3));
        const Index seen = only_past ? std::max<Index>(0, S - (T - t_end)) : S;
        for (Index s_end = seen; s_end > 0;) {
            const Index s = s_end > tile ? s_end - tile : 0;
            Tensor scores = matmul(q.slice(2, t, t_end), k.slice(2, s, s_end).transpose(2, 3));
            scores /= sqrt(static_cast<float>(d));
            for (Index b = 0; b < B; ++b)
                for (Index h = 0; h < H; ++h)
                    for (Index i = t; i < t_end; ++i)
                        for (Index j = s; j < s_end; ++j)
                            if (hidden(b, h, i, j)) scores(b, h, i - t, j - s) = -inf;
            absorb(running, scores, v.slice(2, s, s_end));
            s_end = s;
        }
        result.slice(2, t, t_end).copy_from(context(running));
        t_end = t;
    }
    return result;
}

}  // namespace headway::ex10
