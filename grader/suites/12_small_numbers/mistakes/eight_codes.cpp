// Codes, and the numbers that they stand for.
#include "suites/12_small_numbers/eight.hpp"

#include "diagnosis/catalogue.hpp"

#include <algorithm>
#include <cmath>

namespace headway::diagnosis {
namespace {

constexpr const char* nearest_code = "the code that is nearest to x / scale";
constexpr const char* both_ends = "past 127 the code is 127, past -127 it is -127";
Index of_first_head(Index row, Index P, Index H) { return row - row % (P * H) + row % P; }

constexpr const char* by_own_scale = "number = code · scale, with the scale of the code's own row";

double wrapped(double code) {
    const double past = std::fmod(code + 128, 256);
    return (past < 0 ? past + 256 : past) - 128;
}

}  // namespace

namespace chapters {

Chapter eight_codes() {
    static constexpr Decision decisions[] = {
        {.id = "row_code",
         .stage = Stage::none,
         .lesson = {{"12", "Eight bits, and a scale"}},
         .pseudocode = "code = clamp(nearbyint(x / scale), -127, 127);  0 where scale = 0"},
        {.id = "row_range",
         .stage = Stage::none,
         .lesson = {{"12", "Eight bits, and a scale"}},
         .pseudocode = "code = clamp(nearbyint(x / scale), -127, 127), clamped before it becomes an int8"},
        {.id = "row_zero",
         .stage = Stage::none,
         .lesson = {{"12", "Eight bits, and a scale"}},
         .pseudocode = "where scale = 0: code = 0, and nothing is divided"},
        {.id = "row_lookup",
         .stage = Stage::none,
         .lesson = {{"12", "One loud row"}},
         .pseudocode =
             "number i of all belongs to row i / width; its scale is scales[i / width] of (B,H,P), row-major"},
        {.id = "row_number",
         .stage = Stage::none,
         .lesson = {{"12", "Eight bits, and a scale"}},
         .pseudocode = "number = code · scales[b,h,p]"},
    };
    static constexpr Mistake mistakes[] = {
        // ---- codes ----
        {.id = "code_cut_off",
         .decision = "row_code",
         .title = "x / scale is cut off toward 0",
         .right = nearest_code,
         .symptom = "every number loses up to a step, toward 0",
         .question = "Which code is nearest to 31.75?",
         .make = [](Choices& c) { c.change<Eights>().code = [](double quotient) { return std::trunc(quotient); }; }},
        {.id = "code_rounded_down",
         .decision = "row_code",
         .title = "x / scale is rounded down",
         .right = nearest_code,
         .symptom = "every number loses up to a step",
         .question = "Which code is nearest to 31.75?",
         .make = [](Choices& c) { c.change<Eights>().code = [](double quotient) { return std::floor(quotient); }; }},
        {.id = "code_rounded_up",
         .decision = "row_code",
         .title = "x / scale is rounded up",
         .right = nearest_code,
         .symptom = "every number gains up to a step",
         .question = "Which code is nearest to 31.25?",
         .make = [](Choices& c) { c.change<Eights>().code = [](double quotient) { return std::ceil(quotient); }; }},
        {.id = "code_half_added",
         .decision = "row_code",
         .title = "0.5 is added and the rest cut off, which is right above 0 alone",
         .right = nearest_code,
         .symptom = "negative numbers are off by a step",
         .question = "What is -31.75 + 0.5, cut off toward 0?",
         .make =
             [](Choices& c) { c.change<Eights>().code = [](double quotient) { return std::trunc(quotient + 0.5); }; }},
        {.id = "code_half_added_in_range",
         .decision = "row_code",
         .title = "x / scale is brought into the range, then 0.5 is added and the rest cut off: right above 0 alone",
         .right = nearest_code,
         .symptom = "negative numbers are off by a step, and -127 is never reached",
         .question = "What is -31.75 + 0.5, cut off toward 0?",
         .make =
             [](Choices& c) {
                 c.change<Eights>().code = [](double quotient) {
                     return std::trunc(std::clamp(quotient, -127.0, 127.0) + 0.5);
                 };
             }},
        {.id = "code_overflows_an_int",
         .decision = "row_code",
         .title = "x / scale becomes an int before it is brought into the range: from 2^31 on it is the lowest int, "
                  "code -127",
         .right = both_ends,
         .symptom = "very large numbers change their sign",
         .question = "What is 3e9 as an int?",
         .make =
             [](Choices& c) {
                 c.change<Eights>().code = [](double quotient) {
                     return std::abs(quotient) < 0x1p31 ? std::nearbyint(quotient) : -0x1p31;
                 };
             }},
        {.id = "code_overflows_a_long",
         .decision = "row_code",
         .title = "x / scale becomes a long before it is brought into the range: from 2^63 on it is the lowest long, "
                  "code -127",
         .right = both_ends,
         .symptom = "very large numbers change their sign",
         .question = "What is 1e30 as a long?",
         .make =
             [](Choices& c) {
                 c.change<Eights>().code = [](double quotient) {
                     return std::abs(quotient) < 0x1p63 ? std::nearbyint(quotient) : -0x1p63;
                 };
             }},
        {.id = "code_wraps_around",
         .decision = "row_range",
         .title = "past 127 codes wrap around to the other end",
         .right = both_ends,
         .symptom = "large numbers change their sign",
         .question = "What is 128 as an int8?",
         .make = [](Choices& c) { c.change<Eights>().end = &wrapped; }},
        {.id = "code_goes_to_minus_128",
         .decision = "row_range",
         .title = "codes go down to -128",
         .right = both_ends,
         .symptom = "codes of the two directions differ",
         .question = "Are there as many codes below 0 as above?",
         .make =
             [](Choices& c) { c.change<Eights>().end = [](double code) { return std::clamp(code, -128.0, 127.0); }; }},
        {.id = "code_clamped_above_alone",
         .decision = "row_range",
         .title = "codes are kept below 128, but wrap around past -128",
         .right = both_ends,
         .symptom = "large negative numbers change their sign",
         .question = "What is -200 as an int8?",
         .make =
             [](Choices& c) { c.change<Eights>().end = [](double code) { return wrapped(std::min(code, 127.0)); }; }},
        {.id = "code_clamped_below_alone",
         .decision = "row_range",
         .title = "codes are kept above -128, but wrap around past 127",
         .right = both_ends,
         .symptom = "large numbers change their sign",
         .question = "What is 200 as an int8?",
         .make =
             [](Choices& c) { c.change<Eights>().end = [](double code) { return wrapped(std::max(code, -127.0)); }; }},
        {.id = "zero_scale_divides",
         .decision = "row_zero",
         .title = "x is divided by a scale of 0",
         .right = "where a scale is 0, codes are 0",
         .symptom = "numbers of such a row become the largest",
         .question = "What is x / 0?",
         .make =
             [](Choices& c) {
                 c.change<Eights>().where_zero = [](double x) { return x == 0 ? 0 : std::copysign(127.0, x); };
             }},
        {.id = "zero_scale_is_one",
         .decision = "row_zero",
         .title = "where a scale is 0, x itself becomes the code",
         .right = "where a scale is 0, codes are 0",
         .symptom = "codes stand for nothing",
         .question = "What does code · 0 give?",
         .make =
             [](Choices& c) {
                 c.change<Eights>().where_zero = [](double x) { return Eights::right().end(std::nearbyint(x)); };
             }},
        // ---- whose scale ----
        {.id = "scale_of_first_row",
         .decision = "row_lookup",
         .title = "every row takes the first scale",
         .right = by_own_scale,
         .symptom = "right for one row",
         .question = "Which of the scales does row 5 take?",
         .make = [](Choices& c) { c.change<Eights>().scale_of = [](Index, Index, Index) { return Index{0}; }; }},
        {.id = "scale_of_first_token",
         .decision = "row_lookup",
         .title = "every token takes the scale of the first of its head",
         .right = by_own_scale,
         .symptom = "right for one token",
         .question = "Which of the scales does token 5 take?",
         .make =
             [](Choices& c) { c.change<Eights>().scale_of = [](Index row, Index P, Index) { return row - row % P; }; }},
        {.id = "scale_of_first_head",
         .decision = "row_lookup",
         .title = "every head takes the scales of the first",
         .right = by_own_scale,
         .symptom = "right for one head of one sequence",
         .question = "Which of the scales does head 1 take?",
         .make = [](Choices& c) { c.change<Eights>().scale_of = [](Index row, Index P, Index) { return row % P; }; }},
        {.id = "scale_of_first_head_of_the_text",
         .decision = "row_lookup",
         .title = "every head takes the scales of the first head of its sequence",
         .right = by_own_scale,
         .symptom = "right for one head",
         .question = "Which of the scales does head 1 take?",
         .make = [](Choices& c) { c.change<Eights>().scale_of = &of_first_head; }},
        {.id = "scale_of_first_head_of_the_text_kept",
         .decision = "row_lookup",
         .title = "every head takes, and keeps, the scales of the first head of its sequence",
         .right = by_own_scale,
         .symptom = "right for one head",
         .question = "Which of the scales does head 1 take?",
         .make =
             [](Choices& c) {
                 c.change<Eights>().scale_of = &of_first_head;
                 c.change<Eights>().keeps_what_it_takes = true;
             }},
        // ---- and back ----
        {.id = "codes_read_width_first",
         .decision = "row_number",
         .title = "codes are read as (B, H, width, P): column by column",
         .right = "codes lie row by row, (B, H, P, width), as x does",
         .symptom = "right for one token or one feature; else each number comes from another row",
         .question = "Which code follows the first one of a row?",
         .make = [](Choices& c) { c.change<Eights>().codes_width_first = true; }},
        {.id = "number_without_scale",
         .decision = "row_number",
         .title = "codes are taken for numbers: the scale is forgotten",
         .right = by_own_scale,
         .symptom = "numbers between -127 and 127, whatever they were",
         .question = "By what is a code multiplied?",
         .make = [](Choices& c) { c.change<Eights>().number = [](double code, double) { return code; }; }},
        {.id = "number_divided_by_scale",
         .decision = "row_number",
         .title = "codes are divided by their scale",
         .right = by_own_scale,
         .symptom = "large numbers become small",
         .question = "Does to_int8 multiply or divide?",
         .make =
             [](Choices& c) { c.change<Eights>().number = [](double code, double scale) { return code / scale; }; }},
        {.id = "number_by_scale_squared",
         .decision = "row_number",
         .title = "the scale is multiplied in twice",
         .right = by_own_scale,
         .symptom = "all numbers are too small",
         .question = "How often is a code multiplied?",
         .make =
             [](Choices& c) {
                 c.change<Eights>().number = [](double code, double scale) { return code * scale * scale; };
             }},
        {.id = "number_divided_by_127",
         .decision = "row_number",
         .title = "numbers are divided by 127 once more",
         .right = by_own_scale,
         .symptom = "all numbers are 127 times too small",
         .question = "What is 127 · scale, in a row whose largest number is 2?",
         .make =
             [](Choices& c) {
                 c.change<Eights>().number = [](double code, double scale) { return code / 127 * scale; };
             }},
        {.id = "number_of_unsigned_code",
         .decision = "row_number",
         .title = "negative codes are read as large positive ones",
         .right = by_own_scale,
         .symptom = "negative numbers become large",
         .question = "What is the int8 -1, read as an unsigned byte?",
         .make =
             [](Choices& c) {
                 c.change<Eights>().number = [](double code, double scale) {
                     return (code < 0 ? code + 256 : code) * scale;
                 };
             }},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
