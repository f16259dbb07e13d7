#pragma once

#include <string>
#include <vector>

#include "verdict/verdict.hpp"

/// Verdicts of every kind, to render and to send through JSON.
namespace headway::samples {

verdict::Test passed(const std::string& name, const std::string& property, int points);
verdict::Test failed(const std::string& name, const std::string& property, int points, verdict::Failure failure);
verdict::Test not_written(const std::string& name, const std::string& property, int points,
                          const std::string& function);

/// Points and max_points are those of the tests.
verdict::Exercise exercise(const std::string& number, const std::string& title, verdict::State state,
                           std::vector<verdict::Test> tests);
verdict::Verdict verdict_of(std::vector<verdict::Exercise> exercises);

// Failures.
verdict::Failure wrong_scale();  ///< wrong values, with story, coordinate and counts
verdict::Failure wrong_mask();   ///< small tensors, all numbers whole
verdict::Failure gives_nan();    ///< NaN and infinity in tensors and coordinate
verdict::Failure wrong_shape();
verdict::Failure reads_out_of_bounds();  ///< a sanitizer's report
verdict::Failure crashes();

// Exercises.
verdict::Exercise all_right();
verdict::Exercise untouched();
verdict::Exercise half_written();
verdict::Exercise wrong();
verdict::Exercise does_not_compile();
verdict::Exercise unavailable();
verdict::Exercise never_graded();

/// Every field is set, every enumeration and number is unusual somewhere.
verdict::Verdict with_everything();

/// What a hostile or clumsy submission can put into a verdict: escape sequences, invalid UTF-8, wide and combining
/// characters, long words, megabytes, NaN, shapes that do not fit.
std::vector<verdict::Verdict> nasty();

struct Named {
    std::string name;
    verdict::Verdict verdict;
};
/// One of each kind.
std::vector<Named> all();

}  // namespace headway::samples
