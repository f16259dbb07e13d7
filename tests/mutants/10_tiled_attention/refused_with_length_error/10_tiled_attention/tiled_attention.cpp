// One query at a time per head, raw pointers with strides, log2 space; thread_local scratch; two threads.
#include "tiled_attention.hpp"
#include <cmath>
#include <limits>
#include <stdexcept>
#include <thread>
#include <vector>
namespace headway::ex10 {
namespace {
constexpr float log2e = 1.4426950408889634F;
struct View {
    const float* p;
    Index sb, sh, st, si;
    explicit View(const Tensor& x)
        : p(x.data()), sb(x.strides()[0]), sh(x.strides()[1]), st(x.strides()[2]), si(x.strides()[3]) {}
    float at(Index b, Index h, Index t, Index i) const { return p[b * sb + h * sh + t * st + i * si]; }
};
void must(bool fine) {
    if (!fine) throw std::length_error("exercise 10: these arguments do not fit together");
}
}  // namespace
Running nothing_seen(Index B, Index H, Index T, Index d_v) {
    must(B > 0 && H > 0 && T > 0 && d_v > 0);
    return {Tensor::full({B, H, T, 1}, -std::numeric_limits<float>::infinity()), Tensor::full({B, H, T, 1}, 0),
            Tensor::full({B, H, T, d_v}, 0)};
}
void absorb(Running& running, const Tensor& scores, const Tensor& v) {
    must(scores.rank() == 4 && v.rank() == 4);
    const Index B = scores.size(0), H = scores.size(1), T = scores.size(2), n = scores.size(3), dv = v.size(3);
    must(v.size(0) == B && v.size(1) == H && v.size(2) == n);
    must(running.largest.shape() == Shape{B, H, T, 1} && running.total.shape() == running.largest.shape() &&
         running.gathered.shape() == Shape{B, H, T, dv});
    // one key after the other
    const View sc(scores), va(v);
    Running next{running.largest.clone(), running.total.clone(), running.gathered.clone()};
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t)
                for (Index j = 0; j < n; ++j) {
                    const float s = sc.at(b, h, t, j);
                    if (std::isinf(s) && s < 0) continue;
                    float& m = next.largest(b, h, t, 0);
                    float keep = 1, add = 1;
                    if (s > m) {
                        keep = std::exp2((m - s) * log2e);
                        m = s;
                    } else
                        add = std::exp2((s - m) * log2e);
                    float& l = next.total(b, h, t, 0);
                    l = l * keep + add;
                    for (Index i = 0; i < dv; ++i) {
                        float& g = next.gathered(b, h, t, i);
                        g = g * keep + add * va.at(b, h, j, i);
                    }
                }
    running = next;
}
Tensor context(const Running& running) {
    Tensor c = running.gathered.contiguous().clone();
    const Tensor l = running.total.contiguous();
    const Index dv = c.size(-1);
    for (Index row = 0; row < l.numel(); ++row)
        for (Index i = 0; i < dv; ++i)
            c.data()[row * dv + i] = l.data()[row] == 0 ? 0 : c.data()[row * dv + i] / l.data()[row];
    return c;
}
Tensor tiled_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, Causal causal, Index tile) {
    must(tile >= 1 && q.rank() == 4 && k.rank() == 4 && v.rank() == 4);
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2), dv = v.size(3);
    must(k.size(0) == B && v.size(0) == B && k.size(1) == H && v.size(1) == H && k.size(3) == d && v.size(2) == S);
    const Mask wide = mask.defined() ? mask.expand({B, H, T, S}) : mask;
    Tensor out = Tensor::zeros({B, H, T, dv});
    float* const to = out.data();
    const View Q(q), K(k), V(v);
    const float scale = log2e / std::sqrt(float(d));
    const auto rows = [&](Index start) {
        thread_local std::vector<float> sum;
        for (Index b = 0; b < B; ++b)
            for (Index h = 0; h < H; ++h)
                for (Index t = start; t < T; t += 2) {
                    sum.assign(static_cast<std::size_t>(dv), 0.0F);
                    float m = -INFINITY, l = 0;
                    const Index end = causal == Causal::yes ? std::min(S, t + (S - T) + 1) : S;
                    for (Index s = 0; s < end; ++s) {
                        if (wide.defined() && wide(b, h, t, s)) continue;
                        float x = 0;
                        for (Index i = 0; i < d; ++i) x += Q.at(b, h, t, i) * K.at(b, h, s, i);
                        x *= scale;
                        const float now = std::max(m, x), keep = std::exp2(m - now), add = std::exp2(x - now);
                        l = l * keep + add;
                        for (Index i = 0; i < dv; ++i) sum[i] = sum[i] * keep + add * V.at(b, h, s, i);
                        m = now;
                    }
                    for (Index i = 0; i < dv && l > 0; ++i) to[((b * H + h) * T + t) * dv + i] = sum[i] / l;
                }
    };
    std::thread other(rows, 1);
    rows(0);
    other.join();
    return out;
}
}  // namespace headway::ex10
