// What the calls of a module get wrong: masks and causal option, keys and batch, modes, and what outlives a call.
#include "suites/05_module/module_choices.hpp"

#include "diagnosis/catalogue.hpp"
#include "diagnosis/elements.hpp"

#include <limits>
#include <stdexcept>

namespace headway::diagnosis {
namespace {

using Module = ModuleChoices;

constexpr const char* either = "a key is blocked where the mask or the causal option blocks it: mask | causal";

constexpr const char* anew = "compute it anew in every call";

}  // namespace

namespace chapters {

Chapter module_calls() {
    static constexpr Decision decisions[] = {
        {.id = "combined",
         .stage = Stage::mask,
         .lesson = {{"05", "The checklist"}},
         .pseudocode = "blocked = mask;   if causal: blocked = mask | causal_mask(T, S), also where mask is undefined"},
        {.id = "batch",
         .stage = Stage::project,
         .lesson = {{"05", "The checklist"}},
         .pseudocode = "for b in 0..B-1: sequence b of the output comes from sequence b of query, key and value"},
        {.id = "key_count",
         .stage = Stage::scores,
         .lesson = {{"05", "Self- and cross-attention"}},
         .pseudocode = "for t in 0..T-1, for s in 0..S-1: T queries from query, S keys from key"},
        {.id = "attention_weights_mode",
         .stage = Stage::softmax,
         .lesson = {{"05", in_the_header}},
         .pseudocode = "attention_weights: the weights before dropout; is_training() stays what it was"},
        {.id = "loading",
         .stage = Stage::none,
         .lesson = {{"05", "In words"}},
         .pseudocode = "forward reads the registered parameters themselves, in every call"},
        {.id = "kept",
         .stage = Stage::none,
         .lesson = {{"05", "The checklist"}},
         .pseudocode = "a call depends on its arguments, the parameters and the mode; what it computes is new memory"},
    };
    static constexpr Mistake mistakes[] = {
        // ---- masks ----
        {.id = "mask_and_causal_intersected",
         .decision = "combined",
         .title = "a key is blocked only where mask and causal option both block it",
         .right = either,
         .symptom = "the future or the padding is seen",
         .question = "Is it & or | between your two masks?",
         .make = [](Choices& c) { c.masking.combined = Combined::both; }},
        {.id = "causal_replaces_mask",
         .decision = "combined",
         .title = "with causal = true the mask of the call is not applied",
         .right = either,
         .symptom = "padding is seen",
         .question = "What becomes of the mask argument in a causal module?",
         .make = [](Choices& c) { c.masking.combined = Combined::causal_alone; }},
        {.id = "causal_only_with_a_mask",
         .decision = "combined",
         .title = "the causal option works only where the call has a mask",
         .right = either,
         .symptom = "without a mask the future is seen",
         .question = "What is blocked if mask is Mask{}?",
         .shipped = {"xFormers: https://github.com/facebookresearch/xformers/issues/103"},
         .make = [](Choices& c) { c.masking.combined = Combined::causal_only_with_a_mask; }},
        {.id = "nothing_blocked",
         .decision = "combined",
         .title = "neither the mask nor the causal option blocks anything",
         .right = either,
         .symptom = "the future and the padding are seen; nothing crashes",
         .question = "Where does the result of masked_fill go? It returns a new tensor.",
         .make = [](Choices& c) { c.masking.combined = Combined::none; }},
        {.id = "causal_mask_of_queries_alone",
         .decision = "causal",
         .title = "a causal module refuses another number of keys than of queries, unless T = 1: as where its causal "
                  "mask is (T, T) and not (T, S)",
         .right = "build causal_mask(T, S): a row for each query, a column for each key",
         .symptom = "right in self-attention; with keys from elsewhere, it throws",
         .question = "With which two lengths do you build your causal mask?",
         .make = [](Choices& c) { c.change<ModuleChoices>().causal_mask = ModuleChoices::CausalMask::of_queries; }},
        {.id = "causal_mask_of_keys_alone",
         .decision = "causal",
         .title = "a causal module refuses another number of queries than of keys, and with S = 1 blocks nothing: as "
                  "where its causal mask is (S, S) and not (T, S)",
         .right = "build causal_mask(T, S): a row for each query, a column for each key",
         .symptom = "right in self-attention; with keys from elsewhere, it throws",
         .question = "With which two lengths do you build your causal mask?",
         .make =
             [](Choices& c) {
                 c.change<ModuleChoices>().causal_mask = ModuleChoices::CausalMask::of_keys;
                 c.masking.future = [](Index t, Index s, Index T, Index S) { return S != 1 && s > t + (S - T); };
             }},
        // ---- the batch ----
        {.id = "only_first_sequence",
         .decision = "batch",
         .title = "only the first sequence of the batch is computed",
         .right = "every sequence of the batch has its own output",
         .symptom = "right with batch 1",
         .question = "What is the first size of your output?",
         .make =
             [](Choices& c) {
                 c.projecting.finish = [](const Array& x, int) {
                     if (x.shape.size() < 3) return x;
                     Shape first = x.shape;  // (1, T, D), or (1, H, T, d) where heads come split
                     first[0] = 1;
                     return gathered(x, first, [&](Coordinate at) { return position(x.shape, at); });
                 };
                 c.masking.read = [](const Mask& mask, const Shape& shape) {
                     const bool one_sequence_is_left = shape.front() == 1;
                     if (mask.rank() < 4 || mask.size(0) == 1 || !one_sequence_is_left)
                         return right().masking.read(mask, shape);
                     const Mask first = mask.as_strided({1, mask.size(1), mask.size(2), mask.size(3)}, mask.strides(),
                                                        mask.layout().offset);
                     return right().masking.read(first, shape);
                 };
             }},
        {.id = "keys_looped_to_query_count",
         .decision = "key_count",
         .title = "loops over keys run to T, the number of queries",
         .right = "there are S keys, the second size of key",
         .symptom = "right in self-attention; else keys are left out, or an index runs past the end of its tensor",
         .question = "What is the last key that query 0 sees where T = 2 and S = 4?",
         .make =
             [](Choices& c) {
                 c.masking.block = [](Array& scores, Blocked& blocked) {
                     const Index T = scores.size(-2);
                     const Index S = scores.size(-1);
                     if (S < T) throw std::out_of_range("key");
                     for (std::size_t i = 0; i < blocked.size(); ++i)
                         if (static_cast<Index>(i) % S >= T) blocked[i] = true;
                 };
             }},
        {.id = "masked_scores_returned",
         .decision = "returned",
         .title = "attention_weights returns the masked scores, before softmax",
         .right = "return the weights after softmax",
         .symptom = "rows do not sum to 1; blocked keys show as -infinity",
         .question = "Do the rows of attention_weights sum to 1?",
         .make =
             [](Choices& c) {
                 c.weighing.returned = [](const Weighable& at) {
                     Array scores = at.scores;
                     for (std::size_t i = 0; i < at.blocked.size(); ++i)
                         if (at.blocked[i]) scores.value[i] = -std::numeric_limits<double>::infinity();
                     return scores;
                 };
             }},
        {.id = "causal_option_not_shown",
         .decision = "causal",
         .title = "attention_weights ignores the causal option; forward does not",
         .right = "block the same keys in both: mask | causal_mask(T, S)",
         .symptom = "what it shows is not what forward weighs with",
         .question = "In which of your functions does the causal option join the mask?"},
        {.id = "attention_weights_after_dropout",
         .decision = "attention_weights_mode",
         .title = "attention_weights shows the weights after dropout",
         .right = "return the weights before dropout, in either mode",
         .symptom = "what is shown changes from call to call",
         .question = "Do the rows of attention_weights sum to 1 in training?",
         .shipped = {"PyTorch: https://github.com/pytorch/pytorch/issues/27968"},
         .make = [](Choices& c) { c.change<ModuleChoices>().weights_after_dropout = true; }},
        {.id = "attention_weights_switches_to_eval",
         .decision = "attention_weights_mode",
         .title = "attention_weights leaves training mode",
         .right = "looking does not change the mode",
         .symptom = "training goes on without dropout",
         .question = "What is is_training() before and after attention_weights?",
         .make = [](Choices& c) { c.change<ModuleChoices>().weights_switch_to_eval = true; }},
        {.id = "attention_weights_switches_to_train",
         .decision = "attention_weights_mode",
         .title = "attention_weights leaves the module in training mode, whatever mode it was in",
         .right = "looking does not change the mode",
         .symptom = "in eval, weights are dropped once they have been looked at",
         .question = "What is is_training() before and after attention_weights?",
         .make = [](Choices& c) { c.change<ModuleChoices>().weights_switch_to_train = true; }},
        // ---- what outlives a call ----
        {.id = "loading_has_no_effect",
         .decision = "loading",
         .title = "what load_state_dict writes is never read: forward uses copies",
         .right = "read the registered parameters in every call",
         .symptom = "a loaded model answers as an untrained one",
         .question = "Does forward use the tensors that you registered, or copies of them?",
         .make = [](Choices& c) { c.change<ModuleChoices>().loading = Module::Loading::no_effect; }},
        {.id = "loading_not_after_first_call",
         .decision = "loading",
         .title =
             "after a first forward, load_state_dict no longer takes full effect: parameters are kept from the first "
             "call",
         .right = "read the registered parameters in every call",
         .symptom = "a model that was tried before loading answers wrongly",
         .question = "What does your first forward prepare, and when is it made anew?",
         .make = [](Choices& c) { c.change<ModuleChoices>().loading = Module::Loading::not_after_first_call; }},
        {.id = "query_kept",
         .decision = "kept",
         .title = "the projected queries of the first call are used in later calls",
         .right = anew,
         .symptom = "the first call is right, later ones are not",
         .question = "Which members does forward write?",
         .make = [](Choices& c) { c.change<ModuleChoices>().kept.query = true; }},
        {.id = "key_kept",
         .decision = "kept",
         .title = "the projected keys of the first call are used in later calls",
         .right = anew,
         .symptom = "the first call is right, later ones are not",
         .question = "Which members does forward write?",
         .make = [](Choices& c) { c.change<ModuleChoices>().kept.key = true; }},
        {.id = "value_kept",
         .decision = "kept",
         .title = "the projected values of the first call are used in later calls",
         .right = anew,
         .symptom = "the first call is right, later ones are not",
         .question = "Which members does forward write?",
         .make = [](Choices& c) { c.change<ModuleChoices>().kept.value = true; }},
        {.id = "key_and_value_kept",
         .decision = "kept",
         .title = "the projected keys and values of the first call are used in later calls",
         .right = anew,
         .symptom = "the first call is right, later ones are not",
         .question = "Which members does forward write?",
         .make = [](Choices& c) { c.change<ModuleChoices>().kept.key = c.change<ModuleChoices>().kept.value = true; }},
        {.id = "mask_kept",
         .decision = "kept",
         .title = "the mask of the first call is used in later calls",
         .right = anew,
         .symptom = "the first call is right, later ones are not",
         .question = "Which members does forward write?",
         .make = [](Choices& c) { c.change<ModuleChoices>().kept.mask = true; }},
        {.id = "mask_of_the_last_call",
         .decision = "kept",
         .title = "a call without a mask uses the mask of the call before",
         .right = "Mask{} blocks nothing, whatever was asked before",
         .symptom = "right as long as every call has a mask, or none has",
         .question = "Where does your module keep a mask, and what overwrites it?",
         .make = [](Choices& c) { c.change<ModuleChoices>().kept.last_mask = true; }},
        {.id = "weights_of_the_last_forward",
         .decision = "kept",
         .title = "attention_weights returns what the last forward weighed with, not the weights of what it is asked",
         .right = "compute the weights from the query, the key and the mask of the call itself",
         .symptom = "right for what forward was just asked; for anything else, the weights are another question's",
         .question = "What does attention_weights return if another query was asked before?",
         .make = [](Choices& c) { c.change<ModuleChoices>().kept.last_weights = true; }},
        {.id = "causal_mask_kept",
         .decision = "kept",
         .title = "the causal mask of the first call is used for other lengths",
         .right = "build it for T and S of each call",
         .symptom = "right until a call has another length",
         .question = "For which T and S is your causal mask built?",
         .make = [](Choices& c) { c.change<ModuleChoices>().kept.causal_mask = true; }},
        {.id = "causal_mask_kept_for_queries",
         .decision = "kept",
         .title = "the causal mask is kept for T alone: a call with another number of keys gets that of an earlier one",
         .right = "build it for T and S of each call",
         .symptom = "right until a call has as many queries as an earlier one, and fewer or more keys",
         .question = "When is your causal mask built anew: where T changes, and where S changes?",
         .make = [](Choices& c) { c.change<ModuleChoices>().kept.causal_mask_of_queries = true; }},
        {.id = "causal_mask_kept_for_keys",
         .decision = "kept",
         .title =
             "the causal mask is kept for S alone: a call with another number of queries gets that of an earlier one",
         .right = "build it for T and S of each call",
         .symptom = "right until a call has as many keys as an earlier one, and fewer or more queries",
         .question = "When is your causal mask built anew: where T changes, and where S changes?",
         .make = [](Choices& c) { c.change<ModuleChoices>().kept.causal_mask_of_keys = true; }},
        {.id = "results_add_up",
         .decision = "kept",
         .title = "sums go on where the last call ended: a second call adds to the first",
         .right = "begin every sum at 0 in every call",
         .symptom = "the first call is right, later ones are not",
         .question = "Which members does forward write, and when are they cleared?",
         .make = [](Choices& c) { c.change<ModuleChoices>().kept.sums = true; }},
        {.id = "parameters_changed_by_calls",
         .decision = "kept",
         .title = "each call changes the parameters",
         .right = "a call reads parameters; a copy of a Tensor is another view of the same numbers",
         .symptom = "answers drift from call to call",
         .question = "Does state_dict() give the same numbers before and after forward?",
         .make = [](Choices& c) { c.change<ModuleChoices>().kept.parameters = true; }},
        {.id = "result_overwritten",
         .decision = "memory",
         .title = "the result of a call is overwritten by the next call",
         .right = "return a tensor of its own",
         .symptom = "two results cannot be compared: they become the same",
         .question = "Who else holds the storage that you return?",
         .make = [](Choices& c) { c.change<ModuleChoices>().kept.result_buffer = true; }},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
