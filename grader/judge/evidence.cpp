#include "evidence.hpp"

#include "../reference/array.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace headway::judge {
namespace {

/// Rounding changes less, other numbers change more.
constexpr double as_good_as_equal = 1e-5;

std::vector<double> numbers_in(const wire::Value& value) {
    const auto* tensor = std::get_if<Tensor>(&value);
    return tensor == nullptr || !tensor->defined() ? std::vector<double>{} : reference::exact(*tensor).value;
}

std::vector<double> numbers_in(const wire::Value& value, const std::string& field) {
    const auto* record = std::get_if<wire::Record>(&value);
    if (record == nullptr) return numbers_in(value);
    const wire::Field* found = record->find(field);
    return found == nullptr ? std::vector<double>{} : numbers_in(found->value);
}

bool all_finite(const std::vector<double>& numbers) {
    return std::all_of(numbers.begin(), numbers.end(), [](double number) { return std::isfinite(number); });
}

bool agree(const std::vector<double>& a, const std::vector<double>& b) {
    double largest = 0;
    for (const double number : a) largest = std::max(largest, std::abs(number));
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [&](double x, double y) { return std::abs(x - y) <= as_good_as_equal * largest; });
}

/// In their order, however often: so too if they were cut or repeated to fit the shape.
bool repeats(const std::vector<double>& answer, const std::vector<double>& argument) {
    if (argument.empty()) return false;
    for (std::size_t i = 0; i < answer.size(); ++i)
        if (answer[i] != argument[i % argument.size()]) return false;
    return true;
}

bool hands_back(const std::vector<double>& answer, const Arguments& arguments) {
    return std::any_of(arguments.begin(), arguments.end(),
                       [&](const wire::Field& argument) { return repeats(answer, numbers_in(argument.value)); });
}

}  // namespace

Evidence computes(Numbers ask, Arguments arguments) {
    return [ask = std::move(ask), arguments = std::move(arguments)] {
        return aside([&] {
            const std::vector<double> answer = ask(arguments);
            if (answer.empty() || !all_finite(answer) || hands_back(answer, arguments)) return false;
            return agree(answer, ask(arguments)) && !agree(answer, ask(with_other_numbers(arguments)));
        });
    };
}

Evidence computes(Student& student, FunctionCall call, std::string field) {
    const auto ask = [&student, function = std::move(call.function),
                      field = std::move(field)](const Arguments& arguments) {
        return numbers_in(student.outcome(function, arguments).value, field);
    };
    return computes(ask, std::move(call.arguments));
}

}  // namespace headway::judge
