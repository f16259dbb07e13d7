#include "long_texts.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <set>
#include <stdexcept>

// Matrix products per head and block of queries, with a softmax of its own; a cache that is never written into: each
// append makes new tensors.
namespace headway::ex11 {

namespace {

using Globals = std::set<Index>;

constexpr Index tile = 16;

void demand(bool condition, const char* what) {
    if (!condition) throw std::invalid_argument(what);
}

Globals checked(Index T, Index S, const std::vector<Index>& positions) {
    demand(T >= 1, "no queries");
    demand(T <= S, "more queries than positions");
    Globals globals;
    for (const Index position : positions) {
        demand(position >= 0, "a global token before the text");
        demand(position < S, "a global token after the text");
        globals.insert(position);
    }
    return globals;
}

void check_padding(const Mask& padding, Index S) {
    if (!padding.defined()) return;
    demand(padding.rank() == 4, "padding of another rank");
    demand(padding.size(0) >= 1 && padding.size(1) == 1 && padding.size(2) == 1, "padding must be (B, 1, 1, S)");
    demand(padding.size(3) == S, "padding of another length");
}

/// Blocked where `open` does not say otherwise; it is asked with the position of the query and that of the key.
Mask mask_where_not(Index T, Index S, const std::function<bool(Index, Index)>& open) {
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s)
            if (!open(t + S - T, s)) mask(t, s) = true;
    return mask;
}

/// softmax(q·kᵀ / √d, masked)·v of one head: q (n, d), k (K, d), v (K, d_v), mask (n, K).
Tensor attend(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    constexpr float never = -std::numeric_limits<float>::infinity();
    const float root = std::sqrt(static_cast<float>(q.size(1)));
    const Tensor scores = masked_fill(matmul(q, k.transpose(0, 1)) / root, mask, never);
    Tensor largest = max(scores, 1, KeepAxis::yes);
    for (Index i = 0; i < largest.size(0); ++i)
        if (largest(i, 0) == never) largest(i, 0) = 0;
    const Tensor weights = exp(scores - largest);
    Tensor total = sum(weights, 1, KeepAxis::yes);
    for (Index i = 0; i < total.size(0); ++i)
        if (total(i, 0) == 0) total(i, 0) = 1;  // nothing seen: zeros stay zeros
    return matmul(weights, v) / total;
}

/// The rows of x (K0, width) at the positions.
Tensor gather(const Tensor& x, const std::vector<Index>& positions) {
    Tensor rows = Tensor::empty({static_cast<Index>(positions.size()), x.size(1)});
    Index row = 0;
    for (const Index position : positions) {
        for (Index i = 0; i < x.size(1); ++i) rows(row, i) = x(position, i);
        ++row;
    }
    return rows;
}

void check_four(const Tensor& x) {
    demand(x.rank() == 4, "four axes are needed");
    for (Index axis = 0; axis < 4; ++axis) demand(x.size(axis) > 0, "an axis is empty");
}

void check_tokens(const RingCache& cache, const Tensor& k, const Tensor& v) {
    check_four(cache.k);
    check_four(cache.v);
    check_four(k);
    check_four(v);
    const Index B = cache.k.size(0), H = cache.k.size(1);
    demand(cache.v.size(0) == B && k.size(0) == B && v.size(0) == B, "batches differ");
    demand(cache.v.size(1) == H && k.size(1) == H && v.size(1) == H, "heads differ");
    demand(cache.v.size(2) == cache.k.size(2), "the cache does not fit itself");
    demand(k.size(2) == v.size(2), "keys and values differ in number");
    demand(k.size(3) == cache.k.size(3), "the keys differ in width");
    demand(v.size(3) == cache.v.size(3), "the values differ in width");
}

/// The ring after `tokens` have come; the old one stays as it is.
Tensor turned(const Tensor& ring, Index next, const Tensor& tokens) {
    const Index w = ring.size(2), n = tokens.size(2);
    Tensor result = Tensor::empty(ring.shape());
    for (Index slot = 0; slot < w; ++slot) {
        Index last = (next + n - 1) - (next + n - 1 - slot) % w;  // last position that goes to this slot
        if (next + n - 1 < slot) last = -1;
        const Tensor source =
            last >= next ? tokens.slice(2, last - next, last - next + 1) : ring.slice(2, slot, slot + 1);
        result.slice(2, slot, slot + 1).copy_from(source);
    }
    return result;
}

std::vector<Index> slots_in_order(Index next, Index w) {
    std::vector<Index> slots;
    for (Index position = std::max<Index>(0, next - w); position < next; ++position) slots.push_back(position % w);
    return slots;
}

}  // namespace

Mask window_mask(Index T, Index S, Index w) {
    demand(w >= 1, "an empty window");
    checked(T, S, {});
    return mask_where_not(T, S, [w](Index p, Index s) { return s <= p && p - s < w; });
}

Mask global_mask(Index T, Index S, const std::vector<Index>& positions) {
    const Globals globals = checked(T, S, positions);
    return mask_where_not(T, S, [&](Index p, Index s) { return globals.contains(p) || globals.contains(s); });
}

Mask long_mask(Index T, Index S, Index w, const std::vector<Index>& globals, const Mask& padding) {
    demand(w >= 1, "an empty window");
    const Globals special = checked(T, S, globals);
    check_padding(padding, S);
    const Mask text = mask_where_not(T, S, [&](Index p, Index s) {
        if (s > p) return false;
        return p - s < w || special.contains(p) || special.contains(s);
    });
    return padding.defined() ? text | padding : text;
}

Tensor window_attention(const Tensor& q, const Tensor& k, const Tensor& v, Index w, const std::vector<Index>& globals,
                        const Mask& padding) {
    check_four(q);
    check_four(k);
    check_four(v);
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2);
    demand(k.size(0) == B && k.size(1) == H && k.size(3) == q.size(3), "keys do not fit queries");
    demand(v.size(0) == B && v.size(1) == H && v.size(2) == S, "values do not fit keys");
    demand(w >= 1, "an empty window");
    const Globals special = checked(T, S, globals);
    check_padding(padding, S);
    demand(!padding.defined() || padding.size(0) == B, "padding of another batch");

    Tensor context = Tensor::zeros({B, H, T, v.size(3)});
    // Queries [begin, end) of all heads, to the keys at these positions, of which `open` says who sees which.
    const auto run = [&](Index begin, Index end, const std::vector<Index>& keys,
                         const std::function<bool(Index, Index)>& open) {
        for (Index b = 0; b < B; ++b) {
            Mask mask = Mask::allow_all({end - begin, static_cast<Index>(keys.size())});
            for (Index t = begin; t < end; ++t) {
                Index column = 0;
                for (const Index s : keys) {
                    const bool padded = padding.defined() && padding(b, 0, 0, s);
                    mask(t - begin, column++) = padded || !open(t + S - T, s);
                }
            }
            for (Index h = 0; h < H; ++h)
                context[b][h]
                    .slice(0, begin, end)
                    .copy_from(
                        attend(q[b][h].slice(0, begin, end), gather(k[b][h], keys), gather(v[b][h], keys), mask));
        }
    };

    for (Index begin = 0; begin < T; begin += tile) {
        const Index end = std::min(begin + tile, T);
        const Index first = std::max<Index>(0, begin + S - T - w + 1);
        std::vector<Index> keys;
        for (auto g = special.begin(); g != special.end() && *g < first; ++g) keys.push_back(*g);
        for (Index s = first; s < end + S - T; ++s) keys.push_back(s);
        run(begin, end, keys, [&](Index p, Index s) { return s <= p && (p - s < w || special.contains(s)); });
    }
    for (auto g = special.lower_bound(S - T); g != special.end(); ++g) {
        std::vector<Index> keys;
        for (Index s = 0; s <= *g; ++s) keys.push_back(s);
        const Index t = *g - (S - T);
        run(t, t + 1, keys, [](Index, Index) { return true; });
    }
    return context;
}

RingCache make_ring(Index B, Index H, Index w, Index d, Index d_v) {
    demand(B >= 1 && H >= 1, "no batch, or no head");
    demand(w >= 1, "an empty window");
    demand(d >= 1 && d_v >= 1, "no width");
    return {.k = Tensor::zeros({B, H, w, d}), .v = Tensor::zeros({B, H, w, d_v})};
}

void ring_append(RingCache& cache, const Tensor& k, const Tensor& v) {
    check_tokens(cache, k, v);
    RingCache after{turned(cache.k, cache.next, k), turned(cache.v, cache.next, v), cache.next + k.size(2)};
    cache = after;
}

Tensor ring_decode(RingCache& cache, const Tensor& q, const Tensor& k, const Tensor& v) {
    check_tokens(cache, k, v);
    demand(q.shape() == k.shape(), "queries do not fit keys");
    const Index w = cache.k.size(2);
    ring_append(cache, k, v);
    std::vector<Tensor> keys, values;
    for (const Index slot : slots_in_order(cache.next, w)) {
        keys.push_back(cache.k.slice(2, slot, slot + 1));
        values.push_back(cache.v.slice(2, slot, slot + 1));
    }
    const Index held = static_cast<Index>(keys.size());
    if (q.size(2) > held) {  // more new tokens than the ring holds
        keys = {k};
        values = {v};
    }
    return window_attention(q, cat(keys, 2), cat(values, 2), w, {}, Mask{});
}

Mask reach(const Mask& mask, Index layers) {
    demand(mask.rank() == 2 && mask.size(0) == mask.size(1), "the mask must be square");
    demand(mask.size(0) >= 1, "the mask is empty");
    demand(layers >= 1, "no layers");
    const Index S = mask.size(0);
    Mask result = Mask::block_all({S, S});
    for (Index t = 0; t < S; ++t) {
        std::set<Index> here{t};
        for (Index layer = 0; layer < layers; ++layer) {  // one step back per layer
            std::set<Index> before;
            for (const Index u : here)
                for (Index s = 0; s < S; ++s)
                    if (!mask(u, s)) before.insert(s);
            here = before;
        }
        for (const Index s : here) result(t, s) = false;
    }
    return result;
}

Index window_reach(Index w, Index layers) {
    demand(w >= 1, "an empty window");
    demand(layers >= 1, "no layers");
    const Index each = w - 1;
    return each * layers + 1;
}

}  // namespace headway::ex11
