#include "labs/train/students_block.hpp"

#include "labs/frame/program.hpp"
#include "labs/frame/students_code.hpp"
#include "labs/gpt2/block.hpp"

#include <headway/not_implemented.hpp>
#include <headway/random.hpp>

#include <block.hpp>

#include <cmath>

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

std::vector<ex14::Block> stack_of(const std::vector<BlockParts>& blocks) {
    std::vector<ex14::Block> stack;
    for (const BlockParts& parts : blocks) stack.push_back(block_of(parts));
    return stack;
}

WholeBlocks::Gradients backward(const std::vector<BlockParts>& blocks, const Tensor& x, const Tensor& grad_y) {
    const std::vector<ex14::Block> stack = stack_of(blocks);
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

// ---- tried on few numbers ----------------------------------------------------------------------------------------

struct SmallStack {
    std::vector<BlockParts> blocks;
    Tensor x, grad_y;
};

SmallStack small_stack() {
    constexpr Index D = 8, F = 12;
    Random random(14);
    const auto row = [&](Index size) { return random.normal({size}); };
    const auto map = [&](Index in, Index out) { return random.normal({in, out}) * 0.3F; };
    SmallStack stack{{}, random.normal({2, 3, D}), random.normal({2, 3, D})};
    while (stack.blocks.size() < 2)
        stack.blocks.push_back({{row(D), row(D), row(D), row(D), map(D, F), row(F), map(F, D), row(D)},
                                [](const Tensor& x) { return x * x; },
                                [](const Tensor& x, const Tensor& grad_y) { return x * grad_y * 2.0F; }});
    return stack;
}

bool goes_back(const SmallStack& stack) {
    const StudentsTurn turn("14_block", "stack_backward");
    try {
        ex14::stack_backward(stack_of(stack.blocks), stack.x, stack.grad_y);
        return true;
    } catch (const NotImplemented&) {
        return false;
    } catch (...) {
        return true;  // what is wrong with it is told when it is used
    }
}

double sum_of_products(const Tensor& a, const Tensor& b) {
    const Tensor x = a.contiguous(), y = b.contiguous();
    double sum = 0;
    for (Index i = 0; i < x.numel(); ++i) sum += static_cast<double>(x.data()[i]) * static_cast<double>(y.data()[i]);
    return sum;
}

/// Along a random direction of `value`: whether the gradient says what differences say. NaN agrees with nothing.
bool agrees(const SmallStack& stack, Tensor& value, const Tensor& gradient) {
    if (!gradient.defined() || gradient.shape() != value.shape()) return false;
    constexpr float step = 3e-3F;
    const Tensor before = value, direction = Random(15).normal(value.shape());
    const auto score_at = [&](float distance) {
        value = before + direction * distance;
        Tensor y = stack.x;
        for (const BlockParts& block : stack.blocks) y = forward(block, y);
        return sum_of_products(y, stack.grad_y);
    };
    const double by_differences = (score_at(step) - score_at(-step)) / (2 * static_cast<double>(step));
    value = before;
    // Roundings and bends are off by a tenth of that at most.
    return std::abs(sum_of_products(gradient, direction) - by_differences) <= 0.02 * std::abs(by_differences) + 0.05;
}

constexpr Tensor BlockWeights::*all_weights[] = {
    &BlockWeights::norm1_gain, &BlockWeights::norm1_bias, &BlockWeights::norm2_gain, &BlockWeights::norm2_bias,
    &BlockWeights::w_in,       &BlockWeights::b_in,       &BlockWeights::w_out,      &BlockWeights::b_out};

bool has_right_gradients(SmallStack& stack) {
    const WholeBlocks::Gradients grads = backward(stack.blocks, stack.x, stack.grad_y);
    if (!agrees(stack, stack.x, grads.x)) return false;
    for (std::size_t i = 0; i < stack.blocks.size(); ++i)
        for (Tensor BlockWeights::*const member : all_weights)
            if (!agrees(stack, stack.blocks[i].weights.*member, grads.blocks[i].*member)) return false;
    return true;
}

}  // namespace

WholeBlocks blocks_of_student() { return {&forward, &backward}; }

std::optional<WholeBlocks> blocks_if_written() {
    SmallStack stack = small_stack();
    if (!layer_of_student() || !goes_back(stack)) return std::nullopt;
    if (!has_right_gradients(stack))
        throw NotDone(
            "your stack_backward (14_block) gives other gradients than differences of your block_forward.\n"
            "./headway grade 14 may say why; --attention-alone trains without it.");
    return blocks_of_student();
}

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
