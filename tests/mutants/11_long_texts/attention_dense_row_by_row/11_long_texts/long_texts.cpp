#include "long_texts.hpp"

#include <algorithm>
#include <stdexcept>

namespace headway::ex11 {
namespace {

void check(bool ok) {
    if (!ok) throw std::invalid_argument("long_texts: arguments do not fit");
}

bool contains(const std::vector<Index>& list, Index x) { return std::find(list.begin(), list.end(), x) != list.end(); }

void check_positions(const std::vector<Index>& list, Index S) {
    for (Index x : list) check(x >= 0 && x < S);
}

void check_qkv(const Tensor& q, const Tensor& k, const Tensor& v) {
    check(q.rank() == 4 && k.rank() == 4 && v.rank() == 4);
    check(q.size(0) == k.size(0) && q.size(1) == k.size(1) && q.size(3) == k.size(3));
    check(v.size(0) == k.size(0) && v.size(1) == k.size(1) && v.size(2) == k.size(2));
}

Tensor gather(const Tensor& x, const std::vector<Index>& list) {
    Tensor y = Tensor::empty({x.size(0), x.size(1), static_cast<Index>(list.size()), x.size(3)});
    for (Index i = 0; i < y.size(2); ++i) y.select(2, i).copy_from(x.select(2, list[static_cast<std::size_t>(i)]));
    return y;
}

}  // namespace

Mask window_mask(Index T, Index S, Index w) {
    check(T >= 1 && S >= T && w >= 1);
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; t++) {
        Index p = t + (S - T);
        for (Index s = 0; s < S; s++)
            if (s > p || p - s >= w) mask(t, s) = true;
    }
    return mask;
}

Mask global_mask(Index T, Index S, const std::vector<Index>& positions) {
    check(T >= 1 && S >= T);
    check_positions(positions, S);
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; t++)
        for (Index s = 0; s < S; s++) {
            bool row = contains(positions, t + (S - T)), column = contains(positions, s);
            mask(t, s) = !(row || column);
        }
    return mask;
}

Mask long_mask(Index T, Index S, Index w, const std::vector<Index>& globals, const Mask& padding) {
    Mask window = window_mask(T, S, w), global = global_mask(T, S, globals);
    Mask joined = Mask::allow_all({T, S});
    for (Index t = 0; t < T; t++)
        for (Index s = 0; s < S; s++) {
            bool both_block = window(t, s) && global(t, s), future = s > t + (S - T);
            joined(t, s) = both_block || future;
        }
    if (padding.defined()) check(padding.rank() == 4 && padding.shape() == Shape{padding.size(0), 1, 1, S});
    return joined | padding;
}

Tensor window_attention(const Tensor& q, const Tensor& k, const Tensor& v, Index w, const std::vector<Index>& globals,
                        const Mask& padding) {
    check_qkv(q, k, v);
    Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2);
    check(T <= S && w >= 1);
    check_positions(globals, S);
    check(!padding.defined() || padding.shape() == Shape{B, 1, 1, S});
    Tensor out = Tensor::empty({B, H, T, v.size(3)});
    for (Index t = 0; t < T; t++) {
        Index p = t + (S - T);
        bool is_global = contains(globals, p);
        Mask blocked = Mask::allow_all({B, 1, 1, p + 1});
        for (Index b = 0; b < B; b++)
            for (Index i = 0; i < blocked.size(3); i++)
                blocked(b, 0, 0, i) =
                    (padding.defined() && padding(b, 0, 0, i)) || !(is_global || p - i < w || contains(globals, i));
        out.slice(2, t, t + 1)
            .copy_from(given::scaled_dot_product_attention(q.slice(2, t, t + 1), k.slice(2, 0, p + 1),
                                                           v.slice(2, 0, p + 1), blocked)
                           .context);
    }
    return out;
}

RingCache make_ring(Index B, Index H, Index w, Index d, Index d_v) {
    check(B > 0 && H > 0 && w > 0 && d > 0 && d_v > 0);
    return {Tensor::zeros({B, H, w, d}), Tensor::zeros({B, H, w, d_v}), 0};
}

void ring_append(RingCache& cache, const Tensor& k, const Tensor& v) {
    check(k.rank() == 4 && v.rank() == 4 && k.size(2) == v.size(2));
    for (Index axis : {0, 1, 3}) check(k.size(axis) == cache.k.size(axis) && v.size(axis) == cache.v.size(axis));
    Index w = cache.k.size(2), n = k.size(2);
    if (!cache.k.owns_storage()) cache.k = cache.k.clone();
    if (!cache.v.owns_storage()) cache.v = cache.v.clone();
    for (Index t = 0; t < n; t++) {
        if (n - t > w) continue;
        Index slot = (cache.next + t) % w;
        cache.k.select(2, slot).copy_from(k.select(2, t));
        cache.v.select(2, slot).copy_from(v.select(2, t));
    }
    cache.next += n;
}

Tensor ring_decode(RingCache& cache, const Tensor& q, const Tensor& k, const Tensor& v) {
    check_qkv(q, k, v);
    check(q.size(2) == k.size(2) && v.size(3) == cache.v.size(3));
    for (Index axis : {0, 1, 3}) check(k.size(axis) == cache.k.size(axis));
    Index w = cache.k.size(2), n = k.size(2);
    std::vector<Index> slots, positions;
    for (Index p = std::max<Index>(0, cache.next - w); p < cache.next; p++) {
        slots.push_back(p % w);
        positions.push_back(p);
    }
    for (Index t = 0; t < n; t++) positions.push_back(cache.next + t);
    Mask blocked = Mask::allow_all({n, static_cast<Index>(positions.size())});
    for (Index t = 0; t < n; t++)
        for (Index i = 0; i < blocked.size(1); i++) {
            Index distance = cache.next + t - positions[static_cast<std::size_t>(i)];
            blocked(t, i) = distance < 0 || distance >= w;
        }
    Tensor keys = k, values = v;
    if (!slots.empty()) {
        keys = cat({gather(cache.k, slots), k}, 2);
        values = cat({gather(cache.v, slots), v}, 2);
    }
    Tensor out = given::scaled_dot_product_attention(q, keys, values, blocked).context;
    ring_append(cache, k, v);
    return out;
}

Mask reach(const Mask& mask, Index layers) {
    check(mask.rank() == 2 && mask.size(0) == mask.size(1) && layers >= 1);
    Index S = mask.size(0);
    Mask result = mask.clone();
    for (Index layer = 1; layer < layers; layer++) {
        Mask next = Mask::block_all({S, S});
        for (Index t = 0; t < S; t++)
            for (Index u = 0; u < S; u++)
                for (Index s = 0; s < S; s++)
                    if (!mask(t, u) && !result(u, s)) next(t, s) = false;
        result = next;
    }
    return result;
}

Index window_reach(Index w, Index layers) {
    check(w >= 1 && layers >= 1);
    return 1 + layers * (w - 1);
}

}  // namespace headway::ex11
