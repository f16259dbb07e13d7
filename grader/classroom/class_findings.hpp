#pragma once

#include "classroom/compared.hpp"
#include "classroom/rings.hpp"
#include "gradebook/marks.hpp"
#include "grading/course.hpp"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace headway::classroom {

/// How a property of an exercise went.
struct PropertyFinding {
    std::string property;
    std::size_t passed = 0;
    std::size_t asked = 0;
};

struct ExerciseFinding {
    std::size_t graded = 0;
    double points = 0;  ///< sum, by the tests
    std::map<std::string, std::size_t> states;
    std::vector<PropertyFinding> properties;  ///< in the suite's order
};

/// A misconception in one exercise, and who has it there.
struct MistakeFinding {
    std::string exercise;
    std::string title;
    std::string lesson;
    std::set<std::string> students;
};

/// A program of the class, or one from elsewhere, that is too long to be compared with others.
struct NotCompared {
    std::string exercise;
    Origin origin;
};

/// What a class knows and does not know.
struct ClassFindings {
    std::vector<gradebook::Mark> marks;
    std::map<std::string, ExerciseFinding> exercises;
    /// By exercise and id: several exercises may show the same mistake, each with its own students and lesson.
    std::map<std::pair<std::string, std::string>, MistakeFinding> mistakes;
    std::vector<RingFinding> rings;  ///< of all exercises, those with most students first
    std::vector<NotCompared> not_compared;
};

/// Reads each verdict once.
/// @param elsewhere  programs of others, to compare the class's with
/// @param policy     says who is in a group: its members are not alike among themselves
ClassFindings find_out(const gradebook::Gradebook& gradebook, const gradebook::Edition& edition,
                       std::vector<gradebook::Mark> marks, const cli::Course& course, const Elsewhere& elsewhere,
                       const gradebook::MarkingPolicy& policy = {});

}  // namespace headway::classroom
