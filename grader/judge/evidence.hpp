#pragma once

#include "behaviour.hpp"
#include "expect.hpp"

#include <functional>
#include <string>
#include <vector>

namespace headway::judge {

/// The numbers of one answer; empty where there is none.
using Numbers = std::function<std::vector<double>(const Arguments&)>;

/// What an answer must change with. What a made-up answer leaves out, it never had to look at.
struct Needs {
    /// Names of tensors or records of tensors. None: every one of them, but one where there are three or more, since a
    /// single mistake may lose one.
    std::vector<std::string> numbers = {};
    bool mask = false;  ///< where the check is about masks
};

/// Whether what `ask` answers is computed from its arguments, though it may be wrong: it is finite, it is the same when
/// it is asked again, it is another when one of the arguments alone holds other numbers (see Needs), and it is none of
/// them as it came, scaled, or shifted. No constant is, nor random numbers, a copy of an argument, or what an earlier
/// call was asked with.
Evidence computes(Numbers ask, Arguments arguments, Needs needs = {});

/// The same of a function of the student's that keeps no state; of a record, `field` alone is looked at.
Evidence computes(Student& student, FunctionCall call, std::string field = "", Needs needs = {});

}  // namespace headway::judge
