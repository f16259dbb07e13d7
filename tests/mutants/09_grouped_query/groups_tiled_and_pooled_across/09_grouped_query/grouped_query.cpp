#include "grouped_query.hpp"

#include <stdexcept>
#include <string>

namespace headway::ex09 {

namespace {

Index group_size(Index num_heads, Index num_kv_heads) {
    if (num_heads < 1 || num_kv_heads < 1 || num_heads % num_kv_heads != 0)
        throw std::invalid_argument(std::to_string(num_heads) + " query heads cannot share " +
                                    std::to_string(num_kv_heads) + " heads of keys and values");
    return num_heads / num_kv_heads;
}

void need_rank(const Tensor& x, Index rank, const char* name) {
    if (x.rank() != rank) throw std::invalid_argument(std::string(name) + " has the shape " + to_string(x.shape()));
}

void need_shape(const Tensor& x, const Shape& shape, const char* name) {
    if (x.shape() != shape)
        throw std::invalid_argument(std::string(name) + " should be " + to_string(shape) + ", is " +
                                    to_string(x.shape()));
}

}  // namespace

Tensor repeat_heads(const Tensor& kv, Index num_heads) {
    need_rank(kv, 4, "kv");
    const Index B = kv.size(0), H_kv = kv.size(1), S = kv.size(2), d = kv.size(3);
    const Index group = group_size(num_heads, H_kv);
    const Tensor each = kv.contiguous().view({B, 1, H_kv, S, d});
    const Tensor repeated = each.expand({B, group, H_kv, S, d});
    return repeated.contiguous().view({B, num_heads, S, d});
}

Tensor grouped_query_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    need_rank(q, 4, "q");
    need_rank(k, 4, "k");
    need_rank(v, 4, "v");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2);
    need_shape(k, {B, k.size(1), S, d}, "k");
    need_shape(v, {B, k.size(1), S, v.size(3)}, "v");
    group_size(H, k.size(1));
    const Mask wide = mask.defined() ? mask.expand({B, H, T, S}) : Mask{};
    return given::scaled_dot_product_context(q, repeat_heads(k, H), repeat_heads(v, H), wide);
}

Index cached_numbers(Index B, Index S, Index num_heads, Index num_kv_heads, Index head_dim) {
    group_size(num_heads, num_kv_heads);
    return 2 * B * S * num_kv_heads * head_dim;
}

Tensor pool_heads(const Tensor& w, Index num_heads, Index num_kv_heads) {
    need_rank(w, 2, "w");
    const Index group = group_size(num_heads, num_kv_heads);
    const Index D = w.size(0), width = w.size(1);
    if (width % num_heads != 0) throw std::invalid_argument("the columns of w are not divisible by num_heads");
    const Index d = width / num_heads;
    return mean(w.contiguous().view({D, group, num_kv_heads, d}), 1).contiguous().view({D, num_kv_heads * d});
}

Tensor grouped_query_self_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v,
                                    const Tensor& w_o, Index num_heads, Index num_kv_heads, const Mask& mask) {
    group_size(num_heads, num_kv_heads);
    need_rank(x, 3, "x");
    need_rank(w_q, 2, "w_q");
    const Index D = x.size(2), E = w_q.size(1);
    if (E % num_heads != 0) throw std::invalid_argument("the columns of w_q are not divisible by num_heads");
    const Index d = E / num_heads;
    need_shape(w_q, {D, E}, "w_q");
    need_shape(w_k, {D, num_kv_heads * d}, "w_k");
    need_shape(w_v, {D, num_kv_heads * d}, "w_v");
    need_shape(w_o, {E, D}, "w_o");
    const Tensor q = given::split_heads(matmul(x, w_q), num_heads);
    const Tensor k = given::split_heads(matmul(x, w_k), num_kv_heads);
    const Tensor v = given::split_heads(matmul(x, w_v), num_kv_heads);
    return matmul(given::merge_heads(grouped_query_attention(q, k, v, mask)), w_o);
}

}  // namespace headway::ex09
