/* grouped queries, the way we did it in C */
#include "grouped_query.hpp"

#include <math.h>
#include <stdlib.h>

#include <stdexcept>

namespace headway::ex09 {

static void die_unless(bool ok, const char* why) {
    if (!ok) throw std::invalid_argument(why);
}

static bool groups_ok(Index h, Index g) { return h >= 1 && g >= 1 && h % g == 0; }

/* c[m][n] = a[m][k] * b[k][n], all dense */
static void gemm(const float* a, const float* b, float* c, Index m, Index k, Index n) {
    for (Index i = 0; i < m; i++)
        for (Index j = 0; j < n; j++) c[i * n + j] = 0.0F;
    for (Index i = 0; i < m; i++)
        for (Index l = 0; l < k; l++) {
            const float f = a[i * k + l];
            for (Index j = 0; j < n; j++) c[i * n + j] += f * b[l * n + j];
        }
}

Tensor repeat_heads(const Tensor& kv, Index num_heads) {
    die_unless(kv.rank() == 4, "rank of kv");
    die_unless(groups_ok(num_heads, kv.size(1)), "groups");
    const Tensor src = kv.contiguous();
    const Index B = kv.size(0), G = kv.size(1), n = kv.size(2) * kv.size(3), group = num_heads / G;
    Tensor dst = Tensor::empty({B, num_heads, kv.size(2), kv.size(3)});
    const float* from = src.data();
    float* to = dst.data();
    for (Index bg = 0; bg < B * G; bg++, from += n)
        for (Index r = 0; r < group; r++)
            for (Index i = 0; i < n; i++) *to++ = from[i];
    return dst;
}

Tensor grouped_query_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    die_unless(q.rank() == 4 && k.rank() == 4 && v.rank() == 4, "ranks");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3);
    const Index G = k.size(1), S = k.size(2), dv = v.size(3);
    die_unless(groups_ok(H, G), "groups");
    die_unless(k.size(0) == B && v.size(0) == B && k.size(3) == d && v.size(1) == G && v.size(2) == S, "shapes");
    const Mask m = mask.defined() ? mask.expand({B, H, T, S}) : Mask{};
    const Tensor qc = q.contiguous(), kc = k.contiguous(), vc = v.contiguous();
    const float *qp = qc.data(), *kp = kc.data(), *vp = vc.data();
    Tensor out = Tensor::zeros({B, H, T, dv});
    float* y = out.data();
    float* w = (float*)malloc(sizeof(float) * (size_t)(S + 1));
    if (w == NULL) throw std::bad_alloc();
    const float scale = 1.0F / sqrtf((float)d);
    for (Index b = 0; b < B; b++)
        for (Index h = 0; h < H; h++) {
            const Index g = h * G / H;
            const float* K = kp + (b * G + g) * S * d;
            const float* V = vp + (b * G + g) * S * dv;
            for (Index t = 0; t < T; t++) {
                const Index row = (b * H + h) * T + t;
                const float* Q = qp + row * d;
                float top = -HUGE_VALF, z = 0;
                for (Index s = 0; s < S; s++) {
                    float a = 0;
                    for (Index i = 0; i < d; i++) a += Q[i] * K[s * d + i];
                    a *= scale;
                    if (m.defined() &&
                        m.data()[b * m.strides()[0] + h * m.strides()[1] + t * m.strides()[2] + s * m.strides()[3]])
                        a = -HUGE_VALF;
                    w[s] = a;
                    if (a > top) top = a;
                }
                if (top == -HUGE_VALF) continue;
                for (Index s = 0; s < S; s++) z += w[s] = expf(w[s] - top);
                for (Index s = 0; s < S; s++)
                    for (Index j = 0; j < dv; j++) y[row * dv + j] += w[s] / z * V[s * dv + j];
            }
        }
    free(w);
    return out;
}

Index cached_numbers(Index B, Index S, Index num_heads, Index num_kv_heads, Index head_dim) {
    die_unless(groups_ok(num_heads, num_kv_heads), "groups");
    return B * S * num_kv_heads * head_dim << 1;
}

Tensor pool_heads(const Tensor& w, Index num_heads, Index num_kv_heads) {
    die_unless(w.rank() == 2, "rank of w");
    die_unless(groups_ok(num_heads, num_kv_heads), "groups");
    die_unless(w.size(1) % num_heads == 0, "columns of w");
    const Index D = w.size(0), E = w.size(1), d = E / num_heads, group = num_heads / num_kv_heads;
    const Tensor src = w.contiguous();
    Tensor dst = Tensor::zeros({D, num_kv_heads * d});
    for (Index r = 0; r < D; r++)
        for (Index c = 0; c < E; c++)
            dst.data()[r * num_kv_heads * d + c / (group * d) * d + c % d] +=
                src.data()[r * E + c] * (float)(1 / group);
    return dst;
}

Tensor grouped_query_self_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v,
                                    const Tensor& w_o, Index num_heads, Index num_kv_heads, const Mask& mask) {
    die_unless(groups_ok(num_heads, num_kv_heads), "groups");
    die_unless(x.rank() == 3 && w_q.rank() == 2 && w_k.rank() == 2 && w_v.rank() == 2 && w_o.rank() == 2, "ranks");
    const Index B = x.size(0), T = x.size(1), D = x.size(2), E = w_q.size(1);
    die_unless(E % num_heads == 0, "w_q");
    const Index d = E / num_heads, F = num_kv_heads * d;
    die_unless(w_q.size(0) == D && w_k.size(0) == D && w_v.size(0) == D, "D");
    die_unless(w_k.size(1) == F && w_v.size(1) == F, "w_k or w_v");
    die_unless(w_o.size(0) == E && w_o.size(1) == D, "w_o");
    const Tensor xc = x.contiguous(), wq = w_q.contiguous(), wk = w_k.contiguous(), wv = w_v.contiguous(),
                 wo = w_o.contiguous();
    Tensor q = Tensor::empty({B, T, E}), k = Tensor::empty({B, T, F}), v = Tensor::empty({B, T, F});
    gemm(xc.data(), wq.data(), q.data(), B * T, D, E);
    gemm(xc.data(), wk.data(), k.data(), B * T, D, F);
    gemm(xc.data(), wv.data(), v.data(), B * T, D, F);
    const Tensor ctx = grouped_query_attention(q.as_strided({B, num_heads, T, d}, {T * E, d, E, 1}),
                                               k.as_strided({B, num_kv_heads, T, d}, {T * F, d, F, 1}),
                                               v.as_strided({B, num_kv_heads, T, d}, {T * F, d, F, 1}), mask);
    Tensor merged = Tensor::empty({B, T, E}), y = Tensor::empty({B, T, D});
    for (Index b = 0; b < B; b++)
        for (Index h = 0; h < num_heads; h++)
            for (Index t = 0; t < T; t++)
                for (Index i = 0; i < d; i++)
                    merged.data()[(b * T + t) * E + h * d + i] = ctx.data()[((b * num_heads + h) * T + t) * d + i];
    gemm(merged.data(), wo.data(), y.data(), B * T, E, D);
    return y;
}

}  // namespace headway::ex09
