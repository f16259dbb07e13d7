#include "long_texts.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

// With what the library offers: slices, cat, broadcasting copies, and given attention on blocks of queries.
namespace headway::ex11 {

namespace {

constexpr Index block = 16;

void refuse_if(bool wrong, const char* why) {
    if (wrong) throw std::invalid_argument(why);
}

void check_sizes(Index T, Index S) {
    refuse_if(T < 1 || S < T, "there must be a query, and no more queries than positions");
}

void check_globals(const std::vector<Index>& globals, Index S) {
    for (const Index g : globals) refuse_if(g < 0 || g >= S, "a global token stands outside of the text");
}

void check_padding(const Mask& padding, Index S) {
    if (!padding.defined()) return;
    const Shape& shape = padding.shape();
    refuse_if(shape.size() != 4 || shape[0] < 1 || shape[1] != 1 || shape[2] != 1 || shape[3] != S,
              "padding must be (B, 1, 1, S)");
}

bool usable(const Tensor& x) {
    if (x.rank() != 4) return false;
    return std::all_of(x.shape().begin(), x.shape().end(), [](Index size) { return size >= 1; });
}

/// Dense memory of its own, whatever x is a view of.
Tensor own(const Tensor& x) {
    Tensor copy = Tensor::empty(x.shape());
    copy.copy_from(x);
    return copy;
}

void check_ring(const RingCache& cache, const Tensor& k, const Tensor& v) {
    refuse_if(!usable(cache.k) || !usable(cache.v), "not a cache");
    refuse_if(!usable(k) || !usable(v), "keys and values must be (B, H, n, width)");
    for (const Index axis : {0, 1}) {
        refuse_if(k.size(axis) != cache.k.size(axis), "keys do not fit the cache");
        refuse_if(v.size(axis) != cache.v.size(axis), "values do not fit the cache");
        refuse_if(cache.k.size(axis) != cache.v.size(axis), "not a cache");
    }
    refuse_if(cache.k.size(2) != cache.v.size(2), "not a cache");
    refuse_if(k.size(2) != v.size(2), "as many keys as values");
    refuse_if(k.size(3) != cache.k.size(3) || v.size(3) != cache.v.size(3), "another width");
}

/// What the ring holds, oldest first, followed by the new tokens.
Tensor unrolled(const Tensor& ring, Index next, const Tensor& fresh) {
    const Index w = ring.size(2), start = next % w;
    std::vector<Tensor> parts;
    if (next >= w) parts.push_back(ring.slice(2, start, w));
    if (start > 0) parts.push_back(ring.slice(2, 0, start));
    parts.push_back(fresh);
    return cat(parts, 2);
}

}  // namespace

Mask window_mask(Index T, Index S, Index w) {
    refuse_if(w < 1, "a window of at least 1");
    check_sizes(T, S);
    Mask mask = Mask::block_all({T, S});
    for (Index t = 0; t < T; ++t) {
        const Index p = t + (S - T);
        for (Index s = ops::max(Index{0}, p - w + 1); s <= p; ++s) mask(t, s) = false;
    }
    return mask;
}

Mask global_mask(Index T, Index S, const std::vector<Index>& positions) {
    check_sizes(T, S);
    check_globals(positions, S);
    Mask mask = Mask::block_all({T, S});
    for (const Index g : positions) {
        for (Index t = 0; t < T; ++t) mask(t, g) = false;
        const Index row = g - (S - T);
        if (row < 0) continue;
        for (Index s = 0; s < S; ++s) mask(row, s) = false;
    }
    return mask;
}

Mask long_mask(Index T, Index S, Index w, const std::vector<Index>& globals, const Mask& padding) {
    const Mask window = window_mask(T, S, w), global = global_mask(T, S, globals);
    check_padding(padding, S);
    const Mask joined = !((!window) | (!global));
    return joined | given::causal_mask(T, S) | padding;
}

Tensor window_attention(const Tensor& q, const Tensor& k, const Tensor& v, Index w, const std::vector<Index>& globals,
                        const Mask& padding) {
    refuse_if(!usable(q) || !usable(k) || !usable(v), "queries, keys and values must be of rank 4");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2);
    refuse_if(k.size(0) != B || v.size(0) != B || k.size(1) != H || v.size(1) != H, "batches or heads differ");
    refuse_if(k.size(3) != q.size(3), "queries and keys differ in width");
    refuse_if(v.size(2) != S, "as many keys as values");
    refuse_if(w < 1, "a window of at least 1");
    check_sizes(T, S);
    check_globals(globals, S);
    check_padding(padding, S);
    refuse_if(padding.defined() && padding.size(0) != B, "padding of another batch");

    const std::set<Index> special(globals.begin(), globals.end());
    const Index offset = S - T, masks = padding.defined() ? B : 1;
    Tensor context = Tensor::empty({B, H, T, v.size(3)});
    for (Index begin = 0; begin < T; begin += block) {
        const Index end = std::min(begin + block, T);
        const Index first = ops::max(Index{0}, begin + offset - w + 1), stop = end + offset;
        std::vector<Index> positions;
        std::vector<Tensor> keys, values;
        for (const Index g : special) {
            if (g >= first) break;
            positions.push_back(g);
            keys.push_back(k.slice(2, g, g + 1));
            values.push_back(v.slice(2, g, g + 1));
        }
        for (Index s = first; s < stop; ++s) positions.push_back(s);
        keys.push_back(k.slice(2, first, stop));
        values.push_back(v.slice(2, first, stop));

        const Index n = end - begin, K = static_cast<Index>(positions.size());
        Mask mask = Mask::block_all({masks, 1, n, K});
        for (Index j = 0; j < K; ++j) {
            const Index s = positions[static_cast<std::size_t>(j)];
            const bool global = special.count(s) > 0;
            for (Index i = 0; i < n; ++i) {
                const Index distance = begin + i + offset - s;
                if (distance < 0 || (distance >= w && !global)) continue;
                for (Index b = 0; b < masks; ++b) mask(b, 0, i, j) = padding.defined() && padding(b, 0, 0, j);
            }
        }
        context.slice(2, begin, end)
            .copy_from(given::scaled_dot_product_context(q.slice(2, begin, end), cat(keys, 2), cat(values, 2), mask));
    }
    for (const Index g : special) {
        const Index row = g - offset;
        if (row < 0) continue;
        Mask mask;
        if (padding.defined()) {
            mask = Mask::allow_all({B, 1, 1, g + 1});
            for (Index b = 0; b < B; ++b)
                for (Index s = 0; s <= g; ++s) mask(b, 0, 0, s) = padding(b, 0, 0, s);
        }
        context.slice(2, row, row + 1)
            .copy_from(given::scaled_dot_product_context(q.slice(2, row, row + 1), k.slice(2, 0, g + 1),
                                                         v.slice(2, 0, g + 1), mask));
    }
    return context;
}

RingCache make_ring(Index B, Index H, Index w, Index d, Index d_v) {
    refuse_if(B < 1 || H < 1 || w < 1 || d < 1 || d_v < 1, "every size is at least 1");
    return {Tensor::zeros({B, H, w, d}), Tensor::zeros({B, H, w, d_v}), 0};
}

void ring_append(RingCache& cache, const Tensor& k, const Tensor& v) {
    check_ring(cache, k, v);
    const Tensor new_k = k, new_v = v;  // should they be the cache's own, it no longer owns its storage alone
    const Index w = cache.k.size(2), n = new_k.size(2);
    if (!cache.k.owns_storage()) cache.k = own(cache.k);
    if (!cache.v.owns_storage()) cache.v = own(cache.v);
    for (Index t = ops::max(Index{0}, n - w); t < n; ++t) {
        const Index slot = (cache.next + t) % w;
        cache.k.slice(2, slot, slot + 1).copy_from(new_k.slice(2, t, t + 1));
        cache.v.slice(2, slot, slot + 1).copy_from(new_v.slice(2, t, t + 1));
    }
    cache.next += n;
}

Tensor ring_decode(RingCache& cache, const Tensor& q, const Tensor& k, const Tensor& v) {
    check_ring(cache, k, v);
    refuse_if(q.shape() != k.shape(), "queries and keys differ in shape");
    const Tensor keys = unrolled(cache.k, cache.next, k), values = unrolled(cache.v, cache.next, v);
    Tensor context = window_attention(q, keys, values, cache.k.size(2), {}, Mask{});
    ring_append(cache, k, v);
    return context;
}

Mask reach(const Mask& mask, Index layers) {
    refuse_if(mask.rank() != 2 || mask.size(0) != mask.size(1) || mask.size(0) < 1, "a square mask is needed");
    refuse_if(layers < 1, "at least one layer");
    const Index S = mask.size(0);
    Tensor open = Tensor::zeros({S, S});
    for (Index t = 0; t < S; ++t)
        for (Index s = 0; s < S; ++s) open(t, s) = mask(t, s) ? 0.0F : 1.0F;
    Tensor ways = open;
    for (Index layer = 1; layer < layers; ++layer) {
        ways = matmul(open, ways);
        for (Index t = 0; t < S; ++t)
            for (Index s = 0; s < S; ++s) ways(t, s) = ways(t, s) > 0 ? 1.0F : 0.0F;
    }
    Mask result = Mask::block_all({S, S});
    for (Index t = 0; t < S; ++t)
        for (Index s = 0; s < S; ++s)
            if (ways(t, s) > 0) result(t, s) = false;
    return result;
}

Index window_reach(Index w, Index layers) {
    refuse_if(w < 1 || layers < 1, "windows and layers of at least 1");
    return layers * (w - 1) + 1;
}

}  // namespace headway::ex11
