#pragma once

#include "classroom/similarity.hpp"
#include "grading/course.hpp"

#include <vector>

namespace headway::classroom {

/// What the course itself has of an exercise. It was written apart from any class, so that it says what a class may
/// have in common, whatever part of the class has copied.
struct CourseMaterial {
    GivenNames names;
    Fingerprints given;                       ///< stubs, header, visible test, and the code in the lesson
    std::vector<Fingerprints> accepted;       ///< right programs in other styles
    std::vector<build::SourceFile> solution;  ///< empty: the course has none here
};

/// What students have before they write a line: the stub as it is in stubs/, whatever an instructor has tried in
/// exercises/, and the header and the visible test.
std::vector<build::SourceFile> given_files(const cli::Course& course, const cli::ExerciseInfo& exercise);

/// Of an exercise with solutions/ and tests/accepted/, as far as these are there.
/// @throws std::runtime_error if something of it cannot be read
CourseMaterial material_of(const cli::Course& course, const cli::ExerciseInfo& exercise);

}  // namespace headway::classroom
