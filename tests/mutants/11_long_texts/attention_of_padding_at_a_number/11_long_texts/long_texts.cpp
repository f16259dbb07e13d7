#include "long_texts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

// Loops over indices, sums in double, one query at a time from the list of the keys that it may see.
namespace headway::ex11 {

namespace {

using Positions = std::vector<Index>;

[[noreturn]] void refuse(const char* why) { throw std::invalid_argument(why); }

void check_text(Index T, Index S) {
    if (T < 1) refuse("T < 1");
    if (S < T) refuse("S < T");
}

/// In order, each once.
Positions tidy(const Positions& positions, Index S) {
    Positions result = positions;
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    if (!result.empty() && (result.front() < 0 || result.back() >= S)) refuse("a global position is not in [0, S)");
    return result;
}

void check_rank_4(const Tensor& x) {
    if (x.rank() != 4) refuse("rank 4 is needed");
    for (Index axis = 0; axis < 4; ++axis)
        if (x.size(axis) < 1) refuse("a size is below 1");
}

void check_padding(const Mask& padding, Index S) {
    if (!padding.defined()) return;
    if (padding.rank() != 4 || padding.size(0) < 1) refuse("padding is not (B, 1, 1, S)");
    if (padding.size(1) != 1 || padding.size(2) != 1 || padding.size(3) != S) refuse("padding is not (B, 1, 1, S)");
}

/// The keys that the query at position p may see, padding aside.
Positions keys_of(Index p, Index w, const Positions& globals) {
    Positions keys;
    Index first = std::max<Index>(0, p - w + 1);
    if (std::binary_search(globals.begin(), globals.end(), p)) first = 0;
    for (const Index g : globals)
        if (g < first) keys.push_back(g);
    for (Index s = first; s <= p; ++s) keys.push_back(s);
    return keys;
}

void check_new(const RingCache& cache, const Tensor& k, const Tensor& v) {
    for (const Tensor* x : {&cache.k, &cache.v, &k, &v}) {
        check_rank_4(*x);
        if (x->size(0) != cache.k.size(0)) refuse("batches differ");
        if (x->size(1) != cache.k.size(1)) refuse("heads differ");
    }
    if (cache.v.size(2) != cache.k.size(2)) refuse("the cache has unequal windows");
    if (v.size(2) != k.size(2)) refuse("not as many values as keys");
    if (k.size(3) != cache.k.size(3)) refuse("keys of another width");
    if (v.size(3) != cache.v.size(3)) refuse("values of another width");
}

Tensor duplicate(const Tensor& x) {
    Tensor copy = Tensor::zeros(x.shape());
    for (Index b = 0; b < x.size(0); ++b)
        for (Index h = 0; h < x.size(1); ++h)
            for (Index t = 0; t < x.size(2); ++t)
                for (Index i = 0; i < x.size(3); ++i) copy(b, h, t, i) = x(b, h, t, i);
    return copy;
}

}  // namespace

Mask window_mask(Index T, Index S, Index w) {
    if (w < 1) refuse("w < 1");
    check_text(T, S);
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) {
            const Index distance = t + (S - T) - s;
            mask(t, s) = distance < 0 || distance >= w;
        }
    return mask;
}

Mask global_mask(Index T, Index S, const std::vector<Index>& positions) {
    check_text(T, S);
    const Positions globals = tidy(positions, S);
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) {
            const bool row = std::binary_search(globals.begin(), globals.end(), t + (S - T));
            const bool column = std::binary_search(globals.begin(), globals.end(), s);
            mask(t, s) = !row && !column;
        }
    return mask;
}

Mask long_mask(Index T, Index S, Index w, const std::vector<Index>& globals, const Mask& padding) {
    if (w < 1) refuse("w < 1");
    check_text(T, S);
    check_padding(padding, S);
    const Positions tidied = tidy(globals, S);
    if (!padding.defined()) {
        Mask mask = Mask::block_all({T, S});
        for (Index t = 0; t < T; ++t)
            for (const Index s : keys_of(t + (S - T), w, tidied)) mask(t, s) = s > t + (S - T);
        return mask;
    }
    const Index B = padding.size(0);
    Mask mask = Mask::block_all({B, 1, T, S});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t)
            for (const Index s : keys_of(t + (S - T), w, tidied))
                mask(b, 0, t, s) = s > t + (S - T) || padding(b, 0, 0, s);
    return mask;
}

Tensor window_attention(const Tensor& q, const Tensor& k, const Tensor& v, Index w, const std::vector<Index>& globals,
                        const Mask& padding) {
    check_rank_4(q);
    check_rank_4(k);
    check_rank_4(v);
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2), d_v = v.size(3);
    if (k.size(0) != B || k.size(1) != H || k.size(3) != d) refuse("the keys do not fit the queries");
    if (v.size(0) != B || v.size(1) != H || v.size(2) != S) refuse("the values do not fit the keys");
    if (w < 1) refuse("w < 1");
    check_text(T, S);
    check_padding(padding, S);
    if (padding.defined() && padding.size(0) != B) refuse("padding of another batch");
    const Positions tidied = tidy(globals, S);

    constexpr double blocked = -1e4;
    const double scale = 1.0 / std::sqrt(static_cast<double>(d));
    Tensor context = Tensor::zeros({B, H, T, d_v});
    for (Index t = 0; t < T; ++t) {
        const Index p = t + (S - T);
        Positions keys = keys_of(p, w, tidied);
        while (!keys.empty() && keys.back() > p) keys.pop_back();
        std::vector<double> weights(keys.size());
        std::vector<double> row(static_cast<std::size_t>(d_v));
        for (Index b = 0; b < B; ++b)
            for (Index h = 0; h < H; ++h) {
                double peak = -std::numeric_limits<double>::infinity();
                Index seen = 0;
                for (std::size_t j = 0; j < keys.size(); ++j) {
                    const Index s = keys[j];
                    if (padding.defined() && padding(b, 0, 0, s)) {
                        weights[j] = blocked;
                        continue;
                    }
                    double dot = 0;
                    for (Index i = 0; i < d; ++i) dot += static_cast<double>(q(b, h, t, i)) * k(b, h, s, i);
                    weights[j] = dot * scale;
                    peak = std::max(peak, weights[j]);
                    ++seen;
                }
                if (seen == 0) continue;  // zeros already
                double total = 0;
                for (double& weight : weights) {
                    weight = std::exp(weight - peak);
                    total += weight;
                }
                std::fill(row.begin(), row.end(), 0.0);
                for (std::size_t j = 0; j < keys.size(); ++j)
                    for (Index i = 0; i < d_v; ++i)
                        row[static_cast<std::size_t>(i)] += weights[j] * v(b, h, keys[j], i);
                for (Index i = 0; i < d_v; ++i)
                    context(b, h, t, i) = static_cast<float>(row[static_cast<std::size_t>(i)] / total);
            }
    }
    return context;
}

RingCache make_ring(Index B, Index H, Index w, Index d, Index d_v) {
    for (const Index size : {B, H, w, d, d_v})
        if (size < 1) refuse("a size is below 1");
    RingCache cache;
    cache.k = Tensor::zeros({B, H, w, d});
    cache.v = Tensor::zeros({B, H, w, d_v});
    return cache;
}

void ring_append(RingCache& cache, const Tensor& k, const Tensor& v) {
    check_new(cache, k, v);
    const Tensor from_k = k, from_v = v;
    const Index w = cache.k.size(2), n = k.size(2);
    if (!cache.k.owns_storage()) cache.k = duplicate(cache.k);
    if (!cache.v.owns_storage()) cache.v = duplicate(cache.v);
    const Index skipped = n > w ? n - w : 0;
    for (Index t = skipped; t < n; ++t) {
        const Index slot = (cache.next + t) % w;
        for (Index b = 0; b < cache.k.size(0); ++b)
            for (Index h = 0; h < cache.k.size(1); ++h) {
                for (Index i = 0; i < cache.k.size(3); ++i) cache.k(b, h, slot, i) = from_k(b, h, t, i);
                for (Index i = 0; i < cache.v.size(3); ++i) cache.v(b, h, slot, i) = from_v(b, h, t, i);
            }
    }
    cache.next += n;
}

Tensor ring_decode(RingCache& cache, const Tensor& q, const Tensor& k, const Tensor& v) {
    check_new(cache, k, v);
    check_rank_4(q);
    if (q.shape() != k.shape()) refuse("queries and keys differ in shape");
    const Index B = k.size(0), H = k.size(1), n = k.size(2), d = k.size(3), d_v = v.size(3), w = cache.k.size(2);
    const Index held = std::min(cache.next, w);
    Tensor keys = Tensor::empty({B, H, held + n, d}), values = Tensor::empty({B, H, held + n, d_v});
    for (Index j = 0; j < held + n; ++j) {
        const Index position = cache.next - held + j;
        const Index slot = position % w;
        for (Index b = 0; b < B; ++b)
            for (Index h = 0; h < H; ++h) {
                for (Index i = 0; i < d; ++i)
                    keys(b, h, j, i) = j < held ? std::as_const(cache.k)(b, h, slot, i) : k(b, h, j - held, i);
                for (Index i = 0; i < d_v; ++i)
                    values(b, h, j, i) = j < held ? std::as_const(cache.v)(b, h, slot, i) : v(b, h, j - held, i);
            }
    }
    const Tensor context = window_attention(q, keys, values, w, {}, Mask{});
    ring_append(cache, k, v);
    return context;
}

Mask reach(const Mask& mask, Index layers) {
    if (mask.rank() != 2) refuse("a matrix is needed");
    const Index S = mask.size(0);
    if (S < 1 || mask.size(1) != S) refuse("the mask is not square");
    if (layers < 1) refuse("layers < 1");
    Mask all = mask.clone();
    for (Index layer = 1; layer < layers; ++layer) {
        Mask more = Mask::block_all({S, S});
        for (Index t = 0; t < S; ++t)
            for (Index u = 0; u < S; ++u) {
                if (mask(t, u)) continue;
                for (Index s = 0; s < S; ++s)
                    if (!all(u, s)) more(t, s) = false;
            }
        all = more;
    }
    return all;
}

Index window_reach(Index w, Index layers) {
    if (w < 1) refuse("w < 1");
    if (layers < 1) refuse("layers < 1");
    return 1 + (w - 1) * layers;
}

}  // namespace headway::ex11
