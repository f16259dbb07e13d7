// The way back from the scores to q, k and v.
#include "suites/07_backward/gradients.hpp"

#include "diagnosis/catalogue.hpp"
#include "diagnosis/elements.hpp"

#include "reference/attention.hpp"

#include <cmath>
#include <utility>

namespace headway::diagnosis {
namespace {

using reference::matmul;
using reference::reshape;
using reference::transpose;
using reference::unit_roundoff;

/// (..., T, S) whose numbers are read as (..., S, T).
Array viewed(const Array& matrix) {
    Shape shape = matrix.shape;
    std::swap(shape[shape.size() - 2], shape[shape.size() - 1]);
    return reshape(matrix, shape);
}

/// Each matrix with the sum of those before it, of other sequences too: a buffer that is never set back to 0.
Array carried_on(Array matrices) {
    const auto size = static_cast<std::size_t>(matrices.size(-2) * matrices.size(-1));
    for (std::size_t i = size; i < matrices.value.size(); ++i) {
        matrices.value[i] += matrices.value[i - size];
        matrices.error[i] += matrices.error[i - size];
    }
    return matrices;
}

constexpr Mistake not_set_back(std::string_view id, std::string_view decision, std::string_view title,
                               void (*make)(Choices&)) {
    return {.id = id,
            .decision = decision,
            .title = title,
            .right = "each head of each sequence has sums of its own",
            .symptom = "right for the first head of the first sequence, and for nothing else",
            .question = "What does your buffer hold when the next head begins?",
            .make = make};
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
        {.id = "gradient_of_q_and_k",
         .stage = Stage::scores,
         .lesson = {{"07", "As a formula"}},
         .pseudocode = "grad_q (T,d) = grad_scores (T,S) · k (S,d); grad_k (S,d) = grad_scoresᵀ (S,T) · q (T,d)"},
        {.id = "gradient_of_v",
         .stage = Stage::weigh,
         .lesson = {{"07", "As a formula"}},
         .pseudocode = "grad_v (S,d_v) = weightsᵀ (S,T) · grad_context (T,d_v)"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "gradient_of_v_scaled",
         .decision = "gradient_of_v",
         .title = "the gradient of v is divided by √head_dim too",
         .right = "grad_v = weightsᵀ · grad_context: values are not part of the scores",
         .symptom = "v learns √head_dim times too slowly",
         .question = "On the way forward, what is divided by √head_dim?",
         .make =
             [](Choices& c) {
                 c.change<Gradients>().factor_of_values = [](Index d, Index) {
                     return 1 / std::sqrt(static_cast<double>(d));
                 };
             }},
        {.id = "refuses_values_of_another_width",
         .decision = "gradient_of_v",
         .title = "values of another width than keys are refused",
         .right = "v may have a width d_v of its own: grad_context is (B, H, T, d_v), and so is v but for S",
         .symptom = "right in the module, where values are as wide as keys; throws elsewhere",
         .question = "With which sizes of v does the header let attention_backward be called?",
         .make = [](Choices& c) { c.change<Gradients>().values_as_wide_as_keys = true; }},
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
        {.id = "gradient_of_q_made_of_q",
         .decision = "gradient_of_q_and_k",
         .title = "the gradient of q is made of q instead of k",
         .right = "the gradient of q is made of keys: grad_scores · k",
         .symptom = "the shapes fit where T = S alone; there q is pulled towards other queries",
         .question = "The derivative of q·k by q: is it q or k?",
         .make =
             [](Choices& c) {
                 c.change<Gradients>().queries = [](const Array& scores, const Array& q, const Array&) {
                     return matmul(scores, q);
                 };
             }},
        {.id = "gradient_of_k_not_transposed",
         .decision = "gradient_of_q_and_k",
         .title = "the gradients of the scores are not transposed for the gradient of k",
         .right = "gradient of the scores, transposed (S, T), times q: row s holds what every query asked of key s",
         .symptom = "throws where T and S differ; where they are equal, keys get the gradients of other keys",
         .question = "Which axis of the scores' gradients has to become the rows of k's?",
         .make =
             [](Choices& c) {
                 // Where T and S differ there is no such product, and no answer.
                 c.change<Gradients>().keys = [](const Array& scores, const Array& q, const Array&) {
                     return matmul(scores, q);
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
        not_set_back(
            "gradient_of_q_carried_on", "gradient_of_q_and_k",
            "the sums for the gradient of q are not set back to 0 for the next head: each head has those of all "
            "before it",
            [](Choices& c) {
                c.change<Gradients>().queries = [](const Array& scores, const Array&, const Array& k) {
                    return carried_on(matmul(scores, k));
                };
            }),
        not_set_back(
            "gradient_of_k_carried_on", "gradient_of_q_and_k",
            "the sums for the gradient of k are not set back to 0 for the next head: each head has those of all "
            "before it",
            [](Choices& c) {
                c.change<Gradients>().keys = [](const Array& scores, const Array& q, const Array&) {
                    return carried_on(matmul(transpose(scores, -2, -1), q));
                };
            }),
        not_set_back(
            "gradient_of_v_carried_on", "gradient_of_v",
            "the sums for the gradient of v are not set back to 0 for the next head: each head has those of all "
            "before it",
            [](Choices& c) {
                c.change<Gradients>().values = [](const Array& weights, const Array& grad) {
                    return carried_on(matmul(transpose(weights, -2, -1), grad));
                };
            }),
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
        {.id = "gradient_of_v_of_gradients_of_weights",
         .decision = "gradient_of_v",
         .title = "the gradient of v is made with the gradients of the weights, where the weights themselves belong",
         .right = "weightsᵀ · gradient of the context",
         .symptom = "the shape fits; v gets the square of what comes in, and nothing tells it who looked at it",
         .question = "How much of value s is in the context of query t?",
         .make = [](Choices& c) { c.change<Gradients>().values_get_grad_weights = true; }},
        {.id = "gradient_of_v_not_transposed",
         .decision = "gradient_of_v",
         .title = "the weights are not transposed for the gradient of v",
         .right = "weightsᵀ (S, T) · gradient of the context: row s holds what every query took of value s",
         .symptom = "throws where T and S differ; where they are equal, values get the gradients of other values",
         .question = "Which axis of the weights has to become the rows of v's gradients?",
         .make =
             [](Choices& c) {
                 c.change<Gradients>().values = [](const Array& weights, const Array& grad) {
                     return matmul(weights, grad);
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
