#include "long_texts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

// Scores are a band of w diagonals: column j holds what each query scores with the key j before it.
namespace headway::ex11 {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

struct Misfit : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

void check_lengths(Index T, Index S) {
    if (T < 1 || S < T) throw Misfit("T queries must be the last of S positions");
}

void check_window(Index w) {
    if (w < 1) throw Misfit("a window holds at least the token itself");
}

void check_padding(const Mask& padding, Index B, Index S) {
    if (padding.defined() && padding.shape() != Shape{B, 1, 1, S}) throw Misfit("padding must be (B, 1, 1, S)");
}

/// Which of S positions are global.
std::vector<bool> flags(const std::vector<Index>& positions, Index S) {
    std::vector<bool> is_global(static_cast<std::size_t>(S));
    for (const Index position : positions) {
        if (position < 0 || position >= S) throw Misfit("a global token that is no token");
        is_global[static_cast<std::size_t>(position)] = true;
    }
    return is_global;
}

void check_heads(const Tensor& q, const Tensor& k, const Tensor& v) {
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4) throw Misfit("q, k and v have four axes");
    for (const Index axis : {0, 1})
        if (q.size(axis) != k.size(axis) || q.size(axis) != v.size(axis)) throw Misfit("B and H must agree");
    if (q.size(3) != k.size(3)) throw Misfit("q and k differ in width");
    if (k.size(2) != v.size(2)) throw Misfit("k and v differ in length");
}

/// Softmax over the last axis; zeros where every score is -infinity.
Tensor shares(const Tensor& scores) {
    const Tensor largest = max(scores, -1, KeepAxis::yes);
    Mask nothing = Mask::allow_all(largest.shape());
    for (Index row = 0; row < largest.numel(); ++row) nothing.data()[row] = largest.data()[row] == -infinity;
    const Tensor raised = exp(scores - masked_fill(largest, nothing, 0.0F));
    return raised / masked_fill(sum(raised, -1, KeepAxis::yes), nothing, 1.0F);
}

/// Some tokens of (B, H, S, width), one after the other.
Tensor picked(const Tensor& x, const std::vector<Index>& positions) {
    std::vector<Tensor> rows;
    for (const Index position : positions) rows.push_back(x.slice(2, position, position + 1));
    return cat(rows, 2);
}

bool is_padding(const Mask& padding, Index b, Index s) { return padding.defined() && padding(b, 0, 0, s); }

/// Scores with the key `back` before each query, (B, H, T): minus infinity where there is none, or padding.
Tensor diagonal(const Tensor& q, const Tensor& k, Index back, const Mask& padding) {
    const Index B = q.size(0), H = q.size(1), T = q.size(2), offset = k.size(2) - T;
    const Index begin = std::max<Index>(0, back - offset);  // the first query that has such a key
    Tensor scores = Tensor::full({B, H, T}, -infinity);
    if (begin >= T) return scores;
    const Tensor keys = k.slice(2, begin + offset - back, T + offset - back);
    scores.slice(2, begin, T)
        .copy_from(sum(q.slice(2, begin, T) * keys, -1) / std::sqrt(static_cast<float>(q.size(3))));
    for (Index b = 0; b < B; ++b)
        for (Index t = begin; t < T; ++t)
            if (is_padding(padding, b, t + offset - back)) scores[b].select(1, t).fill(-infinity);
    return scores;
}

}  // namespace

Mask window_mask(Index T, Index S, Index w) {
    check_lengths(T, S);
    check_window(w);
    Mask mask = given::causal_mask(T, S);
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s + w <= t + (S - T); ++s) mask(t, s) = true;
    return mask;
}

Mask global_mask(Index T, Index S, const std::vector<Index>& positions) {
    check_lengths(T, S);
    const std::vector<bool> is_global = flags(positions, S);
    Mask rows = Mask::allow_all({T, 1}), columns = Mask::allow_all({1, S});
    for (Index t = 0; t < T; ++t) rows(t, 0) = is_global[static_cast<std::size_t>(t + (S - T))];
    for (Index s = 0; s < S; ++s) columns(0, s) = is_global[static_cast<std::size_t>(s)];
    return !(rows | columns);
}

Mask long_mask(Index T, Index S, Index w, const std::vector<Index>& globals, const Mask& padding) {
    if (padding.defined()) check_padding(padding, padding.size(0), S);
    const Mask open = (!window_mask(T, S, w)) | (!global_mask(T, S, globals));
    const Mask cut = given::causal_mask(T, S) | padding;
    return (!open) | cut;
}

Tensor window_attention(const Tensor& q, const Tensor& k, const Tensor& v, Index w, const std::vector<Index>& globals,
                        const Mask& padding) {
    check_heads(q, k, v);
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2), offset = S - T;
    check_lengths(T, S);
    check_window(w);
    check_padding(padding, B, S);
    const std::vector<bool> is_global = flags(globals, S);
    std::vector<Index> global;
    for (Index s = 0; s < S; ++s)
        if (is_global[static_cast<std::size_t>(s)]) global.push_back(s);
    const Index band = std::min(w, S), columns = static_cast<Index>(global.size());
    Tensor scores = Tensor::full({B, H, T, band + columns}, -infinity);
    for (Index back = 0; back < band; ++back) scores.select(3, back).copy_from(diagonal(q, k, back, padding));
    if (columns > 0) {
        const Tensor far = matmul(q, picked(k, global).transpose(2, 3)) / std::sqrt(static_cast<float>(q.size(3)));
        Mask blocked = Mask::allow_all({B, 1, T, columns});
        for (Index b = 0; b < B; ++b)
            for (Index t = 0; t < T; ++t)
                for (Index i = 0; i < columns; ++i) {
                    const Index s = global[static_cast<std::size_t>(i)];
                    const bool in_band = t + offset - s < w;  // it has a diagonal already, or it is in the future
                    blocked(b, 0, t, i) = in_band || is_padding(padding, b, s);
                }
        scores.slice(3, band, band + columns).copy_from(masked_fill(far, blocked, -infinity));
    }
    const Tensor weights = shares(scores);
    Tensor context = Tensor::zeros({B, H, T, v.size(3)});
    for (Index back = 0; back < band; ++back) {
        const Index begin = std::max<Index>(0, back - offset);
        if (begin >= T) continue;
        const Tensor share = weights.slice(3, back, back + 1).slice(2, begin, T);
        context.slice(2, begin, T) += share * v.slice(2, begin + offset - back, T + offset - back);
    }
    if (columns > 0) context += matmul(weights.slice(3, band, band + columns), picked(v, global));
    // A global query has a row of its own, over everything before it.
    for (const Index g : global) {
        if (g < offset) continue;
        const Index t = g - offset;
        Mask blocked = Mask::allow_all({B, 1, 1, g + 1});
        for (Index b = 0; b < B; ++b)
            for (Index s = 0; s <= g; ++s) blocked(b, 0, 0, s) = is_padding(padding, b, s);
        context.slice(2, t, t + 1)
            .copy_from(given::scaled_dot_product_context(q.slice(2, t, t + 1), k.slice(2, 0, g + 1),
                                                         v.slice(2, 0, g + 1), blocked));
    }
    return context;
}

RingCache make_ring(Index B, Index H, Index w, Index d, Index d_v) {
    if (B < 1 || H < 1 || w < 1 || d < 1 || d_v < 1) throw Misfit("every size is at least 1");
    RingCache cache;
    cache.k = Tensor::zeros({B, H, w, d});
    cache.v = Tensor::zeros({B, H, w, d_v});
    return cache;
}

namespace {

void check_cache(const RingCache& cache, const Tensor& k, const Tensor& v) {
    if (k.rank() != 4 || v.rank() != 4) throw Misfit("k and v have four axes");
    for (const Index axis : {0, 1})
        if (k.size(axis) != cache.k.size(axis) || v.size(axis) != cache.k.size(axis))
            throw Misfit("the cache has other sequences or heads");
    if (k.size(3) != cache.k.size(3) || v.size(3) != cache.v.size(3)) throw Misfit("the cache has another width");
    if (k.size(2) != v.size(2)) throw Misfit("k and v differ in length");
}

/// A ring in which the last tokens of x stand behind each other from slot `begin` on, around the end.
Tensor with(const Tensor& ring, const Tensor& x, Index begin) {
    Tensor fresh = Tensor::empty(ring.shape());
    fresh.copy_from(ring);
    const Index w = ring.size(2), n = x.size(2), before_end = std::min(n, w - begin);
    fresh.slice(2, begin, begin + before_end).copy_from(x.slice(2, 0, before_end));
    if (n > before_end) fresh.slice(2, 0, n - before_end).copy_from(x.slice(2, before_end, n));
    return fresh;
}

}  // namespace

void ring_append(RingCache& cache, const Tensor& k, const Tensor& v) {
    check_cache(cache, k, v);
    const Index w = cache.k.size(2), n = k.size(2), dropped = std::max<Index>(0, n - w);
    const Index begin = (cache.next + dropped) % w;
    cache = {with(cache.k, k.slice(2, dropped, n), begin), with(cache.v, v.slice(2, dropped, n), begin),
             cache.next + n};
}

Tensor ring_decode(RingCache& cache, const Tensor& q, const Tensor& k, const Tensor& v) {
    check_heads(q, k, v);
    check_cache(cache, k, v);
    if (q.size(2) != k.size(2)) throw Misfit("as many queries as new keys");
    const Index w = cache.k.size(2), n = q.size(2), held = std::min(w, cache.next), newest = cache.next - 1;
    Mask blocked = given::causal_mask(n, held + n);
    for (Index t = 0; t < n; ++t) {
        for (Index slot = 0; slot < held; ++slot) {
            const Index age = (newest % w - slot + w) % w;  // 0 for the newest that is held
            blocked(t, slot) = age + t + 1 >= w;
        }
        for (Index u = 0; u + w <= t; ++u) blocked(t, held + u) = true;
    }
    Tensor keys = k, values = v;
    if (held > 0) {
        keys = cat({cache.k.slice(2, 0, held), k}, 2);
        values = cat({cache.v.slice(2, 0, held), v}, 2);
    }
    const Tensor context = given::scaled_dot_product_context(q, keys, values, blocked);
    ring_append(cache, k, v);
    return context;
}

Mask reach(const Mask& mask, Index layers) {
    if (mask.rank() != 2 || mask.size(0) != mask.size(1)) throw Misfit("the mask must be square");
    if (layers < 1) throw Misfit("at least one layer");
    const Index S = mask.size(0);
    Tensor steps = Tensor::zeros({S, S});
    for (Index t = 0; t < S; ++t)
        for (Index s = 0; s < S; ++s) steps(t, s) = mask(t, s) ? 0.0F : 1.0F;
    Tensor ways = steps;
    for (Index layer = 1; layer < layers; ++layer) {
        ways = matmul(ways, steps);
        for (Index i = 0; i < S * S; ++i) ways.data()[i] = std::min(ways.data()[i], 1.0F);  // some is as good as many
    }
    Mask blocked = Mask::allow_all({S, S});
    for (Index i = 0; i < S * S; ++i) blocked.data()[i] = ways.data()[i] < 0.5F;
    return blocked;
}

Index window_reach(Index w, Index layers) {
    check_window(w);
    if (layers < 1) throw Misfit("at least one layer");
    return layers * w - layers + 1;
}

}  // namespace headway::ex11
