#include "long_texts.hpp"

#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>

namespace headway::ex11 {

// Plain loops over indices. Sums and exponentials in double.

namespace {

[[noreturn]] void refuse(const char* why) { throw std::invalid_argument(why); }

void check_positions(const std::vector<Index>& positions, Index S) {
    for (std::size_t i = 0; i < positions.size(); ++i)
        if (positions[i] < 0 || positions[i] >= S) refuse("global position outside of the text");
}

}  // namespace

Mask window_mask(Index T, Index S, Index w) {
    if (T < 1 || S < T || w < 1) refuse("window_mask: sizes");
    Mask mask = Mask::block_all({T, S});
    for (Index t = 0; t < T; ++t) {
        const Index p = t + S - T;
        for (Index s = p; s >= 0 && p - s < w; --s) mask(t, s) = false;
    }
    return mask;
}

Mask global_mask(Index T, Index S, const std::vector<Index>& positions) {
    if (T < 1 || S < T) refuse("global_mask: sizes");
    check_positions(positions, S);
    const std::set<Index> global(positions.begin(), positions.end());
    Mask mask = Mask::block_all({T, S});
    for (Index t = 0; t < T; ++t) {
        const bool row = global.count(t + S - T) > 0;
        for (Index s = 0; s < S; ++s)
            if (row || global.count(s) > 0) mask(t, s) = false;
    }
    return mask;
}

Mask long_mask(Index T, Index S, Index w, const std::vector<Index>& globals, const Mask& padding) {
    const Mask window = window_mask(T, S, w), global = global_mask(T, S, globals);
    Mask plain = Mask::block_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) {
            const bool future = s > t + S - T;
            plain(t, s) = future || (window(t, s) && global(t, s));
        }
    if (!padding.defined()) return plain;
    if (padding.rank() != 4) refuse("long_mask: padding has four axes");
    const Index B = padding.size(0);
    if (B < 1 || padding.size(1) != 1 || padding.size(2) != 1 || padding.size(3) != S) refuse("long_mask: padding");
    Mask mask = Mask::block_all({B, 1, T, S});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t)
            for (Index s = 0; s < S; ++s) mask(b, 0, t, s) = plain(t, s) || padding(b, 0, 0, s);
    return mask;
}

Tensor window_attention(const Tensor& q, const Tensor& k, const Tensor& v, Index w, const std::vector<Index>& globals,
                        const Mask& padding) {
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4) refuse("window_attention: four axes");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2), d_v = v.size(3);
    if (B < 1 || H < 1 || T < 1 || d < 1 || d_v < 1 || S < T || w < 1) refuse("window_attention: sizes");
    if (k.size(0) != B || k.size(1) != H || k.size(3) != d) refuse("window_attention: k");
    if (v.size(0) != B || v.size(1) != H || v.size(2) != S) refuse("window_attention: v");
    check_positions(globals, S);
    if (padding.defined()) {
        if (padding.rank() != 4) refuse("window_attention: padding has four axes");
        if (padding.size(0) != B || padding.size(1) != 1 || padding.size(2) != 1 || padding.size(3) != S)
            refuse("window_attention: padding");
    }
    const std::set<Index> global(globals.begin(), globals.end());
    const double root = std::sqrt(static_cast<double>(d));
    Tensor context = Tensor::zeros({B, H, T, d_v});
    std::vector<Index> seen;
    std::vector<double> weights, sums(static_cast<std::size_t>(d_v));
    for (Index b = 0; b < B; ++b) {
        for (Index t = 0; t < T; ++t) {
            const Index p = t + S - T;
            // Which keys does this query see?
            seen.clear();
            const bool everything = global.count(p) > 0;
            const Index first = everything || p < w ? 0 : p - w + 1;
            for (const Index g : global)
                if (g < first) seen.push_back(g);
            for (Index s = first; s <= p; ++s) seen.push_back(s);
            if (padding.defined()) {
                std::vector<Index> real;
                for (const Index s : seen)
                    if (!padding(b, 0, 0, s)) real.push_back(s);
                seen = real;
            }
            if (seen.empty()) continue;
            double largest = -std::numeric_limits<double>::infinity();
            for (Index h = 0; h < H; ++h) {
                weights.assign(seen.size(), 0.0);
                for (std::size_t i = 0; i < seen.size(); ++i) {
                    double dot = 0;
                    for (Index j = 0; j < d; ++j)
                        dot += static_cast<double>(q(b, h, t, j)) * static_cast<double>(k(b, h, seen[i], j));
                    weights[i] = dot / root;
                    if (weights[i] > largest) largest = weights[i];
                }
                double total = 0;
                for (double& weight : weights) {
                    weight = std::exp(weight - largest);
                    total += weight;
                }
                for (double& sum : sums) sum = 0;
                for (std::size_t i = 0; i < seen.size(); ++i)
                    for (Index j = 0; j < d_v; ++j)
                        sums[static_cast<std::size_t>(j)] += weights[i] * static_cast<double>(v(b, h, seen[i], j));
                for (Index j = 0; j < d_v; ++j)
                    context(b, h, t, j) = static_cast<float>(sums[static_cast<std::size_t>(j)] / total);
            }
        }
    }
    return context;
}

RingCache make_ring(Index B, Index H, Index w, Index d, Index d_v) {
    if (B < 1 || H < 1 || w < 1 || d < 1 || d_v < 1) refuse("make_ring: sizes");
    RingCache cache;
    cache.k = Tensor::zeros({B, H, w, d});
    cache.v = Tensor::zeros({B, H, w, d_v});
    return cache;
}

void ring_append(RingCache& cache, const Tensor& k, const Tensor& v) {
    if (cache.k.rank() != 4 || cache.v.rank() != 4) refuse("ring_append: cache");
    if (k.rank() != 4 || v.rank() != 4) refuse("ring_append: four axes");
    const Index B = cache.k.size(0), H = cache.k.size(1), w = cache.k.size(2), d = cache.k.size(3);
    const Index d_v = cache.v.size(3), n = k.size(2);
    if (n < 1 || k.size(0) != B || k.size(1) != H || k.size(3) != d) refuse("ring_append: k");
    if (v.size(0) != B || v.size(1) != H || v.size(2) != n || v.size(3) != d_v) refuse("ring_append: v");
    const Tensor new_k = k, new_v = v;
    if (!cache.k.owns_storage()) {
        Tensor own = Tensor::empty({B, H, w, d});
        own.copy_from(cache.k);
        cache.k = own;
    }
    if (!cache.v.owns_storage()) {
        Tensor own = Tensor::empty({B, H, w, d_v});
        own.copy_from(cache.v);
        cache.v = own;
    }
    const Index kept = n < w ? n : w;
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = n - kept; t < n; ++t) {
                const Index slot = (cache.next + t) % w;
                for (Index j = 0; j < d; ++j) cache.k(b, h, slot, j) = new_k(b, h, t, j);
                for (Index j = 0; j < d_v; ++j) cache.v(b, h, slot, j) = new_v(b, h, t, j);
            }
    cache.next += n;
}

Tensor ring_decode(RingCache& cache, const Tensor& q, const Tensor& k, const Tensor& v) {
    if (cache.k.rank() != 4 || cache.v.rank() != 4) refuse("ring_decode: cache");
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4) refuse("ring_decode: four axes");
    const Index B = cache.k.size(0), H = cache.k.size(1), w = cache.k.size(2), d = cache.k.size(3);
    const Index d_v = cache.v.size(3), n = k.size(2);
    if (n < 1 || k.size(0) != B || k.size(1) != H || k.size(3) != d) refuse("ring_decode: k");
    if (q.size(0) != B || q.size(1) != H || q.size(2) != n || q.size(3) != d) refuse("ring_decode: q");
    if (v.size(0) != B || v.size(1) != H || v.size(2) != n || v.size(3) != d_v) refuse("ring_decode: v");
    const Index old = cache.next < w ? cache.next : w;
    Tensor keys = Tensor::empty({B, H, old + n, d}), values = Tensor::empty({B, H, old + n, d_v});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h) {
            for (Index i = 0; i < old; ++i) {
                const Index slot = (cache.next - old + i) % w;
                for (Index j = 0; j < d; ++j) keys(b, h, i, j) = cache.k(b, h, slot, j);
                for (Index j = 0; j < d_v; ++j) values(b, h, i, j) = cache.v(b, h, slot, j);
            }
            for (Index t = 0; t < n; ++t) {
                for (Index j = 0; j < d; ++j) keys(b, h, old + t, j) = k(b, h, t, j);
                for (Index j = 0; j < d_v; ++j) values(b, h, old + t, j) = v(b, h, t, j);
            }
        }
    const Tensor context = window_attention(q, keys, values, w, {}, Mask{});
    ring_append(cache, k, v);
    return context;
}

Mask reach(const Mask& mask, Index layers) {
    if (mask.rank() != 2 || mask.size(0) != mask.size(1) || mask.size(0) < 1) refuse("reach: the mask is not square");
    if (layers < 1) refuse("reach: layers");
    const Index S = mask.size(0);
    Mask result = Mask::block_all({S, S});
    // From each token s on: who has heard of it after so many layers?
    for (Index s = 0; s < S; ++s) {
        std::vector<bool> heard(static_cast<std::size_t>(S), false);
        heard[static_cast<std::size_t>(s)] = true;
        for (Index layer = 0; layer < layers; ++layer) {
            std::vector<bool> now(static_cast<std::size_t>(S), false);
            for (Index t = 0; t < S; ++t)
                for (Index u = 0; u < S; ++u)
                    if (heard[static_cast<std::size_t>(u)] && !mask(t, u)) now[static_cast<std::size_t>(t)] = true;
            heard = now;
        }
        for (Index t = 0; t < S; ++t) result(t, s) = !heard[static_cast<std::size_t>(t)];
    }
    return result;
}

Index window_reach(Index w, Index layers) {
    if (w < 1 || layers < 1) refuse("window_reach: sizes");
    return 1 + (w - 1) * layers;
}

}  // namespace headway::ex11
