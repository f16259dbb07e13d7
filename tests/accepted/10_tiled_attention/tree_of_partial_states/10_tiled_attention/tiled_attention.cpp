// Partial states merged as a tree, recursion over keys; Running fields replaced; templates.
#include "tiled_attention.hpp"
#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
namespace headway::ex10 {
namespace {
constexpr float nothing = -std::numeric_limits<float>::infinity();
template <class F>
Tensor zip(const Tensor& a, const Tensor& b, F f) {
    const Tensor x = a.contiguous(), y = b.contiguous();
    Tensor r = Tensor::empty(x.shape());
    std::transform(x.data(), x.data() + x.numel(), y.data(), r.data(), f);
    return r;
}
Running of_tile(const Tensor& scores, const Tensor& v) {
    const Tensor top = max(scores, 3, KeepAxis::yes);
    const Tensor safe = zip(top, top, [](float x, float) { return x == nothing ? 0.0F : x; });
    const Tensor e = exp(scores - safe);
    return {top, sum(e, 3, KeepAxis::yes), matmul(e, v)};
}
Running merged(const Running& a, const Running& b) {
    const Tensor top = zip(a.largest, b.largest, [](float x, float y) { return std::max(x, y); });
    const auto factor = [](float part, float all) { return all == nothing ? 1.0F : std::exp(part - all); };
    const Tensor fa = zip(a.largest, top, factor), fb = zip(b.largest, top, factor);
    return {top, a.total * fa + b.total * fb, a.gathered * fa + b.gathered * fb};
}
void refuse_if(bool wrong, const std::string& why) {
    if (wrong) throw std::invalid_argument("tiles: " + why);
}
}  // namespace
Running nothing_seen(Index B, Index H, Index T, Index d_v) {
    refuse_if(std::min({B, H, T, d_v}) <= 0, "empty");
    const Tensor zero = Tensor::zeros({B, H, T, 1});
    return Running{.largest = zero + nothing, .total = zero, .gathered = Tensor::zeros({B, H, T, d_v})};
}
void absorb(Running& running, const Tensor& scores, const Tensor& v) {
    refuse_if(scores.rank() != 4 || v.rank() != 4, "rank");
    refuse_if(scores.size(3) != v.size(2), "keys");
    refuse_if(v.size(3) != running.gathered.size(3), "values");
    for (const Index axis : {0, 1}) refuse_if(scores.size(axis) != v.size(axis), "B or H");
    for (const Index axis : {0, 1, 2}) refuse_if(scores.size(axis) != running.total.size(axis), "rows");
    if (scores.size(3) > 0) running = merged(running, of_tile(scores, v));
}
Tensor context(const Running& running) {
    const Tensor one_over = zip(running.total, running.total, [](float x, float) { return x > 0 ? 1 / x : 0.0F; });
    return running.gathered * one_over;
}
Tensor tiled_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, Causal causal, Index tile) {
    refuse_if(tile < 1, "tile");
    refuse_if(q.rank() != 4 || k.rank() != 4 || v.rank() != 4, "rank");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2), dv = v.size(3);
    refuse_if(k.size(0) != B || k.size(1) != H || k.size(3) != q.size(3), "k");
    refuse_if(v.size(0) != B || v.size(1) != H || v.size(2) != S, "v");
    const std::optional<Mask> wide = mask.defined() ? std::optional(mask.expand({B, H, T, S})) : std::nullopt;
    Tensor out = Tensor::zeros({B, H, T, dv});
    if (!out.numel() || S == 0) return out;
    const float scale = 1 / std::sqrt(float(q.size(3)));
    for (Index t = 0; t < T; t += tile) {
        const Index rows = std::min(tile, T - t);
        const Tensor queries = q.slice(2, t, t + rows) * scale;
        const Index tiles = (S + tile - 1) / tile;
        std::function<std::optional<Running>(Index, Index)> tree = [&](Index lo, Index hi) -> std::optional<Running> {
            if (causal == Causal::yes && lo * tile > t + rows - 1 + S - T) return std::nullopt;
            if (hi - lo == 1) {
                const Index s = lo * tile, n = std::min(tile, S - s);
                Tensor scores = matmul(queries, k.slice(2, s, s + n).transpose(2, 3));
                for (Index b = 0; b < B; ++b)
                    for (Index h = 0; h < H; ++h)
                        for (Index i = 0; i < rows; ++i)
                            for (Index j = 0; j < n; ++j)
                                if ((wide && (*wide)(b, h, t + i, s + j)) ||
                                    (causal == Causal::yes && T + s + j > S + t + i))
                                    scores(b, h, i, j) = nothing;
                return of_tile(scores, v.slice(2, s, s + n));
            }
            const Index mid = (lo + hi) / 2;
            auto left = tree(lo, mid), right = tree(mid, hi);
            if (!right) return left;
            if (!left) return right;
            return merged(*left, *right);
        };
        if (const auto all = tree(0, tiles)) out.slice(2, t, t + rows).copy_from(context(*all));
    }
    return out;
}
}  // namespace headway::ex10
