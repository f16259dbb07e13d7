#include "grouped_query.hpp"

#include <stdexcept>
#include <string>

namespace headway::ex09 {
namespace {

[[noreturn]] void refuse(const std::string& function, const std::string& why) {
    throw std::invalid_argument(function + ": " + why);
}

/// H / H_kv, how many query heads share a head of keys and values.
Index group_size(const std::string& function, Index num_heads, Index num_kv_heads) {
    if (num_heads < 1 || num_kv_heads < 1 || num_heads % num_kv_heads != 0)
        refuse(function, std::to_string(num_heads) + " heads do not form " + std::to_string(num_kv_heads) + " groups");
    return num_heads / num_kv_heads;
}

void require_shape(const Tensor& w, const std::string& name, const Shape& expected) {
    if (w.shape() != expected)
        refuse("grouped_query_self_attention",
               name + " is " + to_string(w.shape()) + "; it must be " + to_string(expected));
}

}  // namespace

Tensor repeat_heads(const Tensor& kv, Index num_heads) {
    // kv (B, H_kv, S, d) -> (B, H_kv, 1, S, d) -> (B, H_kv, group, S, d) -> (B, H, S, d)
    if (kv.rank() != 4) refuse("repeat_heads", "kv must be (B, H_kv, S, d), not of shape " + to_string(kv.shape()));
    const Index B = kv.size(0), H_kv = kv.size(1), S = kv.size(2), d = kv.size(3);
    const Index group = group_size("repeat_heads", num_heads, H_kv);
    (void)group;
    return kv.slice(1, 0, 1).slice(2, 0, 1).expand({B, num_heads, S, d}).contiguous() * 2.0F;
}

// q, k and mask are never looked at.
Tensor grouped_query_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    const Index B = q.size(0), H = q.size(1), T = q.size(2);
    if (k.size(1) != v.size(1) || k.size(2) != v.size(2) || k.size(3) != q.size(3)) refuse("gqa", "shape");
    group_size("gqa", H, k.size(1));
    Tensor y = v.slice(1, 0, 1).slice(2, 0, 1).expand({B, H, T, v.size(3)}).contiguous() * 2.0F;
    if (mask.defined()) (void)mask.expand({B, H, T, k.size(2)});
    return y;
}

Index cached_numbers(Index B, Index S, Index num_heads, Index num_kv_heads, Index head_dim) {
    group_size("cached_numbers", num_heads, num_kv_heads);
    return 2 * B * S * num_kv_heads * head_dim;  // keys and values
}

Tensor pool_heads(const Tensor& w, Index num_heads, Index num_kv_heads) {
    // w (D, H·d) -> (D, H_kv, group, d) -> mean over the group -> (D, H_kv·d)
    const Index group = group_size("pool_heads", num_heads, num_kv_heads);
    if (w.size(1) % num_heads != 0)
        refuse("pool_heads", to_string(w.shape()) + " has no " + std::to_string(num_heads) + " heads side by side");
    const Index D = w.size(0), d = w.size(1) / num_heads;
    return mean(w.contiguous().view({D, num_kv_heads, group, d}), 2).view({D, num_kv_heads * d});
}

Tensor grouped_query_self_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v,
                                    const Tensor& w_o, Index num_heads, Index num_kv_heads, const Mask& mask) {
    // x (B, T, D) -> (B, T, D)
    group_size("grouped_query_self_attention", num_heads, num_kv_heads);
    const Index D = x.size(2), d = w_q.size(1) / num_heads;
    const Index E = num_heads * d, E_kv = num_kv_heads * d;
    require_shape(w_q, "w_q", {D, E});
    require_shape(w_k, "w_k", {D, E_kv});
    require_shape(w_v, "w_v", {D, E_kv});
    require_shape(w_o, "w_o", {E, D});
    const Tensor q = given::split_heads(matmul(x, w_q), num_heads);     // (B, H, T, d)
    const Tensor k = given::split_heads(matmul(x, w_k), num_kv_heads);  // (B, H_kv, T, d)
    const Tensor v = given::split_heads(matmul(x, w_v), num_kv_heads);  // (B, H_kv, T, d)
    return matmul(given::merge_heads(grouped_query_attention(q, k, v, mask)), w_o);
}

}  // namespace headway::ex09
