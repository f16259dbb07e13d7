#pragma once

#include "verdict/verdict.hpp"

#include <string>
#include <vector>

/// What the plain and the sanitized build of a submission were found to do, as one result.
namespace headway::cli {

/// One result of two: passed if both builds passed, or only time kept the sanitized one from it. It takes many times
/// what the program does, so that costs nobody a point. The failure that says more is kept.
verdict::Test merge(const verdict::Test& plain, const verdict::Test& sanitized);

/// What the sanitized build would have said about memory, had it not run out of time: sentences for the verdict, as
/// build::unchecked_places gives them. The same tests in both.
std::vector<std::string> unchecked_for_time(const std::vector<verdict::Test>& plain,
                                            const std::vector<verdict::Test>& sanitized);

}  // namespace headway::cli
