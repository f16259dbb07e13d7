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

}  // namespace

Tensor token_positions(const std::vector<Index>& padding, Index first, Index T) {
    if (padding.empty() || first < 0 || T < 1) refuse("token_positions: no sequence, first < 0 or T < 1");
    const Index B = static_cast<Index>(padding.size());
    Tensor positions = Tensor::zeros({B, T});
    for (Index b = 0; b < B; ++b) {
        const Index skipped = padding[static_cast<std::size_t>(b)];
        if (skipped < 0) refuse("token_positions: a negative count");
        for (Index t = 0; t < T; ++t) positions(b, t) = static_cast<float>(first + std::max<Index>(0, t - skipped));
    }
    return positions;
}

Tensor rotation_angles(const Tensor& positions, Index d, double base) {
    if (positions.rank() != 2) refuse("rotation_angles: positions are (B, T)");
    if (d < 2 || d % 2 != 0 || !(base > 0)) refuse("rotation_angles: d or base");
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
    check_turn(x, angles);
    Tensor y = Tensor::empty(x.shape());
    y.copy_from(x);
    const Index H = x.size(1), T = x.size(2), d = x.size(3);
    float* token = y.data();
    for (Index row = 0; row < x.size(0) * H * T; ++row, token += d)
        for (Index i = 0; i < d / 2; ++i) {
            const double angle = angles(row / (H * T), row % T, i);
            const std::complex<double> turned =
                std::complex<double>(token[2 * i], token[2 * i + 1]) * std::polar(1.0, angle);
            token[2 * i] = static_cast<float>(turned.real());
            token[2 * i + 1] = static_cast<float>(turned.imag());
        }
    return y;
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
                    const float other = f < half ? x(b, h, t, f + half) : -x(b, h, t, f - half);
                    y(b, h, t, f) = x(b, h, t, f) * std::cos(angle) + other * std::sin(angle);
                }
    return y;
}

Tensor pairs_to_halves(const Tensor& w, Index num_heads) {
    const Index d = head_width(w, num_heads);
    Tensor y = Tensor::empty(w.shape());
    for (Index h = 0; h < num_heads; ++h)
        for (Index f = 0; f < d; ++f) {
            const Index from = h * d + f, to = h * d + f / 2 + (f % 2) * (d / 2);
            y.slice(-1, to, to + 1).copy_from(w.slice(-1, from, from + 1));
        }
    return y;
}

Tensor halves_to_pairs(const Tensor& w, Index num_heads) {
    if (w.rank() < 1 || num_heads < 1 || w.size(-1) % num_heads != 0 || w.size(-1) / num_heads % 2 != 0)
        throw std::invalid_argument("halves_to_pairs: " + to_string(w.shape()));
    const Index E = w.size(-1), d = E / num_heads;
    const Tensor old = w.contiguous();
    Tensor fresh = Tensor::zeros(w.shape());
    for (Index i = 0; i < w.numel(); ++i) {
        const Index column = i % E, head = column / d, f = column % d;
        const Index source = f / 2 + (f % 2 == 1 ? d / 2 : 0);
        fresh.data()[i] = old.data()[i - column + head * d + source];
    }
    return fresh;
}

Tensor rotary_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& q_positions,
                        const Tensor& k_positions, double base, const Mask& mask) {
    const auto check = [](bool fits) {
        if (!fits) throw std::invalid_argument("rotary_attention: a shape does not fit");
    };
    check(q.rank() == 4 && k.rank() == 4 && v.rank() == 4 && q_positions.rank() == 2 && k_positions.rank() == 2);
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), H_kv = k.size(1), S = k.size(2);
    const Index group = H / H_kv;
    check(group * H_kv == H && group >= 1);
    check(k.size(0) == B && k.size(3) == d && v.size(0) == B && v.size(1) == H_kv && v.size(2) == S);
    const Tensor qs = rotate_pairs(q, rotation_angles(q_positions, d, base));
    const Tensor ks = rotate_pairs(k, rotation_angles(k_positions, d, base));
    // (B, H_kv, 1, S, width) repeated along the new axis: heads in a row have the same keys.
    const auto repeat = [&](const Tensor& x) {
        const Index width = x.size(3);
        const Tensor apart = x.contiguous().view({B, H_kv, 1, S, width});
        return apart.expand({B, H_kv, group, S, width}).contiguous().view({B, H, S, width});
    };
    const Tensor context = given::scaled_dot_product_context(qs, repeat(ks), repeat(v), mask);
    check(context.size(2) == T);
    return context;
}

Decoded decode(const Cache& cache, const Tensor& q, const Tensor& k, const Tensor& v, const std::vector<Index>& padding,
               double base) {
    const auto check = [](bool fits) {
        if (!fits) throw std::invalid_argument("decode: a shape does not fit");
    };
    check(q.rank() == 4 && k.rank() == 4 && v.rank() == 4);
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), H_kv = k.size(1);
    check(k.shape() == Shape{B, H_kv, T, d} && v.shape() == Shape{B, H_kv, T, v.size(3)});
    check(H % H_kv == 0 && padding.size() == static_cast<std::size_t>(B));
    check(cache.k.defined() == cache.v.defined());
    Index P = 0;
    if (cache.k.defined()) {
        check(cache.k.rank() == 4 && cache.v.rank() == 4);
        P = cache.k.size(2);
        check(cache.k.shape() == Shape{B, H_kv, P, d} && cache.v.shape() == Shape{B, H_kv, P, v.size(3)});
    }
    const Tensor angles = rotation_angles(token_positions(padding, P, T), d, base);
    Decoded result;
    result.cache.k = Tensor::empty({B, H_kv, P + T, d});
    result.cache.v = Tensor::empty({B, H_kv, P + T, v.size(3)});
    if (P > 0) {
        result.cache.k.slice(2, 0, P).copy_from(cache.k);
        result.cache.v.slice(2, 0, P).copy_from(cache.v);
    }
    result.cache.k.slice(2, P, P + T).copy_from(rotate_pairs(k, angles));
    result.cache.v.slice(2, P, P + T).copy_from(v);

    // One head of keys after the other, with the queries that share it.
    Mask mask = Mask::allow_all({B, 1, T, P + T});
    bool* blocked = mask.data();
    for (const Index pads : padding)
        for (Index column = P; column < P + T; ++column)
            for (Index s = 0; s < P + T; ++s) *blocked++ = s < pads || s > column;
    const Tensor turned = rotate_pairs(q, angles);
    const Index group = H / H_kv;
    std::vector<Tensor> contexts;
    for (Index head = 0; head < H_kv; ++head) {
        const Tensor queries = turned.slice(1, head * group, (head + 1) * group);
        const Tensor keys = result.cache.k.slice(1, head, head + 1).expand({B, group, P + T, d});
        const Tensor values = result.cache.v.slice(1, head, head + 1).expand({B, group, P + T, v.size(3)});
        contexts.push_back(given::scaled_dot_product_context(queries, keys, values, mask));
    }
    result.context = cat(contexts, 1);
    return result;
}

Packed pack_in_projection(const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& b_q, const Tensor& b_k,
                          const Tensor& b_v) {
    if (w_q.rank() != 2 || w_k.rank() != 2 || w_k.shape() != w_v.shape() || w_q.size(0) != w_k.size(0))
        refuse("pack_in_projection: matrices");
    const Index biases = b_q.defined() + b_k.defined() + b_v.defined();
    if (biases != 0 && biases != 3) refuse("pack_in_projection: all biases or none");
    Packed packed;
    packed.weight = cat({w_q, w_k, w_v}, 1).transpose(0, 1).contiguous();
    if (biases == 3) {
        if (b_q.shape() != Shape{w_q.size(1)} || b_k.shape() != Shape{w_k.size(1)} || b_v.shape() != Shape{w_v.size(1)})
            refuse("pack_in_projection: biases");
        packed.bias = cat({b_q, b_k, b_v}, 0);
    }
    return packed;
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
