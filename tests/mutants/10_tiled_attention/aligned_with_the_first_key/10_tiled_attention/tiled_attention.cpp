#include "tiled_attention.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>

namespace headway::ex10 {

namespace {

const double NOTHING = -std::numeric_limits<double>::infinity();

struct Dims {
    Index B, H, T, S, d, dv;
};

struct Row {  // one query's state
    double m = NOTHING;
    double l = 0;
    double* g = nullptr;
    Index width = 0;

    void see(double score, const float* value, Index stride) {
        if (score == NOTHING) return;
        if (score <= m) {
            const double e = std::exp(score - m);
            l += e;
            for (Index j = 0; j < width; ++j) g[j] += e * value[j * stride];
        } else {
            const double f = std::exp(m - score);
            l = l * f + 1;
            for (Index j = 0; j < width; ++j) g[j] = g[j] * f + value[j * stride];
            m = score;
        }
    }
};

const float* at(const Tensor& x, Index i, Index j, Index k) {
    return x.data() + i * x.strides()[0] + j * x.strides()[1] + k * x.strides()[2];
}

Dims checked(const Tensor& q, const Tensor& k, const Tensor& v, Index tile) {
    if (tile < 1) throw std::invalid_argument("tile < 1");
    for (const Tensor* x : {&q, &k, &v})
        if (x->rank() != 4) throw std::invalid_argument("four axes are needed, not " + to_string(x->shape()));
    const Dims n{q.size(0), q.size(1), q.size(2), k.size(2), q.size(3), v.size(3)};
    if (k.shape() != Shape{n.B, n.H, n.S, n.d}) throw std::invalid_argument("k is " + to_string(k.shape()));
    if (v.shape() != Shape{n.B, n.H, n.S, n.dv}) throw std::invalid_argument("v is " + to_string(v.shape()));
    return n;
}

}  // namespace

Running nothing_seen(Index B, Index H, Index T, Index d_v) {
    if (std::min({B, H, T, d_v}) < 1) throw std::invalid_argument("nothing_seen");
    const Tensor zero = Tensor::zeros({B, H, T, 1});
    return Running{.largest = zero - std::numeric_limits<float>::infinity(),
                   .total = zero,
                   .gathered = Tensor::zeros({B, H, T, d_v})};
}

void absorb(Running& running, const Tensor& scores, const Tensor& v) {
    const Shape& g = running.gathered.shape();
    if (g.size() != 4 || scores.rank() != 4 || v.rank() != 4) throw std::invalid_argument("absorb: ranks");
    const Index n = scores.size(3);
    if (scores.shape() != Shape{g[0], g[1], g[2], n}) throw std::invalid_argument("absorb: scores");
    if (v.shape() != Shape{g[0], g[1], n, g[3]}) throw std::invalid_argument("absorb: v");
    if (running.largest.shape() != Shape{g[0], g[1], g[2], 1} || running.total.shape() != running.largest.shape())
        throw std::invalid_argument("absorb: running");

    Running next = nothing_seen(g[0], g[1], g[2], g[3]);
    const auto buffer = std::make_unique<double[]>(static_cast<std::size_t>(g[3]));
    for (Index b = 0; b < g[0]; ++b)
        for (Index h = 0; h < g[1]; ++h)
            for (Index t = 0; t < g[2]; ++t) {
                Row row{running.largest(b, h, t, 0), running.total(b, h, t, 0), buffer.get(), g[3]};
                for (Index j = 0; j < g[3]; ++j) row.g[j] = running.gathered(b, h, t, j);
                const float* score = at(scores, b, h, t);
                for (Index s = 0; s < n; ++s) row.see(score[s * scores.strides()[3]], at(v, b, h, s), v.strides()[3]);
                next.largest(b, h, t, 0) = static_cast<float>(row.m);
                next.total(b, h, t, 0) = static_cast<float>(row.l);
                for (Index j = 0; j < g[3]; ++j) next.gathered(b, h, t, j) = static_cast<float>(row.g[j]);
            }
    running = next;
}

Tensor context(const Running& running) {
    Tensor mean = running.gathered.contiguous().clone();
    const Tensor total = running.total.contiguous();
    const Index width = mean.size(3);
    float* x = mean.data();
    for (Index r = 0; r < total.numel(); ++r, x += width)
        for (Index j = 0; j < width; ++j) x[j] = total.data()[r] == 0 ? 0 : x[j] / total.data()[r];
    return mean;
}

Tensor tiled_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, Causal causal, Index tile) {
    const Dims n = checked(q, k, v, tile);
    const bool has_mask = mask.defined();
    const Mask m = has_mask ? mask.expand({n.B, n.H, n.T, n.S}) : mask;
    Tensor y = Tensor::zeros({n.B, n.H, n.T, n.dv});
    const double scale = 1 / std::sqrt(static_cast<double>(n.d));
    const Index most = std::min(tile, n.T);
    const auto buffer = std::make_unique<double[]>(static_cast<std::size_t>(most * n.dv));
    const auto rows = std::make_unique<Row[]>(static_cast<std::size_t>(most));
    for (Index b = 0; b < n.B; ++b)
        for (Index h = 0; h < n.H; ++h)
            for (Index first = 0; first < n.T; first += most) {
                const Index count = std::min(most, n.T - first);
                std::fill_n(buffer.get(), most * n.dv, 0.0);
                for (Index r = 0; r < count; ++r) rows[r] = Row{NOTHING, 0, buffer.get() + r * n.dv, n.dv};
                for (Index s0 = 0; s0 < n.S; s0 += std::min(tile, n.S)) {
                    if (causal == Causal::yes && s0 > first + count - 1 + (n.S - n.T)) break;
                    const Index s1 = std::min(s0 + std::min(tile, n.S), n.S);
                    for (Index r = 0; r < count; ++r) {
                        const Index t = first + r;
                        const float* query = at(q, b, h, t);
                        for (Index s = s0; s < s1; ++s) {
                            if (causal == Causal::yes && s > t) break;
                            if (has_mask && m(b, h, t, s)) continue;
                            const float* key = at(k, b, h, s);
                            double dot = 0;
                            for (Index i = 0; i < n.d; ++i)
                                dot += static_cast<double>(query[i * q.strides()[3]]) * key[i * k.strides()[3]];
                            rows[r].see(dot * scale, at(v, b, h, s), v.strides()[3]);
                        }
                    }
                }
                for (Index r = 0; r < count; ++r)
                    for (Index j = 0; j < n.dv; ++j)
                        if (rows[r].l > 0) y(b, h, first + r, j) = static_cast<float>(rows[r].g[j] / rows[r].l);
            }
    return y;
}

}  // namespace headway::ex10
