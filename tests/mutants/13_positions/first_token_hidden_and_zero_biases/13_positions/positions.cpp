#include "positions.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace headway::ex13 {
namespace {

void need(bool ok, const char* what) {
    if (!ok) throw std::invalid_argument(what);
}

struct Circle {
    Tensor c, s;  // (B, 1, T, d/2)
};

Circle circle(const Tensor& angles) {
    const Index B = angles.size(0), T = angles.size(1), n = angles.size(2);
    Circle r{Tensor::empty({B, 1, T, n}), Tensor::empty({B, 1, T, n})};
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t)
            for (Index i = 0; i < n; ++i) {
                r.c(b, 0, t, i) = std::cos(angles(b, t, i));
                r.s(b, 0, t, i) = std::sin(angles(b, t, i));
            }
    return r;
}

void check_turn(const Tensor& x, const Tensor& angles) {
    need(x.rank() == 4 && angles.rank() == 3, "rotate: x needs four axes, angles three");
    need(x.size(3) >= 2 && x.size(3) % 2 == 0, "rotate: odd head width");
    need(angles.size(0) == x.size(0), "rotate: batch of angles");
    need(angles.size(1) == x.size(2), "rotate: tokens of angles");
    need(angles.size(2) == x.size(3) / 2, "rotate: one angle for each pair");
}

Tensor share(const Tensor& kv, Index H) {
    const Index B = kv.size(0), K = kv.size(1), S = kv.size(2), d = kv.size(3);
    return kv.contiguous().view({B, K, 1, S, d}).expand({B, K, H / K, S, d}).contiguous().view({B, H, S, d});
}

Shape cut(const Tensor& w, Index H, Index a, Index b) {
    Shape s = w.shape();
    s.pop_back();
    s.insert(s.end(), {H, a, b});
    return s;
}

void check_heads(const Tensor& w, Index H) {
    need(w.rank() >= 1, "no axis");
    need(H >= 1, "heads below 1");
    need(w.size(-1) % (2 * H) == 0, "heads of even width do not fill the columns");
}

void check_attention(const Tensor& q, const Tensor& k, const Tensor& v) {
    need(q.rank() == 4 && k.rank() == 4 && v.rank() == 4, "attention: ranks");
    need(k.size(0) == q.size(0) && v.size(0) == q.size(0), "attention: batch");
    need(k.size(1) == v.size(1), "attention: heads of k and v");
    need(k.size(2) == v.size(2), "attention: keys and values");
    need(q.size(3) == k.size(3), "attention: head width");
    need(k.size(1) >= 1 && q.size(1) % k.size(1) == 0, "attention: groups");
}

}  // namespace

Tensor token_positions(const std::vector<Index>& padding, Index first, Index T) {
    need(!padding.empty() && first >= 0 && T >= 1, "token_positions: sizes");
    const Index B = static_cast<Index>(padding.size());
    Tensor out = Tensor::empty({B, T});
    for (Index b = 0; b < B; ++b) {
        const Index pad = padding[static_cast<std::size_t>(b)];
        need(pad >= 0, "token_positions: negative padding");
        for (Index t = 0; t < T; ++t) out(b, t) = static_cast<float>(std::max<Index>(0, first + t - pad));
    }
    return out;
}

Tensor rotation_angles(const Tensor& positions, Index d, double base) {
    need(positions.rank() == 2, "rotation_angles: positions (B, T)");
    need(d >= 2 && d % 2 == 0, "rotation_angles: odd width");
    need(base > 0, "rotation_angles: base");
    const Index B = positions.size(0), T = positions.size(1), n = d / 2;
    Tensor out = Tensor::empty({B, T, n});
    for (Index i = 0; i < n; ++i) {
        const double step = std::pow(base, -2.0 * static_cast<double>(i) / static_cast<double>(d));
        for (Index b = 0; b < B; ++b)
            for (Index t = 0; t < T; ++t) out(b, t, i) = static_cast<float>(positions(b, t) * step);
    }
    return out;
}

Tensor rotate_pairs(const Tensor& x, const Tensor& angles) {
    check_turn(x, angles);
    const Index B = x.size(0), H = x.size(1), T = x.size(2), n = x.size(3) / 2;
    const Circle r = circle(angles);
    const Tensor p = x.contiguous().view({B, H, T, n, 2});
    const Tensor a = p.select(4, 0), b = p.select(4, 1);
    Tensor y = Tensor::empty({B, H, T, n, 2});
    y.select(4, 0).copy_from(a * r.c - b * r.s);
    y.select(4, 1).copy_from(a * r.s + b * r.c);
    return y.view({B, H, T, 2 * n});
}

Tensor rotate_halves(const Tensor& x, const Tensor& angles) {
    check_turn(x, angles);
    const Index n = x.size(3) / 2;
    const Circle r = circle(angles);
    const Tensor a = x.slice(3, 0, n), b = x.slice(3, n, 2 * n);
    return cat({a * r.c - b * r.s, a * r.s + b * r.c}, 3);
}

Tensor pairs_to_halves(const Tensor& w, Index num_heads) {
    check_heads(w, num_heads);
    const Index n = w.size(-1) / num_heads / 2;
    return w.contiguous().view(cut(w, num_heads, n, 2)).transpose(-2, -1).contiguous().view(w.shape());
}

Tensor halves_to_pairs(const Tensor& w, Index num_heads) {
    check_heads(w, num_heads);
    const Index n = w.size(-1) / num_heads / 2;
    return w.contiguous().view(cut(w, num_heads, 2, n)).transpose(-2, -1).contiguous().view(w.shape());
}

Tensor rotary_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& q_positions,
                        const Tensor& k_positions, double base, const Mask& mask) {
    check_attention(q, k, v);
    if (mask.defined()) mask.expand({q.size(0), q.size(1), q.size(2), k.size(2)});  // throws if it does not fit
    const Index H = q.size(1), d = q.size(3);
    const Tensor qr = rotate_pairs(q, rotation_angles(q_positions, d, base));
    const Tensor kr = rotate_pairs(k, rotation_angles(k_positions, d, base));
    return given::scaled_dot_product_context(qr, share(kr, H), share(v, H), mask);
}

Decoded decode(const Cache& cache, const Tensor& q, const Tensor& k, const Tensor& v, const std::vector<Index>& padding,
               double base) {
    check_attention(q, k, v);
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), K = k.size(1);
    need(k.size(2) == T, "decode: as many new keys as queries");
    need(static_cast<Index>(padding.size()) == B, "decode: one padding for each text");
    need(cache.k.defined() == cache.v.defined(), "decode: half a cache");
    Index P = 0;
    if (cache.k.defined()) {
        need(cache.k.rank() == 4 && cache.v.rank() == 4, "decode: cache");
        P = cache.k.size(2);
        need(cache.k.shape() == Shape({B, K, P, d}), "decode: cached keys");
        need(cache.v.shape() == Shape({B, K, P, v.size(3)}), "decode: cached values");
    }
    const Tensor angles = rotation_angles(token_positions(padding, P, T), d, base);
    const Tensor qr = rotate_pairs(q, angles), kr = rotate_pairs(k, angles);
    Cache grown{kr, v.contiguous().clone()};
    if (P > 0) grown = Cache{cat({cache.k, kr}, 2), cat({cache.v, v}, 2)};
    Mask mask = Mask::allow_all({B, 1, T, P + T});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t)
            for (Index s = 0; s < P + T; ++s)
                mask(b, 0, t, s) =
                    (padding[static_cast<std::size_t>(b)] > 0 && s <= padding[static_cast<std::size_t>(b)]) ||
                    s > P + t;
    const Tensor context = given::scaled_dot_product_context(qr, share(grown.k, H), share(grown.v, H), mask);
    return {context, grown};
}

Packed pack_in_projection(const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& b_q, const Tensor& b_k,
                          const Tensor& b_v) {
    need(w_q.rank() == 2 && w_k.rank() == 2 && w_v.rank() == 2, "pack: matrices");
    need(w_q.size(0) == w_k.size(0) && w_k.shape() == w_v.shape(), "pack: shapes");
    need(b_q.defined() == b_k.defined() && b_k.defined() == b_v.defined(), "pack: all biases or none");
    Packed packed{cat({w_q, w_k, w_v}, 1).transpose(0, 1).contiguous(), Tensor{}};
    if (b_q.defined()) {
        need(b_q.shape() == Shape{w_q.size(1)}, "pack: b_q");
        need(b_k.shape() == Shape{w_k.size(1)} && b_v.shape() == b_k.shape(), "pack: b_k, b_v");
        packed.bias = cat({b_q, b_k, b_v}, 0);
    }
    return packed;
}

Projections unpack_in_projection(const Packed& packed, Index num_heads, Index num_kv_heads) {
    need(num_heads >= 1 && num_kv_heads >= 1 && num_heads % num_kv_heads == 0, "unpack: heads");
    need(packed.weight.rank() == 2, "unpack: weight");
    const Index rows = packed.weight.size(0), heads = num_heads + 2 * num_kv_heads;
    need(rows % heads == 0, "unpack: rows");
    const Index d = rows / heads, E = num_heads * d, K = num_kv_heads * d;
    const auto part = [&](Index from, Index to) {
        return packed.weight.slice(0, from, to).transpose(0, 1).contiguous().clone();
    };
    Projections out{part(0, E), part(E, E + K), part(E + K, rows), {}, {}, {}};
    if (packed.bias.defined()) {
        need(packed.bias.shape() == Shape{rows}, "unpack: bias");
        out.b_q = packed.bias.slice(0, 0, E).contiguous().clone();
        out.b_k = packed.bias.slice(0, E, E + K).contiguous().clone();
        out.b_v = packed.bias.slice(0, E + K, rows).contiguous().clone();
    } else {
        out.b_q = Tensor::zeros({E});
        out.b_k = Tensor::zeros({K});
        out.b_v = Tensor::zeros({K});
    }
    return out;
}

}  // namespace headway::ex13
