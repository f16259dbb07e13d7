#include "grouped_query.hpp"

#include <limits>
#include <stdexcept>

// A fifth axis of stride 0 for the group, nothing copied; pooling is a product with a matrix of 1 / group; the output
// projection is a sum over heads, each with its rows of w_o.
namespace headway::ex09 {

static Index per_group(Index H, Index G) {
    if (H < 1 || G < 1 || H != H / G * G) throw std::invalid_argument("H must be a positive multiple of H_kv");
    return H / G;
}

Tensor repeat_heads(const Tensor& kv, Index num_heads) {
    if (kv.rank() != 4) throw std::invalid_argument("repeat_heads: kv must be (B, H_kv, S, d)");
    const Index n = per_group(num_heads, kv.size(1));
    if (n == 1) return kv;
    if (kv.size(1) == 1) return kv.expand({kv.size(0), n, kv.size(2), kv.size(3)});
    const Strides& s = kv.strides();
    return kv.as_strided({kv.size(0), kv.size(1), n, kv.size(2), kv.size(3)}, {s[0], s[1], 0, s[2], s[3]})
        .contiguous()
        .view({kv.size(0), num_heads, kv.size(2), kv.size(3)});
}

Tensor grouped_query_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4) throw std::invalid_argument("rank 4, please");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3);
    const Index G = k.size(1), S = k.size(2), n = per_group(H, G);
    if (k.shape() != Shape{B, G, S, d} || v.shape() != Shape{B, G, S, v.size(3)})
        throw std::invalid_argument("k or v does not fit q");

    // q and k both get d^(-1/4).
    const float quarter = 1.0F / std::sqrt(std::sqrt(static_cast<float>(d)));
    const Strides& sq = q.strides();
    const Tensor q5 = q.as_strided({B, G, n, T, d}, {sq[0], n * sq[1], sq[1], sq[2], sq[3]}) * quarter;
    const Strides& sk = k.strides();
    const Tensor kt5 = k.as_strided({B, G, 1, d, S}, {sk[0], sk[1], 0, sk[3], sk[2]}) * quarter;
    const Strides& sv = v.strides();
    const Tensor v5 = v.as_strided({B, G, 1, S, v.size(3)}, {sv[0], sv[1], 0, sv[2], sv[3]});

    Tensor scores = matmul(q5, kt5);  // (B, G, n, T, S)
    if (mask.defined()) {
        const Mask wide = mask.expand({B, H, T, S}).clone();
        scores = masked_fill(scores, wide.as_strided({B, G, n, T, S}, {H * T * S, n * T * S, T * S, S, 1}, 0),
                             -std::numeric_limits<float>::infinity());
    }
    Tensor top = max(scores, -1, KeepAxis::yes);
    for (Index b = 0; b < B; b++)
        for (Index h = 0; h < H; h++)
            for (Index t = 0; t < T; t++) {
                float& m = top(b, h / n, h % n, t, 0);
                if (std::isinf(m) && m < 0) m = 0;
            }
    const Tensor e = exp(scores - top);
    Tensor total = sum(e, -1, KeepAxis::yes);
    for (Index b = 0; b < B; b++)
        for (Index h = 0; h < H; h++)
            for (Index t = 0; t < T; t++) {
                float& l = total(b, h / n, h % n, t, 0);
                if (l == 0) l = 1;
            }
    // The division comes last: (e · v) / total.
    return (matmul(e, v5) / total).contiguous().view({B, H, T, v.size(3)});
}

Index cached_numbers(Index B, Index S, Index num_heads, Index num_kv_heads, Index head_dim) {
    const Index with_all_heads = 2 * B * S * num_heads * head_dim;
    return with_all_heads / per_group(num_heads, num_kv_heads);
}

Tensor pool_heads(const Tensor& w, Index num_heads, Index num_kv_heads) {
    const Index n = per_group(num_heads, num_kv_heads);
    if (w.rank() != 2 || w.size(1) % num_heads != 0) throw std::invalid_argument("pool_heads: columns");
    const Index d = w.size(1) / num_heads;
    Tensor averaging = Tensor::zeros({num_heads * d, num_kv_heads * d});
    for (Index c = 0; c < num_heads * d; c++) averaging(c, c / (n * d) * d + c % d) = 1.0F / static_cast<float>(n);
    return matmul(w, averaging);
}

Tensor grouped_query_self_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v,
                                    const Tensor& w_o, Index num_heads, Index num_kv_heads, const Mask& mask) {
    per_group(num_heads, num_kv_heads);
    if (x.rank() != 3 || w_q.rank() != 2) throw std::invalid_argument("x (B, T, D) and w_q (D, H·d)");
    const Index D = x.size(2), d = w_q.size(1) / num_heads;
    if (w_q.shape() != Shape{D, num_heads * d} || w_k.shape() != Shape{D, num_kv_heads * d} ||
        w_v.shape() != w_k.shape() || w_o.shape() != Shape{num_heads * d, D})
        throw std::invalid_argument("weights of the wrong shape");
    const auto heads = [&x](const Tensor& w, Index count) {
        const Tensor y = matmul(x, w);
        const Index width = y.size(2) / count;
        return y.as_strided({y.size(0), count, y.size(1), width}, {y.strides()[0], width, y.strides()[1], 1});
    };
    const Tensor z =
        grouped_query_attention(heads(w_q, num_heads), heads(w_k, num_kv_heads), heads(w_v, num_kv_heads), mask);
    Tensor y = Tensor::zeros({x.size(0), x.size(1), D});
    for (Index h = 0; h < num_heads; h++) y += matmul(z.select(1, h), w_o.slice(0, h * d, (h + 1) * d));
    return y;
}

}  // namespace headway::ex09
