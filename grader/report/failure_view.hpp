#pragma once

#include <string>
#include <string_view>

#include "terminal/page.hpp"
#include "verdict/verdict.hpp"

namespace headway::report {

/// Where an exercise's files are, as a path to click on: "exercises/03_scaled_scores/".
struct Place {
    std::string folder;

    /// "exercises/03_scaled_scores/scaled_scores.cpp:14"; line and column 0 are left out
    std::string of(const std::string& file, int line, int column = 0) const;
};

inline constexpr std::size_t failure_indent = 6;

/// A failure in full: message, story, where the numbers differ, small tensors, the sanitizer's report.
void show_failure(Page& page, const verdict::Test& test, const verdict::Failure& failure, const Place& place);

/// In a line or two, where a full one would drown the reader. `lead` is put before the message.
void show_failure_briefly(Page& page, const verdict::Failure& failure, const std::string& lead);

/// Whether a reader learns nothing new from `b` after `a`.
bool are_alike(const verdict::Failure& a, const verdict::Failure& b);

/// Whether `b` may come of `a`: a sanitizer saw that this function can end without a return, and the other build, where
/// nothing stops it there, went on and crashed. One cannot tell which crashes have another cause.
bool may_come_of(const verdict::Failure& a, const verdict::Failure& b);
inline constexpr std::string_view after_no_return = "mend the missing return above first, which this may come of: ";

}  // namespace headway::report
