#pragma once

#include "diagnosis/search.hpp"

#include <headway/random.hpp>

#include <optional>
#include <string>
#include <vector>

/// Calls like one that was asked, but for one size: which size an answer depends on is seen where no other changes.
namespace headway::diagnosis {

/// The same call with other numbers and another size along the axis of that name, such as "T". Nothing where no tensor
/// has that axis, or an argument states its size.
std::optional<judge::Arguments> resized(const judge::Arguments& arguments, const std::string& axis, Index size,
                                        Random& random);

/// The first calls that were answered wrong, with one of their sizes changed: each size of 1, in its turn, to more, and
/// each that is beyond the longest which is answered right, down to the shortest that is not. With the answers.
/// @param usual  what counts as right: the right choices, or these with mistakes that are known
std::vector<Observation> ask_with_other_sizes(const std::vector<Observation>& observations, const Choices& usual,
                                              const Function& function, judge::Student& student, Random& random);

}  // namespace headway::diagnosis
