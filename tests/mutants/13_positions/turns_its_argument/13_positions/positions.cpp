#include "positions.hpp"

#include <cmath>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

namespace headway::ex13 {
namespace {

void demand(bool ok, const char* what) {
    if (!ok) throw std::invalid_argument(what);
}

// work(0), ..., work(count - 1), shared among two threads. Work must not throw.
void parallel(Index count, const std::function<void(Index)>& work) {
    std::thread other([&] {
        for (Index i = 1; i < count; i += 2) work(i);
    });
    for (Index i = 0; i < count; i += 2) work(i);
    other.join();
}

// In place, on a copy.
void turn_in_place(Tensor& y, const Tensor& angles, Index first_step, Index partner) {
    const Index H = y.size(1), T = y.size(2), n = y.size(3) / 2;
    parallel(y.size(0) * T, [&](Index bt) {
        const Index b = bt / T, t = bt % T;
        for (Index i = 0; i < n; ++i) {
            const float c = std::cos(angles(b, t, i)), s = std::sin(angles(b, t, i));
            for (Index h = 0; h < H; ++h) {
                float& u = y(b, h, t, i * first_step);
                float& w = y(b, h, t, i * first_step + partner);
                const float old = u;
                u = old * c - w * s;
                w = old * s + w * c;
            }
        }
    });
}

Tensor fresh(const Tensor& x) {
    Tensor copy = Tensor::zeros(x.shape());
    copy += x;
    return copy;
}

void check_rotation(const Tensor& x, const Tensor& angles) {
    demand(x.rank() == 4 && angles.rank() == 3, "rotate: axes");
    demand(x.size(3) % 2 == 0, "rotate: width");
    demand(angles.size(0) == x.size(0) && angles.size(1) == x.size(2) && 2 * angles.size(2) == x.size(3),
           "rotate: angles");
}

void check(const Tensor& q, const Tensor& k, const Tensor& v) {
    demand(q.rank() == 4 && k.rank() == 4 && v.rank() == 4, "axes");
    for (int axis = 0; axis < 3; ++axis) demand(k.size(axis) == v.size(axis), "k and v");
    demand(q.size(0) == k.size(0) && q.size(3) == k.size(3), "q and k");
    demand(q.size(1) % k.size(1) == 0, "groups");
}

// Online softmax: what has been summed is scaled down whenever a larger score comes.
Tensor attend(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2), d = q.size(3), dv = v.size(3);
    const Index group = H / k.size(1);
    Tensor out = Tensor::zeros({B, H, T, dv});
    parallel(B * H, [&](Index bh) {
        const Index b = bh / H, h = bh % H, g = h / group;
        for (Index t = 0; t < T; ++t) {
            std::vector<double> sum(static_cast<std::size_t>(dv), 0.0);
            double top = 0, total = 0;
            for (Index s = 0; s < S; ++s) {
                if (mask(b, h, t, s)) continue;
                double score = 0;
                for (Index i = 0; i < d; ++i)
                    score += static_cast<double>(q(b, h, t, i)) * static_cast<double>(k(b, g, s, i));
                score /= std::sqrt(static_cast<double>(d));
                if (total == 0) top = score;
                if (score > top) {
                    const double shrink = std::exp(top - score);
                    total *= shrink;
                    for (double& x : sum) x *= shrink;
                    if (total == 0) total = 1e-300;  // underflow: as good as nothing, but not "no key so far"
                    top = score;
                }
                const double weight = std::exp(score - top);
                total += weight;
                for (Index j = 0; j < dv; ++j)
                    sum[static_cast<std::size_t>(j)] += weight * static_cast<double>(v(b, g, s, j));
            }
            if (total > 0)
                for (Index j = 0; j < dv; ++j)
                    out(b, h, t, j) = static_cast<float>(sum[static_cast<std::size_t>(j)] / total);
        }
    });
    return out;
}

}  // namespace

Tensor token_positions(const std::vector<Index>& padding, Index first, Index T) {
    demand(T >= 1, "token_positions: T");
    demand(first >= 0, "token_positions: first");
    demand(padding.size() > 0, "token_positions: no sequence");
    std::vector<float> numbers;
    for (const Index pad : padding) {
        demand(pad >= 0, "token_positions: padding");
        for (Index column = first; column < first + T; ++column)
            numbers.push_back(column <= pad ? 0.0F : static_cast<float>(column - pad));
    }
    return Tensor::of({static_cast<Index>(padding.size()), T}, numbers);
}

Tensor rotation_angles(const Tensor& positions, Index d, double base) {
    demand(positions.rank() == 2 && d > 0 && d % 2 == 0 && base > 0, "rotation_angles");
    const Index B = positions.size(0), T = positions.size(1);
    Tensor out = Tensor::zeros({B, T, d / 2});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t)
            for (Index i = 0; i < d / 2; ++i) {
                const double share = static_cast<double>(i) / static_cast<double>(d / 2);
                out(b, t, i) = static_cast<float>(positions(b, t) * std::pow(base, -share));
            }
    return out;
}

Tensor rotate_pairs(const Tensor& x, const Tensor& angles) {
    check_rotation(x, angles);
    Tensor y = fresh(x);
    turn_in_place(y, angles, 2, 1);
    return y;
}

Tensor rotate_halves(const Tensor& x, const Tensor& angles) {
    check_rotation(x, angles);
    Tensor y = x.contiguous();
    turn_in_place(y, angles, 1, x.size(3) / 2);
    return y;
}

Tensor pairs_to_halves(const Tensor& w, Index num_heads) {
    demand(w.rank() > 0 && num_heads > 0, "pairs_to_halves");
    demand(w.size(-1) % num_heads == 0 && w.size(-1) / num_heads % 2 == 0, "pairs_to_halves: heads");
    // Every second column, as a view: each head has d/2 even ones, then d/2 odd ones.
    const Index n = w.size(-1) / num_heads / 2, last = w.rank() - 1;
    std::vector<Tensor> parts;
    for (Index h = 0; h < num_heads; ++h)
        for (Index odd = 0; odd < 2; ++odd) {
            const Tensor head = w.slice(last, 2 * n * h + odd, 2 * n * (h + 1));
            Shape shape = head.shape();
            Strides strides = head.strides();
            shape.back() = n;
            strides.back() *= 2;
            parts.push_back(head.as_strided(shape, strides, head.offset()));
        }
    return cat(parts, last);
}

Tensor halves_to_pairs(const Tensor& w, Index num_heads) {
    demand(w.rank() > 0 && num_heads > 0, "halves_to_pairs");
    demand(w.size(-1) % num_heads == 0 && w.size(-1) / num_heads % 2 == 0, "halves_to_pairs: heads");
    const Index n = w.size(-1) / num_heads / 2, last = w.rank() - 1;
    std::vector<Tensor> columns;
    for (Index h = 0; h < num_heads; ++h)
        for (Index i = 0; i < n; ++i)
            for (Index half = 0; half < 2; ++half) {
                const Index from = (2 * h + half) * n + i;
                columns.push_back(w.slice(last, from, from + 1));
            }
    return cat(columns, last);
}

Tensor rotary_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& q_positions,
                        const Tensor& k_positions, double base, const Mask& mask) {
    check(q, k, v);
    const Shape scores{q.size(0), q.size(1), q.size(2), k.size(2)};
    const Mask full = mask.defined() ? mask.expand(scores) : Mask::allow_all(scores);
    return attend(rotate_pairs(q, rotation_angles(q_positions, q.size(3), base)),
                  rotate_pairs(k, rotation_angles(k_positions, k.size(3), base)), v, full);
}

Decoded decode(const Cache& cache, const Tensor& q, const Tensor& k, const Tensor& v, const std::vector<Index>& padding,
               double base) {
    check(q, k, v);
    const Index B = q.size(0), T = q.size(2);
    demand(k.size(2) == T, "decode: T");
    demand(static_cast<Index>(padding.size()) == B, "decode: padding");
    demand(cache.k.defined() == cache.v.defined(), "decode: cache");
    Index P = 0;
    if (cache.k.defined()) {
        check(q, cache.k, cache.v);
        demand(cache.k.size(1) == k.size(1) && cache.v.size(3) == v.size(3), "decode: cache");
        P = cache.k.size(2);
    }
    const Tensor angles = rotation_angles(token_positions(padding, P, T), q.size(3), base);
    const Tensor q1 = rotate_pairs(q, angles), k1 = rotate_pairs(k, angles);
    Cache next{k1, fresh(v)};
    if (P > 0) {
        next.k = cat({cache.k, k1}, 2);
        next.v = cat({cache.v, v}, 2);
    }
    Mask mask = Mask::allow_all({B, 1, T, P + T});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t)
            for (Index s = 0; s < P + T; ++s) mask(b, 0, t, s) = P + t < s || padding[static_cast<std::size_t>(b)] > s;
    return {attend(q1, next.k, next.v, mask.expand({B, q.size(1), T, P + T})), next};
}

Packed pack_in_projection(const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& b_q, const Tensor& b_k,
                          const Tensor& b_v) {
    for (const Tensor* w : {&w_q, &w_k, &w_v}) demand(w->rank() == 2 && w->size(0) == w_q.size(0), "pack: matrices");
    demand(w_k.size(1) == w_v.size(1), "pack: keys and values");
    std::vector<float> weight, bias;
    for (const Tensor* w : {&w_q, &w_k, &w_v})
        for (Index column = 0; column < w->size(1); ++column)
            for (Index row = 0; row < w->size(0); ++row) weight.push_back((*w)(row, column));
    const Index rows = w_q.size(1) + 2 * w_k.size(1);
    Packed packed{Tensor::of({rows, w_q.size(0)}, weight), Tensor{}};
    if (!b_q.defined() && !b_k.defined() && !b_v.defined()) return packed;
    demand(b_q.rank() == 1 && b_k.rank() == 1 && b_v.rank() == 1, "pack: biases");
    demand(b_q.size(0) == w_q.size(1) && b_k.size(0) == w_k.size(1) && b_v.size(0) == w_v.size(1), "pack: biases");
    for (const Tensor* b : {&b_q, &b_k, &b_v})
        for (Index i = 0; i < b->size(0); ++i) bias.push_back((*b)(i));
    packed.bias = Tensor::of({rows}, bias);
    return packed;
}

Projections unpack_in_projection(const Packed& packed, Index num_heads, Index num_kv_heads) {
    demand(num_heads >= 1 && num_kv_heads >= 1, "unpack: heads");
    demand(num_heads % num_kv_heads == 0, "unpack: groups");
    demand(packed.weight.rank() == 2, "unpack: weight");
    const Index rows = packed.weight.size(0), D = packed.weight.size(1), heads = num_heads + 2 * num_kv_heads;
    demand(rows % heads == 0, "unpack: rows");
    const Index E = rows / heads * num_heads, K = rows / heads * num_kv_heads;
    const auto matrix = [&](Index from, Index width) {
        Tensor w = Tensor::zeros({D, width});
        for (Index i = 0; i < D; ++i)
            for (Index j = 0; j < width; ++j) w(i, j) = packed.weight(from + j, i);
        return w;
    };
    const auto vector = [&](Index from, Index width) {
        if (!packed.bias.defined()) return Tensor{};
        demand(packed.bias.rank() == 1 && packed.bias.size(0) == rows, "unpack: bias");
        return fresh(packed.bias.slice(0, from, from + width));
    };
    return {matrix(0, E), matrix(E, K), matrix(E + K, K), vector(0, E), vector(E, K), vector(E + K, K)};
}

}  // namespace headway::ex13
