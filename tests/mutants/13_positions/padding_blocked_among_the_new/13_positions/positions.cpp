#include "positions.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace headway::ex13 {

namespace {

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument(why); }

/// Turns the features that `first_of(i)` and `second_of(i)` name, by angles[b, t, i].
template <class First, class Second>
Tensor turn_all(const Tensor& x, const Tensor& angles, First first_of, Second second_of) {
    if (x.rank() != 4 || angles.rank() != 3) refuse("rotation: x has four axes, angles have three");
    const Index B = x.size(0), H = x.size(1), T = x.size(2), d = x.size(3), pairs = d / 2;
    if (d % 2 != 0 || angles.shape() != Shape{B, T, pairs}) refuse("rotation: angles are " + to_string(angles.shape()));
    Tensor y = Tensor::empty(x.shape());
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t)
            for (Index i = 0; i < pairs; ++i) {
                const float c = std::cos(angles(b, t, i)), s = std::sin(angles(b, t, i));
                const Index f = first_of(i), g = second_of(i);
                for (Index h = 0; h < H; ++h) {
                    y(b, h, t, f) = x(b, h, t, f) * c - x(b, h, t, g) * s;
                    y(b, h, t, g) = x(b, h, t, f) * s + x(b, h, t, g) * c;
                }
            }
    return y;
}

void check_turn(const Tensor& x, const Tensor& angles) {
    const bool fits = x.rank() == 4 && angles.rank() == 3 && x.size(3) == 2 * angles.size(2) &&
                      x.size(0) == angles.size(0) && x.size(2) == angles.size(1);
    if (!fits)
        throw std::invalid_argument("x " + to_string(x.shape()) + " and angles " + to_string(angles.shape()) +
                                    " do not fit");
}

Index head_width(const Tensor& w, Index num_heads) {
    if (w.rank() == 0 || num_heads < 1) refuse("reordering: no axis or no heads");
    const Index columns = w.size(-1);
    if (columns % (2 * num_heads) != 0) refuse("reordering: heads of even width do not fill the axis");
    return columns / num_heads;
}

/// (B, H_kv, S, width) -> (B, H, S, width): each head `H / H_kv` times in a row.
Tensor shared(const Tensor& x, Index H) {
    std::vector<Tensor> heads;
    for (Index h = 0; h < H; ++h) {
        const Index from = h / (H / x.size(1));
        heads.push_back(x.slice(1, from, from + 1));
    }
    return cat(heads, 1);
}

}  // namespace

Tensor token_positions(const std::vector<Index>& padding, Index first, Index T) {
    if (T < 1 || first < 0) throw std::invalid_argument("token_positions: T or first");
    std::vector<float> values;
    for (const Index count : padding) {
        if (count < 0) throw std::invalid_argument("token_positions: padding");
        for (Index column = first; column < first + T; ++column)
            values.push_back(column > count ? static_cast<float>(column - count) : 0.0F);
    }
    if (values.empty()) throw std::invalid_argument("token_positions: no sequence");
    return Tensor::of({static_cast<Index>(padding.size()), T}, values);
}

Tensor rotation_angles(const Tensor& positions, Index d, double base) {
    if (positions.rank() != 2 || d < 2 || d % 2 == 1 || base <= 0) throw std::invalid_argument("rotation_angles");
    const Index pairs = d / 2;
    Tensor steps = Tensor::empty({1, 1, pairs});
    const double slower = std::log(base) / static_cast<double>(pairs);
    for (Index i = 0; i < pairs; ++i) steps(0, 0, i) = static_cast<float>(std::exp(-slower * static_cast<double>(i)));
    return positions.contiguous().view({positions.size(0), positions.size(1), 1}) * steps;
}

Tensor rotate_pairs(const Tensor& x, const Tensor& angles) {
    return turn_all(
        x, angles, [](Index i) { return 2 * i; }, [](Index i) { return 2 * i + 1; });
}

Tensor rotate_halves(const Tensor& x, const Tensor& angles) {
    check_turn(x, angles);
    const Index half = angles.size(2);
    Tensor y = Tensor::empty(x.shape());
    for (Index b = 0; b < x.size(0); ++b)
        for (Index h = 0; h < x.size(1); ++h)
            for (Index t = 0; t < x.size(2); ++t)
                for (Index f = 0; f < 2 * half; ++f) {
                    const float angle = angles(b, t, f % half);
                    const float other = f < half ? -x(b, h, t, f + half) : x(b, h, t, f - half);
                    y(b, h, t, f) = x(b, h, t, f) * std::cos(angle) + other * std::sin(angle);
                }
    return y;
}

Tensor pairs_to_halves(const Tensor& w, Index num_heads) {
    const Index d = head_width(w, num_heads), rows = w.numel() / w.size(-1);
    return w.contiguous().view({rows, num_heads, d / 2, 2}).transpose(2, 3).contiguous().view(w.shape());
}

Tensor halves_to_pairs(const Tensor& w, Index num_heads) {
    const Index d = head_width(w, num_heads), rows = w.numel() / w.size(-1);
    return w.contiguous().view({rows, num_heads, 2, d / 2}).transpose(2, 3).contiguous().view(w.shape());
}

Tensor rotary_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& q_positions,
                        const Tensor& k_positions, double base, const Mask& mask) {
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4) refuse("rotary_attention: four axes each");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), H_kv = k.size(1), S = k.size(2);
    if (k.shape() != Shape{B, H_kv, S, d} || v.shape() != Shape{B, H_kv, S, v.size(3)})
        refuse("rotary_attention: q, k and v do not fit");
    if (H % H_kv != 0) refuse("rotary_attention: groups are not equal");
    if (q_positions.shape() != Shape{B, T} || k_positions.shape() != Shape{B, S}) refuse("rotary_attention: positions");
    const Tensor turned_q = rotate_pairs(q, rotation_angles(q_positions, d, base));
    const Tensor turned_k = rotate_pairs(k, rotation_angles(k_positions, d, base));
    return given::scaled_dot_product_context(turned_q, shared(turned_k, H), shared(v, H), mask);
}

Decoded decode(const Cache& cache, const Tensor& q, const Tensor& k, const Tensor& v, const std::vector<Index>& padding,
               double base) {
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4) refuse("decode: four axes each");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), H_kv = k.size(1), d_v = v.size(3);
    if (k.shape() != Shape{B, H_kv, T, d} || v.shape() != Shape{B, H_kv, T, d_v} || H % H_kv != 0)
        refuse("decode: q, k and v do not fit");
    if (static_cast<Index>(padding.size()) != B) refuse("decode: a count for each text");
    if (cache.k.defined() != cache.v.defined()) refuse("decode: half a cache");
    const bool empty = !cache.k.defined();
    if (!empty && cache.k.rank() != 4) refuse("decode: cached keys");
    const Index P = empty ? 0 : cache.k.size(2);
    if (!empty && (cache.k.shape() != Shape{B, H_kv, P, d} || cache.v.shape() != Shape{B, H_kv, P, d_v}))
        refuse("decode: the cache does not fit");
    const Tensor angles = rotation_angles(token_positions(padding, P, T), d, base);
    const Tensor turned = rotate_pairs(k, angles);
    const Cache grown =
        empty ? Cache{turned, v.contiguous().clone()} : Cache{cat({cache.k, turned}, 2), cat({cache.v, v}, 2)};
    Mask mask = Mask::allow_all({B, 1, T, P + T});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t)
            for (Index s = 0; s < P + T; ++s)
                mask(b, 0, t, s) = (s >= P && s - P < padding[static_cast<std::size_t>(b)]) || s > P + t;
    const Tensor context =
        given::scaled_dot_product_context(rotate_pairs(q, angles), shared(grown.k, H), shared(grown.v, H), mask);
    return {context, grown};
}

Packed pack_in_projection(const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& b_q, const Tensor& b_k,
                          const Tensor& b_v) {
    const auto check = [](bool fits) {
        if (!fits) throw std::invalid_argument("pack_in_projection: a shape does not fit");
    };
    check(w_q.rank() == 2 && w_k.rank() == 2 && w_v.rank() == 2);
    check(w_k.shape() == w_v.shape() && w_k.size(0) == w_q.size(0));
    check(b_q.defined() == b_k.defined() && b_q.defined() == b_v.defined());
    const Index D = w_q.size(0), E = w_q.size(1), E_kv = w_k.size(1);
    Tensor weight = Tensor::empty({E + 2 * E_kv, D}), bias;
    if (b_q.defined()) {
        check(b_q.rank() == 1 && b_k.rank() == 1 && b_v.rank() == 1);
        check(b_q.size(0) == E && b_k.size(0) == E_kv && b_v.size(0) == E_kv);
        bias = Tensor::empty({E + 2 * E_kv});
    }
    Index row = 0;
    const auto add = [&](const Tensor& w, const Tensor& b) {
        for (Index column = 0; column < w.size(1); ++column, ++row) {
            for (Index feature = 0; feature < D; ++feature) weight(row, feature) = w(feature, column);
            if (bias.defined()) bias(row) = b(column);
        }
    };
    add(w_q, b_q);
    add(w_k, b_k);
    add(w_v, b_v);
    return {weight, bias};
}

Projections unpack_in_projection(const Packed& packed, Index num_heads, Index num_kv_heads) {
    const auto check = [](bool fits) {
        if (!fits) throw std::invalid_argument("unpack_in_projection: does not fit");
    };
    check(num_heads >= 1 && num_kv_heads >= 1 && num_heads % num_kv_heads == 0 && packed.weight.rank() == 2);
    const Index rows = packed.weight.size(0), D = packed.weight.size(1);
    const Index d = rows / (num_heads + 2 * num_kv_heads);
    check(d * (num_heads + 2 * num_kv_heads) == rows);
    check(!packed.bias.defined() || (packed.bias.rank() == 1 && packed.bias.size(0) == rows));
    Index row = 0;
    const auto take = [&](Index heads, Tensor& w, Tensor& b) {
        const Index width = heads * d;
        w = Tensor::empty({D, width});
        for (Index column = 0; column < width; ++column)
            for (Index feature = 0; feature < D; ++feature) w(feature, column) = packed.weight(row + column, feature);
        if (packed.bias.defined()) b = packed.bias.slice(0, row, row + width).clone();
        row += width;
    };
    Projections parts;
    take(num_heads, parts.w_q, parts.b_q);
    take(num_kv_heads, parts.w_k, parts.b_k);
    take(num_kv_heads, parts.w_v, parts.b_v);
    return parts;
}

}  // namespace headway::ex13
