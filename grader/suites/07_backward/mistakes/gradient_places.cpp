// Whose gradients those of the maps of q, k and v are added to.
#include "suites/07_backward/gradients.hpp"

#include "diagnosis/catalogue.hpp"

namespace headway::diagnosis {
namespace {

template <std::size_t role, std::size_t other>
void weight_into(Choices& c) {
    c.change<Gradients>().weight_into[role] = other;
}

template <std::size_t role, std::size_t other>
void bias_into(Choices& c) {
    c.change<Gradients>().bias_into[role] = other;
}

template <std::size_t role, std::size_t other>
void map_into(Choices& c) {
    weight_into<role, other>(c);
    bias_into<role, other>(c);
}

constexpr Mistake in_the_place_of_another(std::string_view id, std::string_view title, void (*make)(Choices&)) {
    return {.id = id,
            .decision = "gradient_places",
            .title = title,
            .right = "grads holds a gradient for each parameter: that of q_weight belongs in grads.q_weight",
            .symptom = "one projection never learns, another learns from two; nothing crashes",
            .question = "Which parameters does each of your calls of linear_backward fill in?",
            .make = make};
}

}  // namespace

namespace chapters {

Chapter gradient_places() {
    static constexpr Decision decisions[] = {
        {.id = "gradient_places",
         .stage = Stage::project,
         .lesson = {{"07", "What is used often gets a sum"}},
         .pseudocode = "grads.q_weight += gradient of q_weight, grads.q_bias += gradient of q_bias; k, v alike"},
    };
    static constexpr Mistake mistakes[] = {
        in_the_place_of_another("gradient_of_q_weight_goes_to_k",
                                "the gradient of q_weight is added to that of k_weight", &weight_into<0, 1>),
        in_the_place_of_another("gradient_of_q_bias_goes_to_k", "the gradient of q_bias is added to that of k_bias",
                                &bias_into<0, 1>),
        in_the_place_of_another("gradients_of_q_go_to_k",
                                "the gradients of q_weight and q_bias are added to those of k_weight and k_bias",
                                &map_into<0, 1>),
        in_the_place_of_another("gradient_of_q_weight_goes_to_v",
                                "the gradient of q_weight is added to that of v_weight", &weight_into<0, 2>),
        in_the_place_of_another("gradient_of_q_bias_goes_to_v", "the gradient of q_bias is added to that of v_bias",
                                &bias_into<0, 2>),
        in_the_place_of_another("gradients_of_q_go_to_v",
                                "the gradients of q_weight and q_bias are added to those of v_weight and v_bias",
                                &map_into<0, 2>),
        in_the_place_of_another("gradient_of_k_weight_goes_to_q",
                                "the gradient of k_weight is added to that of q_weight", &weight_into<1, 0>),
        in_the_place_of_another("gradients_of_k_go_to_q",
                                "the gradients of k_weight and k_bias are added to those of q_weight and q_bias",
                                &map_into<1, 0>),
        in_the_place_of_another("gradient_of_k_weight_goes_to_v",
                                "the gradient of k_weight is added to that of v_weight", &weight_into<1, 2>),
        in_the_place_of_another("gradients_of_k_go_to_v",
                                "the gradients of k_weight and k_bias are added to those of v_weight and v_bias",
                                &map_into<1, 2>),
        in_the_place_of_another("gradient_of_v_weight_goes_to_q",
                                "the gradient of v_weight is added to that of q_weight", &weight_into<2, 0>),
        in_the_place_of_another("gradient_of_v_bias_goes_to_q", "the gradient of v_bias is added to that of q_bias",
                                &bias_into<2, 0>),
        in_the_place_of_another("gradients_of_v_go_to_q",
                                "the gradients of v_weight and v_bias are added to those of q_weight and q_bias",
                                &map_into<2, 0>),
        in_the_place_of_another("gradient_of_v_weight_goes_to_k",
                                "the gradient of v_weight is added to that of k_weight", &weight_into<2, 1>),
        in_the_place_of_another("gradient_of_v_bias_goes_to_k", "the gradient of v_bias is added to that of k_bias",
                                &bias_into<2, 1>),
        in_the_place_of_another("gradients_of_v_go_to_k",
                                "the gradients of v_weight and v_bias are added to those of k_weight and k_bias",
                                &map_into<2, 1>),
    };
    return {decisions, mistakes, true};
}

}  // namespace chapters
}  // namespace headway::diagnosis
