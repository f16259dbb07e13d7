#pragma once

#include "verdict/verdict.hpp"

#include <string>
#include <vector>

/// What the plain and the sanitized build of a submission were found to do, as one result.
namespace headway::cli {

/// One result of two: passed if both builds passed, or if the sanitized one only ran out of time. Sanitizers make a
/// program many times slower, so that costs nobody a point. Of two failures, the one that says more is kept.
verdict::Test merge(const verdict::Test& plain, const verdict::Test& sanitized);

/// What the sanitized build would have said about memory, had it not run out of time: sentences for the verdict, as
/// build::unchecked_places gives them. Both have the same tests.
std::vector<std::string> unchecked_for_time(const std::vector<verdict::Test>& plain,
                                            const std::vector<verdict::Test>& sanitized);

}  // namespace headway::cli
