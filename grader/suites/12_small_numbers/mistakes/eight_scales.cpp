// Scales of rows.
#include "suites/12_small_numbers/eight.hpp"
#include "suites/12_small_numbers/sixteen.hpp"

#include "diagnosis/catalogue.hpp"
#include "diagnosis/elements.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace headway::diagnosis {
namespace {

constexpr const char* a_scale_a_row = "each row of each head has a scale of its own, max|x| / 127";
constexpr const char* coarse = "rows of small numbers lose their digits";

/// A number of each row, over something.
template <class OfRow>
Array scale_of_each(const Array& x, OfRow of_row) {
    Array scales = zeros({x.size(0), x.size(1), x.size(2)});
    const auto width = static_cast<std::ptrdiff_t>(x.size(3));
    for (std::size_t i = 0; i < scales.value.size(); ++i) {
        const auto begin = x.value.begin() + static_cast<std::ptrdiff_t>(i) * width;
        scales.value[i] = of_row(begin, begin + width);
    }
    return within(std::move(scales), 1e-6);
}
using At = std::vector<double>::const_iterator;

double largest_size(At begin, At end) {
    double most = 0;
    for (At at = begin; at != end; ++at) most = std::max(most, std::abs(*at));
    return most;
}

Array of_all(const Array& x) { return scales_over(x, true, true, true); }
Array of_head(const Array& x) { return scales_over(x, false, false, true); }
Array of_token(const Array& x) { return scales_over(x, false, true, false); }
Array over_128(const Array& x) {
    return scale_of_each(x, [](At begin, At end) { return largest_size(begin, end) / 128; });
}
Array over_255(const Array& x) {
    return scale_of_each(x, [](At begin, At end) { return largest_size(begin, end) / 255; });
}
Array of_range(const Array& x) {
    return scale_of_each(
        x, [](At begin, At end) { return (*std::max_element(begin, end) - *std::min_element(begin, end)) / 255; });
}
Array with_sign(const Array& x) {
    return scale_of_each(x, [](At begin, At end) { return *std::max_element(begin, end) / 127; });
}
Array with_sign_from_zero(const Array& x) {
    return scale_of_each(x, [](At begin, At end) { return std::max(0.0, *std::max_element(begin, end)) / 127; });
}
Array with_sign_of_first(const Array& x) {
    return scale_of_each(x, [](At begin, At end) { return std::max(*begin, largest_size(begin + 1, end)) / 127; });
}
Array size_of_the_largest(const Array& x) {
    return scale_of_each(x, [](At begin, At end) { return std::abs(*std::max_element(begin, end)) / 127; });
}
Array of_range_over_254(const Array& x) {
    return scale_of_each(
        x, [](At begin, At end) { return (*std::max_element(begin, end) - *std::min_element(begin, end)) / 254; });
}
Array undivided(const Array& x) {
    return scale_of_each(x, [](At begin, At end) { return largest_size(begin, end); });
}
Array upside_down(const Array& x) {
    return scale_of_each(x, [](At begin, At end) { return 127 / largest_size(begin, end); });
}
Array of_mean(const Array& x) {
    return scale_of_each(x, [](At begin, At end) {
        double total = 0;
        for (At at = begin; at != end; ++at) total += std::abs(*at);
        return total / static_cast<double>(end - begin) / 127;
    });
}
/// In float.
Array by_squares(const Array& x) {
    return scale_of_each(x, [](At begin, At end) {
        float most = 0;
        for (At at = begin; at != end; ++at) {
            const auto number = static_cast<float>(*at);
            most = std::max(most, number * number);
        }
        return static_cast<double>(std::sqrt(most)) / 127;
    });
}
Array one_for_zeros(const Array& x) {
    return scale_of_each(x, [](At begin, At end) {
        const double most = largest_size(begin, end);
        return most == 0 ? 1 : most / 127;
    });
}

template <Array (*scales)(const Array&)>
void takes(Choices& c) {
    c.change<Eights>().scales = scales;
}

}  // namespace

namespace chapters {

Chapter eight_scales() {
    static constexpr Decision decisions[] = {
        {.id = "row_scale",
         .stage = Stage::none,
         .lesson = {{"12", "Eight bits, and a scale"}},
         .pseudocode = "x (B,H,P,width) -> scales (B,H,P): max over the width of |x|, / 127"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "scale_of_whole_tensor",
         .decision = "row_scale",
         .title = "one scale serves the whole tensor",
         .right = a_scale_a_row,
         .symptom = coarse,
         .question = "Which numbers share a scale in your code?",
         .make = &takes<&of_all>},
        {.id = "scale_of_head",
         .decision = "row_scale",
         .title = "all tokens of a head share a scale",
         .right = a_scale_a_row,
         .symptom = coarse,
         .question = "Which numbers share a scale in your code?",
         .make = &takes<&of_head>},
        {.id = "scale_of_token",
         .decision = "row_scale",
         .title = "all heads of a token share a scale",
         .right = a_scale_a_row,
         .symptom = coarse,
         .question = "Which numbers share a scale in your code?",
         .make = &takes<&of_token>},
        {.id = "scale_divides_by_128",
         .decision = "row_scale",
         .title = "the largest number is divided by 128",
         .right = a_scale_a_row,
         .symptom = "the largest number becomes 128, which is no code",
         .question = "Which code does the largest number of a row get?",
         .make = &takes<&over_128>},
        {.id = "scale_divides_by_255",
         .decision = "row_scale",
         .title = "the largest number is divided by 255",
         .right = a_scale_a_row,
         .symptom = "all that is larger than half the largest is cut off",
         .question = "Which code does the largest number of a row get?",
         .make = &takes<&over_255>},
        {.id = "scale_of_range",
         .decision = "row_scale",
         .title = "the scale is (max - min) / 255, as it would be with a zero point",
         .right = a_scale_a_row,
         .symptom = "the end that is farther from 0 is cut off",
         .question = "Which code does the largest number of a row get?",
         .make = &takes<&of_range>},
        {.id = "scale_of_half_the_range",
         .decision = "row_scale",
         .title =
             "the scale is (max - min) / 254, half of the range: right only where the row reaches as far down as up",
         .right = a_scale_a_row,
         .symptom = "the end that is farther from 0 is cut off; a row of equal numbers gets scale 0",
         .question = "Which code does the larger number of the row (1, 3) get?",
         .make = &takes<&of_range_over_254>},
        {.id = "scale_of_largest_with_sign",
         .decision = "row_scale",
         .title = "the largest number counts, and not the largest |x|",
         .right = a_scale_a_row,
         .symptom = "rows with a large negative number are cut off",
         .question = "Which number of (1, -2, 0.5) decides?",
         .make = &takes<&with_sign>},
        {.id = "scale_of_largest_from_zero",
         .decision = "row_scale",
         .title = "only positive numbers count",
         .right = a_scale_a_row,
         .symptom = "rows with a large negative number are cut off",
         .question = "Which number of (1, -2, 0.5) decides?",
         .make = &takes<&with_sign_from_zero>},
        {.id = "scale_of_first_with_sign",
         .decision = "row_scale",
         .title = "the first number of a row counts with its sign, all others without",
         .right = a_scale_a_row,
         .symptom = "rows that begin with their largest |x|, a negative number, are cut off",
         .question = "With which number does your search for the largest |x| begin?",
         .make = &takes<&with_sign_of_first>},
        {.id = "scale_of_size_of_largest",
         .decision = "row_scale",
         .title = "|max x| is taken for max |x|",
         .right = a_scale_a_row,
         .symptom = "rows with a large negative number are cut off",
         .question = "Which number of (1, -2, 0.5) decides?",
         .make = &takes<&size_of_the_largest>},
        {.id = "scale_not_divided",
         .decision = "row_scale",
         .title = "the scale is max|x|, and not a 127th of it",
         .right = a_scale_a_row,
         .symptom = "all codes are -1, 0 or 1",
         .question = "Which code does the largest number of a row get?",
         .make = &takes<&undivided>},
        {.id = "scale_upside_down",
         .decision = "row_scale",
         .title = "the scale is 127 / max|x|",
         .right = a_scale_a_row,
         .symptom = "codes are products where they should be quotients",
         .question = "By what is a code multiplied to become a number?",
         .make = &takes<&upside_down>},
        {.id = "scale_of_mean",
         .decision = "row_scale",
         .title = "the mean of |x| counts",
         .right = a_scale_a_row,
         .symptom = "what is larger than the mean is cut off",
         .question = "Which code does the largest number of a row get?",
         .make = &takes<&of_mean>},
        {.id = "scale_by_squares",
         .decision = "row_scale",
         .title = "|x| is taken as the root of x²: in float the square of 1e-25 is 0, that of 1e25 infinite",
         .right = "max|x| / 127 by |x| itself, without a square or a root",
         .symptom = "right for numbers of usual size",
         .question = "What is 1e-25 · 1e-25 in a float?",
         .make = &takes<&by_squares>},
        {.id = "scale_one_for_zeros",
         .decision = "row_scale",
         .title = "a row of zeros has scale 1",
         .right = a_scale_a_row,
         .symptom = "nothing is lost, and the header says 0",
         .question = "What does row_scales give for a row of zeros?",
         .make = &takes<&one_for_zeros>},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
