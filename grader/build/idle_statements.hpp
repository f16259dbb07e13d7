#pragma once

#include "submission/submission.hpp"

#include <string>
#include <vector>

namespace headway::build {

/// Statements that compile and do nothing, since a view is made anew by each call: `x.slice(0, 0, n) = y;`, `x[i] = y;`
/// `x.transpose(0, 1);` and `matmul(x, w);`. For each of the first few its place, and what does what was meant. Where
/// it is not certain that a tensor is meant, nothing.
std::vector<std::string> idle_statements(const std::vector<SourceFile>& files);

}  // namespace headway::build
