#include "grouped_query.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <vector>

// Row-major copies and pointers. The loop over a group is inside: keys and values of a head are walked through once.
namespace headway::ex09 {
namespace {

void refuse_if(bool wrong, const char* why) {
    if (wrong) throw std::invalid_argument(why);
}

void refuse_uneven(Index num_heads, Index num_kv_heads) {
    refuse_if(num_heads < 1 || num_kv_heads < 1, "at least one head is needed");
    refuse_if(num_heads % num_kv_heads != 0, "num_heads is not divisible by num_kv_heads");
}

float dot(const float* a, const float* b, Index n) {
    float total = 0;
    for (Index i = 0; i < n; ++i) total += a[i] * b[i];
    return total;
}

}  // namespace

Tensor repeat_heads(const Tensor& kv, Index num_heads) {
    refuse_if(kv.rank() != 4, "repeat_heads: kv has four axes");
    refuse_uneven(num_heads, kv.size(1));
    const Index B = kv.size(0), H_kv = kv.size(1), S = kv.size(2), d = kv.size(3), group = num_heads / H_kv;
    const Tensor dense = kv.contiguous();
    Tensor result = Tensor::empty({B, num_heads, S, d});
    const float* from = dense.data();
    float* to = result.data();
    for (Index head = 0; head < B * H_kv; ++head, from += S * d)
        for (Index copy = 0; copy < group; ++copy, to += S * d)
            std::memcpy(to, from, sizeof(float) * static_cast<std::size_t>(S * d));
    return result;
}

Tensor grouped_query_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    refuse_if(q.rank() != 4 || k.rank() != 4 || v.rank() != 4, "grouped_query_attention: q, k and v have four axes");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3);
    const Index H_kv = k.size(1), S = k.size(2), d_v = v.size(3);
    refuse_if(k.shape() != Shape{B, H_kv, S, d}, "grouped_query_attention: k does not fit q");
    refuse_if(v.shape() != Shape{B, H_kv, S, d_v}, "grouped_query_attention: v does not fit k");
    refuse_uneven(H, H_kv);
    const Mask blocked = mask.defined() ? mask.expand({B, H, T, S}) : mask;

    const Tensor queries = q.contiguous(), keys = k.contiguous(), values = v.contiguous();
    Tensor context = Tensor::zeros({B, H, T, d_v});
    const Index group = H / H_kv;
    const float root = std::sqrt(static_cast<float>(d));
    std::vector<float> weights(static_cast<std::size_t>(S));
    for (Index b = 0; b < B; ++b)
        for (Index g = 0; g < H_kv; ++g) {
            const float* key = keys.data() + (b * H_kv + g) * S * d;
            const float* value = values.data() + (b * H_kv + g) * S * d_v;
            for (Index t = 0; t < T; ++t) {
                float largest = -std::numeric_limits<float>::infinity();
                for (Index h = g * group; h < (g + 1) * group; ++h) {
                    const Index row = (b * H + h) * T + t;
                    const auto sees = [&](Index s) { return !blocked.defined() || !blocked(b, h, t, s); };
                    for (Index s = 0; s < S; ++s) {
                        weights[s] = dot(queries.data() + row * d, key + s * d, d) / root;
                        if (sees(s) && weights[s] > largest) largest = weights[s];
                    }
                    float total = 0;
                    for (Index s = 0; s < S; ++s) {
                        weights[s] = sees(s) ? std::exp(weights[s] - largest) : 0;
                        total += weights[s];
                    }
                    if (total == 0) continue;  // sees no key
                    float* result = context.data() + row * d_v;
                    for (Index s = 0; s < S; ++s) {
                        if (weights[s] == 0) continue;
                        for (Index i = 0; i < d_v; ++i) result[i] += weights[s] / total * value[s * d_v + i];
                    }
                }
            }
        }
    return context;
}

Index cached_numbers(Index B, Index S, Index num_heads, Index num_kv_heads, Index head_dim) {
    refuse_if(num_heads < 1 || num_kv_heads < 1 || num_heads % num_kv_heads != 0, "cached_numbers: uneven groups");
    return B * num_kv_heads * S * head_dim * 2;
}

Tensor pool_heads(const Tensor& w, Index num_heads, Index num_kv_heads) {
    refuse_uneven(num_heads, num_kv_heads);
    refuse_if(w.rank() != 2 || w.size(1) % num_heads != 0, "pool_heads: w is (D, H d)");
    const Index D = w.size(0), d = w.size(1) / num_heads, group = num_heads / num_kv_heads;
    const Tensor dense = w.contiguous();
    Tensor pooled = Tensor::zeros({D, num_kv_heads * d});
    for (Index row = 0; row < D; ++row)
        for (Index column = 0; column < num_heads * d; ++column) {
            const Index g = column / (group * d), i = column % d;
            pooled.data()[row * num_kv_heads * d + g * d + i] +=
                dense.data()[row * num_heads * d + column] / static_cast<float>(group);
        }
    return pooled;
}

Tensor grouped_query_self_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v,
                                    const Tensor& w_o, Index num_heads, Index num_kv_heads, const Mask& mask) {
    refuse_uneven(num_heads, num_kv_heads);
    refuse_if(x.rank() != 3, "grouped_query_self_attention: x is (B, T, D)");
    refuse_if(w_q.rank() != 2 || w_q.size(1) % num_heads != 0, "grouped_query_self_attention: w_q is (D, H d)");
    const Index D = x.size(2);
    const Index d = w_q.size(1) / num_heads;
    refuse_if(w_q.shape() != Shape{D, num_heads * d}, "grouped_query_self_attention: w_q is (D, H d)");
    refuse_if(w_k.shape() != Shape{D, num_kv_heads * d}, "grouped_query_self_attention: w_k is (D, H_kv d)");
    refuse_if(w_v.shape() != Shape{D, num_kv_heads * d}, "grouped_query_self_attention: w_v is (D, H_kv d)");
    refuse_if(w_o.shape() != Shape{num_heads * d, D}, "grouped_query_self_attention: w_o is (H d, D)");
    const Tensor context = grouped_query_attention(given::split_heads(matmul(x, w_q), num_heads),
                                                   given::split_heads(matmul(x, w_k), num_kv_heads),
                                                   given::split_heads(matmul(x, w_v), num_kv_heads), mask);
    return matmul(given::merge_heads(context), w_o);
}

}  // namespace headway::ex09
