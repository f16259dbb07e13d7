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

/// Whether a wrong derivative grows without bound here: code that treats large numbers apart never shows it.
bool is_beyond_any_slope(double x, double slope) { return std::abs(x) > 10 && std::abs(slope) > 2; }

Array slopes_of(const Activation& choice, const Array& x, const std::string& formula) {
    const Activation::Function slope = formula == "tanh" ? choice.tanh_slope : choice.exact_slope;
    Array y = x;
    for (std::size_t i = 0; i < x.value.size(); ++i) {
        const double at = x.value[i], steep = slope(at);
        const double error = steepest * x.error[i] + 4 * unit_roundoff * (1 + lost_in_slope(at));
        put_element(y, i, {steep, is_beyond_any_slope(at, steep) ? anything : error});
    }
    return y;
}

/// How far from data() each element of a clone lies. Where elements share a place, a clone is dense.
std::vector<std::size_t> places_in_a_clone(const Tensor& x) {
    const Strides strides = x.layout().may_overlap() ? x.contiguous().strides() : x.strides();
    std::vector<std::size_t> places;
    each(x.shape(), [&](Coordinate at, std::size_t) {
        Index place = 0;
        for (std::size_t axis = 0; axis < at.size(); ++axis) place += at[axis] * strides[axis];
        places.push_back(static_cast<std::size_t>(place));
    });
    return places;
}

/// (B, T, width) -> (B·T, width)
Array rows_of_tokens(const Array& x) { return reference::reshape(x, {x.numel() / x.size(-1), x.size(-1)}); }

/// (B, T, width) -> (1, T, width)
Array last_sequence(const Array& x) {
    const auto size = static_cast<std::size_t>(x.numel() / x.size(0)), from = x.value.size() - size;
    Array last = zeros({1, x.size(1), x.size(2)});
    for (std::size_t i = 0; i < size; ++i) put_element(last, i, element(x, from + i));
    return last;
}

/// The gradient of w in x·w: (B, T, in), (B, T, out) -> (in, out)
Array gradient_of(Activation::Viewed viewed, const Array& x, const Array& grad_y) {
    if (viewed == Activation::Viewed::nothing) return weight_gradient(x, grad_y);
    const Index in = x.size(-1), out = grad_y.size(-1);
    if (viewed == Activation::Viewed::product) return reference::reshape(weight_gradient(grad_y, x), {in, out});
    return matmul(reference::reshape(x, {in, x.numel() / in}), rows_of_tokens(grad_y));
}

/// What was added up over the tokens of x, or their mean.
Array pooled(Activation::Pooled pooled, const Array& total, const Array& x) {
    if (pooled == Activation::Pooled::sum) return total;
    return reference::scale(total, static_cast<double>(x.size(-1)) / static_cast<double>(x.numel()));
}

/// w as it is multiplied by, turned where that is asked for and its shape does not show it.
Array if_square(bool turned, const Array& w) { return turned && w.size(0) == w.size(1) ? transpose(w, 0, 1) : w; }

/// What is activated.
Array before_activation(const Activation& choice, const MlpArrays& weights, const Array& x) {
    const Array product = matmul(x, if_square(choice.square_is_turned, weights.w_in));
    return choice.has_b_in && !choice.b_in_last ? reference::add(product, weights.b_in) : product;
}

Array hidden_of_mlp(const Activation& choice, const MlpArrays& weights, const Array& before, const Curve& curve) {
    const Array active = choice.activates ? curve.forward(before) : before;
    return choice.has_b_in && choice.b_in_last ? reference::add(active, weights.b_in) : active;
}

Curve modelled(const Activation& choice, const std::string& formula) {
    return {[&choice, formula](const Array& x) { return activated(choice, x, formula); },
            [&choice, formula](const Array& x, const Array& grad_y) {
                return activated_backward(choice, x, grad_y, formula);
            }};
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

Array activated_in_a_clone(const Activation& choice, const Tensor& x, const std::string& formula) {
    const Array before = reference::exact(x);
    Array y = activated(choice, before, formula);
    const std::vector<std::size_t> places = places_in_a_clone(x);
    for (std::size_t i = 0; i < places.size(); ++i)
        if (places[i] >= places.size()) put_element(y, i, element(before, i));
    return y;
}

Array slopes_in_a_clone(const Activation& choice, const Tensor& x, const Array& grad_y, const std::string& formula) {
    const Array before = reference::exact(x);
    Array slope = slopes_of(choice, before, formula);
    const std::vector<std::size_t> places = places_in_a_clone(x);
    for (std::size_t i = 0; i < places.size(); ++i)
        if (places[i] >= places.size()) put_element(slope, i, element(before, i));
    return choice.gradient_is_used ? products(grad_y, slope) : slope;
}

Array activated_backward_in_a_clone(const Activation& choice, const Tensor& x, const Tensor& grad_y,
                                    const std::string& formula) {
    const Array slope = slopes_of(choice, reference::exact(x), formula);
    Array grad = reference::exact(grad_y);
    const std::vector<std::size_t> places = places_in_a_clone(grad_y);
    for (std::size_t i = 0; i < places.size(); ++i)
        if (places[i] < places.size()) put_element(grad, i, element(grad, i) * element(slope, places[i]));
    return grad;
}

Array weight_gradient(const Array& x, const Array& grad_y) {
    return matmul(transpose(rows_of_tokens(x), 0, 1), rows_of_tokens(grad_y));
}

Array through_mlp(const Activation& choice, const MlpArrays& weights, const Array& x, const std::string& formula) {
    return through_mlp(choice, weights, x, modelled(choice, choice.formula(formula)));
}

Array through_mlp(const Activation& choice, const MlpArrays& weights, const Array& x, const Curve& curve) {
    const Array hidden = hidden_of_mlp(choice, weights, before_activation(choice, weights, x), curve);
    const Array product = matmul(hidden, if_square(choice.square_is_turned, weights.w_out));
    return choice.has_b_out ? reference::add(product, weights.b_out) : product;
}

MlpGradients through_mlp_backward(const Activation& choice, const MlpArrays& weights, const Array& x,
                                  const Array& grad_y, const std::string& formula) {
    return through_mlp_backward(choice, weights, x, grad_y, modelled(choice, choice.formula_back(formula)));
}

MlpGradients through_mlp_backward(const Activation& choice, const MlpArrays& weights, const Array& x,
                                  const Array& grad_y, const Curve& curve) {
    const Array raw = before_activation(choice, weights, x), active = hidden_of_mlp(choice, weights, raw, curve);
    const auto back_through = [&](const Array& grad, const Array& w) {
        return matmul(grad, transpose(if_square(choice.square_is_turned_back, w), 0, 1));
    };
    const Array grad_hidden = back_through(grad_y, weights.w_out);
    const Array bent_back = choice.slope_counts && choice.activates
                                ? curve.backward(choice.slope_at_activated ? active : raw, grad_hidden)
                                : grad_hidden;
    const auto with = [&](bool slope) -> const Array& { return slope ? bent_back : grad_hidden; };
    const auto of_weight = [&](const Array& in, const Array& grad, bool of_last, Activation::Viewed viewed) {
        const Array total =
            of_last ? weight_gradient(last_sequence(in), last_sequence(grad)) : gradient_of(viewed, in, grad);
        return pooled(choice.weights, total, in);
    };
    const auto of_bias = [&](const Array& grad) {
        if (choice.biases_of_last_sequence) return over_tokens(last_sequence(grad));
        return pooled(choice.biases, over_tokens(grad), grad);
    };
    const Array& of_raw = with(choice.x_gets_slope);
    const Index D = x.size(2), F = raw.size(2);
    return {choice.w_in_is_viewed ? matmul(of_raw, reference::reshape(weights.w_in, {F, D}))
                                  : back_through(of_raw, weights.w_in),
            {of_weight(x, with(choice.w_in_gets_slope), choice.w_in_of_last_sequence, choice.w_in_back),
             of_bias(with(choice.b_in_gets_slope && !choice.b_in_last)),
             of_weight(choice.w_out_sees_activated ? active : raw, grad_y, choice.w_out_of_last_sequence,
                       choice.w_out_back),
             of_bias(grad_y)}};
}

}  // namespace headway::diagnosis
