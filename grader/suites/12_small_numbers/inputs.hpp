#pragma once

#include "suites/12_small_numbers/expectations.hpp"

#include "student/inputs.hpp"

#include <vector>

/// Numbers on which the decisions of exercise 12 show.
namespace headway::judge::small_numbers {

/// Around random numbers of a format: they themselves, what lies between two, and the middle with both its neighbours
/// among floats. Those of `borders` besides, with both signs.
Tensor around_numbers(Random& random, const std::string& format, int how_many, const std::vector<float>& borders);
/// Where formats end: their largest and least numbers, what is beyond, zeros, infinities, NaN.
std::vector<float> borders_of(const std::string& format);

/// Numbers of a format, of many sizes, of both signs.
Tensor numbers_of_format(Random& random, const Shape& shape, const std::string& format);

/// The numbers, with those past the largest half, on either side, replaced by it: no larger score is asked.
Tensor within_halves(const Tensor& x);

/// Some keys of each row are blocked; where `empty`, whole rows too.
Tensor with_blocked(Random& random, const Tensor& scores, bool empty);

/// q, k, v of attention.
struct Heads {
    Tensor q, k, v;
    Arguments with(const Mask& mask) const { return {{"q", q}, {"k", k}, {"v", v}, {"mask", mask}}; }
};
Heads random_heads(Random& random, const Sizes& n);
/// Numbers of few digits: no order of a sum changes anything.
Heads heads_of_few_digits(Random& random, const Sizes& n);
/// Products whose sum is no half before it is divided.
Heads beyond_the_largest(Random& random, const Sizes& n);
/// Sums over features and over keys in which a large term comes first and many small ones follow.
Heads large_term_first(Random& random, const Sizes& n);
/// Scores near the ends of what a half holds.
Heads near_the_ends(Random& random, const Sizes& n);

/// Rows of another size each, from 2^-12 to 2^12.
Tensor uneven_rows(Random& random, const Shape& shape);
/// Codes of any size, with scales that are not those that row_scales would give, from 2^low to 2^high.
Rows random_rows(Random& random, Index B, Index H, Index P, Index width, float low, float high);
/// Keys whose scores stay small, and values that differ in size.
Cache random_cache(Random& random, Index B, Index H, Index P, Index d, Index d_v);

}  // namespace headway::judge::small_numbers
