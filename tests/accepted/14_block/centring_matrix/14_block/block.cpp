// Tokens as the columns of one matrix (D, N); means by a product with a matrix that centres.
#include "block.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex14 {
namespace {

void demand(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

/// (B, T, D) -> (D, B·T)
Tensor columns(const Tensor& x) {
    demand(x.rank() == 3, "three axes are needed: (B, T, D)");
    return x.contiguous().view({x.size(0) * x.size(1), x.size(2)}).transpose(0, 1);
}

/// (D, B·T) -> (B, T, D), of the batch and length of `like`
Tensor tokens(const Tensor& matrix, const Tensor& like) {
    return matrix.transpose(0, 1).contiguous().view({like.size(0), like.size(1), matrix.size(0)});
}

/// (D) -> (D, 1)
Tensor standing(const Tensor& v, Index D) {
    demand(v.rank() == 1 && v.size(0) == D, "a vector as wide as the tokens is needed");
    return v.contiguous().view({D, 1});
}

/// Identity less 1/D: takes the mean off each column.
Tensor centring(Index D) { return Tensor::eye(D) - Tensor::full({D, D}, 1.0F / static_cast<float>(D)); }

Tensor centred(const Tensor& matrix) {
    const Tensor once = matmul(centring(matrix.size(0)), matrix);
    return matmul(centring(matrix.size(0)), once);  // what rounding left of a large mean goes the second time
}

/// (D, N) -> (1, N)
Tensor one_over_size(const Tensor& matrix, double eps) {
    demand(eps > 0, "eps must be above 0");
    const Tensor squares = mean(matrix * matrix, 0, KeepAxis::yes);
    return 1.0F / sqrt(squares + static_cast<float>(eps));
}

struct Backwards {
    Tensor x, gain;
};

/// Through x · one_over_size(x) · gain, all (D, N) but the gain (D, 1).
Backwards size_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad) {
    const Tensor r = one_over_size(x, eps);
    const Tensor share = mean(grad * gain * x, 0, KeepAxis::yes);  // (1, N)
    return {grad * gain * r - x * (r * r * r * share), sum(grad * x * r, 1)};
}

/// Every number by itself.
template <class Function>
Tensor each(const Tensor& x, Function function) {
    Tensor y = x.clone();
    if (!y.is_contiguous() || y.storage_size() != y.numel()) y = x.contiguous().clone();
    for (Index i = 0; i < y.numel(); ++i) y.data()[i] = function(y.data()[i]);
    return y;
}

constexpr float a = 0.044715F, root_2_over_pi = 0.7978845608F, root_half = 0.7071067812F;

float by_erf(float x) { return x * 0.5F * std::erfc(-x * root_half); }
float by_tanh(float x) { return x * 0.5F * (1 + std::tanh(root_2_over_pi * (x + a * x * x * x))); }
float slope_by_erf(float x) {
    return 0.5F * std::erfc(-x * root_half) + x * 0.5F * root_2_over_pi * std::exp(-x * x * 0.5F);
}
float slope_by_tanh(float x) {
    const float t = std::tanh(root_2_over_pi * (x + a * x * x * x));
    return 0.5F * (1 + t) + 0.5F * x * (1 - t) * (1 + t) * root_2_over_pi * (1 + 3 * a * x * x);
}

Tensor turned(const Tensor& w) {
    demand(w.rank() == 2, "a matrix is needed");
    return w.transpose(0, 1);
}

/// (D, N) -> (F, N), before the activation
Tensor raw(const MlpWeights& w, const Tensor& x) {
    const Index D = x.size(0);
    demand(w.w_in.rank() == 2 && w.w_in.size(0) == D, "w_in must be (D, F)");
    const Index F = w.w_in.size(1);
    demand(w.w_out.rank() == 2 && w.w_out.size(0) == F && w.w_out.size(1) == D, "w_out must be (F, D)");
    standing(w.b_out, D);
    return matmul(turned(w.w_in), x) + standing(w.b_in, F);
}

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, double eps) {
    const Tensor matrix = centred(columns(x));
    const Index D = matrix.size(0);
    return tokens(matrix * one_over_size(matrix, eps) * standing(gain, D) + standing(bias, D), x);
}

Tensor rms_norm(const Tensor& x, const Tensor& gain, double eps) {
    const Tensor matrix = columns(x);
    return tokens(matrix * one_over_size(matrix, eps) * standing(gain, matrix.size(0)), x);
}

LayerNormGradients layer_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    const Tensor matrix = centred(columns(x)), grad = columns(grad_y);
    demand(x.shape() == grad_y.shape(), "grad_y must have the shape of x");
    const Backwards back = size_backward(matrix, standing(gain, matrix.size(0)), eps, grad);
    return {tokens(matmul(centring(matrix.size(0)), back.x), x), back.gain, sum(grad, 1)};
}

RmsNormGradients rms_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    const Tensor matrix = columns(x), grad = columns(grad_y);
    demand(x.shape() == grad_y.shape(), "grad_y must have the shape of x");
    const Backwards back = size_backward(matrix, standing(gain, matrix.size(0)), eps, grad);
    return {tokens(back.x, x), back.gain};
}

Tensor gelu(const Tensor& x, Gelu formula) { return each(x, formula == Gelu::exact ? &by_erf : &by_tanh); }

Tensor gelu_backward(const Tensor& x, const Tensor& grad_y, Gelu formula) {
    demand(x.shape() == grad_y.shape(), "grad_y must have the shape of x");
    return each(x, formula == Gelu::exact ? &slope_by_erf : &slope_by_tanh) * grad_y;
}

Tensor mlp(const MlpWeights& weights, const Tensor& x, Gelu formula) {
    const Tensor matrix = columns(x);
    const Tensor hidden = gelu(raw(weights, matrix), formula);
    return tokens(matmul(turned(weights.w_out), hidden) + standing(weights.b_out, x.size(2)), x);
}

MlpGradients mlp_backward(const MlpWeights& weights, const Tensor& x, const Tensor& grad_y, Gelu formula) {
    demand(x.shape() == grad_y.shape(), "grad_y must have the shape of x");
    const Tensor matrix = columns(x), grad = columns(grad_y), before = raw(weights, matrix);
    const Tensor grad_before = gelu_backward(before, matmul(weights.w_out, grad), formula);
    MlpGradients result;
    result.x = tokens(matmul(weights.w_in, grad_before), x);
    result.weights.w_in = matmul(matrix, grad_before.transpose(0, 1));
    result.weights.b_in = sum(grad_before, 1);
    result.weights.w_out = matmul(gelu(before, formula), grad.transpose(0, 1));
    result.weights.b_out = sum(grad, 1);
    return result;
}

namespace {

/// What a block computes on its way, and keeps for the way back.
struct Way {
    Tensor into_attention, after_attention;  ///< what attention sees, and x + what it gives
    Tensor middle, into_mlp, after_mlp;
};

Way forward(const Block& block, const Tensor& x) {
    const bool pre = block.order == Order::pre_norm;
    const auto norm = [&](const NormWeights& weights, const Tensor& some, bool now) {
        return now ? layer_norm(some, weights.gain, weights.bias, block.eps) : some;
    };
    Way way;
    way.into_attention = norm(block.norm1, x, pre);
    way.after_attention = block.attention.forward(way.into_attention) + x;
    way.middle = norm(block.norm1, way.after_attention, !pre);
    way.into_mlp = norm(block.norm2, way.middle, pre);
    way.after_mlp = mlp(block.mlp, way.into_mlp, block.gelu) + way.middle;
    return way;
}

}  // namespace

Tensor block_forward(const Block& block, const Tensor& x) {
    const Tensor last = forward(block, x).after_mlp;
    if (block.order == Order::pre_norm) return last;
    return layer_norm(last, block.norm2.gain, block.norm2.bias, block.eps);
}

BlockGradients block_backward(const Block& block, const Tensor& x, const Tensor& grad_y) {
    demand(x.shape() == grad_y.shape(), "grad_y must have the shape of x");
    const bool pre = block.order == Order::pre_norm;
    const Way way = forward(block, x);
    BlockGradients result;
    const auto back = [&](const Tensor& at, const NormWeights& norm, NormWeights& grads, const Tensor& grad) {
        LayerNormGradients all = layer_norm_backward(at, norm.gain, block.eps, grad);
        grads = {all.gain, all.bias};
        return all.x;
    };
    const Tensor of_sum = pre ? grad_y : back(way.after_mlp, block.norm2, result.norm2, grad_y);
    const MlpGradients through = mlp_backward(block.mlp, way.into_mlp, of_sum, block.gelu);
    result.mlp = through.weights;
    Tensor of_middle = of_sum + (pre ? back(way.middle, block.norm2, result.norm2, through.x) : through.x);
    if (!pre) of_middle = back(way.after_attention, block.norm1, result.norm1, of_middle);
    const Tensor of_attention = block.attention.backward(way.into_attention, of_middle);
    result.x = of_middle + (pre ? back(x, block.norm1, result.norm1, of_attention) : of_attention);
    return result;
}

std::vector<BlockGradients> stack_backward(const std::vector<Block>& blocks, const Tensor& x, const Tensor& grad_y) {
    const std::size_t L = blocks.size();
    demand(L > 0, "a stack needs a block");
    demand(x.shape() == grad_y.shape(), "grad_y must have the shape of x");
    std::vector<BlockGradients> result(L);
    // The places of the gradients hold the inputs until the way back comes by.
    result[0].x = x;
    for (std::size_t i = 1; i < L; ++i) result[i].x = block_forward(blocks[i - 1], result[i - 1].x);
    Tensor grad = grad_y;
    for (auto i = static_cast<Index>(L) - 1; i >= 0; --i) {
        BlockGradients& here = result[static_cast<std::size_t>(i)];
        here = block_backward(blocks[static_cast<std::size_t>(i)], here.x, grad);
        grad = here.x;
    }
    return result;
}

}  // namespace headway::ex14
