#pragma once

#include "student/inputs.hpp"
#include "student/student.hpp"

namespace headway::judge::tiled {

/// Expects tiled_attention to be right where scores are about 1e4 or -1e4, in some tiles or of blocked keys alone. What
/// is wrong of usual scores too is another test's business.
void expect_attention_of_large_scores(Student& student, Random& random, const Sizes& n);
/// The same of scores of about -1e4 with a mask: what blocks by a finite number is no lower.
void expect_masks_of_low_scores(Student& student, Random& random, const Sizes& n);

}  // namespace headway::judge::tiled
