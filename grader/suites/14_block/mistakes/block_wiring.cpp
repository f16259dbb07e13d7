// How norms, sub-layers and residuals make a block.
#include "suites/14_block/wiring.hpp"

#include "diagnosis/catalogue.hpp"

namespace headway::diagnosis {
namespace {

constexpr const char* right_order =
    "pre-norm: y = x + attention(norm1(x)), out = y + mlp(norm2(y)); post-norm: y = norm1(x + attention(x)), out = "
    "norm2(y + mlp(y))";
constexpr const char* right_residual = "each sub-layer's result is added to what came in, before any norm";
constexpr const char* right_norms = "norm1 belongs to attention, norm2 to the MLP";
constexpr const char* right_sum_is_normed = "post-norm norms the sum: norm(x + sub-layer(x))";
constexpr const char* trains_worse = "it trains; deep stacks train worse, and loaded weights give nonsense";
constexpr const char* lost_weights = "it trains; loaded weights give nonsense";

}  // namespace

namespace chapters {

Chapter block_wiring() {
    static constexpr Decision decisions[] = {
        {.id = "block_order",
         .stage = Stage::none,
         .lesson = {{"14", "Before or behind"}},
         .pseudocode =
             "pre: y = x + A(norm1(x)), out = y + M(norm2(y)); post: y = norm1(x + A(x)), out = norm2(y + M(y))"},
        {.id = "block_norms",
         .stage = Stage::none,
         .lesson = {{"14", "Before or behind"}},
         .pseudocode = "norm1 for attention, norm2 for the MLP, both with the block's eps"},
        {.id = "block_residuals",
         .stage = Stage::none,
         .lesson = {{"14", "Before or behind"}},
         .pseudocode = "y = x + attention(...); out = y + mlp(...): what is added has not been normed"},
        {.id = "block_views",
         .stage = Stage::none,
         .lesson = {{"14", in_the_header}},
         .pseudocode = "y = x + attention.forward(seen), in memory of its own: neither x nor `seen` nor what came back "
                       "is written into"},
        {.id = "block_formula",
         .stage = Stage::none,
         .lesson = {{"14", "Before or behind"}},
         .pseudocode = "mlp(block.mlp, ..., block.gelu); layer_norm(..., block.eps)"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "block_always_pre_norm",
         .decision = "block_order",
         .title = "the norms come first, whichever order is asked for",
         .right = right_order,
         .symptom = "models of the other order give nonsense",
         .question = "Where does your code read block.order?",
         .make = [](Choices& c) { c.change<Wiring>().is_pre = [](bool) { return true; }; }},
        {.id = "block_always_post_norm",
         .decision = "block_order",
         .title = "the norms come last, whichever order is asked for",
         .right = right_order,
         .symptom = "models of the other order give nonsense",
         .question = "Where does your code read block.order?",
         .make = [](Choices& c) { c.change<Wiring>().is_pre = [](bool) { return false; }; }},
        {.id = "block_orders_exchanged",
         .decision = "block_order",
         .title = "the two orders are taken for each other",
         .right = right_order,
         .symptom = "models give nonsense",
         .question = "In pre-norm, is the output of the block normed?",
         .make = [](Choices& c) { c.change<Wiring>().is_pre = [](bool asked) { return !asked; }; }},
        {.id = "block_side_by_side",
         .decision = "block_order",
         .title = "the MLP sees x, as attention does, not what attention has made of it",
         .right = right_order,
         .symptom = "the order of other models (GPT-J); loaded weights give nonsense",
         .question = "What does norm2 get?",
         .make = [](Choices& c) { c.change<Wiring>().side_by_side = true; }},
        // ---- norms ----
        {.id = "block_norms_exchanged",
         .decision = "block_norms",
         .title = "norm1 and norm2 are taken for each other",
         .right = right_norms,
         .symptom = lost_weights,
         .question = "Which norm's gain does attention see?",
         .make =
             [](Choices& c) {
                 c.change<Wiring>().norm = {1, 0};
             }},
        {.id = "block_first_norm_twice",
         .decision = "block_norms",
         .title = "norm1 is used in both places",
         .right = right_norms,
         .symptom = lost_weights,
         .question = "Where does your code read block.norm2?",
         .make =
             [](Choices& c) {
                 c.change<Wiring>().norm = {0, 0};
             }},
        {.id = "block_second_norm_twice",
         .decision = "block_norms",
         .title = "norm2 is used in both places",
         .right = right_norms,
         .symptom = lost_weights,
         .question = "Where does your code read block.norm1?",
         .make =
             [](Choices& c) {
                 c.change<Wiring>().norm = {1, 1};
             }},
        {.id = "block_first_norm_left_out",
         .decision = "block_norms",
         .title = "norm1 is left out",
         .right = right_norms,
         .symptom = trains_worse,
         .question = "Where does your code read block.norm1?",
         .make =
             [](Choices& c) {
                 c.change<Wiring>().has_norm = {false, true};
             }},
        {.id = "block_second_norm_left_out",
         .decision = "block_norms",
         .title = "norm2 is left out",
         .right = right_norms,
         .symptom = trains_worse,
         .question = "Where does your code read block.norm2?",
         .make =
             [](Choices& c) {
                 c.change<Wiring>().has_norm = {true, false};
             }},
        // ---- residuals ----
        {.id = "block_residuals_from_normed",
         .decision = "block_residuals",
         .title = "in pre-norm, both residuals add what was normed, not what came in",
         .right = right_residual,
         .symptom = trains_worse,
         .question = "Which x does the block add to attention's result?",
         .make =
             [](Choices& c) {
                 c.change<Wiring>().residual = {Wiring::Residual::normed, Wiring::Residual::normed};
             }},
        {.id = "block_first_residual_from_normed",
         .decision = "block_residuals",
         .title = "in pre-norm, attention's residual adds norm1(x), not x",
         .right = right_residual,
         .symptom = trains_worse,
         .question = "Which x does the block add to attention's result?",
         .make =
             [](Choices& c) {
                 c.change<Wiring>().residual = {Wiring::Residual::normed, Wiring::Residual::input};
             }},
        {.id = "block_second_residual_from_normed",
         .decision = "block_residuals",
         .title = "in pre-norm, the MLP's residual adds norm2(y), not y",
         .right = right_residual,
         .symptom = trains_worse,
         .question = "What does the block add to the MLP's result?",
         .make =
             [](Choices& c) {
                 c.change<Wiring>().residual = {Wiring::Residual::input, Wiring::Residual::normed};
             }},
        {.id = "block_first_residual_forgotten",
         .decision = "block_residuals",
         .title = "attention's residual is forgotten",
         .right = right_residual,
         .symptom = trains_worse,
         .question = "If attention gives zeros, what is left of x?",
         .make =
             [](Choices& c) {
                 c.change<Wiring>().residual = {Wiring::Residual::none, Wiring::Residual::input};
             }},
        {.id = "block_second_residual_forgotten",
         .decision = "block_residuals",
         .title = "the MLP's residual is forgotten",
         .right = right_residual,
         .symptom = trains_worse,
         .question = "If the MLP gives zeros, what is left of attention's result?",
         .make =
             [](Choices& c) {
                 c.change<Wiring>().residual = {Wiring::Residual::input, Wiring::Residual::none};
             }},
        {.id = "block_second_residual_from_x",
         .decision = "block_residuals",
         .title = "the MLP's residual adds x, the input of the whole block, not what attention has made of it",
         .right = right_residual,
         .symptom = trains_worse,
         .question = "If the MLP gives zeros, what is left of attention's result?",
         .make =
             [](Choices& c) {
                 c.change<Wiring>().residual = {Wiring::Residual::input, Wiring::Residual::first};
             }},
        {.id = "block_second_residual_before_norm1",
         .decision = "block_residuals",
         .title = "in post-norm, the MLP's residual adds x + attention(x), as it was before norm1, not y",
         .right = "in post-norm, y = norm1(x + attention(x)) is what the MLP sees and what its residual adds",
         .symptom = trains_worse,
         .question = "What is added to mlp(y): what norm1 was given, or what it returned?",
         .make =
             [](Choices& c) {
                 c.change<Wiring>().in_one_order.push_back(
                     {false, [](Wiring& w) { w.residual[1] = Wiring::Residual::before_norm; }});
             }},
        {.id = "block_first_norm_before_residual",
         .decision = "block_residuals",
         .title = "in post-norm, norm1 norms attention(x) alone, and x is added behind it: x + norm1(attention(x))",
         .right = right_sum_is_normed,
         .symptom = trains_worse,
         .question = "Does norm1 of post-norm see x?",
         .make =
             [](Choices& c) {
                 c.change<Wiring>().norm_before_residual = {true, false};
             }},
        {.id = "block_second_norm_before_residual",
         .decision = "block_residuals",
         .title = "in post-norm, norm2 norms mlp(y) alone, and y is added behind it: y + norm2(mlp(y))",
         .right = right_sum_is_normed,
         .symptom = trains_worse,
         .question = "Does norm2 of post-norm see y?",
         .make =
             [](Choices& c) {
                 c.change<Wiring>().norm_before_residual = {false, true};
             }},
        {.id = "block_norms_before_residuals",
         .decision = "block_residuals",
         .title = "in post-norm, both norms norm what a sub-layer gives, and the residual is added behind them: "
                  "x + norm(sub-layer(x))",
         .right = right_sum_is_normed,
         .symptom = trains_worse,
         .question = "Do the norms of post-norm see what came in?",
         .make =
             [](Choices& c) {
                 c.change<Wiring>().norm_before_residual = {true, true};
             }},
        {.id = "block_writes_into_norm1",
         .decision = "block_views",
         .title = "in pre-norm, y is written into the memory of norm1(x), of which attention's result may be a view",
         .right = "put y into memory of its own: attention may return the very tensor that it was given",
         .symptom = "right for any attention that returns memory of its own; else y is 2x",
         .question = "What is left of attention's result, if it is a view of norm1(x), once you write there?",
         .make = [](Choices& c) { c.change<Wiring>().writes_into_normed = true; }},
        {.id = "block_residuals_forgotten",
         .decision = "block_residuals",
         .title = "both residuals are forgotten",
         .right = right_residual,
         .symptom = trains_worse,
         .question = "If both sub-layers give zeros, what is left of x?",
         .make =
             [](Choices& c) {
                 c.change<Wiring>().residual = {Wiring::Residual::none, Wiring::Residual::none};
             }},
        {.id = "block_first_residual_twice",
         .decision = "block_residuals",
         .title = "attention's residual is added twice: 2x + attention(...)",
         .right = "what came in is added once: y = x + attention(...), out = y + mlp(...)",
         .symptom = "it trains; in a deep stack numbers double from block to block",
         .question = "If attention gives zeros, how often is x in what comes back?",
         .make =
             [](Choices& c) {
                 c.change<Wiring>().residual_times = {2, 1};
             }},
        {.id = "block_second_residual_twice",
         .decision = "block_residuals",
         .title = "the MLP's residual is added twice: 2y + mlp(...)",
         .right = "what came in is added once: y = x + attention(...), out = y + mlp(...)",
         .symptom = "it trains; in a deep stack numbers double from block to block",
         .question = "If the MLP gives zeros, how often is attention's result in what comes back?",
         .make =
             [](Choices& c) {
                 c.change<Wiring>().residual_times = {1, 2};
             }},
        {.id = "block_residuals_twice",
         .decision = "block_residuals",
         .title = "both residuals are added twice: 2x + attention(...), 2y + mlp(...)",
         .right = "what came in is added once: y = x + attention(...), out = y + mlp(...)",
         .symptom = "it trains; in a deep stack numbers double from block to block",
         .question = "If both sub-layers give zeros, how often is x in what comes back?",
         .make =
             [](Choices& c) {
                 c.change<Wiring>().residual_times = {2, 2};
             }},
        // ---- what the block hands on ----
        {.id = "block_formula_exact",
         .decision = "block_formula",
         .title = "the MLP activates by the exact formula, whichever the block asks for",
         .right = "hand block.gelu on to the MLP",
         .symptom = "trained weights give other numbers, by little: it looks like rounding",
         .question = "Where does your code read block.gelu?",
         .make = [](Choices& c) { c.change<Wiring>().fixed_formula = "exact"; }},
        {.id = "block_formula_tanh",
         .decision = "block_formula",
         .title = "the MLP activates by tanh, whichever formula the block asks for",
         .right = "hand block.gelu on to the MLP",
         .symptom = "trained weights give other numbers, by little: it looks like rounding",
         .question = "Where does your code read block.gelu?",
         .make = [](Choices& c) { c.change<Wiring>().fixed_formula = "tanh"; }},
        {.id = "block_back_formula_exact",
         .decision = "block_formula",
         .title = "the MLP goes back by the exact formula, whichever the block asks for",
         .right = "hand block.gelu on to mlp_backward",
         .symptom = "the gradients are those of another block, by little: it looks like rounding",
         .question = "Which formula does your mlp_backward get from the block?",
         .make = [](Choices& c) { c.change<Wiring>().fixed_formula_back = "exact"; }},
        {.id = "block_back_formula_tanh",
         .decision = "block_formula",
         .title = "the MLP goes back by tanh, whichever formula the block asks for",
         .right = "hand block.gelu on to mlp_backward",
         .symptom = "the gradients are those of another block, by little: it looks like rounding",
         .question = "Which formula does your mlp_backward get from the block?",
         .make = [](Choices& c) { c.change<Wiring>().fixed_formula_back = "tanh"; }},
        {.id = "block_eps_fixed",
         .decision = "block_formula",
         .title = "the norms' eps is 1e-5, whatever the block asks for",
         .right = "hand block.eps on to the norms",
         .symptom = "right for models of that eps, such as GPT-2",
         .question = "Where does your code read block.eps?",
         .make = [](Choices& c) { c.change<Wiring>().fixed_eps = 1e-5; }},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
