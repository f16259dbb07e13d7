// split_heads in exercise 02. It is built from view and transpose, so their mistakes show in it too. Its own stand
// first: where view and transpose are right by themselves, they are not to blame.
#include "diagnosis/chapters.hpp"
#include "diagnosis/moving.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace headway::diagnosis {
namespace {

constexpr const char* right_heads = "view as (B, T, H, d), then transpose T and H: head h gets features [h·d, (h+1)·d)";

}  // namespace

Chapter chapters::moving_heads() {
    static constexpr Decision decisions[] = {
        {.id = "head_views",
         .stage = Stage::split,
         .lesson = {{"02", "Right shape, wrong numbers"}},
         .pseudocode = "(B,T,D) view→ (B,T,H,d) transpose(1,2)→ (B,H,T,d), with d = D / H"},
        {.id = "head_storage",
         .stage = Stage::none,
         .lesson = {{"02", "In code"}},
         .pseudocode = "heads = x.as_strided(shape, strides, x.offset())"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "split_views_heads_before_tokens",
         .decision = "head_views",
         .title = "x is viewed straight as (B, H, T, d), without a transpose",
         .right = right_heads,
         .symptom = "the shape is right; head 0 gets the first part of the sentence instead of a part of the features",
         .question = "Which tokens does head 0 see?",
         .shipped = {"hyunwoongko/transformer: https://github.com/hyunwoongko/transformer/pull/4",
                     "RL4CO: https://github.com/ai4co/rl4co/issues/36",
                     "FuxiCTR: https://github.com/reczoo/FuxiCTR/issues/30"},
         .make =
             [](Choices& c) {
                 c.moving.split = [](const Tensor& x, Index H, const Moving& own) {
                     return view(x, {x.size(0), H, x.size(1), x.size(2) / H}, own);
                 };
             }},
        {.id = "split_without_transpose",
         .decision = "head_views",
         .title = "the transpose is missing: heads stay behind the tokens, (B, T, H, d)",
         .right = right_heads,
         .symptom = "later, the heads of one token attend to each other and no token sees another",
         .question = "Which axis stands second in your result?",
         .make =
             [](Choices& c) {
                 c.moving.split = [](const Tensor& x, Index H, const Moving& own) {
                     return view(x, {x.size(0), x.size(1), H, x.size(2) / H}, own);
                 };
             }},
        {.id = "split_interleaves_features",
         .decision = "head_views",
         .title = "features are dealt out like cards: head h gets features h, h + H, h + 2H, ...",
         .right = right_heads,
         .symptom = "the shape is right; weights that someone else trained give nonsense",
         .question = "Which features does head 0 get?",
         .make =
             [](Choices& c) {
                 c.moving.split = [](const Tensor& x, Index H, const Moving& own) {
                     const Tensor dealt = view(x, {x.size(0), x.size(1), x.size(2) / H, H}, own);
                     return transpose(transpose(dealt, 2, 3, own), 1, 2, own);
                 };
             }},
        {.id = "split_swaps_heads_and_width",
         .decision = "head_views",
         .title = "H and d are swapped: there are D / H heads of width H",
         .right = right_heads,
         .symptom = "invisible where H = d; else the number of heads is wrong",
         .question = "How many heads does your result have, and how wide is each?",
         .make =
             [](Choices& c) {
                 c.moving.split = [](const Tensor& x, Index H, const Moving& own) {
                     return transpose(view(x, {x.size(0), x.size(1), x.size(2) / H, H}, own), 1, 2, own);
                 };
             }},
        {.id = "split_puts_heads_before_the_batch",
         .decision = "head_views",
         .title = "the heads come before the batch: (H, B, T, d)",
         .right = right_heads,
         .symptom = "what follows takes heads for sequences",
         .question = "Which axis stands first in your result?",
         .make =
             [](Choices& c) {
                 c.moving.split = [](const Tensor& x, Index H, const Moving& own) {
                     return transpose(transpose(view(x, {x.size(0), x.size(1), H, x.size(2) / H}, own), 0, 2, own), 1,
                                      2, own);
                 };
             }},
        {.id = "split_along_the_sequence",
         .decision = "head_views",
         .title = "the tokens are divided among the heads instead of the features: (B, H, T / H, D)",
         .right = right_heads,
         .symptom = "a head sees a part of the tokens only",
         .question = "Does each head see all tokens?",
         .make =
             [](Choices& c) {
                 c.moving.split = [](const Tensor& x, Index H, const Moving&) {
                     const Index T = x.size(1), D = x.size(2);
                     return x.as_strided({x.size(0), H, T / H, D}, {T * D, T / H * D, D, 1});
                 };
             }},
        {.id = "split_gives_every_head_the_first",
         .decision = "head_views",
         .title = "the head axis has stride 0: every head sees the features of head 0",
         .right = right_heads,
         .symptom = "nothing crashes; H heads learn what one could",
         .question = "How far apart in storage do head 0 and head 1 of a token begin?",
         .shipped = {"attorch: https://github.com/BobMcDear/attorch/issues/14"},
         .make =
             [](Choices& c) {
                 c.moving.split = [](const Tensor& x, Index H, const Moving&) {
                     const Index T = x.size(1), D = x.size(2);
                     return x.as_strided({x.size(0), H, T, D / H}, {T * D, 0, D, 1});
                 };
             }},
        {.id = "split_keeps_strides_of_tokens_and_heads",
         .decision = "head_views",
         .title = "the shape is (B, H, T, d), but the strides are still those of (B, T, H, d)",
         .right = right_heads,
         .symptom = "the shape is right; tokens and heads are mixed up",
         .question = "How far apart in storage do two tokens of one head lie?",
         .make =
             [](Choices& c) {
                 c.moving.split = [](const Tensor& x, Index H, const Moving&) {
                     const Index T = x.size(1), D = x.size(2);
                     return x.as_strided({x.size(0), H, T, D / H}, {T * D, D, D / H, 1});
                 };
             }},
        {.id = "split_batch_stride_of_one_token",
         .decision = "head_views",
         .title = "the next sequence begins D features further on, at the next token, instead of T·D",
         .right = right_heads,
         .symptom = "right with batch 1 or one token; else sequences overlap",
         .question = "How far apart in storage do two sequences begin?",
         .make =
             [](Choices& c) {
                 c.moving.split = [](const Tensor& x, Index H, const Moving&) {
                     const Index T = x.size(1), D = x.size(2), d = D / H;
                     return x.as_strided({x.size(0), H, T, d}, {D, d, D, 1});
                 };
             }},
        {.id = "split_batch_stride_of_one_head",
         .decision = "head_views",
         .title = "the next sequence begins T·d features further on, after one head's share, instead of T·D",
         .right = right_heads,
         .symptom = "right with batch 1 or one head; else sequences overlap",
         .question = "How far apart in storage do two sequences begin?",
         .make =
             [](Choices& c) {
                 c.moving.split = [](const Tensor& x, Index H, const Moving&) {
                     const Index T = x.size(1), D = x.size(2), d = D / H;
                     return x.as_strided({x.size(0), H, T, d}, {T * d, d, D, 1});
                 };
             }},
        {.id = "split_token_stride_of_one_head",
         .decision = "head_views",
         .title = "the next token begins d features further on instead of D",
         .right = right_heads,
         .symptom = "the shape is right; most of the numbers belong to another token",
         .question = "How far apart in storage do two tokens of one head lie?",
         .make =
             [](Choices& c) {
                 c.moving.split = [](const Tensor& x, Index H, const Moving&) {
                     const Index T = x.size(1), D = x.size(2), d = D / H;
                     return x.as_strided({x.size(0), H, T, d}, {T * D, d, d, 1});
                 };
             }},
        {.id = "split_transposes_the_last_two",
         .decision = "head_views",
         .title = "H and d are transposed instead of T and H: (B, T, d, H)",
         .right = right_heads,
         .symptom = "what follows takes tokens for heads",
         .question = "Which two axes have to change places?",
         .make =
             [](Choices& c) {
                 c.moving.split = [](const Tensor& x, Index H, const Moving& own) {
                     return transpose(view(x, {x.size(0), x.size(1), H, x.size(2) / H}, own), 2, 3, own);
                 };
             }},
        {.id = "split_puts_tokens_last",
         .decision = "head_views",
         .title = "tokens come last: (B, H, d, T), as keys are needed for the scores",
         .right = right_heads,
         .symptom = "right for no one but the keys, and those are transposed later",
         .question = "Which axis stands last in your result?",
         .make =
             [](Choices& c) {
                 c.moving.split = [](const Tensor& x, Index H, const Moving& own) {
                     const Tensor heads = transpose(view(x, {x.size(0), x.size(1), H, x.size(2) / H}, own), 1, 2, own);
                     return transpose(heads, 2, 3, own);
                 };
             }},
        {.id = "split_folds_heads_into_the_batch",
         .decision = "head_views",
         .title = "heads are folded into the batch: (B·H, T, d), a copy",
         .right = right_heads,
         .symptom = "what follows expects an axis of its own for heads",
         .question = "How many axes does your result have?",
         .make =
             [](Choices& c) {
                 c.moving.split = [](const Tensor& x, Index H, const Moving& own) {
                     const Index T = x.size(1), d = x.size(2) / H;
                     return row_major_copy(transpose(view(x, {x.size(0), T, H, d}, own), 1, 2, own))
                         .view({x.size(0) * H, T, d});
                 };
             }},
        {.id = "split_keeps_the_first_sequence",
         .decision = "head_views",
         .title = "only the first sequence of the batch is split: the result is (1, H, T, d)",
         .right = "all sequences of the batch are split alike: (B, H, T, d)",
         .symptom = "a batch of one works; of a larger one, all sequences but the first are lost",
         .question = "How many sequences does your result have for a batch of 3?",
         .make =
             [](Choices& c) {
                 c.moving.split = [](const Tensor& x, Index H, const Moving& own) {
                     return right().moving.split(x.slice(0, 0, 1), H, own);
                 };
             }},
        {.id = "split_copies",
         .decision = "head_storage",
         .title = "split_heads returns a copy instead of a view",
         .right = "view and transpose only: no number moves",
         .symptom = "right numbers; each split costs memory and time",
         .question = "Which line of your split_heads allocates?",
         .make = [](Choices& c) { c.moving.split_result = &row_major_copy; }},
        {.id = "split_makes_heads_contiguous",
         .decision = "head_storage",
         .title =
             "split_heads returns a contiguous copy wherever heads are not contiguous: with several heads and tokens",
         .right = "the transposed view itself, without contiguous() or clone(): no number moves",
         .symptom = "right numbers; each split costs memory and time, and what is written to x does not show in heads",
         .question = "Which strides has the result of your transpose, and which has that of your split_heads?",
         .make =
             [](Choices& c) {
                 c.moving.split_result = [](const Tensor& heads) {
                     return heads.is_contiguous() ? heads : row_major_copy(heads);
                 };
             }},
        {.id = "split_drops_the_offset",
         .decision = "head_storage",
         .title = "split_heads starts at the beginning of the storage",
         .right = "start at x.offset()",
         .symptom = "right for fresh tensors; a slice of a batch gives other tokens",
         .question = "Where in its storage does x.slice(0, 1, 3) begin?",
         .make = [](Choices& c) { c.moving.split_result = &with_offset_0; }},
        {.id = "split_transposes_before_viewing",
         .decision = "head_views",
         .title = "x is transposed before it is viewed: what view is given is not contiguous",
         .right = right_heads,
         .symptom = "the view is refused: with more than one token and more than one feature nothing is answered",
         .question = "Is what you hand to view contiguous?",
         .make =
             [](Choices& c) {
                 c.moving.split = [](const Tensor& x, Index H, const Moving& own) {
                     const Tensor features_first = transpose(x, 1, 2, own);
                     return transpose(view(features_first, {x.size(0), H, x.size(2) / H, x.size(1)}, own), 2, 3, own);
                 };
             }},
    };
    return {decisions, mistakes};
}

}  // namespace headway::diagnosis
