#include "positions.hpp"

#include <headway/eigen.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <vector>

// Pairs as complex numbers, heads as Eigen matrices, orders of columns as lists.
namespace headway::ex13 {
namespace {

using Complex = std::complex<double>;
using Invalid = std::invalid_argument;

class Spin {
public:
    Spin(const Tensor& x, const Tensor& angles) {
        if (x.rank() != 4 || angles.rank() != 3) throw Invalid("Spin: ranks");
        if (angles.size(0) != x.size(0) || angles.size(1) != x.size(2) || 2 * angles.size(2) != x.size(3))
            throw Invalid("Spin: shapes");
        tokens_ = angles.size(1);
        pairs_ = angles.size(2);
        for (Index b = 0; b < angles.size(0); ++b)
            for (Index t = 0; t < tokens_; ++t)
                for (Index i = 0; i < pairs_; ++i)
                    units_.push_back(std::polar(1.0, static_cast<double>(angles(b, t, i))));
    }

    /// Pair i of a head has its x at i * step and its y `gap` behind it.
    Tensor apply(const Tensor& x, Index step, Index gap) const {
        Tensor y = Tensor::empty(x.shape());
        for (Index b = 0; b < x.size(0); ++b)
            for (Index h = 0; h < x.size(1); ++h)
                for (Index t = 0; t < tokens_; ++t)
                    for (Index i = 0; i < pairs_; ++i) {
                        const Index at = i * step;
                        const Complex point{x(b, h, t, at), x(b, h, t, at + gap)};
                        const Complex moved = point * unit(b, t, i);
                        y(b, h, t, at) = static_cast<float>(moved.real());
                        y(b, h, t, at + gap) = static_cast<float>(moved.imag());
                    }
        return y;
    }

private:
    Complex unit(Index b, Index t, Index i) const { return units_.data()[(b * tokens_ + t) * pairs_ + i]; }

    Index tokens_ = 0, pairs_ = 0;
    std::vector<Complex> units_;
};

/// order[new column] = old column, of neighbours to halves
std::vector<Index> order_of_columns(const Tensor& w, Index num_heads) {
    if (w.rank() == 0 || num_heads < 1 || w.size(-1) % num_heads != 0 || (w.size(-1) / num_heads) % 2 != 0)
        throw Invalid("columns do not make heads of even width");
    const Index d = w.size(-1) / num_heads;
    std::vector<Index> order;
    for (Index h = 0; h < num_heads; ++h)
        for (const Index odd : {Index{0}, Index{1}})
            for (Index i = odd; i < d; i += 2) order.push_back(h * d + i);
    return order;
}

using Sees = std::function<bool(Index b, Index h, Index t, Index s)>;

class Attention {
public:
    Attention(const Tensor& q, const Tensor& k, const Tensor& v) : q_(q), k_(k), v_(v) {
        if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4) throw Invalid("attention: four axes each");
        if (q.size(0) != k.size(0) || q.size(0) != v.size(0) || q.size(3) != k.size(3))
            throw Invalid("attention: q does not fit");
        if (k.size(1) != v.size(1) || k.size(2) != v.size(2)) throw Invalid("attention: k and v differ");
        if (k.size(1) == 0 || q.size(1) % k.size(1) != 0) throw Invalid("attention: H_kv must divide H");
    }

    Tensor context(const Sees& sees) const {
        const Index H = q_.size(1), T = q_.size(2), S = k_.size(2), group = H / k_.size(1);
        Tensor result = Tensor::zeros({q_.size(0), H, T, v_.size(3)});
        for (Index b = 0; b < q_.size(0); ++b)
            for (Index h = 0; h < H; ++h) {
                const Index g = h / group;
                EigenMatrix weights = as_eigen(q_[b][h]) * as_eigen(k_[b][g]).transpose();
                weights /= std::sqrt(static_cast<float>(q_.size(3)));
                for (Index t = 0; t < T; ++t) {
                    std::vector<Index> seen;
                    for (Index s = 0; s < S; ++s)
                        if (sees(b, h, t, s)) seen.push_back(s);
                    softmax(weights, t, seen);
                }
                const EigenMatrix gathered = weights * as_eigen(v_[b][g]);
                EigenMap place = as_eigen(result[b][h]);
                place = gathered;
            }
        return result;
    }

private:
    static void softmax(EigenMatrix& table, Index t, const std::vector<Index>& seen) {
        std::vector<double> scores;
        for (const Index s : seen) scores.push_back(table(t, s));
        table.row(t).setZero();
        if (scores.empty()) return;
        const double largest = *std::max_element(scores.begin(), scores.end());
        for (double& score : scores) score = std::exp(score - largest);
        const double total = std::accumulate(scores.begin(), scores.end(), 0.0);
        for (std::size_t j = 0; j < seen.size(); ++j) table(t, seen[j]) = static_cast<float>(scores[j] / total);
    }

    Tensor q_, k_, v_;
};

Tensor append(const Tensor& old, const Tensor& fresh) {
    const Index P = old.defined() ? old.size(2) : 0, T = fresh.size(2);
    Tensor all = Tensor::empty({fresh.size(0), fresh.size(1), P + T, fresh.size(3)});
    if (P > 0) all.slice(2, 0, P).copy_from(old);
    all.slice(2, P, P + T).copy_from(fresh);
    return all;
}

void check_kept(const Tensor& kept, const Tensor& fresh, Index P) {
    Shape wanted = fresh.shape();
    wanted[2] = P;
    if (kept.shape() != wanted) throw Invalid("decode: the cache has another shape");
}

}  // namespace

Tensor token_positions(const std::vector<Index>& padding, Index first, Index T) {
    if (padding.empty() || first < 0 || T < 1) throw Invalid("token_positions: sizes");
    std::vector<float> numbers;
    for (const Index pad : padding) {
        if (pad < 0) throw Invalid("token_positions: padding below 0");
        for (Index column = first; column < first + T; ++column)
            numbers.push_back(static_cast<float>(first + std::max(Index{0}, column - first - pad)));
    }
    return Tensor::of({static_cast<Index>(padding.size()), T}, numbers);
}

Tensor rotation_angles(const Tensor& positions, Index d, double base) {
    if (positions.rank() != 2 || d < 2 || d % 2 != 0 || !(base > 0))
        throw Invalid("rotation_angles: positions (B, T), an even width, a base above 0");
    std::vector<double> steps;
    for (Index feature = 0; feature < d; feature += 2)
        steps.push_back(std::exp(-std::log(base) * static_cast<double>(feature) / static_cast<double>(d)));
    std::vector<float> angles;
    for (Index b = 0; b < positions.size(0); ++b)
        for (Index t = 0; t < positions.size(1); ++t)
            for (const double step : steps) angles.push_back(static_cast<float>(positions(b, t) * step));
    return Tensor::of({positions.size(0), positions.size(1), d / 2}, angles);
}

Tensor rotate_pairs(const Tensor& x, const Tensor& angles) { return Spin(x, angles).apply(x, 2, 1); }

Tensor rotate_halves(const Tensor& x, const Tensor& angles) { return Spin(x, angles).apply(x, 1, angles.size(2)); }

Tensor pairs_to_halves(const Tensor& w, Index num_heads) {
    const std::vector<Index> order = order_of_columns(w, num_heads);
    const Index last = w.rank() - 1;
    Tensor result = Tensor::empty(w.shape());
    Index column = 0;
    for (const Index old : order) result.select(last, column++).copy_from(w.select(last, old));
    return result;
}

Tensor halves_to_pairs(const Tensor& w, Index num_heads) {
    const std::vector<Index> order = order_of_columns(w, num_heads);
    const Index last = w.rank() - 1;
    Tensor result = Tensor::empty(w.shape());
    Index column = 0;
    for (const Index old : order) result.select(last, old).copy_from(w.select(last, column++));
    return result;
}

Tensor rotary_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& q_positions,
                        const Tensor& k_positions, double base, const Mask& mask) {
    (void)Attention(q, k, v);  // checks
    const Index d = q.size(3);
    Sees sees = [](Index, Index, Index, Index) { return true; };
    if (mask.defined()) {
        const Mask wide = mask.expand({q.size(0), q.size(1), q.size(2), k.size(2)});
        sees = [wide](Index b, Index h, Index t, Index s) { return !wide(b, h, t, s); };
    }
    const Tensor q_angles = rotation_angles(q_positions, d, base), k_angles = rotation_angles(k_positions, d, base);
    return Attention(rotate_pairs(q, q_angles), rotate_pairs(k, k_angles), v).context(sees);
}

Decoded decode(const Cache& cache, const Tensor& q, const Tensor& k, const Tensor& v, const std::vector<Index>& padding,
               double base) {
    (void)Attention(q, k, v);  // checks
    if (q.size(2) != k.size(2) || padding.size() != static_cast<std::size_t>(q.size(0)))
        throw Invalid("decode: tokens or padding do not fit");
    if (cache.k.defined() != cache.v.defined()) throw Invalid("decode: half a cache");
    Index P = 0;
    if (cache.k.defined()) {
        if (cache.k.rank() != 4) throw Invalid("decode: keys of the cache have four axes");
        P = cache.k.size(2);
        check_kept(cache.k, k, P);
        check_kept(cache.v, v, P);
    }
    const Tensor angles = rotation_angles(token_positions(padding, P, q.size(2)), q.size(3), base);
    const Cache next{append(cache.k, rotate_pairs(k, angles)), append(cache.v, v)};
    const Sees sees = [&](Index b, Index, Index t, Index s) { return padding.data()[b] <= s && s <= P + t; };
    return {Attention(rotate_pairs(q, angles), next.k, next.v).context(sees), next};
}

Packed pack_in_projection(const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& b_q, const Tensor& b_k,
                          const Tensor& b_v) {
    for (const Tensor& w : {w_q, w_k, w_v})
        if (w.rank() != 2 || w.size(0) != w_q.size(0)) throw Invalid("pack: three matrices of as many rows");
    if (w_k.size(1) != w_v.size(1)) throw Invalid("pack: keys and values differ");
    if (b_q.defined() != b_k.defined() || b_k.defined() != b_v.defined())
        throw Invalid("pack: some biases are missing");
    Packed packed;
    packed.weight = Tensor::empty({w_q.size(1) + 2 * w_k.size(1), w_q.size(0)});
    Index begin = 0;
    for (const Tensor& w : {w_q, w_k, w_v}) {
        packed.weight.slice(0, begin, begin + w.size(1)).copy_from(w.transpose(0, 1));
        begin += w.size(1);
    }
    if (!b_q.defined()) return packed;
    if (b_q.shape() != Shape{w_q.size(1)} || b_k.shape() != Shape{w_k.size(1)} || b_v.shape() != Shape{w_v.size(1)})
        throw Invalid("pack: biases of another width");
    packed.bias = Tensor::empty({begin});
    begin = 0;
    for (const Tensor& b : {b_q, b_k, b_v}) {
        packed.bias.slice(0, begin, begin + b.size(0)).copy_from(b);
        begin += b.size(0);
    }
    return packed;
}

Projections unpack_in_projection(const Packed& packed, Index num_heads, Index num_kv_heads) {
    if (num_heads < 1 || num_kv_heads < 1 || num_heads % num_kv_heads != 0 || packed.weight.rank() != 2)
        throw Invalid("unpack: heads");
    const Index heads = num_heads + 2 * num_kv_heads, rows = packed.weight.size(0);
    if (rows % heads != 0 || (packed.bias.defined() && packed.bias.shape() != Shape{rows}))
        throw Invalid("unpack: rows");
    Projections parts;
    Index begin = 0;
    const auto next = [&](Index count, Tensor& w, Tensor& bias) {
        const Index end = begin + count * (rows / heads);
        w = Tensor::empty({packed.weight.size(1), end - begin});
        w.copy_from(packed.weight.slice(0, begin, end).transpose(0, 1));
        if (packed.bias.defined()) {
            bias = Tensor::empty({end - begin});
            bias.copy_from(packed.bias.slice(0, begin, end));
        }
        begin = end;
    };
    next(num_heads, parts.w_q, parts.b_q);
    next(num_kv_heads, parts.w_k, parts.b_k);
    next(num_kv_heads, parts.w_v, parts.b_v);
    return parts;
}

}  // namespace headway::ex13
