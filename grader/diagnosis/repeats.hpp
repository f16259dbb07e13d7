#pragma once

#include "diagnosis/answer.hpp"

#include <functional>
#include <string>
#include <vector>

namespace headway::diagnosis {

struct Function;
struct Observation;

/// What a right program answers, worked out only where it is needed.
using RightAnswer = std::function<Answer()>;

/// Whether one program may give both answers to the same question: alike but for rounding, of which a right answer's
/// error bounds tell how far it goes. Kinds, parts, words, shapes and what is not finite are the same.
bool may_repeat(const Answer& first, const Answer& second, const RightAnswer& right);

/// The same of two outcomes of a call of `function`, as the exercise's model knows it. Of a function that it does not
/// know, such as one of an object in the worker, the numbers themselves tell how far rounding goes.
bool may_repeat(const std::string& exercise, const std::string& function, const judge::Arguments& arguments,
                const judge::Outcome& first, const judge::Outcome& second);

/// Whether workers that start anew and are asked this call again and again answer as each other. What is kept between
/// calls may change their answers, but in the same way; what threads race for changes them as it happens.
bool answers_alike_anew(judge::Student& student, const Function& function, const Observation& call);

/// Which mistake it is that what was answered wrong among other calls is answered right by a fresh worker: state that
/// is kept, or chance; empty if nothing was wrong, or if the first of it is wrong there too.
std::string shown_after_others_alone(judge::Student& student, const Function& function,
                                     const std::vector<Observation>& calls);

}  // namespace headway::diagnosis
