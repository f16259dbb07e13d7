// GELU by two formulas.
#include "suites/14_block/activation.hpp"
#include "suites/14_block/gelu_curves.hpp"

#include "diagnosis/catalogue.hpp"

#include <cmath>
#include <limits>

namespace headway::diagnosis {
namespace {

/// x/2 · (1 + tanh(factor · (x + c·x³)))
double by_tanh(double x, double factor, double c) { return x / 2 * (1 + std::tanh(factor * (x + c * x * x * x))); }

double cut_at_three(double x, Activation::Function curve) { return x < -3 ? 0 : x > 3 ? x : curve(x); }

/// tanh as (e - 1) / (e + 1), with e = exp(2u), or as (1 - e) / (1 + e), with e = exp(-2u): infinity by infinity where
/// exp overflows, in the digits of a double or of a float.
template <class Number, int sign>
double tanh_by_exp(double u) {
    const bool overflows = sign * 2 * u > std::log(static_cast<double>(std::numeric_limits<Number>::max()));
    return overflows ? std::numeric_limits<double>::quiet_NaN() : std::tanh(u);
}
/// tanh as (e - f) / (e + f), with e = exp(u) and f = exp(-u). No question tells a double's overflow from a float's.
double tanh_by_two_exps(double u) {
    const bool overflows = std::abs(u) > std::log(std::numeric_limits<double>::max());
    return overflows ? std::numeric_limits<double>::quiet_NaN() : std::tanh(u);
}
template <double (*tanh)(double)>
double curve_by(double x) {
    return x / 2 * (1 + tanh(inside_tanh(x)));
}
template <double (*tanh)(double)>
double slope_by(double x) {
    const double t = tanh(inside_tanh(x));
    return std::isnan(t) ? t : Activation::right().tanh_slope(x);
}

double sigmoid_curve(double x) { return x / (1 + std::exp(-1.702 * x)); }
double sigmoid_slope(double x) {
    const double s = 1 / (1 + std::exp(-1.702 * x));
    return s + 1.702 * x * s * (1 - s);
}

constexpr const char* right_formula = "exact is x·Φ(x); tanh is x/2 · (1 + tanh(√(2/π) · (x + 0.044715·x³)))";
constexpr const char* by_library =
    "t = std::tanh(u) takes any number, and 1 - t·t is its derivative; by hand, only exp of what is below 0 cannot "
    "overflow";
constexpr const char* hardly_seen = "trained weights give other numbers, by little: it looks like rounding";

}  // namespace

namespace chapters {

Chapter gelu() {
    static constexpr Decision decisions[] = {
        {.id = "gelu_formula",
         .stage = Stage::none,
         .lesson = {{"14", "GELU, twice"}},
         .pseudocode = "exact: x/2 * (1 + erf(x / sqrt(2))); tanh: x/2 * (1 + tanh(sqrt(2/π) * (x + 0.044715 * x³)))"},
        {.id = "gelu_strides",
         .stage = Stage::none,
         .lesson = {{"14", "GELU, twice"}},
         .pseudocode = "y = x.contiguous().clone(); for i < numel: y.data()[i] = gelu(y.data()[i])"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "gelu_always_by_tanh",
         .decision = "gelu_formula",
         .title = "gelu computes the approximation by tanh, whichever formula is asked for",
         .right = right_formula,
         .symptom = hardly_seen,
         .question = "By how much do the two formulas differ at x = 2?",
         .make = [](Choices& c) { c.change<Activation>().exact = Activation::right().tanh; }},
        {.id = "gelu_always_exact",
         .decision = "gelu_formula",
         .title = "gelu computes the exact formula, whichever is asked for",
         .right = right_formula,
         .symptom = hardly_seen,
         .question = "By how much do the two formulas differ at x = 2?",
         .make = [](Choices& c) { c.change<Activation>().tanh = Activation::right().exact; }},
        {.id = "gelu_formulas_exchanged",
         .decision = "gelu_formula",
         .title = "the two formulas are taken for each other",
         .right = right_formula,
         .symptom = hardly_seen,
         .question = "Which of the two has an erf in it?",
         .make =
             [](Choices& c) {
                 c.change<Activation>().exact = Activation::right().tanh;
                 c.change<Activation>().tanh = Activation::right().exact;
                 c.change<Activation>().exact_slope = Activation::right().tanh_slope;
                 c.change<Activation>().tanh_slope = Activation::right().exact_slope;
             }},
        {.id = "gelu_by_sigmoid",
         .decision = "gelu_formula",
         .title = "GELU is taken to be x · sigmoid(1.702·x), a third formula",
         .right = right_formula,
         .symptom = "right for the models that have it (CLIP's QuickGELU); for others it is off by up to 0.02",
         .question = "What is gelu(1), to five digits?",
         .make =
             [](Choices& c) {
                 c.change<Activation>().exact = c.change<Activation>().tanh = &sigmoid_curve;
                 c.change<Activation>().exact_slope = c.change<Activation>().tanh_slope = &sigmoid_slope;
             }},
        {.id = "gelu_tanh_by_sigmoid",
         .decision = "gelu_formula",
         .title = "of the two formulas, that by tanh is x · sigmoid(1.702·x), a third one",
         .right = right_formula,
         .symptom = "right for the models that have it (CLIP's QuickGELU); for others it is off by up to 0.02",
         .question = "What is gelu(1) by tanh, to five digits?",
         .make =
             [](Choices& c) {
                 c.change<Activation>().tanh = &sigmoid_curve;
                 c.change<Activation>().tanh_slope = &sigmoid_slope;
             }},
        {.id = "gelu_factor_not_rooted",
         .decision = "gelu_formula",
         .title = "what is inside tanh is multiplied by 2/π, without the root",
         .right = right_formula,
         .symptom = "the curve bends too little: off by up to 0.06",
         .question = "What is √(2/π), to five digits?",
         .make =
             [](Choices& c) {
                 c.change<Activation>().tanh = [](double x) { return by_tanh(x, 2 / pi_of_gelu, cubic_of_gelu); };
             }},
        {.id = "gelu_factor_root_of_2_pi",
         .decision = "gelu_formula",
         .title = "what is inside tanh is multiplied by √(2π), not by √(2/π)",
         .right = right_formula,
         .symptom = "the curve bends too much: it is nearly a ReLU",
         .question = "What is √(2/π), to five digits?",
         .make =
             [](Choices& c) {
                 c.change<Activation>().tanh = [](double x) {
                     return by_tanh(x, std::sqrt(2 * pi_of_gelu), cubic_of_gelu);
                 };
             }},
        {.id = "gelu_cubic_forgotten",
         .decision = "gelu_formula",
         .title = "the term 0.044715·x³ is left out",
         .right = right_formula,
         .symptom = hardly_seen,
         .question = "What stands inside tanh, besides x?",
         .make =
             [](Choices& c) {
                 c.change<Activation>().tanh = [](double x) { return by_tanh(x, root_2_over_pi(), 0); };
             }},
        {.id = "gelu_cubic_ten_times",
         .decision = "gelu_formula",
         .title = "inside tanh x³ is multiplied by 0.44715, ten times what it should be",
         .right = right_formula,
         .symptom = hardly_seen,
         .question = "How many zeros stand behind the point of the factor of x³?",
         .make =
             [](Choices& c) {
                 c.change<Activation>().tanh = [](double x) {
                     return by_tanh(x, root_2_over_pi(), 10 * cubic_of_gelu);
                 };
             }},
        {.id = "gelu_factor_on_x_alone",
         .decision = "gelu_formula",
         .title = "inside tanh √(2/π) multiplies x alone, not 0.044715·x³ too",
         .right = right_formula,
         .symptom = hardly_seen,
         .question = "In your formula, where does the bracket behind √(2/π) end?",
         .make =
             [](Choices& c) {
                 c.change<Activation>().tanh = [](double x) {
                     return by_tanh(x, root_2_over_pi(), cubic_of_gelu / root_2_over_pi());
                 };
             }},
        {.id = "gelu_tanh_overflows",
         .decision = "gelu_formula",
         .title = "tanh is computed as (e²ᵘ - 1) / (e²ᵘ + 1), or 1 - tanh² as 4e²ᵘ / (e²ᵘ + 1)²: infinity by infinity "
                  "where e²ᵘ overflows, NaN from about x = 21 on",
         .right = by_library,
         .symptom = "right for numbers of usual size; one far above 0 gives NaN, and then everything is",
         .question = "What is exp(1000), and what is that divided by itself?",
         .make =
             [](Choices& c) {
                 c.change<Activation>().tanh = &curve_by<tanh_by_exp<double, 1>>;
                 c.change<Activation>().tanh_slope = &slope_by<tanh_by_exp<double, 1>>;
             }},
        {.id = "gelu_tanh_overflows_in_float",
         .decision = "gelu_formula",
         .title = "tanh is computed as (e²ᵘ - 1) / (e²ᵘ + 1) in float, or 1 - tanh² as 4e²ᵘ / (e²ᵘ + 1)²: infinity by "
                  "infinity where e²ᵘ overflows, NaN from about x = 10 on",
         .right = by_library,
         .symptom = "right for numbers of usual size; one far above 0 gives NaN, and then everything is",
         .question = "What is exp(100.0F), and what is that divided by itself?",
         .make =
             [](Choices& c) {
                 c.change<Activation>().tanh = &curve_by<tanh_by_exp<float, 1>>;
                 c.change<Activation>().tanh_slope = &slope_by<tanh_by_exp<float, 1>>;
             }},
        {.id = "gelu_tanh_overflows_below",
         .decision = "gelu_formula",
         .title = "tanh is computed as (1 - e⁻²ᵘ) / (1 + e⁻²ᵘ), or 1 - tanh² as 4e⁻²ᵘ / (1 + e⁻²ᵘ)²: infinity by "
                  "infinity where e⁻²ᵘ overflows, NaN below about x = -21",
         .right = by_library,
         .symptom = "right for numbers of usual size; one far below 0 gives NaN, and then everything is",
         .question = "What is exp(1000), and what is that divided by itself?",
         .make =
             [](Choices& c) {
                 c.change<Activation>().tanh = &curve_by<tanh_by_exp<double, -1>>;
                 c.change<Activation>().tanh_slope = &slope_by<tanh_by_exp<double, -1>>;
             }},
        {.id = "gelu_tanh_overflows_below_in_float",
         .decision = "gelu_formula",
         .title = "tanh is computed as (1 - e⁻²ᵘ) / (1 + e⁻²ᵘ) in float, or 1 - tanh² as 4e⁻²ᵘ / (1 + e⁻²ᵘ)²: "
                  "infinity by infinity where e⁻²ᵘ overflows, NaN below about x = -10",
         .right = by_library,
         .symptom = "right for numbers of usual size; one far below 0 gives NaN, and then everything is",
         .question = "What is exp(100.0F), and what is that divided by itself?",
         .make =
             [](Choices& c) {
                 c.change<Activation>().tanh = &curve_by<tanh_by_exp<float, -1>>;
                 c.change<Activation>().tanh_slope = &slope_by<tanh_by_exp<float, -1>>;
             }},
        {.id = "gelu_tanh_of_two_exps",
         .decision = "gelu_formula",
         .title = "tanh is computed as (eᵘ - e⁻ᵘ) / (eᵘ + e⁻ᵘ), infinity by infinity where one of the two overflows: "
                  "NaN from about |x| = 27 on, in float from 13 on",
         .right = by_library,
         .symptom = "right for numbers of usual size; one far from 0 gives NaN, and then everything is",
         .question = "What is exp(1000), and what is that divided by itself?",
         .make =
             [](Choices& c) {
                 c.change<Activation>().tanh = &curve_by<tanh_by_two_exps>;
                 c.change<Activation>().tanh_slope = &slope_by<tanh_by_two_exps>;
             }},
        {.id = "gelu_cut_at_three",
         .decision = "gelu_formula",
         .title = "gelu is 0 below -3 and x above 3",
         .right = "Φ is not yet 0 at -3, nor 1 at 3: gelu(-3) is -0.004",
         .symptom = hardly_seen,
         .question = "What is gelu(-3.1), to five digits?",
         .make =
             [](Choices& c) {
                 c.change<Activation>().exact = [](double x) { return cut_at_three(x, Activation::right().exact); };
                 c.change<Activation>().tanh = [](double x) { return cut_at_three(x, Activation::right().tanh); };
             }},
        {.id = "gelu_erf_of_x",
         .decision = "gelu_formula",
         .title = "erf is taken of x, not of x/√2",
         .right = right_formula,
         .symptom = "the curve bends too much: off by up to 0.1",
         .question = "Of which number does Φ(x) take erf?",
         .make = [](Choices& c) { c.change<Activation>().exact = [](double x) { return x / 2 * (1 + std::erf(x)); }; }},
        {.id = "gelu_erf_divided",
         .decision = "gelu_formula",
         .title = "erf(x) is divided by √2, where erf takes x/√2",
         .right = right_formula,
         .symptom = "a large x does not come through: gelu(100) is 85",
         .question = "What are erf(100) and Φ(100)?",
         .make =
             [](Choices& c) {
                 c.change<Activation>().exact = [](double x) { return x / 2 * (1 + std::erf(x) / std::sqrt(2.0)); };
             }},
        {.id = "gelu_clone_taken_for_dense",
         .decision = "gelu_strides",
         .title = "data()[i] of a clone is taken for its element i: clone() keeps the strides of a view",
         .right = "contiguous() first: then data()[0] to data()[numel - 1] are the elements, in row-major order",
         .symptom = "right for dense tensors; of a view other elements are meant, or none",
         .question = "What does x.clone().strides() give for a slice of an inner axis?",
         .make = [](Choices& c) { c.change<Activation>().clone_is_walked = true; }},
        {.id = "gelu_clone_of_gradient_taken_for_dense",
         .decision = "gelu_strides",
         .title = "data()[i] of a clone of grad_y is taken for its element i: clone() keeps the strides of a view",
         .right = "contiguous() first: then data()[0] to data()[numel - 1] are the elements, in row-major order",
         .symptom = "right for dense tensors; of a view other elements are meant, or none",
         .question = "What does grad_y.clone().strides() give for a transposed grad_y?",
         .make = [](Choices& c) { c.change<Activation>().clone_of_gradient_is_walked = true; }},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
