#pragma once

#include "classroom/similarity.hpp"
#include "gradebook/marks.hpp"
#include "grading/course.hpp"

#include <map>
#include <set>
#include <string>
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

/// A misconception, and who has it.
struct MistakeFinding {
    std::string exercise;
    std::string title;
    std::string lesson;
    std::set<std::string> students;
};

/// Two hand-ins of an exercise that are alike, by those who handed them in.
struct AlikeFinding {
    std::string exercise;
    std::vector<std::string> a;
    std::vector<std::string> b;  ///< empty: those in `a` handed in the same
    double share = 1;
    std::size_t common = 0;
};

/// What a class knows and does not know.
struct ClassFindings {
    std::vector<gradebook::Mark> marks;
    std::map<std::string, ExerciseFinding> exercises;
    std::map<std::string, MistakeFinding> mistakes;  ///< by id
    std::vector<AlikeFinding> alike;
};

/// Reads each verdict once. @param starter  exercise -> fingerprints of what students were given
ClassFindings find_out(const gradebook::Gradebook& gradebook, const gradebook::Edition& edition,
                       std::vector<gradebook::Mark> marks, const std::map<std::string, Fingerprints>& starter);

/// Of the stubs and headers in exercises/.
std::map<std::string, Fingerprints> starter_code(const cli::Course& course);

}  // namespace headway::classroom
