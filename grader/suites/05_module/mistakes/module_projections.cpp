// The four projections as they are made: which has a bias, and which way round its sizes are.
#include "suites/05_module/module_choices.hpp"

#include "diagnosis/catalogue.hpp"

namespace headway::diagnosis {
namespace {

using Module = ModuleChoices;

constexpr const char* as_option = "the bias option decides for all four projections";

constexpr const char* given_the_option = "Which of your projections are given the bias option?";

constexpr const char* into_heads =
    "from the model width to that of all heads: nn::Linear(D, E, ...), whose weight is (E, D)";

constexpr const char* out_of_heads =
    "from the width of all heads to that of the model: nn::Linear(E, D, ...), whose weight is (D, E)";

constexpr const char* only_apart = "nothing shows while E = D; where head_dim is given, states cannot be loaded";

constexpr const char* compare_widths =
    "What are E = num_heads · head_dim and D with embed_dim = 6, 2 heads and head_dim = 5?";

/// For each projection by itself: more than one may be wrong.
constexpr Decision about(const char* id, const char* section, const char* pseudocode) {
    return {id, Stage::project, {{"05", section}}, pseudocode};
}

constexpr const char* as_asked = "make it with options.bias ? nn::Bias::yes : nn::Bias::no";

}  // namespace

namespace chapters {

Chapter module_projections() {
    static constexpr Decision decisions[] = {
        {.id = "biases",
         .stage = Stage::project,
         .lesson = {{"05", "Predict"}},
         .pseudocode =
             "bias = true: q_proj, k_proj, v_proj (E) and out_proj (D) each have one; bias = false: none has"},
        about("bias_of_q_proj", "Predict", as_asked),
        about("bias_of_k_proj", "Predict", as_asked),
        about("bias_of_v_proj", "Predict", as_asked),
        about("bias_of_out_proj", "Predict", as_asked),
        about("widths_of_q_proj", "As a formula", "q_proj: nn::Linear(D, E, bias, random_), so its weight is (E, D)"),
        about("widths_of_k_proj", "As a formula", "k_proj: nn::Linear(D, E, bias, random_), so its weight is (E, D)"),
        about("widths_of_v_proj", "As a formula", "v_proj: nn::Linear(D, E, bias, random_), so its weight is (E, D)"),
        about("widths_of_out_proj", "As a formula",
              "out_proj: nn::Linear(E, D, bias, random_), so its weight is (D, E)"),
        about("widths_of_projections", "As a formula",
              "q_proj, k_proj, v_proj: nn::Linear(D, E, bias, random_); out_proj: nn::Linear(E, D, bias, random_)"),
    };
    static constexpr Mistake mistakes[] = {
        {.id = "bias_regardless",
         .decision = "biases",
         .title = "there are biases even where bias = false",
         .right = as_option,
         .symptom = "states without biases cannot be loaded",
         .question = "How many parameters are there with bias = false?",
         .make = [](Choices& c) { c.change<ModuleChoices>().biases = Module::Biases::always; }},
        {.id = "bias_never",
         .decision = "biases",
         .title = "there are no biases even where bias = true",
         .right = as_option,
         .symptom = "states with biases cannot be loaded",
         .question = "How many parameters are there with bias = true?",
         .make = [](Choices& c) { c.change<ModuleChoices>().biases = Module::Biases::never; }},
        {.id = "q_proj_without_bias",
         .decision = "biases",
         .title = "q_proj has no bias where bias = true: there is no parameter q_proj.bias",
         .right = as_option,
         .symptom = "states with biases cannot be loaded",
         .question = given_the_option,
         .make = [](Choices& c) { c.change<ModuleChoices>().biases = Module::Biases::all_but_queries; }},
        {.id = "k_proj_without_bias",
         .decision = "biases",
         .title = "k_proj has no bias where bias = true: there is no parameter k_proj.bias",
         .right = as_option,
         .symptom = "states with biases cannot be loaded",
         .question = given_the_option,
         .make = [](Choices& c) { c.change<ModuleChoices>().biases = Module::Biases::all_but_keys; }},
        {.id = "v_proj_without_bias",
         .decision = "biases",
         .title = "v_proj has no bias where bias = true: there is no parameter v_proj.bias",
         .right = as_option,
         .symptom = "states with biases cannot be loaded",
         .question = given_the_option,
         .make = [](Choices& c) { c.change<ModuleChoices>().biases = Module::Biases::all_but_values; }},
        {.id = "out_proj_without_bias",
         .decision = "biases",
         .title = "out_proj has no bias where bias = true: there is no parameter out_proj.bias",
         .right = as_option,
         .symptom = "states with biases cannot be loaded",
         .question = given_the_option,
         .make = [](Choices& c) { c.change<ModuleChoices>().biases = Module::Biases::all_but_output; }},
        {.id = "bias_in_out_proj_alone",
         .decision = "biases",
         .title = "only out_proj has a bias where bias = true",
         .right = as_option,
         .symptom = "states with biases cannot be loaded",
         .question = given_the_option,
         .make = [](Choices& c) { c.change<ModuleChoices>().biases = Module::Biases::output_alone; }},
        {.id = "bias_inverted",
         .decision = "biases",
         .title = "there are biases where bias = false and none where bias = true",
         .right = as_option,
         .symptom = "no state can be loaded",
         .question = "What does bias = false give you?",
         .make = [](Choices& c) { c.change<ModuleChoices>().biases = Module::Biases::inverted; }},
        {.id = "q_proj_bias_regardless",
         .decision = "bias_of_q_proj",
         .title = "q_proj has a bias even where bias = false: there is a parameter q_proj.bias",
         .right = as_option,
         .symptom = "states without biases cannot be loaded",
         .question = given_the_option,
         .make = [](Choices& c) { c.change<ModuleChoices>().bias_regardless.query = true; }},
        {.id = "k_proj_bias_regardless",
         .decision = "bias_of_k_proj",
         .title = "k_proj has a bias even where bias = false: there is a parameter k_proj.bias",
         .right = as_option,
         .symptom = "states without biases cannot be loaded",
         .question = given_the_option,
         .make = [](Choices& c) { c.change<ModuleChoices>().bias_regardless.key = true; }},
        {.id = "v_proj_bias_regardless",
         .decision = "bias_of_v_proj",
         .title = "v_proj has a bias even where bias = false: there is a parameter v_proj.bias",
         .right = as_option,
         .symptom = "states without biases cannot be loaded",
         .question = given_the_option,
         .make = [](Choices& c) { c.change<ModuleChoices>().bias_regardless.value = true; }},
        {.id = "out_proj_bias_regardless",
         .decision = "bias_of_out_proj",
         .title = "out_proj has a bias even where bias = false: there is a parameter out_proj.bias",
         .right = as_option,
         .symptom = "states without biases cannot be loaded",
         .question = given_the_option,
         .make = [](Choices& c) { c.change<ModuleChoices>().bias_regardless.output = true; }},
        {.id = "q_proj_in_and_out_exchanged",
         .decision = "widths_of_q_proj",
         .title = "q_proj is made with in and out exchanged: nn::Linear(E, D) where (D, E) is due",
         .right = into_heads,
         .symptom = only_apart,
         .question = compare_widths,
         .make = [](Choices& c) { c.change<ModuleChoices>().exchanged.query = true; }},
        {.id = "k_proj_in_and_out_exchanged",
         .decision = "widths_of_k_proj",
         .title = "k_proj is made with in and out exchanged: nn::Linear(E, D) where (D, E) is due",
         .right = into_heads,
         .symptom = only_apart,
         .question = compare_widths,
         .make = [](Choices& c) { c.change<ModuleChoices>().exchanged.key = true; }},
        {.id = "v_proj_in_and_out_exchanged",
         .decision = "widths_of_v_proj",
         .title = "v_proj is made with in and out exchanged: nn::Linear(E, D) where (D, E) is due",
         .right = into_heads,
         .symptom = only_apart,
         .question = compare_widths,
         .make = [](Choices& c) { c.change<ModuleChoices>().exchanged.value = true; }},
        {.id = "out_proj_in_and_out_exchanged",
         .decision = "widths_of_out_proj",
         .title = "out_proj is made with in and out exchanged: nn::Linear(D, E) where (E, D) is due",
         .right = out_of_heads,
         .symptom = only_apart,
         .question = compare_widths,
         .make = [](Choices& c) { c.change<ModuleChoices>().exchanged.output = true; }},
        {.id = "all_in_and_out_exchanged",
         .decision = "widths_of_projections",
         .title = "in and out are exchanged in all four: nn::Linear(E, D) for q_proj, k_proj and v_proj, (D, E) for "
                  "out_proj",
         .right = "q_proj, k_proj and v_proj are nn::Linear(D, E, ...), out_proj is nn::Linear(E, D, ...)",
         .symptom = only_apart,
         .question = compare_widths,
         .make =
             [](Choices& c) {
                 c.change<ModuleChoices>().exchanged = {true, true, true, true};
             }},
        {.id = "inner_in_and_out_exchanged",
         .decision = "widths_of_projections",
         .title = "q_proj, k_proj and v_proj are made with in and out exchanged: nn::Linear(E, D) where (D, E) is due",
         .right = into_heads,
         .symptom = only_apart,
         .question = compare_widths,
         .make =
             [](Choices& c) {
                 c.change<ModuleChoices>().exchanged = {true, true, true, false};
             }},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
