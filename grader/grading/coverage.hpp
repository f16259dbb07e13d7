#pragma once

#include "grading/grading.hpp"

#include "verdict/verdict.hpp"

namespace headway::cli {

/// Which of the student's lines the hidden tests run: a third build, with counters (g++'s), judged once more. Processes
/// that crash take their counts with them. Sets `coverage`, to nothing where it cannot be measured (another compiler,
/// no gcov); if it runs, however that ends, its jail is in `jails`.
void measure_coverage(const Course& course, const GradingOptions& options, verdict::Exercise& exercise);

}  // namespace headway::cli
