// Which parameters the module registers, their layout and their seed, and which options it refuses.
#include "suites/05_module/module_choices.hpp"

#include "diagnosis/catalogue.hpp"
#include "reference/array.hpp"

namespace headway::diagnosis {
namespace {

using reference::add;
using reference::matmul;
using reference::transpose;
using Module = ModuleChoices;

constexpr const char* four = "register four nn::Linear: q_proj, k_proj, v_proj and out_proj";

constexpr Decision check_of_options(const char* id) {
    return {id,
            Stage::none,
            {{"05", in_the_header}},
            "in the factory: if an option does not fit, throw std::invalid_argument"};
}

constexpr const char* refused_by_the_factory = "throw std::invalid_argument, as the header says";

}  // namespace

namespace chapters {

Chapter module() {
    static constexpr Decision decisions[] = {
        {.id = "registering",
         .stage = Stage::project,
         .lesson = {{"05", in_the_header}},
         .pseudocode =
             "register_module(\"q_proj\", q_proj_), and so k_proj, v_proj, out_proj: four nn::Linear, nothing else"},
        {.id = "head_dim",
         .stage = Stage::project,
         .lesson = {{"05", "Predict"}},
         .pseudocode = "head_dim = options.head_dim.value_or(embed_dim / num_heads);   E = num_heads · head_dim"},
        {.id = "layout",
         .stage = Stage::project,
         .lesson = {{"05", "As a formula"}},
         .pseudocode = "q_proj.weight (E, D), stored (out, in): q = x · weightᵀ + bias"},
        {.id = "seed",
         .stage = Stage::none,
         .lesson = {{"05", "In code"}},
         .pseudocode = "random_(options.seed), declared above the projections that draw from it"},
        {.id = "first_numbers",
         .stage = Stage::none,
         .lesson = {{"05", "What people get wrong"}},
         .pseudocode = "q_proj_(D, E, bias, random_), then k_proj_, v_proj_ and out_proj_ of the same random_"},
        check_of_options("check_embed_dim"),
        check_of_options("check_head_dim"),
        check_of_options("check_dropout"),
        check_of_options("check_negative_dropout"),
        check_of_options("check_nan_dropout"),
        check_of_options("check_needless"),
        check_of_options("check_cross"),
    };
    static constexpr Mistake mistakes[] = {
        // ---- parameters ----
        {.id = "parameters_not_registered",
         .decision = "registering",
         .title = "the projections are not registered",
         .right = four,
         .symptom = "the module has no parameters: nothing can be saved, loaded or trained",
         .question = "How many parameters does your module say it has?",
         .make = [](Choices& c) { c.change<ModuleChoices>().registered = Module::Registered::nothing; }},
        {.id = "out_proj_not_registered",
         .decision = "registering",
         .title = "out_proj is not registered",
         .right = four,
         .symptom = "the output projection is neither saved nor trained",
         .question = "How many parameters does your module say it has, and how many should there be?",
         .make = [](Choices& c) { c.change<ModuleChoices>().registered = Module::Registered::all_but_output; }},
        {.id = "registered_under_other_names",
         .decision = "registering",
         .title = "the projections are registered under other names than the header's",
         .right = four,
         .symptom = "saved states cannot be loaded",
         .question = "Which names does named_parameters list?",
         .make = [](Choices& c) { c.change<ModuleChoices>().registered = Module::Registered::other_names; }},
        {.id = "out_proj_under_other_name",
         .decision = "registering",
         .title = "the output projection is registered under another name than out_proj",
         .right = four,
         .symptom = "saved states cannot be loaded",
         .question = "Which names does named_parameters list?",
         .make =
             [](Choices& c) { c.change<ModuleChoices>().registered = Module::Registered::output_under_other_name; }},
        {.id = "one_packed_projection",
         .decision = "registering",
         .title = "q, k and v share one packed projection of three times the width",
         .right = four,
         .symptom = "saved states with q_proj, k_proj and v_proj cannot be loaded",
         .question = "Which names does named_parameters list?",
         .make = [](Choices& c) { c.change<ModuleChoices>().registered = Module::Registered::packed; }},
        {.id = "extra_parameter",
         .decision = "registering",
         .title = "one more parameter is registered beside the four projections",
         .right = four,
         .symptom = "saved states lack it and cannot be loaded",
         .question = "How many parameters does your module say it has, and how many should there be?",
         .make = [](Choices& c) { c.change<ModuleChoices>().registered = Module::Registered::one_more; }},
        {.id = "one_linear_under_three_names",
         .decision = "roles",
         .title = "one nn::Linear is registered as q_proj, k_proj and v_proj",
         .right = "three projections need three nn::Linear",
         .symptom = "queries, keys and values are the same; loading keeps the last of the three",
         .question = "How many objects of type nn::Linear does your class have?",
         .make =
             [](Choices& c) {
                 c.change<ModuleChoices>().one_linear_for_three = true;
                 c.projecting.weight = {2, 2, 2};
             }},
        {.id = "head_dim_option_ignored",
         .decision = "head_dim",
         .title = "the head_dim option is ignored: heads are embed_dim / num_heads wide whatever was asked for",
         .right = "embed_dim / num_heads is the default only",
         .symptom = "states of such modules cannot be loaded",
         .question = "Where does your code read options.head_dim?",
         .make = [](Choices& c) { c.change<ModuleChoices>().head_dim = Module::HeadDim::option_ignored; }},
        {.id = "head_dim_of_model_width",
         .decision = "head_dim",
         .title = "each head is embed_dim wide by default",
         .right = "the default is embed_dim / num_heads",
         .symptom = "the number of parameters grows with num_heads",
         .question = "How many parameters are there with one head, and how many with two?",
         .make = [](Choices& c) { c.change<ModuleChoices>().head_dim = Module::HeadDim::model_width; }},
        {.id = "linear_weight_untransposed",
         .decision = "layout",
         .title = "x is multiplied with the weight of nn::Linear itself instead of its transpose",
         .right = "nn::Linear stores (out, in): x · weightᵀ",
         .symptom = "nothing crashes where D = E; a loaded state gives nonsense",
         .question = "Is element [i, j] of nn::Linear's weight from input i to output j, or the other way round?",
         .shipped = {"LLMs-from-scratch: https://github.com/rasbt/LLMs-from-scratch/issues/857"},
         .make =
             [](Choices& c) {
                 c.projecting.apply = [](const Array& x, const Array& w, Index) {
                     return matmul(x, transpose(w, 0, 1));
                 };
                 c.output.product = [](const Projected& at) { return matmul(at.merged, transpose(at.w_o, 0, 1)); };
             }},
        {.id = "weights_stored_in_out",
         .decision = "layout",
         .title = "weights are stored (in, out)",
         .right = "nn::Linear stores them (out, in) and multiplies by the transpose",
         .symptom = "where D = E a saved state loads and gives nonsense",
         .question = "What is the shape of q_proj.weight with embed_dim = 6, 2 heads and head_dim = 5?",
         .make =
             [](Choices& c) {
                 c.change<ModuleChoices>().weight_shape = Module::WeightShape::in_out;
                 c.projecting.apply = [](const Array& x, const Array& w, Index) {
                     return matmul(x, transpose(w, 0, 1));
                 };
                 c.output.product = [](const Projected& at) { return matmul(at.merged, transpose(at.w_o, 0, 1)); };
             }},
        {.id = "one_small_linear_for_all_heads",
         .decision = "layout",
         .title = "heads are split before the projection, and one small nn::Linear projects each of them",
         .right = "project first, (D -> E), then split: each head has its own columns",
         .symptom = "a head sees only its piece of a token; saved states cannot be loaded",
         .question = "What is the shape of your q_proj.weight?",
         .shipped =
             {"Machine-Learning-Collection: https://github.com/aladdinpersson/Machine-Learning-Collection/issues/3",
              "episodic-transformer-memory-ppo: https://github.com/MarcoMeter/episodic-transformer-memory-ppo/pull/22"},
         .make = [](Choices& c) { c.change<ModuleChoices>().weight_shape = Module::WeightShape::one_head; }},
        {.id = "seed_ignored",
         .decision = "seed",
         .title = "modules with other seeds begin with the same parameters",
         .right = "draw them from a Random(options.seed) that is made first: members are made in the order in which "
                  "they are "
                  "declared",
         .symptom = "runs with other seeds are no other runs",
         .question = "Where does your code read options.seed, and is the generator made before what draws from it?",
         .make = [](Choices& c) { c.change<ModuleChoices>().seeding = Module::Seeding::constant; }},
        {.id = "seed_never_the_same",
         .decision = "seed",
         .title = "equal seeds give other parameters each time",
         .right = "draw from Random(options.seed) and nothing else",
         .symptom = "no result can be repeated",
         .question = "What seeds your generator?",
         .make = [](Choices& c) { c.change<ModuleChoices>().seeding = Module::Seeding::never_the_same; }},
        {.id = "projections_begin_alike",
         .decision = "first_numbers",
         .title = "q_proj, k_proj and v_proj begin with the same numbers, as if each were drawn from a Random of its "
                  "own with the same seed",
         .right = "one Random for all four nn::Linear, in the order q_proj, k_proj, v_proj, out_proj: each draws on "
                  "where the one before stopped",
         .symptom = "a new module projects queries, keys and values by one and the same matrix",
         .question = "Which generator is each of your nn::Linear drawn from, and what was drawn from it before?",
         .make = [](Choices& c) { c.change<ModuleChoices>().first_numbers_alike = true; }},
        // ---- what is refused ----
        {.id = "accepts_dropout_one",
         .decision = "check_dropout",
         .title = "dropout = 1 is not refused",
         .right = refused_by_the_factory,
         .symptom = "nothing would be left, and 1 / (1 - p) is infinite",
         .question = "What is 1 / (1 - p) for p = 1?",
         .make = [](Choices& c) { c.checking.dropout_one = false; }},
        {.id = "accepts_large_dropout",
         .decision = "check_dropout",
         .title = "dropout of 1 and more is not refused",
         .right = refused_by_the_factory,
         .symptom = "weights change their sign",
         .question = "What is 1 / (1 - p) for p = 1.5?",
         .make = [](Choices& c) { c.checking.dropout_one = c.checking.dropout_above = false; }},
        {.id = "accepts_negative_dropout",
         .decision = "check_negative_dropout",
         .title = "a negative dropout is not refused",
         .right = refused_by_the_factory,
         .symptom = "in training nothing is dropped, or weights shrink",
         .question = "Is -0.1 a probability?",
         .make = [](Choices& c) { c.checking.dropout_negative = false; }},
        {.id = "accepts_nan_dropout",
         .decision = "check_nan_dropout",
         .title = "a dropout of NaN is not refused",
         .right = "throw unless dropout >= 0 and dropout < 1: every comparison with NaN is false",
         .symptom = "in training nothing is dropped, or every output becomes NaN",
         .question = "Is NaN < 0? Is NaN >= 1?",
         .make = [](Choices& c) { c.checking.dropout_nan = false; }},
        {.id = "accepts_no_embed_dim",
         .decision = "check_embed_dim",
         .title = "embed_dim < 1 is not refused",
         .right = refused_by_the_factory,
         .symptom = "a module without parameters",
         .question = "What does your factory do with embed_dim = 0?",
         .make = [](Choices& c) { c.checking.embed_dim = false; }},
        {.id = "accepts_no_head_dim",
         .decision = "check_head_dim",
         .title = "head_dim < 1 is not refused",
         .right = refused_by_the_factory,
         .symptom = "heads without numbers, or of a width that nobody asked for",
         .question = "What does your factory do with head_dim = 0?",
         .make = [](Choices& c) { c.checking.head_dim = false; }},
        {.id = "divisible_even_with_head_dim",
         .decision = "check_needless",
         .title = "embed_dim must be divisible by num_heads even where head_dim is given",
         .right = "with a head_dim nothing is divided: E = num_heads · head_dim",
         .symptom = "right options are refused",
         .question = "What do you divide where head_dim is given?",
         .make = [](Choices& c) { c.change<ModuleChoices>().divides_even_with_head_dim = true; }},
        {.id = "refuses_cross_attention",
         .decision = "check_cross",
         .title = "query and key of different lengths are refused",
         .right = "T and S may differ: cross-attention",
         .symptom = "only self-attention works",
         .question = "Which sizes of query and key must agree?",
         .make = [](Choices& c) { c.change<ModuleChoices>().refuses_cross_attention = true; }},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
