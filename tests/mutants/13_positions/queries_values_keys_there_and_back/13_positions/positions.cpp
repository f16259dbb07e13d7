#include "positions.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

// Raw strides, and attention in one pass over the keys: the running maximum rescales what was gathered.
namespace headway::ex13 {
namespace {

[[noreturn]] void bad(const char* what) { throw std::invalid_argument(what); }

/// Four axes by their strides, without checks.
struct Grid {
    explicit Grid(const Tensor& x) : at(x.data()) {
        for (std::size_t a = 0; a < 4; ++a) {
            size[a] = x.shape()[a];
            step[a] = x.strides()[a];
        }
    }
    const float* row(Index i, Index j, Index k) const { return at + i * step[0] + j * step[1] + k * step[2]; }

    const float* at;
    std::array<Index, 4> size{}, step{};
};

class Reader {
public:
    explicit Reader(Index width) : sums_(static_cast<std::size_t>(width), 0.0) {}

    void see(double score, const float* value, Index step) {
        if (score > largest_) {
            const double shrink = total_ == 0 ? 0 : std::exp(largest_ - score);
            total_ *= shrink;
            for (double& sum : sums_) sum *= shrink;
            largest_ = score;
        }
        const double weight = std::exp(score - largest_);
        total_ += weight;
        for (double& sum : sums_) {
            sum += weight * *value;
            value += step;
        }
    }

    void write(float* to) const {
        for (const double sum : sums_) *to++ = total_ > 0 ? static_cast<float>(sum / total_) : 0.0F;
    }

private:
    double largest_ = -std::numeric_limits<double>::infinity(), total_ = 0;
    std::vector<double> sums_;
};

template <class Blocked>
Tensor read_keys(const Tensor& q, const Tensor& k, const Tensor& v, const Blocked& blocked) {
    const Grid queries(q), keys(k), values(v);
    const Index B = queries.size[0], H = queries.size[1], T = queries.size[2], d = queries.size[3];
    const Index S = keys.size[2], d_v = values.size[3], group = H / keys.size[1];
    const double scale = 1 / std::sqrt(static_cast<double>(d));
    Tensor context = Tensor::zeros({B, H, T, d_v});
    float* to = context.data();
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t, to += d_v) {
                Reader reader(d_v);
                const float* query = queries.row(b, h, t);
                for (Index s = 0; s < S; ++s) {
                    if (blocked(b, h, t, s)) continue;
                    const float* key = keys.row(b, h / group, s);
                    double dot = 0;
                    for (Index i = 0; i < d; ++i)
                        dot += static_cast<double>(query[i * queries.step[3]]) * key[i * keys.step[3]];
                    reader.see(dot * scale, values.row(b, h / group, s), values.step[3]);
                }
                reader.write(to);
            }
    return context;
}

void check(const Tensor& q, const Tensor& k, const Tensor& v) {
    for (const Tensor* x : {&q, &k, &v})
        if (x->rank() != 4 || x->size(0) != q.size(0)) bad("attention: q, k and v are (B, heads, tokens, width)");
    if (k.size(3) != q.size(3) || k.size(1) != v.size(1) || k.size(2) != v.size(2)) bad("attention: sizes differ");
    if (k.size(1) < 1 || q.size(1) % k.size(1) != 0) bad("attention: H_kv does not divide H");
}

/// Feature i * stride is turned with the one `gap` behind it.
Tensor turned(const Tensor& x, const Tensor& angles, Index stride, Index gap) {
    const Grid from(x);
    const auto [B, H, T, d] = from.size;
    Tensor result = Tensor::empty(x.shape());
    float* to = result.data();
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t, to += d)
                for (Index i = 0; 2 * i < d; ++i) {
                    const double angle = angles(b, t, i), c = std::cos(angle), s = std::sin(angle);
                    const float* feature = from.row(b, h, t) + i * stride * from.step[3];
                    const double px = feature[0], py = feature[gap * from.step[3]];
                    to[i * stride] = static_cast<float>(px * c - py * s);
                    to[i * stride + gap] = static_cast<float>(px * s + py * c);
                }
    return result;
}

void check_turn(const Tensor& x, const Tensor& angles) {
    if (x.rank() != 4 || x.size(3) % 2 != 0 || angles.shape() != Shape{x.size(0), x.size(2), x.size(3) / 2})
        bad("rotation: x (B, H, T, d) and angles (B, T, d/2)");
}

Index place_in_halves(Index column, Index d) {
    const Index head = column / d, feature = column % d;
    return head * d + feature / 2 + (feature % 2) * (d / 2);
}

Index check_columns(const Tensor& w, Index num_heads) {
    if (w.rank() < 1 || num_heads < 1 || w.size(-1) % num_heads != 0) bad("columns: heads do not fill them");
    const Index d = w.size(-1) / num_heads;
    if (d % 2 != 0) bad("columns: odd heads");
    return d;
}

}  // namespace

Tensor token_positions(const std::vector<Index>& padding, Index first, Index T) {
    if (padding.empty() || T < 1 || first < 0) bad("token_positions: sizes");
    Tensor positions = Tensor::zeros({static_cast<Index>(padding.size()), T});
    float* row = positions.data();
    for (const Index pad : padding) {
        if (pad < 0) bad("token_positions: negative padding");
        const Index begin = pad > first ? pad - first : 0;  // column of the first real token of these
        for (Index t = begin; t < T; ++t) row[t] = static_cast<float>(t + first - pad);
        row += T;
    }
    return positions;
}

Tensor rotation_angles(const Tensor& positions, Index d, double base) {
    if (positions.rank() != 2) bad("rotation_angles: positions are (B, T)");
    if (d < 2 || d % 2 != 0 || !(base > 0)) bad("rotation_angles: d or base");
    const Index B = positions.size(0), T = positions.size(1), n = d / 2;
    std::vector<double> steps(static_cast<std::size_t>(n));
    for (Index i = 0; i < n; ++i)
        steps.data()[i] = 1 / std::pow(base, 2.0 * static_cast<double>(i) / static_cast<double>(d));
    Tensor angles = Tensor::empty({B, T, n});
    float* to = angles.data();
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t)
            for (const double step : steps) *to++ = static_cast<float>(step * positions(b, t));
    return angles;
}

Tensor rotate_pairs(const Tensor& x, const Tensor& angles) {
    check_turn(x, angles);
    return turned(x, angles, 2, 1);
}

Tensor rotate_halves(const Tensor& x, const Tensor& angles) {
    check_turn(x, angles);
    return turned(x, angles, 1, x.size(3) / 2);
}

Tensor pairs_to_halves(const Tensor& w, Index num_heads) {
    const Index d = check_columns(w, num_heads), columns = w.size(-1);
    const Tensor flat = w.contiguous();
    Tensor result = Tensor::empty(w.shape());
    for (Index i = 0; i < w.numel(); ++i)
        result.data()[i - i % columns + place_in_halves(i % columns, d)] = flat.data()[i];
    return result;
}

Tensor halves_to_pairs(const Tensor& w, Index num_heads) {
    const Index d = check_columns(w, num_heads), columns = w.size(-1);
    const Tensor flat = w.contiguous();
    Tensor result = Tensor::empty(w.shape());
    for (Index i = 0; i < w.numel(); ++i)
        result.data()[i] = flat.data()[i - i % columns + place_in_halves(i % columns, d)];
    return result;
}

Tensor rotary_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& q_positions,
                        const Tensor& k_positions, double base, const Mask& mask) {
    check(q, k, v);
    const Index d = q.size(3);
    const Mask none = Mask::allow_all({1, 1, 1, 1});
    const Mask wide = (mask.defined() ? mask : none).expand({q.size(0), q.size(1), q.size(2), k.size(2)});
    return read_keys(rotate_pairs(q, rotation_angles(q_positions, d, base)),
                     rotate_pairs(k, rotation_angles(k_positions, d, base)), v,
                     [&wide](Index b, Index h, Index t, Index s) -> bool { return wide(b, h, t, s); });
}

Decoded decode(const Cache& cache, const Tensor& q, const Tensor& k, const Tensor& v, const std::vector<Index>& padding,
               double base) {
    check(q, k, v);
    const Index B = q.size(0), T = q.size(2), d = q.size(3);
    if (k.size(2) != T || static_cast<Index>(padding.size()) != B) bad("decode: tokens or padding");
    if (cache.k.defined() != cache.v.defined()) bad("decode: half a cache");
    Index P = 0;
    if (cache.k.defined()) {
        check(q, cache.k, cache.v);
        P = cache.k.size(2);
        if (cache.k.size(1) != k.size(1) || cache.v.size(3) != v.size(3)) bad("decode: another cache");
    }
    const Tensor angles = rotation_angles(token_positions(padding, P, T), d, base);
    const Index S = P + T;
    Cache next{Tensor::empty({B, k.size(1), S, d}), Tensor::empty({B, v.size(1), S, v.size(3)})};
    if (cache.k.defined()) {
        next.k.slice(2, 0, P).copy_from(cache.k);
        next.v.slice(2, 0, P).copy_from(cache.v);
    }
    next.k.slice(2, P, S).copy_from(rotate_pairs(k, angles));
    next.v.slice(2, P, S).copy_from(v);
    const Tensor context =
        read_keys(rotate_pairs(q, angles), next.k, next.v, [&padding, P](Index b, Index, Index t, Index s) -> bool {
            return s < padding[static_cast<std::size_t>(b)] || s > P + t;
        });
    return {context, next};
}

Packed pack_in_projection(const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& b_q, const Tensor& b_k,
                          const Tensor& b_v) {
    if (w_q.rank() != 2 || w_k.rank() != 2 || w_k.shape() != w_v.shape() || w_q.size(0) != w_k.size(0))
        bad("pack: matrices");
    const Index D = w_q.size(0), E = w_q.size(1), E_kv = w_k.size(1), rows = E + 2 * E_kv;
    const bool biased = b_q.defined();
    if (b_k.defined() != biased || b_v.defined() != biased) bad("pack: all biases or none");
    if (biased && (b_q.shape() != Shape{E} || b_k.shape() != Shape{E_kv} || b_v.shape() != Shape{E_kv}))
        bad("pack: widths of biases");
    Packed packed{Tensor::empty({rows, D}), biased ? Tensor::empty({rows}) : Tensor{}};
    for (Index row = 0; row < rows; ++row) {
        const bool is_q = row < E, is_k = !is_q && row < E + E_kv;
        const Tensor &w = is_q ? w_q : is_k ? w_v : w_k, &bias = is_q ? b_q : is_k ? b_v : b_k;
        const Index column = is_q ? row : is_k ? row - E : row - E - E_kv;
        packed.weight[row].copy_from(w.select(1, column));
        if (biased) packed.bias(row) = bias(column);
    }
    return packed;
}

Projections unpack_in_projection(const Packed& packed, Index num_heads, Index num_kv_heads) {
    if (num_heads < 1 || num_kv_heads < 1 || num_heads % num_kv_heads != 0) bad("unpack: heads");
    const Tensor& w = packed.weight;
    if (w.rank() != 2 || w.size(0) % (num_heads + 2 * num_kv_heads) != 0) bad("unpack: rows");
    if (packed.bias.defined() && packed.bias.shape() != Shape{w.size(0)}) bad("unpack: bias");
    const Index d = w.size(0) / (num_heads + 2 * num_kv_heads), D = w.size(1);
    const std::array<Index, 4> ends{0, num_heads * d, (num_heads + num_kv_heads) * d, w.size(0)};
    Projections p;
    const std::array<Tensor*, 3> weights{&p.w_q, &p.w_v, &p.w_k}, biases{&p.b_q, &p.b_v, &p.b_k};
    for (std::size_t part = 0; part < 3; ++part) {
        const Index begin = ends[part], count = ends[part + 1] - begin;
        *weights[part] = Tensor::empty({D, count});
        for (Index column = 0; column < count; ++column) weights[part]->select(1, column).copy_from(w[begin + column]);
        if (!packed.bias.defined()) continue;
        *biases[part] = Tensor::empty({count});
        biases[part]->copy_from(packed.bias.slice(0, begin, begin + count));
    }
    return p;
}

}  // namespace headway::ex13
