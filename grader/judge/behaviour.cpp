#include "behaviour.hpp"

#include "expect.hpp"
#include "inputs.hpp"
#include "test_record.hpp"

#include "../reference/array.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace headway::judge {
namespace {

/// How answers that are no numbers stand among numbers.
constexpr double thrown = 1e8;
constexpr double no_answer = 1e9;
constexpr double not_written = 2e9;
constexpr double changed_argument = 3e9;

void append(std::vector<double>& answers, const wire::Value& value);

void append_shape(std::vector<double>& answers, const Shape& shape) {
    answers.insert(answers.end(), shape.begin(), shape.end());
}

/// At most this many numbers stand for one tensor: hundreds of submissions answer thousands of questions.
constexpr std::size_t most_numbers = 8;

/// Large tensors are folded: weighted sums of elements that lie apart, and where and how elements are not finite. The
/// weights differ from place to place, so that moved numbers show too.
void append_numbers(std::vector<double>& answers, const std::vector<double>& numbers) {
    if (numbers.size() <= most_numbers) {
        answers.insert(answers.end(), numbers.begin(), numbers.end());
        return;
    }
    std::vector<double> folded(most_numbers, 0.0);
    double not_finite = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const double weight = 1 + static_cast<double>(i * 2654435761U % 1009) / 1009;
        if (std::isfinite(numbers[i]))
            folded[i % most_numbers] += weight * numbers[i];
        else
            not_finite += weight * (std::isnan(numbers[i]) ? 1 : numbers[i] > 0 ? 2 : 3);
    }
    answers.insert(answers.end(), folded.begin(), folded.end());
    answers.push_back(not_finite);
}

struct Append {
    std::vector<double>& answers;

    void operator()(std::monostate) const { answers.push_back(-1); }
    void operator()(Index value) const { answers.push_back(static_cast<double>(value)); }
    void operator()(double value) const { answers.push_back(value); }
    void operator()(bool value) const { answers.push_back(value ? 1 : 0); }
    void operator()(wire::Handle) const { answers.push_back(-2); }
    void operator()(const std::string& value) const { answers.push_back(static_cast<double>(value.size())); }
    void operator()(const Shape& value) const { append_shape(answers, value); }
    void operator()(const wire::Record& record) const {
        for (const wire::Field& field : record.fields) append(answers, field.value);
    }
    void operator()(const Tensor& tensor) const {
        append_shape(answers, tensor.shape());
        if (!tensor.defined()) return;
        append_numbers(answers, reference::exact(tensor).value);
    }
    void operator()(const Mask& mask) const {
        append_shape(answers, mask.shape());
        if (!mask.defined()) return;
        const Mask dense = mask.clone();
        append_numbers(answers, {dense.data(), dense.data() + dense.numel()});
    }
};

void append(std::vector<double>& answers, const wire::Value& value) { std::visit(Append{answers}, value); }

/// Runs `ask`; a lost worker or a stub becomes a number too.
template <class Ask>
void appending(Student& student, std::vector<double>& answers, Ask ask) {
    current_test() = {};
    try {
        const Outcome outcome = ask();
        if (outcome.error)
            answers.push_back(thrown + static_cast<double>(outcome.error->kind));
        else
            append(answers, outcome.value);
        for (const std::string& name : outcome.changed_arguments)
            answers.push_back(changed_argument + static_cast<double>(name.size()));
    } catch (const StopTest&) {
        const auto& failure = current_test().failure;
        answers.push_back(failure ? no_answer + static_cast<double>(failure->kind) : not_written);
        student.fresh_worker();
    }
}

std::vector<double> numbers_of(const Outcome& outcome) {
    std::vector<double> numbers;
    if (outcome.error)
        numbers.push_back(thrown + static_cast<double>(outcome.error->kind));
    else
        append(numbers, outcome.value);
    return numbers;
}

/// NaN equals NaN here: the question is whether the answer changed, not whether it is right.
bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

/// Whether answers agree but for rounding: a stride that is ignored changes far more.
bool agree(const std::vector<double>& a, const std::vector<double>& b) {
    double largest = 1;
    for (const double number : a) largest = std::max(largest, std::abs(number));
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [&](double x, double y) {
               return std::isfinite(x) ? std::abs(x - y) <= 1e-3 * largest : !std::isfinite(y);
           });
}

/// The same numbers in views with gaps.
Arguments as_views(const Arguments& arguments) {
    Arguments views = arguments;
    for (wire::Field& field : views)
        if (auto* tensor = std::get_if<Tensor>(&field.value); tensor != nullptr && tensor->defined())
            *tensor = strided(*tensor);
    return views;
}

/// Arguments of the same shapes with other numbers.
Arguments with_other_numbers(const Arguments& arguments) {
    Arguments others = arguments;
    for (wire::Field& field : others)
        if (auto* tensor = std::get_if<Tensor>(&field.value); tensor != nullptr && tensor->defined())
            *tensor = *tensor * -0.5F + 0.25F;
    return others;
}

}  // namespace

bool result_lasts(Student& student, const std::string& function, const Arguments& arguments) {
    const Outcome kept = student.outcome(function, arguments, true);
    if (!std::holds_alternative<wire::Handle>(kept.value)) return true;
    const Arguments look{{"x", kept.value}};
    const Outcome before = student.outcome("read", look);
    student.outcome(function, with_other_numbers(arguments));
    return same_bits(numbers_of(before), numbers_of(student.outcome("read", look)));
}

void expect_untouched(Student& student, const std::string& function, const Arguments& arguments) {
    const std::string because = ": it keeps something between calls, or reads memory that it never wrote";
    const Outcome first = student.outcome(function, arguments);
    for (const std::string& name : first.changed_arguments)
        expect(false, Stage::none,
               "your " + function + " changes its argument " + name +
                   ": a Tensor is a view, so the caller's numbers change too");
    const Outcome viewed = student.outcome(function, as_views(arguments));
    expect(first.error || agree(numbers_of(first), numbers_of(viewed)), Stage::none,
           "your " + function + " answers differently if the same numbers come in a view that is not contiguous" +
               (viewed.error ? ": it throws" : ": does it read data() without looking at the strides?"));
    const Arguments others = with_other_numbers(arguments);
    const Outcome other = student.outcome(function, others);
    const Outcome second = student.outcome(function, arguments);
    expect(same_bits(numbers_of(first), numbers_of(second)), Stage::none,
           "your " + function + " answers the same question differently after another call" + because);
    const bool uses_objects = std::any_of(arguments.begin(), arguments.end(), [](const wire::Field& field) {
        return std::holds_alternative<wire::Handle>(field.value);
    });
    if (uses_objects) return;  // they live in this worker only
    expect(result_lasts(student, function, arguments), Stage::none,
           "what your " + function + " returned changes when it is called again: does it return a static Tensor?");
    student.fresh_worker();
    expect(same_bits(numbers_of(other), numbers_of(student.outcome(function, others))), Stage::none,
           "your " + function + " answers differently as the first call of a process than after another one" + because);
}

void answer_with(Student& student, std::vector<double>& answers, const std::string& function,
                 const Arguments& arguments) {
    appending(student, answers, [&] { return student.outcome(function, arguments); });
}

void answer_lasting(Student& student, std::vector<double>& answers, const std::string& function,
                    const Arguments& arguments) {
    appending(student, answers, [&] {
        Outcome outcome;
        outcome.value = result_lasts(student, function, arguments);
        return outcome;
    });
}

void answer_with_view(Student& student, std::vector<double>& answers, const std::string& function, const Tensor& x,
                      const Arguments& rest) {
    appending(student, answers, [&] {
        const wire::Handle input = student.store(x);
        Arguments arguments{{"x", input}};
        arguments.insert(arguments.end(), rest.begin(), rest.end());
        Outcome outcome = student.outcome(function, arguments, true);
        if (outcome.error) return outcome;
        student.write(input, Shape(x.shape().size(), 1), 12345.0);
        const Tensor result = student.read(std::get<wire::Handle>(outcome.value));
        append_shape(answers, result.strides());
        outcome.value = result;
        return outcome;
    });
}

}  // namespace headway::judge
