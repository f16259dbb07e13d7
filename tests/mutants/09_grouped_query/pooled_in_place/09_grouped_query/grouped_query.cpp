// Library only: expand, given::.
#include "grouped_query.hpp"
#include <stdexcept>
namespace headway::ex09 {
namespace {
Index share(Index asking, Index asked) {
    if (asked < 1 || asking < 1 || asking % asked) throw std::invalid_argument{"heads do not form groups"};
    return asking / asked;
}
void need(bool fine, const char* what) {
    if (!fine) throw std::invalid_argument{what};
}
}  // namespace
Tensor repeat_heads(const Tensor& kv, Index num_heads) {
    need(kv.defined() && kv.rank() == 4, "kv");
    const Index B = kv.size(0), K = kv.size(1), S = kv.size(2), d = kv.size(3), n = share(num_heads, K);
    return kv.contiguous().view({B, K, 1, S, d}).expand({B, K, n, S, d}).contiguous().view({B, num_heads, S, d});
}
Tensor grouped_query_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    need(q.rank() == 4 && k.rank() == 4 && v.rank() == 4, "rank");
    need(k.size(1) == v.size(1) && k.size(0) == v.size(0) && k.size(2) == v.size(2), "k and v");
    need(q.size(0) == k.size(0) && q.size(3) == k.size(3), "q and k");
    return given::scaled_dot_product_context(q, repeat_heads(k, q.size(1)), repeat_heads(v, q.size(1)), mask);
}
Index cached_numbers(Index B, Index S, Index num_heads, Index num_kv_heads, Index head_dim) {
    share(num_heads, num_kv_heads);
    return 2 * B * S * num_kv_heads * head_dim;
}
Tensor pool_heads(const Tensor& w, Index num_heads, Index num_kv_heads) {
    const Index n = share(num_heads, num_kv_heads);
    need(w.rank() == 2 && w.size(1) % num_heads == 0, "w");
    const Index d = w.size(1) / num_heads;
    Tensor parts = w.contiguous().view({w.size(0), num_kv_heads, n, d});
    parts /= float(n);
    return sum(parts, 2).view({w.size(0), num_kv_heads * d});
}
Tensor grouped_query_self_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v,
                                    const Tensor& w_o, Index num_heads, Index num_kv_heads, const Mask& mask) {
    const Index n = share(num_heads, num_kv_heads);
    need(x.rank() == 3 && w_q.rank() == 2 && w_k.rank() == 2 && w_v.rank() == 2 && w_o.rank() == 2, "rank");
    need(w_q.size(0) == x.size(2) && w_q.size(1) % num_heads == 0, "w_q");
    need(w_k.shape() == w_v.shape() && w_k.size(0) == x.size(2) && w_k.size(1) * n == w_q.size(1), "w_k, w_v");
    need(w_o.size(0) == w_q.size(1) && w_o.size(1) == x.size(2), "w_o");
    const Tensor q = given::split_heads(matmul(x, w_q), num_heads);
    const Tensor k = given::split_heads(matmul(x, w_k), num_kv_heads);
    const Tensor v = given::split_heads(matmul(x, w_v), num_kv_heads);
    return matmul(given::merge_heads(grouped_query_attention(q, k, v, mask)), w_o);
}
}  // namespace headway::ex09
