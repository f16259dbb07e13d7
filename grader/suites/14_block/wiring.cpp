#include "suites/14_block/wiring.hpp"

#include "diagnosis/elements.hpp"

#include <algorithm>

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

bool returns_its_argument(const Array& mix) { return mix.shape.size() == 1; }

/// What stands for attention in the worker.
Array attended(const Array& mix, const Array& x) { return returns_its_argument(mix) ? x : mixed(mix, products(x, x)); }
Array attended_backward(const Array& mix, const Array& x, const Array& grad_y) {
    if (returns_its_argument(mix)) return grad_y;
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
          formula_back_(w_.fixed_formula_back.empty() ? formula_ : w_.fixed_formula_back),
          eps_(w_.fixed_eps != 0 ? w_.fixed_eps : block.eps) {}

    Array forward(const Array& x) {
        if (w_.is_pre(block_.pre_norm)) {
            const Array seen = normed(0, x);
            const bool overwrites = w_.writes_into_normed && returns_its_argument(block_.mix);
            const Array y = plus_residual(0, overwrites ? x : sublayer(0, seen), {x, seen, x});
            const Array second = normed(1, w_.side_by_side ? x : y);
            return plus_residual(1, sublayer(1, second), {y, second, x});
        }
        const Array first = post_sum(0, sublayer(0, x), {x, x, x}), y = post_normed(0, first);
        return post_normed(1, post_sum(1, sublayer(1, y), {y, y, x, first}));
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

    /// What a residual may add.
    struct Added {
        Array input, seen, x, before_norm = {};
    };

    Array plus_residual(std::size_t place, const Array& result, const Added& added) const {
        const auto plus = [&](const Array& one) {
            return reference::add(result, scaled(one, w_.residual_times[place]));
        };
        switch (w_.residual[place]) {
            case Wiring::Residual::input:
                return plus(added.input);
            case Wiring::Residual::normed:
                return plus(added.seen);
            case Wiring::Residual::first:
                return plus(added.x);
            case Wiring::Residual::before_norm:
                return plus(added.before_norm);
            case Wiring::Residual::none:
                break;
        }
        return result;
    }

    /// In post-norm: the sum that a norm is given, or what it makes of the sub-layer's result already has been added.
    Array post_sum(std::size_t place, const Array& result, const Added& added) {
        return plus_residual(place, w_.norm_before_residual[place] ? normed(place, result) : result, added);
    }
    Array post_normed(std::size_t place, const Array& sum) {
        return w_.norm_before_residual[place] ? sum : normed(place, sum);
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
        mlp_ = parts_.mlp_backward(block_.mlp, x, grad_y, formula_back_);
        return mlp_.x;
    }

    NamedArrays pre_norm_backward(const Array& x, const Array& grad_y) {
        const Array seen = normed(0, x);
        const Array y = plus_residual(0, sublayer(0, seen), {x, seen, x});
        const Array& into_second = w_.side_by_side || w_.mlp_is_asked_at_attention_less ? x : y;
        const Array second = normed(w_.norm_asked_of_mlp, into_second);
        Array grad_second = back_through_sublayer(1, w_.mlp_is_asked_before_norm[0] ? into_second : second, grad_y);
        grad_second = plus_past(1, Wiring::Residual::normed, grad_y, grad_second);
        const Array through_second = back_through_norm(1, w_.norm2_is_asked_at_x ? x : into_second, grad_second);
        grad_of_y_ = w_.side_by_side ? grad_y : plus_past(1, Wiring::Residual::input, grad_y, through_second);
        Array grad_seen = back_through_sublayer(0, w_.attention_is_asked_at_x ? x : seen, grad_of_y_);
        grad_seen = plus_past(0, Wiring::Residual::normed, grad_of_y_, grad_seen);
        Array grad_x = plus_past(0, Wiring::Residual::input, grad_of_y_, back_through_norm(0, x, grad_seen));
        if (w_.side_by_side) grad_x = reference::add(grad_x, through_second);
        return named(plus_way_to_x(grad_x, grad_y));
    }

    NamedArrays post_norm_backward(const Array& x, const Array& grad_y) {
        const Array attention = sublayer(0, x), first = post_sum(0, attention, {x, x, x});
        const Array y = post_normed(0, w_.mlp_is_asked_at_attention_less ? x : first);
        const Array mlp = sublayer(1, y), second = post_sum(1, mlp, {y, y, x, first});
        const Array grad_second = back_through_norm(1, asked_at(1, second, mlp, y), grad_y);
        const Array& asked_mlp = w_.mlp_is_asked_at_x ? x : w_.mlp_is_asked_before_norm[1] ? first : y;
        const Array through_second = back_through_sublayer(1, asked_mlp, grad_second);
        const Array grad_of_y = past(1, goes_past_norm(1) ? grad_y : grad_second, through_second);
        Array grad_first = back_through_norm(0, asked_at(0, first, attention, x), grad_of_y);
        if (w_.residual[1] == Wiring::Residual::before_norm && w_.residual_goes_back[1])
            grad_first = reference::add(grad_first, grad_second);
        using Asked = Wiring::AskedInPost;
        const Asked asked = w_.attention_is_asked_in_post;
        const Array& asked_attention = asked == Asked::x ? x : asked == Asked::sum ? first : y;
        const Array through_first = back_through_sublayer(0, asked_attention, grad_first);
        const Array grad_x = past(0, goes_past_norm(0) ? grad_of_y : grad_first, through_first);
        return named(plus_way_to_x(grad_x, grad_second));
    }

    bool goes_past_norm(std::size_t place) const {
        return w_.residual_past_norm[place] || w_.norm_before_residual[place];
    }

    /// In post-norm: where norm `place` goes back.
    const Array& asked_at(std::size_t place, const Array& sum, const Array& added, const Array& input) const {
        if (w_.norm_before_residual[place]) return added;
        const Wiring::Asked asked = w_.norm_is_asked_at[place];
        return asked == Wiring::Asked::sum ? sum : asked == Wiring::Asked::added ? added : input;
    }

    /// In post-norm what is added is the input, whichever of the two it was taken for.
    Array past(std::size_t place, const Array& grad, const Array& through) const {
        const bool goes_elsewhere = residual_is_x(place) || w_.residual[place] == Wiring::Residual::before_norm;
        if (w_.residual[place] == Wiring::Residual::none || goes_elsewhere) return through;
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
        for (const std::size_t norm : {0u, 1u}) {
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
    std::string formula_, formula_back_;
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

}  // namespace headway::diagnosis
