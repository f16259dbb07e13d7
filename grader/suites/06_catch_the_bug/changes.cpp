#include "suites/06_catch_the_bug/changes.hpp"

#include "student/what_to_change.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <regex>
#include <string_view>
#include <utility>

namespace headway::judge {

const Tensor* tensor_in(const wire::Value& value, const char* part) {
    const auto* record = std::get_if<wire::Record>(&value);
    const wire::Field* field = record != nullptr ? record->find(part) : nullptr;
    return field != nullptr ? std::get_if<Tensor>(&field->value) : nullptr;
}

wire::Value with_tensors(wire::Value answer, Tensor (*change)(const Tensor&)) {
    if (auto* record = std::get_if<wire::Record>(&answer))
        for (wire::Field& field : record->fields)
            if (const auto* tensor = std::get_if<Tensor>(&field.value)) field.value = change(*tensor);
    return answer;
}

Tensor row_major(const Tensor& x) { return x.contiguous(); }

Tensor without_negative_zeros(const Tensor& x) { return x + 0.0F; }

wire::Value with_queries_before_heads(wire::Value answer) {
    if (auto* record = std::get_if<wire::Record>(&answer))
        for (wire::Field& field : record->fields)
            if (const auto* weights = std::get_if<Tensor>(&field.value);
                weights != nullptr && field.name == "weights" && weights->rank() == 4)
                field.value = weights->transpose(1, 2).contiguous();
    return answer;
}

std::string what_an_axis_counts(const std::string& words) {
    static const std::regex past_the_end(
        R"(is out of range for axis ([0-3]) of size \d+, shape \(\d+, \d+, \d+, \d+\))");
    constexpr std::array counted = {"sequences", "heads", "queries", "keys"};
    std::smatch found;
    if (!std::regex_search(words, found, past_the_end)) return "";
    const int axis = found[1].str().front() - '0';
    return fmt::format(" Weights, and masks of four axes, are (B, H, T, S): axis {} counts {}.", axis,
                       counted.at(static_cast<std::size_t>(axis)));
}

std::string what_to_change_in_a_test(const std::string& words) {
    constexpr std::string_view begin = "C++ exception with description \"", end = "\" thrown in the test body";
    const std::size_t at = words.find(begin), last = words.find(end);
    if (at == std::string::npos || last == std::string::npos || last < at) return "";
    const std::string said = words.substr(at + begin.size(), last - at - begin.size());
    // GoogleTest does not tell the type.
    for (const char* type : {"std::invalid_argument", "std::out_of_range", "std::bad_optional_access"})
        if (const auto advice = what_to_change({.type = type, .message = said}, "", {})) return " " + *advice;
    return "";
}

namespace {

/// What the header lets tests ask with.
constexpr float most_promised = 1e37F;

}  // namespace

bool ElementsLeft::take(Index elements) {
    if (elements > std::min(most_of_a_question, left_)) return false;
    left_ -= elements;
    return true;
}

std::optional<wire::Value> within_the_promise(const wire::Value& question, ElementsLeft& left) {
    const auto* asked = std::get_if<wire::Record>(&question);
    if (asked == nullptr) return std::nullopt;
    Index elements = 0;
    for (const wire::Field& field : asked->fields)
        if (const auto* tensor = std::get_if<Tensor>(&field.value); tensor != nullptr && tensor->defined())
            elements += tensor->numel();
    if (!left.take(elements)) return std::nullopt;
    wire::Record tame = *asked;
    bool changed = false;
    for (wire::Field& field : tame.fields) {
        const auto* tensor = std::get_if<Tensor>(&field.value);
        if (tensor == nullptr || !tensor->defined()) continue;
        Tensor numbers = tensor->contiguous().clone();
        for (Index i = 0; i < numbers.numel(); ++i) {
            if (std::abs(numbers.data()[i]) < most_promised) continue;
            numbers.data()[i] = 0;
            changed = true;
        }
        field.value = numbers;
    }
    return changed ? std::optional<wire::Value>(std::move(tame)) : std::nullopt;
}

std::optional<SequencesFirst> with_sequences_first(const wire::Value& question, ElementsLeft& left) {
    const Tensor *query = tensor_in(question, "query"), *key = tensor_in(question, "key");
    const auto* asked = std::get_if<wire::Record>(&question);
    const wire::Field* field = asked != nullptr ? asked->find("mask") : nullptr;
    const Mask* mask = field != nullptr ? std::get_if<Mask>(&field->value) : nullptr;
    if (mask == nullptr || query == nullptr || key == nullptr || query->rank() != 3 || key->rank() != 3) return {};
    const Index B = query->size(0), T = query->size(1), S = key->size(1), rank = mask->rank();
    if (B < 2 || (rank != 2 && rank != 3) || mask->size(0) != B) return {};
    const Index rows = rank == 3 ? mask->size(1) : 1, columns = mask->size(-1);
    if ((rows != 1 && rows != T) || (columns != S && (rank == 2 || columns != 1))) return {};
    if (!left.take(mask->numel())) return {};
    const Mask dense = mask->clone();
    SequencesFirst other{*asked, mask->shape(), {B, 1, rows, columns}};
    for (wire::Field& one : std::get<wire::Record>(other.question).fields)
        if (one.name == "mask") one.value = dense.as_strided(other.is, Layout::contiguous(other.is).strides, 0);
    return other;
}

std::string where_masks_meet(const std::map<Shape, Shape>& meant) {
    const std::string lined_up = " A mask is lined up from the last axis with (B, H, T, S): ";
    if (meant.size() > 1)
        return " It passes when 1s are put in behind the first axis of masks that have B there: (B, 1, T, S) or "
               "(B, 1, 1, S)." +
               lined_up + "the first of three axes meets the heads, of two the queries, not the sequences.";
    const auto& [handed, taken] = *meant.begin();
    return fmt::format(" It passes when your mask {} is taken as {}.{}its first axis meets the {}, not the sequences.",
                       headway::to_string(handed), headway::to_string(taken), lined_up,
                       handed.size() == 3 ? "heads" : "queries");
}

wire::Value without_bias_of_the_blind(wire::Value answer) {
    const Tensor *output = tensor_in(answer, "output"), *weights = tensor_in(answer, "weights");
    if (output == nullptr || weights == nullptr || output->rank() != 3 || weights->rank() != 4) return answer;
    Tensor changed = output->contiguous().clone();
    const Tensor seen = max(max(*weights, -1), 1);  // (B, T)
    for (Index b = 0; b < seen.size(0); ++b)
        for (Index t = 0; t < seen.size(1); ++t)
            if (std::as_const(seen)(b, t) == 0) changed.select(0, b).select(0, t).fill(0);
    for (wire::Field& field : std::get<wire::Record>(answer).fields)
        if (field.name == "output") field.value = changed;
    return answer;
}

}  // namespace headway::judge
