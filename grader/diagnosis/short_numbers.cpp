#include "diagnosis/short_numbers.hpp"

#include "diagnosis/examination.hpp"

#include "student/expect.hpp"

#include <algorithm>
#include <cmath>

namespace headway::diagnosis {
namespace {

/// Off by no more than what a 16-bit float loses on the way.
bool is_near(const Answer& expected, const Answer& seen) {
    if (!seen.is_value() || expected.parts.size() != seen.parts.size()) return false;
    for (std::size_t part = 0; part < expected.parts.size(); ++part) {
        const Array& right = expected.parts[part].second;
        const Array& given = seen.parts[part].second;
        if (!have_one_shape(right, given)) return false;
        for (std::size_t i = 0; i < right.value.size(); ++i)
            if (!judge::close(given.value[i], right.value[i], 0.01, 0.02)) return false;
    }
    return true;
}

double largest(const judge::Arguments& arguments) {
    double largest = 0;
    for (const wire::Field& field : arguments)
        if (const auto* tensor = std::get_if<Tensor>(&field.value); tensor != nullptr && tensor->defined())
            for (const double x : reference::exact(*tensor).value) largest = std::max(largest, std::abs(x));
    return largest;
}

/// The nearest number of seven binary digits, which every 16-bit float holds exactly.
double shortened(double x) {
    int exponent = 0;
    const double fraction = std::frexp(x, &exponent);
    return std::ldexp(std::nearbyint(fraction * 128) / 128, exponent);
}

judge::Arguments cut(judge::Arguments arguments) {
    for (wire::Field& field : arguments)
        if (auto* number = std::get_if<Tensor>(&field.value); number != nullptr && number->defined()) {
            Array array = reference::exact(*number);
            for (double& x : array.value) x = shortened(x);
            *number = reference::to_tensor(array);
        }
    return arguments;
}

}  // namespace

bool is_right_for_short_numbers(const std::vector<Observation>& observations, const Function& function,
                                judge::Student& student) {
    if (function.ask || function.rounds_to_sixteen_bits) return false;
    int telling = 0;
    for (const Observation& observation : observations) {
        const Answer expected = predicted(observation, right());
        if (!expected.is_value() || fit(expected, observation.seen)) continue;
        if (largest(observation.arguments) > 10) continue;  // there a lost digit is worth much
        if (!is_near(expected, observation.seen)) return false;
        const judge::Arguments arguments = cut(observation.arguments);
        const Observation again{arguments, ask(student, function, arguments).answer, function.model(arguments)};
        if (!fit(predicted(again, right()), again.seen)) return false;
        ++telling;
    }
    return telling > 1;
}

}  // namespace headway::diagnosis
