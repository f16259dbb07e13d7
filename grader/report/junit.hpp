#pragma once

#include <string>

#include "verdict/verdict.hpp"

namespace headway::report {

/// The verdict as JUnit XML, for CI systems: a suite an exercise, a test case a property, points as properties.
/// A failed property is a <failure>, one that waits for a stub is <skipped>; <error> is never the student's fault:
/// machine or course. A submission that does not build fails in a test case named "Builds".
/// Bytes that are not UTF-8 and characters that XML forbids become U+FFFD.
std::string junit(const verdict::Verdict& verdict);

}  // namespace headway::report
