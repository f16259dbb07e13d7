#include "grouped_query.hpp"

#include <stdexcept>
#include <string>

namespace headway::ex09 {

Tensor repeat_heads(const Tensor& kv, Index num_heads) {
    if (kv.rank() != 4) throw std::invalid_argument("repeat_heads: expected rank 4, got " + to_string(kv.shape()));
    const Index B = kv.size(0), H_kv = kv.size(1), S = kv.size(2), d = kv.size(3);
    if (num_heads < 1 || H_kv < 1 || num_heads % H_kv != 0)
        throw std::invalid_argument("repeat_heads: " + std::to_string(num_heads) + " is not a multiple of " +
                                    std::to_string(H_kv));
    const Index group = num_heads / H_kv;
    const Tensor each = kv.contiguous().view({B, H_kv, 1, S, d});
    const Tensor repeated = each.expand({B, H_kv, group, S, d});
    return repeated.contiguous().view({B, num_heads, S, d});
}

Tensor grouped_query_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (k.size(1) != v.size(1)) throw std::invalid_argument("k and v must have the same number of heads");
    const Index H = q.size(1);
    return given::scaled_dot_product_context(q, repeat_heads(k, H), repeat_heads(v, H), mask);
}

Index cached_numbers(Index B, Index S, Index num_heads, Index num_kv_heads, Index head_dim) {
    if (num_heads < 1 || num_kv_heads < 1) throw std::invalid_argument("cached_numbers: no heads");
    return 2 * B * S * num_kv_heads * head_dim;
}

Tensor pool_heads(const Tensor& w, Index num_heads, Index num_kv_heads) {
    if (num_heads < 1 || num_kv_heads < 1) throw std::invalid_argument("pool_heads: no heads");
    if (num_heads % num_kv_heads != 0) throw std::invalid_argument("pool_heads: uneven groups");
    if (w.size(1) % num_heads != 0) throw std::invalid_argument("pool_heads: columns do not split into heads");
    const Index D = w.size(0), d = w.size(1) / num_heads, group = num_heads / num_kv_heads;
    const Tensor parts = w.contiguous().view({D, num_kv_heads, group, d});
    return mean(parts, 2).view({D, num_kv_heads * d});
}

Tensor grouped_query_self_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v,
                                    const Tensor& w_o, Index num_heads, Index num_kv_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("layer: x must be (B, T, D)");
    if (num_heads < 1 || num_kv_heads < 1) throw std::invalid_argument("layer: no heads");
    if (num_heads % num_kv_heads != 0) throw std::invalid_argument("layer: uneven groups");
    if (w_q.size(1) % num_heads != 0) throw std::invalid_argument("layer: w_q does not split into heads");
    const Index D = x.size(2), d = w_q.size(1) / num_heads;
    const auto expect = [](const Tensor& w, Index rows, Index cols, const std::string& name) {
        if (w.size(0) != rows || w.size(1) != cols) throw std::invalid_argument("layer: wrong shape of " + name);
    };
    expect(w_q, D, num_heads * d, "w_q");
    expect(w_k, D, num_kv_heads * d, "w_k");
    expect(w_v, D, num_kv_heads * d, "w_v");
    expect(w_o, num_heads * d, D, "w_o");

    const Tensor q = given::split_heads(matmul(x, w_q), num_heads);
    const Tensor k = given::split_heads(matmul(x, w_k), num_kv_heads);
    const Tensor v = given::split_heads(matmul(x, w_v), num_kv_heads);
    const Tensor context = grouped_query_attention(q, k, v, mask);
    return matmul(given::merge_heads(context), w_o);
}

}  // namespace headway::ex09
