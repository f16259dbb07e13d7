#include "suites/14_block/wiring.hpp"

#include "diagnosis/elements.hpp"

#include <headway/random.hpp>

#include <algorithm>
#include <cmath>

namespace headway::diagnosis {
namespace {

/// mix (T, T) times each sequence of x (B, T, D).
Array mixed(const Array& mix, const Array& x) {
    const Index B = x.size(0), T = x.size(1);
    const Array repeated = gathered(mix, {B, T, T}, [&](Coordinate at) {
        const Index from[] = {at[1], at[2]};
        return diagnosis::position(mix.shape, from);
    });
    return reference::matmul(repeated, x);
}

/// What stands for attention in the worker.
Array attended(const Array& mix, const Array& x) { return mixed(mix, products(x, x)); }
Array attended_backward(const Array& mix, const Array& x, const Array& grad_y) {
    return reference::scale(products(x, mixed(reference::transpose(mix, 0, 1), grad_y)), 2);
}

Array scaled(const Array& x, double factor) { return factor == 1 ? x : reference::scale(x, factor); }

Wiring right_wiring() {
    Wiring wiring{};
    wiring.is_pre = [](bool asked) { return asked; };
    return wiring;
}

/// One block, as it is wired.
class Wired {
public:
    Wired(const Wiring& wiring, Parts& parts, const BlockArrays& block)
        : w_(wiring.of_order(block.pre_norm)),
          parts_(parts),
          block_(block),
          formula_(w_.fixed_formula.empty() ? block.formula : w_.fixed_formula),
          eps_(w_.fixed_eps != 0 ? w_.fixed_eps : block.eps) {}

    Array forward(const Array& x) {
        if (w_.is_pre(block_.pre_norm)) {
            const Array seen = normed(0, x);
            const Array y = plus_residual(0, sublayer(0, seen), x, seen, x);
            const Array second = normed(1, w_.side_by_side ? x : y);
            return plus_residual(1, sublayer(1, second), y, second, x);
        }
        const Array y = normed(0, plus_residual(0, sublayer(0, x), x, x, x));
        return normed(1, plus_residual(1, sublayer(1, y), y, y, x));
    }

    NamedArrays backward(const Array& x, const Array& grad_y, Array* left_in_grad_y) {
        if (!w_.is_pre(block_.pre_norm)) return post_norm_backward(x, grad_y);
        NamedArrays all = pre_norm_backward(x, grad_y);
        if (w_.grad_y_is_added_to && left_in_grad_y != nullptr) *left_in_grad_y = grad_of_y_;
        return all;
    }

private:
    const NormArrays& weights(std::size_t place) const { return block_.norm[w_.norm[place]]; }

    Array normed(std::size_t place, const Array& x) {
        return w_.has_norm[place] ? parts_.norm(weights(place), x, eps_) : x;
    }

    Array sublayer(std::size_t place, const Array& x) {
        return place == 0 ? attended(block_.mix, x) : parts_.mlp(block_.mlp, x, formula_);
    }

    Array plus_residual(std::size_t place, const Array& result, const Array& input, const Array& seen,
                        const Array& x) const {
        const auto plus = [&](const Array& added) {
            return reference::add(result, scaled(added, w_.residual_times[place]));
        };
        switch (w_.residual[place]) {
            case Wiring::Residual::input:
                return plus(input);
            case Wiring::Residual::normed:
                return plus(seen);
            case Wiring::Residual::first:
                return plus(x);
            case Wiring::Residual::none:
                break;
        }
        return result;
    }

    /// Adds what goes past a sub-layer to what went through it.
    Array plus_past(std::size_t place, Wiring::Residual residual, const Array& grad, const Array& through) const {
        if (w_.residual[place] != residual || !w_.residual_goes_back[place]) return through;
        const Array past = scaled(grad, w_.past_times[place]);
        return w_.sublayer_goes_back[place] ? reference::add(past, through) : past;
    }

    Array back_through_norm(std::size_t place, const Array& x, const Array& grad_y) {
        if (!w_.has_norm[place]) {
            norm_[place] = {{}, zeros({x.size(2)}), zeros({x.size(2)})};
            return grad_y;
        }
        norm_[place] = parts_.norm_backward(weights(w_.norm_back[place]), x, eps_, grad_y);
        return norm_[place].x;
    }

    Array back_through_sublayer(std::size_t place, const Array& x, const Array& grad_y) {
        if (place == 0) return attended_backward(block_.mix, x, grad_y);
        mlp_ = parts_.mlp_backward(block_.mlp, x, grad_y, formula_);
        return mlp_.x;
    }

    NamedArrays pre_norm_backward(const Array& x, const Array& grad_y) {
        const Array seen = normed(0, x);
        const Array y = plus_residual(0, sublayer(0, seen), x, seen, x);
        const Array& into_second = w_.side_by_side || w_.mlp_is_asked_at_attention_less ? x : y;
        const Array second = normed(1, into_second);
        Array grad_second = back_through_sublayer(1, w_.mlp_is_asked_before_norm[0] ? into_second : second, grad_y);
        grad_second = plus_past(1, Wiring::Residual::normed, grad_y, grad_second);
        const Array through_second = back_through_norm(1, into_second, grad_second);
        grad_of_y_ = w_.side_by_side ? grad_y : plus_past(1, Wiring::Residual::input, grad_y, through_second);
        Array grad_seen = back_through_sublayer(0, w_.attention_is_asked_at_x ? x : seen, grad_of_y_);
        grad_seen = plus_past(0, Wiring::Residual::normed, grad_of_y_, grad_seen);
        Array grad_x = plus_past(0, Wiring::Residual::input, grad_of_y_, back_through_norm(0, x, grad_seen));
        if (w_.side_by_side) grad_x = reference::add(grad_x, through_second);
        return named(plus_way_to_x(grad_x, grad_y));
    }

    NamedArrays post_norm_backward(const Array& x, const Array& grad_y) {
        const Array attention = sublayer(0, x), first = plus_residual(0, attention, x, x, x);
        const Array y = normed(0, w_.mlp_is_asked_at_attention_less ? x : first);
        const Array mlp = sublayer(1, y), second = plus_residual(1, mlp, y, y, x);
        const Array grad_second = back_through_norm(1, asked_at(1, second, mlp, y), grad_y);
        const Array through_second = back_through_sublayer(1, w_.mlp_is_asked_before_norm[1] ? first : y, grad_second);
        const Array grad_of_y = past(1, w_.residual_past_norm[1] ? grad_y : grad_second, through_second);
        const Array grad_first = back_through_norm(0, asked_at(0, first, attention, x), grad_of_y);
        const Array through_first = back_through_sublayer(0, x, grad_first);
        const Array grad_x = past(0, w_.residual_past_norm[0] ? grad_of_y : grad_first, through_first);
        return named(plus_way_to_x(grad_x, grad_second));
    }

    /// In post-norm: where norm `place` goes back.
    const Array& asked_at(std::size_t place, const Array& sum, const Array& added, const Array& input) const {
        const Wiring::Asked asked = w_.norm_is_asked_at[place];
        return asked == Wiring::Asked::sum ? sum : asked == Wiring::Asked::added ? added : input;
    }

    /// In post-norm what is added is the input, whichever of the two it was taken for.
    Array past(std::size_t place, const Array& grad, const Array& through) const {
        if (w_.residual[place] == Wiring::Residual::none || residual_is_x(place)) return through;
        return plus_past(place, w_.residual[place], grad, through);
    }

    /// Whether the MLP's residual adds x: of attention's that is what came in.
    bool residual_is_x(std::size_t place) const { return place == 1 && w_.residual[1] == Wiring::Residual::first; }

    /// Where the MLP's residual adds x, its gradient goes straight there.
    Array plus_way_to_x(const Array& grad_x, const Array& grad) const {
        return residual_is_x(1) && w_.residual_goes_back[1] ? reference::add(grad_x, grad) : grad_x;
    }

    NamedArrays named(const Array& grad_x) const {
        NamedArrays all{{"x", grad_x}};
        for (const std::size_t norm : {0, 1}) {
            const NormGradients& of_it = norm_of(norm);
            const std::string name = "norm" + std::to_string(norm + 1);
            all.emplace_back(name + "_gain", of_it.gain);
            all.emplace_back(name + "_bias", of_it.bias);
        }
        all.emplace_back("w_in", mlp_.weights.w_in);
        all.emplace_back("b_in", mlp_.weights.b_in);
        all.emplace_back("w_out", mlp_.weights.w_out);
        all.emplace_back("b_out", mlp_.weights.b_out);
        return all;
    }

    /// The gradients that come back under the name of a norm.
    const NormGradients& norm_of(std::size_t norm) const { return norm_[w_.norm_weights_exchanged ? 1 - norm : norm]; }

    Wiring w_;
    Parts& parts_;
    const BlockArrays& block_;
    std::string formula_;
    double eps_;
    std::array<NormGradients, 2> norm_;  ///< by place
    MlpGradients mlp_;
    Array grad_of_y_;  ///< in pre-norm
};

}  // namespace

Wiring Wiring::of_order(bool pre_norm) const {
    Wiring own = *this;
    for (const InOneOrder& one : in_one_order)
        if (one.pre_norm == pre_norm) one.make(own);
    return own;
}

const Wiring& Wiring::right() {
    static const Wiring all = right_wiring();
    return all;
}

Array ModelParts::norm(const NormArrays& weights, const Array& x, double eps) {
    return normed(choices_.norms, Kind::layer, x, weights.gain, &weights.bias, eps);
}

NormGradients ModelParts::norm_backward(const NormArrays& weights, const Array& x, double eps, const Array& grad_y) {
    return normed_backward(choices_.norms, Kind::layer, x, weights.gain, eps, grad_y);
}

Array ModelParts::mlp(const MlpArrays& weights, const Array& x, const std::string& formula) {
    return through_mlp(choices_.activation, weights, x, formula);
}

MlpGradients ModelParts::mlp_backward(const MlpArrays& weights, const Array& x, const Array& grad_y,
                                      const std::string& formula) {
    return through_mlp_backward(choices_.activation, weights, x, grad_y, formula);
}

Array through_block(const Wiring& wiring, Parts& parts, const BlockArrays& block, const Array& x) {
    return Wired(wiring, parts, block).forward(x);
}

NamedArrays through_block_backward(const Wiring& wiring, Parts& parts, const BlockArrays& block, const Array& x,
                                   const Array& grad_y, Array* left_in_grad_y) {
    return Wired(wiring, parts, block).backward(x, grad_y, left_in_grad_y);
}

namespace {

Array without_error(Array x) {
    std::ranges::fill(x.error, 0.0);
    return x;
}

}  // namespace

Array ModelBlocks::forward(const BlockArrays& block, const Array& x) {
    return through_block(wiring_, parts_, block, without_error(x));
}

NamedArrays ModelBlocks::backward(const BlockArrays& block, const Array& x, const Array& grad_y) {
    return through_block_backward(wiring_, parts_, block, without_error(x), without_error(grad_y));
}

NamedArrays ModelBlocks::backward_in_place(const BlockArrays& block, const Array& x, Array& grad_y) {
    return through_block_backward(wiring_, parts_, block, without_error(x), without_error(grad_y), &grad_y);
}

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

}  // namespace

NamedArrays through_stack_backward(const Wiring& wiring, Blocks& blocks, const std::vector<BlockArrays>& stack,
                                   const Array& x, const Array& grad_y) {
    const std::size_t L = stack.size();
    std::vector<Array> inputs{x};
    for (const BlockArrays& block : stack) inputs.push_back(blocks.forward(block, inputs.back()));
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
