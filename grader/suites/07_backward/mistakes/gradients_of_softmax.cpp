// The way back through softmax.
#include "suites/07_backward/gradients.hpp"
#include "suites/07_backward/softmax_means.hpp"

#include "diagnosis/catalogue.hpp"

#include "reference/backward.hpp"

namespace headway::diagnosis {
namespace {

constexpr const char* weighted_mean = "weights · (gradient - its weighted mean over the row)";

/// The right one and this times weight² · gradient: what the diagonal of the Jacobian has too much or too little.
Array with_its_own_share(double times, const Array& weights, const Array& grad) {
    const Array share = elementwise(weights, grad, [](double w, double g) { return w * w * g; });
    return reference::add(reference::softmax_backward(weights, grad), reference::scale(share, times));
}

}  // namespace

namespace chapters {

Chapter gradients_of_softmax() {
    static constexpr Decision decisions[] = {
        {.id = "softmax_gradient",
         .stage = Stage::softmax,
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
        {.id = "softmax_gradient_diagonal_twice",
         .decision = "softmax_gradient",
         .title = "a key's own share is taken off twice: its score begins with weight · (1 - weight) · gradient, and "
                  "the sum over the other keys includes it again",
         .right = "for score s: weight · (1 - weight) · gradient of s, less weights[s]·weights[j]·gradient[j] for each "
                  "j other than s",
         .symptom = "too small by weight² · gradient: little where attention is spread over many keys",
         .question = "Row s of the Jacobian has one entry for each key: how often do you use the one on the diagonal?",
         .make =
             [](Choices& c) {
                 c.change<Gradients>().softmax = [](const Array& weights, const Array& grad) {
                     return with_its_own_share(-1, weights, grad);
                 };
             }},
        {.id = "softmax_gradient_sum_without_itself",
         .decision = "softmax_gradient",
         .title = "the weighted mean leaves out the key whose score it is: only the other keys of the row are summed",
         .right = "weight · (gradient - mean), where the mean is over all keys of the row, the key itself included",
         .symptom = "too large by weight² · gradient: little where attention is spread over many keys",
         .question = "Which keys does the weighted mean of a row run over?",
         .make =
             [](Choices& c) {
                 c.change<Gradients>().softmax = [](const Array& weights, const Array& grad) {
                     return with_its_own_share(1, weights, grad);
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
        {.id = "softmax_gradient_mean_never_ends",
         .decision = "softmax_gradient",
         .title =
             "the sum of a row is never set back to 0: the rows of all heads and sequences before it are summed too",
         .right = weighted_mean,
         .symptom = "the very first row is right, all others are not",
         .question = "Where does the sum of a row begin at 0?",
         .make =
             [](Choices& c) {
                 c.change<Gradients>().softmax = [](const Array& weights, const Array& grad) {
                     return with_mean(
                         weights, grad, [](double w, double g) { return w * g; }, false,
                         Over::rows_of_all_heads_so_far);
                 };
             }},
        {.id = "softmax_gradient_mean_stops_early",
         .decision = "softmax_gradient",
         .title = "the weighted mean leaves out the last key of the row",
         .right = weighted_mean,
         .symptom = "the gradients of a row do not sum to 0",
         .question = "At which key does your sum over a row end?",
         .make =
             [](Choices& c) {
                 c.change<Gradients>().softmax = [](const Array& weights, const Array& grad) {
                     return with_mean(
                         weights, grad, [](double w, double g) { return w * g; }, false, Over::row_but_its_last_key);
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
        {.id = "softmax_gradient_mean_over_queries",
         .decision = "softmax_gradient",
         .title = "the weighted mean is summed over the queries of a key (axis 2), not over the keys of a row",
         .right = weighted_mean,
         .symptom = "the gradients of a row do not sum to 0; all shapes fit",
         .question = "Which weights share one softmax: those along which axis?",
         .make =
             [](Choices& c) {
                 c.change<Gradients>().softmax = [](const Array& weights, const Array& grad) {
                     return with_mean_along(2, weights, grad);
                 };
             }},
        {.id = "softmax_gradient_mean_over_heads",
         .decision = "softmax_gradient",
         .title = "the weighted mean is summed over the heads (axis 1), not over the keys of a row",
         .right = weighted_mean,
         .symptom = "the gradients of a row do not sum to 0; all shapes fit",
         .question = "Which weights share one softmax: those along which axis?",
         .make =
             [](Choices& c) {
                 c.change<Gradients>().softmax = [](const Array& weights, const Array& grad) {
                     return with_mean_along(1, weights, grad);
                 };
             }},
        {.id = "softmax_gradient_mean_over_sequences",
         .decision = "softmax_gradient",
         .title = "the weighted mean is summed over the sequences of the batch (axis 0), not over the keys of a row",
         .right = weighted_mean,
         .symptom = "the gradients of a row do not sum to 0; all shapes fit",
         .question = "Which weights share one softmax: those along which axis?",
         .make =
             [](Choices& c) {
                 c.change<Gradients>().softmax = [](const Array& weights, const Array& grad) {
                     return with_mean_along(0, weights, grad);
                 };
             }},
        {.id = "softmax_gradient_mean_without_its_axis",
         .decision = "softmax_gradient",
         .title = "the means come as (B, H, T), without the axis that was summed (KeepAxis::yes is missing)",
         .right = "means of shape (B, H, T, 1) line up with (B, H, T, S): one for each row",
         .symptom = "refused where the sizes do not line up; where they do, rows get the means of others",
         .question =
             "What shape does sum(..., -1) give, and which axis of (B, H, T, S) does its last one line up with?",
         .make = [](Choices& c) { c.change<Gradients>().softmax = &with_mean_of_lost_axis; }},
        {.id = "softmax_gradient_mean_stops_at_a_blocked_key",
         .decision = "softmax_gradient",
         .title = "the weighted mean is summed up to the first key of weight 0: the keys after it are left out",
         .right = weighted_mean,
         .symptom = "right while blocked keys come last in their row, as under a causal mask",
         .question = "In a row whose second key alone is blocked, which keys does your sum pass?",
         .make = [](Choices& c) { c.change<Gradients>().softmax = &with_mean_up_to_a_blocked_key; }},
        {.id = "softmax_gradient_empty_by_its_first_key",
         .decision = "softmax_gradient",
         .title = "a row whose first weight is 0 is taken for one that sees no key: all of its scores get 0",
         .right = weighted_mean,
         .symptom = "right while the first key of every row is open, as under a causal mask",
         .question = "If key 0 alone is blocked, which weights does the row have?",
         .make = [](Choices& c) { c.change<Gradients>().softmax = &without_rows_of_a_blocked_first_key; }},
        {.id = "softmax_gradient_mean_over_sum_of_weights",
         .decision = "softmax_gradient",
         .title =
             "a row all of whose weights are 0 becomes NaN, as where its mean is divided by the sum of its weights",
         .right = "the weights of a row sum to 1, so their weighted sum is the mean already; a row of zeros gets zeros",
         .symptom = "right in each row that sees a key; a query that sees none gets 0 / 0",
         .question = "What do the weights of a query that sees no key sum to, and what do you divide by?",
         .make = [](Choices& c) { c.change<Gradients>().softmax = &divided_by_the_sum_of_weights; }},
        {.id = "low_rows_get_no_gradient",
         .decision = "softmax_gradient",
         .title =
             "a query all of whose scores are far below 0 is taken for one that sees no key: all its gradients are "
             "0, as where the largest score is sought from 0 on",
         .right = "the weights are those of the way forward: a row is shifted by its own largest score, however low",
         .symptom = "right for ordinary scores; below about -100 every exponential vanishes",
         .question = "At which number does your largest score begin, and is every score above it?",
         .make = [](Choices& c) { c.change<Gradients>().low_rows_are_empty = true; }},
        {.id = "softmax_gradient_mean_over_value_width",
         .decision = "softmax_gradient",
         .title =
             "the row's mean, taken from the context, is a mean over its d_v features where it should be their sum",
         .right = "the weighted mean of a row is the sum over j of grad_context[j] · context[j], not divided by d_v",
         .symptom = "right while d_v is 1; the gradients of a row of scores do not sum to 0",
         .question = "Σ_s weights[s]·(grad_context · v[s]): is there anything to divide by d_v?",
         .make = [](Choices& c) { c.change<Gradients>().mean_over_value_width = true; }},
        {.id = "softmax_gradient_mean_outside",
         .decision = "softmax_gradient",
         .title =
             "the bracket ends too early: weight · gradient - mean, where the mean is not multiplied by the weight",
         .right = weighted_mean,
         .symptom = "keys that hardly count get as much taken off as the others",
         .question = "Is the mean inside the bracket that is multiplied by the weight?",
         .make = [](Choices& c) { c.change<Gradients>().softmax = &with_mean_outside; }},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
