#include "grouped_query.hpp"

#include <stdexcept>

namespace headway::ex09 {

Tensor repeat_heads(const Tensor& kv, Index num_heads) {
    if (kv.rank() != 4) throw std::invalid_argument("repeat_heads wants four axes");
    const Index H_kv = kv.size(1);
    if (num_heads < 0 || (num_heads > H_kv && num_heads % H_kv != 0))
        throw std::invalid_argument("repeat_heads: uneven");
    Shape shape = kv.shape();
    shape[1] = num_heads;
    Tensor all = Tensor::empty(shape);
    for (Index h = 0; h < num_heads; ++h) all.select(1, h).copy_from(kv.select(1, h * H_kv / num_heads));
    return all;
}

Tensor grouped_query_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    for (const Tensor& x : {q, k, v})
        if (x.rank() != 4) throw std::invalid_argument("rank 4");
    if (k.size(1) != v.size(1) || k.size(2) != v.size(2)) throw std::invalid_argument("keys and values");
    const Tensor keys = repeat_heads(k, q.size(1)), values = repeat_heads(v, q.size(1));
    const auto attended = given::scaled_dot_product_attention(q, keys, values, mask);
    return attended.context;
}

Index cached_numbers(Index B, Index S, Index num_heads, Index num_kv_heads, Index head_dim) {
    if (num_kv_heads < 1 || num_heads < 1 || num_heads % num_kv_heads != 0) throw std::invalid_argument("cache");
    const Index multi_head = 2 * B * S * num_heads * head_dim;
    return multi_head / (num_heads / num_kv_heads);
}

Tensor pool_heads(const Tensor& w, Index num_heads, Index num_kv_heads) {
    if (num_kv_heads < 1 || num_heads < 1 || num_heads % num_kv_heads != 0) throw std::invalid_argument("pool");
    if (w.rank() != 2 || w.size(1) % num_heads != 0) throw std::invalid_argument("pool: no heads");
    const Tensor dense = w.contiguous();
    const Index rows = w.size(0), d = w.size(1) / num_heads, group = num_heads / num_kv_heads;
    const Tensor by_head = dense.view({rows, num_kv_heads, group, d});
    const Tensor total = sum(by_head, 2);
    return (total / static_cast<float>(group)).view({rows, num_kv_heads * d});
}

Tensor grouped_query_self_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v,
                                    const Tensor& w_o, Index num_heads, Index num_kv_heads, const Mask& mask) {
    if (num_kv_heads < 1 || num_heads < 1 || num_heads % num_kv_heads != 0) throw std::invalid_argument("layer");
    const Tensor q = given::split_heads(matmul(x, w_q), num_heads);
    const Index d = q.size(3);
    if (w_k.size(1) != num_kv_heads * d || w_v.size(1) != num_kv_heads * d)
        throw std::invalid_argument("w_k and w_v must make num_kv_heads heads");
    if (w_o.size(1) != x.size(2)) throw std::invalid_argument("w_o must lead back to the width of x");
    const Tensor k = given::split_heads(matmul(x, w_k), num_kv_heads);
    const Tensor v = given::split_heads(matmul(x, w_v), num_kv_heads);
    const Tensor context = grouped_query_attention(q, k, v, mask);
    const Tensor merged = given::merge_heads(context);
    return matmul(merged, w_o);
}

}  // namespace headway::ex09
