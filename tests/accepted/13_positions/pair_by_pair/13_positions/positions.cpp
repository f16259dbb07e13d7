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

template <class Holds>
Mask where(const Tensor& x, Holds holds) {  // x is dense
    Mask mask = Mask::allow_all(x.shape());
    for (Index i = 0; i < x.numel(); ++i) mask.data()[i] = holds(x.data()[i]);
    return mask;
}
Mask is_infinite(const Tensor& x) {
    return where(x, [](float number) { return std::isinf(number); });
}
Mask is_zero(const Tensor& x) {
    return where(x, [](float number) { return number == 0; });
}

/// One head at a time, by the formula.
Tensor attend(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2), group = H / k.size(1);
    Tensor context = Tensor::empty({B, H, T, v.size(3)});
    const Mask wide = mask.defined() ? mask.expand({B, H, T, S}) : Mask::allow_all({B, H, T, S});
    for (Index h = 0; h < H; ++h) {
        const Tensor keys = k.select(1, h / group), values = v.select(1, h / group);
        Tensor scores = matmul(q.select(1, h), keys.transpose(1, 2)) / std::sqrt(static_cast<float>(q.size(3)));
        Mask own = Mask::allow_all({B, T, S});
        for (Index b = 0; b < B; ++b)
            for (Index t = 0; t < T; ++t)
                for (Index s = 0; s < S; ++s) own(b, t, s) = wide(b, h, t, s);
        scores = masked_fill(scores, own, -INFINITY);
        const Tensor largest = max(scores, 2, KeepAxis::yes);
        const Tensor shift = masked_fill(largest, is_infinite(largest), 0);
        const Tensor share = exp(scores - shift), total = sum(share, 2, KeepAxis::yes);
        context.select(1, h).copy_from(matmul(share / masked_fill(total, is_zero(total), 1), values));
    }
    return context;
}

Tensor at_positions(const Tensor& x, const Tensor& positions, double base) {
    return rotate_pairs(x, rotation_angles(positions, x.size(3), base));
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
    std::vector<Index> order;
    for (Index h = 0; h < num_heads; ++h)
        for (const Index parity : {0, 1})
            for (Index i = 0; i < d / 2; ++i) order.push_back(h * d + 2 * i + parity);
    return permuted(w, order);
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
    return attend(at_positions(q, q_positions, base), at_positions(k, k_positions, base), v, mask);
}

Decoded decode(const Cache& cache, const Tensor& q, const Tensor& k, const Tensor& v, const std::vector<Index>& padding,
               double base) {
    check_cache(cache, q, k, v, padding.size());
    const Index T = q.size(2), P = cache.k.defined() ? cache.k.size(2) : 0, all = P + T;
    const Tensor positions = token_positions(padding, P, T);
    Cache grown{Tensor::empty({k.size(0), k.size(1), all, k.size(3)}),
                Tensor::empty({v.size(0), v.size(1), all, v.size(3)})};
    if (P > 0) {
        grown.k.slice(2, 0, P).copy_from(cache.k);
        grown.v.slice(2, 0, P).copy_from(cache.v);
    }
    grown.k.slice(2, P, all).copy_from(at_positions(k, positions, base));
    grown.v.slice(2, P, all).copy_from(v);
    Mask hidden = Mask::allow_all({q.size(0), 1, T, all});
    for (Index b = 0; b < q.size(0); ++b)
        for (Index t = 0; t < T; ++t) {
            const Index begin = std::min(padding[static_cast<std::size_t>(b)], all), end = P + t + 1;
            for (Index s = 0; s < begin; ++s) hidden(b, 0, t, s) = true;
            for (Index s = end; s < all; ++s) hidden(b, 0, t, s) = true;
        }
    return {attend(at_positions(q, positions, base), grown.k, grown.v, hidden), grown};
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
    const auto part = [&](const Tensor& all, Index first_head, Index heads) {
        return all.slice(0, first_head * d, (first_head + heads) * d);
    };
    const auto weight = [&](Index first_head, Index heads) {
        return part(packed.weight, first_head, heads).transpose(0, 1).contiguous().clone();
    };
    const auto bias = [&](Index first_head, Index heads) {
        return packed.bias.defined() ? part(packed.bias, first_head, heads).clone() : Tensor{};
    };
    const Index keys = num_heads, values = num_heads + num_kv_heads;
    return {weight(0, num_heads), weight(keys, num_kv_heads), weight(values, num_kv_heads),
            bias(0, num_heads),   bias(keys, num_kv_heads),   bias(values, num_kv_heads)};
}

}  // namespace headway::ex13
