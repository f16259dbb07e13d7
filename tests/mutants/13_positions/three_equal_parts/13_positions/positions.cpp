#include "positions.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace headway::ex13 {
namespace {

void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

void check_turn(const Tensor& x, const Tensor& angles) {
    require(x.rank() == 4 && x.size(3) % 2 == 0, "x must be (B, H, T, d), d even");
    require(angles.shape() == Shape{x.size(0), x.size(2), x.size(3) / 2}, "angles must be (B, T, d/2)");
}

Index width_of_head(const Tensor& w, Index num_heads) {
    require(w.rank() > 0 && num_heads > 0 && w.size(-1) % (2 * num_heads) == 0, "heads of even width");
    return w.size(-1) / num_heads;
}

void check_heads(const Tensor& q, const Tensor& k, const Tensor& v) {
    require(q.rank() == 4 && k.rank() == 4 && v.rank() == 4, "four axes");
    require(q.size(0) == k.size(0) && k.size(0) == v.size(0), "one batch");
    require(k.size(1) == v.size(1) && q.size(1) % k.size(1) == 0, "groups of heads");
    require(k.size(2) == v.size(2), "a value for each key");
    require(q.size(3) == k.size(3), "q and k are as wide");
}

void check_cache(const Cache& cache, const Tensor& q, const Tensor& k, const Tensor& v, std::size_t counts) {
    check_heads(q, k, v);
    require(k.size(2) == q.size(2), "a key for each query");
    require(counts == static_cast<std::size_t>(q.size(0)), "a count for each text");
    require(cache.k.defined() == cache.v.defined(), "keys and values");
    if (!cache.k.defined()) return;
    require(cache.k.rank() == 4 && cache.v.rank() == 4, "a cache has four axes");
    const Index P = cache.k.size(2);
    require(cache.k.shape() == Shape{k.size(0), k.size(1), P, k.size(3)}, "cached keys");
    require(cache.v.shape() == Shape{k.size(0), k.size(1), P, v.size(3)}, "cached values");
}

bool check_pack(const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& b_q, const Tensor& b_k,
                const Tensor& b_v) {
    require(w_q.rank() == 2 && w_k.rank() == 2 && w_v.shape() == w_k.shape(), "three matrices");
    require(w_q.size(0) == w_k.size(0), "one D");
    const bool biased = b_q.defined() || b_k.defined() || b_v.defined();
    if (!biased) return false;
    require(b_q.shape() == Shape{w_q.size(1)}, "b_q");
    require(b_k.shape() == Shape{w_k.size(1)} && b_v.shape() == b_k.shape(), "b_k and b_v");
    return true;
}

Index check_unpack(const Packed& packed, Index num_heads, Index num_kv_heads) {
    require(num_heads > 0 && num_kv_heads > 0 && num_heads % num_kv_heads == 0, "groups of heads");
    require(packed.weight.rank() == 2, "a matrix");
    const Index heads = num_heads + 2 * num_kv_heads;
    require(packed.weight.size(0) % heads == 0, "rows for all heads");
    if (packed.bias.defined()) require(packed.bias.shape() == Shape{packed.weight.size(0)}, "a bias for each row");
    return packed.weight.size(0) / heads;
}

/// (x1, x2) -> (-x2, x1): every pair of halves a quarter turn on.
Tensor quarter_turn(const Tensor& x) {
    const Index half = x.size(3) / 2;
    return cat({-x.slice(3, half, 2 * half), x.slice(3, 0, half)}, 3);
}

/// cos or sin of each angle, twice, for all heads: (B, 1, T, d).
Tensor both_halves(const Tensor& angles, float (*function)(float)) {
    Tensor all = Tensor::empty({angles.size(0), 1, angles.size(1), 2 * angles.size(2)});
    for (Index b = 0; b < angles.size(0); ++b)
        for (Index t = 0; t < angles.size(1); ++t)
            for (Index i = 0; i < angles.size(2); ++i)
                all(b, 0, t, i) = all(b, 0, t, i + angles.size(2)) = function(angles(b, t, i));
    return all;
}
float cosine(float angle) { return std::cos(angle); }
float sine(float angle) { return std::sin(angle); }

/// Grouped attention, query by query.
Tensor attend(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2), d_v = v.size(3);
    const Mask blocked = mask.defined() ? mask.expand({B, H, T, S}) : Mask::allow_all({B, H, T, S});
    Tensor context = Tensor::zeros({B, H, T, d_v});
    std::vector<float> weight(static_cast<std::size_t>(S));
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t) {
                const Index g = h / (H / k.size(1));
                float largest = -INFINITY, total = 0;
                for (Index s = 0; s < S; ++s) {
                    float dot = 0;
                    for (Index i = 0; i < d; ++i) dot += q(b, h, t, i) * k(b, g, s, i);
                    dot /= std::sqrt(static_cast<float>(d));
                    weight[static_cast<std::size_t>(s)] = blocked(b, h, t, s) ? -INFINITY : dot;
                    largest = std::max(largest, weight[static_cast<std::size_t>(s)]);
                }
                if (largest == -INFINITY) continue;  // it sees no key
                for (float& w : weight) total += w = std::exp(w - largest);
                for (Index s = 0; s < S; ++s)
                    for (Index i = 0; i < d_v; ++i)
                        context(b, h, t, i) += weight[static_cast<std::size_t>(s)] / total * v(b, g, s, i);
            }
    return context;
}

}  // namespace

Tensor token_positions(const std::vector<Index>& padding, Index first, Index T) {
    require(!padding.empty() && first >= 0 && T >= 1, "token_positions");
    std::vector<float> all;
    for (const Index padded : padding) {
        require(padded >= 0, "padding");
        Index next = 0;  // counts up with every real token
        for (Index column = 0; column < first + T; ++column) {
            const bool is_real = column >= padded;
            if (column >= first) all.push_back(is_real ? static_cast<float>(next) : 0.0F);
            if (is_real) ++next;
        }
    }
    return Tensor::of({static_cast<Index>(padding.size()), T}, all);
}

Tensor rotation_angles(const Tensor& positions, Index d, double base) {
    require(positions.rank() == 2 && d >= 2 && d % 2 == 0 && base > 0, "rotation_angles");
    const auto slope = static_cast<float>(-2.0 * std::log(base) / static_cast<double>(d));
    const Tensor turns = exp(Tensor::arange(d / 2) * slope);
    const Index B = positions.size(0), T = positions.size(1);
    return matmul(positions.contiguous().view({B, T, 1}), turns.view({1, d / 2}));
}

Tensor rotate_pairs(const Tensor& x, const Tensor& angles) {
    check_turn(x, angles);
    const Index B = x.size(0), T = x.size(2);
    Tensor turned = Tensor::empty(x.shape());
    for (Index i = 0; i < x.size(3) / 2; ++i) {
        Tensor c = Tensor::empty({B, 1, T}), s = Tensor::empty({B, 1, T});
        for (Index b = 0; b < B; ++b)
            for (Index t = 0; t < T; ++t) {
                c(b, 0, t) = std::cos(angles(b, t, i));
                s(b, 0, t) = std::sin(angles(b, t, i));
            }
        const Tensor even = x.select(3, 2 * i), odd = x.select(3, 2 * i + 1);  // (B, H, T)
        turned.select(3, 2 * i).copy_from(even * c - odd * s);
        turned.select(3, 2 * i + 1).copy_from(even * s + odd * c);
    }
    return turned;
}

Tensor rotate_halves(const Tensor& x, const Tensor& angles) {
    check_turn(x, angles);
    return x * both_halves(angles, &cosine) + quarter_turn(x) * both_halves(angles, &sine);
}

Tensor pairs_to_halves(const Tensor& w, Index num_heads) {
    const Index d = width_of_head(w, num_heads);
    Tensor other = Tensor::empty(w.shape());
    for (Index h = 0; h < num_heads; ++h)
        for (Index i = 0; i < d / 2; ++i) {
            other.select(-1, h * d + i).copy_from(w.select(-1, h * d + 2 * i));
            other.select(-1, h * d + d / 2 + i).copy_from(w.select(-1, h * d + 2 * i + 1));
        }
    return other;
}

Tensor halves_to_pairs(const Tensor& w, Index num_heads) {
    const Index d = width_of_head(w, num_heads), half = d / 2;
    const Tensor from = w.contiguous();
    Tensor other = Tensor::empty(w.shape());
    for (Index n = 0; n < from.numel(); ++n) {
        const Index feature = n % d, head = n - feature;
        other.data()[n] = from.data()[head + feature / 2 + feature % 2 * half];
    }
    return other;
}

Tensor rotary_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& q_positions,
                        const Tensor& k_positions, double base, const Mask& mask) {
    check_heads(q, k, v);
    require(q.size(3) % 2 == 0, "an even width");
    // Products do not care in which order features stand, if it is the same for both.
    const Tensor turned_q = rotate_halves(pairs_to_halves(q, 1), rotation_angles(q_positions, q.size(3), base));
    const Tensor turned_k = rotate_halves(pairs_to_halves(k, 1), rotation_angles(k_positions, k.size(3), base));
    return attend(turned_q, turned_k, v, mask);
}

Decoded decode(const Cache& cache, const Tensor& q, const Tensor& k, const Tensor& v, const std::vector<Index>& padding,
               double base) {
    check_cache(cache, q, k, v, padding.size());
    const Index B = q.size(0), H = q.size(1), T = q.size(2), P = cache.k.defined() ? cache.k.size(2) : 0;
    const Tensor angles = rotation_angles(token_positions(padding, P, T), q.size(3), base);
    const Tensor turned_q = rotate_pairs(q, angles), turned_k = rotate_pairs(k, angles);
    const Cache grown = P == 0 ? Cache{turned_k, v.clone()} : Cache{cat({cache.k, turned_k}, 2), cat({cache.v, v}, 2)};
    Tensor context = Tensor::zeros({B, H, T, v.size(3)});
    for (Index b = 0; b < B; ++b) {  // each text by itself, from its first real token on
        const Index begin = padding[static_cast<std::size_t>(b)];
        for (Index t = std::max<Index>(0, begin - P); t < T; ++t) {
            const auto seen = [&](const Tensor& kv) { return kv.slice(0, b, b + 1).slice(2, begin, P + t + 1); };
            const Tensor query = turned_q.slice(0, b, b + 1).slice(2, t, t + 1);
            context.slice(0, b, b + 1).slice(2, t, t + 1).copy_from(attend(query, seen(grown.k), seen(grown.v), {}));
        }
    }
    return {context, grown};
}

Packed pack_in_projection(const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& b_q, const Tensor& b_k,
                          const Tensor& b_v) {
    const bool biased = check_pack(w_q, w_k, w_v, b_q, b_k, b_v);
    const Index D = w_q.size(0), E = w_q.size(1), E_kv = w_k.size(1);
    Packed packed{Tensor::empty({E + 2 * E_kv, D}), biased ? Tensor::empty({E + 2 * E_kv}) : Tensor{}};
    Index row = 0;
    const auto put = [&](const Tensor& w, const Tensor& b) {
        for (Index column = 0; column < w.size(1); ++column, ++row) {
            packed.weight[row].copy_from(w.select(1, column));
            if (biased) packed.bias(row) = b(column);
        }
    };
    put(w_q, b_q);
    put(w_k, b_k);
    put(w_v, b_v);
    return packed;
}

Projections unpack_in_projection(const Packed& packed, Index num_heads, Index num_kv_heads) {
    const Index d = check_unpack(packed, num_heads, num_kv_heads);
    require(d > 0, "heads");
    const Index third = packed.weight.size(0) / 3;
    const auto weight = [&](Index part) {
        return packed.weight.slice(0, part * third, (part + 1) * third).transpose(0, 1).contiguous().clone();
    };
    const auto bias = [&](Index part) {
        return packed.bias.defined() ? packed.bias.slice(0, part * third, (part + 1) * third).clone() : Tensor{};
    };
    return {weight(0), weight(1), weight(2), bias(0), bias(1), bias(2)};
}

}  // namespace headway::ex13
