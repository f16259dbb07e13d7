// What the weights do with the values.
#include "diagnosis/chapters.hpp"
#include "diagnosis/elements.hpp"

#include "reference/attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace headway::diagnosis {
namespace {

using reference::matmul;
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

/// (..., T, d): only as many features of v are gathered as a query has. Where v has fewer, checked access throws.
Array as_wide_as_queries(const Weighable& at) {
    const Index d = at.q.shape.empty() ? at.v.size(-1) : at.q.size(-1);
    if (d > at.v.size(-1)) throw std::out_of_range("features");
    Shape shape = at.v.shape;
    shape.back() = d;
    return matmul(at.weights, gathered(at.v, shape, [&](Coordinate where) { return position(at.v.shape, where); }));
}

/// (..., T, d_v) -> (..., 1, d_v): the mean of all contexts of a head.
Array mean_of_contexts(const Weighable& at) {
    const Array contexts = matmul(at.weights, at.v);
    Shape shape = contexts.shape;
    const auto T = static_cast<double>(std::exchange(shape[shape.size() - 2], 1));
    Array mean = zeros(shape);
    each(contexts.shape, [&](Coordinate where, std::size_t i) {
        std::vector<Index> to(where.begin(), where.end());
        to[to.size() - 2] = 0;
        const std::size_t place = position(shape, to);
        mean.value[place] += contexts.value[i] / T;
        mean.error[place] +=
            contexts.error[i] / T + (T + 2) / T * reference::unit_roundoff * std::abs(contexts.value[i]);
    });
    return mean;
}

Array mean_for_each_query(const Weighable& at) {
    const Array mean = mean_of_contexts(at);
    Shape shape = mean.shape;
    shape[shape.size() - 2] = at.weights.size(-2);
    return gathered(mean, shape, [&](Coordinate where) {
        std::vector<Index> from(where.begin(), where.end());
        from[from.size() - 2] = 0;
        return position(mean.shape, from);
    });
}

}  // namespace

Chapter chapters::weighing() {
    static constexpr Decision decisions[] = {
        {.id = "weigh",
         .stage = Stage::weigh,
         .lesson = {{"01", "What makes a token relevant is not what it contributes"}, {"03", "The idea"}},
         .pseudocode = "context[b,h,t,:] = sum over s of weights[b,h,t,s] · v[b,h,s,:]"},
        {.id = "gathered",
         .stage = Stage::weigh,
         .lesson = {{"01", "What makes a token relevant is not what it contributes"}, {"03", "The idea"}},
         .pseudocode = "context (…,T,d_v) = weights (…,T,S) · v (…,S,d_v)"},
    };
    static constexpr Mistake mistakes[] = {
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
        {.id = "context_as_wide_as_queries",
         .decision = "gathered",
         .title = "the context is as wide as queries, not as values: (…, T, d) in place of (…, T, d_v)",
         .right = "a context has as many features as a value: d_v, the last axis of v",
         .symptom = "right while values are as wide as queries; else features are lost, or an index leaves v",
         .question = "Which tensor does the width of your context come from?",
         .make = [](Choices& c) { c.weighing.context = &as_wide_as_queries; }},
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
        {.id = "last_head_left_out",
         .decision = "weigh",
         .title = "the loop over heads stops one too early: the context of the last head stays 0",
         .right = "each head gathers its own context, h = 0..H-1",
         .symptom = "one head learns nothing; with a single head, nothing at all comes out",
         .question = "What is the last index of your loop over heads?",
         .make =
             [](Choices& c) {
                 c.weighing.context = [](const Weighable& at) {
                     Array context = matmul(at.weights, at.v);
                     if (context.shape.size() != 4) return context;
                     each(context.shape, [&](Coordinate where, std::size_t i) {
                         if (where[heads_axis] == context.size(1) - 1) context.value[i] = context.error[i] = 0;
                         // Zeros where there is one head have many causes.
                         if (context.size(1) == 1) context.error[i] = anything;
                     });
                     return context;
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
        {.id = "one_summary_for_all_tokens",
         .decision = "weigh",
         .title = "every token gets one and the same row: the mean of all contexts",
         .right = "row t of the context is what query t gathers",
         .symptom = "no token can be told from another after attention",
         .question = "Do two rows of your result ever differ?",
         .make = [](Choices& c) { c.weighing.context = &mean_for_each_query; }},
        {.id = "one_summary_row",
         .decision = "weigh",
         .title = "one row is returned for all tokens: the mean of all contexts",
         .right = "the context has a row for each query: row t is what query t gathers",
         .symptom = "the shape gives it away, unless there is one token",
         .question = "How many rows does your result have for 5 tokens?",
         .make = [](Choices& c) { c.weighing.context = &mean_of_contexts; }},
    };
    return {decisions, mistakes};
}

}  // namespace headway::diagnosis
