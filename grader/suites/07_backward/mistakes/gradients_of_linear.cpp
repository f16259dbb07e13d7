// The way back through Linear: sums over tokens, and gradients that are added up.
#include "suites/07_backward/gradients.hpp"

#include "diagnosis/catalogue.hpp"
#include "diagnosis/elements.hpp"

#include <cmath>

namespace headway::diagnosis {
namespace {

using reference::matmul;
using reference::reshape;
using reference::transpose;

constexpr const char* all_tokens = "a parameter that every token uses gets the sum over all tokens of all sequences";

/// Sequence b alone.
Array sequence(const Array& x, Index b) {
    return gathered(x, {1, x.size(1), x.size(2)}, [&](Coordinate at) {
        const Index from[] = {b, at[1], at[2]};
        return position(x.shape, from);
    });
}

/// The sum over all tokens, divided by something.
Array averaged_weight(const Array& x, const Array& grad_y, Index over) {
    return reference::scale(Gradients::right().weight(x, grad_y), 1 / static_cast<double>(over));
}

/// Each output's gradient of the bias, with those of the outputs before it.
Array summed_up_to_each_output(const Array& grad_y) {
    Array bias = Gradients::right().bias(grad_y);
    for (std::size_t o = 1; o < bias.value.size(); ++o) {
        bias.value[o] += bias.value[o - 1];
        bias.error[o] += bias.error[o - 1] + reference::unit_roundoff * std::abs(bias.value[o]);
    }
    return bias;
}

/// The last token of the last sequence alone.
Array last_token(const Array& x) {
    return gathered(x, {1, 1, x.size(2)}, [&](Coordinate at) {
        const Index from[] = {x.size(0) - 1, x.size(1) - 1, at[2]};
        return position(x.shape, from);
    });
}
Array last_sequence(const Array& x) { return sequence(x, x.size(0) - 1); }

using Left = Array (*)(const Array& x);

/// Each share overwrites the one before, and what was there: the last is left.
template <Left left>
void overwrite_weight(Choices& c) {
    c.change<Gradients>().weight_is_added = false;
    c.change<Gradients>().weight = [](const Array& x, const Array& grad_y) {
        return Gradients::right().weight(left(x), left(grad_y));
    };
}
template <Left left>
void overwrite_bias(Choices& c) {
    c.change<Gradients>().bias_is_added = false;
    c.change<Gradients>().bias = [](const Array& grad_y) { return Gradients::right().bias(left(grad_y)); };
}
template <Left left>
void overwrite_both(Choices& c) {
    overwrite_weight<left>(c);
    overwrite_bias<left>(c);
}

constexpr const char* last_is_left = "all tokens but a few leave no trace, and neither does what was there before";
constexpr const char* assigned_in_the_loop = "Inside your loop over tokens, do you write = or +=?";

constexpr const char* added_to_itself =
    "what is written goes to the tensor itself, by += or by its indices: a contiguous copy is not the tensor";
constexpr const char* of_contiguous = "Does contiguous() give a view of the gradient, or a copy of it? When which?";

constexpr const char* added = "add to what is there: a parameter that is used twice gets both contributions";

}  // namespace

namespace chapters {

Chapter gradients_of_linear() {
    static constexpr Decision decisions[] = {
        {.id = "gradient_of_input",
         .stage = Stage::project,
         .lesson = {{"07", "As a formula"}},
         .pseudocode = "grad_x (B,T,in) = grad_y (B,T,out) · weight (out,in)"},
        {.id = "gradient_of_weight",
         .stage = Stage::project,
         .lesson = {{"07", "What is used often gets a sum"}},
         .pseudocode = "grad_weight (out,in) += grad_yᵀ (out,B·T) · x (B·T,in): every token of every sequence"},
        {.id = "gradient_of_bias",
         .stage = Stage::project,
         .lesson = {{"07", "What is used often gets a sum"}},
         .pseudocode = "grad_bias (out) += Σ over b and t of grad_y[b,t]"},
        {.id = "gradients_added",
         .stage = Stage::project,
         .lesson = {{"07", "What is used often gets a sum"}},
         .pseudocode = "grad_weight += ...; grad_bias += ...: the caller decides when to start from zero"},
        {.id = "check_gradients",
         .stage = Stage::none,
         .lesson = {{"07", in_the_header}},
         .pseudocode = "at the top of the function: if the sizes do not fit, throw std::invalid_argument"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "accepts_other_gradients",
         .decision = "check_gradients",
         .title = "a gradient whose shape does not fit is not refused",
         .right = "throw std::invalid_argument, as the header says",
         .symptom = "wrong numbers or a crash far away from the cause",
         .question = "What does your loop do where the gradient has more tokens than x?",
         .make = [](Choices& c) { c.checking.gradients = false; }},
        {.id = "gradient_of_input_weight_turned",
         .decision = "gradient_of_input",
         .title = "the gradient of x reads the numbers of weight as (in, out)",
         .right = "weight is (out, in): grad_x = grad_y · weight",
         .symptom = "the shape fits; x gets nonsense",
         .question = "Is the weight of a Linear stored (out, in) or (in, out)?",
         .make =
             [](Choices& c) {
                 c.change<Gradients>().input = [](const Array& grad_y, const Array& weight) {
                     return matmul(grad_y, transpose(reshape(weight, {weight.size(1), weight.size(0)}), 0, 1));
                 };
             }},
        {.id = "gradient_of_weight_of_last_sequence",
         .decision = "gradient_of_weight",
         .title = "only the last sequence of the batch reaches the gradient of the weight",
         .right = all_tokens,
         .symptom = "right with batch 1; else most of what the batch says is lost",
         .question = "Over which axes does your sum run?",
         .make =
             [](Choices& c) {
                 c.change<Gradients>().weight = [](const Array& x, const Array& grad_y) {
                     const Index b = x.size(0) - 1;
                     return Gradients::right().weight(sequence(x, b), sequence(grad_y, b));
                 };
             }},
        {.id = "gradient_of_weight_of_first_sequence",
         .decision = "gradient_of_weight",
         .title = "only the first sequence of the batch reaches the gradient of the weight",
         .right = all_tokens,
         .symptom = "right with batch 1; else most of what the batch says is lost",
         .question = "Over which axes does your sum run?",
         .make =
             [](Choices& c) {
                 c.change<Gradients>().weight = [](const Array& x, const Array& grad_y) {
                     return Gradients::right().weight(sequence(x, 0), sequence(grad_y, 0));
                 };
             }},
        {.id = "gradient_of_weight_of_last_token",
         .decision = "gradient_of_weight",
         .title = "only the last token of the last sequence reaches the gradient of the weight",
         .right = all_tokens,
         .symptom = "right for one token; else most of what the batch says is lost",
         .question = assigned_in_the_loop,
         .make =
             [](Choices& c) {
                 c.change<Gradients>().weight = [](const Array& x, const Array& grad_y) {
                     return Gradients::right().weight(last_token(x), last_token(grad_y));
                 };
             }},
        {.id = "gradient_of_weight_averaged",
         .decision = "gradient_of_weight",
         .title = "the gradient of the weight is the mean over tokens, not their sum",
         .right = all_tokens,
         .symptom = "the weight learns B·T times too slowly",
         .question = "How does the weight's gradient change when the batch is doubled?",
         .make =
             [](Choices& c) {
                 c.change<Gradients>().weight = [](const Array& x, const Array& grad_y) {
                     return averaged_weight(x, grad_y, x.size(0) * x.size(1));
                 };
             }},
        {.id = "gradient_of_weight_averaged_over_sequences",
         .decision = "gradient_of_weight",
         .title = "the gradient of the weight is summed over tokens, but averaged over the sequences of the batch",
         .right = all_tokens,
         .symptom = "right with batch 1; else the weight learns B times too slowly",
         .question = "Is L a mean over the batch, or has grad_y said that already?",
         .make =
             [](Choices& c) {
                 c.change<Gradients>().weight = [](const Array& x, const Array& grad_y) {
                     return averaged_weight(x, grad_y, x.size(0));
                 };
             }},
        {.id = "gradient_of_bias_of_first_sequence",
         .decision = "gradient_of_bias",
         .title = "only the first sequence of the batch reaches the gradient of the bias",
         .right = all_tokens,
         .symptom = "right with batch 1; else most of what the batch says is lost",
         .question = "Over which axes does your sum run?",
         .make =
             [](Choices& c) {
                 c.change<Gradients>().bias = [](const Array& grad_y) {
                     return Gradients::right().bias(sequence(grad_y, 0));
                 };
             }},
        {.id = "gradient_of_bias_of_last_sequence",
         .decision = "gradient_of_bias",
         .title = "only the last sequence of the batch reaches the gradient of the bias",
         .right = all_tokens,
         .symptom = "right with batch 1; else most of what the batch says is lost",
         .question = "Over which axes does your sum run?",
         .make =
             [](Choices& c) {
                 c.change<Gradients>().bias = [](const Array& grad_y) {
                     return Gradients::right().bias(sequence(grad_y, grad_y.size(0) - 1));
                 };
             }},
        {.id = "gradient_of_bias_averaged",
         .decision = "gradient_of_bias",
         .title = "the gradient of the bias is the mean over tokens, not their sum",
         .right = all_tokens,
         .symptom = "the bias learns B·T times too slowly",
         .question = "How does the bias's gradient change when the batch is doubled?",
         .make =
             [](Choices& c) {
                 c.change<Gradients>().bias = [](const Array& grad_y) {
                     return reference::scale(Gradients::right().bias(grad_y),
                                             1 / static_cast<double>(grad_y.size(0) * grad_y.size(1)));
                 };
             }},
        {.id = "gradient_of_bias_averaged_over_tokens",
         .decision = "gradient_of_bias",
         .title = "the gradient of the bias is summed over sequences, but averaged over their tokens",
         .right = all_tokens,
         .symptom = "the bias learns T times too slowly",
         .question = "How does the bias's gradient change when sequences are twice as long?",
         .make =
             [](Choices& c) {
                 c.change<Gradients>().bias = [](const Array& grad_y) {
                     return reference::scale(Gradients::right().bias(grad_y), 1 / static_cast<double>(grad_y.size(1)));
                 };
             }},
        {.id = "gradient_of_bias_averaged_over_sequences",
         .decision = "gradient_of_bias",
         .title = "the gradient of the bias is summed over tokens, but averaged over the sequences of the batch",
         .right = all_tokens,
         .symptom = "right with batch 1; else the bias learns B times too slowly",
         .question = "Is L a mean over the batch, or has grad_y said that already?",
         .make =
             [](Choices& c) {
                 c.change<Gradients>().bias = [](const Array& grad_y) {
                     return reference::scale(Gradients::right().bias(grad_y), 1 / static_cast<double>(grad_y.size(0)));
                 };
             }},
        {.id = "gradient_of_bias_goes_on",
         .decision = "gradient_of_bias",
         .title = "the sum for the bias does not begin anew at the next output: output o gets those of outputs 0 to o",
         .right = all_tokens,
         .symptom = "the first output's bias is right, each further one gets those before it too",
         .question = "Where does the sum for one element of the bias begin at 0?",
         .make = [](Choices& c) { c.change<Gradients>().bias = &summed_up_to_each_output; }},
        {.id = "gradients_assigned",
         .decision = "gradients_added",
         .title = "the gradients of weight and bias are assigned instead of added to what is there",
         .right = added,
         .symptom = "right from zero; where a parameter is used twice, or batches are added up, half is lost",
         .question = "Do you write = or +=?",
         .make =
             [](Choices& c) { c.change<Gradients>().weight_is_added = c.change<Gradients>().bias_is_added = false; }},
        {.id = "gradient_of_weight_assigned",
         .decision = "gradients_added",
         .title = "the gradient of the weight is assigned instead of added to what is there; that of the bias is right",
         .right = added,
         .symptom = "right from zero; where a parameter is used twice, half is lost",
         .question = "Do you write = or +=?",
         .make = [](Choices& c) { c.change<Gradients>().weight_is_added = false; }},
        {.id = "gradient_of_bias_assigned",
         .decision = "gradients_added",
         .title = "the gradient of the bias is assigned instead of added to what is there; that of the weight is right",
         .right = added,
         .symptom = "right from zero; where a parameter is used twice, half is lost",
         .question = "Do you write = or +=?",
         .make = [](Choices& c) { c.change<Gradients>().bias_is_added = false; }},
        {.id = "gradient_of_weight_in_a_copy",
         .decision = "gradients_added",
         .title = "the gradient of the weight is added to grad_weight.contiguous(), which is a copy wherever "
                  "grad_weight is a view that is not contiguous",
         .right = added_to_itself,
         .symptom = "right as long as the gradient is contiguous; else nothing reaches it",
         .question = of_contiguous,
         .make = [](Choices& c) { c.change<Gradients>().weight_in_a_copy = true; }},
        {.id = "gradients_in_copies",
         .decision = "gradients_added",
         .title = "the gradients of weight and bias are added to contiguous(), which is a copy wherever what it is "
                  "asked of is a view that is not contiguous",
         .right = added_to_itself,
         .symptom = "right as long as both gradients are contiguous; nothing reaches one that is not",
         .question = of_contiguous,
         .make =
             [](Choices& c) { c.change<Gradients>().weight_in_a_copy = c.change<Gradients>().bias_in_a_copy = true; }},
        {.id = "gradient_of_bias_overwritten_by_each_token",
         .decision = "gradient_of_bias",
         .title = "the gradient of the bias is overwritten by each token: that of the last token of the last sequence "
                  "alone is left",
         .right = all_tokens,
         .symptom = last_is_left,
         .question = assigned_in_the_loop,
         .make = &overwrite_bias<&last_token>},
        {.id = "gradient_of_bias_overwritten_by_each_sequence",
         .decision = "gradient_of_bias",
         .title = "the gradient of the bias is overwritten by each sequence: that of the last sequence alone is left",
         .right = all_tokens,
         .symptom = last_is_left,
         .question = assigned_in_the_loop,
         .make = &overwrite_bias<&last_sequence>},
        {.id = "gradient_of_weight_overwritten_by_each_token",
         .decision = "gradient_of_weight",
         .title = "the gradient of the weight is overwritten by each token: that of the last token of the last "
                  "sequence alone is left",
         .right = all_tokens,
         .symptom = last_is_left,
         .question = assigned_in_the_loop,
         .make = &overwrite_weight<&last_token>},
        {.id = "gradient_of_weight_overwritten_by_each_sequence",
         .decision = "gradient_of_weight",
         .title = "the gradient of the weight is overwritten by each sequence: that of the last sequence alone is left",
         .right = all_tokens,
         .symptom = last_is_left,
         .question = assigned_in_the_loop,
         .make = &overwrite_weight<&last_sequence>},
        {.id = "gradients_overwritten_by_each_token",
         .decision = "gradients_added",
         .title = "the gradients of weight and bias are overwritten by each token: that of the last token of the last "
                  "sequence alone is left",
         .right = all_tokens,
         .symptom = last_is_left,
         .question = assigned_in_the_loop,
         .make = &overwrite_both<&last_token>},
        {.id = "gradients_overwritten_by_each_sequence",
         .decision = "gradients_added",
         .title = "the gradients of weight and bias are overwritten by each sequence: that of the last sequence alone "
                  "is left",
         .right = all_tokens,
         .symptom = last_is_left,
         .question = assigned_in_the_loop,
         .make = &overwrite_both<&last_sequence>},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
