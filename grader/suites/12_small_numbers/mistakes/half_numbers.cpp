// How numbers become numbers of sixteen bits.
#include "suites/12_small_numbers/eight.hpp"
#include "suites/12_small_numbers/roundings.hpp"

#include "diagnosis/catalogue.hpp"

#include <cmath>

namespace headway::diagnosis {
namespace {

double toward_zero(double x, const Digits& format) {
    const double step = step_at(x, format);
    return ended(std::trunc(x / step) * step, format);
}
double downward(double x, const Digits& format) {
    const double step = step_at(x, format);
    return ended(std::floor(x / step) * step, format);
}
double ties_away(double x, const Digits& format) {
    const double step = step_at(x, format);
    return ended(std::round(x / step) * step, format);
}
/// Bits of a half are rounded so; smaller numbers, which have fewer, are right.
double ties_away_from_the_least_exponent_up(double x, const Digits& format) {
    return std::abs(x) < std::ldexp(1.0, format.least_exponent) ? right_of(x, format) : ties_away(x, format);
}
double ties_up(double x, const Digits& format) {
    const double step = step_at(x, format);
    return ended(std::floor(x / step + 0.5) * step, format);
}
double ties_toward_zero(double x, const Digits& format) {
    const double step = step_at(x, format);
    return ended(std::copysign(std::ceil(std::abs(x) / step - 0.5) * step, x), format);
}
double as_it_is(double x, const Digits&) { return x; }

constexpr const char* nearest_one = "the nearest number of the format, of two that are equally near the even one";
constexpr const char* all_one_way = "nothing crashes; the errors of a long sum all go the same way, and add up";
constexpr const char* sums_go_on = "sums that should stop go on, in steps that are too large";

}  // namespace

namespace chapters {

Chapter half_numbers() {
    static constexpr Decision decisions[] = {
        {.id = "half_rounding",
         .stage = Stage::none,
         .lesson = {{"12", "By hand"}},
         .pseudocode =
             "step = 2^(max(exponent of x, least exponent) - fraction bits);  x = nearbyint(x / step) · step"},
        {.id = "half_strides",
         .stage = Stage::none,
         .lesson = {{"12", in_the_header}},
         .pseudocode = "y = x.contiguous().clone(); for i < numel: y.data()[i] = rounded(y.data()[i])"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "half_cuts_digits",
         .decision = "half_rounding",
         .title = "digits are cut off: every number moves toward 0",
         .right = nearest_one,
         .symptom = all_one_way,
         .question = "Which half is nearest to 2049.9, 2048 or 2050, and which does yours give?",
         .make = &rounds<&toward_zero>},
        {.id = "half_clone_taken_for_dense",
         .decision = "half_strides",
         .title = "data()[i] of a clone is taken for its element i: clone() keeps the strides of a view",
         .right = "contiguous() first: then data()[0] to data()[numel - 1] are the elements, in row-major order",
         .symptom = "right for dense tensors; of a view some numbers stay as they were",
         .question = "What does x.clone().strides() give for a slice of an inner axis?",
         .make = [](Choices& c) { c.change<Halves>().clone_is_walked = c.change<Eights>().clone_is_walked = true; }},
        {.id = "half_rounds_down",
         .decision = "half_rounding",
         .title = "numbers are rounded down",
         .right = nearest_one,
         .symptom = all_one_way,
         .question = "Which half is nearest to 2049.9, 2048 or 2050, and which does yours give?",
         .make = &rounds<&downward>},
        {.id = "half_ties_away",
         .decision = "half_rounding",
         .title = "what lies in the middle goes away from 0",
         .right = nearest_one,
         .symptom = sums_go_on,
         .question = "2049 is as near to 2048 as to 2050. Which of them has 0 as its last fraction bit?",
         .make = &rounds<&ties_away>},
        {.id = "half_ties_up",
         .decision = "half_rounding",
         .title = "what lies in the middle goes up",
         .right = nearest_one,
         .symptom = sums_go_on,
         .question = "2049 is as near to 2048 as to 2050. Which of them has 0 as its last fraction bit?",
         .make = &rounds<&ties_up>},
        {.id = "half_ties_toward_zero",
         .decision = "half_rounding",
         .title = "what lies in the middle goes toward 0",
         .right = nearest_one,
         .symptom = all_one_way,
         .question = "2051 is as near to 2050 as to 2052. Which of them has 0 as its last fraction bit?",
         .make = &rounds<&ties_toward_zero>},
        {.id = "half_alone_cuts_digits",
         .decision = "half_rounding",
         .title = "in half, digits are cut off: every number moves toward 0; bfloat16 is right",
         .right = nearest_one,
         .symptom = all_one_way,
         .question = "Which half is nearest to 2049.9, 2048 or 2050, and which does yours give?",
         .make = &rounds<&in_half_alone<&toward_zero>>},
        {.id = "half_alone_ties_away",
         .decision = "half_rounding",
         .title = "in half, what lies in the middle goes away from 0; bfloat16 is right",
         .right = nearest_one,
         .symptom = sums_go_on,
         .question = "2049 is as near to 2048 as to 2050. Which of them has 0 as its last fraction bit?",
         .make = &rounds<&in_half_alone<&ties_away>>},
        {.id = "half_alone_ties_away_from_2_to_minus_14",
         .decision = "half_rounding",
         .title =
             "in half, what lies in the middle goes away from 0, from 2^-14 up; smaller numbers and bfloat16 are right",
         .right = nearest_one,
         .symptom = sums_go_on,
         .question = "2049 is as near to 2048 as to 2050. Which of them has 0 as its last fraction bit?",
         .make = &rounds<&in_half_alone<&ties_away_from_the_least_exponent_up>>},
        {.id = "bfloat16_alone_ties_away",
         .decision = "half_rounding",
         .title = "in bfloat16, what lies in the middle goes away from 0; half is right",
         .right = nearest_one,
         .symptom = sums_go_on,
         .question = "257 is as near to 256 as to 258. Which of them has 0 as its last fraction bit?",
         .make = &rounds<&in_bfloat16_alone<&ties_away>>},
        {.id = "bfloat16_not_rounded",
         .decision = "half_rounding",
         .title = "in bfloat16 nothing is rounded: numbers stay the floats that they are",
         .right = nearest_one,
         .symptom = "better than sixteen bits can be",
         .question = "What does your rounded give for 257 in bfloat16?",
         .make = &rounds<&in_bfloat16_alone<&as_it_is>>},
        {.id = "bfloat16_cuts_bits",
         .decision = "half_rounding",
         .title = "a bfloat16 is made by dropping the lower half of a float's bits",
         .right = nearest_one,
         .symptom = all_one_way,
         .question = "Which bfloat16 is nearest to 257.9, 256 or 258?",
         .make = [](Choices& c) { c.change<Halves>().cuts_bfloat16 = true; }},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
