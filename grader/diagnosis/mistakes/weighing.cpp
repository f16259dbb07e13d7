// What the weights do with the values, and the weights that are returned.
#include "diagnosis/chapters.hpp"
#include "diagnosis/elements.hpp"

#include "reference/attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace headway::diagnosis {
namespace {

using reference::matmul;
using reference::reshape;
using reference::transpose;

/// (..., T, d_v): the sums of rows 0 to t, in each head.
Array not_cleared(const Weighable& at) {
    Array context = matmul(at.weights, at.v);
    const auto width = static_cast<std::size_t>(context.size(-1)), T = static_cast<std::size_t>(context.size(-2));
    for (std::size_t i = width; i < context.value.size(); ++i) {
        if (i / width % T == 0) continue;
        context.value[i] += context.value[i - width];
        context.error[i] += context.error[i - width];
    }
    return context;
}

/// The keys once, in their order: the total grows with the largest score, the context does not shrink with it.
Array gathered_without_rescaling(const Weighable& at) {
    Array weights = at.weights;
    const auto S = static_cast<std::size_t>(weights.size(-1));
    for (std::size_t row = 0; row < weights.value.size(); row += S) {
        double largest = -std::numeric_limits<double>::infinity(), total = 0;
        for (std::size_t i = row; i < row + S; ++i) {
            if (at.blocked[i]) continue;
            const double before = std::exchange(largest, std::max(largest, at.scores.value[i]));
            weights.value[i] = std::exp(at.scores.value[i] - largest);
            total = total * std::exp(before - largest) + weights.value[i];
        }
        for (std::size_t i = row; i < row + S; ++i) {
            weights.value[i] = at.blocked[i] ? 0 : weights.value[i] / total;
            weights.error[i] = 4 * (at.scores.error[i] + 1e-6) * weights.value[i];
        }
    }
    return matmul(weights, at.v);
}

}  // namespace

Chapter chapters::weighing() {
    static constexpr Decision decisions[] = {
        {.id = "weigh",
         .stage = "weigh",
         .lesson = {{"01", "What makes a token relevant is not what it contributes"}, {"03", "The idea"}},
         .pseudocode = "context[b,h,t,:] = sum over s of weights[b,h,t,s] · v[b,h,s,:]"},
        {.id = "gathered",
         .stage = "weigh",
         .lesson = {{"01", "What makes a token relevant is not what it contributes"}, {"03", "The idea"}},
         .pseudocode = "context (…,T,d_v) = weights (…,T,S) · v (…,S,d_v)"},
        {.id = "returned",
         .stage = "softmax",
         .lesson = {{"03", in_the_header}, {"05", in_the_header}},
         .pseudocode = "return {context (B,H,T,d_v), weights (B,H,T,S)}: the weights after softmax, of each head"},
    };
    static constexpr Mistake mistakes[] = {
        // ---- weighing ----
        {.id = "context_from_scores",
         .decision = "weigh",
         .title = "values are gathered with the scores instead of the weights",
         .right = "context = weights · v",
         .symptom = "outputs are unbounded",
         .question = "Which tensor do you multiply with v?",
         .make = [](Choices& c) { c.weighing.context = [](const Weighable& at) { return matmul(at.scores, at.v); }; }},
        {.id = "weights_transposed_when_weighing",
         .decision = "weigh",
         .title = "values are weighed with the columns of the weights instead of the rows",
         .right = "context = weights · v, row by row",
         .symptom = "all shapes fit in self-attention",
         .question = "Which index of the weights runs while you add up values?",
         .make =
             [](Choices& c) {
                 c.weighing.context = [](const Weighable& at) { return matmul(transpose(at.weights, -2, -1), at.v); };
             }},
        {.id = "keys_used_as_values",
         .decision = "gathered",
         .title = "keys are gathered instead of values",
         .right = "context = weights · v",
         .symptom = "nothing crashes while values are as wide as keys",
         .question = "Which tensor do you multiply with the weights?",
         .shipped = {"torchtune: https://github.com/meta-pytorch/torchtune/pull/21",
                     "CNTK: https://github.com/microsoft/CNTK/issues/2083"},
         .make = [](Choices& c) { c.weighing.gathered = Gathered::keys; }},
        {.id = "queries_used_as_values",
         .decision = "gathered",
         .title = "queries are gathered instead of values",
         .right = "context = weights · v",
         .symptom = "nothing crashes in self-attention",
         .question = "Which tensor do you multiply with the weights?",
         .make = [](Choices& c) { c.weighing.gathered = Gathered::queries; }},
        {.id = "weights_of_first_head",
         .decision = "weigh",
         .title = "the values of every head are gathered with the weights of head 0",
         .right = "head h uses its own weights",
         .symptom = "many heads look where the first one looks",
         .question = "Which head index do the weights have in your loop?",
         .make =
             [](Choices& c) {
                 c.weighing.context = [](const Weighable& at) {
                     return matmul(entry_zero_everywhere(at.weights, heads_axis), at.v);
                 };
             }},
        {.id = "values_of_first_sequence",
         .decision = "weigh",
         .title = "every sequence gathers the values of sequence 0",
         .right = "sequence b gathers its own values",
         .symptom = "right with batch 1",
         .question = "Which batch index does v have in your loop?",
         .make =
             [](Choices& c) {
                 c.weighing.context = [](const Weighable& at) {
                     return matmul(at.weights, entry_zero_everywhere(at.v, batch_axis));
                 };
             }},
        {.id = "values_of_first_head",
         .decision = "weigh",
         .title = "every head gathers the values of head 0",
         .right = "head h gathers its own values",
         .symptom = "many heads tell what the first one tells",
         .question = "Which head index does v have in your loop?",
         .make =
             [](Choices& c) {
                 c.weighing.context = [](const Weighable& at) {
                     return matmul(at.weights, entry_zero_everywhere(at.v, heads_axis));
                 };
             }},
        {.id = "context_not_cleared",
         .decision = "weigh",
         .title = "the sum is not set to 0 for each query: each context has those of the queries before it in it",
         .right = "begin each query's context at 0",
         .symptom = "the first query is right, and the numbers grow from query to query",
         .question = "Where in your loops does the sum begin at 0?",
         .make = [](Choices& c) { c.weighing.context = &not_cleared; }},
        {.id = "context_not_rescaled",
         .decision = "weigh",
         .title = "what was gathered of v is not rescaled when a larger score turns up; the total is",
         .right = "what was gathered before was e^(score - the old largest): multiply it by e^(old - new)",
         .symptom = "right as long as the first key has the largest score",
         .question = "Which of your sums were made with the largest score of before?",
         .make = [](Choices& c) { c.weighing.context = &gathered_without_rescaling; }},
        {.id = "last_key_overwrites",
         .decision = "weigh",
         .title = "the context is overwritten, not added up: only the last key's value remains",
         .right = "add up over the keys: +=",
         .symptom = "outputs depend on the last token only",
         .question = "Is it = or += in your innermost loop?",
         .make =
             [](Choices& c) {
                 c.weighing.context = [](const Weighable& at) {
                     Array context = matmul(at.weights, at.v);
                     const Index S = at.weights.size(-1);
                     each(context.shape, [&](Coordinate where, std::size_t i) {
                         std::vector<Index> w(where.begin(), where.end());
                         std::vector<Index> v(where.begin(), where.end());
                         w.back() = S - 1;
                         v[v.size() - 2] = S - 1;
                         const std::size_t wi = position(at.weights.shape, w);
                         const std::size_t vi = position(at.v.shape, v);
                         context.value[i] = at.weights.value[wi] * at.v.value[vi];
                         context.error[i] = std::abs(at.weights.error[wi] * at.v.value[vi]) +
                                            std::abs(at.weights.value[wi]) * at.v.error[vi] +
                                            std::abs(context.value[i]) * reference::unit_roundoff;
                     });
                     return context;
                 };
             }},
        {.id = "last_key_left_out",
         .decision = "weigh",
         .title = "the sum over keys stops one too early: the last key's value is left out",
         .right = "add up over all keys, s = 0..S-1",
         .symptom = "the newest token is never heard",
         .question = "What is the last index of your loop over keys?",
         .make =
             [](Choices& c) {
                 c.weighing.context = [](const Weighable& at) {
                     Array weights = at.weights;
                     const auto S = static_cast<std::size_t>(weights.size(-1));
                     for (std::size_t i = S - 1; i < weights.value.size(); i += S)
                         weights.value[i] = weights.error[i] = 0;
                     return matmul(weights, at.v);
                 };
             }},
        {.id = "gathering_ends_at_a_weight_of_zero",
         .decision = "weigh",
         .title = "gathering ends at the first weight of 0: the keys behind it are never added",
         .right = "add up over all keys, s = 0..S-1; a weight of 0 adds nothing by itself",
         .symptom = "right while keys of weight 0 stand at the end of their row; else the context lacks values",
         .question = "Is it break or continue where a weight is 0? May a larger one follow?",
         .make =
             [](Choices& c) {
                 c.weighing.context = [](const Weighable& at) {
                     Array weights = at.weights;
                     const auto S = static_cast<std::size_t>(weights.size(-1));
                     for (std::size_t row = 0; row < weights.value.size(); row += S) {
                         bool ended = false;
                         for (std::size_t i = row; i < row + S; ++i) {
                             ended |= at.weights.value[i] == 0;
                             if (ended) weights.value[i] = weights.error[i] = 0;
                         }
                     }
                     return matmul(weights, at.v);
                 };
             }},
        {.id = "values_not_weighed",
         .decision = "weigh",
         .title = "values are averaged alike, whatever the weights are",
         .right = "context = weights · v",
         .symptom = "every query gets the same",
         .question = "Where do your weights enter the context?",
         .make =
             [](Choices& c) {
                 c.weighing.context = [](const Weighable& at) {
                     Array even = at.weights;
                     for (std::size_t i = 0; i < even.value.size(); ++i) {
                         even.value[i] = 1 / static_cast<double>(even.size(-1));
                         even.error[i] = even.value[i] * reference::unit_roundoff;
                     }
                     return matmul(even, at.v);
                 };
             }},
        // ---- the weights that are returned ----
        {.id = "scores_returned",
         .decision = "returned",
         .title = "the scores before softmax are returned as weights",
         .right = "return the weights after softmax",
         .symptom = "plots of attention show negative weights",
         .question = "Do the rows of what you return sum to 1?",
         .make = [](Choices& c) { c.weighing.returned = [](const Weighable& at) { return at.scores; }; }},
        {.id = "context_and_weights_swapped",
         .decision = "returned",
         .title = "context and weights are returned in each other's place",
         .right = "return {context, weights}",
         .symptom = "the shapes give it away, unless there are as many keys as value features",
         .question = "In which order does Attended declare its members?",
         .make = [](Choices& c) { c.weighing.swapped = true; }},
        {.id = "returned_unmasked",
         .decision = "returned",
         .title = "the weights are returned as they would be without the mask",
         .right = "return the weights that gather the values",
         .symptom = "plots of attention show what was never used",
         .question = "Is what you return what you multiply with v?",
         .make =
             [](Choices& c) {
                 c.weighing.returned = [](const Weighable& at) { return reference::masked_softmax(at.scores, Mask{}); };
             }},
        {.id = "returned_mean_in_every_head",
         .decision = "returned",
         .title = "the weights are returned averaged over the heads, once for every head",
         .right = "return the weights of each head",
         .symptom = "nobody sees what single heads do",
         .question = "Do two heads of what you return ever differ?",
         .make =
             [](Choices& c) {
                 c.weighing.returned = [](const Weighable& at) {
                     const Array& w = at.weights;
                     if (w.shape.size() != 4) return w;
                     Array mean = zeros(w.shape);
                     const auto H = static_cast<double>(w.size(1));
                     each(w.shape, [&](Coordinate where, std::size_t i) {
                         for (Index h = 0; h < w.size(1); ++h) {
                             const Index to[] = {where[0], h, where[2], where[3]};
                             mean.value[position(w.shape, to)] += w.value[i] / H;
                             mean.error[position(w.shape, to)] += w.error[i] / H;
                         }
                     });
                     return mean;
                 };
             }},
        {.id = "returned_transposed",
         .decision = "returned",
         .title = "the weights are returned keys first: (B, H, S, T)",
         .right = "return (B, H, T, S)",
         .symptom = "plots of attention are mirrored",
         .question = "Do the rows of what you return sum to 1?",
         .shipped = {"Tensor2Tensor: https://github.com/tensorflow/tensor2tensor/issues/500"},
         .make =
             [](Choices& c) {
                 c.weighing.returned = [](const Weighable& at) { return transpose(at.weights, -2, -1); };
             }},
        {.id = "returned_averaged",
         .decision = "returned",
         .title = "the weights are returned averaged over the heads",
         .right = "return the weights of each head: (B, H, T, S)",
         .symptom = "nobody sees what single heads do",
         .question = "What is the shape of what you return?",
         .shipped = {"fairseq: https://github.com/facebookresearch/fairseq/issues/3365"},
         .make =
             [](Choices& c) {
                 c.weighing.returned = [](const Weighable& at) {
                     if (at.weights.shape.size() != 4) return at.weights;
                     Array mean = zeros({at.weights.size(0), at.weights.size(2), at.weights.size(3)});
                     const auto H = static_cast<double>(at.weights.size(1));
                     each(at.weights.shape, [&](Coordinate where, std::size_t i) {
                         const Index to[] = {where[0], where[2], where[3]};
                         mean.value[position(mean.shape, to)] += at.weights.value[i] / H;
                         mean.error[position(mean.shape, to)] += at.weights.error[i] / H;
                     });
                     return mean;
                 };
             }},
        {.id = "returned_heads_in_batch",
         .decision = "returned",
         .title = "the weights are returned as (B·H, T, S)",
         .right = "return (B, H, T, S)",
         .symptom = "what reads them must know num_heads",
         .question = "What is the shape of what you return?",
         .make =
             [](Choices& c) {
                 c.weighing.returned = [](const Weighable& at) {
                     const Array& w = at.weights;
                     return w.shape.size() != 4 ? w : reshape(w, {w.size(0) * w.size(1), w.size(2), w.size(3)});
                 };
             }},
    };
    return {decisions, mistakes};
}

}  // namespace headway::diagnosis
