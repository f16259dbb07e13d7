#include "grouped_query.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace headway::ex09 {

namespace {

bool even_groups(Index H, Index H_kv) { return H >= 1 && H_kv >= 1 && H % H_kv == 0; }

bool is_matrix(const Tensor& w, Index rows, Index columns) {
    return w.rank() == 2 && w.size(0) == rows && w.size(1) == columns;
}

}  // namespace

Tensor repeat_heads(const Tensor& kv, Index num_heads) {
    if (kv.rank() != 4 || !even_groups(num_heads, kv.size(1))) throw std::invalid_argument{"repeat_heads"};
    const Index B = kv.size(0), H_kv = kv.size(1), S = kv.size(2), d = kv.size(3);
    const Index group = num_heads / H_kv;
    const Index block = S * d;
    const Tensor from = kv.contiguous();
    Tensor to = Tensor::empty({B, num_heads, S, d});
    float* target = to.data();
    for (Index source = 0; source < B * H_kv; ++source)
        for (Index copy = 0; copy < group; ++copy) target = std::copy_n(from.data() + source * block, block, target);
    return to;
}

// No keys are copied: the queries get an axis for the group instead.
Tensor grouped_query_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3);
    const Index H_kv = k.size(1), S = k.size(2), d_v = v.size(3);
    if (!even_groups(H, H_kv)) throw std::invalid_argument{"grouped_query_attention: heads"};
    if (k.shape() != Shape{B, H_kv, S, d}) throw std::invalid_argument{"grouped_query_attention: k"};
    if (v.shape() != Shape{B, H_kv, S, d_v}) throw std::invalid_argument{"grouped_query_attention: v"};
    const Index group = H / H_kv;

    const Tensor grouped = q.contiguous().view({B, H_kv, group, T, d});
    const Tensor keys = k.contiguous().view({B, H_kv, 1, S, d});
    const Tensor values = v.contiguous().view({B, H_kv, 1, S, d_v});

    const Tensor products = matmul(grouped, keys.transpose(-2, -1));  // (B, H_kv, group, T, S)
    const Tensor scores = products.view({B, H, T, S}) / sqrt(static_cast<float>(d));

    const Tensor visible = masked_fill(scores, mask, std::numeric_limits<float>::lowest());
    const Tensor e = masked_fill(exp(visible - max(visible, -1, KeepAxis::yes)), mask, 0);
    Tensor total = sum(e, -2, KeepAxis::yes);
    std::replace(total.data(), total.data() + total.numel(), 0.0F, 1.0F);  // a query that sees nothing
    const Tensor weights = e / total;

    return matmul(weights.view({B, H_kv, group, T, S}), values).view({B, H, T, d_v});
}

Index cached_numbers(Index B, Index S, Index num_heads, Index num_kv_heads, Index head_dim) {
    return even_groups(num_heads, num_kv_heads) ? B * S * num_kv_heads * head_dim * 2
                                                : throw std::invalid_argument{"cached_numbers: heads"};
}

// w times a matrix of averages.
Tensor pool_heads(const Tensor& w, Index num_heads, Index num_kv_heads) {
    if (!even_groups(num_heads, num_kv_heads)) throw std::invalid_argument{"pool_heads: heads"};
    if (w.size(1) % num_heads != 0) throw std::invalid_argument{"pool_heads: columns"};
    const Index d = w.size(1) / num_heads;
    const Index group = num_heads / num_kv_heads;
    Tensor average = Tensor::zeros({num_heads * d, num_kv_heads * d});
    for (Index h = 0; h < num_heads; ++h)
        for (Index i = 0; i < d; ++i) average(h * d + i, h / group * d + i) = 1.0F / static_cast<float>(group);
    return matmul(w, average);
}

Tensor grouped_query_self_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v,
                                    const Tensor& w_o, Index num_heads, Index num_kv_heads, const Mask& mask) {
    if (!even_groups(num_heads, num_kv_heads)) throw std::invalid_argument{"layer: heads"};
    if (x.rank() != 3) throw std::invalid_argument{"layer: x"};
    const Index D = x.size(2);
    if (w_q.size(1) % num_heads != 0) throw std::invalid_argument{"layer: columns of w_q"};
    const Index d = w_q.size(1) / num_heads;
    if (!is_matrix(w_q, D, num_heads * d) || !is_matrix(w_k, D, num_kv_heads * d) ||
        !is_matrix(w_v, D, num_kv_heads * d) || !is_matrix(w_o, num_heads * d, D))
        throw std::invalid_argument{"layer: a matrix does not fit"};

    const auto heads = [&x, d](const Tensor& w, Index count) {
        return matmul(x, w).view({x.size(0), x.size(1), count, d}).transpose(1, 2);
    };
    const Tensor context =
        grouped_query_attention(heads(w_q, num_heads), heads(w_k, num_kv_heads), heads(w_v, num_kv_heads), mask);
    const Tensor merged = context.transpose(1, 2).contiguous().view({x.size(0), x.size(1), num_heads * d});
    return matmul(merged, w_o);
}

}  // namespace headway::ex09
