#pragma once

#include "student/student.hpp"

#include <headway/random.hpp>

#include <optional>
#include <string>
#include <vector>

namespace headway::judge {

struct FunctionCall {
    std::string function;
    Arguments arguments;
};

/// Ends the test if a function changes an argument.
Outcome expect_unchanged(Student& student, const FunctionCall& call);

/// Ends the test if a function of `calls` does one of these:
/// - it changes an argument, in a view or in a dense tensor;
/// - it answers differently when the numbers come in strided views;
/// - it answers differently, by more than rounding, when the call is repeated after another call, or in a new process;
/// - another call, of any of the functions, changes what it returned or was given before;
/// - it keeps what it made of arguments that have been overwritten since.
void expect_untouched(Student& student, const std::vector<FunctionCall>& calls);

/// Ends the test if a function answers differently when one of its tensors has a stride of 0 along an axis.
void expect_same_if_repeated(Student& student, FunctionCall call, const std::string& argument, Index axis);

/// Whether what `function` returned stays as it is during another call with arguments of these shapes.
bool result_lasts(Student& student, const std::string& function, const Arguments& arguments);

/// Whether `function` answers with new numbers after its arguments were overwritten in place.
bool sees_what_was_overwritten(Student& student, const std::string& function, const Arguments& arguments);

}  // namespace headway::judge
