#include "block.hpp"

// What each function computes is in block.hpp. Put your code in place of each `throw`, in any order you like, and ask
// ./headway grade 14 after each.

#pragma GCC diagnostic ignored "-Wunused-parameter"  // for untouched stubs; delete it when all functions are written

namespace headway::ex14 {

Tensor layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, double eps) {
    // x (B, T, D), gain and bias (D) -> (B, T, D)
    throw NotImplemented{"layer_norm"};
}

Tensor rms_norm(const Tensor& x, const Tensor& gain, double eps) {
    // x (B, T, D), gain (D) -> (B, T, D)
    throw NotImplemented{"rms_norm"};
}

LayerNormGradients layer_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    // x, grad_y (B, T, D), gain (D) -> gradients of x (B, T, D), gain (D), bias (D)
    throw NotImplemented{"layer_norm_backward"};
}

RmsNormGradients rms_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y) {
    // x, grad_y (B, T, D), gain (D) -> gradients of x (B, T, D), gain (D)
    throw NotImplemented{"rms_norm_backward"};
}

Tensor gelu(const Tensor& x, Gelu formula) {
    // any shape -> the same
    throw NotImplemented{"gelu"};
}

Tensor gelu_backward(const Tensor& x, const Tensor& grad_y, Gelu formula) {
    // any shape, the same for both -> the same
    throw NotImplemented{"gelu_backward"};
}

Tensor mlp(const MlpWeights& weights, const Tensor& x, Gelu formula) {
    // x (B, T, D) -> (B, T, F) -> (B, T, D)
    throw NotImplemented{"mlp"};
}

MlpGradients mlp_backward(const MlpWeights& weights, const Tensor& x, const Tensor& grad_y, Gelu formula) {
    // x, grad_y (B, T, D) -> gradients of x (B, T, D), w_in (D, F), b_in (F), w_out (F, D), b_out (D)
    throw NotImplemented{"mlp_backward"};
}

Tensor block_forward(const Block& block, const Tensor& x) {
    // (B, T, D) -> (B, T, D)
    throw NotImplemented{"block_forward"};
}

BlockGradients block_backward(const Block& block, const Tensor& x, const Tensor& grad_y) {
    // x, grad_y (B, T, D) -> gradients of x (B, T, D) and of all weights
    throw NotImplemented{"block_backward"};
}

std::vector<BlockGradients> stack_backward(const std::vector<Block>& blocks, const Tensor& x, const Tensor& grad_y) {
    // L blocks, x, grad_y (B, T, D) -> L gradients
    throw NotImplemented{"stack_backward"};
}

}  // namespace headway::ex14
