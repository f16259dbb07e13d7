// The MLP, forwards and backwards.
#include "suites/14_block/activation.hpp"

#include "diagnosis/catalogue.hpp"

namespace headway::diagnosis {
namespace {

constexpr const char* right_mlp = "gelu(x·w_in + b_in)·w_out + b_out";
constexpr const char* right_back =
    "with a = x·w_in + b_in and h = gelu(a): grad_h = grad_y·w_outᵀ, grad_a = gelu_backward(a, grad_h)";
constexpr const char* slower = "the loss falls all the same, more slowly: only a comparison shows it";

}  // namespace

namespace chapters {

Chapter block_mlp() {
    static constexpr Decision decisions[] = {
        {.id = "mlp_forward",
         .stage = "",
         .lesson = {{"14", "The MLP, and back"}},
         .pseudocode = "h (B,T,F) = gelu(x·w_in + b_in); y (B,T,D) = h·w_out + b_out"},
        {.id = "mlp_back",
         .stage = "",
         .lesson = {{"14", "The MLP, and back"}},
         .pseudocode = "a = x·w_in + b_in; grad_a = gelu_backward(a, grad_y·w_outᵀ); grad_x = grad_a·w_inᵀ; w_in: "
                       "Σ xᵀ·grad_a; w_out: Σ gelu(a)ᵀ·grad_y"},
        {.id = "mlp_back_over_tokens",
         .stage = "",
         .lesson = {{"14", "The MLP, and back"}},
         .pseudocode = "the gradients of w_in (D,F) and w_out (F,D) are sums over all B·T tokens: rows of one matrix"},
        {.id = "mlp_back_to_biases",
         .stage = "",
         .lesson = {{"14", "The MLP, and back"}},
         .pseudocode = "grad_b_in (F) = Σ grad_a, grad_b_out (D) = Σ grad_y, both over all tokens of all sequences"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "mlp_without_activation",
         .decision = "mlp_forward",
         .title = "the activation is left out: the MLP is one linear map",
         .right = right_mlp,
         .symptom = "it trains, and learns no more than a linear map can",
         .question = "What lies between the two maps?",
         .make = [](Choices& c) { c.change<Activation>().activates = false; }},
        {.id = "mlp_without_b_in",
         .decision = "mlp_forward",
         .title = "the bias before the activation, b_in, is left out",
         .right = right_mlp,
         .symptom = "right before training, when biases are 0",
         .question = "What does gelu see for a token of zeros?",
         .make = [](Choices& c) { c.change<Activation>().has_b_in = false; }},
        {.id = "mlp_without_b_out",
         .decision = "mlp_forward",
         .title = "the last bias, b_out, is left out",
         .right = right_mlp,
         .symptom = "right before training, when biases are 0",
         .question = "What does your MLP give if w_out is zero?",
         .make = [](Choices& c) { c.change<Activation>().has_b_out = false; }},
        {.id = "mlp_b_in_after_activation",
         .decision = "mlp_forward",
         .title = "b_in is added behind the activation",
         .right = right_mlp,
         .symptom = "b_in can no longer move where a feature switches on; loaded weights give nonsense",
         .question = "What does gelu see for a token of zeros?",
         .make = [](Choices& c) { c.change<Activation>().b_in_last = true; }},
        {.id = "mlp_layout_by_shape",
         .decision = "mlp_forward",
         .title = "where D = F, weights are taken as (out, in): their layout is guessed from their shape",
         .right = "weights are (in, out) always: x·w_in, then ·w_out; nothing is to be guessed",
         .symptom = "right until a model has D = F: then every number is wrong, and no shape shows it",
         .question = "What does your code do with a square weight?",
         .make = [](Choices& c) { c.change<Activation>().square_is_turned = true; }},
        // ---- and back ----
        {.id = "mlp_back_past_activation",
         .decision = "mlp_back",
         .title = "the way back leaves the activation out: grad_h is taken for grad_a",
         .right = right_back,
         .symptom = slower,
         .question = "What lies between the two maps, on the way back too?",
         .make = [](Choices& c) { c.change<Activation>().slope_counts = false; }},
        {.id = "mlp_slope_at_activated",
         .decision = "mlp_back",
         .title = "the derivative of gelu is taken at gelu(a), not at a",
         .right = right_back,
         .symptom = slower,
         .question = "What was gelu given on the way forward?",
         .make = [](Choices& c) { c.change<Activation>().slope_at_activated = true; }},
        {.id = "mlp_w_out_from_pre_activation",
         .decision = "mlp_back",
         .title = "the gradient of w_out is made of a, which nothing has activated",
         .right = "w_out multiplies h = gelu(a), so its gradient is Σ hᵀ·grad_y",
         .symptom = slower,
         .question = "What does w_out multiply?",
         .make = [](Choices& c) { c.change<Activation>().w_out_sees_activated = false; }},
        {.id = "mlp_w_in_past_activation",
         .decision = "mlp_back",
         .title = "the gradient of w_in is made of grad_h, which did not go through the activation",
         .right = right_back,
         .symptom = slower,
         .question = "Does w_in's gradient go through gelu?",
         .make = [](Choices& c) { c.change<Activation>().w_in_gets_slope = false; }},
        {.id = "mlp_x_past_activation",
         .decision = "mlp_back",
         .title = "the gradient of x is made of grad_h, which did not go through the activation",
         .right = right_back,
         .symptom = slower,
         .question = "Does x's gradient go through gelu?",
         .make = [](Choices& c) { c.change<Activation>().x_gets_slope = false; }},
        {.id = "mlp_back_layout_by_shape",
         .decision = "mlp_back",
         .title =
             "where D = F, gradients are multiplied by w itself, not by wᵀ: w is turned only if its shape asks for it",
         .right = "a gradient goes back through x·w as grad·wᵀ, square or not",
         .symptom = "right until a model has D = F: then gradients are wrong, and no shape shows it",
         .question = "What does your code do with a square weight?",
         .make = [](Choices& c) { c.change<Activation>().square_is_turned_back = true; }},
        {.id = "mlp_back_view_for_transpose",
         .decision = "mlp_back",
         .title =
             "the gradient of x goes through a view of w_in as (F, D), which turns nothing: its numbers lie as before",
         .right = "w_in.transpose(0, 1) swaps the axes; view keeps the order of the numbers",
         .symptom = "shapes fit, and the gradient of x is a mixture of the wrong weights",
         .question = "Which number is w_in.view({F, D})[0][1]?",
         .make = [](Choices& c) { c.change<Activation>().w_in_is_viewed = true; }},
        {.id = "mlp_w_in_of_last_sequence",
         .decision = "mlp_back_over_tokens",
         .title = "only the last sequence of the batch reaches the gradient of w_in",
         .right = "a weight that every token uses gets the sum over all tokens of all sequences",
         .symptom = "right with batch 1; else most of what the batch says is lost",
         .question = "Inside your loop over sequences, do you write = or +=?",
         .make = [](Choices& c) { c.change<Activation>().w_in_of_last_sequence = true; }},
        {.id = "mlp_w_out_of_last_sequence",
         .decision = "mlp_back_over_tokens",
         .title = "only the last sequence of the batch reaches the gradient of w_out",
         .right = "a weight that every token uses gets the sum over all tokens of all sequences",
         .symptom = "right with batch 1; else most of what the batch says is lost",
         .question = "Inside your loop over sequences, do you write = or +=?",
         .make = [](Choices& c) { c.change<Activation>().w_out_of_last_sequence = true; }},
        {.id = "mlp_weights_of_last_sequence",
         .decision = "mlp_back_over_tokens",
         .title = "only the last sequence of the batch reaches the gradients of w_in and w_out",
         .right = "a weight that every token uses gets the sum over all tokens of all sequences",
         .symptom = "right with batch 1; else most of what the batch says is lost",
         .question = "Inside your loop over sequences, do you write = or +=?",
         .make =
             [](Choices& c) {
                 c.change<Activation>().w_in_of_last_sequence = c.change<Activation>().w_out_of_last_sequence = true;
             }},
        {.id = "mlp_b_in_past_activation",
         .decision = "mlp_back_to_biases",
         .title = "the gradient of b_in is made of grad_h, which did not go through the activation",
         .right = right_back,
         .symptom = slower,
         .question = "Does b_in's gradient go through gelu?",
         .make = [](Choices& c) { c.change<Activation>().b_in_gets_slope = false; }},
        {.id = "mlp_biases_averaged",
         .decision = "mlp_back_to_biases",
         .title = "the gradients of the biases are means over tokens, not sums",
         .right = "a weight that every token uses gets the sum over all tokens of all sequences",
         .symptom = "biases learn B·T times too slowly",
         .question = "How do the biases' gradients change when the batch is doubled?",
         .make = [](Choices& c) { c.change<Activation>().biases = Activation::Pooled::mean; }},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
