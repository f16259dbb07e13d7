// Back through a block: at which tensor each part goes back, and what goes past it.
#include "suites/14_block/wiring.hpp"

#include "diagnosis/catalogue.hpp"

namespace headway::diagnosis {
namespace {

constexpr const char* right_norms_back = "norm1 belongs to attention, norm2 to the MLP";
constexpr const char* right_way_back = "a gradient goes two ways, past the sub-layer and through it: add both";
constexpr const char* right_past_norm =
    "in post-norm, norm(x + sub-layer(x)): the gradient goes through the norm first, then past the sub-layer and "
    "through it";
constexpr const char* right_place_of_mlp =
    "mlp_backward gets what mlp was given: norm2(y) in pre-norm, y = norm1(...) in post-norm";
constexpr const char* falls_more_slowly = "the loss falls all the same, more slowly: only a comparison shows it";

}  // namespace

namespace chapters {

Chapter block_back() {
    static constexpr Decision decisions[] = {
        {.id = "block_back",
         .stage = Stage::none,
         .lesson = {{"14", "Both ways back"}},
         .pseudocode = "pre: grad_y' = grad_y + back through norm2 and M; grad_x = grad_y' + back through norm1 and A"},
        {.id = "block_back_places",
         .stage = Stage::none,
         .lesson = {{"14", "Both ways back"}},
         .pseudocode =
             "norm, attention and MLP go back at what each was given on the way forward, with its own weights"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "block_back_without_residuals",
         .decision = "block_back",
         .title = "gradients go through the sub-layers alone, not past them",
         .right = right_way_back,
         .symptom = "in deep stacks the first blocks hardly learn: what residuals are there for is lost",
         .question = "By how many ways does x reach y = x + attention(norm1(x))?",
         .make =
             [](Choices& c) {
                 c.change<Wiring>().residual_goes_back = {false, false};
             }},
        {.id = "block_back_without_first_residual",
         .decision = "block_back",
         .title = "at attention, the gradient goes through it alone, not past it",
         .right = right_way_back,
         .symptom = "in deep stacks the first blocks hardly learn",
         .question = "By how many ways does x reach y = x + attention(norm1(x))?",
         .make =
             [](Choices& c) {
                 c.change<Wiring>().residual_goes_back = {false, true};
             }},
        {.id = "block_back_without_second_residual",
         .decision = "block_back",
         .title = "at the MLP, the gradient goes through it alone, not past it",
         .right = right_way_back,
         .symptom = "in deep stacks the first blocks hardly learn",
         .question = "By how many ways does y reach y + mlp(norm2(y))?",
         .make =
             [](Choices& c) {
                 c.change<Wiring>().residual_goes_back = {true, false};
             }},
        {.id = "block_back_past_attention_alone",
         .decision = "block_back",
         .title = "at attention, the gradient of x goes past it alone, not through it",
         .right = right_way_back,
         .symptom = "what attention reads never learns to be read",
         .question = "By how many ways does x reach y = x + attention(norm1(x))?",
         .make =
             [](Choices& c) {
                 c.change<Wiring>().sublayer_goes_back = {false, true};
             }},
        {.id = "block_back_past_mlp_alone",
         .decision = "block_back",
         .title = "at the MLP, the gradient of y goes past it alone, not through it",
         .right = right_way_back,
         .symptom = "what the MLP reads never learns to be read",
         .question = "By how many ways does y reach y + mlp(norm2(y))?",
         .make =
             [](Choices& c) {
                 c.change<Wiring>().sublayer_goes_back = {true, false};
             }},
        {.id = "block_back_first_residual_twice",
         .decision = "block_back",
         .title = "at attention, the gradient that goes past it is added twice",
         .right = right_way_back,
         .symptom = "in a deep stack gradients double from block to block",
         .question = "If attention gives zeros, what is the gradient of x, given that of x + attention(...)?",
         .make =
             [](Choices& c) {
                 c.change<Wiring>().past_times = {2, 1};
             }},
        {.id = "block_back_second_residual_twice",
         .decision = "block_back",
         .title = "at the MLP, the gradient that goes past it is added twice",
         .right = right_way_back,
         .symptom = "in a deep stack gradients double from block to block",
         .question = "If the MLP gives zeros, what is the gradient of y, given that of y + mlp(...)?",
         .make =
             [](Choices& c) {
                 c.change<Wiring>().past_times = {1, 2};
             }},
        {.id = "block_back_residuals_twice",
         .decision = "block_back",
         .title = "the gradient that goes past a sub-layer is added twice, at attention and at the MLP",
         .right = right_way_back,
         .symptom = "in a deep stack gradients double from block to block",
         .question = "If attention gives zeros, what is the gradient of x, given that of x + attention(...)?",
         .make =
             [](Choices& c) {
                 c.change<Wiring>().past_times = {2, 2};
             }},
        {.id = "block_back_first_residual_halved",
         .decision = "block_back",
         .title = "at attention, half of the gradient goes past it, and not all",
         .right = right_way_back,
         .symptom = "in deep stacks the first blocks hardly learn: gradients halve from block to block",
         .question = "If attention gives zeros, what is the gradient of x, given that of x + attention(...)?",
         .make =
             [](Choices& c) {
                 c.change<Wiring>().past_times = {0.5, 1};
             }},
        {.id = "block_back_second_residual_halved",
         .decision = "block_back",
         .title = "at the MLP, half of the gradient goes past it, and not all",
         .right = right_way_back,
         .symptom = "in deep stacks the first blocks hardly learn: gradients halve from block to block",
         .question = "If the MLP gives zeros, what is the gradient of y, given that of y + mlp(...)?",
         .make =
             [](Choices& c) {
                 c.change<Wiring>().past_times = {1, 0.5};
             }},
        {.id = "block_back_residuals_halved",
         .decision = "block_back",
         .title = "half of the gradient goes past a sub-layer, and not all, at attention and at the MLP",
         .right = right_way_back,
         .symptom = "in deep stacks the first blocks hardly learn: gradients halve from block to block",
         .question = "If attention gives zeros, what is the gradient of x, given that of x + attention(...)?",
         .make =
             [](Choices& c) {
                 c.change<Wiring>().past_times = {0.5, 0.5};
             }},
        {.id = "block_back_attention_at_x",
         .decision = "block_back_places",
         .title = "in pre-norm, attention.backward gets x, not norm1(x)",
         .right = "attention.backward gets what attention.forward was given",
         .symptom = falls_more_slowly,
         .question = "What was attention.forward given?",
         .make = [](Choices& c) { c.change<Wiring>().attention_is_asked_at_x = true; }},
        {.id = "block_back_attention_at_sum",
         .decision = "block_back_places",
         .title = "in post-norm, attention.backward gets x + attention(x), not x",
         .right = "attention.backward gets what attention.forward was given",
         .symptom = falls_more_slowly,
         .question = "What was attention.forward given?",
         .make = [](Choices& c) { c.change<Wiring>().attention_is_asked_in_post = Wiring::AskedInPost::sum; }},
        {.id = "block_back_attention_at_y",
         .decision = "block_back_places",
         .title = "in post-norm, attention.backward gets y = norm1(x + attention(x)), not x",
         .right = "attention.backward gets what attention.forward was given",
         .symptom = falls_more_slowly,
         .question = "What was attention.forward given?",
         .make = [](Choices& c) { c.change<Wiring>().attention_is_asked_in_post = Wiring::AskedInPost::normed; }},
        {.id = "block_back_past_first_norm",
         .decision = "block_back",
         .title = "in post-norm, at attention, what goes past is the gradient before the norm, not the one behind it",
         .right = right_past_norm,
         .symptom = falls_more_slowly,
         .question = "Does the norm of post-norm lie on the residual's way?",
         .make =
             [](Choices& c) {
                 c.change<Wiring>().residual_past_norm = {true, false};
             }},
        {.id = "block_back_past_second_norm",
         .decision = "block_back",
         .title = "in post-norm, at the MLP, what goes past is the gradient before the norm, not the one behind it",
         .right = right_past_norm,
         .symptom = falls_more_slowly,
         .question = "Does the norm of post-norm lie on the residual's way?",
         .make =
             [](Choices& c) {
                 c.change<Wiring>().residual_past_norm = {false, true};
             }},
        {.id = "block_back_past_both_norms",
         .decision = "block_back",
         .title =
             "in post-norm, at both sub-layers, what goes past is the gradient before the norm, not the one behind it",
         .right = right_past_norm,
         .symptom = falls_more_slowly,
         .question = "Does the norm of post-norm lie on the residual's way?",
         .make =
             [](Choices& c) {
                 c.change<Wiring>().residual_past_norm = {true, true};
             }},
        {.id = "block_back_first_gain_twice",
         .decision = "block_back_places",
         .title = "both norms go back with the gain of norm1",
         .right = right_norms_back,
         .symptom = falls_more_slowly,
         .question = "With which gain does your code go back through norm2?",
         .make =
             [](Choices& c) {
                 c.change<Wiring>().norm_back = {0, 0};
             }},
        {.id = "block_back_second_gain_twice",
         .decision = "block_back_places",
         .title = "both norms go back with the gain of norm2",
         .right = right_norms_back,
         .symptom = falls_more_slowly,
         .question = "With which gain does your code go back through norm1?",
         .make =
             [](Choices& c) {
                 c.change<Wiring>().norm_back = {1, 1};
             }},
        {.id = "block_back_norm2_alone_at_x",
         .decision = "block_back_places",
         .title = "in pre-norm, norm2 goes back at x, not at y = x + attention(norm1(x))",
         .right = "layer_norm_backward gets what layer_norm was given: x for norm1, y for norm2",
         .symptom = falls_more_slowly,
         .question = "What was norm2 given on the way forward?",
         .make = [](Choices& c) { c.change<Wiring>().norm2_is_asked_at_x = true; }},
        {.id = "block_back_mlp_at_norm1",
         .decision = "block_back_places",
         .title = "in pre-norm, mlp_backward gets norm1(y), not norm2(y)",
         .right = right_place_of_mlp,
         .symptom = falls_more_slowly,
         .question = "By which norm do you compute once more what mlp was given?",
         .make = [](Choices& c) { c.change<Wiring>().norm_asked_of_mlp = 0; }},
        {.id = "block_back_mlp_at_x",
         .decision = "block_back_places",
         .title = "in post-norm, mlp_backward gets x, not y = norm1(x + attention(x))",
         .right = right_place_of_mlp,
         .symptom = falls_more_slowly,
         .question = "What was mlp given?",
         .make = [](Choices& c) { c.change<Wiring>().mlp_is_asked_at_x = true; }},
        {.id = "block_back_mlp_before_norm2",
         .decision = "block_back_places",
         .title = "in pre-norm, mlp_backward gets y, not norm2(y)",
         .right = right_place_of_mlp,
         .symptom = falls_more_slowly,
         .question = "What was mlp given?",
         .make =
             [](Choices& c) {
                 c.change<Wiring>().mlp_is_asked_before_norm = {true, false};
             }},
        {.id = "block_back_mlp_before_norm1",
         .decision = "block_back_places",
         .title = "in post-norm, mlp_backward gets x + attention(x), not norm1 of it",
         .right = right_place_of_mlp,
         .symptom = falls_more_slowly,
         .question = "What was mlp given?",
         .make =
             [](Choices& c) {
                 c.change<Wiring>().mlp_is_asked_before_norm = {false, true};
             }},
        {.id = "block_back_mlp_before_norm",
         .decision = "block_back_places",
         .title = "mlp_backward gets what the norm before it was given, not what it returned",
         .right = right_place_of_mlp,
         .symptom = falls_more_slowly,
         .question = "What was mlp given?",
         .make =
             [](Choices& c) {
                 c.change<Wiring>().mlp_is_asked_before_norm = {true, true};
             }},
        {.id = "block_back_forgets_attention",
         .decision = "block_back_places",
         .title = "on the way back norm2 is asked as if attention had added nothing: at x, not at x + attention(...)",
         .right = "compute y = x + attention(...) once more before going back through norm2",
         .symptom = falls_more_slowly,
         .question = "What was norm2 given on the way forward?",
         .make = [](Choices& c) { c.change<Wiring>().mlp_is_asked_at_attention_less = true; }},
        {.id = "block_back_norm1_at_attention_alone",
         .decision = "block_back_places",
         .title = "in post-norm, norm1 goes back at attention(x), not at x + attention(x)",
         .right = "layer_norm_backward gets what layer_norm was given: x + attention(x), y + mlp(y)",
         .symptom = falls_more_slowly,
         .question = "What was norm1 given on the way forward?",
         .make =
             [](Choices& c) {
                 c.change<Wiring>().norm_is_asked_at = {Wiring::Asked::added, Wiring::Asked::sum};
             }},
        {.id = "block_back_norm2_at_mlp_alone",
         .decision = "block_back_places",
         .title = "in post-norm, norm2 goes back at mlp(y), not at y + mlp(y)",
         .right = "layer_norm_backward gets what layer_norm was given: x + attention(x), y + mlp(y)",
         .symptom = falls_more_slowly,
         .question = "What was norm2 given on the way forward?",
         .make =
             [](Choices& c) {
                 c.change<Wiring>().norm_is_asked_at = {Wiring::Asked::sum, Wiring::Asked::added};
             }},
        {.id = "block_back_norm1_at_x",
         .decision = "block_back_places",
         .title = "in post-norm, norm1 goes back at x, not at x + attention(x)",
         .right = "layer_norm_backward gets what layer_norm was given: x + attention(x), y + mlp(y)",
         .symptom = falls_more_slowly,
         .question = "What was norm1 given on the way forward?",
         .make =
             [](Choices& c) {
                 c.change<Wiring>().norm_is_asked_at = {Wiring::Asked::input, Wiring::Asked::sum};
             }},
        {.id = "block_back_norm2_at_y",
         .decision = "block_back_places",
         .title = "in post-norm, norm2 goes back at y, not at y + mlp(y)",
         .right = "layer_norm_backward gets what layer_norm was given: x + attention(x), y + mlp(y)",
         .symptom = falls_more_slowly,
         .question = "What was norm2 given on the way forward?",
         .make =
             [](Choices& c) {
                 c.change<Wiring>().norm_is_asked_at = {Wiring::Asked::sum, Wiring::Asked::input};
             }},
        {.id = "block_back_norms_exchanged",
         .decision = "block_back",
         .title = "the gradients of norm1 and norm2 stand in each other's place",
         .right = right_norms_back,
         .symptom = "both norms learn what the other should",
         .question = "Which norm's gradients do you write into norm1?",
         .make = [](Choices& c) { c.change<Wiring>().norm_weights_exchanged = true; }},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
