// What is done for the first sequence, token or feature alone, and heads or tokens of which one is left.
#include "diagnosis/chapters.hpp"
#include "diagnosis/elements.hpp"

#include <algorithm>

namespace headway::diagnosis {
namespace {

/// The sum where `is_biased` says so of (b, t), and the product elsewhere.
template <class IsBiased>
Array with_bias_in_part(const Array& product, const Projected& at, IsBiased is_biased) {
    if (at.b_o == nullptr) return product;
    Array sum = reference::add(product, *at.b_o);
    each(sum.shape, [&](Coordinate where, std::size_t i) {
        if (is_biased(where)) return;
        sum.value[i] = product.value[i];
        sum.error[i] = product.error[i];
    });
    return sum;
}

/// (B, H, T, d): in every head, of the H numbers that heads have there the largest one.
Array largest_of_heads(const Array& context) {
    return gathered(context, context.shape, [&](Coordinate at) {
        std::vector<Index> from(at.begin(), at.end());
        std::vector<std::size_t> places;
        for (from[heads_axis] = 0; from[heads_axis] < context.size(1); ++from[heads_axis])
            places.push_back(position(context.shape, from));
        return *std::ranges::max_element(places, {}, [&](std::size_t place) { return context.value[place]; });
    });
}

}  // namespace

Chapter chapters::in_part() {
    static constexpr Decision decisions[] = {
        {.id = "every_sequence",
         .stage = Stage::output,
         .lesson = {{"04", "As a formula"}, {"05", "As a formula"}},
         .pseudocode = "output[b] = attention of sequence b, for every b in 0..B-1"},
        {.id = "every_bias",
         .stage = Stage::output,
         .lesson = {{"04", "As a formula"}, {"05", "As a formula"}},
         .pseudocode = "output[b, t, :] = merged[b, t, :] · w_o + b_o, for every b and t"},
        {.id = "merged_features",
         .stage = Stage::merge,
         .lesson = {{"04", "As a formula"}},
         .pseudocode = "merged[b, t, h·d + i] = context[b, h, t, i]"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "output_of_first_sequence_only",
         .decision = "every_sequence",
         .title = "only the first sequence of the batch is answered: the others are 0",
         .right = "every sequence of the batch gets its own output",
         .symptom = "a batch of one works; training on batches learns from one sequence in B",
         .question = "How far does your loop over the batch run?",
         .make =
             [](Choices& c) {
                 c.output.finish = [](const Array& output, const Projected&) {
                     Array first = output;
                     each(first.shape, [&](Coordinate at, std::size_t i) {
                         if (at[0] > 0) first.value[i] = first.error[i] = 0;
                     });
                     return first;
                 };
             }},
        {.id = "output_bias_on_first_sequence_only",
         .decision = "every_bias",
         .title = "the output bias is added to the first sequence of the batch only",
         .right = "every sequence gets the bias",
         .symptom = "a batch of one works; in larger ones the sequences disagree",
         .question = "To which rows of the output is b_o added?",
         .make =
             [](Choices& c) {
                 c.output.bias = [](const Array& product, const Projected& at) {
                     return with_bias_in_part(product, at, [](Coordinate where) { return where[0] == 0; });
                 };
             }},
        {.id = "output_bias_on_first_token_only",
         .decision = "every_bias",
         .title = "the output bias is added to the first token of each sequence only",
         .right = "every token gets the bias",
         .symptom = "training hides some of it; weights that were trained elsewhere give another output",
         .question = "To which rows of the output is b_o added?",
         .make =
             [](Choices& c) {
                 c.output.bias = [](const Array& product, const Projected& at) {
                     return with_bias_in_part(product, at, [](Coordinate where) { return where[1] == 0; });
                 };
             }},
        {.id = "output_bias_of_first_feature",
         .decision = "every_bias",
         .title = "the first number of the output bias is added to every feature",
         .right = "feature j gets b_o[j]",
         .symptom = "training hides some of it; numbers that someone else trained are off",
         .question = "Which element of b_o does your loop over the features add?",
         .make =
             [](Choices& c) {
                 c.output.bias = [](const Array& product, const Projected& at) {
                     if (at.b_o == nullptr) return product;
                     return reference::add(product,
                                           gathered(*at.b_o, at.b_o->shape, [](Coordinate) { return std::size_t{0}; }));
                 };
             }},
        {.id = "output_of_last_head_alone",
         .decision = "output",
         .title = "the output of each head replaces that of the head before: only the last one is left",
         .right = "output = sum over the heads of context_h · w_o[h·d : (h+1)·d, :]",
         .symptom = "right with one head; training never changes most of w_o",
         .question = "Is the term of a head added to your output, or assigned to it?",
         .make =
             [](Choices& c) {
                 c.output.product = [](const Projected& at) {
                     const Index rows = at.w_o.size(0) / at.H;
                     Array w = at.w_o;
                     each(w.shape, [&](Coordinate where, std::size_t i) {
                         if (where[0] / rows != at.H - 1) w.value[i] = w.error[i] = 0;
                     });
                     return reference::matmul(at.merged, w);
                 };
             }},
        {.id = "merge_repeats_first_sequence",
         .decision = "merged_features",
         .title = "every sequence of the batch gets the merged heads of the first one",
         .right = "sequence b keeps its own context",
         .symptom = "a batch of one works; in larger ones all sequences get one answer",
         .question = "Where does sequence 1 begin in the storage that you read?",
         .make =
             [](Choices& c) {
                 c.merging.merge = [](const Array& context) {
                     return right().merging.merge(entry_zero_everywhere(context, batch_axis));
                 };
             }},
        {.id = "merge_takes_the_largest_head",
         .decision = "merged_features",
         .title = "the largest number that any head has there stands in the place of every head",
         .right = "heads stand side by side: head h in features [h·d, (h+1)·d)",
         .symptom = "the shape is right; what the other heads found is lost",
         .question = "How many different numbers does your merged row have, and how many does the context?",
         .make =
             [](Choices& c) {
                 c.merging.merge = [](const Array& context) {
                     return right().merging.merge(largest_of_heads(context));
                 };
             }},
    };
    return {decisions, mistakes};
}

}  // namespace headway::diagnosis
