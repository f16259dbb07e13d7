#pragma once

#include "suites/14_block/bounded.hpp"

#include <array>
#include <functional>
#include <string>

/// GELU by both formulas, its derivatives, and the MLP around it (exercise 14), in double precision.
namespace headway::diagnosis {

using reference::Array;

/// What is decided in GELU and in the MLP. The right choices compute what the hidden tests expect.
struct Activation {
    using Function = double (*)(double);
    Function exact, tanh;              ///< the formulas
    Function exact_slope, tanh_slope;  ///< their derivatives
    bool gradient_is_used = true;      ///< the derivative is multiplied by grad_y
    /// The first numel() numbers of a clone are changed, in the order in which they lie there: strides are kept. It is
    /// a clone of x, or on the way back one of grad_y.
    bool clone_is_walked = false, clone_of_gradient_is_walked = false;

    bool activates = true;
    std::string fixed_formula = {};       ///< of the MLP, whatever is asked for
    std::string fixed_formula_back = {};  ///< on the way back alone
    const std::string& formula(const std::string& asked) const { return fixed_formula.empty() ? asked : fixed_formula; }
    const std::string& formula_back(const std::string& asked) const {
        return fixed_formula_back.empty() ? formula(asked) : fixed_formula_back;
    }
    bool has_b_in = true, has_b_out = true;
    /// Where D = F, when no shape tells the two apart: weights are taken as (out, in), on the way forward or back.
    bool square_is_turned = false, square_is_turned_back = false;
    bool b_in_last = false;  ///< added to what is activated

    // ---- and back --------------------------------------------------------------------------------------------
    bool slope_counts = true;          ///< for what lies before the activation
    bool slope_at_activated = false;   ///< the derivative is taken where it should not be
    bool w_out_sees_activated = true;  ///< the gradient of w_out is made of what is activated
    bool w_in_gets_slope = true;       ///< the gradients of w_in and b_in are made of what went through the slope
    bool b_in_gets_slope = true;
    bool x_gets_slope = true;
    bool w_in_is_viewed = false;  ///< the gradient of x goes through the numbers of w_in as if they were (F, D)
    enum class Pooled { sum, mean };
    Pooled biases = Pooled::sum, weights = Pooled::sum;
    bool w_in_of_last_sequence = false, w_out_of_last_sequence = false;  ///< their gradients
    bool biases_of_last_sequence = false;
    /// What is only called by another shape, where it should be transposed: one factor, or the product, (out, in).
    enum class Viewed { nothing, factor, product };
    Viewed w_in_back = Viewed::nothing, w_out_back = Viewed::nothing;

    static const Activation& right();
};

Array activated(const Activation& choice, const Array& x, const std::string& formula);
Array activated_backward(const Activation& choice, const Array& x, const Array& grad_y, const std::string& formula);

/// As if the first numel() numbers from data() on were the elements in row-major order: of a clone that keeps the
/// strides of x others are changed, and what lies further is left as it is. On the way back, a clone of x becomes the
/// derivatives, or one of grad_y is multiplied by them.
Array activated_in_a_clone(const Activation& choice, const Tensor& x, const std::string& formula);
Array slopes_in_a_clone(const Activation& choice, const Tensor& x, const Array& grad_y, const std::string& formula);
Array activated_backward_in_a_clone(const Activation& choice, const Tensor& x, const Tensor& grad_y,
                                    const std::string& formula);

/// The gradient of w in x·w: (B, T, in), (B, T, out) -> (in, out)
Array weight_gradient(const Array& x, const Array& grad_y);

/// w_in (D, F), b_in (F), w_out (F, D), b_out (D), or their gradients
struct MlpArrays {
    Array w_in, b_in, w_out, b_out;
};

/// (B, T, D) -> (B, T, D)
Array through_mlp(const Activation& choice, const MlpArrays& weights, const Array& x, const std::string& formula);

struct MlpGradients {
    Array x;
    MlpArrays weights;
};
MlpGradients through_mlp_backward(const Activation& choice, const MlpArrays& weights, const Array& x,
                                  const Array& grad_y, const std::string& formula);

/// What bends numbers between the two maps: as the model has it, or as a submission's own functions answer.
struct Curve {
    std::function<Array(const Array& x)> forward;
    std::function<Array(const Array& x, const Array& grad_y)> backward;
};
Array through_mlp(const Activation& choice, const MlpArrays& weights, const Array& x, const Curve& curve);
MlpGradients through_mlp_backward(const Activation& choice, const MlpArrays& weights, const Array& x,
                                  const Array& grad_y, const Curve& curve);

}  // namespace headway::diagnosis
