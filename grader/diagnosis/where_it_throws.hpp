#pragma once

#include "diagnosis/examination.hpp"
#include "diagnosis/search.hpp"
#include "diagnosis/where_wrong.hpp"

#include "verdict/verdict.hpp"

#include <string>
#include <vector>

namespace headway::diagnosis {

/// What checked access said where an answer was due; empty if nothing.
std::string index_left_its_tensor(const Findings& findings, const Function& function);

/// Whether what came where an answer was due is an exception.
bool threw_where_an_answer_is_due(const Observation& one);

/// Whether these mistakes give no value either where the function threw: then the throw is a part of them.
bool throw_there_too(const MistakeSet& set, const std::vector<Observation>& observations);

/// Whether what throws where it should answer does so in the sanitized build, too. A function that ends without a
/// return runs into what stands behind it in memory, and may throw there: the build that watches memory tells the two
/// apart, and then the words say no longer that it throws.
bool throws_where_memory_is_watched(WhereWrong& where, const std::vector<Observation>& observations,
                                    const Function& function, judge::Student& sanitized);

}  // namespace headway::diagnosis
