#pragma once

#include "diagnosis/diagnose.hpp"
#include "diagnosis/examination.hpp"
#include "diagnosis/search.hpp"

#include <vector>

/// Answers that prove something, as observations: where memory was misused they do not.
namespace headway::diagnosis {

/// Those to the questions that it was asked in the examination.
std::vector<Observation> trusted_answers(const Findings& findings, const Function& function);

/// Those to the hidden tests.
std::vector<Observation> trusted_answers(const std::vector<AnsweredCall>& calls, const Findings& findings,
                                         const Function& function);

}  // namespace headway::diagnosis
