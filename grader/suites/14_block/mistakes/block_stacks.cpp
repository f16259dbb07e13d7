// Back through a stack of blocks.
#include "suites/14_block/wiring.hpp"

#include "diagnosis/catalogue.hpp"

namespace headway::diagnosis {
namespace {

constexpr const char* own_input = "block i goes back at its own input, what block i - 1 returned";
constexpr const char* last_first =
    "begin with the last block and grad_y; each hands the gradient of its input on to the one before";

}  // namespace

namespace chapters {

Chapter block_stacks() {
    static constexpr Decision decisions[] = {
        {.id = "stack_inputs",
         .stage = Stage::none,
         .lesson = {{"14", "Inputs alone"}},
         .pseudocode = "inputs[0] = x; inputs[i + 1] = block_forward(blocks[i], inputs[i])"},
        {.id = "stack_back",
         .stage = Stage::none,
         .lesson = {{"14", "Inputs alone"}},
         .pseudocode =
             "grad = grad_y; for i = L-1 ... 0: grads[i] = block_backward(blocks[i], inputs[i], grad); grad = "
             "grads[i].x"},
        {.id = "stack_answers",
         .stage = Stage::none,
         .lesson = {{"14", "Inputs alone"}},
         .pseudocode = "grads[i] belongs to blocks[i]"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "stack_back_at_first_input",
         .decision = "stack_inputs",
         .title = "every block goes back at x, the input of the first",
         .right = own_input,
         .symptom = "right for one block alone",
         .question = "Which input does block 1 go back at?",
         .make = [](Choices& c) { c.change<Wiring>().input = Wiring::Input::first; }},
        {.id = "stack_forward_from_x",
         .decision = "stack_inputs",
         .title = "on the way forward each block gets x, not what the block before returned",
         .right = "inputs[i + 1] = block_forward(blocks[i], inputs[i])",
         .symptom = "right for one block and for two",
         .question = "What does the third block get, on the way forward?",
         .make = [](Choices& c) { c.change<Wiring>().forward_from_x = true; }},
        {.id = "stack_back_at_own_output",
         .decision = "stack_inputs",
         .title = "each block goes back at what it returned, not at its input",
         .right = own_input,
         .symptom = "gradients of the wrong place: the loss falls slowly or not at all",
         .question = "Which input does block 0 go back at?",
         .make = [](Choices& c) { c.change<Wiring>().input = Wiring::Input::next; }},
        {.id = "stack_back_at_last_output",
         .decision = "stack_inputs",
         .title = "every block goes back at what the last one returned: the inputs that were kept are one tensor",
         .right = own_input,
         .symptom = "gradients of the wrong place: the loss falls slowly or not at all",
         .question = "Which input does block 0 go back at, once the last block has run?",
         .make = [](Choices& c) { c.change<Wiring>().input = Wiring::Input::last; }},
        {.id = "stack_back_from_the_first",
         .decision = "stack_back",
         .title = "the way back begins with the first block",
         .right = last_first,
         .symptom = "right for one block alone",
         .question = "Which block gets grad_y itself?",
         .make = [](Choices& c) { c.change<Wiring>().goes_from_the_last = false; }},
        {.id = "stack_back_not_chained",
         .decision = "stack_back",
         .title = "every block gets grad_y itself, not the gradient of the next one's input",
         .right = last_first,
         .symptom = "right for one block alone",
         .question = "Which gradient does block 0 get?",
         .make = [](Choices& c) { c.change<Wiring>().chains = false; }},
        {.id = "stack_gradient_added_to",
         .decision = "stack_answers",
         .title = "grads[i + 1].x changes after it was stored: block_backward adds to the grad_y that it is given",
         .right =
             "block_backward leaves grad_y as it was: Tensor y = x is another view of the same numbers, clone() is not",
         .symptom = "the gradients of inputs inside the stack are wrong, all others are right",
         .question = "Which tensor does block i get as its grad_y, and who else holds it?",
         .make = [](Choices& c) { c.change<Wiring>().grad_y_is_added_to = true; }},
        {.id = "stack_back_through_first_weights",
         .decision = "stack_back",
         .title = "every block goes back through the weights of the first",
         .right = "block i goes back through its own weights",
         .symptom = "right for one block alone",
         .question = "Which block's weights do you go back through?",
         .make = [](Choices& c) { c.change<Wiring>().weights_of_first = true; }},
        {.id = "stack_settings_of_first",
         .decision = "stack_back",
         .title = "every block has the order, the formula and the eps of the first block",
         .right = "each block has an order, a formula and an eps of its own",
         .symptom = "right for stacks whose blocks differ in their weights alone",
         .question = "Block 0 is pre-norm and block 1 is post-norm. Which order do you take for block 1?",
         .make = [](Choices& c) { c.change<Wiring>().settings_of_first = true; }},
        {.id = "stack_answers_reversed",
         .decision = "stack_answers",
         .title = "gradients are returned in the order in which they were computed, the last block's first",
         .right = "[i] is the gradient of block i",
         .symptom = "shapes fit, and the first block learns what the last should",
         .question = "Which block do your first gradients belong to?",
         .make = [](Choices& c) { c.change<Wiring>().answers_in_order = false; }},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
