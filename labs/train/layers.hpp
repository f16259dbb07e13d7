#pragma once

#include <headway/tensor.hpp>

#include <vector>

/// What a language model has around its attention, each forward and backward. Gradients of parameters are added to what
/// they hold, as in exercise 07.
namespace headway::lab {

/// y = (x - mean) / √(variance + ε) · gain + bias over the last axis.                         [Ba, Kiros, Hinton 2016]
struct Normalised {
    Tensor y;         ///< (B, T, D)
    Tensor standard;  ///< (B, T, D), before gain and bias
    Tensor inverse;   ///< (B, T, 1): 1 / √(variance + ε)
};
Normalised normalise(const Tensor& x, const Tensor& gain, const Tensor& bias, float epsilon = 1e-5F);
/// @return grad_x
Tensor normalise_backward(const Normalised& forward, const Tensor& gain, const Tensor& grad_y, Tensor& grad_gain,
                          Tensor& grad_bias);

/// table[tokens[b, t]] + places[t].   @param table (V, D)   @param places (at least T, D)   @return (B, T, D)
Tensor embed(const std::vector<Index>& tokens, Index B, const Tensor& table, const Tensor& places);
void embed_backward(const std::vector<Index>& tokens, const Tensor& grad_x, Tensor& grad_table, Tensor& grad_places);

/// Mean over all places of -log softmax(logits)[next].   @param logits (B, T, V)
double cross_entropy(const Tensor& logits, const std::vector<Index>& next);
/// (softmax(logits) - one at next) / (B·T)
Tensor cross_entropy_backward(const Tensor& logits, const std::vector<Index>& next);

}  // namespace headway::lab
