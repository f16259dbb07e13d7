#pragma once

#include <headway/given.hpp>
#include <headway/tensor.hpp>

// Exercise 07: gradients by hand.
//                      B batch · H heads · T queries · S keys · d head_dim · d_v value width · D embed_dim
//
// L is a number, the loss. "The gradient of x", grad_x, is dL/dx: it has the shape of x. Each function gets the
// gradient of what its forward function returned, and gives the gradients of what that function was given. No function
// changes a const argument or what an earlier call returned; tensors and masks may be views of any strides (a gradient
// often is one). Everything in <headway/given.hpp> is yours to use: the forward functions, not their gradients.
// Wherever shapes do not fit, throw std::invalid_argument; any size of 1 that broadcasts may be let through (B of 1
// against B of 3), with any result, and you need check neither out_bias nor what gradients are added to. Sizes are at
// least 1 and ranks as named, except where a @throws names others. Numbers are finite.
namespace headway::ex07 {

/// Through softmax over the last axis, where weights = softmax(scores):
///     grad_scores[s] = weights[s] · (grad_weights[s] - Σ_j weights[j]·grad_weights[j])      for each row
/// A weight of 0 (a blocked key) gives a gradient of 0.
/// @param weights, grad_weights  (B, H, T, S)   @return grad_scores (B, H, T, S)
Tensor softmax_backward(const Tensor& weights, const Tensor& grad_weights);

struct AttentionGradients {
    Tensor q;  ///< (B, H, T, d)
    Tensor k;  ///< (B, H, S, d)
    Tensor v;  ///< (B, H, S, d_v)
};

/// Through context = softmax(q·kᵀ / √d, masked)·v.
/// @param q  (B, H, T, d)   @param k  (B, H, S, d)   @param v  (B, H, S, d_v)
/// @param mask  true = may not attend; broadcastable to (B, H, T, S)   @param grad_context  (B, H, T, d_v)
/// @return the gradients of q, k and v: a blocked key and its value get nothing from the query, and it gets nothing
///         from them (up to rounding), so a query that sees no key has 0; never NaN: scores of ±1e4 and beyond overflow
///         nothing
AttentionGradients attention_backward(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask,
                                      const Tensor& grad_context);

/// Through y = x·weightᵀ + bias, as nn::Linear. The gradients of parameters are *added* to what grad_weight and
/// grad_bias hold: a parameter that is used twice gets both contributions, and the caller decides when to start from
/// zero.
/// Add in place, or assign new tensors to them; after a refusal they may hold anything.
/// @param x  (B, T, in)   @param weight  (out, in)   @param grad_y  (B, T, out)
/// @param grad_weight  (out, in)   @param grad_bias  (out); no two numbers of these two share a place in memory
/// @return grad_x (B, T, in)
/// @throws std::invalid_argument if x, weight and grad_y differ in B, T, in or out, even where B·T is the same (but for
///         a size of 1 that broadcasts)
Tensor linear_backward(const Tensor& x, const Tensor& weight, const Tensor& grad_y, Tensor& grad_weight,
                       Tensor& grad_bias);

/// The parameters of exercise 05, or their gradients: weights (D, D), stored (out, in), and biases (D). Other sizes
/// that fit each other, such as (E, D) and (D, E) with E = H·d, are not asked about: take or refuse them.
struct Parameters {
    Tensor q_weight, q_bias, k_weight, k_bias, v_weight, v_bias, out_weight, out_bias;
};

/// Through self-attention as in exercise 05: y = out(merge_heads(attention(q(x), k(x), v(x), mask))).
/// Adds to all eight of `grads`, as linear_backward does. Two of them may be one tensor (tied weights): if you add in
/// place, it gets both contributions; if you assign new tensors, this is not asked about.
/// @param x, grad_y  (B, T, D)   @return grad_x (B, T, D)
/// @throws std::invalid_argument also if x is not of rank 3, or a parameter (q_bias, k_bias and v_bias too) is not of
///         the shape above (std::out_of_range is right too for both), num_heads < 1, or D is not divisible by it
Tensor multi_head_attention_backward(const Tensor& x, const Parameters& parameters, Index num_heads, const Mask& mask,
                                     const Tensor& grad_y, Parameters& grads);

}  // namespace headway::ex07
