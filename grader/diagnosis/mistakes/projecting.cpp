// How q, k and v come about.
#include "diagnosis/chapters.hpp"
#include "diagnosis/elements.hpp"

#include "reference/attention.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace headway::diagnosis {
namespace {

using reference::reshape;
using reference::transpose;

/// w (D, E) with zeros outside H blocks on its diagonal; block h is a copy of diagonal block which(h).
Array diagonal_blocks(const Array& w, Index H, Index (*which)(Index block, Index H)) {
    if (w.size(0) < H || w.size(1) < H) throw std::invalid_argument("fewer features than heads");
    const Index rows = w.size(0) / H;
    const Index columns = w.size(1) / H;
    Array blocks = zeros(w.shape);
    each(w.shape, [&](Coordinate at, std::size_t i) {
        const Index block = at[0] / rows;
        if (block != at[1] / columns || block >= H) return;
        const Index from[] = {which(block, H) * rows + at[0] % rows, which(block, H) * columns + at[1] % columns};
        blocks.value[i] = w.value[position(w.shape, from)];
    });
    return blocks;
}

}  // namespace

Chapter chapters::projecting() {
    static constexpr Decision decisions[] = {
        {.id = "roles",
         .stage = Stage::project,
         .lesson = {{"01", "What makes a token relevant is not what it contributes"},
                    {"04", "As a formula"},
                    {"05", "Self- and cross-attention"}},
         .pseudocode = "q = query · w_q;   k = key · w_k;   v = value · w_v"},
        {.id = "roles_of_scores",
         .stage = Stage::project,
         .lesson = {{"01", "What makes a token relevant is not what it contributes"},
                    {"04", "As a formula"},
                    {"05", "Self- and cross-attention"}},
         .pseudocode = "q = query · w_q;   k = key · w_k;   scores[t, s] = q[t] · k[s]"},
        {.id = "project",
         .stage = Stage::project,
         .lesson = {{"01", "In code"}, {"04", "As a formula"}, {"05", "What people get wrong"}},
         .pseudocode =
             "x (…,in) · w (in,out) → (…,out); nn::Linear keeps w as (out,in) and multiplies by its transpose"},
        {.id = "activation",
         .stage = Stage::project,
         .lesson = {{"01", "As a formula"}, {"05", "As a formula"}},
         .pseudocode = "q = query · w_q and nothing more: projections are linear"},
    };
    static constexpr Mistake mistakes[] = {
        // ---- roles ----
        {.id = "query_and_key_swapped",
         .decision = "roles_of_scores",
         .title = "q and k are swapped: keys ask and queries answer",
         .right = "queries ask: scores[t, s] = q[t] · k[s], with q from w_q and k from w_k",
         .symptom = "invisible where the projections are alike; nothing crashes in self-attention",
         .question = "Which weight makes the rows of your scores?",
         .make =
             [](Choices& c) {
                 std::swap(c.projecting.input[0], c.projecting.input[1]);
                 std::swap(c.projecting.weight[0], c.projecting.weight[1]);
             }},
        {.id = "query_and_key_weights_swapped",
         .decision = "roles_of_scores",
         .title = "w_q projects the keys and w_k the queries",
         .right = "q = query · w_q and k = key · w_k",
         .symptom = "nothing crashes; weights that someone else trained give nonsense",
         .question = "Which weight makes q?",
         .make = [](Choices& c) { std::swap(c.projecting.weight[0], c.projecting.weight[1]); }},
        {.id = "key_and_value_swapped",
         .decision = "roles",
         .title = "k and v are swapped",
         .right = "keys are matched, values are gathered",
         .symptom = "nothing crashes; weights that someone else trained give nonsense",
         .question = "Which of your tensors is multiplied with the weights at the end?",
         .shipped = {"MMAudio: https://github.com/hkchengrex/MMAudio/issues/83"},
         .make =
             [](Choices& c) {
                 std::swap(c.projecting.input[1], c.projecting.input[2]);
                 std::swap(c.projecting.weight[1], c.projecting.weight[2]);
             }},
        {.id = "key_and_value_weights_swapped",
         .decision = "roles",
         .title = "w_k projects the values and w_v the keys",
         .right = "k = key · w_k and v = value · w_v",
         .symptom = "nothing crashes; weights that someone else trained give nonsense",
         .question = "Which weight makes v?",
         .make = [](Choices& c) { std::swap(c.projecting.weight[1], c.projecting.weight[2]); }},
        {.id = "query_and_value_swapped",
         .decision = "roles",
         .title = "q and v are swapped",
         .right = "queries ask, values are gathered",
         .symptom = "nothing crashes; weights that someone else trained give nonsense",
         .question = "Which weight makes v?",
         .make =
             [](Choices& c) {
                 std::swap(c.projecting.input[0], c.projecting.input[2]);
                 std::swap(c.projecting.weight[0], c.projecting.weight[2]);
             }},
        {.id = "values_projected_by_w_k",
         .decision = "roles",
         .title = "values are projected with w_k: w_v is never used",
         .right = "v = value · w_v",
         .symptom = "training never changes w_v; nothing crashes",
         .question = "Does every weight appear exactly once in your code?",
         .shipped = {"AnnotatedTransformer: https://github.com/yflyzhang/AnnotatedTransformer/issues/1"},
         .make = [](Choices& c) { c.projecting.weight[2] = 1; }},
        {.id = "values_projected_by_w_q",
         .decision = "roles",
         .title = "values are projected with w_q: w_v is never used",
         .right = "v = value · w_v",
         .symptom = "training never changes w_v; nothing crashes",
         .question = "Does every weight appear exactly once in your code?",
         .make = [](Choices& c) { c.projecting.weight[2] = 0; }},
        {.id = "keys_projected_by_w_q",
         .decision = "roles_of_scores",
         .title = "keys are projected with w_q: w_k is never used",
         .right = "k = key · w_k",
         .symptom = "scores become symmetric in self-attention; nothing crashes",
         .question = "Does every weight appear exactly once in your code?",
         .make = [](Choices& c) { c.projecting.weight[1] = 0; }},
        {.id = "keys_projected_by_w_v",
         .decision = "roles_of_scores",
         .title = "keys are projected with w_v: w_k is never used",
         .right = "k = key · w_k",
         .symptom = "training never changes w_k; nothing crashes",
         .question = "Does every weight appear exactly once in your code?",
         .make = [](Choices& c) { c.projecting.weight[1] = 2; }},
        {.id = "queries_projected_by_w_k",
         .decision = "roles_of_scores",
         .title = "queries are projected with w_k: w_q is never used",
         .right = "q = query · w_q",
         .symptom = "scores become symmetric in self-attention; nothing crashes",
         .question = "Does every weight appear exactly once in your code?",
         .make = [](Choices& c) { c.projecting.weight[0] = 1; }},
        {.id = "queries_projected_by_w_v",
         .decision = "roles_of_scores",
         .title = "queries are projected with w_v: w_q is never used",
         .right = "q = query · w_q",
         .symptom = "training never changes w_q; nothing crashes",
         .question = "Does every weight appear exactly once in your code?",
         .make = [](Choices& c) { c.projecting.weight[0] = 2; }},
        {.id = "one_weight_for_all",
         .decision = "roles",
         .title = "one weight projects q, k and v alike",
         .right = "q, k and v have a weight each",
         .symptom = "scores become symmetric; nothing crashes",
         .question = "Does every weight appear exactly once in your code?",
         .shipped = {"sequence_labeling_tf: https://github.com/stevezheng23/sequence_labeling_tf/pull/81"},
         .make =
             [](Choices& c) {
                 c.projecting.weight = {0, 0, 0};
             }},
        {.id = "values_not_projected",
         .decision = "roles",
         .title = "values are not projected: w_v is never used",
         .right = "v = value · w_v",
         .symptom = "training never changes w_v; nothing crashes where d_v = D",
         .question = "Does every weight appear exactly once in your code?",
         .make = [](Choices& c) { c.projecting.weight[2] = -1; }},
        {.id = "keys_not_projected",
         .decision = "roles_of_scores",
         .title = "keys are not projected: w_k is never used",
         .right = "k = key · w_k",
         .symptom = "training never changes w_k",
         .question = "Does every weight appear exactly once in your code?",
         .make = [](Choices& c) { c.projecting.weight[1] = -1; }},
        {.id = "queries_not_projected",
         .decision = "roles_of_scores",
         .title = "queries are not projected: w_q is never used",
         .right = "q = query · w_q",
         .symptom = "training never changes w_q",
         .question = "Does every weight appear exactly once in your code?",
         .make = [](Choices& c) { c.projecting.weight[0] = -1; }},
        {.id = "key_taken_from_query",
         .decision = "roles_of_scores",
         .title = "keys are never used: k is made from the queries",
         .right = "k comes from the keys",
         .symptom = "right for self-attention only",
         .question = "Which of your lines reads the keys, and into what?",
         .make = [](Choices& c) { c.projecting.input[1] = 0; }},
        {.id = "self_attention_always",
         .decision = "roles",
         .title = "keys and values are never used: everything is made from the queries",
         .right = "k comes from the keys and v from the values",
         .symptom = "right for self-attention only",
         .question = "Which of your lines reads the keys, and which the values?",
         .shipped = {"Practical_NLP_in_PyTorch: https://github.com/keitakurita/Practical_NLP_in_PyTorch/issues/1"},
         .make =
             [](Choices& c) {
                 c.projecting.input = {0, 0, 0};
             }},
        {.id = "value_taken_from_key",
         .decision = "roles",
         .title = "values are never used: v is made from the keys",
         .right = "v comes from the values",
         .symptom = "right where keys and values are the same",
         .question = "Which of your lines reads the values, and into what?",
         .make = [](Choices& c) { c.projecting.input[2] = 1; }},
        {.id = "key_taken_from_value",
         .decision = "roles_of_scores",
         .title = "keys are never used: k is made from the values",
         .right = "k comes from the keys",
         .symptom = "right where keys and values are the same",
         .question = "Which of your lines reads the keys, and into what?",
         .make = [](Choices& c) { c.projecting.input[1] = 2; }},
        // ---- projecting ----
        {.id = "weights_transposed",
         .decision = "project",
         .title = "the projections use the transpose of their weights",
         .right = "function arguments are (in, out): x · w; nn::Linear stores (out, in): x · weightᵀ",
         .symptom = "nothing crashes where weights are square; weights that someone else trained give nonsense",
         .question = "Is element [i, j] of your weight from input i to output j, or the other way round?",
         .shipped = {"AutoGPTQ: https://github.com/AutoGPTQ/AutoGPTQ/pull/139"},
         .make =
             [](Choices& c) {
                 c.projecting.transposed = {true, true, true};
             }},
        {.id = "value_weight_transposed",
         .decision = "project",
         .title = "v is projected with the transpose of its weight",
         .right = "v = value · w_v, like q and k",
         .symptom = "nothing crashes where weights are square",
         .question = "Are your three projections written alike?",
         .make =
             [](Choices& c) {
                 c.projecting.transposed = {false, false, true};
             }},
        {.id = "query_weight_transposed",
         .decision = "project",
         .title = "q is projected with the transpose of its weight",
         .right = "q is projected like k and v",
         .symptom = "nothing crashes where weights are square",
         .question = "Are your three projections written alike?",
         .make =
             [](Choices& c) {
                 c.projecting.transposed = {true, false, false};
             }},
        {.id = "key_weight_transposed",
         .decision = "project",
         .title = "k is projected with the transpose of its weight",
         .right = "k is projected like q and v",
         .symptom = "nothing crashes where weights are square",
         .question = "Are your three projections written alike?",
         .make =
             [](Choices& c) {
                 c.projecting.transposed = {false, true, false};
             }},
        {.id = "projected_twice",
         .decision = "activation",
         .title = "q, k and v are projected twice",
         .right = "project once",
         .symptom = "nothing crashes where weights are square",
         .question = "Which functions on the way multiply by w_q?",
         .shipped = {"p4-dkt: https://github.com/bcaitech1/p4-dkt-no_caffeine_no_gain/issues/75"},
         .make =
             [](Choices& c) {
                 c.projecting.apply = [](const Array& x, const Array& w, Index) {
                     return reference::matmul(reference::matmul(x, w), w);
                 };
             }},
        {.id = "weights_reshaped",
         .decision = "project",
         .title = "a weight's numbers are read as (out, in), row by row, without a transpose",
         .right = "use transpose, which swaps strides; a view keeps the order of the numbers",
         .symptom = "invisible where weights are square",
         .question = "Do you turn the weight by view or by transpose?",
         .make =
             [](Choices& c) {
                 c.projecting.apply = [](const Array& x, const Array& w, Index) {
                     const Array turned = reshape(w, {w.size(1), w.size(0)});
                     return reference::matmul(x, transpose(turned, 0, 1));
                 };
             }},
        {.id = "split_before_projecting",
         .decision = "project",
         .title = "x is split into heads before it is projected: each head projects its own slice only",
         .right = "project the whole token first, then split",
         .symptom = "a head never sees the features of the others",
         .question = "How many features of x can a head's q depend on?",
         .make =
             [](Choices& c) {
                 c.projecting.apply = [](const Array& x, const Array& w, Index H) {
                     if (H < 1) return reference::matmul(x, w);
                     return reference::matmul(x, diagonal_blocks(w, H, [](Index block, Index) { return block; }));
                 };
             }},
        {.id = "one_small_projection",
         .decision = "project",
         .title = "every head projects its slice of x with the same (d, d) corner of the weight",
         .right = "project the whole token with the whole weight first, then split",
         .symptom = "most of the weight is never used",
         .question = "Does every number of w_q change your output?",
         .shipped =
             {"Machine-Learning-Collection: https://github.com/aladdinpersson/Machine-Learning-Collection/issues/3",
              "episodic-transformer-memory-ppo: https://github.com/MarcoMeter/episodic-transformer-memory-ppo/pull/22"},
         .make =
             [](Choices& c) {
                 c.projecting.apply = [](const Array& x, const Array& w, Index H) {
                     if (H < 1) return reference::matmul(x, w);
                     return reference::matmul(x, diagonal_blocks(w, H, [](Index, Index) { return Index{0}; }));
                 };
             }},
        {.id = "relu_after_projection",
         .decision = "activation",
         .title = "a ReLU follows the projections of q, k and v",
         .right = "the projections are linear",
         .symptom = "half of what a head could say is cut off",
         .question = "Is there a non-linearity between a projection and the scores?",
         .shipped = {"keras-multi-head: https://github.com/CyberZHG/keras-multi-head/issues/8"},
         .make =
             [](Choices& c) {
                 c.projecting.finish = [](const Array& x, int) {
                     return mapped(x, [](double one) { return std::max(0.0, one); });
                 };
             }},
    };
    return {decisions, mistakes};
}

}  // namespace headway::diagnosis
