#pragma once

#include "submission/submission.hpp"

#include <string>
#include <vector>

namespace headway::build {

/// Where the submission has a function of that name which other files cannot call: what makes it so, and what to
/// change. It follows "NAME is declared in the header, but". Empty if there is none, or nobody knows why.
std::string why_not_seen_outside(const std::string& function, const std::vector<SourceFile>& files);

}  // namespace headway::build
