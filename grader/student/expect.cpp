#include "student/expect.hpp"

#include "student/repeated.hpp"
#include "student/student.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <utility>

namespace headway::judge {
namespace {

using verdict::Failure;
using verdict::FailureKind;

/// Tensors up to this size are shown whole.
constexpr Index most_shown = 64;
/// Of an axis in a window.
constexpr std::int64_t longest_shown = 16;
constexpr double safety_factor = 4;
constexpr double absolute_floor = 1e-7;

verdict::Numbers numbers(const reference::Array& array) {
    return {{array.shape.begin(), array.shape.end()}, array.value};
}

std::vector<std::int64_t> coordinate_of(std::size_t flat, const Shape& shape) {
    std::vector<std::int64_t> coordinate(shape.size());
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        coordinate[axis] = static_cast<std::int64_t>(flat) % shape[axis];
        flat /= static_cast<std::size_t>(shape[axis]);
    }
    return coordinate;
}

/// NaN counts as infinitely far. From what is not finite itself there is no distance to tell.
double distance(double actual, double expected) {
    if (!std::isfinite(expected)) return 0;
    const double apart = std::abs(actual - expected);
    return std::isnan(apart) ? std::numeric_limits<double>::infinity() : apart;
}

bool is_wrong(const reference::Array& actual, const reference::Array& expected, std::size_t i) {
    return !close(actual.value[i], expected.value[i], tolerance(expected.value[i], expected.error[i]), 0);
}

/// 1 where it may not attend. @param mask  row-major
reference::Array as_numbers(const Mask& mask) {
    reference::Array array;
    array.shape = mask.shape();
    array.value.assign(mask.data(), mask.data() + mask.numel());
    array.error.assign(array.value.size(), 0);
    return array;
}

bool is_constant(const reference::Array& array) {
    for (std::size_t i = 1; i < array.value.size(); ++i)
        if (std::abs(array.value[i] - array.value[0]) > tolerance(array.value[0], array.error[0] + array.error[i]))
            return false;
    return true;
}

/// Where an axis is shown: all of it, or a part with the worst position in its middle.
struct Part {
    std::int64_t begin = 0;
    std::int64_t size = 1;

    static Part around(std::int64_t position, std::int64_t all) {
        const std::int64_t size = std::min(all, longest_shown);
        return {std::clamp<std::int64_t>(position - size / 2, 0, all - size), size};
    }
};

verdict::Window window_at(const verdict::Worst& worst, const reference::Array& actual,
                          const reference::Array& expected) {
    const std::size_t rank = expected.shape.size();
    const auto part = [&](std::size_t from_last) {
        return rank < from_last ? Part{}
                                : Part::around(worst.coordinate[rank - from_last], expected.shape[rank - from_last]);
    };
    const Part rows = part(2);
    const Part columns = part(1);
    verdict::Window window;
    window.axes = worst.axes;
    window.shape.assign(expected.shape.begin(), expected.shape.end());
    window.first = worst.coordinate;
    if (rank >= 2) window.first[rank - 2] = rows.begin;
    if (rank >= 1) window.first[rank - 1] = columns.begin;
    std::int64_t flat = 0;
    for (std::size_t axis = 0; axis < rank; ++axis) flat = flat * expected.shape[axis] + window.first[axis];
    const std::int64_t row_length = rank == 0 ? 1 : expected.shape[rank - 1];
    window.expected.shape = window.yours.shape = {rows.size, columns.size};
    for (std::int64_t row = 0; row < rows.size; ++row)
        for (std::int64_t column = 0; column < columns.size; ++column) {
            const auto i = static_cast<std::size_t>(flat + row * row_length + column);
            window.expected.values.push_back(expected.value[i]);
            window.yours.values.push_back(actual.value[i]);
            if (is_wrong(actual, expected, i)) window.wrong.push_back(row * columns.size + column);
        }
    return window;
}

/// Whether a part's name is a plural: of "gradients of x" or "keys in the cache", its first words are.
bool are_several(const std::string& name) {
    const std::string what = name.substr(0, std::min(name.find(" of "), name.find(" in ")));
    return what.ends_with('s') && !what.ends_with("bias");
}

std::optional<Failure> shape_difference(const CheckedPart& part, const Shape& actual, const Shape& expected) {
    if (actual == expected) return std::nullopt;
    Failure failure;
    failure.kind = FailureKind::wrong_shape;
    failure.stage = part.stage;
    failure.message = "the shape of your " + part.name + " is " + headway::to_string(actual) + "; it should be " +
                      headway::to_string(expected);
    return failure;
}

}  // namespace

bool close(double actual, double expected, double atol, double rtol) {
    return std::isfinite(actual) && std::abs(actual - expected) <= atol + rtol * std::abs(expected);
}

double tolerance(double expected, double error_bound) {
    // See part_of_itself(). Of a 0, nothing.
    if (std::isfinite(error_bound) && error_bound <= -1)
        return std::max((-1 - error_bound) * std::abs(expected), std::numeric_limits<double>::min());
    return safety_factor * error_bound + absolute_floor + 2 * reference::unit_roundoff * std::abs(expected);
}

bool is_blind(const reference::Array& expected) {
    double largest = 0;
    for (const double number : expected.value) largest = std::max(largest, std::abs(number));
    std::size_t loose = 0;
    for (std::size_t i = 0; i < expected.value.size(); ++i)
        loose += tolerance(expected.value[i], expected.error[i]) > std::max(largest / 2, 10 * absolute_floor) ? 1 : 0;
    return 2 * loose > expected.value.size();
}

std::optional<Failure> difference(const CheckedPart& part, const Tensor& actual, const reference::Array& expected) {
    if (!actual.defined()) {
        Failure failure;
        failure.kind = FailureKind::wrong_shape;
        failure.stage = part.stage;
        failure.message = "your " + part.name + (are_several(part.name) ? " are" : " is") +
                          " a Tensor{} that nothing was assigned to";
        return failure;
    }
    if (auto failure = shape_difference(part, actual.shape(), expected.shape)) return failure;
    const reference::Array got = reference::exact(actual);
    Failure failure;
    double largest = 0;
    for (std::size_t i = 0; i < expected.value.size(); ++i) {
        if (!is_wrong(got, expected, i)) continue;
        ++failure.wrong_elements;
        // Not in tolerances: beside it a picture shows plain differences.
        const double apart = distance(got.value[i], expected.value[i]);
        if (failure.worst && !(apart > largest)) continue;
        largest = apart;
        failure.worst = verdict::Worst{part.axes, coordinate_of(i, expected.shape), expected.value[i], got.value[i],
                                       tolerance(expected.value[i], expected.error[i])};
    }
    if (failure.wrong_elements == 0) return std::nullopt;
    failure.kind = FailureKind::wrong_value;
    failure.stage = part.stage;
    failure.all_elements = expected.numel();
    const std::string in_numbers =
        " in " + std::to_string(failure.wrong_elements) + " of " + std::to_string(failure.all_elements) + " numbers";
    failure.message = "your " + part.name + (are_several(part.name) ? " are wrong" : " is wrong") + in_numbers;
    if (!std::isfinite(failure.worst->expected)) {  // so all of them: another answer of the student's
        failure.worst.reset();
        failure.message =
            "your " + part.name + " cannot be compared" + in_numbers + ": an answer of yours is NaN or infinite there";
        return failure;
    }
    if (expected.numel() <= most_shown) {
        failure.expected = numbers(expected);
        failure.yours = numbers(got);
    }
    if (failure.worst->axes.size() == expected.shape.size()) failure.window = window_at(*failure.worst, got, expected);
    return failure;
}

std::optional<Failure> what_is_wrong(Student& student, const CheckedPart& part, const Tensor& actual,
                                     const reference::Array& expected) {
    Comparisons& comparisons = student.test_record().comparisons;
    ++comparisons.all;
    comparisons.blind += is_blind(expected) ? 1 : 0;
    auto failure = difference(part, actual, expected);
    if (!failure && !is_constant(expected)) shown(student);
    return failure;
}

void expect_close(Student& student, const CheckedPart& part, const Tensor& actual, const reference::Array& expected) {
    if (auto failure = what_is_wrong(student, part, actual, expected)) fail(std::move(*failure));
}

void expect_alike(const CheckedPart& part, const Tensor& actual, const Tensor& other) {
    if (auto failure = difference(part, actual, repeated(other))) fail(std::move(*failure));
}

/// Ends the test: nothing follows from what `functions` answer. Where the one that was asked is among them, its own
/// answers are wrong.
[[noreturn]] void fail_unjudged(Student& student, const std::vector<std::string>& functions, Failure failure) {
    TestRecord& record = student.test_record();
    if (std::find(functions.begin(), functions.end(), record.function) == functions.end()) record.waits_for = functions;
    fail(std::move(failure));
}

bool all_finite(const reference::Array& array) {
    return std::all_of(array.value.begin(), array.value.end(), [](double number) { return std::isfinite(number); });
}

std::optional<reference::Array> what_follows(Student& student, const Follows& from_own) {
    try {
        return student.outside_story(from_own);
    } catch (const std::logic_error&) {  // the reference's, of shapes that do not fit together
        return std::nullopt;
    }
}

/// Whether any of what was answered is this.
bool holds(const wire::Value& answer, const CheckedPart& part, const reference::Array& expected) {
    if (const auto* tensor = std::get_if<Tensor>(&answer))
        return tensor->defined() && tensor->shape() == expected.shape && !difference(part, *tensor, expected);
    const auto* record = std::get_if<wire::Record>(&answer);
    return record != nullptr && std::ranges::any_of(record->fields, [&](const wire::Field& field) {
               return holds(field.value, part, expected);
           });
}

/// Whether it follows in a worker, too, that has not been asked this question: what a function has kept of it is no
/// answer of the functions that it calls.
bool follows_apart(Student& student, const CheckedPart& part, const Tensor& actual, const Follows& from_own) {
    if (!student.owes_evidence()) return true;  // the plain build shows it
    const wire::Call asked = student.told_last();
    return student.apart([&] {
        const auto follows = what_follows(student, from_own);
        if (!follows) return false;
        if (!difference(part, actual, *follows)) return true;
        // What is kept between calls may be other there, for the function that calls it as well.
        return holds(student.outcome(asked.function, asked.arguments).value, part, *follows);
    });
}

void expect_close_given(Student& student, const CheckedPart& part, const Tensor& actual,
                        const reference::Array& expected, const std::vector<std::string>& functions,
                        const Follows& from_own, const Evidence& evidence) {
    auto failure = what_is_wrong(student, part, actual, expected);
    if (!failure) return;
    const auto follows = what_follows(student, from_own);
    if (!follows || follows->shape != expected.shape || !all_finite(*follows))
        fail_unjudged(student, functions, std::move(*failure));
    if (difference(part, actual, *follows) || !follows_apart(student, part, actual, from_own))
        fail(std::move(*failure));
    pass_on_credit(student, functions, std::move(*failure), expected, evidence);
}

void pass_on_credit(Student& student, const std::vector<std::string>& functions, Failure failure,
                    const reference::Array& expected, const Evidence& evidence) {
    TestRecord& record = student.test_record();
    if (!record.has_computed && !student.outside_story([&] { return evidence(expected); }))
        fail_unjudged(student, functions, std::move(failure));
    shown(student);
    failure.function = record.function;
    failure.story = record.numbered_story();
    record.credits.push_back({functions, std::move(failure)});
}

std::string digits(double number) {
    if (std::isnan(number)) return "NaN";
    return fmt::format("{:.9g}", number);
}

reference::Array own(const Tensor& tensor) {
    reference::Array array = reference::exact(tensor);
    double largest = 0;
    for (const double number : array.value) largest = std::max(largest, std::abs(number));
    for (std::size_t i = 0; i < array.value.size(); ++i)
        array.error[i] = 1e-4 * std::abs(array.value[i]) + 1e-5 * std::min(1.0, largest);
    return array;
}

void expect_shape(const CheckedPart& part, const Shape& actual, const Shape& expected) {
    if (auto failure = shape_difference(part, actual, expected)) fail(std::move(*failure));
}

void expect_mask(Student& student, const CheckedPart& part, const Mask& actual, const Mask& expected) {
    expect_shape(part, actual.shape(), expected.shape());
    const Mask yours = actual.clone();
    const Mask right = expected.clone();
    for (Index i = 0; i < right.numel(); ++i) {
        if (yours.data()[i] == right.data()[i]) continue;
        Failure failure;
        failure.kind = FailureKind::wrong_value;
        failure.stage = part.stage;
        const auto coordinate = coordinate_of(static_cast<std::size_t>(i), right.shape());
        std::string place;
        for (std::size_t axis = 0; axis < coordinate.size(); ++axis)
            place += (axis == 0 ? "[" : ", ") + part.axes.at(axis) + "=" + std::to_string(coordinate[axis]);
        verdict::Worst worst;
        worst.axes = part.axes;
        worst.coordinate = coordinate;
        failure.window = window_at(worst, as_numbers(yours), as_numbers(right));
        failure.message = "your " + part.name + " is " + (yours.data()[i] ? "true" : "false") + " at " + place +
                          "]; it should be " +
                          (right.data()[i] ? "true (" + part.blocked + ")" : "false (" + part.open + ")");
        fail(std::move(failure));
    }
    if (!is_constant(as_numbers(right))) shown(student);
}

void expect(bool holds, Stage stage, const std::string& message) {
    if (holds) return;
    Failure failure;
    failure.kind = FailureKind::wrong_behaviour;
    failure.stage = stage;
    failure.message = message;
    fail(std::move(failure));
}

}  // namespace headway::judge
