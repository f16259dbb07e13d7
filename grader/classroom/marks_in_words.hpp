#pragma once

#include "gradebook/marks.hpp"

#include <string>
#include <vector>

/// What a student is told about a mark, whatever shows it. Everything that can change a mark has its sentence here.
namespace headway::classroom {

/// "2026-05-03 10:00 UTC" from what the gradebook keeps.
std::string time_in_words(const std::string& utc);

/// "17.5 of 20 points", or that there is no mark yet.
std::string total_in_words(const gradebook::Mark& mark);

/// "7.5 / 10", or "- / 10" where no mark is given.
std::string points_in_words(const gradebook::ExerciseMark& one);

/// How the points of one exercise come about, each step a sentence: tests, lateness, what a person changed.
std::vector<std::string> reasons_in_words(const gradebook::ExerciseMark& one, const gradebook::Mark& mark);

/// What a person changed of an exercise ("" for the total), with reason and name.
std::vector<std::string> adjustments_in_words(const gradebook::Mark& mark, const std::string& exercise);

/// All of it on one line, for a platform's comment.
std::string comment_in_words(const gradebook::Mark& mark);

}  // namespace headway::classroom
