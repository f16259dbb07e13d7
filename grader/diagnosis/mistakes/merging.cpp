// How heads are merged, and what is wrong in both ways alike.
#include "diagnosis/chapters.hpp"
#include "diagnosis/elements.hpp"
#include "diagnosis/mistakes/wrong_splits.hpp"

#include "reference/attention.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace headway::diagnosis {
namespace {

using reference::reshape;
using reference::transpose;

Array merge_by_view(const Array& context) {
    return reshape(context, {context.size(0), context.size(2), context.size(1) * context.size(3)});
}

Array merge_interleaved(const Array& context) {
    const Array heads_inside = transpose(transpose(context, 1, 2), 2, 3);  // (B, T, d, H)
    return reshape(heads_inside, {context.size(0), context.size(2), context.size(1) * context.size(3)});
}

/// Head h is written from feature h·H on, one head after the other. What no head was written to may hold anything.
Array merge_at_multiples_of_the_head_count(const Array& context) {
    const Index B = context.size(0), H = context.size(1), T = context.size(2), d = context.size(3);
    if ((H - 1) * H + d > H * d) throw std::out_of_range("features");  // checked access leaves the row
    Array merged = zeros({B, T, H * d});
    std::fill(merged.error.begin(), merged.error.end(), anything);
    each(context.shape, [&](Coordinate at, std::size_t i) {
        const Index to[] = {at[0], at[2], at[1] * H + at[3]};
        const std::size_t written = position(merged.shape, to);
        merged.value[written] = context.value[i];
        merged.error[written] = context.error[i];
    });
    return merged;
}

/// (B, H, T, d) -> (B, T, d·repeat): heads added up, times `factor`.
Array heads_added(const Array& context, double factor) {
    const Array rows = transpose(context, 1, 2);  // (B, T, H, d)
    Array sum = zeros({context.size(0), context.size(2), context.size(3)});
    each(rows.shape, [&](Coordinate at, std::size_t i) {
        const Index to[] = {at[0], at[1], at[3]};
        sum.value[position(sum.shape, to)] += factor * rows.value[i];
        sum.error[position(sum.shape, to)] +=
            factor * (rows.error[i] + 8 * reference::unit_roundoff * std::abs(rows.value[i]));
    });
    return sum;
}

}  // namespace

Chapter chapters::merging() {
    static constexpr Decision decisions[] = {
        {.id = "merge",
         .stage = Stage::merge,
         .lesson = {{"04", "Transpose back before you flatten"}},
         .pseudocode = "(B,H,T,d) transpose(1,2)→ (B,T,H,d) contiguous, view→ (B,T,H·d)"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "merge_by_view",
         .decision = "merge",
         .title = "heads are merged without transposing back first",
         .right = "transpose(1, 2) to (B, T, H, d), then flatten",
         .symptom = "a token's row is filled from several tokens; all shapes fit",
         .question = "Which tokens does row 0 of your merged tensor come from?",
         .shipped = {"PyTorch: https://github.com/pytorch/pytorch/issues/67651",
                     "Transformer-Neural-Network: https://github.com/ajhalthor/Transformer-Neural-Network/pull/4",
                     "attention-is-all-you-need-pytorch: "
                     "https://github.com/jadore801120/attention-is-all-you-need-pytorch/issues/7"},
         .make = [](Choices& c) { c.merging.merge = &merge_by_view; }},
        {.id = "merge_in_the_order_of_storage",
         .decision = "merge",
         .title = "heads are merged in the order of storage, as data() shows it: transpose moves no number",
         .right = "context.transpose(1, 2).contiguous(), then flatten: its data() is in the order of (B, T, H, d)",
         .symptom =
             "right for one head, one token, and heads as a split leaves them; else a token's row is filled from "
             "several tokens",
         .question = "In which order does storage hold the numbers of context.transpose(1, 2)?",
         .make = [](Choices& c) { c.merging.by_storage = &merge_by_view; }},
        {.id = "merge_interleaved",
         .decision = "merge",
         .title = "heads are merged in (d, H) order: feature i of head h lands at i·H + h",
         .right = "it belongs at h·d + i",
         .symptom = "w_o sees the features in another order; nothing crashes",
         .question = "Where does feature 1 of head 0 land in the merged row?",
         .make = [](Choices& c) { c.merging.merge = &merge_interleaved; }},
        {.id = "merge_at_multiples_of_the_head_count",
         .decision = "merge",
         .title = "feature i of head h lands at h·H + i: the number of heads is taken for the width of one",
         .right = "it belongs at h·d + i",
         .symptom = "right for H = d, or with one head; else heads overwrite each other, or an index leaves the row",
         .question = "With 2 heads of 5 features: at which feature of the merged row does head 1 begin?",
         .make = [](Choices& c) { c.merging.merge = &merge_at_multiples_of_the_head_count; }},
        {.id = "merge_swaps_heads_and_features",
         .decision = "merge",
         .title = "axes 1 and 3 change places before heads are merged, heads and features, instead of 1 and 2",
         .right = "transpose(1, 2) to (B, T, H, d), then flatten",
         .symptom = "a token's row is filled from several tokens; all shapes fit",
         .question = "Which axis stands second after your transpose?",
         .make =
             [](Choices& c) {
                 c.merging.merge = [](const Array& context) {
                     return reshape(transpose(context, 1, 3),
                                    {context.size(0), context.size(2), context.size(1) * context.size(3)});
                 };
             }},
        {.id = "merge_heads_reversed",
         .decision = "merge",
         .title = "heads are merged in reverse order",
         .right = "head h returns to features [h·d, (h+1)·d)",
         .symptom = "w_o sees the heads in another order",
         .question = "Where does head 0 land in the merged row?",
         .make =
             [](Choices& c) {
                 c.merging.merge = [](const Array& context) {
                     const Array turned = gathered(context, context.shape, [&](Coordinate at) {
                         const Index from[] = {at[0], context.size(1) - 1 - at[1], at[2], at[3]};
                         return position(context.shape, from);
                     });
                     return reference::merge_heads(turned);
                 };
             }},
        {.id = "heads_averaged",
         .decision = "merge",
         .title = "heads are averaged instead of set side by side",
         .right = "concatenate: (B, T, H·d)",
         .symptom = "the result is as narrow as one head",
         .question = "How wide is your merged row?",
         .make =
             [](Choices& c) {
                 c.merging.merge = [](const Array& context) {
                     return heads_added(context, 1 / static_cast<double>(context.size(1)));
                 };
             }},
        {.id = "heads_summed",
         .decision = "merge",
         .title = "heads are summed instead of set side by side",
         .right = "concatenate: (B, T, H·d)",
         .symptom = "the result is as narrow as one head",
         .question = "How wide is your merged row?",
         .make = [](Choices& c) { c.merging.merge = [](const Array& context) { return heads_added(context, 1); }; }},
        {.id = "heads_averaged_and_repeated",
         .decision = "merge",
         .title = "heads are averaged, and the average is repeated to fill the width",
         .right = "concatenate: head h fills features [h·d, (h+1)·d)",
         .symptom = "many heads say no more than one",
         .question = "Do features of head 0 and head 1 ever differ in your merged row?",
         .make =
             [](Choices& c) {
                 c.merging.merge = [](const Array& context) {
                     const Array mean = heads_added(context, 1 / static_cast<double>(context.size(1)));
                     const Index d = context.size(3);
                     return gathered(mean, {context.size(0), context.size(2), context.size(1) * d}, [&](Coordinate at) {
                         const Index from[] = {at[0], at[1], at[2] % d};
                         return position(mean.shape, from);
                     });
                 };
             }},
        {.id = "merge_batch_and_heads_swapped",
         .decision = "merge",
         .title = "batch and heads change places before heads are merged",
         .right = "transpose(1, 2): heads and tokens change places",
         .symptom = "right with batch 1 and one head only",
         .question = "Which two axes does your transpose swap?",
         .shipped = {"Transformer-Various-Positional-Encoding: "
                     "https://github.com/gazelle93/Transformer-Various-Positional-Encoding/issues/1"},
         .make =
             [](Choices& c) {
                 c.merging.merge = [](const Array& context) {
                     return reshape(transpose(transpose(context, 0, 1), 1, 2),
                                    {context.size(0), context.size(2), context.size(1) * context.size(3)});
                 };
             }},
        {.id = "merge_heads_for_tokens",
         .decision = "merge",
         .title = "the context is merged as if it were (B, T, H, d)",
         .right = "it is (B, H, T, d): a token's heads are not side by side before transpose(1, 2)",
         .symptom = "right for H = T = 1 alone; else the result has H rows and is T·d wide",
         .question = "Which axis of the context are the heads, and which are the tokens?",
         .make =
             [](Choices& c) {
                 c.merging.merge = [](const Array& context) {
                     return reshape(context, {context.size(0), context.size(1), context.size(2) * context.size(3)});
                 };
             }},
        {.id = "merge_heads_for_batch",
         .decision = "merge",
         .title = "the context is merged as if it were (H, B, T, d)",
         .right = "it is (B, H, T, d)",
         .symptom = "right with batch 1; else sequences are mixed up",
         .question = "Which axis of the context is the batch?",
         .make =
             [](Choices& c) {
                 c.merging.merge = [](const Array& context) {
                     const Array turned =
                         reshape(context, {context.size(1), context.size(0), context.size(2), context.size(3)});
                     return reference::merge_heads(transpose(turned, 0, 1));
                 };
             }},
        {.id = "merge_only_first_head",
         .decision = "merge",
         .title = "every head's features are those of head 0",
         .right = "head h fills features [h·d, (h+1)·d)",
         .symptom = "many heads say no more than one",
         .question = "Which head index do you read while writing features of head 1?",
         .make =
             [](Choices& c) {
                 c.merging.merge = [](const Array& context) {
                     const Array first = gathered(context, context.shape, [&](Coordinate at) {
                         const Index from[] = {at[0], 0, at[2], at[3]};
                         return position(context.shape, from);
                     });
                     return reference::merge_heads(first);
                 };
             }},
        {.id = "merge_keeps_the_first_sequence",
         .decision = "merge",
         .title = "only the first sequence of the batch is merged: the result is (1, T, H·d)",
         .right = "all sequences of the batch are merged alike: (B, T, H·d)",
         .symptom = "a batch of one works; of a larger one, all sequences but the first are lost",
         .question = "How many sequences does your result have for a batch of 3?",
         .make =
             [](Choices& c) {
                 c.merging.merge = [](const Array& context) {
                     const Array first = gathered(context, {1, context.size(1), context.size(2), context.size(3)},
                                                  [&](Coordinate at) { return position(context.shape, at); });
                     return reference::merge_heads(first);
                 };
             }},
        // ---- both: behind what is simpler, for where no question tells them apart ----
        {.id = "split_and_merge_by_view",
         .decision = "split",
         .title = "heads are split and merged by views alone, which undo each other but mix up the tokens",
         .right = "view, then transpose(1, 2); back: transpose(1, 2), then view",
         .symptom = "each head attends within a stretch of the sequence; all shapes fit",
         .question = "Which token does row 1 of head 0 come from?",
         .make =
             [](Choices& c) {
                 c.splitting = {&split_by_view, &split_by_view};
                 c.merging.merge = &merge_by_view;
             }},
        {.id = "split_and_merge_interleaved",
         .decision = "split",
         .title = "heads are split and merged in (d, H) order: consistent in itself, but heads hold other features",
         .right = "head h holds the block [h·d, (h+1)·d)",
         .symptom = "trains well; weights that someone else trained give nonsense",
         .question = "Which features of a token does head 0 hold?",
         .make =
             [](Choices& c) {
                 c.splitting = {&split_interleaved, &split_interleaved};
                 c.merging.merge = &merge_interleaved;
             }},
    };
    return {decisions, mistakes};
}

}  // namespace headway::diagnosis
