#include "long_texts.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

// Plain loops: one query after the other, over a list of the keys that it sees.
namespace headway::ex11 {
namespace {

void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

void require_lengths(Index T, Index S, Index w) {
    require(T > 0 && T <= S, "queries are the last of all positions");
    require(w > 0, "an empty window");
}

std::set<Index> as_set(const std::vector<Index>& positions, Index S) {
    for (const Index position : positions) require(position >= 0 && position < S, "no such position");
    return {positions.begin(), positions.end()};
}

void require_rank_4(const Tensor& x) { require(x.rank() == 4, "four axes are due"); }

/// What one query gathers from the rows of k and v in a list.
void attend(const Tensor& q, const Tensor& k, const Tensor& v, const std::vector<Index>& seen, Tensor out) {
    const Index d = q.size(0), d_v = v.size(1);
    std::vector<double> scores;
    double largest = -INFINITY, total = 0;
    for (const Index s : seen) {
        double score = 0;
        for (Index i = 0; i < d; ++i) score += static_cast<double>(q(i)) * k(s, i);
        scores.push_back(score / std::sqrt(static_cast<double>(d)));
        largest = std::max(largest, scores.back());
    }
    std::vector<double> gathered(static_cast<std::size_t>(d_v));
    for (std::size_t j = 0; j < seen.size(); ++j) {
        const double weight = std::exp(scores[j] - largest);
        total += weight;
        for (Index i = 0; i < d_v; ++i) gathered[static_cast<std::size_t>(i)] += weight * v(seen[j], i);
    }
    for (Index i = 0; i < d_v; ++i)
        out(i) = seen.empty() ? 0.0F : static_cast<float>(gathered[static_cast<std::size_t>(i)] / total);
}

}  // namespace

Mask window_mask(Index T, Index S, Index w) {
    require_lengths(T, S, w);
    Mask mask = Mask::block_all({T, S});
    for (Index t = 0; t < T; ++t) {
        const Index p = t + S - T;
        for (Index back = 0; back < w && back <= p; ++back) mask(t, p - back) = false;
    }
    return mask;
}

Mask global_mask(Index T, Index S, const std::vector<Index>& positions) {
    require_lengths(T, S, 1);
    const std::set<Index> global = as_set(positions, S);
    Mask mask = Mask::block_all({T, S});
    for (const Index g : global) {
        for (Index t = 0; t < T; ++t) mask(t, g) = false;
        if (g >= S - T)
            for (Index s = 0; s < S; ++s) mask(g - (S - T), s) = false;
    }
    return mask;
}

Mask long_mask(Index T, Index S, Index w, const std::vector<Index>& globals, const Mask& padding) {
    require_lengths(T, S, w);
    const std::set<Index> global = as_set(globals, S);
    const Index B = padding.defined() ? padding.shape().at(0) : 1;
    require(!padding.defined() || padding.shape() == Shape{B, 1, 1, S}, "no such padding");
    Mask mask = Mask::block_all({B, 1, T, S});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t) {
            const Index p = t + S - T;
            for (Index s = 0; s <= p; ++s) {
                const bool is_near = p - s < w;
                const bool is_global = global.count(p) + global.count(s) > 0;
                const bool is_padding = padding.defined() && padding(b, 0, 0, s);
                mask(b, 0, t, s) = is_padding || !(is_near || is_global);
            }
        }
    if (padding.defined()) return mask;
    return mask.as_strided({T, S}, {S, 1}, 0);
}

Tensor window_attention(const Tensor& q, const Tensor& k, const Tensor& v, Index w, const std::vector<Index>& globals,
                        const Mask& padding) {
    for (const Tensor* x : {&q, &k, &v}) require_rank_4(*x);
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2);
    require(k.shape() == Shape{B, H, S, q.size(3)}, "k does not fit q");
    require(v.shape() == Shape{B, H, S, v.size(3)}, "v does not fit k");
    require_lengths(T, S, w);
    require(!padding.defined() || padding.shape() == Shape{B, 1, 1, S}, "no such padding");
    const std::set<Index> global = as_set(globals, S);
    Tensor out = Tensor::zeros({B, H, T, v.size(3)});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t) {
            const Index p = t + S - T;
            const Index first = global.count(p) > 0 ? 0 : std::max<Index>(0, p - w + 1);
            std::vector<Index> seen;
            for (const Index g : global)
                if (g < first) seen.push_back(g);
            for (Index s = first; s <= p; ++s) seen.push_back(s);
            std::vector<Index> real;
            for (const Index s : seen)
                if (!padding.defined() || !padding(b, 0, 0, s)) real.push_back(s);
            for (Index h = 0; h < H; ++h) attend(q[b][h][t], k[b][h], v[b][h], real, out[b][h][t]);
        }
    return out;
}

RingCache make_ring(Index B, Index H, Index w, Index d, Index d_v) {
    for (const Index size : {B, H, w, d, d_v}) require(size > 0, "a size below 1");
    return {Tensor::zeros({B, H, w, d}), Tensor::zeros({B, H, w, d_v}), 0};
}

namespace {

void require_fit(const RingCache& cache, const Tensor& k, const Tensor& v) {
    require_rank_4(k);
    require_rank_4(v);
    const Index B = cache.k.size(0), H = cache.k.size(1), n = k.size(2);
    require(k.shape() == Shape{B, H, n, cache.k.size(3)}, "k does not fit the cache");
    require(v.shape() == Shape{B, H, n, cache.v.size(3)}, "v does not fit the cache");
}

}  // namespace

void ring_append(RingCache& cache, const Tensor& k, const Tensor& v) {
    require_fit(cache, k, v);
    const Index w = cache.k.size(2);
    Tensor new_k = cache.k.clone(), new_v = cache.v.clone();  // others may see the old ones
    for (Index t = 0; t < k.size(2); ++t) {
        const Index slot = (cache.next + t) % w;  // later tokens overwrite earlier ones
        new_k.select(2, slot).copy_from(k.select(2, t));
        new_v.select(2, slot).copy_from(v.select(2, t));
    }
    cache.k = new_k;
    cache.v = new_v;
    cache.next += k.size(2);
}

Tensor ring_decode(RingCache& cache, const Tensor& q, const Tensor& k, const Tensor& v) {
    require_rank_4(q);
    require_fit(cache, k, v);
    require(q.shape() == k.shape(), "q does not fit k");
    const Index B = q.size(0), H = q.size(1), n = q.size(2);
    Tensor out = Tensor::zeros({B, H, n, v.size(3)});
    // One token after the other: once it has been taken in, its window is what the ring holds, in any order.
    for (Index t = 0; t < n; ++t) {
        ring_append(cache, k.slice(2, t, t + 1), v.slice(2, t, t + 1));
        std::vector<Index> held;
        for (Index slot = 0; slot < cache.k.size(2) && slot < cache.next; ++slot) held.push_back(slot);
        for (Index b = 0; b < B; ++b)
            for (Index h = 0; h < H; ++h) attend(q[b][h][t], cache.k[b][h], cache.v[b][h], held, out[b][h][t]);
    }
    return out;
}

Mask reach(const Mask& mask, Index layers) {
    require(mask.rank() == 2 && mask.size(0) == mask.size(1), "no square mask");
    require(layers > 0, "no layer");
    const Index S = mask.size(0);
    Mask reached = Mask::block_all({S, S});
    for (Index t = 0; t < S; ++t) {
        std::set<Index> influencing{t};
        for (Index layer = 0; layer < layers; ++layer) {
            std::set<Index> further;
            for (const Index u : influencing)
                for (Index s = 0; s < S; ++s)
                    if (!mask(u, s)) further.insert(s);
            influencing = further;
        }
        for (const Index s : influencing) reached(t, s) = false;
    }
    return reached;
}

Index window_reach(Index w, Index layers) {
    require(w > 0 && layers > 0, "a size below 1");
    return 1 + layers * (w - 1);
}

}  // namespace headway::ex11
