#pragma once

#include "diagnosis/search.hpp"

#include <vector>

namespace headway::diagnosis {

/// Whether all that is wrong was asked with a view that repeats a row in memory (a stride of 0), and is answered right
/// once the row is written out as often.
bool misreads_only_repeated_rows(const std::vector<Observation>& observations, const Function& function,
                                 judge::Student& student);

}  // namespace headway::diagnosis
