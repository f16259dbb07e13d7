// GELU's derivatives, of both formulas.
#include "suites/14_block/activation.hpp"
#include "suites/14_block/gelu_curves.hpp"

#include "diagnosis/catalogue.hpp"

#include <cmath>

namespace headway::diagnosis {
namespace {

double share_below(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }
double bell(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * pi_of_gelu); }

constexpr const char* right_slope =
    "the derivative of x·Φ(x) is Φ(x) + x·φ(x); that of tanh is 1 - tanh², times the "
    "derivative of what is inside it";
constexpr const char* other_slope = "the loss falls all the same, more slowly: only a comparison shows it";

}  // namespace

namespace chapters {

Chapter gelu_slopes() {
    static constexpr Decision decisions[] = {
        {.id = "gelu_slope",
         .stage = Stage::none,
         .lesson = {{"14", "GELU, twice"}},
         .pseudocode = "exact: Φ(x) + x * φ(x); tanh, with t: (1 + t)/2 + x/2 * (1 - t²) * sqrt(2/π) * (1 + 3 * "
                       "0.044715 * x²); times grad_y"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "gelu_slope_always_by_tanh",
         .decision = "gelu_slope",
         .title = "the derivative is that of the formula by tanh, whichever is asked for",
         .right = right_slope,
         .symptom = other_slope,
         .question = "By how much do the derivatives of the two formulas differ at x = 2?",
         .make = [](Choices& c) { c.change<Activation>().exact_slope = Activation::right().tanh_slope; }},
        {.id = "gelu_slope_always_exact",
         .decision = "gelu_slope",
         .title = "the derivative is that of the exact formula, whichever is asked for",
         .right = right_slope,
         .symptom = other_slope,
         .question = "By how much do the derivatives of the two formulas differ at x = 2?",
         .make = [](Choices& c) { c.change<Activation>().tanh_slope = Activation::right().exact_slope; }},
        {.id = "gelu_slope_is_the_share",
         .decision = "gelu_slope",
         .title = "the derivative is what x is multiplied by, Φ(x): the term x·φ(x) is missing",
         .right = right_slope,
         .symptom = other_slope,
         .question = "x·Φ(x) is a product: how many terms has its derivative?",
         .make =
             [](Choices& c) {
                 c.change<Activation>().exact_slope = &share_below;
                 c.change<Activation>().tanh_slope = [](double x) { return (1 + tanh_at(x)) / 2; };
             }},
        {.id = "gelu_slope_of_exact_is_the_share",
         .decision = "gelu_slope",
         .title = "of the exact formula, the derivative is taken for Φ(x): the term x·φ(x) is missing",
         .right = right_slope,
         .symptom = other_slope,
         .question = "x·Φ(x) is a product: how many terms has its derivative?",
         .make = [](Choices& c) { c.change<Activation>().exact_slope = &share_below; }},
        {.id = "gelu_slope_of_tanh_is_the_share",
         .decision = "gelu_slope",
         .title = "of the tanh formula, the derivative is taken for (1 + tanh)/2: the term with 1 - tanh² is missing",
         .right = right_slope,
         .symptom = other_slope,
         .question = "x/2 · (1 + tanh(...)) is a product: how many terms has its derivative?",
         .make = [](Choices& c) { c.change<Activation>().tanh_slope = [](double x) { return (1 + tanh_at(x)) / 2; }; }},
        {.id = "gelu_slope_density_not_times_x",
         .decision = "gelu_slope",
         .title = "the second term of the derivative is φ(x), not x·φ(x)",
         .right = right_slope,
         .symptom = other_slope,
         .question = "What is the derivative at x = 0?",
         .make =
             [](Choices& c) {
                 c.change<Activation>().exact_slope = [](double x) { return share_below(x) + bell(x); };
             }},
        {.id = "gelu_slope_inner_forgotten",
         .decision = "gelu_slope",
         .title = "of the tanh formula, the derivative of what is inside tanh lacks its term 3·0.044715·x²",
         .right = right_slope,
         .symptom = other_slope,
         .question = "What is the derivative of x + 0.044715·x³?",
         .make =
             [](Choices& c) {
                 c.change<Activation>().tanh_slope = [](double x) {
                     const double t = tanh_at(x);
                     return (1 + t) / 2 + x / 2 * (1 - t * t) * root_2_over_pi();
                 };
             }},
        {.id = "gelu_slope_cube_without_three",
         .decision = "gelu_slope",
         .title = "of the tanh formula, the derivative of 0.044715·x³ is taken for 0.044715·x²",
         .right = right_slope,
         .symptom = other_slope,
         .question = "What is the derivative of x³?",
         .make =
             [](Choices& c) {
                 c.change<Activation>().tanh_slope = [](double x) {
                     const double t = tanh_at(x);
                     return (1 + t) / 2 + x / 2 * (1 - t * t) * root_2_over_pi() * (1 + cubic_of_gelu * x * x);
                 };
             }},
        {.id = "gelu_slope_cubic_ten_times",
         .decision = "gelu_slope",
         .title = "the derivative is that of a tanh formula with 0.44715·x³, ten times what it should be",
         .right = right_slope,
         .symptom = other_slope,
         .question = "How many zeros stand behind the point of the factor of x³?",
         .make =
             [](Choices& c) {
                 c.change<Activation>().tanh_slope = [](double x) {
                     constexpr double cubic = 10 * cubic_of_gelu;
                     const double t = std::tanh(root_2_over_pi() * (x + cubic * x * x * x));
                     return (1 + t) / 2 + x / 2 * (1 - t * t) * root_2_over_pi() * (1 + 3 * cubic * x * x);
                 };
             }},
        {.id = "gelu_slope_inside_forgotten",
         .decision = "gelu_slope",
         .title = "of the tanh formula, 1 - tanh² is not multiplied by the derivative of what is inside tanh",
         .right = right_slope,
         .symptom = other_slope,
         .question = "What is the derivative of tanh(2x)?",
         .make =
             [](Choices& c) {
                 c.change<Activation>().tanh_slope = [](double x) {
                     const double t = tanh_at(x);
                     return (1 + t) / 2 + x / 2 * (1 - t * t);
                 };
             }},
        {.id = "gelu_slope_factor_forgotten",
         .decision = "gelu_slope",
         .title = "of the tanh formula, the derivative of what is inside tanh lacks its factor √(2/π)",
         .right = right_slope,
         .symptom = other_slope,
         .question = "What is the derivative of √(2/π) · x?",
         .make =
             [](Choices& c) {
                 c.change<Activation>().tanh_slope = [](double x) {
                     const double t = tanh_at(x);
                     return (1 + t) / 2 + x / 2 * (1 - t * t) * (1 + 3 * cubic_of_gelu * x * x);
                 };
             }},
        {.id = "gelu_slope_tanh_not_squared",
         .decision = "gelu_slope",
         .title = "of the tanh formula, the derivative of tanh is taken for 1 - tanh, not 1 - tanh²",
         .right = right_slope,
         .symptom = other_slope,
         .question = "What is the derivative of tanh, and what is it at -1?",
         .make =
             [](Choices& c) {
                 c.change<Activation>().tanh_slope = [](double x) {
                     const double t = tanh_at(x);
                     return (1 + t) / 2 + x / 2 * (1 - t) * root_2_over_pi() * (1 + 3 * cubic_of_gelu * x * x);
                 };
             }},
        {.id = "gelu_slope_erf_of_x",
         .decision = "gelu_slope",
         .title = "in the derivative of the exact formula, erf is taken of x, not of x/√2",
         .right = right_slope,
         .symptom = other_slope,
         .question = "Of which number does Φ(x) take erf?",
         .make =
             [](Choices& c) {
                 c.change<Activation>().exact_slope = [](double x) { return (1 + std::erf(x)) / 2 + x * bell(x); };
             }},
        {.id = "gelu_slope_bell_too_narrow",
         .decision = "gelu_slope",
         .title = "of the exact formula, φ(x) is taken for exp(-x²) / √(2π): the half is missing",
         .right = right_slope,
         .symptom = other_slope,
         .question = "What is φ(1), to five digits?",
         .make =
             [](Choices& c) {
                 c.change<Activation>().exact_slope = [](double x) {
                     return share_below(x) + x * std::exp(-x * x) / std::sqrt(2 * pi_of_gelu);
                 };
             }},
        {.id = "gelu_slope_bell_not_normed",
         .decision = "gelu_slope",
         .title = "of the exact formula, φ(x) is taken for exp(-x²/2), without 1 / √(2π)",
         .right = right_slope,
         .symptom = other_slope,
         .question = "What is φ(0), to five digits?",
         .make =
             [](Choices& c) {
                 c.change<Activation>().exact_slope = [](double x) {
                     return share_below(x) + x * std::exp(-x * x / 2);
                 };
             }},
        {.id = "gelu_slope_inside_erf_forgotten",
         .decision = "gelu_slope",
         .title = "of the exact formula, the derivative of erf(x/√2) lacks the factor 1/√2 of what is inside erf",
         .right = right_slope,
         .symptom = other_slope,
         .question = "What is the derivative of erf(x/√2), and what is φ(0), to five digits?",
         .make =
             [](Choices& c) {
                 c.change<Activation>().exact_slope = [](double x) {
                     return share_below(x) + x * std::sqrt(2.0) * bell(x);
                 };
             }},
        {.id = "gelu_slope_bell_doubled",
         .decision = "gelu_slope",
         .title = "of the exact formula, the second term of the derivative is 2·x·φ(x): twice what it should be",
         .right = right_slope,
         .symptom = other_slope,
         .question = "In x/2 · (1 + erf(x/√2)), is the second term of the derivative multiplied by the half, too?",
         .make =
             [](Choices& c) {
                 c.change<Activation>().exact_slope = [](double x) { return share_below(x) + 2 * x * bell(x); };
             }},
        {.id = "gelu_slope_bell_halved",
         .decision = "gelu_slope",
         .title = "of the exact formula, the second term of the derivative is x·φ(x)/2: half of what it should be",
         .right = right_slope,
         .symptom = other_slope,
         .question = "Is the half of x/2 · (1 + erf(x/√2)) in your φ(x) already?",
         .make =
             [](Choices& c) {
                 c.change<Activation>().exact_slope = [](double x) { return share_below(x) + x / 2 * bell(x); };
             }},
        {.id = "gelu_slope_without_grad_y",
         .decision = "gelu_slope",
         .title = "gelu_backward gives the derivative alone, without grad_y",
         .right = "multiply the derivative by grad_y, element by element",
         .symptom = "what comes later has no say any more",
         .question = "What happens to your result when grad_y is 0?",
         .make = [](Choices& c) { c.change<Activation>().gradient_is_used = false; }},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
