#pragma once

#include "classroom/class_findings.hpp"

#include <string>

namespace headway::classroom {

/// index.html: how the class did, and what it has misunderstood. Nothing personal but ids.
std::string class_page(const ClassFindings& findings);

/// similarity.html: where to look, and that it proves nothing.
std::string similarity_page(const ClassFindings& findings);

/// students/ID.html
/// @param tell  how much of a verdict may be told
std::string student_page(const gradebook::Gradebook& gradebook, const gradebook::Edition& edition,
                         const gradebook::Mark& mark, verdict::Tell tell);

}  // namespace headway::classroom
