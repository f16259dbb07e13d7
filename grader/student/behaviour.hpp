#pragma once

#include "student/student.hpp"

#include <string>
#include <vector>

namespace headway::judge {

struct FunctionCall {
    std::string function;
    Arguments arguments;
};

/// Arguments of the same shapes with other numbers.
Arguments with_other_numbers(const Arguments& arguments);

/// Ends the test if a function changes an argument.
Outcome expect_unchanged(Student& student, const FunctionCall& call);

/// Ends the test if a function changes an argument, be it a view or dense; or answers differently when the same numbers
/// come in strided views, or when it is asked the same a second time after another call; or if that call changes what
/// it returned before; or if it keeps what it made of arguments that have been overwritten since.
void expect_untouched(Student& student, const std::vector<FunctionCall>& calls);

/// Whether what `function` returned is still the same after another call of the same shapes.
bool result_lasts(Student& student, const std::string& function, const Arguments& arguments);

/// Whether `function`, asked about the same storage again, sees that other numbers stand in it.
bool sees_what_was_overwritten(Student& student, const std::string& function, const Arguments& arguments);

/// Appends what `function` answers as numbers, for PROBE: values, shapes, which arguments changed, or how it failed.
void answer_with(Student& student, std::vector<double>& answers, const std::string& function,
                 const Arguments& arguments);

/// Appends result_lasts and sees_what_was_overwritten, likewise.
void answer_lasting(Student& student, std::vector<double>& answers, const std::string& function,
                    const Arguments& arguments);

/// The same as answer_with for a kept result: whether it shares storage with its first argument shows in what reading
/// it gives after a write to that argument.
void answer_with_view(Student& student, std::vector<double>& answers, const std::string& function, const Tensor& x,
                      const Arguments& rest);

}  // namespace headway::judge
