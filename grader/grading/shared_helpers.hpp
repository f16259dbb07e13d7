#pragma once

#include "submission/submission.hpp"
#include "verdict/verdict.hpp"

#include <vector>

namespace headway::cli {

/// What is left to an earlier function, as far as the sources show whether it is called. A test in which a function
/// throws in its own lines before it calls those that it waits for is its own, and the function is judged. A mistake of
/// a function that calls none of those that made it before is not said to be from there: both may call a helper. What
/// is kept between calls is from an earlier function where a property holds given that one. What is not refused is from
/// a function that it calls and that lets the same through; an empty std::vector, from one that it calls and that alone
/// makes room without elements. The lines are a submission's word, and no point depends on them.
void settle_shared_helpers(verdict::Exercise& exercise, const std::vector<build::SourceFile>& files);

}  // namespace headway::cli
