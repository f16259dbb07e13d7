// The way back through softmax.
#include "suites/07_backward/gradients.hpp"

#include "diagnosis/catalogue.hpp"

#include "reference/backward.hpp"

#include <algorithm>
#include <cmath>

namespace headway::diagnosis {
namespace {

using reference::unit_roundoff;

constexpr const char* weighted_mean = "weights · (gradient - its weighted mean over the row)";

/// Element by element, with what a few roundings can do to it.
Array elementwise(const Array& weights, const Array& grad, double (*formula)(double weight, double grad)) {
    Array scores = weights;
    for (std::size_t i = 0; i < weights.value.size(); ++i) {
        const double w = weights.value[i], g = grad.value[i];
        scores.value[i] = formula(w, g);
        scores.error[i] = 3 * (weights.error[i] * std::abs(g) + std::abs(w) * grad.error[i]) * (1 + std::abs(g)) +
                          6 * unit_roundoff * std::abs(w * g) * (1 + std::abs(g));
    }
    return scores;
}

/// What a mean is summed over.
enum class Over { row, rows_so_far, all_rows };

/// weights · (grad - mean), where the mean is some sum over weights and gradients.
Array with_mean(const Array& weights, const Array& grad, double (*term)(double weight, double grad), bool divided,
                Over over) {
    Array scores = weights;
    const auto S = static_cast<std::size_t>(weights.size(-1));
    const auto matrix = static_cast<std::size_t>(weights.size(-2)) * S;
    double mean = 0;
    double magnitude = 0;
    double inherited = 0;
    const auto sum_from = [&](std::size_t begin, std::size_t count) {
        for (std::size_t i = begin; i < begin + count; ++i) {
            const double share = term(weights.value[i], grad.value[i]) / (divided ? static_cast<double>(S) : 1);
            mean += share;
            magnitude += std::abs(share);
            inherited +=
                grad.error[i] * std::max(1.0, std::abs(weights.value[i])) + weights.error[i] * std::abs(grad.value[i]);
        }
    };
    for (std::size_t row = 0; row < weights.value.size(); row += S) {
        const bool first_of_matrix = row % matrix == 0;
        if (over == Over::row || first_of_matrix) mean = magnitude = inherited = 0;
        if (over != Over::all_rows)
            sum_from(row, S);
        else if (first_of_matrix)
            sum_from(row, matrix);
        const double mean_error = inherited + static_cast<double>(matrix + 4) * unit_roundoff * magnitude;
        for (std::size_t i = row; i < row + S; ++i) {
            const double apart = grad.value[i] - mean;
            const double apart_error =
                grad.error[i] + mean_error + 2 * unit_roundoff * (std::abs(grad.value[i]) + std::abs(mean));
            scores.value[i] = weights.value[i] * apart;
            scores.error[i] = std::abs(weights.value[i]) * apart_error +
                              weights.error[i] * (std::abs(apart) + apart_error) +
                              unit_roundoff * std::abs(scores.value[i]);
        }
    }
    return scores;
}

/// grad - weights · Σ grad: the gradient of the logarithm of softmax.
Array of_log_softmax(const Array& weights, const Array& grad) {
    Array scores = weights;
    const auto S = static_cast<std::size_t>(weights.size(-1));
    for (std::size_t row = 0; row < weights.value.size(); row += S) {
        double sum = 0, magnitude = 0, inherited = 0;
        for (std::size_t i = row; i < row + S; ++i) {
            sum += grad.value[i];
            magnitude += std::abs(grad.value[i]);
            inherited += grad.error[i];
        }
        const double sum_error = inherited + static_cast<double>(S) * unit_roundoff * magnitude;
        for (std::size_t i = row; i < row + S; ++i) {
            const double w = weights.value[i];
            scores.value[i] = grad.value[i] - w * sum;
            scores.error[i] = grad.error[i] + std::abs(w) * sum_error + weights.error[i] * (std::abs(sum) + sum_error) +
                              3 * unit_roundoff * (std::abs(grad.value[i]) + std::abs(w * sum));
        }
    }
    return scores;
}

}  // namespace

namespace chapters {

Chapter gradients_of_softmax() {
    static constexpr Decision decisions[] = {
        {.id = "softmax_gradient",
         .stage = "softmax",
         .lesson = {{"07", "As a formula"}},
         .pseudocode =
             "for each row [b,h,t]: mean = Σ_s weights[s]·grad[s]; grad_scores[s] = weights[s]·(grad[s] - mean)"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "softmax_gradient_elementwise",
         .decision = "softmax_gradient",
         .title = "the Jacobian of softmax is taken for its diagonal: weight · (1 - weight) · gradient",
         .right = weighted_mean,
         .symptom = "other keys of the row do not matter; gradients where all weights are asked to grow alike",
         .question = "If every weight of a row is asked to grow by the same, what can softmax do about it?",
         .make =
             [](Choices& c) {
                 c.change<Gradients>().softmax = [](const Array& weights, const Array& grad) {
                     return elementwise(weights, grad, [](double w, double g) { return w * (1 - w) * g; });
                 };
             }},
        {.id = "softmax_gradient_without_mean",
         .decision = "softmax_gradient",
         .title = "the mean of the row is not subtracted: every score gets weight · gradient",
         .right = weighted_mean,
         .symptom = "keys of a row are not coupled; the gradients of a row do not sum to 0",
         .question = "What do the gradients of one row of scores sum to?",
         .make =
             [](Choices& c) {
                 c.change<Gradients>().softmax = [](const Array& weights, const Array& grad) {
                     return elementwise(weights, grad, [](double w, double g) { return w * g; });
                 };
             }},
        {.id = "softmax_gradient_times_incoming",
         .decision = "softmax_gradient",
         .title = "the result is multiplied by the incoming gradient once more",
         .right = weighted_mean,
         .symptom = "gradients grow with the square of what comes in",
         .question = "How does your result change if every incoming gradient is doubled?",
         .make =
             [](Choices& c) {
                 c.change<Gradients>().softmax = [](const Array& weights, const Array& grad) {
                     return elementwise(reference::softmax_backward(weights, grad), grad,
                                        [](double s, double g) { return s * g; });
                 };
             }},
        {.id = "softmax_gradient_doubled",
         .decision = "softmax_gradient",
         .title = "the gradient through softmax is twice what it should be",
         .right = weighted_mean,
         .symptom = "the direction is right, the length is not: learning rates that work elsewhere do not here",
         .question = "Does a difference quotient agree with your gradient, or with half of it?",
         .make =
             [](Choices& c) {
                 c.change<Gradients>().softmax = [](const Array& weights, const Array& grad) {
                     return reference::scale(reference::softmax_backward(weights, grad), 2);
                 };
             }},
        {.id = "softmax_gradient_plain_mean",
         .decision = "softmax_gradient",
         .title = "the plain mean of the gradients is subtracted, not the one weighted by the weights",
         .right = weighted_mean,
         .symptom = "right where all weights of a row are equal",
         .question = "By what is each gradient multiplied before the row is summed?",
         .make =
             [](Choices& c) {
                 c.change<Gradients>().softmax = [](const Array& weights, const Array& grad) {
                     return with_mean(
                         weights, grad, [](double, double g) { return g; }, true, Over::row);
                 };
             }},
        {.id = "softmax_gradient_mean_divided",
         .decision = "softmax_gradient",
         .title = "the weighted sum of the gradients is divided by the number of keys before it is subtracted",
         .right = weighted_mean,
         .symptom = "the gradients of a row do not sum to 0; the more keys, the less is subtracted",
         .question = "The weights of a row sum to 1: is their weighted sum not a mean already?",
         .make =
             [](Choices& c) {
                 c.change<Gradients>().softmax = [](const Array& weights, const Array& grad) {
                     return with_mean(
                         weights, grad, [](double w, double g) { return w * g; }, true, Over::row);
                 };
             }},
        {.id = "softmax_gradient_plain_sum",
         .decision = "softmax_gradient",
         .title = "the sum of the gradients is subtracted, not their mean weighted by the weights",
         .right = weighted_mean,
         .symptom = "the gradients of a row do not sum to 0",
         .question = "By what is each gradient multiplied before the row is summed?",
         .make =
             [](Choices& c) {
                 c.change<Gradients>().softmax = [](const Array& weights, const Array& grad) {
                     return with_mean(
                         weights, grad, [](double, double g) { return g; }, false, Over::row);
                 };
             }},
        {.id = "softmax_gradient_mean_goes_on",
         .decision = "softmax_gradient",
         .title = "the mean is not begun anew for each row: rows before it are summed too",
         .right = weighted_mean,
         .symptom = "the first query of each head is right, later ones are not",
         .question = "Where does the sum of a row begin at 0?",
         .make =
             [](Choices& c) {
                 c.change<Gradients>().softmax = [](const Array& weights, const Array& grad) {
                     return with_mean(
                         weights, grad, [](double w, double g) { return w * g; }, false, Over::rows_so_far);
                 };
             }},
        {.id = "softmax_gradient_mean_of_all_rows",
         .decision = "softmax_gradient",
         .title = "the mean is summed over all queries of a head, not over one row",
         .right = weighted_mean,
         .symptom = "right with a single query; the gradients of a row do not sum to 0",
         .question = "Over which axis did softmax run on the way forward?",
         .make =
             [](Choices& c) {
                 c.change<Gradients>().softmax = [](const Array& weights, const Array& grad) {
                     return with_mean(
                         weights, grad, [](double w, double g) { return w * g; }, false, Over::all_rows);
                 };
             }},
        {.id = "softmax_gradient_mean_added",
         .decision = "softmax_gradient",
         .title = "the mean of the row is added, not subtracted",
         .right = weighted_mean,
         .symptom = "the gradients of a row do not sum to 0",
         .question = "What do the gradients of one row of scores sum to?",
         .make =
             [](Choices& c) {
                 c.change<Gradients>().softmax = [](const Array& weights, const Array& grad) {
                     return with_mean(
                         weights, grad, [](double w, double g) { return -w * g; }, false, Over::row);
                 };
             }},
        {.id = "softmax_gradient_of_other_sign",
         .decision = "softmax_gradient",
         .title = "the gradient through softmax has the wrong sign",
         .right = weighted_mean,
         .symptom = "the loss grows with each step",
         .question = "If the gradient of one weight alone is positive, should its score grow or shrink?",
         .make =
             [](Choices& c) {
                 c.change<Gradients>().softmax = [](const Array& weights, const Array& grad) {
                     return reference::scale(reference::softmax_backward(weights, grad), -1);
                 };
             }},
        {.id = "softmax_gradient_of_the_logarithm",
         .decision = "softmax_gradient",
         .title = "the gradient is that of the logarithm of softmax: gradient - weight · (sum of the gradients)",
         .right = weighted_mean,
         .symptom = "keys that a mask blocks get a gradient",
         .question = "What is the gradient of a score whose weight is 0?",
         .make = [](Choices& c) { c.change<Gradients>().softmax = &of_log_softmax; }},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
