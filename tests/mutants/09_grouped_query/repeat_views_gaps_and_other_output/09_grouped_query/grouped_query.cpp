#include "grouped_query.hpp"

#include <stdexcept>
#include <string>

namespace headway::ex09 {
namespace {

void require(bool fits, const std::string& message) {
    if (!fits) throw std::invalid_argument(message);
}

Index group_size(Index num_heads, Index num_kv_heads) {
    require(num_heads >= 1 && num_kv_heads >= 1, "there must be at least one head");
    require(num_heads % num_kv_heads == 0, "num_heads must be divisible by num_kv_heads");
    return num_heads / num_kv_heads;
}

}  // namespace

Tensor repeat_heads(const Tensor& kv, Index num_heads) {
    require(kv.rank() == 4, "repeat_heads: kv is (B, H_kv, S, d)");
    const Index B = kv.size(0), H_kv = kv.size(1), S = kv.size(2), d = kv.size(3);
    const Index group = group_size(num_heads, H_kv);
    const Tensor each = kv.view({B, H_kv, 1, S, d});
    return each.expand({B, H_kv, group, S, d}).contiguous().view({B, num_heads, S, d});
}

Tensor grouped_query_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    require(q.rank() == 4 && k.rank() == 4 && v.rank() == 4, "grouped_query_attention: four axes are needed");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), H_kv = k.size(1), S = k.size(2);
    require(k.shape() == Shape{B, H_kv, S, d}, "grouped_query_attention: k does not fit q");
    require(v.size(0) == B && v.size(1) == H_kv && v.size(2) == S, "grouped_query_attention: v does not fit k");
    group_size(H, H_kv);
    if (mask.defined()) (void)mask.expand({B, H, T, S});
    return given::scaled_dot_product_context(q, repeat_heads(k, H), repeat_heads(v, H), mask);
}

Index cached_numbers(Index B, Index S, Index num_heads, Index num_kv_heads, Index head_dim) {
    group_size(num_heads, num_kv_heads);
    return 2 * B * S * num_kv_heads * head_dim;
}

Tensor pool_heads(const Tensor& w, Index num_heads, Index num_kv_heads) {
    const Index group = group_size(num_heads, num_kv_heads);
    require(w.rank() == 2, "pool_heads: w is a matrix");
    require(w.size(1) % num_heads == 0, "pool_heads: the columns must be divisible by num_heads");
    const Index d = w.size(1) / num_heads;
    return mean(w.contiguous().view({w.size(0), num_kv_heads, group, d}), 2)
        .contiguous()
        .view({w.size(0), num_kv_heads * d});
}

Tensor grouped_query_self_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v,
                                    const Tensor& w_o, Index num_heads, Index num_kv_heads, const Mask& mask) {
    group_size(num_heads, num_kv_heads);
    require(x.rank() == 3, "grouped_query_self_attention: x is (B, T, D)");
    const Index D = x.size(2);
    require(w_q.rank() == 2 && w_q.size(0) == D && w_q.size(1) % num_heads == 0,
            "grouped_query_self_attention: w_q is (D, H d)");
    const Index d = w_q.size(1) / num_heads;
    require(w_k.shape() == Shape{D, num_kv_heads * d}, "grouped_query_self_attention: w_k is (D, H_kv d)");
    require(w_v.shape() == Shape{D, num_kv_heads * d}, "grouped_query_self_attention: w_v is (D, H_kv d)");
    require(w_o.rank() == 2 && w_o.size(0) == num_heads * d, "grouped_query_self_attention: w_o is (H d, D)");

    const Tensor q = given::split_heads(matmul(x, w_q), num_heads);
    const Tensor k = given::split_heads(matmul(x, w_k), num_kv_heads);
    const Tensor v = given::split_heads(matmul(x, w_v), num_kv_heads);
    return matmul(given::merge_heads(grouped_query_attention(q, k, v, mask)), w_o);
}

}  // namespace headway::ex09
