#include "grouped_query.hpp"

#include <stdexcept>
#include <vector>

// A class knows who belongs to whom; each group is attended to on its own. The layer widens w_k and w_v instead of
// keys and values. Pooling by recursion over halves, sums by Kahan.
namespace headway::ex09 {

class Groups {
public:
    Groups(Index heads, Index groups) : heads_(heads), groups_(groups) {
        if (heads <= 0 || groups <= 0) throw std::invalid_argument("there must be heads and groups");
        if (heads % groups > 0) throw std::invalid_argument("groups would be uneven");
    }
    Index members() const { return heads_ / groups_; }
    Index first(Index group) const { return group * members(); }
    Index behind(Index group) const { return first(group) + members(); }
    Index of(Index head) const { return head * groups_ / heads_; }

private:
    Index heads_, groups_;
};

class Kahan {
public:
    void add(float value) {
        const float y = value - lost_;
        const float t = sum_ + y;
        lost_ = (t - sum_) - y;
        sum_ = t;
    }
    float sum() const { return sum_; }

private:
    float sum_ = 0, lost_ = 0;
};

Tensor repeat_heads(const Tensor& kv, Index num_heads) {
    if (kv.rank() != 4) throw std::invalid_argument("repeat_heads: four axes");
    const Groups groups(num_heads, kv.size(1));
    Tensor result = Tensor::empty({kv.size(0), num_heads, kv.size(2), kv.size(3)});
    for (Index h = 0; h < num_heads; ++h) result.select(1, h).copy_from(kv.select(1, h / kv.size(1)));
    return result;
}

Tensor grouped_query_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4) throw std::invalid_argument("attention: four axes");
    const Groups groups(q.size(1), k.size(1));
    if (k.size(0) != q.size(0) || v.size(0) != q.size(0) || k.size(3) != q.size(3) || v.size(1) != k.size(1) ||
        v.size(2) != k.size(2))
        throw std::invalid_argument("attention: q, k, v disagree");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2);
    std::vector<Tensor> parts;
    for (Index g = 0; g < k.size(1); ++g) {
        const Index members = groups.members();
        Mask part;
        if (mask.defined()) {
            part = Mask::allow_all({B, members, T, S});
            const Mask all = mask.expand({B, H, T, S});
            for (Index b = 0; b < B; ++b)
                for (Index m = 0; m < members; ++m)
                    for (Index t = 0; t < T; ++t)
                        for (Index s = 0; s < S; ++s) part(b, m, t, s) = all(b, groups.first(g) + m, t, s);
        }
        const Tensor queries = q.slice(1, groups.first(g), groups.behind(g));
        const Tensor keys = k.slice(1, g, g + 1).expand({B, members, S, k.size(3)});
        const Tensor values = v.slice(1, g, g + 1).expand({B, members, S, v.size(3)});
        parts.push_back(given::scaled_dot_product_attention(queries, keys, values, part).context);
    }
    return cat(parts, 1);
}

Index cached_numbers(Index B, Index S, Index num_heads, Index num_kv_heads, Index head_dim) {
    Groups(num_heads, num_kv_heads);
    Index numbers = 0;
    for (Index g = 0; g < num_kv_heads; ++g) numbers += B * S * head_dim;
    return numbers * 2;
}

Tensor pool_heads(const Tensor& w, Index num_heads, Index num_kv_heads) {
    const Groups groups(num_heads, num_kv_heads);
    if (w.rank() != 2 || w.size(1) % num_heads != 0) throw std::invalid_argument("pool_heads: w");
    const Index d = w.size(1) / num_heads;
    std::vector<float> values;
    for (Index row = 0; row < w.size(0); ++row)
        for (Index g = 0; g < num_kv_heads; ++g)
            for (Index i = 0; i < d; ++i) {
                Kahan total;
                for (Index h = groups.first(g); h < groups.behind(g); ++h) total.add(w(row, h * d + i));
                values.push_back(total.sum() / static_cast<float>(groups.members()));
            }
    return Tensor::of({w.size(0), num_kv_heads * d}, values);
}

Tensor grouped_query_self_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v,
                                    const Tensor& w_o, Index num_heads, Index num_kv_heads, const Mask& mask) {
    const Groups groups(num_heads, num_kv_heads);
    if (x.rank() != 3 || w_q.rank() != 2 || w_q.size(0) != x.size(2) || w_q.size(1) % num_heads != 0)
        throw std::invalid_argument("layer: w_q");
    const Index d = w_q.size(1) / num_heads;
    if (w_k.shape() != Shape{x.size(2), num_kv_heads * d}) throw std::invalid_argument("layer: w_k");
    if (w_v.shape() != Shape{x.size(2), num_kv_heads * d}) throw std::invalid_argument("layer: w_v");
    if (w_o.shape() != Shape{num_heads * d, x.size(2)}) throw std::invalid_argument("layer: w_o");

    const auto widened = [&](const Tensor& w) {
        std::vector<Tensor> columns;
        for (Index h = 0; h < num_heads; ++h) columns.push_back(w.slice(1, groups.of(h) * d, (groups.of(h) + 1) * d));
        return cat(columns, 1);
    };
    const Tensor q = given::split_heads(matmul(x, w_q), num_heads);
    const Tensor k = given::split_heads(matmul(x, widened(w_k)), num_heads);
    const Tensor v = given::split_heads(matmul(x, widened(w_v)), num_heads);
    const Tensor z = given::scaled_dot_product_attention(q, k, v, mask).context;
    return matmul(given::merge_heads(z), w_o);
}

}  // namespace headway::ex09
