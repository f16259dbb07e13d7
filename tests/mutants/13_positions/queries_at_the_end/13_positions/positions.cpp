#include "positions.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex13 {
namespace {

void require(bool fits, const char* what) {
    if (!fits) throw std::invalid_argument(what);
}

struct Turn {
    Tensor cos, sin;  // (B, 1, T, d/2)
};

Turn turn_by(const Tensor& angles) {
    const Index B = angles.size(0), T = angles.size(1), n = angles.size(2);
    Turn turn{Tensor::empty({B, 1, T, n}), Tensor::empty({B, 1, T, n})};
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t)
            for (Index i = 0; i < n; ++i) {
                turn.cos(b, 0, t, i) = std::cos(angles(b, t, i));
                turn.sin(b, 0, t, i) = std::sin(angles(b, t, i));
            }
    return turn;
}

void check_rotation(const Tensor& x, const Tensor& angles) {
    require(x.rank() == 4 && angles.rank() == 3, "rotation: x must be (B, H, T, d), angles (B, T, d/2)");
    require(x.size(0) == angles.size(0) && x.size(2) == angles.size(1), "rotation: another batch or length");
    require(x.size(3) == 2 * angles.size(2), "rotation: two features for each angle");
}

Shape split_last(const Tensor& w, Index heads, Index rows, Index cols) {
    Shape shape = w.shape();
    shape.pop_back();
    shape.insert(shape.end(), {heads, rows, cols});
    return shape;
}

void check_columns(const Tensor& w, Index num_heads) {
    require(w.rank() >= 1 && num_heads >= 1, "conversion: w needs an axis, and at least one head");
    require(w.size(-1) % num_heads == 0 && w.size(-1) / num_heads % 2 == 0, "conversion: heads of even width");
}

Tensor repeat(const Tensor& kv, Index H) {
    const Index B = kv.size(0), H_kv = kv.size(1), S = kv.size(2), d = kv.size(3);
    const Tensor each = kv.contiguous().view({B, H_kv, 1, S, d}).expand({B, H_kv, H / H_kv, S, d});
    return each.contiguous().view({B, H, S, d});
}

void check_attention(const Tensor& q, const Tensor& k, const Tensor& v) {
    require(q.rank() == 4 && k.rank() == 4 && v.rank() == 4, "attention: q, k, v have four axes");
    require(k.size(0) == q.size(0) && v.size(0) == q.size(0), "attention: batches differ");
    require(k.size(1) == v.size(1) && k.size(2) == v.size(2), "attention: k and v differ");
    require(k.size(3) == q.size(3), "attention: q and k differ in width");
    require(k.size(1) >= 1 && q.size(1) % k.size(1) == 0, "attention: H_kv must divide H");
}

}  // namespace

Tensor token_positions(const std::vector<Index>& padding, Index first, Index T) {
    require(!padding.empty() && first >= 0 && T >= 1, "token_positions: no sequence, or a size that is none");
    for (const Index count : padding) require(count >= 0, "token_positions: a negative count");
    const Index B = static_cast<Index>(padding.size());
    Tensor positions = Tensor::empty({B, T});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t) {
            const Index position = first + t - padding[static_cast<std::size_t>(b)];
            positions(b, t) = static_cast<float>(position < 0 ? 0 : position);
        }
    return positions;
}

Tensor rotation_angles(const Tensor& positions, Index d, double base) {
    require(positions.rank() == 2, "rotation_angles: positions must be (B, T)");
    require(d >= 2 && d % 2 == 0, "rotation_angles: d must be even");
    require(base > 0, "rotation_angles: base must be above 0");
    const Index B = positions.size(0), T = positions.size(1);
    Tensor angles = Tensor::empty({B, T, d / 2});
    for (Index i = 0; i < d / 2; ++i) {
        const double step = std::pow(base, -2.0 * static_cast<double>(i) / static_cast<double>(d));
        for (Index b = 0; b < B; ++b)
            for (Index t = 0; t < T; ++t) angles(b, t, i) = static_cast<float>(positions(b, t) * step);
    }
    return angles;
}

Tensor rotate_pairs(const Tensor& x, const Tensor& angles) {
    check_rotation(x, angles);
    const Index B = x.size(0), H = x.size(1), T = x.size(2), d = x.size(3);
    const Tensor points = x.contiguous().view({B, H, T, d / 2, 2});
    const Tensor px = points.select(4, 0), py = points.select(4, 1);
    const Turn turn = turn_by(angles);
    Tensor turned = Tensor::empty({B, H, T, d / 2, 2});
    turned.select(4, 0).copy_from(px * turn.cos - py * turn.sin);
    turned.select(4, 1).copy_from(px * turn.sin + py * turn.cos);
    return turned.view({B, H, T, d});
}

Tensor rotate_halves(const Tensor& x, const Tensor& angles) {
    check_rotation(x, angles);
    const Index d = x.size(3);
    const Tensor px = x.slice(3, 0, d / 2), py = x.slice(3, d / 2, d);
    const Turn turn = turn_by(angles);
    return cat({px * turn.cos - py * turn.sin, px * turn.sin + py * turn.cos}, 3);
}

Tensor pairs_to_halves(const Tensor& w, Index num_heads) {
    check_columns(w, num_heads);
    const Index n = w.size(-1) / num_heads / 2;
    Tensor halves = Tensor::empty(w.shape());
    const Tensor pairs = w.contiguous().view(split_last(w, num_heads, n, 2));
    halves.view(split_last(w, num_heads, 2, n)).copy_from(pairs.transpose(-1, -2));
    return halves;
}

Tensor halves_to_pairs(const Tensor& w, Index num_heads) {
    check_columns(w, num_heads);
    const Index n = w.size(-1) / num_heads / 2;
    Tensor pairs = Tensor::empty(w.shape());
    const Tensor halves = w.contiguous().view(split_last(w, num_heads, 2, n));
    pairs.view(split_last(w, num_heads, n, 2)).copy_from(halves.transpose(-1, -2));
    return pairs;
}

Tensor rotary_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& q_positions,
                        const Tensor& k_positions, double base, const Mask& mask) {
    check_attention(q, k, v);
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2), d = q.size(3);
    if (mask.defined()) (void)mask.expand({B, H, T, S});  // or it throws
    const Tensor turned_q = rotate_pairs(q, rotation_angles(q_positions, d, base));
    const Tensor turned_k = rotate_pairs(k, rotation_angles(k_positions, d, base));
    return given::scaled_dot_product_context(turned_q, repeat(turned_k, H), repeat(v, H), mask);
}

Decoded decode(const Cache& cache, const Tensor& q, const Tensor& k, const Tensor& v, const std::vector<Index>& padding,
               double base) {
    check_attention(q, k, v);
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3);
    require(k.size(2) == T, "decode: as many queries as keys are new");
    require(static_cast<Index>(padding.size()) == B, "decode: a count of padding for each text");
    require(cache.k.defined() == cache.v.defined(), "decode: half a cache");
    Index P = 0;
    if (cache.k.defined()) {
        require(cache.k.rank() == 4 && cache.v.rank() == 4, "decode: a cache has four axes");
        P = cache.k.size(2);
        require(cache.k.shape() == Shape{B, k.size(1), P, d}, "decode: keys of the cache");
        require(cache.v.shape() == Shape{B, v.size(1), P, v.size(3)}, "decode: values of the cache");
    }
    const Tensor positions = token_positions(padding, P, T);
    const Tensor angles = rotation_angles(positions, d, base);
    const Tensor new_q = rotate_pairs(q, angles.slice(1, T - 1, T).expand(angles.shape())),
                 new_k = rotate_pairs(k, angles);
    Cache next{new_k, v.clone()};
    if (P > 0) next = Cache{cat({cache.k, new_k}, 2), cat({cache.v, v}, 2)};
    Mask mask = Mask::allow_all({B, 1, T, P + T});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t)
            for (Index s = 0; s < P + T; ++s) mask(b, 0, t, s) = s < padding[static_cast<std::size_t>(b)] || s > P + t;
    return {given::scaled_dot_product_context(new_q, repeat(next.k, H), repeat(next.v, H), mask), next};
}

Packed pack_in_projection(const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& b_q, const Tensor& b_k,
                          const Tensor& b_v) {
    require(w_q.rank() == 2 && w_k.rank() == 2 && w_v.rank() == 2, "pack: three matrices");
    require(w_k.shape() == w_v.shape() && w_k.size(0) == w_q.size(0), "pack: shapes differ");
    require(b_q.defined() == b_k.defined() && b_q.defined() == b_v.defined(), "pack: all biases or none");
    Packed packed{cat({w_q, w_k, w_v}, 1).transpose(0, 1).contiguous(), Tensor{}};
    if (b_q.defined()) {
        require(b_q.shape() == Shape{w_q.size(1)} && b_k.shape() == Shape{w_k.size(1)} && b_v.shape() == b_k.shape(),
                "pack: biases of another width");
        packed.bias = cat({b_q, b_k, b_v}, 0);
    }
    return packed;
}

Projections unpack_in_projection(const Packed& packed, Index num_heads, Index num_kv_heads) {
    require(num_heads >= 1 && num_kv_heads >= 1 && num_heads % num_kv_heads == 0, "unpack: H_kv must divide H");
    require(packed.weight.rank() == 2, "unpack: a matrix is needed");
    const Index rows = packed.weight.size(0), heads = num_heads + 2 * num_kv_heads;
    require(rows % heads == 0, "unpack: rows do not divide into heads");
    const Index d = rows / heads, k_begin = num_heads * d, v_begin = k_begin + num_kv_heads * d;
    const auto matrix = [&](Index begin, Index end) {
        return packed.weight.slice(0, begin, end).transpose(0, 1).clone().contiguous();
    };
    Projections parts;
    parts.w_q = matrix(0, k_begin);
    parts.w_k = matrix(k_begin, v_begin);
    parts.w_v = matrix(v_begin, rows);
    if (packed.bias.defined()) {
        require(packed.bias.shape() == Shape{rows}, "unpack: a bias of another width");
        parts.b_q = packed.bias.slice(0, 0, k_begin).clone();
        parts.b_k = packed.bias.slice(0, k_begin, v_begin).clone();
        parts.b_v = packed.bias.slice(0, v_begin, rows).clone();
    }
    return parts;
}

}  // namespace headway::ex13
