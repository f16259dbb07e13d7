#pragma once

#include "diagnosis/only_where.hpp"

#include <vector>

namespace headway::diagnosis {

/// What is seen too much, or counts twice, where window_attention computes several queries together, for each of the
/// numbers of queries that people take. The number is in their words.
std::vector<Explanation> blocks_of_queries();

}  // namespace headway::diagnosis
