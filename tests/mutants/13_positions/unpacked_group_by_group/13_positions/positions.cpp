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

/// R (B, T, d, d), with x·R turned. Pair i is features first(i) and second(i).
Tensor turn_matrix(const Tensor& angles, Index from_pair, Index to_second) {
    const Index B = angles.size(0), T = angles.size(1), pairs = angles.size(2);
    Tensor all = Tensor::zeros({B, T, 2 * pairs, 2 * pairs});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t)
            for (Index i = 0; i < pairs; ++i) {
                const float c = std::cos(angles(b, t, i)), s = std::sin(angles(b, t, i));
                const Index x = i * from_pair, y = x + to_second;
                all(b, t, x, x) = c;
                all(b, t, y, x) = -s;
                all(b, t, x, y) = s;
                all(b, t, y, y) = c;
            }
    return all;
}

/// x (B, H, T, d) by a matrix of its own for every token: as (B, T, H, d)·(B, T, d, d).
Tensor times_matrix(const Tensor& x, const Tensor& matrix) {
    return matmul(x.transpose(1, 2).contiguous(), matrix).transpose(1, 2).contiguous();
}

/// (E, E): column j of w·permutation is column order[j] of w.
Tensor permutation(const std::vector<Index>& order) {
    const auto E = static_cast<Index>(order.size());
    Tensor all = Tensor::zeros({E, E});
    for (Index j = 0; j < E; ++j) all(order[static_cast<std::size_t>(j)], j) = 1;
    return all;
}
Tensor permuted(const Tensor& w, const std::vector<Index>& order) {
    const Index E = w.size(-1);
    return matmul(w.contiguous().view({w.numel() / E, E}), permutation(order)).view(w.shape());
}

/// The queries of a group stacked: keys and values are used where they are.
Tensor attend(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2), H_kv = k.size(1), rows = H / H_kv * T;
    const Tensor stacked = q.contiguous().view({B, H_kv, rows, q.size(3)});
    Mask folded;
    if (mask.defined()) {
        const Mask dense = mask.expand({B, H, T, S}).clone();
        folded = Mask::allow_all({B, H_kv, rows, S});
        std::copy(dense.data(), dense.data() + dense.numel(), folded.data());
    }
    const Tensor context = given::scaled_dot_product_context(stacked, k, v, folded);
    return context.contiguous().view({B, H, T, v.size(3)});
}

}  // namespace

Tensor token_positions(const std::vector<Index>& padding, Index first, Index T) {
    require(!padding.empty() && first >= 0 && T >= 1, "token_positions");
    for (const Index padded : padding) require(padded >= 0, "padding");
    const auto B = static_cast<Index>(padding.size());
    Tensor all = Tensor::empty({B, T});
    float* out = all.data();
    for (const Index padded : padding)
        for (Index t = 0; t < T; ++t) {
            const Index column = first + t;
            *out++ = column < padded ? 0.0F : static_cast<float>(column - padded);
        }
    return all;
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
    return times_matrix(x, turn_matrix(angles, 2, 1));
}

Tensor rotate_halves(const Tensor& x, const Tensor& angles) {
    check_turn(x, angles);
    const Index B = x.size(0), T = x.size(2), half = x.size(3) / 2;
    Tensor turned = Tensor::empty(x.shape());
    for (Index i = 0; i < half; ++i) {
        Tensor c = Tensor::empty({B, 1, T}), s = Tensor::empty({B, 1, T});
        for (Index b = 0; b < B; ++b)
            for (Index t = 0; t < T; ++t) {
                c(b, 0, t) = std::cos(angles(b, t, i));
                s(b, 0, t) = std::sin(angles(b, t, i));
            }
        const Tensor left = x.select(3, i), right = x.select(3, i + half);  // (B, H, T)
        turned.select(3, i).copy_from(left * c - right * s);
        turned.select(3, i + half).copy_from(left * s + right * c);
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
    std::vector<Index> order;
    for (Index h = 0; h < num_heads; ++h)
        for (Index i = 0; i < d / 2; ++i)
            for (const Index half : {0, 1}) order.push_back(h * d + i + half * (d / 2));
    return permuted(w, order);
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
    const Index D = w_q.size(0), E = w_q.size(1), E_kv = w_k.size(1), all = E + 2 * E_kv;
    Tensor weight = Tensor::empty({all, D});
    weight.slice(0, 0, E).copy_from(w_q.transpose(0, 1));
    weight.slice(0, E, E + E_kv).copy_from(w_k.transpose(0, 1));
    weight.slice(0, E + E_kv, all).copy_from(w_v.transpose(0, 1));
    if (!biased) return {weight, {}};
    Tensor bias = Tensor::empty({all});
    bias.slice(0, 0, E).copy_from(b_q);
    bias.slice(0, E, E + E_kv).copy_from(b_k);
    bias.slice(0, E + E_kv, all).copy_from(b_v);
    return {weight, bias};
}

Projections unpack_in_projection(const Packed& packed, Index num_heads, Index num_kv_heads) {
    const Index d = check_unpack(packed, num_heads, num_kv_heads), D = packed.weight.size(1);
    const Index E = num_heads * d, E_kv = num_kv_heads * d, queries = E / num_kv_heads, group = queries + 2 * d;
    const auto row_of = [&](Index begin, Index column) {
        if (begin == 0) return column / queries * group + column % queries;
        return column / d * group + queries + (begin == E ? 0 : d) + column % d;
    };
    const auto weight = [&](Index begin, Index heads) {
        Tensor w = Tensor::empty({D, heads * d});
        for (Index row = 0; row < D; ++row)
            for (Index column = 0; column < heads * d; ++column)
                w(row, column) = packed.weight(row_of(begin, column), row);
        return w;
    };
    const auto bias = [&](Index begin, Index heads) {
        if (!packed.bias.defined()) return Tensor{};
        Tensor b = Tensor::empty({heads * d});
        for (Index column = 0; column < heads * d; ++column) b(column) = packed.bias(row_of(begin, column));
        return b;
    };
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
