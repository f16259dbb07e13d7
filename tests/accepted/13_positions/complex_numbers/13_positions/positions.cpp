#include "positions.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
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

/// The pair (x, y) as x + iy, times e^(i·angle).
std::complex<float> turned_by(float x, float y, float angle) {
    return std::complex<float>(x, y) * std::polar(1.0F, angle);
}

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
    const Index B = positions.size(0), T = positions.size(1);
    Tensor angles = Tensor::empty({B, T, d / 2});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t)
            for (Index i = 0; i < d / 2; ++i) {
                const double share = static_cast<double>(2 * i) / static_cast<double>(d);
                const double turn = std::exp(-share * std::log(base));
                angles(b, t, i) = static_cast<float>(static_cast<double>(positions(b, t)) * turn);
            }
    return angles;
}

Tensor rotate_pairs(const Tensor& x, const Tensor& angles) {
    check_turn(x, angles);
    Tensor turned = Tensor::empty(x.shape());
    for (Index b = 0; b < x.size(0); ++b)
        for (Index h = 0; h < x.size(1); ++h)
            for (Index t = 0; t < x.size(2); ++t)
                for (Index i = 0; i < x.size(3) / 2; ++i) {
                    const auto z = turned_by(x(b, h, t, 2 * i), x(b, h, t, 2 * i + 1), angles(b, t, i));
                    turned(b, h, t, 2 * i) = z.real();
                    turned(b, h, t, 2 * i + 1) = z.imag();
                }
    return turned;
}

Tensor rotate_halves(const Tensor& x, const Tensor& angles) {
    check_turn(x, angles);
    const Index half = x.size(3) / 2;
    Tensor turned = Tensor::empty(x.shape());
    for (Index b = 0; b < x.size(0); ++b)
        for (Index h = 0; h < x.size(1); ++h)
            for (Index t = 0; t < x.size(2); ++t)
                for (Index i = 0; i < half; ++i) {
                    const auto z = turned_by(x(b, h, t, i), x(b, h, t, i + half), angles(b, t, i));
                    turned(b, h, t, i) = z.real();
                    turned(b, h, t, i + half) = z.imag();
                }
    return turned;
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
    const Index d = width_of_head(w, num_heads);
    Tensor other = Tensor::empty(w.shape());
    for (Index h = 0; h < num_heads; ++h)
        for (Index i = 0; i < d / 2; ++i) {
            other.select(-1, h * d + 2 * i).copy_from(w.select(-1, h * d + i));
            other.select(-1, h * d + 2 * i + 1).copy_from(w.select(-1, h * d + d / 2 + i));
        }
    return other;
}

Tensor rotary_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& q_positions,
                        const Tensor& k_positions, double base, const Mask& mask) {
    check_heads(q, k, v);
    const Tensor q_angles = rotation_angles(q_positions, q.size(3), base);
    const Tensor k_angles = rotation_angles(k_positions, k.size(3), base);
    return attend(rotate_pairs(q, q_angles), rotate_pairs(k, k_angles), v, mask);
}

Decoded decode(const Cache& cache, const Tensor& q, const Tensor& k, const Tensor& v, const std::vector<Index>& padding,
               double base) {
    check_cache(cache, q, k, v, padding.size());
    const Index B = q.size(0), T = q.size(2), P = cache.k.defined() ? cache.k.size(2) : 0;
    const Tensor angles = rotation_angles(token_positions(padding, P, T), q.size(3), base);
    const Tensor turned = rotate_pairs(k, angles);
    Cache grown{turned, v.clone()};
    if (P > 0) {
        grown.k = cat({cache.k, turned}, 2);
        grown.v = cat({cache.v, v}, 2);
    }
    Mask hidden = Mask::allow_all({B, 1, T, P + T});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t)
            for (Index s = 0; s < P + T; ++s)
                hidden(b, 0, t, s) = s > P + t || s < padding[static_cast<std::size_t>(b)];
    return {attend(rotate_pairs(q, angles), grown.k, grown.v, hidden), grown};
}

Packed pack_in_projection(const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& b_q, const Tensor& b_k,
                          const Tensor& b_v) {
    const bool biased = check_pack(w_q, w_k, w_v, b_q, b_k, b_v);
    const Index D = w_q.size(0), E = w_q.size(1), E_kv = w_k.size(1);
    Tensor weight = Tensor::empty({E + 2 * E_kv, D}), bias;
    for (Index j = 0; j < D; ++j) {
        for (Index i = 0; i < E; ++i) weight(i, j) = w_q(j, i);
        for (Index i = 0; i < E_kv; ++i) weight(E + i, j) = w_k(j, i);
        for (Index i = 0; i < E_kv; ++i) weight(E + E_kv + i, j) = w_v(j, i);
    }
    if (biased) {
        bias = Tensor::empty({E + 2 * E_kv});
        for (Index i = 0; i < E; ++i) bias(i) = b_q(i);
        for (Index i = 0; i < E_kv; ++i) bias(E + i) = b_k(i);
        for (Index i = 0; i < E_kv; ++i) bias(E + E_kv + i) = b_v(i);
    }
    return {weight, bias};
}

Projections unpack_in_projection(const Packed& packed, Index num_heads, Index num_kv_heads) {
    const Index d = check_unpack(packed, num_heads, num_kv_heads), D = packed.weight.size(1);
    const auto weight = [&](Index begin, Index heads) {
        Tensor w = Tensor::empty({D, heads * d});
        for (Index row = 0; row < D; ++row)
            for (Index column = 0; column < heads * d; ++column) w(row, column) = packed.weight(begin + column, row);
        return w;
    };
    const auto bias = [&](Index begin, Index heads) {
        if (!packed.bias.defined()) return Tensor{};
        Tensor b = Tensor::empty({heads * d});
        for (Index column = 0; column < heads * d; ++column) b(column) = packed.bias(begin + column);
        return b;
    };
    const Index E = num_heads * d, E_kv = num_kv_heads * d;
    Projections parts;
    parts.w_q = weight(0, num_heads);
    parts.w_k = weight(E, num_kv_heads);
    parts.w_v = weight(E + E_kv, num_kv_heads);
    parts.b_q = bias(0, num_heads);
    parts.b_k = bias(E, num_kv_heads);
    parts.b_v = bias(E + E_kv, num_kv_heads);
    return parts;
}

}  // namespace headway::ex13
