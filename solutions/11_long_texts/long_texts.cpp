#include "long_texts.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace headway::ex11 {
namespace {

[[noreturn]] void refuse(const std::string& function, const std::string& why) {
    throw std::invalid_argument(function + ": " + why);
}

void require_lengths(const std::string& function, Index T, Index S, Index w) {
    if (T < 1 || S < T)
        refuse(function, std::to_string(T) + " queries are not the last of " + std::to_string(S) + " positions");
    if (w < 1) refuse(function, "a window of " + std::to_string(w) + " holds nothing");
}

/// Every position once, in order.
std::vector<Index> in_order(const std::string& function, std::vector<Index> positions, Index S) {
    std::sort(positions.begin(), positions.end());
    positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
    if (!positions.empty() && (positions.front() < 0 || positions.back() >= S))
        refuse(function, "a global token is not in [0, " + std::to_string(S) + ")");
    return positions;
}

bool is_one_of(const std::vector<Index>& sorted, Index position) {
    return std::binary_search(sorted.begin(), sorted.end(), position);
}

bool agree(const Tensor& a, const Tensor& b, std::initializer_list<Index> axes) {
    return std::all_of(axes.begin(), axes.end(), [&](Index axis) { return a.size(axis) == b.size(axis); });
}

void require_heads_fit(const std::string& function, const Tensor& q, const Tensor& k, const Tensor& v) {
    const bool have_axes = q.rank() == 4 && k.rank() == 4 && v.rank() == 4;
    if (!have_axes || !agree(q, k, {0, 1, 3}) || !agree(k, v, {0, 1, 2}))
        refuse(function, "q " + to_string(q.shape()) + ", k " + to_string(k.shape()) + " and v " +
                             to_string(v.shape()) + " do not fit together");
}

void require_padding_fits(const std::string& function, const Mask& padding, Index B, Index S) {
    if (padding.defined() && padding.shape() != Shape{B, 1, 1, S})
        refuse(function, "padding " + to_string(padding.shape()) + " is not (B, 1, 1, S)");
}

/// Keys that some queries look at, and what each of them may not see of these.
struct Seen {
    std::vector<Index> positions;
    Mask blocked;  ///< (B, 1, queries, positions)
};

/// The numbers of some positions, (B, H, positions, width).
Tensor at(const Tensor& x, const std::vector<Index>& positions) {
    std::vector<Tensor> parts;
    for (std::size_t i = 0, end = 0; i < positions.size(); i = end) {
        end = i + 1;
        while (end < positions.size() && positions[end] == positions[end - 1] + 1) ++end;
        parts.push_back(x.slice(2, positions[i], positions[end - 1] + 1));
    }
    return parts.size() == 1 ? parts.front() : cat(parts, 2);
}

/// What queries at positions [first, end) see: what their windows span, and global tokens before it.
Seen seen_by(Index first, Index end, Index w, const std::vector<Index>& globals, const Mask& padding) {
    const Index begin = std::max<Index>(0, first - w + 1);
    Seen seen;
    for (const Index position : globals)
        if (position < begin) seen.positions.push_back(position);
    for (Index s = begin; s < end; ++s) seen.positions.push_back(s);
    const Index B = padding.defined() ? padding.size(0) : 1, keys = static_cast<Index>(seen.positions.size());
    seen.blocked = Mask::allow_all({B, 1, end - first, keys});
    for (Index b = 0; b < B; ++b)
        for (Index p = first; p < end; ++p)
            for (Index i = 0; i < keys; ++i) {
                const Index s = seen.positions[static_cast<std::size_t>(i)];
                const bool in_window = p - s < w || is_one_of(globals, s) || is_one_of(globals, p);
                seen.blocked(b, 0, p - first, i) = s > p || !in_window || (padding.defined() && padding(b, 0, 0, s));
            }
    return seen;
}

}  // namespace

Mask window_mask(Index T, Index S, Index w) {
    // -> (T, S)
    require_lengths("window_mask", T, S, w);
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) {
            const Index distance = t + (S - T) - s;
            mask(t, s) = distance < 0 || distance >= w;
        }
    return mask;
}

Mask global_mask(Index T, Index S, const std::vector<Index>& positions) {
    // -> (T, S)
    require_lengths("global_mask", T, S, 1);
    const std::vector<Index> global = in_order("global_mask", positions, S);
    Mask mask = Mask::block_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) mask(t, s) = !is_one_of(global, t + (S - T)) && !is_one_of(global, s);
    return mask;
}

Mask long_mask(Index T, Index S, Index w, const std::vector<Index>& globals, const Mask& padding) {
    // padding (B, 1, 1, S) -> (B, 1, T, S), or Mask{} -> (T, S)
    if (padding.defined()) require_padding_fits("long_mask", padding, padding.size(0), S);
    const Mask window = window_mask(T, S, w), global = global_mask(T, S, globals);
    const Mask neither = !((!window) | (!global));  // blocked by both: what either opens is open
    return neither | given::causal_mask(T, S) | padding;
}

Tensor window_attention(const Tensor& q, const Tensor& k, const Tensor& v, Index w, const std::vector<Index>& globals,
                        const Mask& padding) {
    // q (B, H, T, d), k (B, H, S, d), v (B, H, S, d_v) -> (B, H, T, d_v)
    require_heads_fit("window_attention", q, k, v);
    const Index T = q.size(2), S = k.size(2), offset = S - T;
    require_lengths("window_attention", T, S, w);
    require_padding_fits("window_attention", padding, q.size(0), S);
    const std::vector<Index> global = in_order("window_attention", globals, S);
    Tensor context = Tensor::empty({q.size(0), q.size(1), T, v.size(3)});
    const auto attend = [&](Index begin, Index end, Index window) {
        const Seen seen = seen_by(begin + offset, end + offset, window, global, padding);
        context.slice(2, begin, end)
            .copy_from(given::scaled_dot_product_context(q.slice(2, begin, end), at(k, seen.positions),
                                                         at(v, seen.positions), seen.blocked));
    };
    constexpr Index least = 16;  // for a narrow window more queries than w at once, so that there are fewer calls
    const Index together = std::max(w / 8, least);
    for (Index t = 0; t < T; t += together) attend(t, std::min(t + together, T), w);
    for (const Index position : global)
        if (position >= offset) attend(position - offset, position - offset + 1, S);  // a global query sees all
    return context;
}

RingCache make_ring(Index B, Index H, Index w, Index d, Index d_v) {
    // -> (B, H, w, d), (B, H, w, d_v), 0
    if (std::min({B, H, w, d, d_v}) < 1) refuse("make_ring", "every size must be at least 1");
    return {.k = Tensor::zeros({B, H, w, d}), .v = Tensor::zeros({B, H, w, d_v}), .next = 0};
}

namespace {

void require_cache_fits(const std::string& function, const RingCache& cache, const Tensor& k, const Tensor& v) {
    const bool have_axes = k.rank() == 4 && v.rank() == 4;
    if (!have_axes || !agree(k, cache.k, {0, 1, 3}) || !agree(v, cache.v, {0, 1, 3}) || k.size(2) != v.size(2))
        refuse(function, "k " + to_string(k.shape()) + " and v " + to_string(v.shape()) + " do not fit a cache of " +
                             to_string(cache.k.shape()) + " and " + to_string(cache.v.shape()));
}

/// The last of n new tokens into their slots. Nobody who sees the storage of `ring` sees that.
void take_in(Tensor& ring, const Tensor& tokens, Index next) {
    const Index w = ring.size(2), n = tokens.size(2);
    if (!ring.owns_storage()) ring = ring.clone();
    for (Index t = std::max<Index>(0, n - w); t < n; ++t) ring.select(2, (next + t) % w).copy_from(tokens.select(2, t));
}

/// The tokens that the ring holds, in the order of their positions: (B, H, min(next, w), width).
Tensor in_order(const Tensor& ring, Index next) {
    const Index w = ring.size(2);
    if (next < w) return ring.slice(2, 0, next);
    return cat({ring.slice(2, next % w, w), ring.slice(2, 0, next % w)}, 2);
}

}  // namespace

void ring_append(RingCache& cache, const Tensor& k, const Tensor& v) {
    // k (B, H, n, d), v (B, H, n, d_v): the last w of them into slots p % w
    require_cache_fits("ring_append", cache, k, v);
    take_in(cache.k, k, cache.next);
    take_in(cache.v, v, cache.next);
    cache.next += k.size(2);
}

Tensor ring_decode(RingCache& cache, const Tensor& q, const Tensor& k, const Tensor& v) {
    // q, k (B, H, n, d), v (B, H, n, d_v) -> (B, H, n, d_v)
    require_heads_fit("ring_decode", q, k, v);
    require_cache_fits("ring_decode", cache, k, v);
    if (q.size(2) != k.size(2)) refuse("ring_decode", "there are not as many queries as new keys");
    // The first new token sees what the last will push out, so attend before anything is overwritten.
    const Tensor keys = cat({in_order(cache.k, cache.next), k}, 2);
    const Tensor values = cat({in_order(cache.v, cache.next), v}, 2);
    Tensor context = window_attention(q, keys, values, cache.k.size(2), {}, {});
    ring_append(cache, k, v);
    return context;
}

Mask reach(const Mask& mask, Index layers) {
    // (S, S) -> (S, S)
    if (mask.rank() != 2 || mask.size(0) != mask.size(1)) refuse("reach", "the mask is not (S, S)");
    if (layers < 1) refuse("reach", "there must be a layer");
    const Index S = mask.size(0);
    Mask reached = mask.clone();
    for (Index layer = 1; layer < layers; ++layer) {
        Mask further = Mask::block_all({S, S});
        for (Index t = 0; t < S; ++t)
            for (Index u = 0; u < S; ++u)
                if (!mask(t, u))
                    for (Index s = 0; s < S; ++s) further(t, s) = further(t, s) && reached(u, s);
        reached = further;
    }
    return reached;
}

Index window_reach(Index w, Index layers) {
    // -> a number of tokens
    if (w < 1 || layers < 1) refuse("window_reach", "window and layers must be at least 1");
    return layers * (w - 1) + 1;
}

}  // namespace headway::ex11
