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

/// Whether answer[i] = a·argument[i] + b for two numbers a and b, the argument cut or repeated to fit. Two numbers lie
/// on some line whatever they are: these must be equal.
bool copies(const std::vector<double>& answer, const std::vector<double>& argument) {
    constexpr std::size_t too_few = 2;
    if (argument.empty()) return false;
    const auto from = [&](std::size_t i) { return argument[i % argument.size()]; };
    double a = 0;
    if (answer.size() <= too_few) {
        std::size_t equal = 0;
        while (equal < answer.size() && answer[equal] == from(equal)) ++equal;
        return equal == answer.size();
    }
    for (std::size_t i = 1; i < answer.size() && a == 0; ++i)
        if (from(i) != from(0)) a = (answer[i] - answer[0]) / (from(i) - from(0));
    if (a == 0) return false;
    std::vector<double> line;
    for (std::size_t i = 0; i < answer.size(); ++i) line.push_back(answer[0] + a * (from(i) - from(0)));
    return agree(line, answer);
}

bool copies_one(const std::vector<double>& answer, const Arguments& arguments) {
    return std::any_of(arguments.begin(), arguments.end(),
                       [&](const wire::Field& argument) { return copies(answer, numbers_in(argument.value)); });
}

bool holds_numbers(const wire::Field& argument) {
    if (const auto* tensor = std::get_if<Tensor>(&argument.value)) return tensor->defined() && tensor->numel() > 0;
    return std::holds_alternative<wire::Record>(argument.value);
}

bool is_mask(const wire::Field& argument) {
    const auto* mask = std::get_if<Mask>(&argument.value);
    return mask != nullptr && mask->defined();
}

wire::Field with_others(wire::Field argument) {
    if (auto* record = std::get_if<wire::Record>(&argument.value)) {
        for (wire::Field& field : record->fields) field = with_others(field);
    } else if (auto* mask = std::get_if<Mask>(&argument.value); mask != nullptr && mask->defined()) {
        *mask = mask->clone();
        std::transform(mask->data(), mask->data() + mask->numel(), mask->data(), std::logical_not());
    } else {
        return with_other_numbers({argument}).front();
    }
    return argument;
}

/// Whether the answer changes with each of them that it has to, or with all but one of many.
class Changes {
public:
    Changes(const Numbers& ask, const Arguments& arguments, const std::vector<double>& answer)
        : ask_(ask), arguments_(arguments), answer_(answer) {}

    bool with_all(const Needs& needs) const {
        std::size_t all = 0;
        std::size_t missed = 0;
        for (std::size_t i = 0; i < arguments_.size(); ++i) {
            const wire::Field& one = arguments_[i];
            if (is_mask(one) && needs.mask && !with(i)) return false;
            if (!holds_numbers(one)) continue;
            const bool is_named =
                std::find(needs.numbers.begin(), needs.numbers.end(), one.name) != needs.numbers.end();
            if (!needs.numbers.empty() && !is_named) continue;
            ++all;
            if (!with(i)) ++missed;
        }
        return missed == 0 || (needs.numbers.empty() && all > 2 && missed == 1);
    }

private:
    bool with(std::size_t i) const {
        Arguments others = arguments_;
        others[i] = with_others(arguments_[i]);
        return !agree(answer_, ask_(others));
    }

    const Numbers& ask_;
    const Arguments& arguments_;
    const std::vector<double>& answer_;
};

}  // namespace

Evidence computes(Numbers ask, Arguments arguments, Needs needs) {
    return [ask = std::move(ask), arguments = std::move(arguments), needs = std::move(needs)] {
        return aside([&] {
            const std::vector<double> answer = ask(arguments);
            return !answer.empty() && all_finite(answer) && !copies_one(answer, arguments) &&
                   agree(answer, ask(arguments)) && Changes(ask, arguments, answer).with_all(needs);
        });
    };
}

Evidence computes(Student& student, FunctionCall call, std::string field, Needs needs) {
    const auto ask = [&student, function = std::move(call.function),
                      field = std::move(field)](const Arguments& arguments) {
        return numbers_in(student.outcome(function, arguments).value, field);
    };
    return computes(ask, std::move(call.arguments), std::move(needs));
}

}  // namespace headway::judge
