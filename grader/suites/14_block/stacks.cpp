// Blocks one behind the other, and how far their answers may be off.
#include "suites/14_block/wiring.hpp"

#include <headway/random.hpp>

#include <algorithm>
#include <cmath>

namespace headway::diagnosis {
namespace {

/// Blocks whose answers are off by what their bounds allow, here more and there less.
class MovedBlocks : public Blocks {
public:
    MovedBlocks(const BlockChoices& choices, std::uint64_t seed) : blocks_(choices), random_(seed) {}

    Array forward(const BlockArrays& block, const Array& x) override { return moved(blocks_.forward(block, x)); }

    NamedArrays backward(const BlockArrays& block, const Array& x, const Array& grad_y) override {
        return with_x_moved(blocks_.backward(block, x, grad_y));
    }

    NamedArrays backward_in_place(const BlockArrays& block, const Array& x, Array& grad_y) override {
        return with_x_moved(blocks_.backward_in_place(block, x, grad_y));
    }

private:
    /// The gradient of x is what the block before gets.
    NamedArrays with_x_moved(NamedArrays grad) {
        grad.front().second = moved(std::move(grad.front().second));
        return grad;
    }

    Array moved(Array array) {
        for (std::size_t i = 0; i < array.value.size(); ++i)
            array.value[i] += static_cast<double>(random_.uniform(-1, 1)) * array.error[i];
        return array;
    }

    ModelBlocks blocks_;
    Random random_;
};

/// Twice as far as anything moved, and nowhere less than is usual.
void widen(Array& array, const std::vector<const Array*>& others) {
    double sum = 0;
    for (const Array* other : others)
        for (std::size_t i = 0; i < array.value.size(); ++i) sum += std::abs(other->value[i] - array.value[i]);
    const double usual = sum / static_cast<double>(std::max<std::size_t>(1, others.size() * array.value.size()));
    for (std::size_t i = 0; i < array.value.size(); ++i) {
        double farthest = usual;
        for (const Array* other : others) farthest = std::max(farthest, std::abs(other->value[i] - array.value[i]));
        array.error[i] += 2 * farthest;
    }
}

/// The blocks as the wiring takes them.
std::vector<BlockArrays> taken_by(const Wiring& wiring, std::vector<BlockArrays> stack) {
    for (BlockArrays& block : stack) {
        if (!wiring.settings_of_first) break;
        block.pre_norm = stack.front().pre_norm;
        block.formula = stack.front().formula;
        block.eps = stack.front().eps;
    }
    return stack;
}

}  // namespace

NamedArrays through_stack_backward(const Wiring& wiring, Blocks& blocks, const std::vector<BlockArrays>& given,
                                   const Array& x, const Array& grad_y) {
    const std::vector<BlockArrays> stack = taken_by(wiring, given);
    const std::size_t L = stack.size();
    std::vector<Array> inputs{x};
    for (const BlockArrays& block : stack)
        inputs.push_back(blocks.forward(block, wiring.forward_from_x ? x : inputs.back()));
    std::vector<NamedArrays> grads(L);
    Array begin = grad_y;
    Array* grad = &begin;
    for (std::size_t step = 0; step < L; ++step) {
        const std::size_t i = wiring.goes_from_the_last ? L - 1 - step : step;
        const Array& input = wiring.input == Wiring::Input::own     ? inputs[i]
                             : wiring.input == Wiring::Input::first ? x
                             : wiring.input == Wiring::Input::next  ? inputs[i + 1]
                                                                    : inputs.back();
        grads[i] = blocks.backward_in_place(wiring.weights_of_first ? stack.front() : stack[i], input, *grad);
        if (wiring.chains) grad = &grads[i].front().second;
    }
    if (!wiring.answers_in_order) std::reverse(grads.begin(), grads.end());
    NamedArrays all;
    for (std::size_t i = 0; i < L; ++i)
        for (auto& [name, array] : grads[i])
            all.emplace_back(name + " of block " + std::to_string(i), std::move(array));
    return all;
}

NamedArrays model_of_stack(const BlockChoices& choices, const std::vector<BlockArrays>& stack, const Array& x,
                           const Array& grad_y) {
    ModelBlocks blocks(choices);
    NamedArrays all = through_stack_backward(choices.wiring, blocks, stack, x, grad_y);
    if (stack.size() < 2) return all;
    constexpr std::uint64_t trials = 4;
    std::vector<NamedArrays> moved;
    for (std::uint64_t seed = 0; seed < trials; ++seed) {
        MovedBlocks others(choices, seed);
        moved.push_back(through_stack_backward(choices.wiring, others, stack, x, grad_y));
    }
    for (std::size_t place = 0; place < all.size(); ++place) {
        std::vector<const Array*> others;
        for (const NamedArrays& one : moved) others.push_back(&one[place].second);
        widen(all[place].second, others);
    }
    return all;
}

}  // namespace headway::diagnosis
