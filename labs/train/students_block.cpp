#include "labs/train/students_block.hpp"

#include "labs/frame/program.hpp"
#include "labs/frame/students_code.hpp"

#include <block.hpp>

namespace headway::lab {
namespace {

ex14::Block block_of(const BlockParts& parts) {
    const BlockWeights& w = parts.weights;
    return {{w.norm1_gain, w.norm1_bias},
            {w.norm2_gain, w.norm2_bias},
            {w.w_in, w.b_in, w.w_out, w.b_out},
            {parts.attention, parts.attention_backward}};
}

Tensor forward(const BlockParts& block, const Tensor& x) {
    return of_student("14_block", "block_forward", [&] { return ex14::block_forward(block_of(block), x); });
}

WholeBlocks::Gradients backward(const std::vector<BlockParts>& blocks, const Tensor& x, const Tensor& grad_y) {
    std::vector<ex14::Block> stack;
    for (const BlockParts& parts : blocks) stack.push_back(block_of(parts));
    const auto grads = of_student("14_block", "stack_backward", [&] { return ex14::stack_backward(stack, x, grad_y); });
    if (grads.size() != blocks.size())
        throw NotDone(
            "your stack_backward (14_block) does not give the gradients of each block.\n./headway grade 14 "
            "may say why.");
    WholeBlocks::Gradients all{grads.front().x, {}};
    for (const ex14::BlockGradients& grad : grads)
        all.blocks.push_back({grad.norm1.gain, grad.norm1.bias, grad.norm2.gain, grad.norm2.bias, grad.mlp.w_in,
                              grad.mlp.b_in, grad.mlp.w_out, grad.mlp.b_out});
    return all;
}

}  // namespace

WholeBlocks blocks_of_student() { return {&forward, &backward}; }

void require_blocks(const std::string& lab) {
    try_exercise("14_block", lab, [] {
        const Tensor x = Tensor::arange(24).view({2, 3, 4}), row = Tensor::ones({4});
        const ex14::Sublayer nothing{[](const Tensor& at) { return at * 0.0F; },
                                     [](const Tensor&, const Tensor& grad) { return grad * 0.0F; }};
        const ex14::Block block{
            {row, row}, {row, row}, {Tensor::ones({4, 5}), Tensor::ones({5}), Tensor::ones({5, 4}), row}, nothing};
        require_shape("block_forward", ex14::block_forward(block, x), x.shape());
        const auto grads = ex14::stack_backward({block, block}, x, x);
        if (grads.size() != 2) throw std::runtime_error("stack_backward gives other than two gradients for two blocks");
        require_shape("stack_backward", grads.front().x, x.shape());
        require_shape("stack_backward", grads.front().mlp.w_in, {4, 5});
    });
}

}  // namespace headway::lab
