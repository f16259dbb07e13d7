#pragma once

#include "student/record_field.hpp"
#include "student/student.hpp"

#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace headway::judge {

/// A test of exercises/NN_name/visible_test.cpp as the judge asks it: the same inputs and expectations, while each
/// function of the exercise is a stand-in that asks the submission's worker.
struct VisibleTest {
    std::string name;  ///< "AttentionScores.AreDividedBySqrtHeadDim"
    int line = 0;
    void (*body)() = nullptr;
};

/// By exercise. Filled before main begins, and not changed later.
std::map<std::string, std::vector<VisibleTest>>& visible_tests();

/// Adds to visible_tests() before main.
struct VisibleRegistration {
    VisibleRegistration(const std::string& exercise, VisibleTest test);
};

/// Asks all of an exercise's, in order. Ends the test at the first expectation that does not hold. What a visible test
/// or its stand-ins throw is the submission's failure: with right answers they throw nothing.
void ask_visible_tests(Student& student, const std::string& exercise);

// ---- for stand-ins, which are called by a visible test that is running --------------------------------------------

/// What the submission answers. Ends the test where that is more than a visible test has use for.
/// @throws what it threw, if it threw something: std::invalid_argument, std::out_of_range or std::runtime_error
wire::Value asked(const std::string& function, const Arguments& arguments, bool keep_result = false);
/// What one of the course's own functions in the worker answers: the student reads nothing of it.
wire::Value asked_in_passing(const std::string& function, const Arguments& arguments, bool keep_result = false);

/// These, of the type that the function returns.
template <class T>
T asked_for(const std::string& function, const Arguments& arguments) {
    return value_of<T>({function, asked(function, arguments, std::is_same_v<T, wire::Handle>)});
}
template <class T>
T in_passing(const std::string& function, const Arguments& arguments) {
    return value_of<T>({function, asked_in_passing(function, arguments, std::is_same_v<T, wire::Handle>)});
}

}  // namespace headway::judge
