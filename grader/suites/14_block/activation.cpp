#include "suites/14_block/activation.hpp"

#include "diagnosis/elements.hpp"

#include <cmath>

namespace headway::diagnosis {
namespace {

using reference::matmul;
using reference::transpose;
using reference::unit_roundoff;

const double sqrt_2_over_pi = std::sqrt(2 / std::acos(-1.0));
constexpr double cubic = 0.044715;

/// Φ(x)
double normal_below(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }
/// φ(x)
double normal_density(double x) { return std::exp(-x * x / 2) * sqrt_2_over_pi / 2; }
double tanh_in_gelu(double x) { return std::tanh(sqrt_2_over_pi * (x + cubic * x * x * x)); }

Activation right_activation() {
    Activation choice{};
    choice.exact = [](double x) { return x * normal_below(x); };
    choice.tanh = [](double x) { return x / 2 * (1 + tanh_in_gelu(x)); };
    choice.exact_slope = [](double x) { return normal_below(x) + x * normal_density(x); };
    choice.tanh_slope = [](double x) {
        const double t = tanh_in_gelu(x);
        return (1 + t) / 2 + x / 2 * (1 - t * t) * sqrt_2_over_pi * (1 + 3 * cubic * x * x);
    };
    return choice;
}

/// Neither the function nor its derivative is ever steeper.
constexpr double steepest = 1.2;

/// 1 - t² is what is left of two numbers of about 1, and multiplied by more and more until it is 0.
double lost_in_slope(double x) {
    constexpr double saturated = 8;
    return std::abs(x) < saturated ? std::abs(x) * (1 + 3 * cubic * x * x) : 0;
}

Array slopes_of(const Activation& choice, const Array& x, const std::string& formula) {
    const Activation::Function slope = formula == "tanh" ? choice.tanh_slope : choice.exact_slope;
    Array y = x;
    for (std::size_t i = 0; i < x.value.size(); ++i)
        put_element(y, i,
                    {slope(x.value[i]), steepest * x.error[i] + 4 * unit_roundoff * (1 + lost_in_slope(x.value[i]))});
    return y;
}

/// (B, T, width) -> (B·T, width)
Array rows_of_tokens(const Array& x) { return reference::reshape(x, {x.numel() / x.size(-1), x.size(-1)}); }

Array pooled_bias(const Activation& choice, const Array& x) {
    const Array total = over_tokens(x);
    if (choice.biases == Activation::Pooled::sum) return total;
    return reference::scale(total, static_cast<double>(x.size(-1)) / static_cast<double>(x.numel()));
}

/// What is activated.
Array before_activation(const Activation& choice, const MlpArrays& weights, const Array& x) {
    const Array product = matmul(x, weights.w_in);
    return choice.has_b_in && !choice.b_in_last ? reference::add(product, weights.b_in) : product;
}

Array hidden_of_mlp(const Activation& choice, const MlpArrays& weights, const Array& before,
                    const std::string& formula) {
    const Array active = choice.activates ? activated(choice, before, formula) : before;
    return choice.has_b_in && choice.b_in_last ? reference::add(active, weights.b_in) : active;
}

}  // namespace

const Activation& Activation::right() {
    static const Activation all = right_activation();
    return all;
}

Array activated(const Activation& choice, const Array& x, const std::string& formula) {
    const Activation::Function function = formula == "tanh" ? choice.tanh : choice.exact;
    Array y = x;
    for (std::size_t i = 0; i < x.value.size(); ++i)
        put_element(y, i, {function(x.value[i]), steepest * x.error[i] + 4 * unit_roundoff * std::abs(x.value[i])});
    return y;
}

Array activated_backward(const Activation& choice, const Array& x, const Array& grad_y, const std::string& formula) {
    const Array slope = slopes_of(choice, x, formula);
    return choice.gradient_is_used ? products(grad_y, slope) : slope;
}

Array weight_gradient(const Array& x, const Array& grad_y) {
    return matmul(transpose(rows_of_tokens(x), 0, 1), rows_of_tokens(grad_y));
}

Array through_mlp(const Activation& choice, const MlpArrays& weights, const Array& x, const std::string& formula) {
    const Array product =
        matmul(hidden_of_mlp(choice, weights, before_activation(choice, weights, x), formula), weights.w_out);
    return choice.has_b_out ? reference::add(product, weights.b_out) : product;
}

MlpGradients through_mlp_backward(const Activation& choice, const MlpArrays& weights, const Array& x,
                                  const Array& grad_y, const std::string& formula) {
    const Array raw = before_activation(choice, weights, x), active = hidden_of_mlp(choice, weights, raw, formula);
    const Array grad_hidden = matmul(grad_y, transpose(weights.w_out, 0, 1));
    const Array bent_back =
        choice.slope_counts && choice.activates
            ? activated_backward(choice, choice.slope_at_activated ? active : raw, grad_hidden, formula)
            : grad_hidden;
    const auto with = [&](bool slope) -> const Array& { return slope ? bent_back : grad_hidden; };
    return {matmul(with(choice.x_gets_slope), transpose(weights.w_in, 0, 1)),
            {weight_gradient(x, with(choice.w_in_gets_slope)),
             pooled_bias(choice, with(choice.b_in_gets_slope && !choice.b_in_last)),
             weight_gradient(choice.w_out_sees_activated ? active : raw, grad_y), pooled_bias(choice, grad_y)}};
}

}  // namespace headway::diagnosis
