// What people do who write a block's two orders one below the other: a mistake in one of them, with the other right.
#include "suites/14_block/wiring.hpp"

#include "diagnosis/catalogue.hpp"

namespace headway::diagnosis {
namespace {

using Residual = Wiring::Residual;

void forget_first_residual(Wiring& w) { w.residual[0] = Residual::none; }
void forget_second_residual(Wiring& w) { w.residual[1] = Residual::none; }
void add_first_residual_twice(Wiring& w) { w.residual_times[0] = 2; }
void add_second_residual_twice(Wiring& w) { w.residual_times[1] = 2; }
void halve_past_attention(Wiring& w) { w.past_times[0] = 0.5; }
void halve_past_mlp(Wiring& w) { w.past_times[1] = 0.5; }
void use_first_norm_twice(Wiring& w) { w.norm = {0, 0}; }
void go_through_attention_alone(Wiring& w) { w.residual_goes_back[0] = false; }
void go_through_mlp_alone(Wiring& w) { w.residual_goes_back[1] = false; }
void go_back_by_first_gain(Wiring& w) { w.norm_back = {0, 0}; }

template <void (*make)(Wiring&)>
void in_pre_norm(Choices& c) {
    c.change<Wiring>().in_one_order.push_back({true, make});
}
template <void (*make)(Wiring&)>
void in_post_norm(Choices& c) {
    c.change<Wiring>().in_one_order.push_back({false, make});
}

constexpr const char* right_pre = "pre-norm: y = x + attention(norm1(x)), out = y + mlp(norm2(y))";
constexpr const char* right_post = "post-norm: y = norm1(x + attention(x)), out = norm2(y + mlp(y))";
constexpr const char* right_back_in_one = "a gradient goes two ways, past the sub-layer and through it: add both";
constexpr const char* right_gains = "norm1 belongs to attention, norm2 to the MLP";
constexpr const char* worse_in_one = "it trains; deep stacks train worse, and loaded weights give nonsense";
constexpr const char* double_in_one = "it trains; in a deep stack numbers double from block to block";
constexpr const char* lost_in_one = "it trains; loaded weights give nonsense";
constexpr const char* first_blocks = "in deep stacks the first blocks hardly learn";
constexpr const char* slowly_in_one = "the loss falls all the same, more slowly: only a comparison shows it";

}  // namespace

namespace chapters {

Chapter block_one_order() {
    static constexpr Mistake mistakes[] = {
        {.id = "block_first_residual_forgotten_in_pre_norm",
         .decision = "block_residuals",
         .title = "in pre-norm, attention's residual is forgotten",
         .right = right_pre,
         .symptom = worse_in_one,
         .question = "If attention gives zeros, what is left of x?",
         .make = &in_pre_norm<&forget_first_residual>},
        {.id = "block_first_residual_forgotten_in_post_norm",
         .decision = "block_residuals",
         .title = "in post-norm, attention's residual is forgotten",
         .right = right_post,
         .symptom = worse_in_one,
         .question = "If attention gives zeros, what is left of x?",
         .make = &in_post_norm<&forget_first_residual>},
        {.id = "block_second_residual_forgotten_in_pre_norm",
         .decision = "block_residuals",
         .title = "in pre-norm, the MLP's residual is forgotten",
         .right = right_pre,
         .symptom = worse_in_one,
         .question = "If the MLP gives zeros, what is left of attention's result?",
         .make = &in_pre_norm<&forget_second_residual>},
        {.id = "block_second_residual_forgotten_in_post_norm",
         .decision = "block_residuals",
         .title = "in post-norm, the MLP's residual is forgotten",
         .right = right_post,
         .symptom = worse_in_one,
         .question = "If the MLP gives zeros, what is left of attention's result?",
         .make = &in_post_norm<&forget_second_residual>},
        {.id = "block_first_norm_twice_in_pre_norm",
         .decision = "block_norms",
         .title = "in pre-norm, norm1 is used in both places",
         .right = right_pre,
         .symptom = lost_in_one,
         .question = "Where does your code read block.norm2?",
         .make = &in_pre_norm<&use_first_norm_twice>},
        {.id = "block_first_norm_twice_in_post_norm",
         .decision = "block_norms",
         .title = "in post-norm, norm1 is used in both places",
         .right = right_post,
         .symptom = lost_in_one,
         .question = "Where does your code read block.norm2?",
         .make = &in_post_norm<&use_first_norm_twice>},
        {.id = "block_back_without_first_residual_in_pre_norm",
         .decision = "block_back",
         .title = "in pre-norm, the gradient goes through attention alone, not past it",
         .right = right_back_in_one,
         .symptom = first_blocks,
         .question = "By how many ways does x reach x + attention(...)?",
         .make = &in_pre_norm<&go_through_attention_alone>},
        {.id = "block_back_without_first_residual_in_post_norm",
         .decision = "block_back",
         .title = "in post-norm, the gradient goes through attention alone, not past it",
         .right = right_back_in_one,
         .symptom = first_blocks,
         .question = "By how many ways does x reach x + attention(...)?",
         .make = &in_post_norm<&go_through_attention_alone>},
        {.id = "block_back_without_second_residual_in_pre_norm",
         .decision = "block_back",
         .title = "in pre-norm, the gradient goes through the MLP alone, not past it",
         .right = right_back_in_one,
         .symptom = first_blocks,
         .question = "By how many ways does y reach y + mlp(...)?",
         .make = &in_pre_norm<&go_through_mlp_alone>},
        {.id = "block_back_without_second_residual_in_post_norm",
         .decision = "block_back",
         .title = "in post-norm, the gradient goes through the MLP alone, not past it",
         .right = right_back_in_one,
         .symptom = first_blocks,
         .question = "By how many ways does y reach y + mlp(...)?",
         .make = &in_post_norm<&go_through_mlp_alone>},
        {.id = "block_back_first_gain_twice_in_pre_norm",
         .decision = "block_back_places",
         .title = "in pre-norm, both norms go back with the gain of norm1",
         .right = right_gains,
         .symptom = slowly_in_one,
         .question = "With which gain does your code go back through norm2?",
         .make = &in_pre_norm<&go_back_by_first_gain>},
        {.id = "block_back_first_gain_twice_in_post_norm",
         .decision = "block_back_places",
         .title = "in post-norm, both norms go back with the gain of norm1",
         .right = right_gains,
         .symptom = slowly_in_one,
         .question = "With which gain does your code go back through norm2?",
         .make = &in_post_norm<&go_back_by_first_gain>},
        {.id = "block_first_residual_twice_in_pre_norm",
         .decision = "block_residuals",
         .title = "in pre-norm, attention's residual is added twice: 2x + attention(...)",
         .right = right_pre,
         .symptom = double_in_one,
         .question = "If attention gives zeros, how often is x in what comes back?",
         .make = &in_pre_norm<&add_first_residual_twice>},
        {.id = "block_first_residual_twice_in_post_norm",
         .decision = "block_residuals",
         .title = "in post-norm, attention's residual is added twice: 2x + attention(...)",
         .right = right_post,
         .symptom = double_in_one,
         .question = "If attention gives zeros, how often is x in what comes back?",
         .make = &in_post_norm<&add_first_residual_twice>},
        {.id = "block_second_residual_twice_in_pre_norm",
         .decision = "block_residuals",
         .title = "in pre-norm, the MLP's residual is added twice: 2y + mlp(...)",
         .right = right_pre,
         .symptom = double_in_one,
         .question = "If the MLP gives zeros, how often is attention's result in what comes back?",
         .make = &in_pre_norm<&add_second_residual_twice>},
        {.id = "block_second_residual_twice_in_post_norm",
         .decision = "block_residuals",
         .title = "in post-norm, the MLP's residual is added twice: 2y + mlp(...)",
         .right = right_post,
         .symptom = double_in_one,
         .question = "If the MLP gives zeros, how often is attention's result in what comes back?",
         .make = &in_post_norm<&add_second_residual_twice>},
        {.id = "block_back_first_residual_halved_in_pre_norm",
         .decision = "block_back",
         .title = "in pre-norm, at attention, half of the gradient goes past it, and not all",
         .right = right_back_in_one,
         .symptom = first_blocks,
         .question = "If attention gives zeros, what is the gradient of x, given that of x + attention(...)?",
         .make = &in_pre_norm<&halve_past_attention>},
        {.id = "block_back_first_residual_halved_in_post_norm",
         .decision = "block_back",
         .title = "in post-norm, at attention, half of the gradient goes past it, and not all",
         .right = right_back_in_one,
         .symptom = first_blocks,
         .question = "If attention gives zeros, what is the gradient of x, given that of x + attention(...)?",
         .make = &in_post_norm<&halve_past_attention>},
        {.id = "block_back_second_residual_halved_in_pre_norm",
         .decision = "block_back",
         .title = "in pre-norm, at the MLP, half of the gradient goes past it, and not all",
         .right = right_back_in_one,
         .symptom = first_blocks,
         .question = "If the MLP gives zeros, what is the gradient of y, given that of y + mlp(...)?",
         .make = &in_pre_norm<&halve_past_mlp>},
        {.id = "block_back_second_residual_halved_in_post_norm",
         .decision = "block_back",
         .title = "in post-norm, at the MLP, half of the gradient goes past it, and not all",
         .right = right_back_in_one,
         .symptom = first_blocks,
         .question = "If the MLP gives zeros, what is the gradient of y, given that of y + mlp(...)?",
         .make = &in_post_norm<&halve_past_mlp>},
    };
    return {{}, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
