#include "tiled_attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

namespace headway::ex10 {
namespace {

constexpr float nothing = -std::numeric_limits<float>::infinity();

void must(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

}  // namespace

Running nothing_seen(Index B, Index H, Index T, Index d_v) {
    must(B > 0 && H > 0 && T > 0 && d_v > 0, "nothing_seen: sizes");
    Running fresh;
    fresh.largest = Tensor::full({B, H, T, 1}, nothing);
    fresh.total = Tensor::zeros({B, H, T, 1});
    fresh.gathered = Tensor::zeros({B, H, T, d_v});
    return fresh;
}

void absorb(Running& running, const Tensor& scores, const Tensor& v) {
    must(scores.rank() == 4 && v.rank() == 4, "absorb: ranks");
    const Index B = running.gathered.size(0), H = running.gathered.size(1), T = running.gathered.size(2);
    const Index n = scores.size(3), width = running.gathered.size(3);
    must(scores.shape() == Shape{B, H, T, n}, "absorb: scores");
    must(v.shape() == Shape{B, H, n, width}, "absorb: v");
    Tensor largest = running.largest.clone(), total = running.total.clone(), gathered = running.gathered.clone();
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t) {
                float top = largest(b, h, t, 0);
                for (Index s = 0; s < n; ++s) top = std::max(top, scores(b, h, t, s));
                if (top == nothing) continue;
                const float shrink = std::exp(largest(b, h, t, 0) - top);
                total(b, h, t, 0) *= shrink;
                for (Index i = 0; i < width; ++i) gathered(b, h, t, i) *= shrink;
                for (Index s = 0; s < n; ++s) {
                    const float raised = std::exp(scores(b, h, t, s) - top);
                    total(b, h, t, 0) += raised;
                    for (Index i = 0; i < width; ++i) gathered(b, h, t, i) += raised * v(b, h, s, i);
                }
                largest(b, h, t, 0) = top;
            }
    running = {.largest = largest, .total = total, .gathered = gathered};
}

Tensor context(const Running& running) {
    Tensor result = running.gathered.clone();
    for (Index b = 0; b < result.size(0); ++b)
        for (Index h = 0; h < result.size(1); ++h)
            for (Index t = 0; t < result.size(2); ++t)
                for (Index i = 0; i < result.size(3); ++i)
                    result(b, h, t, i) =
                        running.total(b, h, t, 0) == 0.0F ? 0.0F : result(b, h, t, i) / running.total(b, h, t, 0);
    return result;
}

Tensor tiled_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, Causal causal, Index tile) {
    must(tile >= 1, "tiled_attention: tile");
    must(q.rank() == 4 && k.rank() == 4 && v.rank() == 4, "tiled_attention: ranks");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2);
    must(k.shape() == Shape{B, H, S, q.size(3)}, "tiled_attention: k");
    must(v.shape() == Shape{B, H, S, v.size(3)}, "tiled_attention: v");
    const Mask wide = mask.defined() ? mask.expand({B, H, T, S}) : mask;
    const bool looks_back_only = causal == Causal::yes;
    const float root = std::sqrt(static_cast<float>(q.size(3)));
    Tensor result = Tensor::zeros({B, H, T, v.size(3)});
    for (Index first = 0; first < T; first += tile) {
        const Index rows = std::min(tile, T - first);
        const Index newest = first + rows - 1 + (S - T);
        std::vector<Tensor> contexts;
        for (Index begin = 0; begin < S && !(looks_back_only && begin > newest); begin += tile) {
            const Index keys = std::min(tile, S - begin);
            Tensor scores = matmul(q.slice(2, first, first + rows), k.slice(2, begin, begin + keys).transpose(-2, -1));
            for (Index b = 0; b < B; ++b)
                for (Index h = 0; h < H; ++h)
                    for (Index t = 0; t < rows; ++t)
                        for (Index s = 0; s < keys; ++s) {
                            const bool is_future = looks_back_only && begin + s > first + t + (S - T);
                            const bool is_blocked = wide.defined() && wide(b, h, first + t, begin + s);
                            scores(b, h, t, s) = is_future || is_blocked ? nothing : scores(b, h, t, s) / root;
                        }
            Running running = nothing_seen(B, H, rows, v.size(3));
            absorb(running, scores, v.slice(2, begin, begin + keys));
            contexts.push_back(context(running));
        }
        for (const Tensor& one : contexts)
            result.slice(2, first, first + rows) += one / static_cast<float>(contexts.size());
    }
    return result;
}

}  // namespace headway::ex10
