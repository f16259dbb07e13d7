#include "positions.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace headway::ex13 {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument(why); }

// A raw look at four axes, whatever the strides.
struct Grid {
    const float* p;
    Index n[4], s[4];
    float at(Index a, Index b, Index c, Index e) const { return p[a * s[0] + b * s[1] + c * s[2] + e * s[3]]; }
};

Grid grid(const Tensor& x, const char* name) {
    if (x.rank() != 4) refuse(std::string(name) + ": four axes are needed");
    Grid g{};
    g.p = x.data();
    for (int a = 0; a < 4; ++a) {
        g.n[a] = x.shape()[static_cast<std::size_t>(a)];
        g.s[a] = x.strides()[static_cast<std::size_t>(a)];
    }
    return g;
}

// Features a and b of each pair: (2i, 2i + 1), or (i, i + d/2).
Tensor turn(const Tensor& x, const Tensor& angles, bool neighbours) {
    const Grid g = grid(x, "rotate");
    const Index B = g.n[0], H = g.n[1], T = g.n[2], d = g.n[3];
    if (d % 2 != 0) refuse("rotate: odd width");
    if (angles.shape() != Shape{B, T, d / 2}) refuse("rotate: angles " + to_string(angles.shape()));
    const Tensor dense = angles.contiguous();
    const float* angle_of = dense.data();
    Tensor y = Tensor::zeros({B, H, T, d});
    float* out = y.data();
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t, out += d)
                for (Index i = 0; i < d / 2; ++i) {
                    const Index m = neighbours ? 2 * i : i, n = neighbours ? 2 * i + 1 : i + d / 2;
                    const double angle = angle_of[(t * B + b) * (d / 2) + i], c = std::cos(angle), s = std::sin(angle);
                    const double u = g.at(b, h, t, m), w = g.at(b, h, t, n);
                    out[m] = static_cast<float>(u * c - w * s);
                    out[n] = static_cast<float>(u * s + w * c);
                }
    return y;
}

// One row of attention: keys [begin, end) that are not blocked.
template <class Blocked>
void row(const Grid& q, const Grid& k, const Grid& v, Index b, Index h, Index t, Index begin, Index end,
         Blocked blocked, float* out) {
    const Index g = h / (q.n[1] / k.n[1]), d = q.n[3], dv = v.n[3];
    std::vector<double> score(static_cast<std::size_t>(k.n[2]), 0.0), acc(static_cast<std::size_t>(dv), 0.0);
    double top = -std::numeric_limits<double>::infinity(), total = 0;
    for (Index s = begin; s < end; ++s) {
        if (blocked(s)) continue;
        double dot = 0;
        for (Index i = 0; i < d; ++i) dot += static_cast<double>(q.at(b, h, t, i)) * k.at(b, g, s, i);
        dot /= std::sqrt(static_cast<double>(d));
        score[static_cast<std::size_t>(s)] = dot;
        if (dot > top) top = dot;
    }
    for (Index s = begin; s < end; ++s) {
        if (blocked(s)) continue;
        const double w = std::exp(score[static_cast<std::size_t>(s)] - top);
        total += w;
        for (Index j = 0; j < dv; ++j) acc[static_cast<std::size_t>(j)] += w * v.at(b, g, s, j);
    }
    for (Index j = 0; j < dv; ++j)
        out[j] = total > 0 ? static_cast<float>(acc[static_cast<std::size_t>(j)] / total) : 0.0F;
}

void check(const Grid& q, const Grid& k, const Grid& v) {
    if (q.n[0] != k.n[0] || q.n[0] != v.n[0]) refuse("batch sizes differ");
    if (k.n[1] != v.n[1] || k.n[2] != v.n[2]) refuse("keys and values differ");
    if (q.n[3] != k.n[3]) refuse("queries and keys differ in width");
    if (k.n[1] < 1 || q.n[1] % k.n[1] != 0) refuse("heads do not form groups");
}

// New column of old column j, within all heads.
Tensor reorder(const Tensor& w, Index H, bool to_halves) {
    if (w.rank() < 1 || H < 1) refuse("reorder: an axis and a head are needed");
    const Index E = w.shape().back();
    if (E % H != 0 || E / H % 2 != 0) refuse("reorder: heads of even width do not fill the last axis");
    const Index d = E / H;
    const Tensor flat = w.contiguous();
    Tensor out = Tensor::zeros(w.shape());
    const float* from = flat.data();
    float* to = out.data();
    for (Index r = 0; r < w.numel() / E; ++r)
        for (Index h = 0; h < H; ++h)
            for (Index j = 0; j < d; ++j) {
                const Index pair = r * E + h * d + j, half = r * E + h * d + j / 2 + (j % 2) * (d / 2);
                if (to_halves)
                    to[half] = from[pair];
                else
                    to[pair] = from[half];
            }
    return out;
}

}  // namespace

Tensor token_positions(const std::vector<Index>& padding, Index first, Index T) {
    if (padding.empty() || first < 0 || T < 1) refuse("token_positions: nothing to count");
    for (const Index pad : padding)
        if (pad < 0) refuse("token_positions: negative padding");
    Tensor out = Tensor::zeros({static_cast<Index>(padding.size()), T});
    float* p = out.data();
    for (const Index pad : padding)
        for (Index t = 0; t < T; ++t, ++p)
            if (first + t > pad) *p = static_cast<float>(first + t - pad);
    return out;
}

Tensor rotation_angles(const Tensor& positions, Index d, double base) {
    if (positions.rank() != 2) refuse("rotation_angles: positions are (B, T)");
    if (d < 2 || d % 2 == 1) refuse("rotation_angles: d must be even");
    if (!(base > 0)) refuse("rotation_angles: base must be above 0");
    std::vector<double> speed;
    for (Index i = 0; 2 * i < d; ++i)
        speed.push_back(std::exp(-std::log(base) * 2 * static_cast<double>(i) / static_cast<double>(d)));
    speed[0] = 1;
    Tensor out = Tensor::zeros({positions.size(0), positions.size(1), d / 2});
    float* p = out.data();
    for (Index b = 0; b < positions.size(0); ++b)
        for (Index t = 0; t < positions.size(1); ++t)
            for (const double w : speed) *p++ = static_cast<float>(w * positions(b, t));
    return out;
}

Tensor rotate_pairs(const Tensor& x, const Tensor& angles) { return turn(x, angles, true); }

Tensor rotate_halves(const Tensor& x, const Tensor& angles) { return turn(x, angles, false); }

Tensor pairs_to_halves(const Tensor& w, Index num_heads) { return reorder(w, num_heads, true); }

Tensor halves_to_pairs(const Tensor& w, Index num_heads) { return reorder(w, num_heads, false); }

Tensor rotary_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& q_positions,
                        const Tensor& k_positions, double base, const Mask& mask) {
    const Grid values = grid(v, "v");
    check(grid(q, "q"), grid(k, "k"), values);
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2);
    const Tensor q1 = turn(q, rotation_angles(q_positions, q.size(3), base), true);
    const Tensor k1 = turn(k, rotation_angles(k_positions, k.size(3), base), true);
    const Mask all = mask.defined() ? mask.expand({B, H, T, S}) : Mask::allow_all({B, H, T, S});
    Tensor out = Tensor::zeros({B, H, T, v.size(3)});
    float* p = out.data();
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t, p += v.size(3))
                row(
                    grid(q1, "q"), grid(k1, "k"), values, b, h, t, 0, S, [&](Index s) { return all(b, h, t, s); }, p);
    return out;
}

Decoded decode(const Cache& cache, const Tensor& q, const Tensor& k, const Tensor& v, const std::vector<Index>& padding,
               double base) {
    check(grid(q, "q"), grid(k, "k"), grid(v, "v"));
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), K = k.size(1), dv = v.size(3);
    if (k.size(2) != T || static_cast<Index>(padding.size()) != B) refuse("decode: sizes");
    if (cache.k.defined() != cache.v.defined()) refuse("decode: half a cache");
    const Index P = cache.k.defined() ? grid(cache.k, "cache").n[2] : 0;
    if (P > 0 && (cache.k.shape() != Shape{B, K, P, d} || cache.v.shape() != Shape{B, K, P, dv}))
        refuse("decode: the cache does not fit");
    const Tensor angles = rotation_angles(token_positions(padding, P, T), d, base);
    const Tensor q1 = turn(q, angles, true), k1 = turn(k, angles, true);
    Cache next{Tensor::zeros({B, K, P + T, d}), Tensor::zeros({B, K, P + T, dv})};
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < K; ++h)
            for (Index s = 0; s < P + T; ++s) {
                for (Index i = 0; i < d; ++i) next.k(b, h, s, i) = s < P ? cache.k(b, h, s, i) : k1(b, h, s - P, i);
                for (Index i = 0; i < dv; ++i) next.v(b, h, s, i) = s < P ? cache.v(b, h, s, i) : v(b, h, s - P, i);
            }
    Tensor out = Tensor::zeros({B, H, T, dv});
    float* p = out.data();
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t, p += dv)
                row(
                    grid(q1, "q"), grid(next.k, "k"), grid(next.v, "v"), b, h, t, padding[static_cast<std::size_t>(b)],
                    P + t + 1, [](Index) { return false; }, p);
    return {out, next};
}

Packed pack_in_projection(const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& b_q, const Tensor& b_k,
                          const Tensor& b_v) {
    if (w_q.rank() != 2 || w_k.rank() != 2 || w_v.rank() != 2) refuse("pack: matrices are needed");
    const Index D = w_q.size(0), E = w_q.size(1), K = w_k.size(1);
    if (w_k.shape() != Shape{D, K} || w_v.shape() != Shape{D, K}) refuse("pack: shapes do not fit");
    const int biases = b_q.defined() + b_k.defined() + b_v.defined();
    if (biases != 0 && biases != 3) refuse("pack: three biases, or none");
    if (biases == 3 && (b_q.shape() != Shape{E} || b_k.shape() != Shape{K} || b_v.shape() != Shape{K}))
        refuse("pack: biases do not fit");
    Packed out{Tensor::zeros({E + 2 * K, D}), biases == 3 ? Tensor::zeros({E + 2 * K}) : Tensor{}};
    for (Index r = 0; r < E + 2 * K; ++r) {
        const Tensor& w = r < E ? w_q : r < E + K ? w_k : w_v;
        const Tensor& bias = r < E ? b_q : r < E + K ? b_k : b_v;
        const Index c = r < E ? r : r < E + K ? r - E : r - E - K;
        for (Index i = 0; i < D; ++i) out.weight(r, i) = w(i, c);
        if (biases == 3) out.bias(r) = bias(c);
    }
    return out;
}

Projections unpack_in_projection(const Packed& packed, Index num_heads, Index num_kv_heads) {
    const Tensor& w = packed.weight;
    if (num_heads < 1 || num_kv_heads < 1 || num_heads % num_kv_heads != 0) refuse("unpack: heads do not form groups");
    if (w.rank() != 2 || w.size(0) % (num_heads + 2 * num_kv_heads) != 0)
        refuse("unpack: rows do not divide into heads");
    if (packed.bias.defined() && packed.bias.shape() != Shape{w.size(0)}) refuse("unpack: the bias does not fit");
    const Index D = w.size(1), d = w.size(0) / (num_heads + 2 * num_kv_heads);
    Projections out;
    Index row = 0;
    const auto read = [&](Tensor& weight, Tensor& bias, Index columns) {
        weight = Tensor::zeros({D, columns});
        if (packed.bias.defined()) bias = Tensor::zeros({columns});
        for (Index c = 0; c < columns; ++c, ++row) {
            for (Index i = 0; i < D; ++i) weight(i, c) = w(row, i);
            if (packed.bias.defined()) bias(c) = packed.bias(row);
        }
    };
    read(out.w_q, out.b_q, num_heads * d);
    read(out.w_k, out.b_k, num_kv_heads * d);
    read(out.w_v, out.b_v, num_kv_heads * d);
    return out;
}

}  // namespace headway::ex13
