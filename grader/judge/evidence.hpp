#pragma once

#include "behaviour.hpp"
#include "expect.hpp"

#include <functional>
#include <string>
#include <vector>

namespace headway::judge {

/// The numbers of one answer; empty where there is none.
using Numbers = std::function<std::vector<double>(const Arguments&)>;

/// Whether what `ask` answers is computed from its arguments, though it may be wrong: it is finite, it is the same when
/// it is asked again, it is another when the arguments hold other numbers, and it is not one of them as it came. No
/// constant is, nor random numbers, an argument handed back, or what an earlier call was asked with.
Evidence computes(Numbers ask, Arguments arguments);

/// The same of a function of the student's that keeps no state; of a record, `field` alone is looked at.
Evidence computes(Student& student, FunctionCall call, std::string field = "");

}  // namespace headway::judge
