#include "long_texts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

namespace headway::ex11 {

// Attention diagonal by diagonal: the scores of all queries with the key j tokens before them are one product.

namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

struct Sizes {
    Index B, H, T, S, d, d_v;
};

Sizes sizes_of(const Tensor& q, const Tensor& k, const Tensor& v) {
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4) throw std::invalid_argument("q, k, v: rank 4 is needed");
    const Sizes z{q.size(0), q.size(1), q.size(2), k.size(2), q.size(3), v.size(3)};
    if (k.shape() != Shape{z.B, z.H, z.S, z.d}) throw std::invalid_argument("k: " + to_string(k.shape()));
    if (v.shape() != Shape{z.B, z.H, z.S, z.d_v}) throw std::invalid_argument("v: " + to_string(v.shape()));
    for (const Index size : {z.B, z.H, z.T, z.S, z.d, z.d_v})
        if (size < 1) throw std::invalid_argument("a size is below 1");
    if (z.S < z.T) throw std::invalid_argument("more queries than keys");
    return z;
}

void check_window(Index T, Index S, Index w) {
    if (w < 1) throw std::invalid_argument("w is below 1");
    if (T < 1) throw std::invalid_argument("T is below 1");
    if (S < T) throw std::invalid_argument("S is below T");
}

std::vector<Index> sorted_once(const std::vector<Index>& positions, Index S) {
    std::vector<Index> sorted = positions;
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    if (!sorted.empty() && (sorted.front() < 0 || sorted.back() >= S))
        throw std::invalid_argument("a global position lies outside of the text");
    return sorted;
}

std::optional<Index> batch_of(const Mask& padding, Index S) {
    if (!padding.defined()) return std::nullopt;
    if (padding.rank() != 4 || padding.size(0) < 1 || padding.shape() != Shape{padding.size(0), 1, 1, S})
        throw std::invalid_argument("padding: (B, 1, 1, S) is needed, not " + to_string(padding.shape()));
    return padding.size(0);
}

Tensor dots(const Tensor& a, const Tensor& b) { return sum(a * b, -1, KeepAxis::yes); }

struct Slots {
    Index from, count;
};

/// Where the tokens in a ring stand, the oldest first: one run of slots, or two.
std::vector<Slots> runs_of(Index next, Index w) {
    if (next < w) return next == 0 ? std::vector<Slots>{} : std::vector<Slots>{{0, next}};
    const Index turn = next % w;
    if (turn == 0) return {{0, w}};
    return {{turn, w - turn}, {0, turn}};
}

}  // namespace

Mask window_mask(Index T, Index S, Index w) {
    check_window(T, S, w);
    Mask mask = Mask::block_all({T, S});
    for (Index t = 0; t < T; ++t) {
        const Index p = t + (S - T);
        const Index from = std::max<Index>(0, p - w + 1);
        std::fill(&mask(t, from), &mask(t, p) + 1, false);
    }
    return mask;
}

Mask global_mask(Index T, Index S, const std::vector<Index>& positions) {
    check_window(T, S, 1);
    Mask mask = Mask::block_all({T, S});
    for (const Index p : sorted_once(positions, S)) {
        for (Index t = 0; t < T; ++t) mask(t, p) = false;
        const Index row = p - (S - T);
        if (row < 0) continue;
        for (Index s = 0; s < S; ++s) mask(row, s) = false;
    }
    return mask;
}

Mask long_mask(Index T, Index S, Index w, const std::vector<Index>& globals, const Mask& padding) {
    check_window(T, S, w);
    const std::optional<Index> batch = batch_of(padding, S);
    const Mask open = (!window_mask(T, S, w)) | (!global_mask(T, S, globals));
    const Mask cut = (!open) | given::causal_mask(T, S);
    return batch ? cut | padding : cut;
}

Tensor window_attention(const Tensor& q, const Tensor& k, const Tensor& v, Index w, const std::vector<Index>& globals,
                        const Mask& padding) {
    const Sizes z = sizes_of(q, k, v);
    check_window(z.T, z.S, w);
    const std::vector<Index> tokens = sorted_once(globals, z.S);
    const std::optional<Index> batch = batch_of(padding, z.S);
    if (batch && *batch != z.B) throw std::invalid_argument("padding: another batch");
    const auto padded = [&](Index b, Index s) { return batch && padding(b, 0, 0, s); };

    const Index past = z.S - z.T, diagonals = std::min(w, z.S), columns = static_cast<Index>(tokens.size());
    // Scores: one column per distance, then one per global token.
    Tensor scores = Tensor::full({z.B, z.H, z.T, diagonals + columns}, minus_infinity);
    for (Index j = 0; j < diagonals; ++j) {
        const Index from = std::max<Index>(0, j - past);  // the first query that has a key j tokens before it
        if (from >= z.T) break;
        const Tensor keys = k.slice(2, from + past - j, z.S - j);
        scores.slice(3, j, j + 1).slice(2, from, z.T).copy_from(dots(q.slice(2, from, z.T), keys));
        for (Index b = 0; b < z.B; ++b)
            for (Index t = from; t < z.T; ++t)
                if (padded(b, t + past - j))
                    for (Index h = 0; h < z.H; ++h) scores(b, h, t, j) = minus_infinity;
    }
    for (Index c = 0; c < columns; ++c) {
        const Index g = tokens[static_cast<std::size_t>(c)];
        Tensor column = dots(q, k.slice(2, g, g + 1)).contiguous();
        for (Index b = 0; b < z.B; ++b)
            for (Index t = 0; t < z.T; ++t) {
                const Index distance = t + past - g;
                const bool before_window = distance >= w;
                if (!before_window || padded(b, g))
                    for (Index h = 0; h < z.H; ++h) column(b, h, t, 0) = minus_infinity;
            }
        scores.slice(3, diagonals + c, diagonals + c + 1).copy_from(column);
    }
    scores /= std::sqrt(static_cast<float>(z.d));

    Tensor largest = max(scores, -1, KeepAxis::yes);
    for (Index i = 0; i < largest.numel(); ++i)
        if (largest.data()[i] == minus_infinity) largest.data()[i] = 0;
    Tensor weights = exp(scores - largest);
    Tensor total = sum(weights, -1, KeepAxis::yes);
    for (Index i = 0; i < total.numel(); ++i)
        if (total.data()[i] == 0) total.data()[i] = 1;
    weights /= total;

    Tensor context = Tensor::zeros({z.B, z.H, z.T, z.d_v});
    for (Index j = 0; j < diagonals; ++j) {
        const Index from = std::max<Index>(0, j - past);
        if (from >= z.T) break;
        context.slice(2, from, z.T) +=
            weights.slice(3, j, j + 1).slice(2, from, z.T) * v.slice(2, from + past - j, z.S - j);
    }
    for (Index c = 0; c < columns; ++c) {
        const Index g = tokens[static_cast<std::size_t>(c)];
        context += weights.slice(3, diagonals + c, diagonals + c + 1) * v.slice(2, g, g + 1);
    }

    // A global query sees all that is not in its future.
    for (const Index g : tokens) {
        if (g < past) continue;
        Mask blocked = Mask::allow_all({z.B, 1, 1, g + 1});
        for (Index b = 0; b < z.B; ++b)
            for (Index s = 0; s <= g; ++s) blocked(b, 0, 0, s) = padded(b, s);
        context.slice(2, g - past, g - past + 1)
            .copy_from(given::scaled_dot_product_context(q.slice(2, g - past, g - past + 1), k.slice(2, 0, g + 1),
                                                         v.slice(2, 0, g + 1), blocked));
    }
    return context;
}

RingCache make_ring(Index B, Index H, Index w, Index d, Index d_v) {
    for (const Index size : {B, H, w, d, d_v})
        if (size < 1) throw std::invalid_argument("make_ring: a size is below 1");
    RingCache ring;
    ring.k = Tensor::zeros({B, H, w, d});
    ring.v = Tensor::zeros({B, H, w, d_v});
    ring.next = 0;
    return ring;
}

void ring_append(RingCache& cache, const Tensor& k, const Tensor& v) {
    if (k.rank() != 4 || v.rank() != 4 || cache.k.rank() != 4 || cache.v.rank() != 4)
        throw std::invalid_argument("ring_append: rank 4 is needed");
    const Index n = k.size(2), w = cache.k.size(2);
    Shape keys = cache.k.shape(), values = cache.v.shape();
    keys[2] = values[2] = n;
    if (n < 1 || k.shape() != keys) throw std::invalid_argument("ring_append: keys " + to_string(k.shape()));
    if (v.shape() != values) throw std::invalid_argument("ring_append: values " + to_string(v.shape()));
    const Tensor new_k = k, new_v = v;
    // What stays is written into new tensors only where somebody else sees the old ones.
    for (Tensor* ring : {&cache.k, &cache.v})
        if (!ring->owns_storage()) *ring = cat({*ring}, 2);
    for (Index left = std::min(n, w); left > 0; --left) {
        const Index t = n - left;
        const Index slot = (cache.next + t) % w;
        cache.k.select(2, slot).copy_from(new_k.select(2, t));
        cache.v.select(2, slot).copy_from(new_v.select(2, t));
    }
    cache.next += n;
}

Tensor ring_decode(RingCache& cache, const Tensor& q, const Tensor& k, const Tensor& v) {
    const Sizes z = sizes_of(q, k, v);
    if (z.T != z.S) throw std::invalid_argument("ring_decode: as many queries as keys are needed");
    if (cache.k.rank() != 4) throw std::invalid_argument("ring_decode: no cache");
    const Index w = cache.k.size(2);
    if (cache.k.shape() != Shape{z.B, z.H, w, z.d}) throw std::invalid_argument("ring_decode: the keys do not fit");
    if (cache.v.shape() != Shape{z.B, z.H, w, z.d_v}) throw std::invalid_argument("ring_decode: the values do not fit");
    const auto joined = [&](const Tensor& ring, const Tensor& fresh) {
        std::vector<Tensor> parts;
        for (const Slots& run : runs_of(cache.next, w)) parts.push_back(ring.slice(2, run.from, run.from + run.count));
        parts.push_back(fresh);
        return cat(parts, 2);
    };
    const Tensor context = window_attention(q, joined(cache.k, k), joined(cache.v, v), w, {}, Mask{});
    ring_append(cache, k, v);
    return context;
}

Mask reach(const Mask& mask, Index layers) {
    if (mask.rank() != 2 || mask.size(0) != mask.size(1) || mask.size(0) < 1)
        throw std::invalid_argument("reach: the mask is not square");
    if (layers < 1) throw std::invalid_argument("reach: layers is below 1");
    // Numbers in place of bools: 1 where a way leads. Everything above 1 is brought back to 1 at once.
    const Index S = mask.size(0);
    const Tensor step = masked_fill(Tensor::ones({S, S}), mask, 0);
    Tensor all = step.clone();
    Index before = -1;
    for (Index layer = 2; layer <= layers; ++layer) {
        Index open = 0;
        for (Index i = 0; i < all.numel(); ++i) open += all.data()[i] > 0 ? 1 : 0;
        if (open == before) break;  // nothing new is reached any more
        before = open;
        all = matmul(step, all);
        for (Index i = 0; i < all.numel(); ++i) all.data()[i] = all.data()[i] > 0 ? 1.0F : 0.0F;
    }
    Mask result = Mask::block_all({S, S});
    for (Index t = 0; t < S; ++t)
        for (Index s = 0; s < S; ++s) result(t, s) = all(t, s) == 0;
    return result;
}

Index window_reach(Index w, Index layers) {
    if (w < 1 || layers < 1) throw std::invalid_argument("window_reach: a size is below 1");
    return layers * w - layers + 1;
}

}  // namespace headway::ex11
