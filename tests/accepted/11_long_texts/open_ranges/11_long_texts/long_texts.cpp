#include "long_texts.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

// What a query sees is a list of ranges of keys; softmax goes over them once, one range after the other.
namespace headway::ex11 {
namespace {

struct Range {
    Index begin, end;
};
using Ranges = std::vector<Range>;

/// Adds a range behind the last one; where they touch, they become one.
void add(Ranges& ranges, Range more) {
    if (!ranges.empty() && more.begin <= ranges.back().end)
        ranges.back().end = std::max(ranges.back().end, more.end);
    else if (more.begin < more.end)
        ranges.push_back(more);
}

/// A text of S positions whose last T ask.
struct Text {
    Index T, S, w;
    std::vector<Index> global;  ///< in order

    Text(Index queries, Index positions, Index window, std::vector<Index> globals)
        : T(queries), S(positions), w(window), global(std::move(globals)) {
        if (T < 1 || T > S) throw std::invalid_argument("T must lie in [1, S]");
        if (w < 1) throw std::invalid_argument("w must be at least 1");
        std::sort(global.begin(), global.end());
        if (!global.empty() && (global.front() < 0 || global.back() >= S))
            throw std::invalid_argument("global positions must lie in [0, S)");
    }

    Index position(Index t) const { return S - T + t; }
    bool is_global(Index p) const { return std::binary_search(global.begin(), global.end(), p); }

    /// What the query at position p sees, padding aside.
    Ranges seen_from(Index p) const {
        if (is_global(p)) return {{0, p + 1}};
        const Index begin = p < w ? 0 : p - w + 1;
        Ranges ranges;
        for (const Index g : global)
            if (g < begin) add(ranges, {g, g + 1});
        add(ranges, {begin, p + 1});
        return ranges;
    }
};

Mask as_mask(const Text& text, const std::function<Ranges(Index p)>& open) {
    Mask mask = Mask::block_all({text.T, text.S});
    for (Index t = 0; t < text.T; ++t)
        for (const Range& range : open(text.position(t)))
            for (Index s = range.begin; s < range.end; ++s) mask(t, s) = false;
    return mask;
}

/// A softmax that has seen some keys: it goes on with more.
struct Softmax {
    float largest = -std::numeric_limits<float>::infinity();
    float total = 0;
    std::vector<float> gathered;

    void take(float score, const float* value, Index stride) {
        if (score > largest) {
            const float shrink = std::exp(largest - score);
            total *= shrink;
            for (float& sum : gathered) sum *= shrink;
            largest = score;
        }
        const float share = std::exp(score - largest);
        total += share;
        for (std::size_t i = 0; i < gathered.size(); ++i) gathered[i] += share * value[static_cast<Index>(i) * stride];
    }
};

const float* row(const Tensor& x, Index b, Index h, Index t) {
    const Strides& stride = x.strides();
    return x.data() + b * stride[0] + h * stride[1] + t * stride[2];
}

float product(const float* a, Index step_a, const float* b, Index step_b, Index count) {
    float sum = 0;
    for (Index i = 0; i < count; ++i) sum += a[i * step_a] * b[i * step_b];
    return sum;
}

void require(bool holds, const std::string& what) {
    if (!holds) throw std::invalid_argument(what);
}

bool four_axes(const Tensor& x) { return x.rank() == 4; }

bool is(const Tensor& x, Index B, Index H, Index length, Index width) {
    return four_axes(x) && x.shape() == Shape{B, H, length, width};
}

}  // namespace

Mask window_mask(Index T, Index S, Index w) {
    const Text text(T, S, w, {});
    return as_mask(text, [&](Index p) { return text.seen_from(p); });
}

Mask global_mask(Index T, Index S, const std::vector<Index>& positions) {
    const Text text(T, S, 1, positions);
    return as_mask(text, [&](Index p) {
        Ranges ranges;
        if (text.is_global(p)) return Ranges{{0, S}};
        for (const Index g : text.global) add(ranges, {g, g + 1});
        return ranges;
    });
}

Mask long_mask(Index T, Index S, Index w, const std::vector<Index>& globals, const Mask& padding) {
    const Text text(T, S, w, globals);
    const Mask mask = as_mask(text, [&](Index p) { return text.seen_from(p); });
    if (!padding.defined()) return mask;
    require(padding.rank() == 4 && padding.shape() == Shape{padding.size(0), 1, 1, S}, "padding must be (B, 1, 1, S)");
    return mask | padding;
}

Tensor window_attention(const Tensor& q, const Tensor& k, const Tensor& v, Index w, const std::vector<Index>& globals,
                        const Mask& padding) {
    require(four_axes(q) && four_axes(k) && four_axes(v), "q, k and v must have four axes");
    const Index B = q.size(0), H = q.size(1), d = q.size(3), d_v = v.size(3);
    const Text text(q.size(2), k.size(2), w, globals);
    require(is(k, B, H, text.S, d), "k must be (B, H, S, d)");
    require(is(v, B, H, text.S, d_v), "v must be (B, H, S, d_v)");
    require(!padding.defined() || padding.shape() == Shape{B, 1, 1, text.S}, "padding must be (B, 1, 1, S)");
    const float scale = 1 / std::sqrt(static_cast<float>(d));
    Tensor context = Tensor::zeros({B, H, text.T, d_v});
    for (Index t = 0; t < text.T; ++t) {
        const Ranges ranges = text.seen_from(text.position(t));
        for (Index b = 0; b < B; ++b)
            for (Index h = 0; h < H; ++h) {
                Softmax softmax;
                softmax.gathered.resize(static_cast<std::size_t>(d_v));
                for (const Range& range : ranges)
                    for (Index s = range.begin; s < range.end; ++s) {
                        if (padding.defined() && padding(b, 0, 0, s)) continue;
                        const float score =
                            scale * product(row(q, b, h, t), q.strides()[3], row(k, b, h, s), k.strides()[3], d);
                        softmax.take(score, row(v, b, h, s), v.strides()[3]);
                    }
                for (Index i = 0; i < d_v && softmax.total > 0; ++i)
                    context(b, h, t, i) = softmax.gathered[static_cast<std::size_t>(i)] / softmax.total;
            }
    }
    return context;
}

RingCache make_ring(Index B, Index H, Index w, Index d, Index d_v) {
    require(B >= 1 && H >= 1 && w >= 1 && d >= 1 && d_v >= 1, "sizes must be at least 1");
    return RingCache{Tensor::zeros({B, H, w, d}), Tensor::zeros({B, H, w, d_v})};
}

namespace {

void require_fits(const RingCache& cache, const Tensor& k, const Tensor& v) {
    require(four_axes(k) && four_axes(v), "k and v must have four axes");
    const Index B = cache.k.size(0), H = cache.k.size(1), n = k.size(2);
    require(is(k, B, H, n, cache.k.size(3)), "k must be (B, H, n, d)");
    require(is(v, B, H, n, cache.v.size(3)), "v must be (B, H, n, d_v)");
}

Index slots(const RingCache& cache) { return cache.k.size(2); }

/// The position of the token in a slot; nothing where none has come yet.
std::optional<Index> position_in(const RingCache& cache, Index slot) {
    const Index w = slots(cache), turns = (cache.next - 1 - slot) / w;
    if (slot >= cache.next) return std::nullopt;
    return slot + turns * w;
}

}  // namespace

void ring_append(RingCache& cache, const Tensor& k, const Tensor& v) {
    require_fits(cache, k, v);
    const Index w = slots(cache), n = k.size(2), end = cache.next + n;
    RingCache fresh{Tensor::zeros(cache.k.shape()), Tensor::zeros(cache.v.shape()), end};
    for (Index slot = 0; slot < w; ++slot) {
        // Which token is there afterwards: the last one whose position is slot, modulo w.
        const std::optional<Index> position = position_in(fresh, slot);
        const bool is_new = position && *position >= cache.next;
        const Index from = is_new ? *position - cache.next : slot;
        fresh.k.select(2, slot).copy_from((is_new ? k : cache.k).select(2, from));
        fresh.v.select(2, slot).copy_from((is_new ? v : cache.v).select(2, from));
    }
    cache = fresh;
}

Tensor ring_decode(RingCache& cache, const Tensor& q, const Tensor& k, const Tensor& v) {
    require_fits(cache, k, v);
    require(q.shape() == k.shape(), "q must be as k is");
    const Index w = slots(cache), n = q.size(2);
    if (n > 1) {  // half of them, and then the other half: in the end one at a time
        const Index half = n / 2;
        const auto first = [&](const Tensor& x) { return x.slice(2, 0, half); };
        const auto second = [&](const Tensor& x) { return x.slice(2, half, n); };
        const Tensor early = ring_decode(cache, first(q), first(k), first(v));
        return cat({early, ring_decode(cache, second(q), second(k), second(v))}, 2);
    }
    std::vector<Tensor> keys{k}, values{v};
    for (Index slot = 0; slot < w; ++slot) {
        const std::optional<Index> position = position_in(cache, slot);
        if (!position || cache.next - *position >= w) continue;
        keys.push_back(cache.k.slice(2, slot, slot + 1));
        values.push_back(cache.v.slice(2, slot, slot + 1));
    }
    const Tensor all = cat(keys, 2);
    const Tensor answer = given::scaled_dot_product_context(q, all, cat(values, 2));
    ring_append(cache, k, v);
    return answer;
}

Mask reach(const Mask& mask, Index layers) {
    require(mask.rank() == 2 && mask.size(0) == mask.size(1), "the mask must be (S, S)");
    require(layers >= 1, "there must be a layer");
    const Index S = mask.size(0);
    if (layers == 1) return mask.clone();
    const Mask half = reach(mask, layers / 2), other = layers % 2 == 0 ? half : reach(mask, layers - layers / 2);
    Mask both = Mask::block_all({S, S});
    for (Index t = 0; t < S; ++t)
        for (Index s = 0; s < S; ++s)
            for (Index u = 0; u < S && both(t, s); ++u) both(t, s) = half(t, u) || other(u, s);
    return both;
}

Index window_reach(Index w, Index layers) {
    require(w >= 1 && layers >= 1, "w and layers must be at least 1");
    return layers == 1 ? w : window_reach(w, layers - 1) + w - 1;
}

}  // namespace headway::ex11
