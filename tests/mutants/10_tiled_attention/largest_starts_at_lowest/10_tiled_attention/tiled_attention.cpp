// Loops over elements, absorb in place, double inside; tiles of keys and queries backwards.
#include "tiled_attention.hpp"
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>
namespace headway::ex10 {
Running nothing_seen(Index B, Index H, Index T, Index d_v) {
    for (const Index n : {B, H, T, d_v})
        if (n < 1) throw std::invalid_argument("nothing_seen: sizes must be at least 1");
    Running r;
    r.largest = Tensor::empty({B, H, T, 1});
    r.largest.fill(std::numeric_limits<float>::lowest());
    r.total = Tensor::zeros({B, H, T, 1});
    r.gathered = Tensor::zeros({B, H, T, d_v});
    return r;
}
void absorb(Running& running, const Tensor& scores, const Tensor& v) {
    if (scores.rank() != 4 || v.rank() != 4) throw std::invalid_argument("absorb: rank");
    const Index B = scores.size(0), H = scores.size(1), T = scores.size(2), n = scores.size(3),
                dv = running.gathered.size(3);
    if (running.largest.shape() != Shape{B, H, T, 1} || v.shape() != Shape{B, H, n, dv})
        throw std::invalid_argument("absorb: shape");
    std::vector<double> sum(static_cast<std::size_t>(dv));
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t) {
                float& m = running.largest(b, h, t, 0);
                float& l = running.total(b, h, t, 0);
                float now = m;
                for (Index j = 0; j < n; ++j) now = std::fmax(now, scores(b, h, t, j));
                if (now == std::numeric_limits<float>::lowest()) continue;
                const double shrink = std::exp(double(m) - double(now));
                double total = double(l) * shrink;
                for (Index i = 0; i < dv; ++i) sum[i] = double(running.gathered(b, h, t, i)) * shrink;
                for (Index j = 0; j < n; ++j) {
                    const float s = scores(b, h, t, j);
                    if (s == -INFINITY) continue;
                    const double w = std::exp(double(s) - double(now));
                    total += w;
                    for (Index i = 0; i < dv; ++i) sum[i] += w * double(v(b, h, j, i));
                }
                m = now;
                l = float(total);
                for (Index i = 0; i < dv; ++i) running.gathered(b, h, t, i) = float(sum[i]);
            }
}
Tensor context(const Running& running) {
    const Tensor& g = running.gathered;
    Tensor out = Tensor::zeros(g.shape());
    for (Index b = 0; b < g.size(0); ++b)
        for (Index h = 0; h < g.size(1); ++h)
            for (Index t = 0; t < g.size(2); ++t)
                if (const float l = running.total(b, h, t, 0); l > 0)
                    for (Index i = 0; i < g.size(3); ++i) out(b, h, t, i) = g(b, h, t, i) / l;
    return out;
}
Tensor tiled_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, Causal causal, Index tile) {
    if (tile < 1) throw std::invalid_argument("tile");
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4) throw std::invalid_argument("rank");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2), dv = v.size(3);
    if (k.size(0) != B || v.size(0) != B) throw std::invalid_argument("B");
    if (k.size(1) != H || v.size(1) != H) throw std::invalid_argument("H");
    if (k.size(3) != d || v.size(2) != S) throw std::invalid_argument("d or S");
    Mask wide;
    if (mask.defined()) wide = mask.expand({B, H, T, S});
    Tensor out = Tensor::zeros({B, H, T, dv});
    if (B * H * T * dv == 0) return out;
    for (Index last = T; last > 0; last -= tile) {
        const Index first = last > tile ? last - tile : 0;
        Running run = nothing_seen(B, H, last - first, dv);
        for (Index end = S; end > 0; end -= tile) {
            const Index begin = end > tile ? end - tile : 0;
            if (causal == Causal::yes && begin > last - 1 + S - T) continue;
            Tensor scores = Tensor::full({B, H, last - first, end - begin}, -INFINITY);
            for (Index b = 0; b < B; ++b)
                for (Index h = 0; h < H; ++h)
                    for (Index t = first; t < last; ++t)
                        for (Index s = begin; s < end; ++s) {
                            if (causal == Causal::yes && s > t + (S - T)) break;
                            if (wide.defined() && wide(b, h, t, s)) continue;
                            double dot = 0;
                            for (Index i = 0; i < d; ++i) dot += double(q(b, h, t, i)) * double(k(b, h, s, i));
                            scores(b, h, t - first, s - begin) = float(dot / std::sqrt(double(d)));
                        }
            absorb(run, scores, v.slice(2, begin, end));
        }
        const Tensor c = context(run);
        for (Index t = first; t < last; ++t) out.select(2, t).copy_from(c.select(2, t - first));
    }
    return out;
}
}  // namespace headway::ex10
