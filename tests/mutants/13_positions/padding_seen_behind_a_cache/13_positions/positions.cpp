#include "positions.hpp"

#include <cmath>
#include <complex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace headway::ex13 {
namespace {

using Point = std::complex<double>;

struct Guard {
    const char* where;
    const Guard& operator()(bool fits) const {
        if (!fits) throw std::invalid_argument(std::string(where) + ": does not fit");
        return *this;
    }
};

struct Neighbours {
    static std::pair<Index, Index> of(Index i, Index) { return {2 * i, 2 * i + 1}; }
};
struct Halves {
    static std::pair<Index, Index> of(Index i, Index d) { return {i, i + d / 2}; }
};

// Each pair is a complex number, a turn is a product with e^{i angle}.
template <class Convention>
Tensor spin(const Tensor& x, const Tensor& angles) {
    const Guard fits{"rotate"};
    fits(x.rank() == 4)(angles.rank() == 3);
    const Index d = x.size(3);
    fits(d % 2 == 0)(angles.shape() == Shape({x.size(0), x.size(2), d / 2}));
    Tensor y = Tensor::empty(x.shape());
    for (Index b = 0; b < x.size(0); ++b)
        for (Index t = 0; t < x.size(2); ++t)
            for (Index i = 0; i < d / 2; ++i) {
                const Point by = std::polar(1.0, static_cast<double>(angles(b, t, i)));
                const auto [re, im] = Convention::of(i, d);
                for (Index h = 0; h < x.size(1); ++h) {
                    const Point z = Point(x(b, h, t, re), x(b, h, t, im)) * by;
                    y(b, h, t, re) = static_cast<float>(z.real());
                    y(b, h, t, im) = static_cast<float>(z.imag());
                }
            }
    return y;
}

// Columns of w in another order; order[j] says which column of a head comes to place j.
Tensor gather(const Tensor& w, Index H, const std::vector<Index>& order) {
    const Index d = static_cast<Index>(order.size()), last = w.rank() - 1;
    Tensor out = Tensor::empty(w.shape());
    for (Index h = 0; h < H; ++h)
        for (Index j = 0; j < d; ++j) {
            const Index to = h * d + j, from = h * d + order[static_cast<std::size_t>(j)];
            out.slice(last, to, to + 1).copy_from(w.slice(last, from, from + 1));
        }
    return out;
}

Index width(const Tensor& w, Index H) {
    const Guard fits{"columns"};
    fits(w.rank() > 0)(H > 0)(w.size(-1) % H == 0);
    const Index d = w.size(-1) / H;
    fits(d % 2 == 0);
    return d;
}

Tensor for_each_query_head(const Tensor& kv, Index H) {
    std::vector<Tensor> heads;
    for (Index h = 0; h < H; ++h) {
        const Index g = h / (H / kv.size(1));
        heads.push_back(kv.slice(1, g, g + 1));
    }
    return cat(heads, 1);
}

void check_shapes(const Tensor& q, const Tensor& k, const Tensor& v) {
    const Guard fits{"attention"};
    fits(q.rank() == 4)(k.rank() == 4)(v.rank() == 4);
    fits(k.size(0) == q.size(0))(v.size(0) == q.size(0))(k.size(3) == q.size(3));
    fits(v.size(1) == k.size(1))(v.size(2) == k.size(2))(q.size(1) % k.size(1) == 0);
}

// What has been seen so far, joined with what is new.
Tensor joined(const Tensor& old, const Tensor& fresh) {
    std::vector<Tensor> parts;
    if (old.defined()) parts.push_back(old);
    parts.push_back(fresh);
    return cat(parts, 2);
}

}  // namespace

Tensor token_positions(const std::vector<Index>& padding, Index first, Index T) {
    const Guard fits{"token_positions"};
    fits(!padding.empty())(first >= 0)(T >= 1);
    Tensor out = Tensor::empty({static_cast<Index>(padding.size()), T});
    Index b = 0;
    for (const Index pad : padding) {
        fits(pad >= 0);
        Index count = first > pad ? first - pad : 0;
        for (Index t = 0; t < T; ++t) {
            out(b, t) = static_cast<float>(count);
            if (first + t >= pad) ++count;
        }
        ++b;
    }
    return out;
}

Tensor rotation_angles(const Tensor& positions, Index d, double base) {
    Guard{"rotation_angles"}(positions.rank() == 2)(d >= 2)(d % 2 == 0)(base > 0);
    Tensor out = Tensor::empty({positions.size(0), positions.size(1), d / 2});
    for (Index i = 0; i < d / 2; ++i) {
        const double step = 1.0 / std::pow(base, static_cast<double>(2 * i) / static_cast<double>(d));
        for (Index b = 0; b < positions.size(0); ++b)
            for (Index t = 0; t < positions.size(1); ++t)
                out(b, t, i) = static_cast<float>(static_cast<double>(positions(b, t)) * step);
    }
    return out;
}

Tensor rotate_pairs(const Tensor& x, const Tensor& angles) { return spin<Neighbours>(x, angles); }

Tensor rotate_halves(const Tensor& x, const Tensor& angles) { return spin<Halves>(x, angles); }

Tensor pairs_to_halves(const Tensor& w, Index num_heads) {
    std::vector<Index> order;
    const Index d = width(w, num_heads);
    for (Index j = 0; j < d; j += 2) order.push_back(j);
    for (Index j = 1; j < d; j += 2) order.push_back(j);
    return gather(w, num_heads, order);
}

Tensor halves_to_pairs(const Tensor& w, Index num_heads) {
    std::vector<Index> order;
    const Index d = width(w, num_heads);
    for (Index i = 0; i < d / 2; ++i) {
        order.push_back(i);
        order.push_back(i + d / 2);
    }
    return gather(w, num_heads, order);
}

Tensor rotary_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& q_positions,
                        const Tensor& k_positions, double base, const Mask& mask) {
    check_shapes(q, k, v);
    const Shape scores{q.size(0), q.size(1), q.size(2), k.size(2)};
    const Mask blocked = mask.defined() ? mask.expand(scores) : Mask{};
    const Tensor turned_q = spin<Neighbours>(q, rotation_angles(q_positions, q.size(3), base));
    const Tensor turned_k = spin<Neighbours>(k, rotation_angles(k_positions, k.size(3), base));
    return given::scaled_dot_product_attention(turned_q, for_each_query_head(turned_k, q.size(1)),
                                               for_each_query_head(v, q.size(1)), blocked)
        .context;
}

Decoded decode(const Cache& cache, const Tensor& q, const Tensor& k, const Tensor& v, const std::vector<Index>& padding,
               double base) {
    const Guard fits{"decode"};
    check_shapes(q, k, v);
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3);
    fits(k.size(2) == T)(static_cast<Index>(padding.size()) == B)(cache.k.defined() == cache.v.defined());
    Index P = 0;
    if (cache.k.defined()) {
        fits(cache.k.rank() == 4)(cache.v.rank() == 4);
        P = cache.k.size(2);
        fits(cache.k.shape() == Shape({B, k.size(1), P, d}))(cache.v.shape() == Shape({B, k.size(1), P, v.size(3)}));
    }
    const Tensor angles = rotation_angles(token_positions(padding, P, T), d, base);
    Decoded out;
    out.cache.k = joined(cache.k, spin<Neighbours>(k, angles));
    out.cache.v = joined(cache.v, v);
    Mask blocked = Mask::block_all({B, 1, T, P + T});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t)
            for (Index s = P > 0 ? 0 : padding[static_cast<std::size_t>(b)]; s <= P + t; ++s)
                blocked(b, 0, t, s) = false;
    out.context = given::scaled_dot_product_attention(spin<Neighbours>(q, angles), for_each_query_head(out.cache.k, H),
                                                      for_each_query_head(out.cache.v, H), blocked)
                      .context;
    return out;
}

Packed pack_in_projection(const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& b_q, const Tensor& b_k,
                          const Tensor& b_v) {
    const Guard fits{"pack"};
    fits(w_q.rank() == 2)(w_k.rank() == 2)(w_v.shape() == w_k.shape())(w_k.size(0) == w_q.size(0));
    fits(b_q.defined() == b_k.defined())(b_q.defined() == b_v.defined());
    Packed out;
    out.weight = cat({w_q.transpose(0, 1), w_k.transpose(0, 1), w_v.transpose(0, 1)}, 0);
    if (b_q.defined()) {
        fits(b_q.rank() == 1)(b_k.rank() == 1)(b_v.rank() == 1);
        fits(b_q.size(0) == w_q.size(1))(b_k.size(0) == w_k.size(1))(b_v.size(0) == w_v.size(1));
        out.bias = cat({b_q, b_k, b_v}, 0);
    }
    return out;
}

Projections unpack_in_projection(const Packed& packed, Index num_heads, Index num_kv_heads) {
    const Guard fits{"unpack"};
    fits(num_heads > 0)(num_kv_heads > 0)(num_heads % num_kv_heads == 0)(packed.weight.rank() == 2);
    const Index heads = num_heads + 2 * num_kv_heads, rows = packed.weight.size(0);
    fits(rows % heads == 0)(!packed.bias.defined() || packed.bias.shape() == Shape({rows}));
    const Index d = rows / heads;
    const auto take = [](const Tensor& from) {
        Tensor copy = Tensor::empty(from.shape());
        copy.copy_from(from);
        return copy;
    };
    const Tensor w = packed.weight.transpose(0, 1);  // (D, rows): heads are blocks of columns
    const Index k0 = num_heads * d, v0 = k0 + num_kv_heads * d;
    Projections out{take(w.slice(1, 0, k0)), take(w.slice(1, k0, v0)), take(w.slice(1, v0, rows)), {}, {}, {}};
    if (packed.bias.defined()) {
        out.b_q = take(packed.bias.slice(0, 0, k0));
        out.b_k = take(packed.bias.slice(0, k0, v0));
        out.b_v = take(packed.bias.slice(0, v0, rows));
    }
    return out;
}

}  // namespace headway::ex13
