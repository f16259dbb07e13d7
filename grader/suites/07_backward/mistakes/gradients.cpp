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

constexpr const char* both_scaled = "the gradients of q and of k are divided by √head_dim, as scores were";

constexpr const char* alike = "Do q and k enter the scores alike?";
constexpr const char* sums_of_its_own = "each head of each sequence has sums of its own";
constexpr const char* right_for_the_first_head = "right for the first head of the first sequence, and for nothing else";
constexpr const char* what_is_left = "What does your buffer hold when the next head begins?";

// What the gradients are multiplied with, given the widths of a key and of a value.
double one(Index, Index) { return 1; }
double by_width(Index d, Index) { return 1 / static_cast<double>(d); }
double by_root_of_padded_width(Index d, Index) {
    const Index padded = (d + 7) / 8 * 8;
    return 1 / std::sqrt(static_cast<double>(padded));
}

double by_root_of_value_width(Index, Index d_v) { return 1 / std::sqrt(static_cast<double>(d_v)); }
double times_root(Index d, Index) { return std::sqrt(static_cast<double>(d)); }

template <double (*factor)(Index, Index)>
void for_queries(Choices& c) {
    c.change<Gradients>().factor_of_queries = factor;
}

template <double (*factor)(Index, Index)>
void for_keys(Choices& c) {
    c.change<Gradients>().factor_of_keys = factor;
}

template <double (*factor)(Index, Index)>
void for_both(Choices& c) {
    for_queries<factor>(c);
    for_keys<factor>(c);
}

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
        // ---- scale ----
        {.id = "gradient_scale_missing",
         .decision = "gradient_scale",
         .title = "the gradients of q and k are not divided by √head_dim",
         .right = both_scaled,
         .symptom = "both are too large by √head_dim",
         .question = "What stood between q·k and the scores on the way forward?",
         .make = &for_both<&one>},
        {.id = "gradient_scale_missing_for_keys",
         .decision = "gradient_scale",
         .title = "the gradient of q is divided by √head_dim, that of k is not",
         .right = both_scaled,
         .symptom = "k learns √head_dim times too fast",
         .question = alike,
         .make = &for_keys<&one>},
        {.id = "gradient_scale_missing_for_queries",
         .decision = "gradient_scale",
         .title = "the gradient of k is divided by √head_dim, that of q is not",
         .right = both_scaled,
         .symptom = "q learns √head_dim times too fast",
         .question = alike,
         .make = &for_queries<&one>},
        {.id = "gradient_scaled_twice",
         .decision = "gradient_scale",
         .title = "the gradients of q and k are divided by head_dim: the scale is applied twice",
         .right = both_scaled,
         .symptom = "both are too small by √head_dim",
         .question = "How often is √head_dim divided by on the way back?",
         .make = &for_both<&by_width>},
        {.id = "gradient_scaled_twice_for_keys",
         .decision = "gradient_scale",
         .title = "the gradient of k is divided by head_dim, that of q by √head_dim: the scale is applied twice to k",
         .right = both_scaled,
         .symptom = "k learns √head_dim times too slowly",
         .question = alike,
         .make = &for_keys<&by_width>},
        {.id = "gradient_scaled_twice_for_queries",
         .decision = "gradient_scale",
         .title = "the gradient of q is divided by head_dim, that of k by √head_dim: the scale is applied twice to q",
         .right = both_scaled,
         .symptom = "q learns √head_dim times too slowly",
         .question = alike,
         .make = &for_queries<&by_width>},
        {.id = "gradient_scale_of_padded_width",
         .decision = "gradient_scale",
         .title = "the scale on the way back uses head_dim rounded up to a multiple of 8",
         .right = both_scaled,
         .symptom = "right where 8 divides head_dim; else too small, by two fifths for head_dim 3",
         .question = "Is the width on the way back that of the way forward?",
         .make = &for_both<&by_root_of_padded_width>},
        {.id = "gradient_scale_of_value_width",
         .decision = "gradient_scale",
         .title = "the scale on the way back is the root of d_v, the width of a value, not of head_dim",
         .right = both_scaled,
         .symptom = "right while values are as wide as keys, as they are in the module",
         .question = "Which width was summed over in q·k?",
         .make = &for_both<&by_root_of_value_width>},
        {.id = "gradient_scale_of_value_width_for_keys",
         .decision = "gradient_scale",
         .title = "the gradient of k is divided by the root of d_v, the width of a value; that of q by √head_dim",
         .right = both_scaled,
         .symptom = "right while values are as wide as keys, as they are in the module",
         .question = "Which width was summed over in q·k?",
         .make = &for_keys<&by_root_of_value_width>},
        {.id = "gradient_scale_of_value_width_for_queries",
         .decision = "gradient_scale",
         .title = "the gradient of q is divided by the root of d_v, the width of a value; that of k by √head_dim",
         .right = both_scaled,
         .symptom = "right while values are as wide as keys, as they are in the module",
         .question = "Which width was summed over in q·k?",
         .make = &for_queries<&by_root_of_value_width>},
        {.id = "gradient_scale_multiplied",
         .decision = "gradient_scale",
         .title = "the gradients of q and k are multiplied by √head_dim instead of divided by it",
         .right = both_scaled,
         .symptom = "both are too large by head_dim",
         .question = "What is the derivative of x/√head_dim by x?",
         .make = &for_both<&times_root>},
        {.id = "gradient_scale_multiplied_for_keys",
         .decision = "gradient_scale",
         .title = "the gradient of k is multiplied by √head_dim instead of divided by it; that of q is right",
         .right = both_scaled,
         .symptom = "k learns head_dim times too fast",
         .question = alike,
         .make = &for_keys<&times_root>},
        {.id = "gradient_scale_multiplied_for_queries",
         .decision = "gradient_scale",
         .title = "the gradient of q is multiplied by √head_dim instead of divided by it; that of k is right",
         .right = both_scaled,
         .symptom = "q learns head_dim times too fast",
         .question = alike,
         .make = &for_queries<&times_root>},
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
        {.id = "gradient_of_q_carried_on",
         .decision = "gradient_of_q_and_k",
         .title = "the sums for the gradient of q are not set back to 0 for the next head: each head has those of all "
                  "before it",
         .right = sums_of_its_own,
         .symptom = right_for_the_first_head,
         .question = what_is_left,
         .make =
             [](Choices& c) {
                 c.change<Gradients>().queries = [](const Array& scores, const Array&, const Array& k) {
                     return carried_on(matmul(scores, k));
                 };
             }},
        {.id = "gradient_of_k_carried_on",
         .decision = "gradient_of_q_and_k",
         .title = "the sums for the gradient of k are not set back to 0 for the next head: each head has those of all "
                  "before it",
         .right = sums_of_its_own,
         .symptom = right_for_the_first_head,
         .question = what_is_left,
         .make =
             [](Choices& c) {
                 c.change<Gradients>().keys = [](const Array& scores, const Array& q, const Array&) {
                     return carried_on(matmul(transpose(scores, -2, -1), q));
                 };
             }},
        {.id = "gradient_of_v_carried_on",
         .decision = "gradient_of_v",
         .title = "the sums for the gradient of v are not set back to 0 for the next head: each head has those of all "
                  "before it",
         .right = sums_of_its_own,
         .symptom = right_for_the_first_head,
         .question = what_is_left,
         .make =
             [](Choices& c) {
                 c.change<Gradients>().values = [](const Array& weights, const Array& grad) {
                     return carried_on(matmul(transpose(weights, -2, -1), grad));
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
