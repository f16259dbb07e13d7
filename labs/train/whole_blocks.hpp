#pragma once

#include <headway/tensor.hpp>

#include <functional>
#include <vector>

/// A model of whole blocks, with MLPs too (exercise 14), and not of attention alone.    B batch · T tokens · D width
namespace headway::lab {

/// What is around a block's attention; or the gradients of that.
struct BlockWeights {
    Tensor norm1_gain, norm1_bias, norm2_gain, norm2_bias;  ///< (D)
    Tensor w_in, b_in, w_out, b_out;                        ///< (D, 4D), (4D), (4D, D), (D)
};

struct BlockParts {
    BlockWeights weights;
    std::function<Tensor(const Tensor& x)> attention;
    std::function<Tensor(const Tensor& x, const Tensor& grad_y)> attention_backward;
};

/// What goes through blocks and back; empty: a model has attention alone.
struct WholeBlocks {
    std::function<Tensor(const BlockParts& block, const Tensor& x)> forward = {};
    struct Gradients {
        Tensor x;
        std::vector<BlockWeights> blocks;
    };
    std::function<Gradients(const std::vector<BlockParts>& blocks, const Tensor& x, const Tensor& grad_y)> backward =
        {};

    explicit operator bool() const { return forward != nullptr; }
};

}  // namespace headway::lab
