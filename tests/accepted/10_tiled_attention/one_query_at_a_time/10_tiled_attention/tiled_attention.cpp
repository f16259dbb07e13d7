#include "tiled_attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

namespace headway::ex10 {

namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

/// One query's softmax so far.
struct Row {
    double largest = minus_infinity;
    double total = 0;
    std::vector<double> gathered;

    void take(const float* scores, Index n, const float* v, Index v_row, Index v_column) {
        const double now = std::max(largest, static_cast<double>(*std::max_element(scores, scores + n)));
        if (now == minus_infinity) return;
        const double shrink = std::exp(largest - now);
        largest = now;
        total *= shrink;
        for (double& g : gathered) g *= shrink;
        for (Index s = 0; s < n; ++s) {
            const double share = std::exp(scores[s] - now);
            if (share == 0) continue;
            total += share;
            for (std::size_t i = 0; i < gathered.size(); ++i) gathered[i] += share * v[s * v_row + i * v_column];
        }
    }
};

void require(bool fits, const char* what) {
    if (!fits) throw std::invalid_argument(what);
}

}  // namespace

Running nothing_seen(Index B, Index H, Index T, Index d_v) {
    require(B > 0 && H > 0 && T > 0 && d_v > 0, "nothing_seen: a size is not positive");
    return {Tensor::full({B, H, T, 1}, -std::numeric_limits<float>::infinity()), Tensor::zeros({B, H, T, 1}),
            Tensor::zeros({B, H, T, d_v})};
}

void absorb(Running& running, const Tensor& scores, const Tensor& v) {
    const Shape& out = running.gathered.shape();
    require(scores.rank() == 4 && v.rank() == 4, "absorb: rank");
    require(scores.shape() == Shape{out[0], out[1], out[2], v.size(2)}, "absorb: scores");
    require(v.shape() == Shape{out[0], out[1], v.size(2), out[3]}, "absorb: values");
    const Tensor rows = scores.contiguous();
    const Index n = rows.size(3);
    for (Index row = 0; row < out[0] * out[1] * out[2]; ++row) {
        const Index b = row / out[2] / out[1], h = row / out[2] % out[1];
        float* gathered = running.gathered.data() + row * out[3];
        Row one{running.largest.data()[row], running.total.data()[row], {gathered, gathered + out[3]}};
        const Tensor values = v[b][h];
        one.take(rows.data() + row * n, n, values.data(), values.strides()[0], values.strides()[1]);
        running.largest.data()[row] = static_cast<float>(one.largest);
        running.total.data()[row] = static_cast<float>(one.total);
        std::copy(one.gathered.begin(), one.gathered.end(), gathered);
    }
}

Tensor context(const Running& running) {
    Tensor mean = running.gathered.clone();
    const Index d_v = mean.size(3);
    for (Index i = 0; i < mean.numel(); ++i) {
        const float total = running.total.data()[i / d_v];
        mean.data()[i] = total > 0 ? mean.data()[i] / total : 0.0F;
    }
    return mean;
}

Tensor tiled_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, Causal causal, Index tile) {
    require(q.rank() == 4 && k.rank() == 4 && v.rank() == 4 && tile > 0, "tiled_attention: ranks or tile");
    for (const Index axis : {0, 1}) require(q.size(axis) == k.size(axis) && k.size(axis) == v.size(axis), "B or H");
    require(q.size(3) == k.size(3) && k.size(2) == v.size(2), "tiled_attention: d or S");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2), d = q.size(3), d_v = v.size(3);
    const Mask blocked = (mask.defined() ? mask : Mask::allow_all({1})).expand({B, H, T, S});
    const auto root = static_cast<float>(std::sqrt(static_cast<double>(d)));
    std::vector<float> scores(static_cast<std::size_t>(tile));
    Tensor y = Tensor::zeros({B, H, T, d_v});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h) {
            const Tensor queries = q[b][h].contiguous(), keys = k[b][h].contiguous(), values = v[b][h].contiguous();
            for (Index t = 0; t < T; ++t) {
                Row row;
                row.gathered.resize(static_cast<std::size_t>(d_v));
                const Index visible = causal == Causal::yes ? std::clamp(t + S - T + 1, Index{0}, S) : S;
                for (Index begin = 0; begin < visible; begin += tile) {
                    const Index n = std::min(tile, visible - begin);
                    for (Index s = 0; s < n; ++s) {
                        float dot = 0;
                        for (Index i = 0; i < d; ++i)
                            dot += queries.data()[t * d + i] * keys.data()[(begin + s) * d + i];
                        scores[s] = blocked(b, h, t, begin + s) ? -INFINITY : dot / root;
                    }
                    row.take(scores.data(), n, values.data() + begin * d_v, d_v, 1);
                }
                for (Index i = 0; i < d_v; ++i)
                    y(b, h, t, i) = row.total > 0 ? static_cast<float>(row.gathered[i] / row.total) : 0.0F;
            }
        }
    return y;
}

}  // namespace headway::ex10
