// Layer norm and RMS norm.
#include "suites/14_block/norms.hpp"

#include "diagnosis/catalogue.hpp"

#include <algorithm>

namespace headway::diagnosis {
namespace {

constexpr const char* right_mean = "for each token, mean and variance go over its D features alone";
constexpr const char* right_variance = "the variance is the mean of (x - mean)²: divide by D";
constexpr const char* right_eps = "eps is added inside the root: to the variance, or in RMS norm to the mean square";
constexpr const char* right_affine = "x̂ comes first, then x̂ · gain + bias";
constexpr const char* nearly =
    "training hides it: the gain learns to make up for it; loaded weights give other numbers";

}  // namespace

namespace chapters {

Chapter block_norms() {
    static constexpr Decision decisions[] = {
        {.id = "norm_statistics",
         .stage = Stage::none,
         .lesson = {{"14", "Two norms"}},
         .pseudocode = "mean (B,T,1) = mean over features; variance (B,T,1) = mean over features of (x - mean)²"},
        {.id = "norm_eps",
         .stage = Stage::none,
         .lesson = {{"14", "Two norms"}},
         .pseudocode = "x̂ = (x - mean) / sqrt(variance + eps)"},
        {.id = "norm_weights",
         .stage = Stage::none,
         .lesson = {{"14", "Two norms"}},
         .pseudocode = "y (B,T,D) = x̂ * gain (D) + bias (D)"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "norm_variance_of_sample",
         .decision = "norm_statistics",
         .title = "squares are divided by D - 1",
         .right = right_variance,
         .symptom = nearly,
         .question = "By what is the sum of squares divided?",
         .make = [](Choices& c) { c.change<Norms>().fewer = 1; }},
        {.id = "norm_sum_of_squares",
         .decision = "norm_statistics",
         .title = "squares are added up and not divided by D",
         .right = right_variance,
         .symptom = "normed features are √D times too small, and eps is of another weight",
         .question = "By what is the sum of squares divided?",
         .make = [](Choices& c) { c.change<Norms>().divides = false; }},
        {.id = "norm_mean_left",
         .decision = "norm_statistics",
         .title = "layer norm does not subtract the mean from what it divides",
         .right = "layer norm divides x - mean; it is RMS norm that subtracts nothing",
         .symptom = nearly,
         .question = "What is the mean of your normed features, before gain and bias?",
         .make = [](Choices& c) { c.change<Norms>().layer_subtracts_mean = false; }},
        {.id = "norm_square_for_variance",
         .decision = "norm_statistics",
         .title = "layer norm divides by the root of the mean of x², not of (x - mean)²",
         .right = right_variance,
         .symptom = nearly,
         .question = "Of which numbers do you take the square: x, or x - mean?",
         .make = [](Choices& c) { c.change<Norms>().layer_measures_spread = false; }},
        {.id = "norm_rms_for_layer",
         .decision = "norm_statistics",
         .title = "layer norm knows no mean: it is RMS norm with a bias",
         .right = "layer norm subtracts the mean, and divides by the root of the variance",
         .symptom = nearly,
         .question = "What is the mean of your normed features, before gain and bias?",
         .make =
             [](Choices& c) {
                 c.change<Norms>().layer_subtracts_mean = c.change<Norms>().layer_measures_spread = false;
             }},
        {.id = "norm_layer_for_rms",
         .decision = "norm_statistics",
         .title = "RMS norm subtracts the mean: it is layer norm without a bias",
         .right = "RMS norm divides x itself, by the root of the mean of x²",
         .symptom = nearly,
         .question = "What does RMS norm do to a token whose features are all 3?",
         .make =
             [](Choices& c) { c.change<Norms>().rms_subtracts_mean = c.change<Norms>().rms_measures_spread = true; }},
        {.id = "norm_over_tokens",
         .decision = "norm_statistics",
         .title = "each feature is normed over the tokens of its sequence",
         .right = right_mean,
         .symptom = "tokens see each other, future ones too: a causal model cheats in training",
         .question = "Which axis do your means go over?",
         .make = [](Choices& c) { c.change<Norms>().together = Norms::Together::feature_of_a_sequence; }},
        {.id = "norm_over_sequence",
         .decision = "norm_statistics",
         .title = "all features of all tokens of a sequence are normed together",
         .right = right_mean,
         .symptom = "tokens see each other, future ones too: a causal model cheats in training",
         .question = "How many means are there for a batch of B sequences of T tokens?",
         .make = [](Choices& c) { c.change<Norms>().together = Norms::Together::sequence; }},
        {.id = "norm_over_everything",
         .decision = "norm_statistics",
         .title = "the whole tensor is normed with one mean and one variance",
         .right = right_mean,
         .symptom = "tokens see each other, those of other sequences too",
         .question = "How many means are there for a batch of B sequences of T tokens?",
         .make = [](Choices& c) { c.change<Norms>().together = Norms::Together::everything; }},
        {.id = "norm_variance_loses_digits",
         .decision = "norm_statistics",
         .title = "of tokens far from 0 the variance loses its digits: a float of x² has none left for the spread",
         .right = "subtract the mean first, then take squares; or add up in double",
         .symptom = "right for tokens around 0; where the mean is thousands of times the spread, it is percents off, "
                    "or noise, or NaN",
         .question = "How many digits has 1000² + 1 as a float?",
         .make = [](Choices& c) { c.change<Norms>().variance_by_moments = true; }},
        // ---- eps ----
        {.id = "norm_without_root",
         .decision = "norm_eps",
         .title = "the norm divides by the mean of the squares itself, with eps, not by its root",
         .right = right_eps,
         .symptom = "right for features that spread by 1; wide tokens come out narrow, and narrow ones wide",
         .question = "A token's features are 10 times as large: what becomes of the normed ones?",
         .make =
             [](Choices& c) {
                 c.change<Norms>().divisor = [](const Bounded& squares, double eps, Index) {
                     return squares + exactly(eps);
                 };
             }},
        {.id = "norm_eps_behind_root",
         .decision = "norm_eps",
         .title = "eps is added to the root, not to what stands under it",
         .right = right_eps,
         .symptom = "as good as right for tokens of usual size; small ones are divided by eps itself, not by its root",
         .question = "With 4 under the root and an eps of 12, what do you divide by?",
         .make =
             [](Choices& c) {
                 c.change<Norms>().divisor = [](const Bounded& squares, double eps, Index) {
                     return root_of(squares) + exactly(eps);
                 };
             }},
        {.id = "norm_without_eps",
         .decision = "norm_eps",
         .title = "eps is left out",
         .right = right_eps,
         .symptom = "right until a token's features are all alike: then NaN",
         .question = "What do you divide by when all features are alike?",
         .make =
             [](Choices& c) {
                 c.change<Norms>().divisor = [](const Bounded& squares, double, Index) { return root_of(squares); };
             }},
        {.id = "norm_eps_squared",
         .decision = "norm_eps",
         .title = "eps² is added to the variance",
         .right = right_eps,
         .symptom = "as good as right for tokens of usual size; small ones are divided by eps itself, not by its root",
         .question = "With 4 under the root and an eps of 12, what do you divide by?",
         .make =
             [](Choices& c) {
                 c.change<Norms>().divisor = [](const Bounded& squares, double eps, Index) {
                     return root_of(squares + exactly(eps * eps));
                 };
             }},
        {.id = "norm_eps_as_least",
         .decision = "norm_eps",
         .title = "the variance is made at least eps, and nothing is added to it",
         .right = right_eps,
         .symptom = "as good as right for tokens of usual size; small ones come out larger",
         .question = "With 4 under the root and an eps of 12, what do you divide by?",
         .make =
             [](Choices& c) {
                 c.change<Norms>().divisor = [](const Bounded& squares, double eps, Index) {
                     return root_of(squares.value < eps ? exactly(eps) : squares);
                 };
             }},
        {.id = "norm_root_at_least_eps",
         .decision = "norm_eps",
         .title = "the root is made at least eps, and nothing is added to the variance",
         .right = right_eps,
         .symptom = "as good as right for tokens of usual size; PyTorch's F.normalize, which is no norm of this kind",
         .question = "With 4 under the root and an eps of 12, what do you divide by?",
         .make =
             [](Choices& c) {
                 c.change<Norms>().divisor = [](const Bounded& squares, double eps, Index) {
                     const Bounded root = root_of(squares);
                     return root.value < eps ? exactly(eps) : root;
                 };
             }},
        {.id = "norm_eps_in_the_sum",
         .decision = "norm_eps",
         .title = "eps is added to the sum of squares, not to their mean: what counts is eps / D",
         .right = right_eps,
         .symptom = "as good as right for tokens of usual size; small ones come out larger",
         .question = "Do you divide by D before you add eps, or after it?",
         .make =
             [](Choices& c) {
                 c.change<Norms>().divisor = [](const Bounded& squares, double eps, Index count) {
                     return root_of(squares + exactly(eps / static_cast<double>(count)));
                 };
             }},
        {.id = "norm_eps_fixed",
         .decision = "norm_eps",
         .title = "eps is 1e-5, whatever is asked for",
         .right = "take the eps that is handed over: models differ in it",
         .symptom = "right for models of that eps, such as GPT-2",
         .question = "Where does your code read eps?",
         .make = [](Choices& c) { c.change<Norms>().fixed_eps = 1e-5; }},
        // ---- gain and bias ----
        {.id = "norm_gain_left_out",
         .decision = "norm_weights",
         .title = "the gain is left out",
         .right = right_affine,
         .symptom = "right before training, when gains are 1",
         .question = "What does a gain of 2 do to your result?",
         .make = [](Choices& c) { c.change<Norms>().has_gain = false; }},
        {.id = "norm_bias_left_out",
         .decision = "norm_weights",
         .title = "the bias is left out",
         .right = right_affine,
         .symptom = "right before training, when biases are 0",
         .question = "What does a bias of 2 do to your result?",
         .make = [](Choices& c) { c.change<Norms>().has_bias = false; }},
        {.id = "norm_bias_before_gain",
         .decision = "norm_weights",
         .title = "the bias is added before the gain multiplies: (x̂ + bias) · gain",
         .right = right_affine,
         .symptom = "it trains as well; loaded weights give nonsense",
         .question = "Is your bias multiplied by the gain?",
         .make = [](Choices& c) { c.change<Norms>().bias_first = true; }},
        {.id = "norm_gain_counts_from_1",
         .decision = "norm_weights",
         .title = "x̂ is multiplied by 1 + gain",
         .right = right_affine,
         .symptom = "a convention of other models (Gemma); loaded weights give nonsense",
         .question = "What does a gain of 1 do to your result?",
         .make = [](Choices& c) { c.change<Norms>().gain_counts_from_1 = true; }},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
