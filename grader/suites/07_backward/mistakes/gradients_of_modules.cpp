// The way back through the module: masks, heads, and the three paths to its input.
#include "suites/07_backward/gradients.hpp"

#include "diagnosis/catalogue.hpp"
#include "diagnosis/elements.hpp"

namespace headway::diagnosis {
namespace {

Array gradient_merged_by_view(const Array& heads) {
    return reference::reshape(heads, {heads.size(0), heads.size(2), heads.size(1) * heads.size(3)});
}

constexpr const char* merged_back =
    "transpose(1, 2) to (B, T, H, d), then flatten: merging is the gradient of splitting";
constexpr const char* mixed_tokens = "a token's gradient is filled from several tokens; all shapes fit";
constexpr const char* which_tokens = "Which tokens does row 0 of your (B, T, D) gradient come from?";

constexpr const char* three_paths = "x is used three times, so it gets three gradients, added up";
constexpr const char* part_lost = "parameters learn; layers below get a part of their gradient";
constexpr const char* how_often = "How often is x used on the way forward?";

constexpr const char* own_weight = "each path goes back through the weight that made it on the way forward";
constexpr const char* other_weight = "the parameters' gradients are right, those of layers below are not";
constexpr const char* which_weight = "Which weight made q of x, which k, and which v?";

/// The gradient of x through one of q, k and v goes back through the weight of another.
template <std::size_t role, int weight>
void through(Choices& c) {
    c.change<Gradients>().path[role] = weight;
}

constexpr const char* all_four = "linear_backward for q, k, v and the output: four maps went forward, four go back";
constexpr const char* learns_nothing = "one projection never learns, and x lacks its gradient; nothing crashes";
constexpr const char* how_many_maps =
    "How many linear maps are there on the way forward, and how many on your way back?";

template <std::size_t role>
void not_gone_back(Choices& c) {
    c.change<Gradients>().goes_back[role] = false;
}

constexpr const char* own_gradient =
    "linear_backward for q gets attention's gradient of q, for k that of k, for v that of v";
constexpr const char* other_gradient = "one projection learns what another should; all shapes fit, nothing crashes";
constexpr const char* which_gradient =
    "Which of attention's three gradients goes into each of your three linear_backward?";

template <std::size_t role, std::size_t other>
void made_of(Choices& c) {
    c.change<Gradients>().made_of[role] = other;
}

template <std::size_t role, std::size_t other>
void exchanged(Choices& c) {
    made_of<role, other>(c);
    made_of<other, role>(c);
}

}  // namespace

namespace chapters {

Chapter gradients_of_modules() {
    static constexpr Decision decisions[] = {
        {.id = "gradient_mask",
         .stage = Stage::mask,
         .lesson = {{"07", "Masks"}},
         .pseudocode = "weights on the way back are those of the way forward: the same q, k and mask"},
        {.id = "gradient_of_output",
         .stage = Stage::output,
         .lesson = {{"07", "In words"}},
         .pseudocode = "y = out(merged): linear_backward(merged, out_weight, grad_y, ...)"},
        {.id = "gradient_heads",
         .stage = Stage::merge,
         .lesson = {{"07", "As a picture"}},
         .pseudocode =
             "back through split_heads: merge_heads, transpose(1, 2) and all; back through merge_heads: split_heads"},
        {.id = "gradient_paths",
         .stage = Stage::project,
         .lesson = {{"07", "What is used often gets a sum"}},
         .pseudocode = "grad_x = linear_backward of q + that of k + that of v: x is used three times"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "mask_forgotten_on_the_way_back",
         .decision = "gradient_mask",
         .title = "the way back is not masked",
         .right = "weights on the way back are those of the way forward",
         .symptom = "keys that nobody saw get gradients",
         .question = "Which weights does your way back use where a key was blocked?",
         .make = [](Choices& c) { c.change<Gradients>().mask_goes_back = false; }},
        {.id = "output_gradient_made_of_x",
         .decision = "gradient_of_output",
         .title = "the gradient of out_weight is made of x instead of the merged context",
         .right = "a Linear's gradient is made of what went into it: the merged context",
         .symptom = "the shape fits; the output projection learns nonsense",
         .question = "What goes into the output projection on the way forward?",
         .make = [](Choices& c) { c.change<Gradients>().output_sees_merged = false; }},
        {.id = "output_gradient_without_the_mask",
         .decision = "gradient_of_output",
         .title = "for the gradient of out_weight the context is worked out once more without the mask",
         .right = "what went into the output projection is the masked context, as on the way forward",
         .symptom = "out_weight learns from keys that nobody saw; right where nothing is blocked",
         .question = "Which arguments does your second call of attention lack?",
         .make = [](Choices& c) { c.change<Gradients>().output_is_masked = false; }},
        {.id = "output_gradient_weight_turned",
         .decision = "gradient_of_output",
         .title = "the gradient goes back through out_weight turned: grad_y · weightᵀ, as on the way forward",
         .right = "grad_merged (D) = grad_y (D) · out_weight (D, D), which the way forward turned",
         .symptom = "out_weight learns; everything before it gets nonsense",
         .question = "y = merged · weightᵀ: what does the gradient of merged multiply grad_y by?",
         .make =
             [](Choices& c) {
                 c.change<Gradients>().output = [](const Array& grad_y, const Array& weight) {
                     return reference::matmul(grad_y, reference::transpose(weight, 0, 1));
                 };
             }},
        {.id = "gradients_merged_by_view",
         .decision = "gradient_heads",
         .title = "the gradients of q, k and v are viewed as (B, T, D) without transposing back first",
         .right = merged_back,
         .symptom = mixed_tokens,
         .question = which_tokens,
         .make =
             [](Choices& c) {
                 c.change<Gradients>().merge = {&gradient_merged_by_view, &gradient_merged_by_view,
                                                &gradient_merged_by_view};
             }},
        {.id = "gradient_of_v_merged_by_view",
         .decision = "gradient_heads",
         .title = "the gradient of v is viewed as (B, T, D) without transposing back first; those of q and k are right",
         .right = merged_back,
         .symptom = mixed_tokens,
         .question = which_tokens,
         .make = [](Choices& c) { c.change<Gradients>().merge[2] = &gradient_merged_by_view; }},
        {.id = "gradient_of_context_split_by_view",
         .decision = "gradient_heads",
         .title = "the gradient of the merged context is viewed as (B, H, T, d) without a transpose",
         .right = "view as (B, T, H, d), then transpose(1, 2): splitting is the gradient of merging",
         .symptom = "each head gets the gradients of whole stretches of the sequence; all shapes fit",
         .question = "Which token does row 1 of head 0 come from?",
         .make =
             [](Choices& c) {
                 c.change<Gradients>().split = [](const Array& grad, Index H) {
                     return reference::reshape(grad, {grad.size(0), H, grad.size(1), grad.size(2) / H});
                 };
             }},
        {.id = "input_gradient_through_q_alone",
         .decision = "gradient_paths",
         .title = "x gets the gradient through q alone; those through k and v are lost",
         .right = three_paths,
         .symptom = part_lost,
         .question = how_often,
         .make =
             [](Choices& c) {
                 c.change<Gradients>().path = {0, -1, -1};
             }},
        {.id = "input_gradient_through_v_alone",
         .decision = "gradient_paths",
         .title = "x gets the gradient through v alone; those through q and k are lost",
         .right = three_paths,
         .symptom = part_lost,
         .question = how_often,
         .make =
             [](Choices& c) {
                 c.change<Gradients>().path = {-1, -1, 2};
             }},
        {.id = "input_gradient_not_through_v",
         .decision = "gradient_paths",
         .title = "x gets the gradients through q and k; that through v is lost",
         .right = three_paths,
         .symptom = part_lost,
         .question = how_often,
         .make =
             [](Choices& c) {
                 c.change<Gradients>().path = {0, 1, -1};
             }},
        {.id = "input_gradient_not_through_k",
         .decision = "gradient_paths",
         .title = "x gets the gradients through q and v; that through k is lost",
         .right = three_paths,
         .symptom = part_lost,
         .question = how_often,
         .make =
             [](Choices& c) {
                 c.change<Gradients>().path = {0, -1, 2};
             }},
        {.id = "input_gradient_not_through_q",
         .decision = "gradient_paths",
         .title = "x gets the gradients through k and v; that through q is lost",
         .right = three_paths,
         .symptom = part_lost,
         .question = how_often,
         .make =
             [](Choices& c) {
                 c.change<Gradients>().path = {-1, 1, 2};
             }},
        {.id = "input_gradient_through_q_by_k_weight",
         .decision = "gradient_paths",
         .title = "the gradient of x through q goes back through k_weight, not through q_weight",
         .right = own_weight,
         .symptom = other_weight,
         .question = which_weight,
         .make = &through<0, 1>},
        {.id = "input_gradient_through_q_by_v_weight",
         .decision = "gradient_paths",
         .title = "the gradient of x through q goes back through v_weight, not through q_weight",
         .right = own_weight,
         .symptom = other_weight,
         .question = which_weight,
         .make = &through<0, 2>},
        {.id = "input_gradient_through_k_by_q_weight",
         .decision = "gradient_paths",
         .title = "the gradient of x through k goes back through q_weight, not through k_weight",
         .right = own_weight,
         .symptom = other_weight,
         .question = which_weight,
         .make = &through<1, 0>},
        {.id = "input_gradient_through_k_by_v_weight",
         .decision = "gradient_paths",
         .title = "the gradient of x through k goes back through v_weight, not through k_weight",
         .right = own_weight,
         .symptom = other_weight,
         .question = which_weight,
         .make = &through<1, 2>},
        {.id = "input_gradient_through_v_by_q_weight",
         .decision = "gradient_paths",
         .title = "the gradient of x through v goes back through q_weight, not through v_weight",
         .right = own_weight,
         .symptom = other_weight,
         .question = which_weight,
         .make = &through<2, 0>},
        {.id = "input_gradient_through_v_by_k_weight",
         .decision = "gradient_paths",
         .title = "the gradient of x through v goes back through k_weight, not through v_weight",
         .right = own_weight,
         .symptom = other_weight,
         .question = which_weight,
         .make = &through<2, 1>},
        {.id = "map_of_q_not_gone_back",
         .decision = "gradient_paths",
         .title = "the way back through q is left out: q_weight, q_bias and x get nothing from it",
         .right = all_four,
         .symptom = learns_nothing,
         .question = how_many_maps,
         .make = &not_gone_back<0>},
        {.id = "map_of_k_not_gone_back",
         .decision = "gradient_paths",
         .title = "the way back through k is left out: k_weight, k_bias and x get nothing from it",
         .right = all_four,
         .symptom = learns_nothing,
         .question = how_many_maps,
         .make = &not_gone_back<1>},
        {.id = "map_of_v_not_gone_back",
         .decision = "gradient_paths",
         .title = "the way back through v is left out: v_weight, v_bias and x get nothing from it",
         .right = all_four,
         .symptom = learns_nothing,
         .question = how_many_maps,
         .make = &not_gone_back<2>},
        {.id = "map_of_q_gets_gradient_of_k",
         .decision = "gradient_paths",
         .title =
             "attention's gradient of k goes back through the map of q: q_weight, q_bias and x get what is made of it",
         .right = own_gradient,
         .symptom = other_gradient,
         .question = which_gradient,
         .make = &made_of<0, 1>},
        {.id = "map_of_k_gets_gradient_of_q",
         .decision = "gradient_paths",
         .title =
             "attention's gradient of q goes back through the map of k: k_weight, k_bias and x get what is made of it",
         .right = own_gradient,
         .symptom = other_gradient,
         .question = which_gradient,
         .make = &made_of<1, 0>},
        {.id = "map_of_v_gets_gradient_of_k",
         .decision = "gradient_paths",
         .title =
             "attention's gradient of k goes back through the map of v: v_weight, v_bias and x get what is made of it",
         .right = own_gradient,
         .symptom = other_gradient,
         .question = which_gradient,
         .make = &made_of<2, 1>},
        {.id = "maps_of_q_and_k_exchange_gradients",
         .decision = "gradient_paths",
         .title = "attention's gradients of q and k change places: each goes back through the map of the other",
         .right = own_gradient,
         .symptom = other_gradient,
         .question = which_gradient,
         .make = &exchanged<0, 1>},
        {.id = "maps_of_k_and_v_exchange_gradients",
         .decision = "gradient_paths",
         .title = "attention's gradients of k and v change places: each goes back through the map of the other",
         .right = own_gradient,
         .symptom = other_gradient,
         .question = which_gradient,
         .make = &exchanged<1, 2>},
    };
    return {decisions, mistakes, true};
}

}  // namespace chapters
}  // namespace headway::diagnosis
