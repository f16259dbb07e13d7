#pragma once

#include "gradebook/marks.hpp"

#include <string>
#include <vector>

namespace headway::classroom {

/// What another edition would change for one student.
struct MarkChange {
    std::string student;
    std::string exercise;  ///< empty: the total, of a student who comes or goes
    double before = 0;
    double after = 0;
    std::vector<std::string> reasons;
};

/// Everything that a new edition, or a new policy, would give or take, and why.
std::vector<MarkChange> mark_changes(const gradebook::Gradebook& gradebook, const gradebook::Edition& before,
                                     const gradebook::Edition& after, const std::vector<std::string>& exercises);

}  // namespace headway::classroom
