#pragma once

#include "reference/array.hpp"

/// Gradients in double precision, with bounds on what float32 may do to them: what the hidden tests of exercise 07
/// expect. Checked against central differences in tests/unit/judge.
namespace headway::reference {

/// weights · (grad - Σ weights·grad) in each row of the last axis.
Array softmax_backward(const Array& weights, const Array& grad_weights);

struct AttentionGradients {
    Array q, k, v;
};
/// @param q  (..., T, d)   @param k  (..., S, d)   @param v  (..., S, d_v)   @param grad_context  (..., T, d_v)
AttentionGradients attention_backward(const Array& q, const Array& k, const Array& v, const Mask& mask,
                                      const Array& grad_context);
/// Gradients of attention from given weights and given gradients of the scores (before they were scaled back).
AttentionGradients attention_backward(const Array& q, const Array& k, const Array& weights, const Array& grad_scores,
                                      const Array& grad_context);

struct LinearGradients {
    Array x, weight, bias;
};
/// y = x·weightᵀ + bias.     @param x  (B, T, in)   @param weight  (out, in)   @param grad_y  (B, T, out)
LinearGradients linear_backward(const Array& x, const Array& weight, const Array& grad_y);

}  // namespace headway::reference
