// What is dropped, when, how often, and what becomes of the rest.
#include "diagnosis/catalogue.hpp"

namespace headway::diagnosis {
namespace {

using Dropout = ModuleChoices::Dropout;

DECISION(.id = "dropout_what", .stage = "weigh", .lesson = {{"05", "As a formula"}},
         .pseudocode = "context = dropout(weights) · v: weights (B,H,T,S), after softmax and before they meet v");

constexpr const char* drop_weights = "drop weights, after softmax: dropout(weights) · v";

MISTAKE(
        .id = "dropout_missing", .decision = "dropout_what", .title = "dropout is never applied", .right = drop_weights,
        .symptom = "the option changes nothing", .question = "Do two calls in training give two outputs?",
        .make = [](Choices& c) { c.module.dropout.what = Dropout::What::nothing; });
MISTAKE(
        .id = "dropout_on_scores", .decision = "dropout_what",
        .title = "dropout is applied to the scores, before softmax", .right = drop_weights,
        .symptom = "a score of 0 still gets a weight: nothing is dropped", .question = "What is exp(0)?",
        .make = [](Choices& c) { c.module.dropout.what = Dropout::What::scores; });
MISTAKE(
        .id = "dropout_on_context", .decision = "dropout_what",
        .title = "dropout is applied to the context instead of the weights", .right = drop_weights,
        .symptom = "single features vanish instead of whole keys",
        .question = "On which side of · v does your dropout stand?",
        .make = [](Choices& c) { c.module.dropout.what = Dropout::What::context; });
MISTAKE(
        .id = "dropout_on_output", .decision = "dropout_what", .title = "dropout is applied to the output of out_proj",
        .right = drop_weights, .symptom = "single features of the output vanish, biases included",
        .question = "Which tensor goes through your dropout, and what is its shape?",
        .make = [](Choices& c) { c.module.dropout.what = Dropout::What::output; });
MISTAKE(
        .id = "dropout_on_values", .decision = "dropout_what", .title = "dropout is applied to the values",
        .right = drop_weights, .symptom = "a feature vanishes for all queries at once",
        .question = "Which tensor goes through your dropout, and what is its shape?", .make = [](Choices& c) {
            c.module.dropout.what = Dropout::What::values;
            c.module.dropout.queries_alike = true;
        });

DECISION(.id = "dropout_rescale", .stage = "weigh", .lesson = {{"05", "As a formula"}},
         .pseudocode = "kept weights become weight / (1 - p), so that a weight is on average what it was");

constexpr const char* divide_what_is_kept = "divide what is kept by 1 - p";

MISTAKE(
        .id = "dropout_not_rescaled", .decision = "dropout_rescale",
        .title = "what dropout keeps is not divided by 1 - p", .right = divide_what_is_kept,
        .symptom = "outputs are smaller in training than in eval",
        .question = "What is a weight on average over many calls in training?",
        .make = [](Choices& c) { c.module.dropout.kept = Dropout::Kept::unchanged; });
MISTAKE(
        .id = "dropout_times_kept", .decision = "dropout_rescale", .title = "what dropout keeps is multiplied by 1 - p",
        .right = divide_what_is_kept, .symptom = "outputs are smaller in training than in eval",
        .question = "What is a weight on average over many calls in training?",
        .make = [](Choices& c) { c.module.dropout.kept = Dropout::Kept::times_kept; });
MISTAKE(
        .id = "dropout_divided_by_p", .decision = "dropout_rescale", .title = "what dropout keeps is divided by p",
        .right = divide_what_is_kept, .symptom = "outputs differ in size between training and eval",
        .question = "Which share of the weights is left, p or 1 - p?",
        .make = [](Choices& c) { c.module.dropout.kept = Dropout::Kept::divided_by_dropped; });
MISTAKE(
        .id = "dropout_renormalised", .decision = "dropout_rescale",
        .title = "after dropout rows are made to sum to 1 again", .right = divide_what_is_kept,
        .symptom = "on average a weight is not what it was", .question = "Must a row sum to 1 in training?",
        .make = [](Choices& c) { c.module.dropout.kept = Dropout::Kept::renormalised; });

DECISION(.id = "dropout_share", .stage = "weigh", .lesson = {{"05", "As a formula"}},
         .pseudocode = "dropped[b,h,t,s] = uniform() < p");

MISTAKE(
        .id = "dropout_keeps_with_p", .decision = "dropout_share",
        .title = "a weight is kept with probability p instead of dropped",
        .right = "p is the probability that a weight becomes 0", .symptom = "p = 0.1 drops nine of ten",
        .question = "Which share of the weights is 0 with p = 0.1?",
        .make = [](Choices& c) { c.module.dropout.share_is_kept = true; });
MISTAKE(
        .id = "dropout_means_keeping", .decision = "dropout_share",
        .title = "p is taken as the probability to keep: weights are kept with probability p and divided by p",
        .right = "p is the probability that a weight becomes 0", .symptom = "p = 0.1 drops nine of ten",
        .question = "Which share of the weights is 0 with p = 0.1?", .make = [](Choices& c) {
            c.module.dropout.share_is_kept = true;
            c.module.dropout.kept = Dropout::Kept::divided_by_dropped;
        });

DECISION(.id = "dropout_mode", .stage = "weigh", .lesson = {{"05", "What people get wrong"}},
         .pseudocode = "if (!is_training() || p == 0) return weights");

MISTAKE(
        .id = "dropout_in_eval", .decision = "dropout_mode", .title = "dropout is applied in eval too",
        .right = "eval drops nothing", .symptom = "answers differ from call to call",
        .question = "Where does your code ask is_training()?",
        .make = [](Choices& c) { c.module.dropout.mode = Dropout::Mode::always; });
MISTAKE(
        .id = "dropout_only_in_eval", .decision = "dropout_mode",
        .title = "dropout is applied in eval and not in training", .right = "drop in training, not in eval",
        .symptom = "training is not regularised, answers are noisy",
        .question = "What does your code do where is_training() is true?",
        .make = [](Choices& c) { c.module.dropout.mode = Dropout::Mode::eval; });

DECISION(.id = "dropout_after_eval", .stage = "weigh", .lesson = {{"05", "What people get wrong"}},
         .pseudocode = "the mode is asked in every call: is_training(); options stay what they are");

MISTAKE(
        .id = "dropout_off_after_eval", .decision = "dropout_after_eval",
        .title = "a forward in eval switches dropout off for good",
        .right = "train() brings it back: only ask is_training()",
        .symptom = "after the first validation, training goes on without dropout",
        .question = "Does forward change a member?",
        .make = [](Choices& c) { c.module.dropout.off_after_eval = true; });

DECISION(.id = "dropout_draws", .stage = "weigh", .lesson = {{"05", "By hand"}},
         .pseudocode = "one draw for each [b,h,t,s], in every call");

constexpr const char* drawn_for_each_weight = "draw anew for every weight [b, h, t, s]";

MISTAKE(
        .id = "dropout_same_for_heads", .decision = "dropout_draws", .title = "all heads drop the same weights",
        .right = drawn_for_each_weight, .symptom = "heads do not learn to stand in for one another",
        .question = "How many numbers do you draw in a call?",
        .make = [](Choices& c) { c.module.dropout.heads_alike = true; });
MISTAKE(
        .id = "dropout_same_for_queries", .decision = "dropout_draws", .title = "all queries drop the same keys",
        .right = drawn_for_each_weight, .symptom = "whole keys disappear",
        .question = "How many numbers do you draw in a call?",
        .make = [](Choices& c) { c.module.dropout.queries_alike = true; });
MISTAKE(
        .id = "dropout_same_for_sequences", .decision = "dropout_draws",
        .title = "all sequences of a batch drop the same weights", .right = drawn_for_each_weight,
        .symptom = "a larger batch brings no more variety", .question = "How many numbers do you draw in a call?",
        .make = [](Choices& c) { c.module.dropout.sequences_alike = true; });
MISTAKE(
        .id = "dropout_same_for_keys", .decision = "dropout_draws",
        .title = "a query's weights are dropped all or none", .right = drawn_for_each_weight,
        .symptom = "some queries see nothing, the others everything",
        .question = "How many numbers do you draw in a call?",
        .make = [](Choices& c) { c.module.dropout.keys_alike = true; });

DECISION(.id = "dropout_calls", .stage = "weigh", .lesson = {{"05", "By hand"}},
         .pseudocode = "random_ is a member, seeded once: each call draws on where the last one ended");

MISTAKE(
        .id = "dropout_same_every_call", .decision = "dropout_calls", .title = "every call drops the same weights",
        .right = "keep one generator in the module; do not seed it again in forward",
        .symptom = "the same weights are never trained", .question = "Where is your generator made, and how often?",
        .make = [](Choices& c) { c.module.dropout.calls_alike = true; });

DECISION(.id = "dropout_seed", .stage = "weigh", .lesson = {{"05", "In code"}},
         .pseudocode = "dropout draws from the module's own Random(options.seed)");

MISTAKE(
        .id = "dropout_seed_shared", .decision = "dropout_seed",
        .title = "equal seeds do not repeat dropout: its generator is shared, or seeded otherwise",
        .right = "draw from the module's own generator, seeded with options.seed",
        .symptom = "no training can be repeated", .question = "Who else draws from your generator?",
        .make = [](Choices& c) { c.module.dropout.draws = Dropout::Draws::of_process; });
MISTAKE(
        .id = "dropout_seed_ignored", .decision = "dropout_seed",
        .title = "the seed option does not reach dropout: it always draws the same",
        .right = "draw from the module's own generator, seeded with options.seed",
        .symptom = "runs with other seeds drop the same", .question = "What seeds the generator of your dropout?",
        .make = [](Choices& c) { c.module.dropout.draws = Dropout::Draws::other_seed; });

}  // namespace
}  // namespace headway::diagnosis
