#pragma once

#include "submission/function_places.hpp"

#include <optional>
#include <string>

/// For which numbers a loop goes on without end, where its own words tell.
namespace headway::build {

/// The head of a for that goes through a list, `for (const Index g : globals)`: it ends.
bool goes_through_a_list(const FunctionAround& function, int line);

/// A for that adds a variable in each round, which is not seen to be above 0.
struct VariableStep {
    std::string counter;  ///< `begin` of "for (Index begin = 0; begin < T; begin += step)"
    std::string step;     ///< and `step`
    // Of "const Index step = w / 8;", if it is given its value so.
    int set_in = 0;       ///< its line, or else 0
    std::string divided;  ///< `w`
    std::string divisor;  ///< `8`
};

/// Of the for that begins in this line.
std::optional<VariableStep> variable_step(const FunctionAround& function, int line);

/// A loop over floating-point numbers whose condition stays true for a number that is infinite, or 0.
struct StaysTrue {
    enum class Why {
        counter_grows_to_it,    ///< while (power * 2 <= size) power *= 2: in the end, infinity <= infinity
        counter_never_gets_to,  ///< while (n < size) n += 1
        infinity_stays,         ///< while (size >= 2) size /= 2
        zero_stays              ///< while (size < 1) size *= 2
    };
    Why why;
    std::string number;     ///< `size`
    std::string counter;    ///< `power`, where that is another
    std::string condition;  ///< "power * 2 <= size"
};

/// Of the while or the for that begins in this line, where nothing before it looks for such numbers.
std::optional<StaysTrue> stays_true(const FunctionAround& function, int line);

}  // namespace headway::build
