#include "student/behaviour.hpp"

#include "student/altered.hpp"
#include "student/answer_numbers.hpp"
#include "student/expect.hpp"
#include "student/layouts.hpp"

#include "reference/array.hpp"
#include "verdict/phrases.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <string>
#include <variant>
#include <vector>

namespace headway::judge {
bool result_lasts(Student& student, const std::string& function, const Arguments& arguments) {
    const Outcome kept = student.outcome(function, arguments, true);
    if (!std::holds_alternative<wire::Handle>(kept.value)) return true;
    const Arguments look{{"x", kept.value}};
    const Outcome before = student.outcome("read", look);
    // A function that deals out what it keeps in turn has come round by then.
    for (int call = 0; call < 64; ++call) student.outcome(function, with_other_numbers(arguments));
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

    /// Another element in one place of each: what stands first and last is as before.
    void overwrite() {
        for (const auto& [i, handle] : stored_) {
            constexpr float other = 3;
            Shape place = tensor(i).shape();
            Index left = place_in(tensor(i));
            for (std::size_t axis = place.size(); axis-- > 0;) {
                const Index size = place[axis];
                place[axis] = left % size;
                left /= size;
            }
            student_.write(handle, place, other);
            const Layout& layout = tensor(i).layout();
            const Index at = layout.locate(place.data(), place.size()) - layout.offset;
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

/// Tensors that are given as one lie in the worker, one behind the other in one storage.
class InOneStorage {
public:
    InOneStorage(Student& student, const Arguments& arguments) : student_(student), as_handles_(arguments) {
        Arguments given = arguments;
        const std::vector<Tensor*> tensors = tensors_in(given);
        Index size = 0;
        for (const Tensor* tensor : tensors) size += tensor->numel();
        if (tensors.size() < 2 || size == 0) return;
        const Tensor all = Tensor::empty({size});
        std::vector<Layout> layouts;
        for (Index at = 0; const Tensor* tensor : tensors) {
            Tensor part = all.slice(0, at, at + tensor->numel()).view(tensor->shape());
            part.copy_from(*tensor);
            layouts.push_back(part.layout());
            at += tensor->numel();
        }
        handles_.push_back(student.store(all));
        std::size_t next = 0;
        for (wire::Field& field : as_handles_) {
            const auto* tensor = std::get_if<Tensor>(&field.value);
            if (tensor == nullptr || !tensor->defined()) continue;
            handles_.push_back(student.view(handles_.front(), layouts[next++]));
            field.value = handles_.back();
        }
    }
    InOneStorage(const InOneStorage&) = delete;
    InOneStorage& operator=(const InOneStorage&) = delete;

    bool is_made() const { return !handles_.empty(); }
    const Arguments& as_handles() const { return as_handles_; }
    void forget() const {
        for (const wire::Handle handle : handles_) student_.forget(handle);
    }

private:
    Student& student_;
    Arguments as_handles_;
    std::vector<wire::Handle> handles_;  ///< of all, then of each
};

constexpr const char* keeps_something = ": it keeps something between calls, or reads memory that it never wrote";

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

/// What is answered where all tensors are views of one storage; `usual` if that cannot be asked.
Outcome answer_from_one_storage(Student& student, const FunctionCall& call, const Outcome& usual) {
    const InOneStorage arguments(student, call.arguments);
    if (!arguments.is_made()) return usual;
    Outcome outcome = student.outcome(call.function, arguments.as_handles());
    arguments.forget();
    return outcome;
}

/// Whether two calls return the same memory, though each was given tensors of its own.
bool returns_the_same_memory(Student& student, const FunctionCall& call) {
    const Outcome one = student.outcome(call.function, call.arguments, true);
    const Outcome other = student.outcome(call.function, call.arguments, true);
    const auto *a = std::get_if<wire::Handle>(&one.value), *b = std::get_if<wire::Handle>(&other.value);
    if (a == nullptr || b == nullptr) return false;
    const bool is_one = student.overlap(*a, *b);
    student.forget(*a);
    student.forget(*b);
    return is_one;
}

bool may_repeat(const Student& student, const FunctionCall& call, const Outcome& first, const Outcome& second) {
    return same_bits(numbers_of(first), numbers_of(second)) ||
           student.may_repeat(call.function, call.arguments, first, second);
}

/// What a function answered to other questions after it had answered the first.
struct LaterAnswers {
    Outcome nearly;     ///< all numbers but one as before
    Outcome exchanged;  ///< but for two that have changed places
    Outcome other;      ///< other numbers
};

/// "q or k": the tensors that are read as if the stride of their last axis were 1. Empty if anything else is wrong with
/// views.
std::string misread_along_the_last_axis(Student& student, const FunctionCall& call, const Outcome& usual) {
    const auto is_as_usual = [&](const Arguments& arguments) {
        return agree_but_for_rounding(numbers_of(usual), numbers_of(student.outcome(call.function, arguments)));
    };
    for (const auto form : {dense, sliced, heads_as_split, rows_in_another_order})
        if (!is_as_usual(each(call.arguments, form, Nested::too))) return {};
    const Arguments in_rows = each(call.arguments, dense, Nested::too);
    Arguments others = each(call.arguments, column_major, Nested::too);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < in_rows.size(); ++i) {
        const auto* tensor = std::get_if<Tensor>(&in_rows[i].value);
        if (tensor == nullptr || !tensor->defined() || tensor->rank() < 2) continue;
        Arguments one = in_rows;
        one[i].value = with_gaps_in_rows(*tensor);
        if (is_as_usual(one)) continue;
        names.push_back(verdict::name_alone(one[i].name));
        others[i].value = rows_in_another_order(*tensor);
    }
    return names.empty() || !is_as_usual(others) ? "" : fmt::format("{}", fmt::join(names, " or "));
}

LaterAnswers expect_untouched(Student& student, const FunctionCall& call) {
    const std::string& function = call.function;
    const Arguments& arguments = call.arguments;
    const Outcome first = expect_unchanged(student, call);
    const auto expect_as_first = [&](const Outcome& again, const std::string& where, const std::string& why) {
        expect(first.error || agree_but_for_rounding(numbers_of(first), numbers_of(again)), Stage::none,
               "your " + function + " answers differently if " + where + (again.error ? ": it throws" : why));
    };
    for (const auto form : {column_major, sliced}) {
        const Outcome again = expect_unchanged(student, {function, each(arguments, form, Nested::too)});
        const bool differs = !first.error && !agree_but_for_rounding(numbers_of(first), numbers_of(again));
        const std::string misread =
            differs ? student.outside_story([&] { return misread_along_the_last_axis(student, call, first); }) : "";
        if (misread.empty())
            expect_as_first(again, "the same numbers come in a view that is not contiguous",
                            ": it should depend on the numbers alone, not on how they are laid out in memory");
        else
            expect_as_first(
                again,
                misread + " comes in a view that is not contiguous along its last axis, where the stride is not 1",
                ": views whose last axis has stride 1 are read as they should be");
    }
    expect_as_first(expect_unchanged(student, {function, each(arguments, heads_as_split, Nested::too)}),
                    "the same numbers come in a view that begins later in its storage",
                    ": does it leave out the offset?");
    expect_as_first(expect_unchanged(student, {function, each_in_its_own_layout(arguments)}),
                    "one argument is contiguous and the next is not",
                    ": does it read one by the strides of the other?");
    expect_unchanged(student, {function, each(arguments, dense, Nested::too)});
    expect_as_first(answer_from_one_storage(student, call, first), "its arguments are different views of one storage",
                    ": that two tensors share a storage does not say that they are the same");
    LaterAnswers later;
    later.nearly = student.outcome(function, each(arguments, nearly_the_same, Nested::too));
    later.exchanged = student.outcome(function, each(arguments, with_two_exchanged, Nested::too));
    later.other = student.outcome(function, with_other_numbers(arguments));
    const Outcome second = student.outcome(function, arguments);
    expect(may_repeat(student, call, first, second), Stage::state,
           "your " + function + " answers the same question differently after another call" + keeps_something);
    expect(sees_what_was_overwritten(student, function, arguments), Stage::state,
           "your " + function +
               " does not notice that numbers of its arguments have been overwritten since the last call"
               ": it keeps something that belongs to an address");
    expect(result_lasts(student, function, arguments), Stage::state,
           "what your " + function +
               " returned changes when it is called again: does it return a Tensor that it keeps, "
               "as a static or a member?");
    expect(!returns_the_same_memory(student, call), Stage::state,
           "your " + function +
               " returns the same memory again when it is called again: who writes into one result changes the other");
    return later;
}

/// Objects live in one worker only.
bool uses_objects(const FunctionCall& call) {
    return std::any_of(call.arguments.begin(), call.arguments.end(),
                       [](const wire::Field& field) { return std::holds_alternative<wire::Handle>(field.value); });
}

}  // namespace

namespace {

void expect_of(const std::string& function, bool holds, const std::string& message) {
    if (holds) return;
    verdict::Failure failure;
    failure.kind = verdict::FailureKind::wrong_behaviour;
    failure.stage = Stage::state;
    failure.function = function;
    failure.message = message;
    fail(std::move(failure));
}

/// Ends the test if what was given to a function, or what it returned, changes when others, or itself, are called
/// later.
void expect_left_alone(Student& student, const std::vector<FunctionCall>& calls) {
    struct Left {
        const FunctionCall& call;
        Stored arguments;
        wire::Value result;
        Outcome before;
    };
    std::deque<Left> all;
    for (const FunctionCall& call : calls) {
        Stored stored(student, call.arguments);
        Outcome kept = student.outcome(call.function, stored.as_handles(), true);
        const bool is_kept = std::holds_alternative<wire::Handle>(kept.value);
        Outcome before = is_kept ? student.outcome("read", {{"x", kept.value}}) : Outcome{};
        all.push_back({call, std::move(stored), std::move(kept.value), std::move(before)});
    }
    for (const FunctionCall& call : calls) student.outcome(call.function, with_other_numbers(call.arguments));
    for (const Left& one : all) {
        const std::string& function = one.call.function;
        expect_of(function, one.arguments.are_as_stored(),
                  "arguments that your " + function +
                      " was given hold other numbers after later calls: the caller's numbers have changed");
        if (std::holds_alternative<wire::Handle>(one.result))
            expect_of(function,
                      same_bits(numbers_of(one.before), numbers_of(student.outcome("read", {{"x", one.result}}))),
                      "what your " + function + " returned changes when other functions are called later");
    }
}

}  // namespace

void expect_same_if_repeated(Student& student, FunctionCall call, const std::string& argument, Index axis) {
    const auto given = std::ranges::find(call.arguments, argument, &wire::Field::name);
    const Tensor repeated = repeated_along(std::get<Tensor>(given->value), axis);
    given->value = repeated.contiguous();
    const std::vector<double> numbers = numbers_of(student.outcome(call.function, call.arguments));
    given->value = repeated;
    expect(agree_but_for_rounding(numbers, numbers_of(expect_unchanged(student, call))), Stage::none,
           "your " + call.function + " answers differently if " + argument +
               " repeats itself along an axis without a copy: there its stride is 0, as expand() leaves it");
}

void expect_untouched(Student& student, const std::vector<FunctionCall>& calls) {
    const SweepInTurn noted(student, "state", "", calls.size());
    std::vector<LaterAnswers> answers;
    for (const FunctionCall& call : calls) answers.push_back(expect_untouched(student, call));
    if (std::any_of(calls.begin(), calls.end(), uses_objects)) return;
    expect_left_alone(student, calls);
    student.fresh_worker();
    const auto expect_again = [&](const FunctionCall& call, const Outcome& before) {
        expect(
            may_repeat(student, call, before, student.outcome(call.function, call.arguments)), Stage::none,
            "your " + call.function + " answers differently in a new process than after other calls" + keeps_something);
    };
    for (std::size_t i = calls.size(); i-- > 0;) {
        const auto& [function, arguments] = calls[i];
        expect_again({function, with_other_numbers(arguments)}, answers[i].other);
        expect_again({function, each(arguments, with_two_exchanged, Nested::too)}, answers[i].exchanged);
        expect_again({function, each(arguments, nearly_the_same, Nested::too)}, answers[i].nearly);
    }
}

}  // namespace headway::judge
