// Exercise 09: what its visible test asks, asked of the submission. See student/visible_twin.hpp.
#include "student/visible_twin.hpp"

#include <visible_test.cpp>  // NOLINT(bugprone-suspicious-include)

namespace headway::ex09 {

using judge::asked_for;

Tensor repeat_heads(const Tensor& kv, Index num_heads) {
    return asked_for<Tensor>("repeat_heads", {{"kv", kv}, {"num_heads", num_heads}});
}

Tensor grouped_query_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    return asked_for<Tensor>("grouped_query_attention", {{"q", q}, {"k", k}, {"v", v}, {"mask", mask}});
}

Index cached_numbers(Index B, Index S, Index num_heads, Index num_kv_heads, Index head_dim) {
    return asked_for<Index>(
        "cached_numbers",
        {{"B", B}, {"S", S}, {"num_heads", num_heads}, {"num_kv_heads", num_kv_heads}, {"head_dim", head_dim}});
}

Tensor pool_heads(const Tensor& w, Index num_heads, Index num_kv_heads) {
    return asked_for<Tensor>("pool_heads", {{"w", w}, {"num_heads", num_heads}, {"num_kv_heads", num_kv_heads}});
}

Tensor grouped_query_self_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v,
                                    const Tensor& w_o, Index num_heads, Index num_kv_heads, const Mask& mask) {
    return asked_for<Tensor>("grouped_query_self_attention", {{"x", x},
                                                              {"w_q", w_q},
                                                              {"w_k", w_k},
                                                              {"w_v", w_v},
                                                              {"w_o", w_o},
                                                              {"num_heads", num_heads},
                                                              {"num_kv_heads", num_kv_heads},
                                                              {"mask", mask}});
}

}  // namespace headway::ex09
