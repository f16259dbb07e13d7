#pragma once

#include "classroom/class_findings.hpp"
#include "classroom/roster.hpp"

#include <string>

namespace headway::classroom {

/// index.html: how the class did, and what it has misunderstood. With a roster also names, and who handed in nothing.
std::string class_page(const ClassFindings& findings, const Roster& roster = {});

/// similarity.html: where to look, and that it proves nothing. With a roster also names.
std::string similarity_page(const ClassFindings& findings, const Roster& roster = {});

}  // namespace headway::classroom
