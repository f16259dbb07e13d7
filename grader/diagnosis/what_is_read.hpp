#pragma once

#include "diagnosis/only_where.hpp"

#include <vector>

namespace headway::diagnosis {

/// Mistakes of dependence, which need no entry in the catalogue each: the function does right by other arguments than
/// it was given, such as the values of sequence 0 for every sequence, or leaves part of its result at 0. Each says in
/// words what is read or written, and predicts every number: what the model, all decisions right, answers to these
/// arguments.
/// @param like  a call that was answered wrong; other calls have the same arguments, in other sizes
std::vector<Explanation> misreadings(const Function& function, const Observation& like);

}  // namespace headway::diagnosis
