#include "tiled_attention.hpp"

#include <limits>
#include <stdexcept>
#include <vector>

namespace headway::ex10 {

Running nothing_seen(Index B, Index H, Index T, Index d_v) {
    if (B < 1 || H < 1 || T < 1 || d_v < 1) throw std::invalid_argument("nothing_seen: a size is below 1");
    Running running;
    running.largest = Tensor::full({B, H, T, 1}, -std::numeric_limits<float>::infinity());
    running.total = Tensor::zeros({B, H, T, 1});
    running.gathered = Tensor::zeros({B, H, T, d_v});
    return running;
}

void absorb(Running& running, const Tensor& scores, const Tensor& v) {
    if (scores.rank() != 4 || v.rank() != 4) throw std::invalid_argument("absorb: rank");
    const Index B = scores.size(0);
    const Index H = scores.size(1);
    const Index T = scores.size(2);
    const Index n = scores.size(3);
    const Index d_v = v.size(3);
    if (v.size(0) != B || v.size(1) != H || v.size(2) != n) throw std::invalid_argument("absorb: v");
    const Shape column = {B, H, T, 1};
    const Shape wide = {B, H, T, d_v};
    if (running.largest.shape() != column || running.total.shape() != column || running.gathered.shape() != wide)
        throw std::invalid_argument("absorb: running");

    Tensor largest = Tensor::empty(column);
    Tensor total = Tensor::empty(column);
    Tensor gathered = Tensor::empty(wide);
    std::vector<double> row(static_cast<size_t>(d_v));
    for (Index b = 0; b < B; ++b) {
        for (Index h = 0; h < H; ++h) {
            for (Index t = 0; t < T; ++t) {
                double m = running.largest(b, h, t, 0);
                double sum = running.total(b, h, t, 0);
                for (Index j = 0; j < d_v; ++j) row[static_cast<size_t>(j)] = running.gathered(b, h, t, j);
                for (Index s = 0; s < n; ++s) {
                    const double score = scores(b, h, t, s);
                    if (score == -INFINITY) continue;
                    if (score > m) {
                        const double shrink = std::exp(m - score);
                        sum *= shrink;
                        for (double& x : row) x *= shrink;
                        m = score;
                    }
                    const double weight = std::exp(score - m);
                    sum += weight;
                    for (Index j = 0; j < d_v; ++j) row[static_cast<size_t>(j)] += weight * v(b, h, s, j);
                }
                largest(b, h, t, 0) = static_cast<float>(m);
                total(b, h, t, 0) = static_cast<float>(sum);
                for (Index j = 0; j < d_v; ++j) gathered(b, h, t, j) = static_cast<float>(row[static_cast<size_t>(j)]);
            }
        }
    }
    running.largest = largest;
    running.total = total;
    running.gathered = gathered;
}

Tensor context(const Running& running) {
    const Tensor& g = running.gathered;
    Tensor y = Tensor::zeros(g.shape());
    for (Index b = 0; b < g.size(0); ++b)
        for (Index h = 0; h < g.size(1); ++h)
            for (Index t = 0; t < g.size(2); ++t) {
                const float total = running.total(b, h, t, 0);
                if (total == 0) continue;
                for (Index j = 0; j < g.size(3); ++j) y(b, h, t, j) = g(b, h, t, j) / total;
            }
    return y;
}

Tensor tiled_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, Causal causal, Index tile) {
    if (tile < 1) throw std::invalid_argument("tiled_attention: tile");
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4) throw std::invalid_argument("tiled_attention: rank");
    const Index B = q.size(0);
    const Index H = q.size(1);
    const Index T = q.size(2);
    const Index d = q.size(3);
    const Index S = k.size(2);
    const Index d_v = v.size(3);
    if (k.size(0) != B || v.size(0) != B) throw std::invalid_argument("tiled_attention: B");
    if (k.size(1) != H || v.size(1) != H) throw std::invalid_argument("tiled_attention: H");
    if (k.size(3) != d) throw std::invalid_argument("tiled_attention: d");
    if (v.size(2) != S) throw std::invalid_argument("tiled_attention: S");
    Mask blocked;
    if (mask.defined()) blocked = mask.expand({B, H, T, S});

    const Strides& qs = q.strides();
    const Strides& ks = k.strides();
    const Strides& vs = v.strides();
    const float scale = 1.0F / std::sqrt(static_cast<float>(d));
    Tensor result = Tensor::zeros({B, H, T, d_v});
    std::vector<float> score;
    std::vector<float> row(static_cast<size_t>(d_v));
    for (Index b = 0; b < B; ++b) {
        for (Index h = 0; h < H; ++h) {
            float largest = -std::numeric_limits<float>::infinity();
            float total = 0;
            std::fill(row.begin(), row.end(), 0.0F);
            for (Index t = 0; t < T; ++t) {
                Index visible = S;
                if (causal == Causal::yes) visible = t + (S - T) + 1;
                if (visible > S) visible = S;
                const float* query = q.data() + b * qs[0] + h * qs[1] + t * qs[2];
                for (Index s = 0; s < visible; s += tile) {
                    const Index n = visible - s < tile ? visible - s : tile;
                    score.resize(static_cast<size_t>(n));
                    float now = largest;
                    for (Index j = 0; j < n; ++j) {
                        const float* key = k.data() + b * ks[0] + h * ks[1] + (s + j) * ks[2];
                        float dot = 0;
                        for (Index i = 0; i < d; ++i) dot += query[i * qs[3]] * key[i * ks[3]];
                        dot *= scale;
                        if (blocked.defined() && blocked(b, h, t, s + j)) dot = -std::numeric_limits<float>::infinity();
                        score[static_cast<size_t>(j)] = dot;
                        if (dot > now) now = dot;
                    }
                    if (now == -std::numeric_limits<float>::infinity()) continue;  // nobody to be seen yet
                    const float shrink = std::exp(largest - now);
                    total *= shrink;
                    for (float& x : row) x *= shrink;
                    for (Index j = 0; j < n; ++j) {
                        const float weight = std::exp(score[static_cast<size_t>(j)] - now);
                        const float* value = v.data() + b * vs[0] + h * vs[1] + (s + j) * vs[2];
                        total += weight;
                        for (Index c = 0; c < d_v; ++c) row[static_cast<size_t>(c)] += weight * value[c * vs[3]];
                    }
                    largest = now;
                }
                if (total > 0)
                    for (Index c = 0; c < d_v; ++c) result(b, h, t, c) = row[static_cast<size_t>(c)] / total;
            }
        }
    }
    return result;
}

}  // namespace headway::ex10
