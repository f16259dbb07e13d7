#include "student/evidence.hpp"

#include "student/altered.hpp"

#include "reference/array.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
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

double largest_of(const std::vector<double>& numbers) {
    double largest = 0;
    for (const double number : numbers) largest = std::max(largest, std::abs(number));
    return largest;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
    if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double off = std::abs(a[i] - b[i]);
        largest = std::isnan(off) ? std::numeric_limits<double>::infinity() : std::max(largest, off);
    }
    return largest;
}

wire::Value sum(const wire::Value& a, const wire::Value& b) {
    if (const auto* tensor = std::get_if<Tensor>(&a)) return *tensor + std::get<Tensor>(b);
    wire::Record record = std::get<wire::Record>(a);
    for (std::size_t i = 0; i < record.fields.size(); ++i)
        record.fields[i].value = sum(record.fields[i].value, std::get<wire::Record>(b).fields[i].value);
    return record;
}

/// How the answer to one call changes when its arguments do.
class Behaviour {
public:
    Behaviour(const Numbers& ask, const Arguments& arguments, const reference::Array& expected)
        : ask_(ask),
          arguments_(arguments),
          answer_(ask(arguments)),
          shape_(expected.shape),
          expected_size_(expected.value.size()),
          smallest_change_(large_enough_a_change * largest_of(expected.value)) {}

    bool is_computed(const Needs& needs) const {
        return !answer_.empty() && answer_.size() == expected_size_ && all_finite(answer_) &&
               !copies_one(answer_, arguments_) && agree(answer_, ask_(arguments_)) && varies() && changes(needs) &&
               is_linear(needs.linear_in) && is_the_same_shifted(needs.shifted_by);
    }

private:
    /// With each argument that it has to, or with all but one of many, and with the parts of each. One axis may be
    /// missed in some: a single mistake may take the first sequence for all, and where masks leave one key, little
    /// matters.
    bool changes(const Needs& needs) const {
        std::size_t all = 0;
        std::size_t missed = 0;
        std::size_t partly = 0;  // but for one axis, which is not that of the batch
        for (std::size_t i = 0; i < arguments_.size(); ++i) {
            const wire::Field& one = arguments_[i];
            if (is_mask(one) && needs.mask && !changes_with(i)) return false;
            if (!holds_numbers(one)) continue;
            const bool is_named =
                std::find(needs.numbers.begin(), needs.numbers.end(), one.name) != needs.numbers.end();
            if (!needs.numbers.empty() && !is_named) continue;
            ++all;
            if (!changes_with(i)) {
                ++missed;
                continue;
            }
            if (!needs.parts) continue;
            const std::size_t rank = rank_of(one);
            const std::vector<Index> axes = axes_missed_in(i);
            if (axes.size() > 1 || (axes.size() == 1 && rank == 2))
                ++missed;
            else if (axes.size() == 1 && axes.front() != 0)
                ++partly;
        }
        return 2 * partly <= all && (missed == 0 || (needs.numbers.empty() && all > 2 && missed == 1));
    }

    static std::size_t rank_of(const wire::Field& argument) {
        const auto* tensor = std::get_if<Tensor>(&argument.value);
        return tensor == nullptr ? 0 : static_cast<std::size_t>(tensor->rank());
    }

    bool changes_with(std::size_t i) const {
        return distance(answer_, with(i, with_others(arguments_[i]).value)) > smallest_change_;
    }

    /// Axes along which the answer does not notice when one row, head or sequence of an argument changes a little, in
    /// more than half of them: what picks the largest score does not notice, nor what reads one token of many.
    /// The last axis does not count, since a sum over features may be wrong at its end.
    std::vector<Index> axes_missed_in(std::size_t i) const {
        const auto* tensor = std::get_if<Tensor>(&arguments_[i].value);
        std::vector<Index> axes;
        for (Index axis = 0; tensor != nullptr && axis + 1 < static_cast<Index>(tensor->rank()); ++axis) {
            Index noticed = 0;
            for (Index at = 0; at < tensor->size(axis) && 2 * noticed < tensor->size(axis); ++at) {
                Tensor changed = tensor->clone();
                Tensor part = changed.select(axis, at);
                part.copy_from(part * (1.0F - little) + (part * -0.5F + 0.25F) * little);
                if (distance(answer_, with(i, changed)) > smallest_change_ * little) ++noticed;
            }
            if (2 * noticed < tensor->size(axis)) axes.push_back(axis);
        }
        return axes;
    }

    /// Along all axes but the last and one more: tokens get different answers, and so do sequences.
    bool varies() const {
        std::size_t constant = 0;
        std::size_t inner = answer_.size();
        for (std::size_t axis = 0; axis + 1 < shape_.size(); ++axis) {
            const auto size = static_cast<std::size_t>(shape_[axis]);
            inner /= size;
            bool differs = size == 1;
            for (std::size_t n = 0; n + inner < answer_.size() && !differs; ++n)
                differs = n / inner % size + 1 < size && std::abs(answer_[n] - answer_[n + inner]) > smallest_change_;
            if (!differs) ++constant;
        }
        return constant <= 1;
    }

    std::vector<double> with(std::size_t i, wire::Value value) const {
        Arguments others = arguments_;
        others[i].value = std::move(value);
        return ask_(others);
    }

    std::optional<std::size_t> place_of(const std::string& name) const {
        for (std::size_t i = 0; i < arguments_.size(); ++i)
            if (arguments_[i].name == name) return i;
        return std::nullopt;
    }

    bool is_linear(const std::string& name) const {
        const auto i = place_of(name);
        if (!i) return name.empty();
        const wire::Value& a = arguments_[*i].value;
        const wire::Value b = with_others(arguments_[*i]).value;
        const std::vector<double> of_a_and_b = with(*i, sum(a, b)), of_b = with(*i, b);
        const Tensor* zero = std::get_if<Tensor>(&a);
        const std::vector<double> of_none = with(*i, zero == nullptr ? a : wire::Value(*zero * 0.0F));
        if (of_a_and_b.size() != answer_.size() || of_b.size() != answer_.size() || of_none.size() != answer_.size())
            return false;
        std::vector<double> added;
        for (std::size_t n = 0; n < answer_.size(); ++n) added.push_back(answer_[n] + of_b[n] - of_none[n]);
        return distance(of_a_and_b, added) <= rounding * (largest_of(added) + largest_of(answer_));
    }

    bool is_the_same_shifted(const std::string& name) const {
        const auto i = place_of(name);
        if (!i) return name.empty();
        return distance(answer_, with(*i, std::get<Tensor>(arguments_[*i].value) + 1.0F)) <=
               rounding * largest_of(answer_);
    }

    /// Of the largest number that is expected: more than own() allows for in what follows from wrong answers.
    static constexpr double large_enough_a_change = 2e-3;
    /// Of the way to other numbers.
    static constexpr float little = 2e-3F;
    /// In scores of some 1e4 float32 tells apart what differs by 1e-3.
    static constexpr double rounding = 5e-3;

    const Numbers& ask_;
    const Arguments& arguments_;
    const std::vector<double> answer_;
    Shape shape_;  ///< that is expected
    std::size_t expected_size_;
    double smallest_change_;
};

}  // namespace

Evidence computes(Numbers ask, Arguments arguments, Needs needs) {
    return [ask = std::move(ask), arguments = std::move(arguments), needs = std::move(needs)](
               const reference::Array& expected) { return Behaviour(ask, arguments, expected).is_computed(needs); };
}

Evidence computes(Student& student, const std::string& what, Numbers ask, Arguments arguments, Needs needs) {
    const std::string asked = what + (needs.mask ? " with a mask" : "");
    return [&student, asked, ask = std::move(ask), arguments = std::move(arguments),
            needs = std::move(needs)](const reference::Array& expected) {
        if (!student.owes_evidence()) return true;
        Needs still = needs;
        still.parts = needs.parts && !student.computed().contains(asked);
        if (!computes(ask, arguments, still)(expected)) return false;
        if (still.parts) student.computed().insert(asked);
        return true;
    };
}

namespace {

wire::Bytes bytes_of(const Arguments& arguments) {
    return wire::encode(wire::Call{.id = 0, .function = "", .arguments = arguments, .keep = false});
}

}  // namespace

Neighbourhood::Neighbourhood(Student& student, FunctionCall call)
    : student_(student), call_(std::move(call)), itself_key_(bytes_of(call_.arguments)) {}

/// The call itself is asked twice, and both answers are given in turn: whether it gives the same again is one of the
/// questions.
wire::Value Neighbourhood::answer(const Arguments& arguments) {
    wire::Bytes key = bytes_of(arguments);
    if (key == itself_key_) {
        std::optional<wire::Value>& itself = itself_.at(times_++ % itself_.size());
        if (!itself) itself = student_.outcome(call_.function, arguments).value;
        return *itself;
    }
    if (const auto known = answers_.find(key); known != answers_.end()) return known->second;
    return answers_.emplace(std::move(key), student_.outcome(call_.function, arguments).value).first->second;
}

Evidence computes(std::shared_ptr<Neighbourhood> neighbourhood, const std::string& field, Needs needs) {
    Student& student = neighbourhood->student();
    const FunctionCall call = neighbourhood->call();
    const auto ask = [neighbourhood = std::move(neighbourhood), field](const Arguments& arguments) {
        return numbers_in(neighbourhood->answer(arguments), field);
    };
    return computes(student, call.function + "." + field, ask, call.arguments, std::move(needs));
}

Evidence computes(Student& student, FunctionCall call, const std::string& field, Needs needs) {
    return computes(std::make_shared<Neighbourhood>(student, std::move(call)), field, std::move(needs));
}

}  // namespace headway::judge
