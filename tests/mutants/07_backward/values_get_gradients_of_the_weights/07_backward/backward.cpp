#include "backward.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace headway::ex07 {

using Numbers = std::vector<double>;

namespace {

struct Row {
    Numbers weight;

    /// softmax of q·k / √d for one query; all zero where every key is blocked.
    Row(const float* q, const Tensor& k, Index d, const std::vector<bool>& blocked) : weight(blocked.size()) {
        double top = -INFINITY, total = 0;
        for (std::size_t s = 0; s < weight.size(); ++s) {
            for (Index i = 0; i < d; ++i) weight[s] += static_cast<double>(q[i]) * k.data()[s * d + i];
            weight[s] /= std::sqrt(static_cast<double>(d));
            if (!blocked[s]) top = std::max(top, weight[s]);
        }
        for (std::size_t s = 0; s < weight.size(); ++s) total += weight[s] = blocked[s] ? 0 : std::exp(weight[s] - top);
        for (double& w : weight) w = total > 0 ? w / total : 0;
    }
};

Numbers through_softmax(const Numbers& weight, const Numbers& grad) {
    double mean = 0;
    for (std::size_t s = 0; s < weight.size(); ++s) mean += weight[s] * grad[s];
    Numbers result(weight.size());
    for (std::size_t s = 0; s < weight.size(); ++s) result[s] = weight[s] * (grad[s] - mean);
    return result;
}

}  // namespace

Tensor softmax_backward(const Tensor& weights, const Tensor& grad_weights) {
    if (weights.shape() != grad_weights.shape()) throw std::invalid_argument("softmax_backward: shapes");
    const Tensor w = weights.contiguous(), g = grad_weights.contiguous();
    Tensor result = Tensor::zeros(w.shape());
    const Index S = w.size(-1);
    for (Index row = 0; row < w.numel(); row += S) {
        const Numbers all = through_softmax({w.data() + row, w.data() + row + S}, {g.data() + row, g.data() + row + S});
        std::copy(all.begin(), all.end(), result.data() + row);
    }
    return result;
}

AttentionGradients attention_backward(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask,
                                      const Tensor& grad_context) {
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2), d = q.size(3), d_v = v.size(3);
    if (k.shape() != Shape{B, H, S, d} || v.shape() != Shape{B, H, S, d_v} ||
        grad_context.shape() != Shape{B, H, T, d_v})
        throw std::invalid_argument("attention_backward: shapes");
    const Mask wide = mask.defined() ? mask.expand({B, H, T, S}) : Mask::allow_all({B, H, T, S});
    AttentionGradients grad{Tensor::zeros({B, H, T, d}), Tensor::zeros({B, H, S, d}), Tensor::zeros({B, H, S, d_v})};
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h) {
            const Tensor queries = q[b][h].contiguous(), keys = k[b][h].contiguous(), values = v[b][h].contiguous();
            const Tensor out = grad_context[b][h].contiguous();
            float* dq = grad.q.data() + (b * H + h) * T * d;
            float* dk = grad.k.data() + (b * H + h) * S * d;
            float* dv = grad.v.data() + (b * H + h) * S * d_v;
            for (Index t = 0; t < T; ++t) {
                std::vector<bool> blocked;
                for (Index s = 0; s < S; ++s) blocked.push_back(wide(b, h, t, s));
                const Row row(queries.data() + t * d, keys, d, blocked);
                Numbers grad_weight(static_cast<std::size_t>(S));
                for (Index s = 0; s < S; ++s)
                    for (Index j = 0; j < d_v; ++j) {
                        const float g = out.data()[t * d_v + j];
                        grad_weight[s] += static_cast<double>(g) * values.data()[s * d_v + j];
                        dv[s * d_v + j] += static_cast<float>(g);
                    }
                const Numbers grad_score = through_softmax(row.weight, grad_weight);
                for (Index s = 0; s < S; ++s)
                    for (Index i = 0; i < d; ++i) {
                        const double scaled = grad_score[s] / std::sqrt(static_cast<double>(d));
                        dq[t * d + i] += static_cast<float>(scaled * keys.data()[s * d + i]);
                        dk[s * d + i] += static_cast<float>(scaled * queries.data()[t * d + i]);
                    }
            }
        }
    return grad;
}

Tensor linear_backward(const Tensor& x, const Tensor& weight, const Tensor& grad_y, Tensor& grad_weight,
                       Tensor& grad_bias) {
    const Index in = weight.size(1), out = weight.size(0), N = x.size(0) * x.size(1);
    if (x.size(2) != in || grad_y.size(2) != out || grad_y.size(0) != x.size(0) || grad_y.size(1) != x.size(1))
        throw std::invalid_argument("linear_backward: shapes");
    const Tensor rows = x.contiguous(), grads = grad_y.contiguous(), w = weight.contiguous();
    Tensor grad_x = Tensor::zeros({x.size(0), x.size(1), in});
    for (Index o = 0; o < out; ++o) {
        double bias = 0;
        for (Index n = 0; n < N; ++n) bias += grads.data()[n * out + o];
        grad_bias(o) += static_cast<float>(bias);
        for (Index i = 0; i < in; ++i) {
            double total = 0;
            for (Index n = 0; n < N; ++n) {
                total += static_cast<double>(grads.data()[n * out + o]) * rows.data()[n * in + i];
                grad_x.data()[n * in + i] += grads.data()[n * out + o] * w.data()[o * in + i];
            }
            grad_weight(o, i) += static_cast<float>(total);
        }
    }
    return grad_x;
}

Tensor multi_head_attention_backward(const Tensor& x, const Parameters& p, Index num_heads, const Mask& mask,
                                     const Tensor& grad_y, Parameters& grads) {
    struct Map {
        const Tensor &weight, &bias;
        Tensor &grad_weight, &grad_bias;
    };
    const Map maps[] = {{p.q_weight, p.q_bias, grads.q_weight, grads.q_bias},
                        {p.k_weight, p.k_bias, grads.k_weight, grads.k_bias},
                        {p.v_weight, p.v_bias, grads.v_weight, grads.v_bias}};
    std::vector<Tensor> heads;
    for (const Map& map : maps)
        heads.push_back(given::split_heads(matmul(x, map.weight.transpose(0, 1)) + map.bias, num_heads));
    const Tensor context = given::scaled_dot_product_attention(heads[0], heads[1], heads[2], mask).context;
    const Tensor merged = given::merge_heads(context);
    const Tensor from_out = linear_backward(merged, p.out_weight, grad_y, grads.out_weight, grads.out_bias);
    const AttentionGradients g =
        attention_backward(heads[0], heads[1], heads[2], mask, given::split_heads(from_out, num_heads));
    const Tensor by_map[] = {g.q, g.k, g.v};
    Tensor grad_x = Tensor::zeros(x.shape());
    for (int i = 0; i < 3; ++i)
        grad_x +=
            linear_backward(x, maps[i].weight, given::merge_heads(by_map[i]), maps[i].grad_weight, maps[i].grad_bias);
    return grad_x;
}

}  // namespace headway::ex07
