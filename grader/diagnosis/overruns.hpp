#pragma once

#include "diagnosis/examination.hpp"
#include "diagnosis/search.hpp"

#include "verdict/verdict.hpp"

#include <functional>

/// Indices that leave their memory because a tensor is read as if it were contiguous.
namespace headway::diagnosis {

/// Takes the name of an index that leaves its memory from a function whose other mistake leads out of a storage in
/// every question in which that was seen: mended, none of them does.
/// @param predict  what comes of the other mistake; nothing is taken if that is not known
void leave_overruns_to(verdict::FunctionDiagnosis& diagnosis, const Findings& findings, const Function& function,
                       const std::function<Answer(const Observation&)>& predict);
/// The same of mistakes that the model makes.
void leave_overruns_to(verdict::FunctionDiagnosis& diagnosis, const Findings& findings, const Function& function,
                       const MistakeSet& set);

}  // namespace headway::diagnosis
