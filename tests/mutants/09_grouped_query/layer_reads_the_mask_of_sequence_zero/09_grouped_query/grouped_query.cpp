// Eigen maps, head by head, a class with virtual functions, views written through.
#include "grouped_query.hpp"
#include <Eigen/Dense>
#include <headway/eigen.hpp>
#include <memory>
#include <stdexcept>
namespace headway::ex09 {
namespace {
struct Grouping {
    Index heads, kv, size;
    Grouping(Index h, Index g) : heads(h), kv(g), size(0) {
        if (h <= 0 || g <= 0) throw std::invalid_argument("at least one head");
        if (h - (h / g) * g) throw std::invalid_argument("uneven groups");
        size = h / g;
    }
    Index of(Index head) const { return head / size; }
};
class Blocker {
public:
    virtual ~Blocker() = default;
    virtual bool blocked(Index b, Index h, Index t, Index s) const = 0;
};
class Open final : public Blocker {
    bool blocked(Index, Index, Index, Index) const override { return false; }
};
class Masked final : public Blocker {
public:
    Masked(const Mask& m, const Shape& s) : mask_(m.expand(s)) {}

private:
    bool blocked(Index b, Index h, Index t, Index s) const override {
        const Strides& st = mask_.strides();
        return mask_.data()[b * st[0] + h * st[1] + t * st[2] + s * st[3]];
    }
    const Mask mask_;
};
EigenMatrix softmax_rows(EigenMatrix scores, const Blocker& blocker, Index b, Index h) {
    for (Index t = 0; t < scores.rows(); ++t) {
        float top = -INFINITY;
        for (Index s = 0; s < scores.cols(); ++s)
            if (!blocker.blocked(b, h, t, s)) top = std::max(top, scores(t, s));
        float total = 0;
        for (Index s = 0; s < scores.cols(); ++s) {
            const float e = blocker.blocked(b, h, t, s) ? 0.0F : std::exp(scores(t, s) - top);
            scores(t, s) = e;
            total += e;
        }
        if (total > 0) scores.row(t) /= total;
    }
    return scores;
}
}  // namespace
Tensor repeat_heads(const Tensor& kv, Index num_heads) {
    if (kv.rank() != 4) throw std::invalid_argument("kv must be (B, H_kv, S, d)");
    const Grouping groups(num_heads, kv.size(1));
    Tensor result = Tensor::empty({kv.size(0), num_heads, kv.size(2), kv.size(3)});
    for (Index h = 0; h < num_heads; ++h) result.select(1, h).copy_from(kv.select(1, groups.of(h)));
    return result;
}
Tensor grouped_query_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4) throw std::invalid_argument("rank");
    const Grouping groups(q.size(1), k.size(1));
    if (q.size(0) != k.size(0) || k.size(0) != v.size(0) || k.size(1) != v.size(1) || k.size(2) != v.size(2) ||
        q.size(3) != k.size(3))
        throw std::invalid_argument("sizes");
    const Shape all{q.size(0), q.size(1), q.size(2), k.size(2)};
    const std::unique_ptr<Blocker> blocker =
        mask.defined() ? std::unique_ptr<Blocker>(new Masked(mask, all)) : std::unique_ptr<Blocker>(new Open);
    Tensor result = Tensor::zeros({all[0], all[1], all[2], v.size(3)});
    const float root = std::sqrt(float(q.size(3)));
    for (Index b = 0; b < all[0]; ++b)
        for (Index h = 0; h < all[1]; ++h) {
            const auto keys = as_eigen(k[b][groups.of(h)]);
            const auto values = as_eigen(v[b][groups.of(h)]);
            EigenMatrix scores = as_eigen(q[b][h]) * keys.transpose();
            scores /= root;
            as_eigen(result[b][h]) = softmax_rows(std::move(scores), *blocker, b, h) * values;
        }
    return result;
}
Index cached_numbers(Index B, Index S, Index num_heads, Index num_kv_heads, Index head_dim) {
    const Grouping groups(num_heads, num_kv_heads);
    const Index keys = B * S * groups.kv * head_dim, values = keys;
    return keys + values;
}
Tensor pool_heads(const Tensor& w, Index num_heads, Index num_kv_heads) {
    const Grouping groups(num_heads, num_kv_heads);
    if (w.rank() != 2 || w.size(1) % num_heads) throw std::invalid_argument("w");
    const Index d = w.size(1) / num_heads;
    Tensor result = Tensor::zeros({w.size(0), num_kv_heads * d});
    for (Index h = 0; h < num_heads; ++h) {
        const Index g = groups.of(h);
        as_eigen(result.slice(1, g * d, (g + 1) * d)) += as_eigen(w.slice(1, h * d, (h + 1) * d)) / float(groups.size);
    }
    return result;
}
Tensor grouped_query_self_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v,
                                    const Tensor& w_o, Index num_heads, Index num_kv_heads, const Mask& mask) {
    const Grouping groups(num_heads, num_kv_heads);
    if (x.rank() != 3 || w_q.rank() != 2) throw std::invalid_argument("x or w_q");
    const Index B = x.size(0), T = x.size(1), D = x.size(2), E = w_q.size(1), d = E / num_heads;
    if (d * num_heads != E || w_q.shape() != Shape{D, E} || w_k.shape() != Shape{D, groups.kv * d} ||
        w_v.shape() != Shape{D, groups.kv * d} || w_o.shape() != Shape{E, D})
        throw std::invalid_argument("a matrix has another shape");
    Tensor out = Tensor::empty({B, T, D});
    for (Index b = 0; b < B; ++b) {
        Tensor q = Tensor::empty({1, T, E}), k = Tensor::empty({1, T, groups.kv * d}),
               v = Tensor::empty({1, T, groups.kv * d});
        as_eigen(q[0]) = as_eigen(x[b]) * as_eigen(w_q);
        as_eigen(k[0]) = as_eigen(x[b]) * as_eigen(w_k);
        as_eigen(v[0]) = as_eigen(x[b]) * as_eigen(w_v);
        const auto split = [&](const Tensor& y, Index h) { return y.view({1, T, h, d}).transpose(1, 2); };
        Mask mine;
        if (mask.defined()) {
            const Mask wide = mask.expand({B, num_heads, T, T});
            mine = wide.as_strided({1, num_heads, T, T}, wide.strides(), wide.layout().offset);
        }
        const Tensor c = grouped_query_attention(split(q, num_heads), split(k, groups.kv), split(v, groups.kv), mine);
        const Tensor side = c[0].transpose(0, 1).contiguous().view({T, E});
        as_eigen(out[b]) = as_eigen(side) * as_eigen(w_o);
    }
    return out;
}
}  // namespace headway::ex09
