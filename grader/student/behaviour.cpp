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

/// A throw, where numbers are compared.
constexpr double number_of_a_throw = 1e8;

void append(std::vector<double>& answers, const wire::Value& value);

struct Append {
    std::vector<double>& answers;

    void operator()(std::monostate) const { answers.push_back(-1); }
    void operator()(Index value) const { answers.push_back(static_cast<double>(value)); }
    void operator()(double value) const { answers.push_back(value); }
    void operator()(bool value) const { answers.push_back(value ? 1 : 0); }
    void operator()(wire::Handle) const { answers.push_back(-2); }
    void operator()(const std::string& value) const { answers.push_back(static_cast<double>(value.size())); }
    void operator()(const Shape& value) const { answers.insert(answers.end(), value.begin(), value.end()); }
    void operator()(const wire::Record& record) const {
        for (const wire::Field& field : record.fields) append(answers, field.value);
    }
    void operator()(const Tensor& tensor) const {
        (*this)(tensor.shape());
        if (!tensor.defined()) return;
        const std::vector<double> numbers = reference::exact(tensor).value;
        answers.insert(answers.end(), numbers.begin(), numbers.end());
    }
    void operator()(const Mask& mask) const {
        (*this)(mask.shape());
        if (!mask.defined()) return;
        const Mask dense = mask.clone();
        answers.insert(answers.end(), dense.data(), dense.data() + dense.numel());
    }
};

void append(std::vector<double>& answers, const wire::Value& value) { std::visit(Append{answers}, value); }

std::vector<double> numbers_of(const Outcome& outcome) {
    std::vector<double> numbers;
    if (outcome.error)
        numbers.push_back(number_of_a_throw + static_cast<double>(outcome.error->kind));
    else
        append(numbers, outcome.value);
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

/// The same numbers as a slice: an offset, and a gap behind each row. Reading past a row's end meets NaN.
Tensor sliced(const Tensor& tensor) {
    if (tensor.rank() == 0) return tensor;
    Shape wide = tensor.shape();
    wide.back() += 2;
    if (wide.size() > 1) wide.front() += 1;
    Tensor view = Tensor::full(wide, std::numeric_limits<float>::quiet_NaN()).slice(-1, 1, 1 + tensor.size(-1));
    if (wide.size() > 1) view = view.slice(0, 1, 1 + tensor.size(0));
    view.copy_from(tensor);
    return view;
}

/// The same numbers next to each other: contiguous() of such a tensor is the tensor itself.
Tensor dense(const Tensor& tensor) { return tensor.contiguous(); }

/// Another number in the middle: the shape, and what stands first and last, are as before.
Tensor nearly_the_same(const Tensor& tensor) {
    Tensor other = Tensor::empty(tensor.shape());
    other.copy_from(tensor);
    if (other.numel() > 2) other.data()[other.numel() / 2] += 1;
    return other;
}

/// With each tensor in that form.
Arguments each(const Arguments& arguments, Tensor form(const Tensor&)) {
    Arguments formed = arguments;
    for (wire::Field& field : formed)
        if (auto* tensor = std::get_if<Tensor>(&field.value); tensor != nullptr && tensor->defined())
            *tensor = form(*tensor);
    return formed;
}

}  // namespace

Arguments with_other_numbers(const Arguments& arguments) {
    return each(arguments, [](const Tensor& tensor) { return tensor * -0.5F + 0.25F; });
}

std::optional<Arguments> with_other_masks(Arguments arguments, Random& random) {
    bool any = false;
    for (wire::Field& argument : arguments)
        if (auto* mask = std::get_if<Mask>(&argument.value); mask != nullptr && mask->numel() > 0) {
            *mask = mask->clone();
            std::generate_n(mask->data(), mask->numel(), [&] { return random.integer(0, 1) == 1; });
            any = true;
        }
    return any ? std::optional(std::move(arguments)) : std::nullopt;
}

bool result_lasts(Student& student, const std::string& function, const Arguments& arguments) {
    const Outcome kept = student.outcome(function, arguments, true);
    if (!std::holds_alternative<wire::Handle>(kept.value)) return true;
    const Arguments look{{"x", kept.value}};
    const Outcome before = student.outcome("read", look);
    // A function that deals out what it keeps in turn has come round by then.
    for (int call = 0; call < 16; ++call) student.outcome(function, with_other_numbers(arguments));
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

    /// Another element in the middle of each: what stands first and last is as before.
    void overwrite() {
        for (const auto& [i, handle] : stored_) {
            constexpr float other = 3;
            Shape middle = tensor(i).shape();
            for (Index& position : middle) position /= 2;
            student_.write(handle, middle, other);
            const Layout& layout = tensor(i).layout();
            const Index at = layout.locate(middle.data(), middle.size()) - layout.offset;
            std::get<Tensor>(as_tensors_[i].value).data()[at] = other;
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

/// What a function answered to other questions after it had answered the first.
struct LaterAnswers {
    Outcome nearly;  ///< all numbers but one as before
    Outcome other;   ///< other numbers
};

LaterAnswers expect_untouched(Student& student, const FunctionCall& call) {
    const auto& [function, arguments] = call;
    const Outcome first = expect_unchanged(student, call);
    for (const auto form : {column_major, sliced}) {
        const Outcome viewed = expect_unchanged(student, {function, each(arguments, form)});
        expect(first.error || agree_but_for_rounding(numbers_of(first), numbers_of(viewed)), Stage::none,
               "your " + function + " answers differently if the same numbers come in a view that is not contiguous" +
                   (viewed.error ? ": it throws" : ": does it read data() without looking at the strides?"));
    }
    expect_unchanged(student, {function, each(arguments, dense)});
    LaterAnswers later;
    later.nearly = student.outcome(function, each(arguments, nearly_the_same));
    later.other = student.outcome(function, with_other_numbers(arguments));
    const Outcome second = student.outcome(function, arguments);
    expect(may_repeat(student, call, first, second), Stage::state,
           "your " + function + " answers the same question differently after another call" + because);
    expect(sees_what_was_overwritten(student, function, arguments), Stage::state,
           "your " + function +
               " does not notice that numbers of its arguments have been overwritten since the last call"
               ": it keeps something that belongs to an address");
    expect(result_lasts(student, function, arguments), Stage::state,
           "what your " + function + " returned changes when it is called again: does it return a static Tensor?");
    return later;
}

/// Objects live in one worker only.
bool uses_objects(const FunctionCall& call) {
    return std::any_of(call.arguments.begin(), call.arguments.end(),
                       [](const wire::Field& field) { return std::holds_alternative<wire::Handle>(field.value); });
}

}  // namespace

void expect_untouched(Student& student, const std::vector<FunctionCall>& calls) {
    std::vector<LaterAnswers> answers;
    for (const FunctionCall& call : calls) answers.push_back(expect_untouched(student, call));
    if (std::any_of(calls.begin(), calls.end(), uses_objects)) return;
    student.fresh_worker();
    const auto expect_again = [&](const FunctionCall& call, const Outcome& before) {
        expect(may_repeat(student, call, before, student.outcome(call.function, call.arguments)), Stage::none,
               "your " + call.function + " answers differently in a new process than after other calls" + because);
    };
    for (std::size_t i = calls.size(); i-- > 0;) {
        const auto& [function, arguments] = calls[i];
        expect_again({function, with_other_numbers(arguments)}, answers[i].other);
        expect_again({function, each(arguments, nearly_the_same)}, answers[i].nearly);
    }
}

}  // namespace headway::judge
