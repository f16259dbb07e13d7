// How heads are split.
#include "diagnosis/chapters.hpp"
#include "diagnosis/elements.hpp"
#include "diagnosis/mistakes/wrong_splits.hpp"

#include "reference/attention.hpp"

namespace headway::diagnosis {

namespace {

using reference::reshape;
using reference::transpose;

/// (B, T, H, d): the right view, before its transpose.
Array heads_last(const Array& x, Index H) { return reshape(x, {x.size(0), x.size(1), H, x.size(2) / H}); }

/// Head h holds features [h, h + d).
Array split_at_its_number(const Array& x, Index H) {
    return gathered(x, {x.size(0), H, x.size(1), x.size(2) / H}, [&](Coordinate at) {
        const Index from[] = {at[0], at[2], at[1] + at[3]};
        return position(x.shape, from);
    });
}

}  // namespace

Array split_by_view(const Array& x, Index H) { return reshape(x, {x.size(0), H, x.size(1), x.size(2) / H}); }

Array split_interleaved(const Array& x, Index H) {
    const Array features_first = reshape(x, {x.size(0), x.size(1), x.size(2) / H, H});  // (B, T, d, H)
    return transpose(transpose(features_first, 2, 3), 1, 2);
}

Chapter chapters::splitting() {
    static constexpr Decision decisions[] = {
        {.id = "split",
         .stage = Stage::split,
         .lesson = {{"02", "As a formula"}, {"04", "As a formula"}},
         .pseudocode = "(B,T,D) view→ (B,T,H,d) transpose(1,2)→ (B,H,T,d): head h holds features [h·d, (h+1)·d)"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "split_by_view",
         .decision = "split",
         .title = "heads are split by a view to (B, H, T, d) without a transpose",
         .right = "view as (B, T, H, d), then transpose(1, 2)",
         .symptom = "each head gets whole stretches of the sequence; all shapes fit",
         .question = "Which token does row 1 of head 0 come from?",
         .shipped = {"hyunwoongko/transformer: https://github.com/hyunwoongko/transformer/pull/4",
                     "RL4CO: https://github.com/ai4co/rl4co/issues/36",
                     "FuxiCTR: https://github.com/reczoo/FuxiCTR/issues/30"},
         .make =
             [](Choices& c) {
                 c.splitting = {&split_by_view, &split_by_view};
             }},
        {.id = "values_split_by_view",
         .decision = "split",
         .title = "v is split by a view to (B, H, T, d) without a transpose; q and k are not",
         .right = "split v as q and k: view as (B, T, H, d), then transpose(1, 2)",
         .symptom = "weights fit the tokens, the values they gather do not",
         .question = "Are your three splits written alike?",
         .make = [](Choices& c) { c.splitting.values = &split_by_view; }},
        {.id = "keys_split_by_view",
         .decision = "split",
         .title = "k is split by a view to (B, H, T, d) without a transpose; q and v are not",
         .right = "split k as q and v: view as (B, T, H, d), then transpose(1, 2)",
         .symptom = "shapes fit, training runs; scores compare queries with keys of other tokens and heads",
         .question = "Are your three splits written alike?",
         .make = [](Choices& c) { c.splitting.keys = &split_by_view; }},
        {.id = "keys_and_values_split_by_view",
         .decision = "split",
         .title = "k and v are split by a view to (B, H, T, d) without a transpose; q is not",
         .right = "split k and v as q: view as (B, T, H, d), then transpose(1, 2)",
         .symptom = "right for single tokens; else scores compare queries with keys of other tokens and heads",
         .question = "Are your three splits written alike?",
         .make = [](Choices& c) { c.splitting.keys = c.splitting.values = &split_by_view; }},
        {.id = "split_repeats_first_head",
         .decision = "split",
         .title = "every head gets the features of head 0",
         .right = "head h gets the block [h·d, (h+1)·d)",
         .symptom = "many heads do no more than one",
         .question = "Which features of a token does head 1 hold?",
         .shipped = {"attorch: https://github.com/BobMcDear/attorch/issues/14"},
         .make =
             [](Choices& c) {
                 c.splitting.split = [](const Array& x, Index H) {
                     const Index d = x.size(2) / H;
                     return gathered(x, {x.size(0), H, x.size(1), d}, [&](Coordinate at) {
                         const Index from[] = {at[0], at[2], at[3]};
                         return position(x.shape, from);
                     });
                 };
                 c.splitting.values = c.splitting.split;
             }},
        {.id = "split_interleaved",
         .decision = "split",
         .title = "features are dealt out one by one: head h gets features h, h + H, h + 2H, …",
         .right = "head h gets the block [h·d, (h+1)·d)",
         .symptom = "nothing crashes; weights that someone else trained give nonsense",
         .question = "Which features of a token does head 0 hold?",
         .make =
             [](Choices& c) {
                 c.splitting = {&split_interleaved, &split_interleaved};
             }},
        {.id = "split_at_its_number",
         .decision = "split",
         .title = "head h gets the features [h, h + d): neighbouring heads overlap",
         .right = "head h gets the block [h·d, (h+1)·d)",
         .symptom = "right with one head, or where d is 1; else the last features are never used",
         .question = "At which feature does head 1 begin?",
         .make =
             [](Choices& c) {
                 c.splitting = {&split_at_its_number, &split_at_its_number};
             }},
        {.id = "values_split_at_its_number",
         .decision = "split",
         .title = "head h gets the features [h, h + d) of v; q and k are split right",
         .right = "split v as q and k: head h gets the block [h·d, (h+1)·d)",
         .symptom = "right with one head, or where d is 1; else heads gather values of other features",
         .question = "Are your three splits written alike?",
         .make = [](Choices& c) { c.splitting.values = &split_at_its_number; }},
        {.id = "values_split_interleaved",
         .decision = "split",
         .title =
             "v's features are dealt out one by one: head h gets features h, h + H, h + 2H, …; q and k are split right",
         .right = "split v as q and k: head h gets the block [h·d, (h+1)·d)",
         .symptom = "nothing crashes; each head gathers values of other features",
         .question = "Are your three splits written alike?",
         .make = [](Choices& c) { c.splitting.values = &split_interleaved; }},
        {.id = "keys_split_interleaved",
         .decision = "split",
         .title =
             "k's features are dealt out one by one: head h gets features h, h + H, h + 2H, …; q and v are split right",
         .right = "split k as q and v: head h gets the block [h·d, (h+1)·d)",
         .symptom = "nothing crashes; scores compare different features of q and k",
         .question = "Are your three splits written alike?",
         .make = [](Choices& c) { c.splitting.keys = &split_interleaved; }},
        {.id = "queries_split_interleaved",
         .decision = "split",
         .title =
             "q's features are dealt out one by one: head h gets features h, h + H, h + 2H, …; k and v are split right",
         .right = "split q as k and v: head h gets the block [h·d, (h+1)·d)",
         .symptom = "nothing crashes; scores compare different features of q and k",
         .question = "Are your three splits written alike?",
         .make =
             [](Choices& c) {
                 c.splitting = {&split_interleaved, &reference::split_heads, &reference::split_heads};
             }},
        {.id = "queries_split_by_view",
         .decision = "split",
         .title = "q is split by a view to (B, H, T, d) without a transpose; k and v are not",
         .right = "split q as k and v: view as (B, T, H, d), then transpose(1, 2)",
         .symptom = "right for single tokens; else scores compare queries of other tokens and heads",
         .question = "Are your three splits written alike?",
         .make =
             [](Choices& c) {
                 c.splitting = {&split_by_view, &reference::split_heads, &reference::split_heads};
             }},
        {.id = "split_missing_transpose",
         .decision = "split",
         .title = "the transpose after splitting is missing: attention runs among the heads of one token",
         .right = "view as (B, T, H, d), then transpose(1, 2)",
         .symptom = "tokens never meet; shapes fit as long as the merge undoes it",
         .question = "Between which two axes do your scores run?",
         .make =
             [](Choices& c) {
                 c.splitting = {&heads_last, &heads_last};
                 c.merging.merge = [](const Array& context) {
                     return reshape(context, {context.size(0), context.size(1), context.size(2) * context.size(3)});
                 };
             }},
        {.id = "one_head",
         .decision = "split",
         .title = "heads are never split: one head of the full width does all the work",
         .right = "split q, k and v into num_heads heads",
         .symptom = "num_heads changes nothing; scores are scaled for one wide head",
         .question = "Does num_heads change your output?",
         .shipped = {"Kornia: https://github.com/kornia/kornia/issues/2186",
                     "ceecnet: https://github.com/feevos/ceecnet/issues/6",
                     "Circulant-Attention: https://github.com/LeapLabTHU/Circulant-Attention/issues/3"},
         .make =
             [](Choices& c) {
                 c.splitting.split = [](const Array& x, Index) {
                     return reshape(x, {x.size(0), 1, x.size(1), x.size(2)});
                 };
                 c.splitting.values = c.splitting.split;
             }},
        {.id = "projections_fused_by_heads",
         .decision = "split",
         .title = "x·[w_q w_k w_v] is split into heads before q, k and v are cut apart: head 0 gets the first 3·d "
                  "columns, which are those of w_q",
         .right = "cut (B, T, 3·D) into q, k and v first, D columns each, then split each of them into heads",
         .symptom = "right with one head; nothing crashes, and weights that someone else trained give nonsense",
         .question = "From which of the three weights are the columns of head 0 that you take for its keys?",
         .make = [](Choices& c) { c.projecting.fused_by_heads = true; }},
    };
    return {decisions, mistakes};
}

}  // namespace headway::diagnosis
