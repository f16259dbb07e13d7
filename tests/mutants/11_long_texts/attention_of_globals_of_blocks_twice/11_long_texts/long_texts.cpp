#include "long_texts.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace headway::ex11 {

namespace {

void require(bool fits, const char* what) {
    if (!fits) throw std::invalid_argument(what);
}

void check_positions(const std::vector<Index>& positions, Index S) {
    for (Index position : positions) require(position >= 0 && position < S, "a global token that is no token");
}

std::vector<Index> sorted_once(std::vector<Index> positions) {
    std::sort(positions.begin(), positions.end());
    positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
    return positions;
}

/// The mask of n queries, from position p0 on, for the keys at these positions: (n, m) or (B, 1, n, m).
Mask mask_of_pairs(Index p0, Index n, const std::vector<Index>& keys, Index w, const std::vector<Index>& globals,
                   const Mask& padding) {
    const Index m = static_cast<Index>(keys.size());
    Mask mask = Mask::allow_all({n, m});
    for (Index j = 0; j < m; ++j) {
        const Index s = keys[j];
        const bool is_global = std::binary_search(globals.begin(), globals.end(), s);
        for (Index i = 0; i < n; ++i) {
            const Index p = p0 + i;
            mask(i, j) = s > p || (p - s >= w && !is_global);
        }
    }
    if (!padding.defined()) return mask;
    const Index B = padding.size(0);
    Mask padded = Mask::allow_all({B, 1, 1, m});
    for (Index b = 0; b < B; ++b)
        for (Index j = 0; j < m; ++j) padded(b, 0, 0, j) = padding(b, 0, 0, keys[j]);
    return mask | padded;
}

void check_tokens(const RingCache& cache, const Tensor& k, const Tensor& v) {
    require(k.rank() == 4 && v.rank() == 4, "keys and values must be of rank 4");
    require(k.size(0) == cache.k.size(0) && k.size(1) == cache.k.size(1) && k.size(3) == cache.k.size(3),
            "keys that do not fit the cache");
    require(v.size(0) == cache.v.size(0) && v.size(1) == cache.v.size(1) && v.size(3) == cache.v.size(3),
            "values that do not fit the cache");
    require(k.size(2) == v.size(2), "as many keys as values are needed");
}

/// Open where t sees some u in `second` and u sees s in `first`.
Mask one_after_another(const Mask& first, const Mask& second) {
    const Index S = first.size(0);
    Mask both = Mask::block_all({S, S});
    for (Index t = 0; t < S; ++t)
        for (Index u = 0; u < S; ++u) {
            if (second(t, u)) continue;
            for (Index s = 0; s < S; ++s)
                if (!first(u, s)) both(t, s) = false;
        }
    return both;
}

}  // namespace

Mask window_mask(Index T, Index S, Index w) {
    require(T >= 1 && S >= T && w >= 1, "window_mask: 1 <= T <= S and w >= 1");
    Mask mask = Mask::block_all({T, S});
    for (Index t = 0; t < T; ++t) {
        const Index p = t + (S - T);
        for (Index s = std::max<Index>(0, p - w + 1); s <= p; ++s) mask(t, s) = false;
    }
    return mask;
}

Mask global_mask(Index T, Index S, const std::vector<Index>& positions) {
    require(T >= 1 && S >= T, "global_mask: 1 <= T <= S");
    check_positions(positions, S);
    Mask mask = Mask::block_all({T, S});
    for (Index position : positions) {
        for (Index t = 0; t < T; ++t) mask(t, position) = false;
        const Index row = position - (S - T);
        if (row < 0) continue;
        for (Index s = 0; s < S; ++s) mask(row, s) = false;
    }
    return mask;
}

Mask long_mask(Index T, Index S, Index w, const std::vector<Index>& globals, const Mask& padding) {
    const Mask window = window_mask(T, S, w);
    const Mask global = global_mask(T, S, globals);
    if (padding.defined())
        require(padding.rank() == 4 && padding.size(1) == 1 && padding.size(2) == 1 && padding.size(3) == S,
                "long_mask: padding must be (B, 1, 1, S)");
    const Mask joined = !((!window) | (!global));
    return joined | given::causal_mask(T, S) | padding;
}

Tensor window_attention(const Tensor& q, const Tensor& k, const Tensor& v, Index w, const std::vector<Index>& globals,
                        const Mask& padding) {
    require(q.rank() == 4 && k.rank() == 4 && v.rank() == 4, "window_attention: rank 4 is needed");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2);
    require(k.shape() == Shape({B, H, S, d}), "window_attention: k does not fit q");
    require(v.size(0) == B && v.size(1) == H && v.size(2) == S, "window_attention: v does not fit k");
    require(T <= S && w >= 1, "window_attention: T <= S and w >= 1");
    check_positions(globals, S);
    if (padding.defined())
        require(padding.shape() == Shape({B, 1, 1, S}), "window_attention: padding must be (B, 1, 1, S)");

    const std::vector<Index> marked = sorted_once(globals);
    const Index past = S - T;
    Tensor out = Tensor::empty({B, H, T, v.size(3)});
    const Index block = 16;
    for (Index t = 0; t < T; t += block) {
        const Index end = std::min(T, t + block);
        const Index first = std::max<Index>(0, t + past - w + 1);
        const Index stop = end + past;
        std::vector<Index> positions;
        std::vector<Tensor> keys, values;
        for (Index g : marked) {
            positions.push_back(g);
            keys.push_back(k.slice(2, g, g + 1));
            values.push_back(v.slice(2, g, g + 1));
        }
        for (Index s = first; s < stop; ++s) positions.push_back(s);
        keys.push_back(k.slice(2, first, stop));
        values.push_back(v.slice(2, first, stop));
        const Mask mask = mask_of_pairs(t + past, end - t, positions, w, marked, padding);
        out.slice(2, t, end).copy_from(
            given::scaled_dot_product_context(q.slice(2, t, end), cat(keys, 2), cat(values, 2), mask));
    }
    for (Index g : marked) {
        if (g < past) continue;
        Mask row;
        if (padding.defined()) {
            row = Mask::allow_all({B, 1, 1, g + 1});
            for (Index b = 0; b < B; ++b)
                for (Index s = 0; s <= g; ++s) row(b, 0, 0, s) = padding(b, 0, 0, s);
        }
        const Index t = g - past;
        out.slice(2, t, t + 1)
            .copy_from(given::scaled_dot_product_context(q.slice(2, t, t + 1), k.slice(2, 0, g + 1),
                                                         v.slice(2, 0, g + 1), row));
    }
    return out;
}

RingCache make_ring(Index B, Index H, Index w, Index d, Index d_v) {
    require(B >= 1 && H >= 1 && w >= 1 && d >= 1 && d_v >= 1, "make_ring: sizes of at least 1");
    return {Tensor::zeros({B, H, w, d}), Tensor::zeros({B, H, w, d_v}), 0};
}

void ring_append(RingCache& cache, const Tensor& k, const Tensor& v) {
    check_tokens(cache, k, v);
    if (!cache.k.owns_storage()) cache.k = cat({cache.k}, 0);
    if (!cache.v.owns_storage()) cache.v = cat({cache.v}, 0);
    const Index w = cache.k.size(2), n = k.size(2);
    for (Index i = std::max<Index>(0, n - w); i < n; ++i) {
        const Index slot = (cache.next + i) % w;
        cache.k.slice(2, slot, slot + 1).copy_from(k.slice(2, i, i + 1));
        cache.v.slice(2, slot, slot + 1).copy_from(v.slice(2, i, i + 1));
    }
    cache.next += n;
}

Tensor ring_decode(RingCache& cache, const Tensor& q, const Tensor& k, const Tensor& v) {
    check_tokens(cache, k, v);
    require(q.shape() == k.shape(), "ring_decode: q and k must be alike in shape");
    const Index w = cache.k.size(2);
    Tensor context;
    {
        const Index held = std::min(cache.next, w);
        std::vector<Tensor> keys, values;
        for (Index p = cache.next - held; p < cache.next; ++p) {
            const Index slot = p % w;
            keys.push_back(cache.k.slice(2, slot, slot + 1));
            values.push_back(cache.v.slice(2, slot, slot + 1));
        }
        keys.push_back(k);
        values.push_back(v);
        context = window_attention(q, cat(keys, 2), cat(values, 2), w, {}, Mask{});
    }  // the slices are gone: ring_append asks who owns the storage
    ring_append(cache, k, v);
    return context;
}

Mask reach(const Mask& mask, Index layers) {
    require(mask.rank() == 2 && mask.size(0) == mask.size(1), "reach: a square mask is needed");
    require(layers >= 1, "reach: at least one layer");
    // Squaring: the mask of 1, 2, 4, ... layers, joined where `layers` has a bit.
    Mask result, power = mask.clone();
    while (true) {
        if (layers % 2 == 1) result = result.defined() ? one_after_another(result, power) : power;
        layers /= 2;
        if (layers == 0) return result;
        power = one_after_another(power, power);
    }
}

Index window_reach(Index w, Index layers) {
    require(w >= 1 && layers >= 1, "window_reach: w and layers from 1 on");
    return layers * (w - 1) + 1;
}

}  // namespace headway::ex11
