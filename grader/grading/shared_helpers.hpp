#pragma once

#include "submission/submission.hpp"
#include "verdict/verdict.hpp"

#include <vector>

namespace headway::cli {

/// Settles whose mistake it is where functions call each other, or a helper, as far as the sources show that:
/// - A function that throws in its own lines before it calls those that its test waits for is judged.
/// - A function that calls none of the earlier ones with the same mistake does not have it from them.
/// - State that is kept between calls is the mistake of an earlier function, if a test passed given that one's answers.
/// - A refusal that is missing is the mistake of a called function that lets the same through; an empty std::vector,
///   that of the called function that alone makes room without elements.
/// The sources are the submission's word: no point depends on them.
void settle_shared_helpers(verdict::Exercise& exercise, const std::vector<build::SourceFile>& files);

}  // namespace headway::cli
