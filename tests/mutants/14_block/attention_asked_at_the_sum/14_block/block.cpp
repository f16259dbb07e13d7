#include "block.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace headway::ex14 {
namespace {

using Row = std::vector<double>;

void refuse_unless(bool fits, const std::string& what) {
    if (!fits) throw std::invalid_argument(what);
}

Row row_of(const Tensor& x, Index b, Index t) {
    Row row(static_cast<std::size_t>(x.size(2)));
    for (Index i = 0; i < x.size(2); ++i) row[i] = x(b, t, i);
    return row;
}

void put(const Row& row, Tensor& x, Index b, Index t) {
    for (Index i = 0; i < x.size(2); ++i) x(b, t, i) = static_cast<float>(row[i]);
}

double mean_of(const Row& row) { return std::accumulate(row.begin(), row.end(), 0.0) / row.size(); }

double mean_of_products(const Row& a, const Row& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0) / a.size();
}

/// Brings a token to its normed form, and returns the root.
double normalise(Row& row, double eps) {
    const double root = std::sqrt(mean_of_products(row, row) + eps);
    for (double& number : row) number /= root;
    return root;
}

void centre(Row& row) {
    const double mean = mean_of(row);
    for (double& number : row) number -= mean;
}

void check_norm(const Tensor& x, const Tensor& gain, double eps) {
    refuse_unless(x.rank() == 3, "norm: x");
    refuse_unless(gain.rank() == 1 && gain.size(0) == x.size(2), "norm: gain");
    refuse_unless(eps > 0, "norm: eps");
}

template <class Work>
void each_token(const Tensor& x, Work work) {
    for (Index b = 0; b < x.size(0); ++b)
        for (Index t = 0; t < x.size(1); ++t) work(b, t);
}

/// x·w, (B, T, n) with (n, m)
Tensor times(const Tensor& x, const Tensor& w) {
    Tensor y = Tensor::zeros({x.size(0), x.size(1), w.size(1)});
    for (Index b = 0; b < x.size(0); ++b) y[b].copy_from(matmul(x[b], w));
    return y;
}

/// Σ aᵀ·b over texts
Tensor transposed_times(const Tensor& a, const Tensor& b) {
    Tensor sum_of_all = Tensor::zeros({a.size(2), b.size(2)});
    for (Index text = 0; text < a.size(0); ++text) sum_of_all += matmul(a[text].transpose(0, 1), b[text]);
    return sum_of_all;
}

Tensor add_up(const Tensor& x) {
    Tensor total = Tensor::zeros({x.size(2)});
    each_token(x, [&](Index b, Index t) { total += x[b][t]; });
    return total;
}

void check_mlp(const MlpWeights& w, const Tensor& x) {
    refuse_unless(x.rank() == 3, "mlp: x");
    refuse_unless(w.w_in.rank() == 2 && w.w_in.size(0) == x.size(2), "mlp: w_in");
    refuse_unless(w.b_in.rank() == 1 && w.b_in.size(0) == w.w_in.size(1), "mlp: b_in");
    refuse_unless(w.w_out.rank() == 2 && w.w_out.size(0) == w.w_in.size(1) && w.w_out.size(1) == x.size(2),
                  "mlp: w_out");
}

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, double eps) {
    check_norm(x, gain, eps);
    refuse_unless(bias.rank() == 1 && bias.size(0) == x.size(2), "norm: bias");
    Tensor y = Tensor::zeros(x.shape());
    each_token(x, [&](Index b, Index t) {
        Row row = row_of(x, b, t);
        centre(row);
        normalise(row, eps);
        for (Index i = 0; i < x.size(2); ++i) row[i] = row[i] * gain(i) + bias(i);
        put(row, y, b, t);
    });
    return y;
}

Tensor rms_norm(const Tensor& x, const Tensor& gain, double eps) {
    check_norm(x, gain, eps);
    Tensor y = Tensor::zeros(x.shape());
    each_token(x, [&](Index b, Index t) {
        Row row = row_of(x, b, t);
        normalise(row, eps);
        for (Index i = 0; i < x.size(2); ++i) row[i] *= gain(i);
        put(row, y, b, t);
    });
    return y;
}

LayerNormGradients layer_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    check_norm(x, gain, eps);
    refuse_unless(grad_y.shape() == x.shape(), "norm: grad_y");
    const Index D = x.size(2);
    LayerNormGradients grads{Tensor::zeros(x.shape()), Tensor::zeros({D}), Tensor::zeros({D})};
    each_token(x, [&](Index b, Index t) {
        Row hat = row_of(x, b, t), g = row_of(grad_y, b, t);
        centre(hat);
        const double root = normalise(hat, eps);
        for (Index i = 0; i < D; ++i) {
            grads.gain(i) += static_cast<float>(g[i] * hat[i]);
            grads.bias(i) += static_cast<float>(g[i]);
            g[i] *= gain(i);
        }
        const double along = mean_of_products(g, hat);
        centre(g);
        for (Index i = 0; i < D; ++i) g[i] = (g[i] - hat[i] * along) / root;
        put(g, grads.x, b, t);
    });
    return grads;
}

RmsNormGradients rms_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    check_norm(x, gain, eps);
    refuse_unless(grad_y.shape() == x.shape(), "norm: grad_y");
    const Index D = x.size(2);
    RmsNormGradients grads{Tensor::zeros(x.shape()), Tensor::zeros({D})};
    each_token(x, [&](Index b, Index t) {
        Row hat = row_of(x, b, t), g = row_of(grad_y, b, t);
        const double root = normalise(hat, eps);
        for (Index i = 0; i < D; ++i) {
            grads.gain(i) += static_cast<float>(g[i] * hat[i]);
            g[i] *= gain(i);
        }
        const double along = mean_of_products(g, hat);
        for (Index i = 0; i < D; ++i) g[i] = (g[i] - hat[i] * along) / root;
        put(g, grads.x, b, t);
    });
    return grads;
}

namespace {

const double root_two_over_pi = std::sqrt(2 / std::acos(-1.0));

float gelu_of(float x, Gelu formula) {
    switch (formula) {
        case Gelu::exact:
            return static_cast<float>(0.5 * x * std::erfc(-x / std::sqrt(2.0)));
        case Gelu::tanh:
            break;
    }
    const double u = root_two_over_pi * x * (1 + 0.044715 * x * static_cast<double>(x));
    return static_cast<float>(0.5 * x * (1 + std::tanh(u)));
}

float slope_of(float number, Gelu formula) {
    const double x = number;
    switch (formula) {
        case Gelu::exact: {
            const double below = 0.5 * std::erfc(-x / std::sqrt(2.0));
            const double density = std::exp(-0.5 * x * x) * 0.5 * root_two_over_pi;
            return static_cast<float>(below + x * density);
        }
        case Gelu::tanh:
            break;
    }
    const double t = std::tanh(root_two_over_pi * x * (1 + 0.044715 * x * x));
    const double du = root_two_over_pi * (1 + 0.134145 * x * x);
    return static_cast<float>(0.5 * (1 + t) + 0.5 * x * (1 - t * t) * du);
}

}  // namespace

Tensor gelu(const Tensor& x, Gelu formula) {
    Tensor y = Tensor::zeros(x.shape());
    y += x;
    std::for_each(y.data(), y.data() + y.numel(), [=](float& number) { number = gelu_of(number, formula); });
    return y;
}

Tensor gelu_backward(const Tensor& x, const Tensor& grad_y, Gelu formula) {
    refuse_unless(x.shape() == grad_y.shape(), "gelu_backward");
    Tensor slopes = Tensor::zeros(x.shape());
    slopes += x;
    std::for_each(slopes.data(), slopes.data() + slopes.numel(), [=](float& s) { s = slope_of(s, formula); });
    slopes *= grad_y;
    return slopes;
}

Tensor mlp(const MlpWeights& weights, const Tensor& x, Gelu formula) {
    check_mlp(weights, x);
    refuse_unless(weights.b_out.rank() == 1 && weights.b_out.size(0) == x.size(2), "mlp: b_out");
    Tensor hidden = times(x, weights.w_in);
    hidden += weights.b_in;
    Tensor y = times(gelu(hidden, formula), weights.w_out);
    y += weights.b_out;
    return y;
}

MlpGradients mlp_backward(const MlpWeights& weights, const Tensor& x, const Tensor& grad_y, Gelu formula) {
    check_mlp(weights, x);
    refuse_unless(grad_y.shape() == x.shape(), "mlp: grad_y");
    Tensor a = times(x, weights.w_in);
    a += weights.b_in;
    const Tensor grad_a = gelu_backward(a, times(grad_y, weights.w_out.transpose(0, 1)), formula);
    MlpWeights grads;
    grads.w_out = transposed_times(gelu(a, formula), grad_y);
    grads.b_out = add_up(grad_y);
    grads.w_in = transposed_times(x, grad_a);
    grads.b_in = add_up(grad_a);
    return {times(grad_a, weights.w_in.transpose(0, 1)), grads};
}

Tensor block_forward(const Block& block, const Tensor& x) {
    refuse_unless(x.rank() == 3, "block: x");
    const NormWeights &norm1 = block.norm1, &norm2 = block.norm2;
    switch (block.order) {
        case Order::pre_norm: {
            const Tensor n = layer_norm(x, norm1.gain, norm1.bias, block.eps);
            const Tensor y = x + block.attention.forward(n);
            return y + mlp(block.mlp, layer_norm(y, norm2.gain, norm2.bias, block.eps), block.gelu);
        }
        case Order::post_norm:
            break;
    }
    const Tensor s = x + block.attention.forward(x);
    const Tensor y = layer_norm(s, norm1.gain, norm1.bias, block.eps);
    return layer_norm(y + mlp(block.mlp, y, block.gelu), norm2.gain, norm2.bias, block.eps);
}

BlockGradients block_backward(const Block& block, const Tensor& x, const Tensor& grad_y) {
    refuse_unless(x.rank() == 3 && grad_y.shape() == x.shape(), "block: x or grad_y");
    const NormWeights &norm1 = block.norm1, &norm2 = block.norm2;
    BlockGradients grads;
    if (block.order == Order::pre_norm) {
        const Tensor n = layer_norm(x, norm1.gain, norm1.bias, block.eps);
        const Tensor y = x + block.attention.forward(n);
        const MlpGradients m =
            mlp_backward(block.mlp, layer_norm(y, norm2.gain, norm2.bias, block.eps), grad_y, block.gelu);
        const LayerNormGradients l2 = layer_norm_backward(y, norm2.gain, block.eps, m.x);
        const Tensor g = grad_y + l2.x;
        const LayerNormGradients l1 = layer_norm_backward(x, norm1.gain, block.eps, block.attention.backward(n, g));
        grads.x = g + l1.x;
        grads.norm1 = {l1.gain, l1.bias};
        grads.norm2 = {l2.gain, l2.bias};
        grads.mlp = m.weights;
        return grads;
    }
    const Tensor s = x + block.attention.forward(x);
    const Tensor y = layer_norm(s, norm1.gain, norm1.bias, block.eps);
    const LayerNormGradients l2 = layer_norm_backward(y + mlp(block.mlp, y, block.gelu), norm2.gain, block.eps, grad_y);
    const MlpGradients m = mlp_backward(block.mlp, y, l2.x, block.gelu);
    const LayerNormGradients l1 = layer_norm_backward(s, norm1.gain, block.eps, l2.x + m.x);
    grads.x = l1.x + block.attention.backward(s, l1.x);
    grads.norm1 = {l1.gain, l1.bias};
    grads.norm2 = {l2.gain, l2.bias};
    grads.mlp = m.weights;
    return grads;
}

namespace {

/// Goes forward to the end, and comes back: the last block first.
Tensor there_and_back(const std::vector<Block>& blocks, std::size_t i, const Tensor& x, const Tensor& grad_y,
                      std::vector<BlockGradients>& grads) {
    const bool last = i + 1 == blocks.size();
    const Tensor g = last ? grad_y : there_and_back(blocks, i + 1, block_forward(blocks[i], x), grad_y, grads);
    grads[i] = block_backward(blocks[i], x, g);
    return grads[i].x;
}

}  // namespace

std::vector<BlockGradients> stack_backward(const std::vector<Block>& blocks, const Tensor& x, const Tensor& grad_y) {
    refuse_unless(!blocks.empty(), "stack: no block");
    refuse_unless(x.rank() == 3 && grad_y.shape() == x.shape(), "stack: x or grad_y");
    std::vector<BlockGradients> grads(blocks.size());
    there_and_back(blocks, 0, x, grad_y, grads);
    return grads;
}

}  // namespace headway::ex14
