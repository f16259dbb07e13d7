#pragma once

#include <headway/tensor.hpp>

#include <backward.hpp>

#include <functional>
#include <string>

/// How a model knows where its tokens stand and what they see, and attention that turns queries and keys.
/// B batch · T tokens · D width · H heads · d head_dim
namespace headway::lab {

/// A learned row for each place, added to the token; nothing; or queries and keys that are turned (exercise 13).
enum class Positions { learned, none, rotary };
std::string to_string(Positions positions);

/// Turns heads (B, H, T, d) by the positions 0 to T - 1 of their tokens, or back.
enum class Sense { forth, back };
using Turn = std::function<Tensor(const Tensor& heads, Sense sense)>;

/// Which keys the tokens of a text of T may not see: (T, T). Empty: those that come later.
using Sight = std::function<Mask(Index T)>;

/// Self-attention as in exercise 05, with queries and keys turned after they were split into heads.
/// @param x  (B, T, D)   @param mask  (T, T)   @return (B, T, D)
Tensor turned_attention(const Tensor& x, const ex07::Parameters& parameters, Index H, const Turn& turn,
                        const Mask& mask);
/// (B, H, T, T)
Tensor turned_weights(const Tensor& x, const ex07::Parameters& parameters, Index H, const Turn& turn, const Mask& mask);
/// Gradients by the student's exercise 07. Adds to every tensor of `grads`.   @return grad_x (B, T, D)
Tensor turned_attention_backward(const Tensor& x, const ex07::Parameters& parameters, Index H, const Turn& turn,
                                 const Mask& mask, const Tensor& grad_y, ex07::Parameters& grads);

}  // namespace headway::lab
