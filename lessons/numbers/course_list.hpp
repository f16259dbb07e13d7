#pragma once

#include <string>
#include <vector>

namespace headway::lessons {

struct CourseExercise {
    std::string number;   ///< "03"
    std::string title;    ///< "scaled scores"
    std::string summary;  ///< one sentence
    std::string lesson;   ///< from lessons/: "03-scaled-scores.md"
};
struct CourseLab {
    std::string name;                ///< "train"
    std::string purpose;             ///< what it shows
    std::vector<std::string> needs;  ///< the numbers of exercises
};

/// The exercises that the build knows, in their order, with what their exercise.toml says.
std::vector<CourseExercise> exercises_of_the_course();
/// The labs that the build knows.
std::vector<CourseLab> labs_of_the_course();

}  // namespace headway::lessons
