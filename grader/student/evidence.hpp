#pragma once

#include "student/behaviour.hpp"
#include "student/expect.hpp"

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headway::judge {

/// The numbers of one answer; empty where there is none.
using Numbers = std::function<std::vector<double>(const Arguments&)>;

/// Which arguments an answer must depend on, and how. Few made-up answers that depend on everything are linear where
/// they should be.
struct Needs {
    /// Names of tensors or records of tensors. None: every one of them, but one where there are three or more, since a
    /// single mistake may lose one.
    std::vector<std::string> numbers = {};
    bool mask = false;  ///< where the check is about masks
    /// Not where scores are so large that softmax picks the largest, and little changes show nowhere.
    bool parts = true;
    std::string linear_in =
        {};  ///< f(a + b) = f(a) + f(b) - f(0): attention in its values, gradients in those they get
    std::string shifted_by = {};  ///< a constant added to it changes nothing: scores
};

/// Whether what `ask` answers is computed from its arguments, though it may be wrong: it has as many numbers as are
/// expected, all finite, and not alike for all rows, heads and sequences; it is the same when it is asked again; it is
/// another by some of what is expected when one of the arguments alone holds other numbers (see Needs), and by less
/// when these change a little in one row, head or sequence; and it is none of them as it came, scaled, or shifted. No
/// constant is, nor random numbers, a copy of an argument, what an earlier call was asked with, or the choice of one
/// number among many.
Evidence computes(Numbers ask, Arguments arguments, Needs needs = {});

/// computes() for an answer of the student's with the name `what`: the many questions about parts of arguments are
/// asked only until such an answer has once passed them, with a mask and without. One mistake fails many tests, and
/// students wait for all of them.
Evidence computes(Student& student, const std::string& what, Numbers ask, Arguments arguments, Needs needs = {});

/// A call of a function of the student's that keeps no state, and the calls with other arguments that evidence asks
/// for: each of these once, however many fields of a record are looked at.
class Neighbourhood {
public:
    Neighbourhood(Student& student, FunctionCall call);

    Student& student() const { return student_; }
    const FunctionCall& call() const { return call_; }
    wire::Value answer(const Arguments& arguments);

private:
    Student& student_;
    FunctionCall call_;
    wire::Bytes itself_key_;
    std::array<std::optional<wire::Value>, 2> itself_;
    std::size_t times_ = 0;
    std::map<wire::Bytes, wire::Value> answers_;
};

/// computes() for the answer to such a call; of a record, only `field` counts.
Evidence computes(std::shared_ptr<Neighbourhood> neighbourhood, const std::string& field, Needs needs = {});
Evidence computes(Student& student, FunctionCall call, const std::string& field = "", Needs needs = {});

}  // namespace headway::judge
