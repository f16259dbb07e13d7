#include "positions.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex13 {
namespace {

void require(bool fits, const char* what) {
    if (!fits) throw std::invalid_argument(what);
}

/// f of each number.
template <class Function>
Tensor mapped(const Tensor& x, Function f) {
    const Tensor from = x.contiguous();
    Tensor to = Tensor::empty(x.shape());
    for (Index i = 0; i < from.numel(); ++i) to.data()[i] = f(from.data()[i]);
    return to;
}

/// A view of features first, first + 2, first + 4, ...
Tensor every_second(const Tensor& x, Index first) {
    Shape shape = x.shape();
    Strides strides = x.strides();
    const Index step = strides.back();
    shape.back() /= 2;
    strides.back() *= 2;
    return x.as_strided(shape, strides, x.offset() + first * step);
}

void check_turn(const Tensor& x, const Tensor& angles) {
    require(x.rank() == 4 && angles.rank() == 3, "turn: x (B, H, T, d) and angles (B, T, d/2) are needed");
    require(angles.size(0) == x.size(0), "turn: another number of sequences in the angles");
    require(angles.size(1) == x.size(2), "turn: another number of tokens in the angles");
    require(angles.size(2) * 2 == x.size(3), "turn: one angle is needed for each pair");
}

struct Turn {
    Tensor cosine, sine;  // (B, 1, T, d/2): the same for each head
};

Turn turn_by(const Tensor& angles) {
    const Shape for_heads{angles.size(0), 1, angles.size(1), angles.size(2)};
    return {mapped(angles, [](float a) { return std::cos(a); }).view(for_heads),
            mapped(angles, [](float a) { return std::sin(a); }).view(for_heads)};
}

void check_columns(const Tensor& w, Index num_heads) {
    require(w.rank() >= 1, "columns: w has no axis");
    require(num_heads >= 1, "columns: there must be a head");
    require(w.size(-1) % num_heads == 0, "columns: the heads do not fill the last axis");
    require(w.size(-1) / num_heads % 2 == 0, "columns: the width of a head is odd");
}

void check_heads(const Tensor& q, const Tensor& k, const Tensor& v) {
    require(q.rank() == 4 && k.rank() == 4 && v.rank() == 4, "attention: q, k and v need four axes");
    require(k.size(0) == q.size(0) && v.size(0) == q.size(0), "attention: batches differ");
    require(k.size(1) == v.size(1), "attention: k and v have other heads");
    require(k.size(2) == v.size(2), "attention: each key needs a value");
    require(k.size(3) == q.size(3), "attention: q and k differ in width");
    require(q.size(1) % k.size(1) == 0, "attention: H_kv does not divide H");
}

/// (B, H_kv, S, w) -> (B, H_kv * group, S, w): each head `group` times in a row.
Tensor shared(const Tensor& x, Index group) {
    const Index B = x.size(0), heads = x.size(1), S = x.size(2), width = x.size(3);
    const Strides& step = x.strides();
    return x.as_strided({B, heads, 1, S, width}, {step[0], step[1], 0, step[2], step[3]}, x.offset())
        .expand({B, heads, group, S, width})
        .contiguous()
        .view({B, heads * group, S, width});
}

/// Attention of what has been turned.
Tensor grouped_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    const Index group = q.size(1) / k.size(1);
    const Mask blocked = mask.defined() ? mask.expand({q.size(0), q.size(1), q.size(2), k.size(2)}) : mask;
    return given::scaled_dot_product_context(q, shared(k, group), shared(v, group), blocked);
}

}  // namespace

Tensor token_positions(const std::vector<Index>& padding, Index first, Index T) {
    require(!padding.empty(), "token_positions: no sequence");
    require(first >= 0, "token_positions: first is negative");
    require(T >= 1, "token_positions: no token");
    const Index B = static_cast<Index>(padding.size());
    Tensor positions = Tensor::zeros({B, T});
    for (Index b = 0; b < B; ++b) {
        const Index count = padding[static_cast<std::size_t>(b)];
        require(count >= 0, "token_positions: a count is negative");
        for (Index t = 0; t < T; ++t)
            if (first + t > count) positions(b, t) = static_cast<float>(first + t - count);
    }
    return positions;
}

Tensor rotation_angles(const Tensor& positions, Index d, double base) {
    require(positions.rank() == 2, "rotation_angles: positions are (B, T)");
    require(d >= 2 && d % 2 == 0, "rotation_angles: d must be even");
    require(base > 0, "rotation_angles: base must be above 0");
    const Index B = positions.size(0), T = positions.size(1), pairs = d / 2;
    Tensor angles = Tensor::empty({B, T, pairs});
    for (Index i = 0; i < pairs; ++i) {
        const double step = std::pow(base, -2.0 * static_cast<double>(i) / static_cast<double>(d));
        angles.select(2, i).copy_from(mapped(positions, [&](float p) { return static_cast<float>(p * step); }));
    }
    return angles;
}

Tensor rotate_pairs(const Tensor& x, const Tensor& angles) {
    check_turn(x, angles);
    const auto [c, s] = turn_by(angles);
    const Tensor a = every_second(x, 0), b = every_second(x, 1);
    Tensor y = Tensor::empty(x.shape());
    every_second(y, 0).copy_from(a * c - b * s);
    every_second(y, 1).copy_from(a * s + b * c);
    return y;
}

Tensor rotate_halves(const Tensor& x, const Tensor& angles) {
    check_turn(x, angles);
    const auto [c, s] = turn_by(angles);
    const Index half = x.size(3) / 2;
    const Tensor a = x.slice(3, 0, half), b = x.slice(3, half, 2 * half);
    return cat({a * c - b * s, a * s + b * c}, 3);
}

Tensor pairs_to_halves(const Tensor& w, Index num_heads) {
    check_columns(w, num_heads);
    const Index half = w.size(-1) / num_heads / 2;
    Tensor result = Tensor::empty(w.shape());
    result.view({-1, num_heads, 2, half}).copy_from(w.contiguous().view({-1, num_heads, half, 2}).transpose(-2, -1));
    return result;
}

Tensor halves_to_pairs(const Tensor& w, Index num_heads) {
    check_columns(w, num_heads);
    const Index half = w.size(-1) / num_heads / 2;
    Tensor result = Tensor::empty(w.shape());
    result.view({-1, num_heads, half, 2}).copy_from(w.contiguous().view({-1, num_heads, 2, half}).transpose(-2, -1));
    return result;
}

Tensor rotary_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& q_positions,
                        const Tensor& k_positions, double base, const Mask& mask) {
    check_heads(q, k, v);
    const Tensor turned_q = rotate_pairs(q, rotation_angles(q_positions, q.size(3), base));
    const Tensor turned_k = rotate_pairs(k, rotation_angles(k_positions, k.size(3), base));
    return grouped_attention(turned_q, turned_k, v, mask);
}

Decoded decode(const Cache& cache, const Tensor& q, const Tensor& k, const Tensor& v, const std::vector<Index>& padding,
               double base) {
    check_heads(q, k, v);
    const Index B = q.size(0), T = q.size(2);
    require(k.size(2) == T, "decode: as many new keys as queries");
    require(static_cast<Index>(padding.size()) == B, "decode: a count of padding for each text");
    require(cache.k.defined() == cache.v.defined(), "decode: half a cache");
    Index P = 0;
    if (cache.k.defined()) {
        require(cache.k.rank() == 4 && cache.v.rank() == 4, "decode: the cache needs four axes");
        P = cache.k.size(2);
        require(cache.k.shape() == Shape{B, k.size(1), P, k.size(3)}, "decode: the cached keys do not fit");
        require(cache.v.shape() == Shape{B, v.size(1), P, v.size(3)}, "decode: the cached values do not fit");
    }
    const Tensor angles = rotation_angles(token_positions(padding, P, T), q.size(3), base);
    const Tensor new_k = rotate_pairs(k, angles);
    Decoded result;
    result.cache.k = P == 0 ? new_k : cat({cache.k, new_k}, 2);
    result.cache.v = P == 0 ? v.clone() : cat({cache.v, v}, 2);
    Mask blocked = Mask::allow_all({B, 1, T, P + T});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t)
            for (Index s = 0; s < P + T; ++s)
                blocked(b, 0, t, s) = s < padding[static_cast<std::size_t>(b)] || s > P + t;
    result.context = grouped_attention(rotate_pairs(q, angles), result.cache.k, result.cache.v, blocked);
    return result;
}

Packed pack_in_projection(const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& b_q, const Tensor& b_k,
                          const Tensor& b_v) {
    require(w_q.rank() == 2 && w_k.rank() == 2, "pack: a weight is a matrix");
    require(w_k.shape() == w_v.shape(), "pack: w_k and w_v differ in shape");
    require(w_q.size(0) == w_k.size(0), "pack: weights differ in model width");
    const bool biases = b_q.defined();
    require(b_k.defined() == biases && b_v.defined() == biases, "pack: all biases or none");
    Packed packed;
    packed.weight = cat({w_q, w_k, w_v}, 1).transpose(0, 1).contiguous();
    if (biases) {
        require(b_q.shape() == Shape{w_q.size(1)}, "pack: b_q does not fit");
        require(b_k.shape() == Shape{w_k.size(1)}, "pack: b_k does not fit");
        require(b_v.shape() == Shape{w_v.size(1)}, "pack: b_v does not fit");
        packed.bias = cat({b_q, b_k, b_v}, 0);
    }
    return packed;
}

Projections unpack_in_projection(const Packed& packed, Index num_heads, Index num_kv_heads) {
    const Tensor& weight = packed.weight;
    require(weight.rank() == 2, "unpack: the weight is a matrix");
    require(num_heads >= 1 && num_kv_heads >= 1, "unpack: there must be heads");
    require(num_heads % num_kv_heads == 0, "unpack: H_kv does not divide H");
    const Index rows = weight.size(0), heads = num_heads + 2 * num_kv_heads;
    require(rows % heads == 0, "unpack: rows do not divide into heads");
    const Index E = rows / heads * num_heads, E_kv = rows / heads * num_kv_heads;
    Projections parts;
    parts.w_q = weight.slice(0, 0, E).contiguous().view({weight.size(1), E});
    parts.w_k = weight.slice(0, E, E + E_kv).contiguous().view({weight.size(1), E_kv});
    parts.w_v = weight.slice(0, E + E_kv, rows).contiguous().view({weight.size(1), E_kv});
    if (packed.bias.defined()) {
        require(packed.bias.shape() == Shape{rows}, "unpack: the bias does not fit");
        parts.b_q = packed.bias.slice(0, 0, E);
        parts.b_k = packed.bias.slice(0, E, E + E_kv);
        parts.b_v = packed.bias.slice(0, E + E_kv, rows);
    }
    return parts;
}

}  // namespace headway::ex13
