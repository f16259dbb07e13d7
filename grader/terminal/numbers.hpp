#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// Numbers as a person wants to read them: as few digits as show what is to be seen.
namespace headway::report {

/// "0.287", "2e-6", "NaN", "-inf"
std::string number(double value, int significant_digits = 4);

struct TwoNumbers {
    std::string yours;
    std::string expected;
};
/// With digits enough to see how far apart the two are.
TwoNumbers told_apart(double yours, double expected);

/// "(2, 3, 5)"
std::string shape_text(const std::vector<std::int64_t>& shape);

}  // namespace headway::report
