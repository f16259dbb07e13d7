#include "long_texts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

namespace headway::ex11 {

// Pointers and strides, an online softmax for each query, reach by squaring rows of bits.

namespace {

void check(bool fine) {
    if (!fine) throw std::invalid_argument("long_texts: sizes or shapes do not fit");
}

bool is_shape(const Tensor& x, Index B, Index H, Index P, Index width) {
    return x.shape() == Shape{B, H, P, width} && B >= 1 && H >= 1 && P >= 1 && width >= 1;
}

/// Which tokens are global, as a table.
std::vector<bool> marked(const std::vector<Index>& positions, Index S) {
    std::vector<bool> marks(static_cast<std::size_t>(S), false);
    for (const Index p : positions) {
        check(0 <= p && p < S);
        marks[static_cast<std::size_t>(p)] = true;
    }
    return marks;
}

/// A row of a tensor of rank 4, where it lies.
struct Row {
    const float* data;
    Index stride;
    Row(const Tensor& x, Index b, Index h, Index p)
        : data(x.data() + b * x.strides()[0] + h * x.strides()[1] + p * x.strides()[2]), stride(x.strides()[3]) {}
    float operator[](Index i) const { return data[i * stride]; }
};

/// Takes in scores and values one by one, and keeps their softmax up to date.
class Online {
public:
    explicit Online(Index d_v) : sum_(static_cast<std::size_t>(d_v), 0.0F) {}

    void take(float score, const Row& value) {
        if (score > max_) {
            const float shrink = std::exp(max_ - score);
            total_ *= shrink;
            for (float& x : sum_) x *= shrink;
            max_ = score;
        }
        const float weight = std::exp(score - max_);
        total_ += weight;
        for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] += weight * value[static_cast<Index>(i)];
    }
    float result(std::size_t i) const { return total_ > 0 ? sum_[i] / total_ : 0.0F; }

private:
    float max_ = -std::numeric_limits<float>::infinity();
    float total_ = 0;
    std::vector<float> sum_;
};

/// Rows of bits: bit s of row t says that t sees s.
struct Bits {
    Index size;
    std::size_t words;
    std::vector<std::uint64_t> bits;

    explicit Bits(Index n)
        : size(n), words(static_cast<std::size_t>((n + 63) / 64)), bits(static_cast<std::size_t>(n) * words, 0) {}
    bool get(Index t, Index s) const {
        return (bits[static_cast<std::size_t>(t) * words + static_cast<std::size_t>(s / 64)] >> (s % 64)) & 1U;
    }
    void set(Index t, Index s) {
        bits[static_cast<std::size_t>(t) * words + static_cast<std::size_t>(s / 64)] |= std::uint64_t{1} << (s % 64);
    }
};

Bits product(const Bits& a, const Bits& b) {
    Bits c(a.size);
    for (Index t = 0; t < a.size; ++t)
        for (Index u = 0; u < a.size; ++u)
            if (a.get(t, u))
                for (std::size_t i = 0; i < a.words; ++i)
                    c.bits[static_cast<std::size_t>(t) * c.words + i] |=
                        b.bits[static_cast<std::size_t>(u) * b.words + i];
    return c;
}

Bits power(const Bits& a, Index layers) {
    if (layers == 1) return a;
    const Bits half = power(a, layers / 2);
    const Bits twice = product(half, half);
    return layers % 2 == 0 ? twice : product(twice, a);
}

}  // namespace

Mask window_mask(Index T, Index S, Index w) {
    check(T >= 1 && S >= T && w >= 1);
    Mask mask = Mask::allow_all({T, S});
    bool* out = mask.data();
    for (Index p = S - T; p < S; ++p)
        for (Index s = 0; s < S; ++s) *out++ = s > p || p - s >= w;
    return mask;
}

Mask global_mask(Index T, Index S, const std::vector<Index>& positions) {
    check(T >= 1 && S >= T);
    const std::vector<bool> marks = marked(positions, S);
    Mask mask = Mask::allow_all({T, S});
    bool* out = mask.data();
    for (Index p = S - T; p < S; ++p)
        for (Index s = 0; s < S; ++s)
            *out++ = !marks[static_cast<std::size_t>(p)] && !marks[static_cast<std::size_t>(s)];
    return mask;
}

Mask long_mask(Index T, Index S, Index w, const std::vector<Index>& globals, const Mask& padding) {
    check(T >= 1 && S >= T && w >= 1);
    const std::vector<bool> marks = marked(globals, S);
    const bool padded = padding.defined();
    const Index B = padded && padding.rank() == 4 ? padding.size(0) : 1;
    check(B >= 1);
    if (padded) check(padding.shape() == Shape{B, 1, 1, S});
    Mask mask = Mask::allow_all(padded ? Shape{B, 1, T, S} : Shape{T, S});
    bool* out = mask.data();
    for (Index b = 0; b < B; ++b) {
        for (Index p = S - T; p < S; ++p) {
            for (Index s = 0; s < S; ++s) {
                bool open = p - s < w || marks[static_cast<std::size_t>(p)] || marks[static_cast<std::size_t>(s)];
                if (s > p) open = false;
                if (padded && padding(b, 0, 0, s)) open = false;
                *out++ = !open;
            }
        }
    }
    return mask;
}

Tensor window_attention(const Tensor& q, const Tensor& k, const Tensor& v, Index w, const std::vector<Index>& globals,
                        const Mask& padding) {
    check(q.rank() == 4 && k.rank() == 4 && v.rank() == 4 && w >= 1);
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2), d_v = v.size(3);
    check(is_shape(q, B, H, T, d) && is_shape(k, B, H, S, d) && is_shape(v, B, H, S, d_v) && S >= T);
    if (padding.defined()) check(padding.shape() == Shape{B, 1, 1, S});
    const std::vector<bool> marks = marked(globals, S);
    std::vector<Index> tokens;
    for (Index s = 0; s < S; ++s)
        if (marks[static_cast<std::size_t>(s)]) tokens.push_back(s);

    const float scale = 1 / std::sqrt(static_cast<float>(d));
    Tensor context = Tensor::empty({B, H, T, d_v});
    for (Index b = 0; b < B; ++b) {
        for (Index h = 0; h < H; ++h) {
            for (Index t = 0; t < T; ++t) {
                const Index p = t + (S - T);
                const Row query(q, b, h, t);
                Online online(d_v);
                const auto look_at = [&](Index s) {
                    if (padding.defined() && padding(b, 0, 0, s)) return;
                    const Row key(k, b, h, s);
                    float score = 0;
                    for (Index i = 0; i < d; ++i) score += query[i] * key[i];
                    online.take(score * scale, Row(v, b, h, s));
                };
                const bool all = marks[static_cast<std::size_t>(p)];
                const Index first = all ? 0 : std::max<Index>(0, p - w + 1);
                for (const Index g : tokens) {
                    if (g >= first) break;
                    look_at(g);
                }
                for (Index s = first; s <= p; ++s) look_at(s);
                for (Index j = 0; j < d_v; ++j) context(b, h, t, j) = online.result(static_cast<std::size_t>(j));
            }
        }
    }
    return context;
}

RingCache make_ring(Index B, Index H, Index w, Index d, Index d_v) {
    check(std::min({B, H, w, d, d_v}) >= 1);
    return RingCache{Tensor::zeros({B, H, w, d}), Tensor::zeros({B, H, w, d_v})};
}

void ring_append(RingCache& cache, const Tensor& k, const Tensor& v) {
    check(cache.k.rank() == 4 && cache.v.rank() == 4 && k.rank() == 4 && v.rank() == 4);
    const Index B = cache.k.size(0), H = cache.k.size(1), w = cache.k.size(2), n = k.size(2);
    check(is_shape(k, B, H, n, cache.k.size(3)) && is_shape(v, B, H, n, cache.v.size(3)));
    const Tensor new_k = k, new_v = v;
    if (!cache.k.owns_storage()) cache.k = cache.k.clone();
    if (!cache.v.owns_storage()) cache.v = cache.v.clone();
    // The ring is ours now, so its rows follow one another.
    const auto write = [&](Tensor& ring, const Tensor& fresh) {
        const Index width = ring.size(3);
        for (Index b = 0; b < B; ++b) {
            for (Index h = 0; h < H; ++h) {
                float* slots = ring.data() + (b * H + h) * w * width;
                for (Index t = std::max<Index>(0, n - w); t < n; ++t) {
                    const Row token(fresh, b, h, t);
                    float* slot = slots + (cache.next + t) % w * width;
                    for (Index i = 0; i < width; ++i) slot[i] = token[i];
                }
            }
        }
    };
    write(cache.k, new_k);
    write(cache.v, new_v);
    cache.next += n;
}

Tensor ring_decode(RingCache& cache, const Tensor& q, const Tensor& k, const Tensor& v) {
    check(cache.k.rank() == 4 && cache.v.rank() == 4 && q.rank() == 4 && k.rank() == 4 && v.rank() == 4);
    const Index B = cache.k.size(0), H = cache.k.size(1), w = cache.k.size(2), n = k.size(2);
    const Index d = cache.k.size(3), d_v = cache.v.size(3);
    check(is_shape(q, B, H, n, d) && is_shape(k, B, H, n, d) && is_shape(v, B, H, n, d_v));
    const float scale = 1 / std::sqrt(static_cast<float>(d));
    Tensor context = Tensor::empty({B, H, n, d_v});
    for (Index b = 0; b < B; ++b) {
        for (Index h = 0; h < H; ++h) {
            for (Index t = 0; t < n; ++t) {
                const Index p = cache.next + t;
                const Row query(q, b, h, t);
                Online online(d_v);
                for (Index s = std::max<Index>(0, p - w + 1); s <= p; ++s) {
                    const bool kept = s < cache.next;
                    const Row key = kept ? Row(cache.k, b, h, s % w) : Row(k, b, h, s - cache.next);
                    const Row value = kept ? Row(cache.v, b, h, s % w) : Row(v, b, h, s - cache.next);
                    float score = 0;
                    for (Index i = 0; i < d; ++i) score += query[i] * key[i];
                    online.take(score * scale, value);
                }
                for (Index j = 0; j < d_v; ++j) context(b, h, t, j) = online.result(static_cast<std::size_t>(j));
            }
        }
    }
    ring_append(cache, k, v);
    return context;
}

Mask reach(const Mask& mask, Index layers) {
    check(mask.rank() == 2 && mask.size(0) >= 1 && mask.size(0) == mask.size(1) && layers >= 1);
    const Index S = mask.size(0);
    Bits sees(S);
    for (Index t = 0; t < S; ++t)
        for (Index s = 0; s < S; ++s)
            if (!mask(t, s)) sees.set(t, s);
    const Bits all = power(sees, layers);
    Mask result = Mask::block_all({S, S});
    for (Index t = 0; t < S; ++t)
        for (Index s = 0; s < S; ++s) result(t, s) = !all.get(t, s);
    return result;
}

Index window_reach(Index w, Index layers) {
    check(w >= 1 && layers >= 1);
    Index reached = w;
    return reached + (layers - 1) * (w - 1);
}

}  // namespace headway::ex11
