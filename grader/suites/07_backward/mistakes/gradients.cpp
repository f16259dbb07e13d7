// The way back through softmax and attention.
#include "suites/07_backward/gradients.hpp"

#include "diagnosis/catalogue.hpp"
#include "diagnosis/elements.hpp"

#include "reference/attention.hpp"
#include "reference/backward.hpp"

#include <algorithm>
#include <cmath>

namespace headway::diagnosis {
namespace {

using reference::matmul;
using reference::reshape;
using reference::transpose;
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

/// weights · (grad - mean), where the mean is some sum over weights and gradients so far.
Array with_mean(const Array& weights, const Array& grad, double (*term)(double weight, double grad), bool divided,
                bool carried) {
    Array scores = weights;
    const auto S = static_cast<std::size_t>(weights.size(-1));
    const auto matrix = static_cast<std::size_t>(weights.size(-2)) * S;
    double mean = 0;
    double magnitude = 0;
    double inherited = 0;
    for (std::size_t row = 0; row < weights.value.size(); row += S) {
        if (!carried || row % matrix == 0) mean = magnitude = inherited = 0;
        for (std::size_t i = row; i < row + S; ++i) {
            const double share = term(weights.value[i], grad.value[i]) / (divided ? static_cast<double>(S) : 1);
            mean += share;
            magnitude += std::abs(share);
            inherited +=
                grad.error[i] * std::max(1.0, std::abs(weights.value[i])) + weights.error[i] * std::abs(grad.value[i]);
        }
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

constexpr const char* both_scaled = "the gradients of q and of k are divided by √head_dim, as scores were";

double one(Index, Index) { return 1; }

/// (..., T, S) whose numbers are read as (..., S, T).
Array viewed(const Array& matrix) {
    Shape shape = matrix.shape;
    std::swap(shape[shape.size() - 2], shape[shape.size() - 1]);
    return reshape(matrix, shape);
}

/// Each row of `rows` times the sum of that row of `factors`.
Array times_sums(const Array& factors, const Array& rows) {
    const Array ones = mapped(zeros({factors.size(-1), 1}), [](double) { return 1.0; });
    const Array sums = matmul(factors, ones);
    Array result = rows;
    const auto d = static_cast<std::size_t>(rows.size(-1));
    for (std::size_t i = 0; i < result.value.size(); ++i) {
        result.value[i] = rows.value[i] * sums.value[i / d];
        result.error[i] = std::abs(rows.value[i]) * sums.error[i / d] + rows.error[i] * std::abs(sums.value[i / d]) +
                          static_cast<double>(factors.size(-1) + 4) * unit_roundoff * std::abs(result.value[i]);
    }
    return result;
}

}  // namespace

namespace chapters {

Chapter gradients() {
    static constexpr Decision decisions[] = {
        {.id = "softmax_gradient",
         .stage = "softmax",
         .lesson = {{"07", "As a formula"}},
         .pseudocode =
             "for each row [b,h,t]: mean = Σ_s weights[s]·grad[s]; grad_scores[s] = weights[s]·(grad[s] - mean)"},
        {.id = "gradient_scale",
         .stage = "scale",
         .lesson = {{"07", "What people get wrong"}},
         .pseudocode =
             "grad_q = grad_scores / sqrt(d) · k; grad_k = (grad_scores / sqrt(d))ᵀ · q: the d of the way forward"},
        {.id = "gradient_of_q_and_k",
         .stage = "scores",
         .lesson = {{"07", "As a formula"}},
         .pseudocode = "grad_q (T,d) = grad_scores (T,S) · k (S,d); grad_k (S,d) = grad_scoresᵀ (S,T) · q (T,d)"},
        {.id = "gradient_of_v",
         .stage = "weigh",
         .lesson = {{"07", "As a formula"}},
         .pseudocode = "grad_v (S,d_v) = weightsᵀ (S,T) · grad_context (T,d_v)"},
    };
    static constexpr Mistake mistakes[] = {
        // ---- softmax ----
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
                         weights, grad, [](double, double g) { return g; }, true, false);
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
                         weights, grad, [](double w, double g) { return w * g; }, true, false);
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
                         weights, grad, [](double, double g) { return g; }, false, false);
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
                         weights, grad, [](double w, double g) { return w * g; }, false, true);
                 };
             }},
        // ---- scale ----
        {.id = "gradient_scale_missing",
         .decision = "gradient_scale",
         .title = "the gradients of q and k are not divided by √head_dim",
         .right = both_scaled,
         .symptom = "both are too large by √head_dim",
         .question = "What stood between q·k and the scores on the way forward?",
         .make =
             [](Choices& c) { c.change<Gradients>().factor_of_queries = c.change<Gradients>().factor_of_keys = &one; }},
        {.id = "gradient_scale_missing_for_keys",
         .decision = "gradient_scale",
         .title = "the gradient of q is divided by √head_dim, that of k is not",
         .right = both_scaled,
         .symptom = "k learns √head_dim times too fast",
         .question = "Do q and k enter the scores alike?",
         .make = [](Choices& c) { c.change<Gradients>().factor_of_keys = &one; }},
        {.id = "gradient_scale_missing_for_queries",
         .decision = "gradient_scale",
         .title = "the gradient of k is divided by √head_dim, that of q is not",
         .right = both_scaled,
         .symptom = "q learns √head_dim times too fast",
         .question = "Do q and k enter the scores alike?",
         .make = [](Choices& c) { c.change<Gradients>().factor_of_queries = &one; }},
        {.id = "gradient_scaled_twice",
         .decision = "gradient_scale",
         .title = "the gradients of q and k are divided by head_dim: the scale is applied twice",
         .right = both_scaled,
         .symptom = "both are too small by √head_dim",
         .question = "How often is √head_dim divided by on the way back?",
         .make =
             [](Choices& c) {
                 c.change<Gradients>().factor_of_queries =
                     c.change<Gradients>().factor_of_keys = [](Index d, Index) { return 1 / static_cast<double>(d); };
             }},
        {.id = "gradient_scale_of_padded_width",
         .decision = "gradient_scale",
         .title = "the scale on the way back uses head_dim rounded up to a multiple of 8",
         .right = both_scaled,
         .symptom = "right where 8 divides head_dim; else too small, by two fifths for head_dim 3",
         .question = "Is the width on the way back that of the way forward?",
         .make =
             [](Choices& c) {
                 c.change<Gradients>().factor_of_queries = c.change<Gradients>().factor_of_keys = [](Index d, Index) {
                     return 1 / std::sqrt(static_cast<double>((d + 7) / 8 * 8));
                 };
             }},
        {.id = "gradient_scale_of_value_width",
         .decision = "gradient_scale",
         .title = "the scale on the way back is the root of d_v, the width of a value, not of head_dim",
         .right = both_scaled,
         .symptom = "right while values are as wide as keys, as they are in the module",
         .question = "Which width was summed over in q·k?",
         .make =
             [](Choices& c) {
                 c.change<Gradients>().factor_of_queries = c.change<Gradients>().factor_of_keys = [](Index, Index d_v) {
                     return 1 / std::sqrt(static_cast<double>(d_v));
                 };
             }},
        // ---- q, k and v ----
        {.id = "gradients_of_q_and_k_swapped",
         .decision = "gradient_of_q_and_k",
         .title =
             "the gradient of q[t] adds up q[t] where k[s] belongs, and that of k[s] adds up k[s] where q[t] belongs",
         .right = "the gradient of q is made of keys, that of k of queries",
         .symptom = "all shapes fit; the gradient of q is 0, since each row of the gradient of scores sums to 0",
         .question = "The derivative of q·k by q: is it q or k?",
         .make =
             [](Choices& c) {
                 c.change<Gradients>().queries = [](const Array& scores, const Array& q, const Array&) {
                     return times_sums(scores, q);
                 };
                 c.change<Gradients>().keys = [](const Array& scores, const Array&, const Array& k) {
                     return times_sums(transpose(scores, -2, -1), k);
                 };
             }},
        {.id = "gradient_of_k_viewed_not_transposed",
         .decision = "gradient_of_q_and_k",
         .title = "the gradients of the scores are viewed as (S, T) for k instead of being transposed",
         .right = "transpose(-2, -1): row s holds what every query asked of key s",
         .symptom = "the shape fits; keys get the gradients of other keys",
         .question = "What stands in row 1 of (T, S) numbers that are read as (S, T)?",
         .make =
             [](Choices& c) {
                 c.change<Gradients>().keys = [](const Array& scores, const Array& q, const Array&) {
                     return matmul(viewed(scores), q);
                 };
             }},
        {.id = "gradient_of_v_unweighted",
         .decision = "gradient_of_v",
         .title = "every value gets the whole gradient of the context, whatever its weight was",
         .right = "weightsᵀ · gradient of the context",
         .symptom = "values learn from queries that did not look at them",
         .question = "How much of value s is in the context of query t?",
         .make =
             [](Choices& c) {
                 c.change<Gradients>().values = [](const Array& weights, const Array& grad) {
                     return matmul(mapped(zeros(transpose(weights, -2, -1).shape), [](double) { return 1.0; }), grad);
                 };
             }},
        {.id = "gradient_of_v_viewed_not_transposed",
         .decision = "gradient_of_v",
         .title = "the weights are viewed as (S, T) for the gradient of v instead of being transposed",
         .right = "transpose(-2, -1): row s holds what every query took of value s",
         .symptom = "the shape fits; values get the gradients of other values",
         .question = "What stands in row 1 of (T, S) numbers that are read as (S, T)?",
         .make =
             [](Choices& c) {
                 c.change<Gradients>().values = [](const Array& weights, const Array& grad) {
                     return matmul(viewed(weights), grad);
                 };
             }},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
