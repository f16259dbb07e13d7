#include "grouped_query.hpp"

#include <limits>
#include <stdexcept>
#include <vector>

// Everything by index arithmetic over flat arrays, sums in double.
namespace headway::ex09 {

static void check_groups(Index H, Index Hkv) {
    if (H < 1 || Hkv < 1 || H % Hkv != 0)
        throw std::invalid_argument("the number of query heads must be a multiple of the number of key heads");
}

Tensor repeat_heads(const Tensor& kv_in, Index num_heads) {
    if (kv_in.rank() != 4) throw std::invalid_argument("kv must have four axes");
    const Index Hkv = kv_in.size(1);
    check_groups(num_heads, Hkv);
    const Tensor kv = kv_in.contiguous();
    const Index B = kv.size(0), block = kv.size(2) * kv.size(3), group = num_heads / Hkv;
    Tensor out = Tensor::empty({B, num_heads, kv.size(2), kv.size(3)});
    for (Index b = 0; b < B; b++) {
        for (Index h = 0; h < num_heads; h++) {
            const float* from = kv.data() + (b * Hkv + h / group) * block;
            float* to = out.data() + (b * num_heads + h) * block;
            for (Index i = 0; i < block; i++) to[i] = from[i];
        }
    }
    return out;
}

Tensor grouped_query_attention(const Tensor& q_in, const Tensor& k_in, const Tensor& v_in, const Mask& mask) {
    if (q_in.rank() != 4 || k_in.rank() != 4 || v_in.rank() != 4) throw std::invalid_argument("q, k, v need rank 4");
    const Tensor q = q_in.contiguous(), k = k_in.contiguous(), v = v_in.contiguous();
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3);
    const Index Hkv = k.size(1), S = k.size(2), dv = v.size(3);
    check_groups(H, Hkv);
    if (k.size(0) != B || v.size(0) != B || v.size(1) != Hkv || v.size(2) != S || k.size(3) != d)
        throw std::invalid_argument("q, k and v do not fit together");
    const Mask full = mask.defined() ? mask.expand({B, H, T, S}) : Mask::allow_all({B, H, T, S});
    const Index group = H / Hkv;
    const double scale = 1.0 / std::sqrt(static_cast<double>(d));

    Tensor out = Tensor::zeros({B, H, T, dv});
    std::vector<double> e(S);
    for (Index b = 0; b < B; b++) {
        for (Index h = 0; h < H; h++) {
            const Index g = h / group;
            for (Index t = 0; t < T; t++) {
                const float* qr = q.data() + ((b * H + h) * T + t) * d;
                double largest = -std::numeric_limits<double>::infinity();
                for (Index s = 0; s < S; s++) {
                    const float* kr = k.data() + ((b * Hkv + g) * S + s) * d;
                    double dot = 0;
                    for (Index i = 0; i < d; i++) dot += static_cast<double>(qr[i]) * kr[i];
                    e[s] = full(b, h, t, s) ? -std::numeric_limits<double>::infinity() : dot * scale;
                    if (e[s] > largest) largest = e[s];
                }
                if (largest == -std::numeric_limits<double>::infinity()) continue;  // sees nothing: zeros
                double total = 0;
                for (Index s = 0; s < S; s++) {
                    e[s] = std::exp(e[s] - largest);
                    total += e[s];
                }
                float* row = out.data() + ((b * H + h) * T + t) * dv;
                for (Index j = 0; j < dv; j++) {
                    double sum = 0;
                    for (Index s = 0; s < S; s++) {
                        if (e[s] != 0) sum += e[s] * v.data()[((b * Hkv + g) * S + s) * dv + j];
                    }
                    row[j] = static_cast<float>(sum / total);
                }
            }
        }
    }
    return out;
}

Index cached_numbers(Index B, Index S, Index num_heads, Index num_kv_heads, Index head_dim) {
    check_groups(num_heads, num_kv_heads);
    const Index one_token = num_kv_heads * head_dim;
    return B * S * (one_token + one_token);
}

Tensor pool_heads(const Tensor& w_in, Index num_heads, Index num_kv_heads) {
    check_groups(num_heads, num_kv_heads);
    if (w_in.rank() != 2 || w_in.size(1) % num_heads != 0) throw std::invalid_argument("w is no matrix of heads");
    const Tensor w = w_in.contiguous();
    const Index D = w.size(0), d = w.size(1) / num_heads, group = num_heads / num_kv_heads;
    Tensor pooled = Tensor::zeros({D, num_kv_heads * d});
    for (Index row = 0; row < D; row++) {
        for (Index g = 0; g < num_kv_heads; g++) {
            for (Index i = 0; i < d; i++) {
                double sum = 0;
                for (Index m = 0; m < group; m++) sum += w.data()[row * num_heads * d + (g * group + m) * d + i];
                pooled.data()[(row * num_kv_heads + g) * d + i] =
                    static_cast<float>(sum / static_cast<double>(num_kv_heads));
            }
        }
    }
    return pooled;
}

/// (B, T, D) times (D, N), the columns dealt out to heads: (B, heads, T, N / heads).
static Tensor project(const Tensor& x, const Tensor& w, Index heads) {
    const Index B = x.size(0), T = x.size(1), D = x.size(2), d = w.size(1) / heads;
    Tensor y = Tensor::zeros({B, heads, T, d});
    for (Index b = 0; b < B; b++)
        for (Index t = 0; t < T; t++)
            for (Index c = 0; c < heads * d; c++) {
                double sum = 0;
                for (Index i = 0; i < D; i++) sum += static_cast<double>(x(b, t, i)) * w(i, c);
                y(b, c / d, t, c % d) = static_cast<float>(sum);
            }
    return y;
}

Tensor grouped_query_self_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v,
                                    const Tensor& w_o, Index num_heads, Index num_kv_heads, const Mask& mask) {
    check_groups(num_heads, num_kv_heads);
    if (x.rank() != 3 || w_q.rank() != 2 || w_k.rank() != 2 || w_v.rank() != 2 || w_o.rank() != 2)
        throw std::invalid_argument("x needs three axes, the weights two");
    const Index B = x.size(0), T = x.size(1), D = x.size(2);
    if (w_q.size(1) % num_heads != 0) throw std::invalid_argument("w_q does not divide into heads");
    const Index d = w_q.size(1) / num_heads;
    if (w_q.size(0) != D || w_k.shape() != Shape{D, num_kv_heads * d} || w_v.shape() != Shape{D, num_kv_heads * d} ||
        w_o.shape() != Shape{num_heads * d, D})
        throw std::invalid_argument("a weight has the wrong shape");
    const Tensor context = grouped_query_attention(project(x, w_q, num_heads), project(x, w_k, num_kv_heads),
                                                   project(x, w_v, num_kv_heads), mask);
    Tensor y = Tensor::zeros({B, T, D});
    for (Index b = 0; b < B; b++)
        for (Index t = 0; t < T; t++)
            for (Index o = 0; o < D; o++) {
                double sum = 0;
                for (Index c = 0; c < num_heads * d; c++)
                    sum += static_cast<double>(context(b, c / d, t, c % d)) * w_o(c, o);
                y(b, t, o) = static_cast<float>(sum);
            }
    return y;
}

}  // namespace headway::ex09
