#include "grouped_query.hpp"

#include <headway/eigen.hpp>

#include <limits>
#include <stdexcept>

namespace headway::ex09 {

namespace {

/// What is wrong with a number of heads. Derives from what the header asks for, so that one can catch it alone.
class UnevenGroups : public std::invalid_argument {
public:
    UnevenGroups() : std::invalid_argument("num_heads must be a positive multiple of num_kv_heads") {}
};

class WrongShape : public std::invalid_argument {
public:
    explicit WrongShape(const Tensor& x) : std::invalid_argument("does not fit: " + to_string(x.shape())) {}
};

Index neighbours(Index H, Index H_kv) {
    if (H < 1 || H_kv < 1 || H % H_kv) throw UnevenGroups{};
    return H / H_kv;
}

}  // namespace

Tensor repeat_heads(const Tensor& kv, Index num_heads) {
    if (kv.rank() != 4) throw WrongShape(kv);
    const Index group = neighbours(num_heads, kv.size(1));
    Tensor all = Tensor::empty({kv.size(0), num_heads, kv.size(2), kv.size(3)});
    for (Index b = 0; b < kv.size(0); ++b)
        for (Index h = 0; h < num_heads; ++h) as_eigen(all[b][h]) = as_eigen(kv[b][h / group]);
    return all;
}

Tensor grouped_query_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (q.rank() != 4) throw WrongShape(q);
    if (k.rank() != 4 || k.size(0) != q.size(0) || k.size(3) != q.size(3)) throw WrongShape(k);
    if (v.rank() != 4 || v.size(0) != q.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
        throw WrongShape(v);
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2);
    const Index group = neighbours(H, k.size(1));
    Mask blocked;
    if (mask.defined()) blocked = mask.expand({B, H, T, S});
    Tensor out = Tensor::zeros({B, H, T, v.size(3)});
    if (S == 0) return out;
    for (Index b = 0; b < B; ++b) {
        for (Index h = 0; h < H; ++h) {
            const Index g = h / group;
            EigenMatrix scores = as_eigen(q[b][h]) * as_eigen(k[b][g]).transpose();
            scores /= std::sqrt(static_cast<float>(q.size(3)));
            if (blocked.defined())
                for (Index t = 0; t < T; ++t)
                    for (Index s = 0; s < S; ++s)
                        if (blocked(b, h, t, s)) scores(t, s) = -std::numeric_limits<float>::infinity();
            for (Index t = 0; t < T; ++t) {
                auto row = scores.row(t).array();
                const float largest = row.maxCoeff();
                if (std::isinf(largest)) {
                    row = 0.0F;
                    continue;
                }
                row = (row - largest).exp();
                const float total = row.sum();
                row /= total;
            }
            const EigenMatrix gathered = scores * as_eigen(v[b][g]);
            as_eigen(out[b][h]) = gathered;
        }
    }
    return out;
}

Index cached_numbers(Index B, Index S, Index num_heads, Index num_kv_heads, Index head_dim) {
    static_cast<void>(neighbours(num_heads, num_kv_heads));
    const Index per_token = 2 * num_kv_heads * head_dim;
    return B * S * per_token;
}

Tensor pool_heads(const Tensor& w, Index num_heads, Index num_kv_heads) {
    const Index group = neighbours(num_heads, num_kv_heads);
    if (w.rank() != 2 || w.size(1) % num_heads) throw WrongShape(w);
    const Index D = w.size(0), d = w.size(1) / num_heads;
    const EigenMatrix all = as_eigen(w);
    EigenMatrix pooled = EigenMatrix::Zero(D, num_kv_heads * d);
    for (Index h = 0; h < num_heads; ++h)
        pooled.middleCols(h / group * d, d) += all.middleCols(h * d, d) / static_cast<float>(num_heads);
    Tensor result = Tensor::empty({D, num_kv_heads * d});
    as_eigen(result) = pooled;
    return result;
}

Tensor grouped_query_self_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v,
                                    const Tensor& w_o, Index num_heads, Index num_kv_heads, const Mask& mask) {
    neighbours(num_heads, num_kv_heads);
    if (x.rank() != 3) throw WrongShape(x);
    const Index D = x.size(2);
    if (w_q.rank() != 2 || w_q.size(0) != D || w_q.size(1) % num_heads) throw WrongShape(w_q);
    const Index d = w_q.size(1) / num_heads;
    const Shape narrow{D, num_kv_heads * d};
    if (w_k.shape() != narrow) throw WrongShape(w_k);
    if (w_v.shape() != narrow) throw WrongShape(w_v);
    if (w_o.shape() != Shape{num_heads * d, D}) throw WrongShape(w_o);

    const auto project = [&x](const Tensor& w, Index heads) {
        Tensor y = Tensor::empty({x.size(0), x.size(1), w.size(1)});
        for (Index b = 0; b < x.size(0); ++b) {
            const EigenMatrix product = as_eigen(x[b]) * as_eigen(w);
            as_eigen(y[b]) = product;
        }
        return given::split_heads(y, heads);
    };
    const Tensor heads =
        grouped_query_attention(project(w_q, num_heads), project(w_v, num_kv_heads), project(w_k, num_kv_heads), mask);
    Tensor out = Tensor::empty(x.shape());
    for (Index b = 0; b < x.size(0); ++b) {
        EigenMatrix sum = EigenMatrix::Zero(x.size(1), D);
        for (Index h = 0; h < num_heads; ++h) sum += as_eigen(heads[b][h]) * as_eigen(w_o).middleRows(h * d, d);
        as_eigen(out[b]) = sum;
    }
    return out;
}

}  // namespace headway::ex09
