// Everything packed into double; one std::async for each head and tile of queries.
#include "tiled_attention.hpp"
#include <algorithm>
#include <future>
#include <limits>
#include <stdexcept>
#include <vector>
namespace headway::ex10 {
namespace {
constexpr double minus = -std::numeric_limits<double>::infinity();
std::vector<double> packed(const Tensor& x) {
    std::vector<double> all;
    all.reserve(std::size_t(x.numel()));
    for (Index a = 0; a < x.size(0); ++a)
        for (Index b = 0; b < x.size(1); ++b)
            for (Index c = 0; c < x.size(2); ++c)
                for (Index e = 0; e < x.size(3); ++e) all.push_back(x(a, b, c, e));
    return all;
}
void want(bool b) {
    if (!b) throw std::invalid_argument("no");
}
}  // namespace
Running nothing_seen(Index B, Index H, Index T, Index d_v) {
    want(B > 0 && H > 0 && T > 0 && d_v > 0);
    const float none = -std::numeric_limits<float>::infinity();
    return {Tensor::full({1}, none).expand({B, H, T, 1}), Tensor::zeros({1, 1, 1, 1}).expand({B, H, T, 1}),
            Tensor::zeros({1}).expand({B, H, T, d_v})};
}
void absorb(Running& running, const Tensor& scores, const Tensor& v) {
    want(scores.rank() == 4 && v.rank() == 4);
    const Index B = scores.size(0), H = scores.size(1), T = scores.size(2), n = scores.size(3), dv = v.size(3);
    want(running.gathered.shape() == Shape{B, H, T, dv} && v.shape() == Shape{B, H, n, dv});
    Running next{Tensor::empty({B, H, T, 1}), Tensor::empty({B, H, T, 1}), Tensor::empty({B, H, T, dv})};
    const Running& old = running;
    const std::vector<double> s = packed(scores), x = packed(v), g = packed(old.gathered);
    for (Index r = 0; r < B * H * T; ++r) {
        const Index t = r % T, h = r / T % H, b = r / T / H;
        const double m = old.largest(b, h, t, 0),
                     now = n ? std::max(m, *std::max_element(s.begin() + r * n, s.begin() + r * n + n)) : m;
        next.largest(b, h, t, 0) = float(now);
        const double shift = now == minus ? 0 : now, keep = std::exp(m - shift);
        double total = old.total(b, h, t, 0) * keep;
        std::vector<double> sum(std::size_t(dv), 0.0);
        for (Index j = 0; j < n; ++j) {
            const double w = std::exp(s[r * n + j] - shift);
            total += w;
            if (w > 0)
                for (Index i = 0; i < dv; ++i) sum[i] += w * x[((b * H + h) * n + j) * dv + i];
        }
        next.total(b, h, t, 0) = float(total);
        for (Index i = 0; i < dv; ++i) next.gathered(b, h, t, i) = float(g[r * dv + i] * keep + sum[i]);
    }
    running = std::move(next);
}
Tensor context(const Running& r) {
    Tensor out = Tensor::zeros(r.gathered.shape());
    for (Index i = 0; i < out.size(3); ++i)
        for (Index b = 0; b < out.size(0); ++b)
            for (Index h = 0; h < out.size(1); ++h)
                for (Index t = 0; t < out.size(2); ++t)
                    if (r.total(b, h, t, 0) > 0) out(b, h, t, i) = r.gathered(b, h, t, i) / r.total(b, h, t, 0);
    return out;
}
Tensor tiled_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, Causal causal, Index tile) {
    want(tile > 0 && q.rank() == 4 && k.rank() == 4 && v.rank() == 4);
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2), dv = v.size(3);
    want(k.shape() == Shape{B, H, S, d} && v.shape() == Shape{B, H, S, dv});
    const Mask wide = mask.defined() ? mask.expand({B, H, T, S}) : Mask{};
    const std::vector<double> Q = packed(q), K = packed(k), V = packed(v);
    Tensor out = Tensor::zeros({B, H, T, dv});
    const auto job = [&, to = out.data()](Index head, Index begin) {
        const Index end = std::min(T, begin + tile), rows = end - begin;
        std::vector<double> m(rows, minus), l(rows, 0), g(rows * dv, 0), w(std::min(tile, S));
        for (Index s0 = 0; s0 < S; s0 += tile) {
            const Index s1 = std::min(S, s0 + tile);
            if (causal == Causal::yes && s0 > end - 1 + (S - T)) break;
            for (Index r = 0; r < rows; ++r) {
                const Index t = begin + r;
                double now = m[r];
                for (Index s = s0; s < s1; ++s) {
                    double& x = w[s - s0] = minus;
                    if ((causal == Causal::yes && s > t + (S - T)) ||
                        (wide.defined() && wide(head / H, head % H, t, s)))
                        continue;
                    x = 0;
                    for (Index i = 0; i < d; ++i) x += Q[(head * T + t) * d + i] * K[(head * S + s) * d + i];
                    x /= std::sqrt(double(d));
                    now = std::max(now, x);
                }
                if (now == minus) continue;
                const double keep = std::exp(m[r] - now);
                l[r] *= keep;
                for (Index i = 0; i < dv; ++i) g[r * dv + i] *= keep;
                for (Index s = s0; s < s1; ++s)
                    if (w[s - s0] != minus) {
                        const double e = std::exp(w[s - s0] - now);
                        l[r] += e;
                        for (Index i = 0; i < dv; ++i) g[r * dv + i] += e * V[(head * S + s) * dv + i];
                    }
                m[r] = now;
            }
        }
        for (Index r = 0; r < rows; ++r)
            for (Index i = 0; i < dv && l[r] > 0; ++i)
                to[(head * T + begin + r) * dv + i] = float(g[r * dv + i] / l[r]);
    };
    for (Index head = 0; head < B * H; ++head) {
        std::vector<std::future<void>> jobs;
        for (Index begin = 0; begin < T; begin += tile)
            jobs.push_back(std::async(std::launch::async, job, head, begin));
        for (auto& j : jobs) j.get();
    }
    return out;
}
}  // namespace headway::ex10
