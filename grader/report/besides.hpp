#pragma once

#include "verdict/verdict.hpp"

#include <string>
#include <vector>

namespace headway::report {

/// What else is told of the functions that have a mistake: refusals that tests missed. Each is told with one mistake.
/// @param mistake  one of `diagnosis`
std::vector<std::string> besides_of(const verdict::Diagnosis& diagnosis, const verdict::NamedMistake& mistake);

/// In which calls a function without a name is wrong, where nothing else is known of them than that it threw: "wrong
/// only where some tokens are padding: ..."; empty if nobody knows.
/// @param failure  the one that is told: if it is that the function ends without a return, the words do not say
/// "throws"
std::string condition_of(const verdict::FunctionDiagnosis& function, const verdict::Failure& failure);

/// Whether a sentence says what to do, "right: take the strides of b", and not what was seen.
inline bool is_remedy(const std::string& sentence) { return sentence.starts_with("right: "); }

/// Whether tests list more calls that the function lets through than the diagnosis counts wrong answers: then it is not
/// said how many answers a mistake fits.
bool is_contradicted(const verdict::Exercise& exercise, const verdict::FunctionDiagnosis& function);

/// Of a function that cannot be judged yet; empty where it can, or where a test has called it right, given others: that
/// says more.
std::string waits_for_others(const verdict::Exercise& exercise, const verdict::FunctionDiagnosis& function);

/// The title of a mistake that every function of it has from the student's own earlier ones; empty for others.
std::string of_earlier_functions(const verdict::Diagnosis& diagnosis, const verdict::NamedMistake& mistake);

/// Whether it asked for more memory than there is, and numbers are read that are no longer there: a size may be one.
bool may_come_of_freed_memory(const verdict::Diagnosis& diagnosis, const verdict::Failure& failure);

/// Of a loop without end: what a line of it goes past, as the first test that was stopped there tells it; empty if that
/// is not known.
std::string never_reached_in_loop(const verdict::Exercise& exercise, const verdict::NamedMistake& mistake);

/// Before the places where real software had a mistake. A name of memory is that of a symptom, which has many causes.
inline std::string before_shipped(const verdict::NamedMistake& mistake) {
    return mistake.decision == "memory" ? "the same kind of bug shipped:" : "the same bug shipped:";
}

}  // namespace headway::report
