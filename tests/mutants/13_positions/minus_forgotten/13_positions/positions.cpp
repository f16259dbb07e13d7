#include "positions.hpp"

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
    return cat({x.slice(3, half, 2 * half), x.slice(3, 0, half)}, 3);
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

struct Turn {
    float cos, sin;
};

/// Cosine and sine of all angles, row-major, computed once for all heads.
std::vector<Turn> table_of(const Tensor& angles) {
    const Tensor dense = angles.contiguous();
    std::vector<Turn> table;
    for (Index i = 0; i < dense.numel(); ++i) table.push_back({std::cos(dense.data()[i]), std::sin(dense.data()[i])});
    return table;
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
    const double step = std::pow(base, -2.0 / static_cast<double>(d));  // from pair to pair
    Tensor angles = Tensor::empty({positions.size(0), positions.size(1), d / 2});
    double turn = 1;
    for (Index i = 0; i < d / 2; ++i) {
        angles.select(2, i).copy_from(positions * static_cast<float>(turn));
        turn *= step;
    }
    return angles;
}

Tensor rotate_pairs(const Tensor& x, const Tensor& angles) {
    check_turn(x, angles);
    const std::vector<Turn> table = table_of(angles);
    const Tensor from = x.contiguous();
    Tensor turned = Tensor::empty(x.shape());
    const Index B = x.size(0), H = x.size(1), T = x.size(2), pairs = x.size(3) / 2;
    for (Index row = 0; row < B * H * T; ++row) {
        const Index b = row / (H * T), t = row % T;
        const float* in = from.data() + row * 2 * pairs;
        float* out = turned.data() + row * 2 * pairs;
        for (Index i = 0; i < pairs; ++i) {
            const Turn& turn = table[static_cast<std::size_t>((b * T + t) * pairs + i)];
            out[2 * i] = in[2 * i] * turn.cos - in[2 * i + 1] * turn.sin;
            out[2 * i + 1] = in[2 * i] * turn.sin + in[2 * i + 1] * turn.cos;
        }
    }
    return turned;
}

Tensor rotate_halves(const Tensor& x, const Tensor& angles) {
    check_turn(x, angles);
    return x * both_halves(angles, &cosine) + quarter_turn(x) * both_halves(angles, &sine);
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
    std::vector<Tensor> pieces;
    for (Index begin = 0; begin < num_heads * d; begin += d)
        for (Index j = begin; j < begin + d / 2; ++j) {
            pieces.push_back(w.slice(-1, j, j + 1));
            pieces.push_back(w.slice(-1, j + d / 2, j + d / 2 + 1));
        }
    return cat(pieces, -1);
}

Tensor rotary_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& q_positions,
                        const Tensor& k_positions, double base, const Mask& mask) {
    check_heads(q, k, v);
    return attend(at_positions(q, q_positions, base), at_positions(k, k_positions, base), v, mask);
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
