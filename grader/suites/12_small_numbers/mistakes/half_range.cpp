// Where the formats of sixteen bits begin and end.
#include "suites/12_small_numbers/roundings.hpp"

#include "diagnosis/catalogue.hpp"

#include <cmath>
#include <limits>

namespace headway::diagnosis {
namespace {

double flushed(double x, const Digits& format) {
    return std::abs(x) < std::ldexp(1.0, format.least_exponent) ? 0 : right_of(x, format);
}
double without_sign(double x, const Digits& format) {
    return std::abs(x) < std::ldexp(1.0, format.least_exponent) ? std::abs(right_of(x, format)) : right_of(x, format);
}
double without_least(double x, const Digits& format) {
    const double step = std::ldexp(1.0, std::ilogb(x) - format.fraction_bits);
    return ended(std::nearbyint(x / step) * step, format);
}
double clamped(double x, const Digits& format) {
    const double y = right_of(x, format);
    return std::isinf(y) ? std::copysign(format.largest, x) : y;
}
double infinite_from_the_next_power(double x, const Digits& format) {
    const double y = right_of(x, format);
    const double power = format.fraction_bits == 10 ? 65'536 : std::numeric_limits<double>::infinity();
    return std::isinf(y) && std::abs(x) < power ? std::copysign(format.largest, x) : y;
}
double never_infinite(double x, const Digits& format) {
    const double step = step_at(x, format);
    return std::nearbyint(x / step) * step;
}

double infinite_past_the_largest(double x, const Digits& format) {
    return std::abs(x) > format.largest ? ended(x, format) : right_of(x, format);
}

constexpr const char* where_it_ends = "from half a step past the largest on (in half 65,520) it is an infinity";

}  // namespace

namespace chapters {

Chapter half_range() {
    static constexpr Decision decisions[] = {
        {.id = "half_range",
         .stage = Stage::none,
         .lesson = {{"12", "As a formula"}},
         .pseudocode = "if |rounded x| > the largest: ±infinity.  half: 10 bits, 2^-14 to 65,504;  bfloat16: 7 bits, "
                       "2^-126 to the exponents of a float"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "half_flushes_subnormals",
         .decision = "half_range",
         .title = "what is below 2^-14 in half (2^-126 in bfloat16) becomes 0",
         .right = "numbers go on below that, a fixed step apart: 2^-24 in half",
         .symptom = "small weights vanish",
         .question = "What does your rounded give for 2^-15?",
         .make = &rounds<&flushed>},
        {.id = "half_alone_flushes_subnormals",
         .decision = "half_range",
         .title = "in half, what is below 2^-14 becomes 0; bfloat16 is right",
         .right = "numbers go on below that, 2^-24 apart",
         .symptom = "small weights vanish",
         .question = "What does your rounded give for 2^-15?",
         .make = &rounds<&in_half_alone<&flushed>>},
        {.id = "bfloat16_alone_flushes_subnormals",
         .decision = "half_range",
         .title = "in bfloat16, what is below 2^-126 becomes 0; half is right",
         .right = "numbers go on below that, 2^-133 apart",
         .symptom = "right for numbers of usual size",
         .question = "What does your rounded give for 2^-130 in bfloat16?",
         .make = &rounds<&in_bfloat16_alone<&flushed>>},
        {.id = "half_small_numbers_without_sign",
         .decision = "half_range",
         .title = "in half, negative numbers below 2^-14 in size lose their sign",
         .right = "the sign stays, whatever the size: keep it apart, and put it back at the end",
         .symptom = "right for numbers of usual size",
         .question = "What does your code give for -2^-20?",
         .make = &rounds<&in_half_alone<&without_sign>>},
        {.id = "half_has_no_least_step",
         .decision = "half_range",
         .title = "numbers keep all their binary digits however small they are",
         .right = "below 2^-14 halves are 2^-24 apart, so that they have ever fewer digits, and end",
         .symptom = "small numbers are better than they should be",
         .question = "How many halves are there between 0 and 2^-23?",
         .make = &rounds<&without_least>},
        {.id = "half_alone_has_no_least_step",
         .decision = "half_range",
         .title = "in half, numbers keep all their binary digits however small they are; bfloat16 is right",
         .right = "below 2^-14 halves are 2^-24 apart, so that they have ever fewer digits, and end",
         .symptom = "small numbers are better than they should be",
         .question = "How many halves are there between 0 and 2^-23?",
         .make = &rounds<&in_half_alone<&without_least>>},
        {.id = "bfloat16_has_no_least_step",
         .decision = "half_range",
         .title = "in bfloat16, steps go on shrinking below 2^-126; half is right",
         .right = "from 2^-126 down the step of a bfloat16 stays 2^-133, its least number: the comment above Format "
                  "has it",
         .symptom = "right for numbers of usual size",
         .question = "Which number of the format is nearest to 2^-149 in bfloat16?",
         .make = &rounds<&in_bfloat16_alone<&without_least>>},
        {.id = "half_clamps_at_the_largest",
         .decision = "half_range",
         .title = "what is too large becomes the largest number",
         .right = where_it_ends,
         .symptom = "overflow goes unseen",
         .question = "What does a processor give for 60,000 + 60,000 in half?",
         .make = &rounds<&clamped>},
        {.id = "infinite_past_the_largest",
         .decision = "half_range",
         .title = "what is larger than the largest number is infinite, even by less than half a step",
         .right = where_it_ends,
         .symptom = "numbers that would still be rounded to the largest overflow",
         .question = "Which is nearer to 65,510: 65,504, or the half that would come next?",
         .make = &rounds<&infinite_past_the_largest>},
        {.id = "half_alone_infinite_past_the_largest",
         .decision = "half_range",
         .title = "in half, what is larger than 65,504 is infinite, even by less than half a step; bfloat16 is right",
         .right = where_it_ends,
         .symptom = "numbers that would still be rounded to the largest overflow",
         .question = "Which is nearer to 65,510: 65,504, or the half that would come next?",
         .make = &rounds<&in_half_alone<&infinite_past_the_largest>>},
        {.id = "half_infinite_from_the_next_power",
         .decision = "half_range",
         .title = "numbers from 65,520 up to 65,536 become 65,504",
         .right = where_it_ends,
         .symptom = "a program that looks for infinities does not see the first",
         .question = "If halves went on, which would follow 65,504, and where is the middle?",
         .make = &rounds<&infinite_from_the_next_power>},
        {.id = "half_never_infinite",
         .decision = "half_range",
         .title = "there is no largest number: what is too large is rounded and stays",
         .right = where_it_ends,
         .symptom = "overflow goes unseen",
         .question = "What does your rounded give for 1e9 in half?",
         .make = &rounds<&never_infinite>},
        {.id = "half_with_the_range_of_bfloat16",
         .decision = "half_range",
         .title = "a half has the exponents of a float, as a bfloat16",
         .right = "a half has five bits of exponent: it ends at 65,504, and below 2^-14 its steps stay 2^-24",
         .symptom = "overflow goes unseen",
         .question = "How many bits are left for the exponent beside 1 of sign and 10 of fraction?",
         .make =
             [](Choices& c) {
                 c.change<Halves>().half = {10, -126, 0x1.ffcp127};
             }},
        {.id = "bfloat16_with_the_least_exponent_of_half",
         .decision = "half_range",
         .title = "a bfloat16 has the least exponent of a half: below 2^-14 its numbers stay 2^-21 apart",
         .right = "a bfloat16 has the exponents of a float: down to 2^-126 it keeps its 7 fraction bits",
         .symptom = "small gradients vanish, as in half",
         .question = "Which is the least exponent of a float, and which that of a half?",
         .make =
             [](Choices& c) {
                 c.change<Halves>().bfloat16 = {7, -14, bfloat16_digits.largest};
             }},
        {.id = "bfloat16_with_the_range_of_half",
         .decision = "half_range",
         .title = "a bfloat16 ends where a half does",
         .right = "a bfloat16 has the exponents of a float: up to 3.39e38, and down to 2^-133",
         .symptom = "large numbers become infinite",
         .question = "How many bits are left for the exponent beside 1 of sign and 7 of fraction?",
         .make =
             [](Choices& c) {
                 c.change<Halves>().bfloat16 = {7, -14, 65'280};
             }},
        {.id = "formats_exchanged",
         .decision = "half_range",
         .title = "half and bfloat16 stand for one another",
         .right = "half: 10 fraction bits; bfloat16: 7, and the exponents of a float",
         .symptom = "each has the other's digits and range",
         .question = "Which of the two has more fraction bits?",
         .make =
             [](Choices& c) {
                 c.change<Halves>().half = bfloat16_digits;
                 c.change<Halves>().bfloat16 = half_digits;
             }},
        {.id = "half_for_bfloat16",
         .decision = "half_range",
         .title = "bfloat16 is rounded as half is",
         .right = "half: 10 fraction bits; bfloat16: 7, and the exponents of a float",
         .symptom = "large numbers become infinite, and sums stop later than they would",
         .question = "Where does your rounded look at the format?",
         .make = [](Choices& c) { c.change<Halves>().bfloat16 = half_digits; }},
        {.id = "bfloat16_for_half",
         .decision = "half_range",
         .title = "half is rounded as bfloat16 is",
         .right = "half: 10 fraction bits; bfloat16: 7, and the exponents of a float",
         .symptom = "three binary digits are lost",
         .question = "Where does your rounded look at the format?",
         .make = [](Choices& c) { c.change<Halves>().half = bfloat16_digits; }},
        {.id = "bfloat16_with_a_bit_more",
         .decision = "half_range",
         .title = "a bfloat16 has eight fraction bits: the first bit, which is not stored, is counted as one of them",
         .right = "a bfloat16 has 7 fraction bits beside its first bit",
         .symptom = "steps are half as wide as they should be",
         .question = "How many bfloat16 numbers are there from 1 up to 2?",
         .make =
             [](Choices& c) {
                 c.change<Halves>().bfloat16 = {8, -126, 0x1.ffp127};
             }},
        {.id = "half_with_one_bit_less",
         .decision = "half_range",
         .title =
             "numbers have one fraction bit too few: the first bit, which is not stored, is counted as one of them",
         .right = "half has 10 fraction bits and bfloat16 7, beside the first bit",
         .symptom = "steps are twice as wide",
         .question = "How many numbers of the format are there from 1 up to 2?",
         .make =
             [](Choices& c) {
                 c.change<Halves>().half = {9, -14, 65'472};
                 c.change<Halves>().bfloat16 = {6, -126, 0x1.fcp127};
             }},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
