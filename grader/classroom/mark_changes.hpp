#pragma once

#include "gradebook/marks.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace headway::classroom {

/// What another edition would change of one student's exercise.
struct MarkChange {
    std::string student;
    std::string exercise;  ///< empty: the total, of a student who comes or goes
    double before = 0;
    double after = 0;
    std::vector<std::string> reasons;
};

/// Everything that a new edition, or a new policy, would give or take. Marks are the totals: an exercise may change
/// below one that is set by hand, which stays.
struct MarkChanges {
    std::vector<std::string> exercises;  ///< that come to the class or leave it, in words
    std::vector<MarkChange> changes;
    std::size_t marks = 0;           ///< how many students get another mark, or one at all, or none
    std::size_t up = 0;              ///< of these
    std::size_t down = 0;            ///< of these
    std::vector<std::string> stays;  ///< whose mark is the same, although something of it changes
};

/// @throws MarkingPolicyError if an edition's policy cannot be read any more
MarkChanges mark_changes(const gradebook::Gradebook& gradebook, const gradebook::Edition& before,
                         const gradebook::Edition& after);

}  // namespace headway::classroom
