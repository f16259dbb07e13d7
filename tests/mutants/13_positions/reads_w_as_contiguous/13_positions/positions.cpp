#include "positions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

// Loops over elements, sums in double.
namespace headway::ex13 {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument("positions: " + why); }

template <class PairOf>
Tensor turn(const Tensor& x, const Tensor& angles, PairOf pair_of) {
    if (x.rank() != 4 || angles.rank() != 3) refuse("x is (B, H, T, d), angles are (B, T, d/2)");
    const Index B = x.size(0), H = x.size(1), T = x.size(2), d = x.size(3);
    if (d % 2 != 0 || angles.shape() != Shape{B, T, d / 2})
        refuse("angles " + to_string(angles.shape()) + " for " + to_string(x.shape()));
    Tensor y = Tensor::zeros({B, H, T, d});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t)
            for (Index i = 0; i < d / 2; ++i) {
                const double angle = angles(b, t, i), c = std::cos(angle), s = std::sin(angle);
                const auto [first, second] = pair_of(i);
                for (Index h = 0; h < H; ++h) {
                    const double px = x(b, h, t, first), py = x(b, h, t, second);
                    y(b, h, t, first) = static_cast<float>(px * c - py * s);
                    y(b, h, t, second) = static_cast<float>(px * s + py * c);
                }
            }
    return y;
}

Index width_of_head(const Tensor& w, Index num_heads) {
    if (w.rank() < 1 || num_heads < 1) refuse("columns of at least one head");
    const Index columns = w.size(-1);
    if (columns % num_heads != 0 || (columns / num_heads) % 2 != 0)
        refuse("heads of even width do not fill the columns");
    return columns / num_heads;
}

/// q and k are turned already. blocked(b, h, t, s) says what is not seen.
template <class Blocked>
Tensor attend(const Tensor& q, const Tensor& k, const Tensor& v, Blocked blocked) {
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3);
    const Index H_kv = k.size(1), S = k.size(2), d_v = v.size(3), group = H / H_kv;
    Tensor context = Tensor::zeros({B, H, T, d_v});
    std::vector<double> scores(static_cast<std::size_t>(S)), sums(static_cast<std::size_t>(d_v));
    double* const score = scores.data();
    double* const gathered = sums.data();
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t) {
                const Index g = h / group;
                double largest = -std::numeric_limits<double>::infinity();
                Index seen = 0;
                for (Index s = 0; s < S; ++s) {
                    if (blocked(b, h, t, s)) continue;
                    double dot = 0;
                    for (Index i = 0; i < d; ++i) dot += static_cast<double>(q(b, h, t, i)) * k(b, g, s, i);
                    score[s] = dot / std::sqrt(static_cast<double>(d));
                    largest = std::max(largest, score[s]);
                    ++seen;
                }
                if (seen == 0) continue;
                double total = 0;
                std::fill(sums.begin(), sums.end(), 0.0);
                for (Index s = 0; s < S; ++s) {
                    if (blocked(b, h, t, s)) continue;
                    const double weight = std::exp(score[s] - largest);
                    total += weight;
                    for (Index i = 0; i < d_v; ++i) gathered[i] += weight * v(b, g, s, i);
                }
                for (Index i = 0; i < d_v; ++i) context(b, h, t, i) = static_cast<float>(gathered[i] / total);
            }
    return context;
}

void check(const Tensor& q, const Tensor& k, const Tensor& v) {
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4) refuse("q, k and v have four axes");
    if (k.shape() != Shape{q.size(0), k.size(1), k.size(2), q.size(3)}) refuse("k does not fit q");
    if (v.shape() != Shape{q.size(0), k.size(1), k.size(2), v.size(3)}) refuse("v does not fit k");
    if (k.size(1) < 1 || q.size(1) % k.size(1) != 0) refuse("H_kv does not divide H");
}

void copy_rows(const Tensor& from, Tensor& to, Index offset) {
    for (Index b = 0; b < from.size(0); ++b)
        for (Index h = 0; h < from.size(1); ++h)
            for (Index t = 0; t < from.size(2); ++t)
                for (Index i = 0; i < from.size(3); ++i) to(b, h, offset + t, i) = from(b, h, t, i);
}

/// The rows of one projection, from row `begin` on.
void put_matrix(const Tensor& w, Tensor& packed, Index begin) {
    for (Index in = 0; in < w.size(0); ++in)
        for (Index out = 0; out < w.size(1); ++out) packed(begin + out, in) = w(in, out);
}
void put_vector(const Tensor& b, Tensor& packed, Index begin) {
    for (Index out = 0; out < b.size(0); ++out) packed(begin + out) = b(out);
}
Tensor take_matrix(const Tensor& packed, Index begin, Index count) {
    Tensor w = Tensor::zeros({packed.size(1), count});
    for (Index in = 0; in < packed.size(1); ++in)
        for (Index out = 0; out < count; ++out) w(in, out) = packed(begin + out, in);
    return w;
}
Tensor take_vector(const Tensor& packed, Index begin, Index count) {
    Tensor b = Tensor::zeros({count});
    for (Index out = 0; out < count; ++out) b(out) = packed(begin + out);
    return b;
}

}  // namespace

Tensor token_positions(const std::vector<Index>& padding, Index first, Index T) {
    if (padding.empty()) refuse("no sequence");
    if (first < 0 || T < 1) refuse("first or T too small");
    if (*std::min_element(padding.begin(), padding.end()) < 0) refuse("negative padding");
    Tensor positions = Tensor::zeros({static_cast<Index>(padding.size()), T});
    Index b = 0;
    for (const Index pad : padding) {
        for (Index t = 0; t < T; ++t)
            if (first + t > pad) positions(b, t) = static_cast<float>(first + t - pad);
        ++b;
    }
    return positions;
}

Tensor rotation_angles(const Tensor& positions, Index d, double base) {
    if (positions.rank() != 2) refuse("positions are (B, T)");
    if (d < 2 || d % 2 == 1) refuse("width of a head must be even");
    if (!(base > 0)) refuse("base must be positive");
    const Index B = positions.size(0), T = positions.size(1), n = d / 2;
    Tensor angles = Tensor::zeros({B, T, n});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t)
            for (Index i = 0; i < n; ++i) {
                const double exponent = -static_cast<double>(i) / static_cast<double>(n);
                angles(b, t, i) = static_cast<float>(static_cast<double>(positions(b, t)) * std::pow(base, exponent));
            }
    return angles;
}

Tensor rotate_pairs(const Tensor& x, const Tensor& angles) {
    return turn(x, angles, [](Index i) { return std::pair<Index, Index>(2 * i, 2 * i + 1); });
}

Tensor rotate_halves(const Tensor& x, const Tensor& angles) {
    const Index half = x.rank() == 4 ? x.size(3) / 2 : 0;
    return turn(x, angles, [half](Index i) { return std::pair<Index, Index>(i, i + half); });
}

Tensor pairs_to_halves(const Tensor& w, Index num_heads) {
    const Index d = width_of_head(w, num_heads), blocks = w.numel() / d;
    const Tensor& source = w;
    Tensor result = Tensor::zeros(w.shape());
    const float* from = source.data();
    float* to = result.data();
    for (Index block = 0; block < blocks; ++block, from += d, to += d)
        for (Index i = 0; i < d / 2; ++i) {
            to[i] = from[2 * i];
            to[d / 2 + i] = from[2 * i + 1];
        }
    return result;
}

Tensor halves_to_pairs(const Tensor& w, Index num_heads) {
    const Index d = width_of_head(w, num_heads), blocks = w.numel() / d;
    const Tensor source = w.contiguous();
    Tensor result = Tensor::zeros(w.shape());
    const float* from = source.data();
    float* to = result.data();
    for (Index block = 0; block < blocks; ++block, from += d, to += d)
        for (Index i = 0; i < d / 2; ++i) {
            to[2 * i] = from[i];
            to[2 * i + 1] = from[d / 2 + i];
        }
    return result;
}

Tensor rotary_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& q_positions,
                        const Tensor& k_positions, double base, const Mask& mask) {
    check(q, k, v);
    const Index d = q.size(3);
    const Tensor turned_q = rotate_pairs(q, rotation_angles(q_positions, d, base));
    const Tensor turned_k = rotate_pairs(k, rotation_angles(k_positions, d, base));
    if (!mask.defined()) return attend(turned_q, turned_k, v, [](Index, Index, Index, Index) { return false; });
    const Mask wide = mask.expand({q.size(0), q.size(1), q.size(2), k.size(2)});
    return attend(turned_q, turned_k, v, [&](Index b, Index h, Index t, Index s) { return wide(b, h, t, s); });
}

Decoded decode(const Cache& cache, const Tensor& q, const Tensor& k, const Tensor& v, const std::vector<Index>& padding,
               double base) {
    check(q, k, v);
    const Index B = q.size(0), T = q.size(2), d = q.size(3), H_kv = k.size(1), d_v = v.size(3);
    if (k.size(2) != T) refuse("one query for each new key");
    if (static_cast<Index>(padding.size()) != B) refuse("one count of padding for each text");
    if (cache.k.defined() != cache.v.defined()) refuse("a cache of keys without values, or of values without keys");
    Index P = 0;
    if (cache.k.defined()) {
        if (cache.k.rank() != 4) refuse("cached keys have four axes");
        P = cache.k.size(2);
        if (cache.k.shape() != Shape{B, H_kv, P, d} || cache.v.shape() != Shape{B, H_kv, P, d_v})
            refuse("the cache does not fit");
    }
    const Tensor angles = rotation_angles(token_positions(padding, P, T), d, base);
    Decoded result;
    result.cache.k = Tensor::zeros({B, H_kv, P + T, d});
    result.cache.v = Tensor::zeros({B, H_kv, P + T, d_v});
    if (P > 0) {
        copy_rows(cache.k, result.cache.k, 0);
        copy_rows(cache.v, result.cache.v, 0);
    }
    copy_rows(rotate_pairs(k, angles), result.cache.k, P);
    copy_rows(v, result.cache.v, P);
    result.context = attend(rotate_pairs(q, angles), result.cache.k, result.cache.v,
                            [&](Index b, Index, Index t, Index s) { return s < padding.data()[b] || s > P + t; });
    return result;
}

Packed pack_in_projection(const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& b_q, const Tensor& b_k,
                          const Tensor& b_v) {
    if (w_q.rank() != 2 || w_k.rank() != 2 || w_v.rank() != 2) refuse("projections are matrices");
    const Index D = w_q.size(0), E = w_q.size(1), E_kv = w_k.size(1);
    if (w_k.shape() != Shape{D, E_kv} || w_v.shape() != Shape{D, E_kv}) refuse("projections do not fit");
    const int biases = int{b_q.defined()} + int{b_k.defined()} + int{b_v.defined()};
    if (biases != 0 && biases != 3) refuse("all biases or none");
    if (biases == 3 && (b_q.shape() != Shape{E} || b_k.shape() != Shape{E_kv} || b_v.shape() != Shape{E_kv}))
        refuse("biases do not fit");
    Packed packed;
    packed.weight = Tensor::zeros({E + 2 * E_kv, D});
    put_matrix(w_q, packed.weight, 0);
    put_matrix(w_k, packed.weight, E);
    put_matrix(w_v, packed.weight, E + E_kv);
    if (biases == 3) {
        packed.bias = Tensor::zeros({E + 2 * E_kv});
        put_vector(b_q, packed.bias, 0);
        put_vector(b_k, packed.bias, E);
        put_vector(b_v, packed.bias, E + E_kv);
    }
    return packed;
}

Projections unpack_in_projection(const Packed& packed, Index num_heads, Index num_kv_heads) {
    if (num_heads < 1 || num_kv_heads < 1 || num_heads % num_kv_heads != 0) refuse("H_kv does not divide H");
    if (packed.weight.rank() != 2 || packed.weight.size(0) % (num_heads + 2 * num_kv_heads) != 0)
        refuse("rows do not divide into heads");
    const Index rows = packed.weight.size(0), d = rows / (num_heads + 2 * num_kv_heads);
    const Index E = num_heads * d, E_kv = num_kv_heads * d;
    if (packed.bias.defined() && packed.bias.shape() != Shape{rows}) refuse("bias does not fit");
    Projections p;
    p.w_q = take_matrix(packed.weight, 0, E);
    p.w_k = take_matrix(packed.weight, E, E_kv);
    p.w_v = take_matrix(packed.weight, E + E_kv, E_kv);
    if (packed.bias.defined()) {
        p.b_q = take_vector(packed.bias, 0, E);
        p.b_k = take_vector(packed.bias, E, E_kv);
        p.b_v = take_vector(packed.bias, E + E_kv, E_kv);
    }
    return p;
}

}  // namespace headway::ex13
