#pragma once

#include "gradebook/marks.hpp"
#include "verdict/withhold.hpp"

#include <vector>

/// What was graded of a student and counts.
namespace headway::classroom {

/// What pages and documents of students are made of, read once for all of them.
struct GradedClass {
    const gradebook::Gradebook& gradebook;
    gradebook::Edition edition;
    gradebook::MarkingPolicy policy;
    std::vector<gradebook::Attempt> attempts;  ///< by student, oldest first
    verdict::Tell tell = verdict::Tell::full;  ///< how much of a verdict may be told
};

/// Of the attempts that count, as one document, without what may not be told.
verdict::Verdict verdict_of(const GradedClass& graded, const gradebook::Mark& mark);

/// And of each exercise that nothing was graded of, why: for documents from which nothing may be missing.
verdict::Verdict verdict_with_gaps(const GradedClass& graded, const gradebook::Mark& mark);

/// The student's attempts and those of their group, oldest first.
std::vector<const gradebook::Attempt*> attempts_of(const GradedClass& graded, const std::string& student);

}  // namespace headway::classroom
