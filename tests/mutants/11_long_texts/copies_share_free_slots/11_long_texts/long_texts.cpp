#include "long_texts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
namespace headway::ex11 {
static void check_sizes(Index T, Index S) {
    if (T < 1 || S < T) throw std::invalid_argument("T queries are the last of S positions");
}
static void check_window(Index w) {
    if (w < 1) throw std::invalid_argument("w < 1");
}

Mask window_mask(Index T, Index S, Index w) {
    check_sizes(T, S);
    check_window(w);
    Mask mask = Mask::block_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) {
            const Index distance = t + (S - T) - s;
            if (distance >= 0 && distance < w) mask(t, s) = false;
        }
    return mask;
}

static std::vector<bool> marked(Index S, const std::vector<Index>& positions) {
    std::vector<bool> is_global(static_cast<std::size_t>(S), false);
    for (const Index p : positions) {
        if (p < 0 || p >= S) throw std::invalid_argument("a global position is in [0, S)");
        is_global[static_cast<std::size_t>(p)] = true;
    }
    return is_global;
}

Mask global_mask(Index T, Index S, const std::vector<Index>& positions) {
    check_sizes(T, S);
    const std::vector<bool> is_global = marked(S, positions);
    Mask mask = Mask::block_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s)
            if (is_global[static_cast<std::size_t>(t + (S - T))] || is_global[static_cast<std::size_t>(s)])
                mask(t, s) = false;
    return mask;
}

Mask long_mask(Index T, Index S, Index w, const std::vector<Index>& globals, const Mask& padding) {
    const Mask window = window_mask(T, S, w), global = global_mask(T, S, globals);
    Mask mask = Mask::block_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s <= t + (S - T); ++s)
            if (!window(t, s) || !global(t, s)) mask(t, s) = false;
    if (!padding.defined()) return mask;
    if (padding.rank() != 4 || padding.shape() != Shape{padding.size(0), 1, 1, S})
        throw std::invalid_argument("padding is (B, 1, 1, S)");
    return mask | padding;
}

static void check_attention(const Tensor& q, const Tensor& k, const Tensor& v, Index w, const Mask& padding) {
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4) throw std::invalid_argument("four axes");
    check_sizes(q.size(2), k.size(2));
    check_window(w);
    if (k.size(0) != q.size(0) || v.size(0) != q.size(0) || k.size(1) != q.size(1) || v.size(1) != q.size(1) ||
        k.size(3) != q.size(3) || k.size(2) != v.size(2))
        throw std::invalid_argument("shapes do not fit");
    if (padding.defined() && padding.shape() != Shape{q.size(0), 1, 1, k.size(2)})
        throw std::invalid_argument("padding is (B, 1, 1, S)");
}

/// One query over the keys of `seen`: numbers are taken where they lie.
static void attend_one(const float* q, Index q_step, const Tensor& k, const Tensor& v, Index b, Index h,
                       const std::vector<Index>& seen, float* out) {
    const Index d = k.size(3), d_v = v.size(3);
    const Strides &ks = k.strides(), &vs = v.strides();
    const float* keys = k.data() + b * ks[0] + h * ks[1];
    const float* values = v.data() + b * vs[0] + h * vs[1];
    for (Index j = 0; j < d_v; ++j) out[j] = 0;
    if (seen.empty()) return;
    std::vector<float> scores(seen.size());
    float largest = -std::numeric_limits<float>::infinity();
    for (std::size_t i = 0; i < seen.size(); ++i) {
        const float* key = keys + seen[i] * ks[2];
        float score = 0;
        for (Index j = 0; j < d; ++j) score += q[j * q_step] * key[j * ks[3]];
        scores[i] = score / std::sqrt(static_cast<float>(d));
        largest = std::max(largest, scores[i]);
    }
    float total = 0;
    for (float& score : scores) total += score = std::exp(score - largest);
    for (std::size_t i = 0; i < seen.size(); ++i) {
        const float* value = values + seen[i] * vs[2];
        for (Index j = 0; j < d_v; ++j) out[j] += scores[i] / total * value[j * vs[3]];
    }
}

Tensor window_attention(const Tensor& q, const Tensor& k, const Tensor& v, Index w, const std::vector<Index>& globals,
                        const Mask& padding) {
    check_attention(q, k, v, w, padding);
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2), d_v = v.size(3);
    const std::vector<bool> is_global = marked(S, globals);
    std::vector<Index> sorted(globals);
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    Tensor result = Tensor::zeros({B, H, T, d_v});
    const Strides& qs = q.strides();
    std::vector<Index> seen;
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t) {
            const Index p = t + (S - T);
            const Index first = is_global[static_cast<std::size_t>(p)] ? 0 : std::max<Index>(0, p - w + 1);
            seen.clear();
            for (const Index g : sorted)
                if (g < first) seen.push_back(g);
            for (Index s = first; s <= p; ++s) seen.push_back(s);
            if (padding.defined())
                seen.erase(std::remove_if(seen.begin(), seen.end(), [&](Index s) { return padding(b, 0, 0, s); }),
                           seen.end());
            for (Index h = 0; h < H; ++h)
                attend_one(q.data() + b * qs[0] + h * qs[1] + t * qs[2], qs[3], k, v, b, h, seen,
                           result.data() + ((b * H + h) * T + t) * d_v);
        }
    return result;
}

RingCache make_ring(Index B, Index H, Index w, Index d, Index d_v) {
    if (B < 1 || H < 1 || w < 1 || d < 1 || d_v < 1) throw std::invalid_argument("make_ring: every size is at least 1");
    return {Tensor::zeros({B, H, w, d}), Tensor::zeros({B, H, w, d_v}), 0};
}

static void check_ring(const RingCache& cache, const Tensor& k, const Tensor& v) {
    if (k.rank() != 4 || v.rank() != 4) throw std::invalid_argument("four axes");
    const Index B = cache.k.size(0), H = cache.k.size(1), n = k.size(2);
    if (n < 1 || k.shape() != Shape{B, H, n, cache.k.size(3)} || v.shape() != Shape{B, H, n, cache.v.size(3)})
        throw std::invalid_argument("ring: shapes");
}
static void make_own(Tensor& x) {
    if (x.owns_storage()) return;
    Tensor fresh = Tensor::empty(x.shape());
    fresh.copy_from(x);
    x = fresh;
}

void ring_append(RingCache& cache, const Tensor& k, const Tensor& v) {
    check_ring(cache, k, v);
    const Index w = cache.k.size(2), n = k.size(2);
    if (cache.next + n > w) {
        make_own(cache.k);
        make_own(cache.v);
    }
    for (Index t = std::max<Index>(0, n - w); t < n; ++t) {
        const Index slot = (cache.next + t) % w;
        cache.k.slice(2, slot, slot + 1).copy_from(k.slice(2, t, t + 1));
        cache.v.slice(2, slot, slot + 1).copy_from(v.slice(2, t, t + 1));
    }
    cache.next += n;
}
Tensor ring_decode(RingCache& cache, const Tensor& q, const Tensor& k, const Tensor& v) {
    check_ring(cache, k, v);
    if (q.shape() != k.shape()) throw std::invalid_argument("ring_decode: q");
    const Index B = k.size(0), H = k.size(1), n = k.size(2), w = cache.k.size(2), held = std::min(cache.next, w);
    Tensor keys = Tensor::empty({B, H, held + n, k.size(3)}), values = Tensor::empty({B, H, held + n, v.size(3)});
    for (Index i = 0; i < held; ++i) {
        const Index slot = (cache.next - held + i) % w;
        keys.slice(2, i, i + 1).copy_from(cache.k.slice(2, slot, slot + 1));
        values.slice(2, i, i + 1).copy_from(cache.v.slice(2, slot, slot + 1));
    }
    keys.slice(2, held, held + n).copy_from(k);
    values.slice(2, held, held + n).copy_from(v);
    const Tensor context = window_attention(q, keys, values, w, {}, Mask{});
    ring_append(cache, k, v);
    return context;
}

static Mask product(const Mask& a, const Mask& b) {
    const Index S = a.size(0);
    Mask result = Mask::block_all({S, S});
    for (Index t = 0; t < S; ++t)
        for (Index u = 0; u < S; ++u)
            if (!a(t, u))
                for (Index s = 0; s < S; ++s)
                    if (!b(u, s)) result(t, s) = false;
    return result;
}

Mask reach(const Mask& mask, Index layers) {
    if (!mask.defined() || mask.rank() != 2 || mask.size(0) != mask.size(1) || mask.size(0) < 1 || layers < 1)
        throw std::invalid_argument("reach: a square mask and at least one layer");
    Mask power = mask.clone(), result;
    for (Index left = layers; left > 0; left /= 2) {
        if (left % 2 == 1) result = result.defined() ? product(result, power) : power.clone();
        if (left > 1) power = product(power, power);
    }
    return result;
}

Index window_reach(Index w, Index layers) {
    if (w < 1 || layers < 1) throw std::invalid_argument("window_reach: w and layers are at least 1");
    return layers * (w - 1) + 1;
}

}  // namespace headway::ex11
