#include "grouped_query.hpp"

#include <stdexcept>

namespace headway::ex09 {

using std::invalid_argument;

static bool forms_groups(Index H, Index H_kv) { return H >= 1 && H_kv >= 1 && H % H_kv == 0; }

Tensor repeat_heads(const Tensor& kv, Index num_heads) {
    if (kv.rank() != 4 || !forms_groups(num_heads, kv.size(1))) throw invalid_argument("repeat_heads");
    const Tensor dense = kv.contiguous();
    const Index B = kv.size(0), H_kv = kv.size(1), block = kv.size(2) * kv.size(3), group = num_heads / H_kv;
    Tensor out = Tensor::zeros({B, num_heads, kv.size(2), kv.size(3)});
    float* to = out.data();
    for (Index head = 0; head < B * H_kv; ++head)
        for (Index copy = 0; copy < group; ++copy)
            for (Index i = 0; i < block; ++i) *to++ = dense.data()[head * block + i];
    return out;
}

Tensor grouped_query_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (q.rank() != 4 || k.rank() != 4) throw invalid_argument("q and k");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), H_kv = k.size(1), S = k.size(2);
    if (!forms_groups(H, H_kv)) throw invalid_argument("groups");
    const Index rows = H / H_kv * T;  // all queries of a group, one below the other
    Mask folded = mask;
    if (mask.defined())
        folded = mask.expand({B, H, T, S}).clone().as_strided({B, H_kv, rows, S}, {H * T * S, rows * S, S, 1}, 0);
    const Tensor context =
        given::scaled_dot_product_attention(q.contiguous().view({B, H_kv, rows, d}), k, v, folded).context;
    return context.view({B, H, T, v.size(3)});
}

Index cached_numbers(Index B, Index S, Index num_heads, Index num_kv_heads, Index head_dim) {
    if (!forms_groups(num_heads, num_kv_heads)) throw invalid_argument("cached_numbers");
    const Index a_token = 2 * num_heads * head_dim;
    return a_token * S * B;
}

Tensor pool_heads(const Tensor& w, Index num_heads, Index num_kv_heads) {
    if (!forms_groups(num_heads, num_kv_heads) || w.rank() != 2 || w.size(1) % num_heads != 0)
        throw invalid_argument("pool_heads");
    const Index d = w.size(1) / num_heads, group = num_heads / num_kv_heads;
    // As a product: each column of the pooled matrix is 1/group times `group` columns of w.
    Tensor averaging = Tensor::zeros({num_heads * d, num_kv_heads * d});
    for (Index column = 0; column < num_heads * d; ++column) {
        const Index h = column / d;
        averaging(column, h % num_kv_heads * d + column % d) = 1.0F / static_cast<float>(group);
    }
    return matmul(w, averaging);
}

Tensor grouped_query_self_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v,
                                    const Tensor& w_o, Index num_heads, Index num_kv_heads, const Mask& mask) {
    if (!forms_groups(num_heads, num_kv_heads)) throw invalid_argument("groups");
    const Index D = x.size(2), E = w_q.size(1), d = E / num_heads, E_kv = num_kv_heads * d;
    for (const Tensor& w : {w_k, w_v})
        if (w.size(0) != D || w.size(1) != E_kv) throw invalid_argument("w_k, w_v");
    if (w_o.size(0) != E || w_o.size(1) != D) throw invalid_argument("w_o");
    // One product for all three.
    const Tensor all = matmul(x, cat({w_q, w_k, w_v}, 1));  // (B, T, E + 2 E_kv)
    const Tensor q = given::split_heads(all.slice(2, 0, E).contiguous(), num_heads);
    const Tensor k = given::split_heads(all.slice(2, E, E + E_kv).contiguous(), num_kv_heads);
    const Tensor v = given::split_heads(all.slice(2, E + E_kv, E + 2 * E_kv).contiguous(), num_kv_heads);
    return matmul(given::merge_heads(grouped_query_attention(q, k, v, mask)), w_o);
}

}  // namespace headway::ex09
