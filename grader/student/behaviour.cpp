#include "student/behaviour.hpp"

#include "student/expect.hpp"
#include "student/inputs.hpp"

#include "reference/array.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace headway::judge {
namespace {

/// How answers that are no numbers stand among numbers.
constexpr double number_of_a_throw = 1e8;
constexpr double no_answer = 1e9;
constexpr double not_written = 2e9;
constexpr double changed_argument = 3e9;

/// At most this many numbers stand for one tensor where hundreds of submissions answer thousands of questions.
constexpr std::size_t few_numbers = 8;
constexpr std::size_t all_numbers = std::numeric_limits<std::size_t>::max();

void append(std::vector<double>& answers, const wire::Value& value, std::size_t most);

void append_shape(std::vector<double>& answers, const Shape& shape) {
    answers.insert(answers.end(), shape.begin(), shape.end());
}

/// Large tensors are folded: weighted sums of elements that lie apart, and where and how elements are not finite. The
/// weights differ from place to place, so that moved numbers show too.
void append_numbers(std::vector<double>& answers, const std::vector<double>& numbers, std::size_t most) {
    if (numbers.size() <= most) {
        answers.insert(answers.end(), numbers.begin(), numbers.end());
        return;
    }
    std::vector<double> folded(most, 0.0);
    double not_finite = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const double weight = 1 + static_cast<double>(i * 2654435761U % 1009) / 1009;
        if (std::isfinite(numbers[i]))
            folded[i % most] += weight * numbers[i];
        else
            not_finite += weight * (std::isnan(numbers[i]) ? 1 : numbers[i] > 0 ? 2 : 3);
    }
    answers.insert(answers.end(), folded.begin(), folded.end());
    answers.push_back(not_finite);
}

struct Append {
    std::vector<double>& answers;
    std::size_t most;  ///< numbers of a tensor

    void operator()(std::monostate) const { answers.push_back(-1); }
    void operator()(Index value) const { answers.push_back(static_cast<double>(value)); }
    void operator()(double value) const { answers.push_back(value); }
    void operator()(bool value) const { answers.push_back(value ? 1 : 0); }
    void operator()(wire::Handle) const { answers.push_back(-2); }
    void operator()(const std::string& value) const { answers.push_back(static_cast<double>(value.size())); }
    void operator()(const Shape& value) const { append_shape(answers, value); }
    void operator()(const wire::Record& record) const {
        for (const wire::Field& field : record.fields) append(answers, field.value, most);
    }
    void operator()(const Tensor& tensor) const {
        append_shape(answers, tensor.shape());
        if (!tensor.defined()) return;
        append_numbers(answers, reference::exact(tensor).value, most);
    }
    void operator()(const Mask& mask) const {
        append_shape(answers, mask.shape());
        if (!mask.defined()) return;
        const Mask dense = mask.clone();
        append_numbers(answers, {dense.data(), dense.data() + dense.numel()}, most);
    }
};

void append(std::vector<double>& answers, const wire::Value& value, std::size_t most) {
    std::visit(Append{answers, most}, value);
}

/// Runs `ask`; a lost worker or a stub becomes a number too.
template <class Ask>
void appending(Student& student, std::vector<double>& answers, Ask ask) {
    student.test_record() = {};
    try {
        const Outcome outcome = ask();
        if (outcome.error)
            answers.push_back(number_of_a_throw + static_cast<double>(outcome.error->kind));
        else
            append(answers, outcome.value, few_numbers);
        for (const std::string& name : outcome.changed_arguments)
            answers.push_back(changed_argument + static_cast<double>(name.size()));
    } catch (const StopTest& stop) {
        student.test_record().stopped_by(stop);
        const auto& failure = student.test_record().failure;
        answers.push_back(failure ? no_answer + static_cast<double>(failure->kind) : not_written);
        student.fresh_worker();
    }
}

std::vector<double> numbers_of(const Outcome& outcome) {
    std::vector<double> numbers;
    if (outcome.error)
        numbers.push_back(number_of_a_throw + static_cast<double>(outcome.error->kind));
    else
        append(numbers, outcome.value, all_numbers);
    return numbers;
}

/// NaN equals NaN here: the question is whether the answer changed, not whether it is right.
bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

/// A stride that is ignored changes far more.
bool agree_but_for_rounding(const std::vector<double>& a, const std::vector<double>& b) {
    double largest = 1;
    for (const double number : a) largest = std::max(largest, std::abs(number));
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [&](double x, double y) {
               return std::isfinite(x) ? std::abs(x - y) <= 1e-4 * largest : !std::isfinite(y);
           });
}

/// The same numbers in a storage of the same size, first axis dense: nothing more to send.
Tensor column_major(const Tensor& tensor) {
    if (tensor.rank() < 2) return strided(tensor);
    const Tensor storage = Tensor::empty(Shape(tensor.shape().rbegin(), tensor.shape().rend()));
    const Strides strides(storage.strides().rbegin(), storage.strides().rend());
    Tensor view = storage.as_strided(tensor.shape(), strides, 0);
    view.copy_from(tensor);
    return view;
}

Arguments as_views(const Arguments& arguments) {
    Arguments views = arguments;
    for (wire::Field& field : views)
        if (auto* tensor = std::get_if<Tensor>(&field.value); tensor != nullptr && tensor->defined())
            *tensor = column_major(*tensor);
    return views;
}

/// The same numbers next to each other: contiguous() of such a tensor is the tensor itself.
Arguments as_dense(const Arguments& arguments) {
    Arguments dense = arguments;
    for (wire::Field& field : dense)
        if (auto* tensor = std::get_if<Tensor>(&field.value); tensor != nullptr && tensor->defined())
            *tensor = tensor->contiguous();
    return dense;
}

}  // namespace

Arguments with_other_numbers(const Arguments& arguments) {
    Arguments others = arguments;
    for (wire::Field& field : others)
        if (auto* tensor = std::get_if<Tensor>(&field.value); tensor != nullptr && tensor->defined())
            *tensor = *tensor * -0.5F + 0.25F;
    return others;
}

bool result_lasts(Student& student, const std::string& function, const Arguments& arguments) {
    const Outcome kept = student.outcome(function, arguments, true);
    if (!std::holds_alternative<wire::Handle>(kept.value)) return true;
    const Arguments look{{"x", kept.value}};
    const Outcome before = student.outcome("read", look);
    student.outcome(function, with_other_numbers(arguments));
    return same_bits(numbers_of(before), numbers_of(student.outcome("read", look)));
}

namespace {

/// Tensors that live in the worker, and what stands in them.
class Stored {
public:
    Stored(Student& student, const Arguments& arguments)
        : student_(student), as_handles_(arguments), as_tensors_(arguments) {
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            auto* tensor = std::get_if<Tensor>(&as_tensors_[i].value);
            if (tensor == nullptr || !tensor->defined() || tensor->numel() == 0) continue;
            *tensor = tensor->clone();
            const wire::Handle handle = student.store(*tensor);
            as_handles_[i].value = handle;
            stored_.push_back({i, handle});
        }
    }
    const Arguments& as_handles() const { return as_handles_; }
    const Arguments& as_tensors() const { return as_tensors_; }

    bool are_as_stored() const {
        return std::all_of(stored_.begin(), stored_.end(), [&](const auto& one) {
            const Tensor now = student_.read(one.second);
            return now.numel() > 0 && reference::exact(now).value == reference::exact(tensor(one.first)).value;
        });
    }

    /// Another first element in each.
    void overwrite() {
        for (const auto& [i, handle] : stored_) {
            constexpr float other = 3;
            student_.write(handle, Shape(tensor(i).shape().size(), 0), other);
            std::get<Tensor>(as_tensors_[i].value).data()[0] = other;
        }
    }

    void forget() const {
        for (const auto& [i, handle] : stored_) student_.forget(handle);
    }

private:
    const Tensor& tensor(std::size_t i) const { return std::get<Tensor>(as_tensors_[i].value); }

    Student& student_;
    Arguments as_handles_, as_tensors_;
    std::vector<std::pair<std::size_t, wire::Handle>> stored_;  ///< which argument, and where it lives
};

}  // namespace

bool sees_what_was_overwritten(Student& student, const std::string& function, const Arguments& arguments) {
    Stored stored(student, arguments);
    student.outcome(function, stored.as_handles());
    if (!stored.are_as_stored()) return true;  // it changes its arguments, as it may have to
    stored.overwrite();
    const std::vector<double> again = numbers_of(student.outcome(function, stored.as_handles()));
    stored.forget();
    return agree_but_for_rounding(numbers_of(student.outcome(function, stored.as_tensors())), again);
}

namespace {

constexpr const char* because = ": it keeps something between calls, or reads memory that it never wrote";

}  // namespace

Outcome expect_unchanged(Student& student, const FunctionCall& call) {
    Outcome outcome = student.outcome(call.function, call.arguments);
    for (const std::string& name : outcome.changed_arguments)
        expect(false, Stage::none,
               "your " + call.function + " changes its argument " + name +
                   ": a Tensor is a view, so the caller's numbers change too");
    return outcome;
}

namespace {

bool may_repeat(const Student& student, const FunctionCall& call, const Outcome& first, const Outcome& second) {
    return same_bits(numbers_of(first), numbers_of(second)) ||
           student.may_repeat(call.function, call.arguments, first, second);
}

/// @return what `function` answered to other numbers, after it had answered to these
Outcome expect_untouched(Student& student, const FunctionCall& call) {
    const auto& [function, arguments] = call;
    const Outcome first = expect_unchanged(student, call);
    const Outcome viewed = expect_unchanged(student, {function, as_views(arguments)});
    expect_unchanged(student, {function, as_dense(arguments)});
    expect(first.error || agree_but_for_rounding(numbers_of(first), numbers_of(viewed)), Stage::none,
           "your " + function + " answers differently if the same numbers come in a view that is not contiguous" +
               (viewed.error ? ": it throws" : ": does it read data() without looking at the strides?"));
    Outcome other = student.outcome(function, with_other_numbers(arguments));
    const Outcome second = student.outcome(function, arguments);
    expect(may_repeat(student, call, first, second), Stage::state,
           "your " + function + " answers the same question differently after another call" + because);
    expect(sees_what_was_overwritten(student, function, arguments), Stage::state,
           "your " + function +
               " does not notice that numbers of its arguments have been overwritten since the last call"
               ": it keeps something that belongs to an address");
    expect(result_lasts(student, function, arguments), Stage::state,
           "what your " + function + " returned changes when it is called again: does it return a static Tensor?");
    return other;
}

/// Objects live in one worker only.
bool uses_objects(const FunctionCall& call) {
    return std::any_of(call.arguments.begin(), call.arguments.end(),
                       [](const wire::Field& field) { return std::holds_alternative<wire::Handle>(field.value); });
}

}  // namespace

void expect_untouched(Student& student, const std::vector<FunctionCall>& calls) {
    std::vector<Outcome> answers;
    for (const FunctionCall& call : calls) answers.push_back(expect_untouched(student, call));
    if (std::any_of(calls.begin(), calls.end(), uses_objects)) return;
    student.fresh_worker();
    for (std::size_t i = calls.size(); i-- > 0;) {
        const FunctionCall call{calls[i].function, with_other_numbers(calls[i].arguments)};
        const Outcome now = student.outcome(call.function, call.arguments);
        expect(may_repeat(student, call, answers[i], now), Stage::none,
               "your " + call.function + " answers differently in a new process than after other calls" + because);
    }
}

void answer_with(Student& student, std::vector<double>& answers, const std::string& function,
                 const Arguments& arguments) {
    appending(student, answers, [&] { return student.outcome(function, arguments); });
}

void answer_lasting(Student& student, std::vector<double>& answers, const std::string& function,
                    const Arguments& arguments) {
    for (const auto property : {&result_lasts, &sees_what_was_overwritten})
        appending(student, answers, [&] {
            Outcome outcome;
            outcome.value = property(student, function, arguments);
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
