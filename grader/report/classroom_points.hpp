#pragma once

#include "verdict/verdict.hpp"

namespace headway::report {

/// Points for GitHub Classroom: what its autograding-grading-reporter reads, in base64, from the output `result` of a
/// step [classroom-resources/autograding-grading-reporter, src/]. A test an exercise. The reporter prints its texts as
/// they are into a log in which lines can be commands; so nothing that a submission wrote is in it.
/// Where the machine failed at an exercise, there is no max_score, for which no points are reported: it is no zero.
nlohmann::json classroom_points(const verdict::Verdict& verdict);

}  // namespace headway::report
