#pragma once

#include <headway/tensor.hpp>

#include <functional>
#include <vector>

// Exercise 14: a whole block, forwards and backwards, and a stack of them.
//                                                  B batch · T tokens · D model width · F hidden width · L blocks
//
// A block is two sub-layers, attention and an MLP, each with a norm and a residual. Attention is handed to you as two
// functions, so any fits. As in exercise 07, each backward function gets the gradient of what its forward function
// returned, grad_y, and gives the gradients of what that function was given.
// No function changes its arguments or what an earlier call returned; tensors may be views of any strides. Sizes are at
// least 1, numbers finite, and eps is finite and at least 1e-12 where it is above 0. Tensor's operators broadcast, and
// you must refuse what has not exactly the shape named: throw std::invalid_argument; also if eps is not above 0. Where
// x and grad_y lack an axis, std::out_of_range is right too. On the way back the shapes of some biases need not be
// checked, in either order: of weights.b_out in mlp_backward, and of norm2.bias and mlp.b_out in block_backward and
// stack_backward. No weight and no bias is a Tensor{}, and squares of what is normed fit in a float, their sums
// too. Whether attention is called before something is refused is not asked.
namespace headway::ex14 {

// ---- norms -------------------------------------------------------------------------------------------------------

/// Each token by itself:     x̂ = (x - mean) / √(variance + eps),   y = x̂ · gain + bias
/// The variance is the mean of (x - mean)² over the D features. It must be right where |mean| is thousands of times as
/// large as the spread, on the way back too. A mean in float is good enough: what its rounding costs x - mean is let
/// pass.                                                                                            [Ba et al. 2016]
/// @param x  (B, T, D)   @param gain, bias  (D)   @return (B, T, D)
Tensor layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, double eps);

/// No mean is subtracted:    x̂ = x / √(mean of x² + eps),   y = x̂ · gain              [Zhang and Sennrich 2019]
/// @param x  (B, T, D)   @param gain  (D)   @return (B, T, D)
Tensor rms_norm(const Tensor& x, const Tensor& gain, double eps);

struct LayerNormGradients {
    Tensor x;           ///< (B, T, D)
    Tensor gain, bias;  ///< (D): sums over all tokens of all sequences
};

/// With g = grad_y · gain and s = √(variance + eps), for each token:
///     grad_x = (g - mean(g) - x̂ · mean(g · x̂)) / s
/// @param x, grad_y  (B, T, D)   @param gain  (D)
LayerNormGradients layer_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y);

struct RmsNormGradients {
    Tensor x;     ///< (B, T, D)
    Tensor gain;  ///< (D)
};

/// @param x, grad_y  (B, T, D)   @param gain  (D)
RmsNormGradients rms_norm_backward(const Tensor& x, const Tensor& gain, double eps, const Tensor& grad_y);

// ---- MLP ---------------------------------------------------------------------------------------------------------

/// Which formula: checkpoints are trained with one of them, GPT-2 with tanh.            [Hendrycks and Gimpel 2016]
enum class Gelu {
    exact,  ///< x · Φ(x) = x/2 · (1 + erf(x / √2))
    tanh    ///< x/2 · (1 + tanh(√(2/π) · (x + 0.044715·x³)))
};

/// @param x  any shape, any finite numbers   @return the same shape; never NaN; right to a few roundings of x, so far
///        below 0 a 0 is right
Tensor gelu(const Tensor& x, Gelu formula);

/// grad_y times the derivative of that formula at x. Of the exact one it is Φ(x) + x·φ(x), with φ(x) = exp(-x²/2) /
/// √(2π).
/// @param x, grad_y  the same shape; |x| is at most 10⁶
Tensor gelu_backward(const Tensor& x, const Tensor& grad_y, Gelu formula);

/// Two linear maps, as this course's functions take them: x·w + b.
struct MlpWeights {
    Tensor w_in;   ///< (D, F)
    Tensor b_in;   ///< (F)
    Tensor w_out;  ///< (F, D)
    Tensor b_out;  ///< (D)
};

/// gelu(x·w_in + b_in)·w_out + b_out     @param x  (B, T, D)   @return (B, T, D)
Tensor mlp(const MlpWeights& weights, const Tensor& x, Gelu formula);

struct MlpGradients {
    Tensor x;            ///< (B, T, D)
    MlpWeights weights;  ///< of each weight; sums over all tokens of all sequences
};

/// @param x, grad_y  (B, T, D)
MlpGradients mlp_backward(const MlpWeights& weights, const Tensor& x, const Tensor& grad_y, Gelu formula);

// ---- blocks ------------------------------------------------------------------------------------------------------

/// Attention, or anything else that turns (B, T, D) into (B, T, D). Both functions are there, and what they return has
/// that shape: you need not check it. It may be a view of their arguments: do not write into it.
struct Sublayer {
    std::function<Tensor(const Tensor& x)> forward;
    /// The gradient of x. It computes what it needs of the way forward once more. The gradients of its own weights are
    /// its own business: it adds them up, so call it exactly once in each block_backward.
    std::function<Tensor(const Tensor& x, const Tensor& grad_y)> backward;
};

enum class Order {
    pre_norm,  ///< y = x + attention(norm1(x)),   out = y + mlp(norm2(y))                          [as GPT-2]
    post_norm  ///< y = norm1(x + attention(x)),   out = norm2(y + mlp(y))           [as Vaswani et al. 2017]
};

struct NormWeights {
    Tensor gain, bias;  ///< (D)
};

/// Both norms are layer norms with the same eps.                                      [Xiong et al. 2020, Figure 1]
struct Block {
    NormWeights norm1, norm2;
    MlpWeights mlp;
    Sublayer attention;
    Order order = Order::pre_norm;
    Gelu gelu = Gelu::exact;
    double eps = 1e-5;
};

/// @param x  (B, T, D)   @return (B, T, D)
Tensor block_forward(const Block& block, const Tensor& x);

struct BlockGradients {
    Tensor x;  ///< (B, T, D)
    NormWeights norm1, norm2;
    MlpWeights mlp;
};

/// @param x, grad_y  (B, T, D); grad_y is the gradient of `out` in Order
BlockGradients block_backward(const Block& block, const Tensor& x, const Tensor& grad_y);

/// Through L blocks, each of which gets what the one before returned; they may differ in order, gelu and eps. Gradient
/// checkpointing: of the way forward keep the input of each block and nothing else, L tensors as large as x (the
/// results, as large, are not counted). On the way back compute what is between them once more, one block at a time. So
/// attention.forward runs at most three times in each block (twice is enough), attention.backward once.
///                                                                                             [Chen et al. 2016]
/// @param x, grad_y  (B, T, D)
/// @return one per block, in the order of the blocks: [i].x is the gradient of the input of block i, [0].x that of x
/// @throws std::invalid_argument also if there is no block
std::vector<BlockGradients> stack_backward(const std::vector<Block>& blocks, const Tensor& x, const Tensor& grad_y);

}  // namespace headway::ex14
