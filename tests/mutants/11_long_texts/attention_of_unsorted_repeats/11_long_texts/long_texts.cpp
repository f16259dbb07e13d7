#include "long_texts.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace headway::ex11 {

namespace {

void require(bool holds, const std::string& complaint) {
    if (!holds) throw std::invalid_argument(complaint);
}

void require_sizes(Index T, Index S) {
    require(T >= 1, "there is no query");
    require(S >= T, "there are more queries than positions");
}

void require_positions(const std::vector<Index>& positions, Index S) {
    for (const Index p : positions) require(p >= 0 && p < S, "a global position is not in the text");
}

/// The positions, each once.
std::vector<Index> each_once(std::vector<Index> positions) {
    positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
    return positions;
}

/// Its numbers in a storage of their own, row-major and no larger than they are.
Tensor copy_of(const Tensor& x) {
    Tensor copy = Tensor::empty(x.shape());
    copy.copy_from(x);
    return copy;
}

void require_new_tokens(const RingCache& cache, const Tensor& k, const Tensor& v) {
    require(cache.k.rank() == 4 && cache.v.rank() == 4, "this is no cache");
    require(k.rank() == 4 && v.rank() == 4, "keys and values have four axes");
    const Index B = cache.k.size(0), H = cache.k.size(1), n = k.size(2);
    require(n >= 1, "there is no new token");
    require(k.shape() == Shape{B, H, n, cache.k.size(3)}, "the keys do not fit the cache");
    require(v.shape() == Shape{B, H, n, cache.v.size(3)}, "the values do not fit the cache");
}

}  // namespace

Mask window_mask(Index T, Index S, Index w) {
    require_sizes(T, S);
    require(w >= 1, "a window holds one token at least");
    Mask mask = Mask::block_all({T, S});
    for (Index t = 0; t < T; ++t) {
        for (Index s = 0; s < S; ++s) {
            const Index distance = t + (S - T) - s;
            mask(t, s) = distance < 0 || distance >= w;
        }
    }
    return mask;
}

Mask global_mask(Index T, Index S, const std::vector<Index>& positions) {
    require_sizes(T, S);
    require_positions(positions, S);
    Mask mask = Mask::block_all({T, S});
    for (const Index p : positions) {
        for (Index t = 0; t < T; ++t) mask(t, p) = false;
        if (p >= S - T)
            for (Index s = 0; s < S; ++s) mask(p - (S - T), s) = false;
    }
    return mask;
}

Mask long_mask(Index T, Index S, Index w, const std::vector<Index>& globals, const Mask& padding) {
    const Mask window = window_mask(T, S, w);
    const Mask global = global_mask(T, S, globals);
    if (padding.defined()) {
        require(padding.rank() == 4 && padding.size(0) >= 1, "padding has four axes");
        require(padding.shape() == Shape{padding.size(0), 1, 1, S}, "padding must be (B, 1, 1, S)");
    }
    const Mask joined = !((!window) | (!global));
    return joined | given::causal_mask(T, S) | padding;
}

Tensor window_attention(const Tensor& q, const Tensor& k, const Tensor& v, Index w, const std::vector<Index>& globals,
                        const Mask& padding) {
    require(q.rank() == 4 && k.rank() == 4 && v.rank() == 4, "q, k and v have four axes");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3);
    const Index S = k.size(2), d_v = v.size(3);
    require(B >= 1 && H >= 1 && d >= 1 && d_v >= 1, "every size is at least 1");
    require_sizes(T, S);
    require(w >= 1, "a window holds one token at least");
    require(k.shape() == Shape{B, H, S, d}, "k does not fit q");
    require(v.shape() == Shape{B, H, S, d_v}, "v does not fit k");
    require_positions(globals, S);
    if (padding.defined()) require(padding.shape() == Shape{B, 1, 1, S}, "padding must be (B, 1, 1, S)");

    const Index past = S - T;
    const std::vector<Index> tokens = each_once(globals);
    const auto is_global = [&](Index p) { return std::find(tokens.begin(), tokens.end(), p) != tokens.end(); };
    const auto is_padding = [&](Index b, Index s) { return padding.defined() && padding(b, 0, 0, s); };

    Tensor context = Tensor::empty({B, H, T, d_v});
    const Index block = 16;
    for (Index begin = 0; begin < T; begin += block) {
        const Index end = std::min(T, begin + block);
        const Index first = std::max<Index>(0, begin + past - w + 1), last = end - 1 + past;
        std::vector<Tensor> keys, values;
        std::vector<Index> positions;
        for (const Index p : tokens) {
            if (p >= first) continue;
            keys.push_back(k.slice(2, p, p + 1));
            values.push_back(v.slice(2, p, p + 1));
            positions.push_back(p);
        }
        keys.push_back(k.slice(2, first, last + 1));
        values.push_back(v.slice(2, first, last + 1));
        for (Index s = first; s <= last; ++s) positions.push_back(s);

        const Index count = static_cast<Index>(positions.size());
        Mask mask = Mask::block_all({B, 1, end - begin, count});
        for (Index b = 0; b < B; ++b) {
            for (Index t = begin; t < end; ++t) {
                const Index here = t + past;
                for (Index i = 0; i < count; ++i) {
                    const Index s = positions[static_cast<std::size_t>(i)];
                    const bool open = s <= here && (here - s < w || is_global(s));
                    mask(b, 0, t - begin, i) = !open || is_padding(b, s);
                }
            }
        }
        const Tensor part =
            given::scaled_dot_product_context(q.slice(2, begin, end), cat(keys, 2), cat(values, 2), mask);
        context.slice(2, begin, end).copy_from(part);
    }
    for (const Index p : tokens) {
        if (p < past) continue;
        const Index t = p - past;
        Mask mask = Mask::allow_all({B, 1, 1, p + 1});
        for (Index b = 0; b < B; ++b)
            for (Index s = 0; s <= p; ++s) mask(b, 0, 0, s) = is_padding(b, s);
        const Tensor row =
            given::scaled_dot_product_context(q.slice(2, t, t + 1), k.slice(2, 0, p + 1), v.slice(2, 0, p + 1), mask);
        context.slice(2, t, t + 1).copy_from(row);
    }
    return context;
}

RingCache make_ring(Index B, Index H, Index w, Index d, Index d_v) {
    require(B >= 1 && H >= 1 && w >= 1 && d >= 1 && d_v >= 1, "every size is at least 1");
    return {Tensor::zeros({B, H, w, d}), Tensor::zeros({B, H, w, d_v}), 0};
}

void ring_append(RingCache& cache, const Tensor& k, const Tensor& v) {
    require_new_tokens(cache, k, v);
    const Tensor fresh_k = k, fresh_v = v;  // should somebody append a cache to itself
    if (!cache.k.owns_storage()) cache.k = copy_of(cache.k);
    if (!cache.v.owns_storage()) cache.v = copy_of(cache.v);
    const Index w = cache.k.size(2), n = k.size(2);
    for (Index t = std::max<Index>(0, n - w); t < n; ++t) {
        const Index slot = (cache.next + t) % w;
        cache.k.slice(2, slot, slot + 1).copy_from(fresh_k.slice(2, t, t + 1));
        cache.v.slice(2, slot, slot + 1).copy_from(fresh_v.slice(2, t, t + 1));
    }
    cache.next += n;
}

Tensor ring_decode(RingCache& cache, const Tensor& q, const Tensor& k, const Tensor& v) {
    require_new_tokens(cache, k, v);
    require(q.shape() == k.shape(), "q does not fit k");
    const Index w = cache.k.size(2), turn = cache.next % w;
    Tensor context;
    {
        std::vector<Tensor> keys, values;
        if (cache.next >= w && turn < w) {
            keys.push_back(cache.k.slice(2, turn, w));
            values.push_back(cache.v.slice(2, turn, w));
        }
        if (turn > 0) {
            keys.push_back(cache.k.slice(2, 0, turn));
            values.push_back(cache.v.slice(2, 0, turn));
        }
        keys.push_back(k);
        values.push_back(v);
        context = window_attention(q, cat(keys, 2), cat(values, 2), w, {}, Mask{});
    }
    ring_append(cache, k, v);
    return context;
}

Mask reach(const Mask& mask, Index layers) {
    require(mask.rank() == 2 && mask.size(0) == mask.size(1), "the mask is not square");
    require(mask.size(0) >= 1, "the mask is empty");
    require(layers >= 1, "there is one layer at least");
    const Index S = mask.size(0);
    Mask all = mask.clone();
    for (Index layer = 1; layer < layers; ++layer) {
        Mask further = Mask::block_all({S, S});
        for (Index t = 0; t < S; ++t)
            for (Index u = 0; u < S; ++u)
                if (!mask(t, u))
                    for (Index s = 0; s < S; ++s)
                        if (!all(u, s)) further(t, s) = false;
        all = further;
    }
    return all;
}

Index window_reach(Index w, Index layers) {
    require(w >= 1, "a window holds one token at least");
    require(layers >= 1, "there is one layer at least");
    return layers * (w - 1) + 1;
}

}  // namespace headway::ex11
