#include "suites/10_tiled_attention/running.hpp"

#include "reference/attention.hpp"
#include "student/answer_numbers.hpp"
#include "student/behaviour.hpp"
#include "student/expect.hpp"
#include "student/record_field.hpp"
#include "student/repeated.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headway::judge::tiled {

using reference::Array;
using reference::exact;
using reference::to_tensor;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
const CheckedPart largest_axes{"largest scores", Stage::softmax, {"b", "h", "query"}};
const CheckedPart kept_largest_axes{"largest scores", Stage::softmax, {"b", "h", "query", "of 1"}};
const CheckedPart total_axes{"totals", Stage::softmax, {"b", "h", "query"}};

/// All three are tensors, whatever their shape.
wire::Record contents(Student& student, wire::Handle running) {
    wire::Record record = student.outside_story([&] { return student.record("contents", {{"running", running}}); });
    for (const wire::Field& field : record.fields)
        expect(value_of<Tensor>(field).defined(), Stage::softmax,
               "your Running has no tensor " + field.name + ": it is a Tensor{} that nothing was assigned to");
    return record;
}

/// All of them, one behind the other.
std::vector<double> numbers_in(Student& student, wire::Handle running) {
    std::vector<double> numbers;
    for (const wire::Field& field : contents(student, running).fields) {
        const Array held = exact(value_of<Tensor>(field));
        numbers.insert(numbers.end(), held.value.begin(), held.value.end());
    }
    return numbers;
}

}  // namespace

Tensor summed(Student& student, wire::Handle running) {
    const wire::Record record = contents(student, running);
    const Tensor total = judge::field<Tensor>(record, "total");
    const Tensor gathered = judge::field<Tensor>(record, "gathered");
    expect(gathered.rank() == 4, Stage::softmax,
           "what your Running has gathered is of shape " + headway::to_string(gathered.shape()) +
               "; it should be (B, H, T, d_v)");
    Shape rows = gathered.shape();
    rows.back() = 1;
    expect_shape({"running total", Stage::softmax, {}}, total.shape(), rows);
    const Array sums = exact(total);
    Array mean = exact(gathered);
    const auto width = static_cast<std::size_t>(gathered.size(-1));
    for (std::size_t i = 0; i < mean.value.size(); ++i)
        if (sums.value[i / width] != 0) mean.value[i] /= sums.value[i / width];
    return to_tensor(mean);
}

wire::Handle nothing_seen(Student& student, const Shape& queries, Index d_v) {
    return student.keep("nothing_seen", {{"B", queries[0]}, {"H", queries[1]}, {"T", queries[2]}, {"d_v", d_v}});
}

wire::Handle absorbed(Student& student, const Tensor& scores, const Tensor& v, Index tile) {
    const wire::Handle running = nothing_seen(student, scores.shape(), v.size(3));
    const Index S = scores.size(3);
    for (Index s = 0; s < S; s += tile)
        student.run("absorb", {{"running", running},
                               {"scores", scores.slice(3, s, std::min(s + tile, S))},
                               {"v", v.slice(2, s, std::min(s + tile, S))}});
    return running;
}

Array expected_sums(const Tensor& scores, const Tensor& v) {
    const Tensor dense = scores.contiguous();
    Mask blocked = Mask::allow_all(dense.shape());
    for (Index i = 0; i < dense.numel(); ++i) blocked.data()[i] = dense.data()[i] == -infinity;
    return reference::matmul(reference::masked_softmax(exact(masked_fill(dense, blocked, 0)), blocked), exact(v));
}

void expect_sums(Student& student, const Tensor& scores, const Tensor& v, Index tile) {
    const wire::Handle running = absorbed(student, scores, v, tile);
    expect_close(student, summed_axes, summed(student, running), expected_sums(scores, v));
}

namespace {

/// A field that has one number per row, (B, H, T).
Tensor one_a_row(Student& student, wire::Handle running, const CheckedPart& part, const char* name,
                 const Tensor& scores) {
    const Tensor held = judge::field<Tensor>(contents(student, running), name);
    expect_shape(part, held.shape(), {scores.size(0), scores.size(1), scores.size(2), 1});
    return held.select(3, 0);
}

Array totals_of(const Tensor& scores, const Tensor& largest) {
    Array sums = exact(Tensor::zeros(largest.shape()));
    const Array all = exact(scores), tops = exact(largest);
    const auto S = static_cast<std::size_t>(scores.size(3));
    for (std::size_t i = 0; i < all.value.size(); ++i) sums.value[i / S] += std::exp(all.value[i] - tops.value[i / S]);
    for (std::size_t i = 0; i < sums.value.size(); ++i)
        sums.error[i] = static_cast<double>(2 * S + 40) * reference::unit_roundoff * sums.value[i];
    return sums;
}

}  // namespace

void expect_largest(Student& student, wire::Handle running, const Tensor& scores) {
    expect_close(student, largest_axes, one_a_row(student, running, largest_axes, "largest", scores),
                 exact(max(scores, -1)));
}

void expect_total(Student& student, wire::Handle running, const Tensor& scores) {
    expect_close(student, total_axes, one_a_row(student, running, total_axes, "total", scores),
                 totals_of(scores, max(scores, -1)));
}

void expect_total_where_largest_is_right(Student& student, wire::Handle running, const Tensor& scores) {
    const Tensor held = judge::field<Tensor>(contents(student, running), "largest");
    if (!difference(kept_largest_axes, held, exact(max(scores, -1, KeepAxis::yes))))
        expect_total(student, running, scores);
}

void expect_nothing_seen(Student& student, wire::Handle running, const Shape& queries, Index d_v,
                         const std::string& when) {
    const wire::Record record = contents(student, running);
    const auto holds = [&](const char* name, float number, Index width) {
        const Tensor held = judge::field<Tensor>(record, name);
        expect_shape({name, Stage::softmax, {}}, held.shape(), {queries[0], queries[1], queries[2], width});
        for (const double one : exact(held).value)
            expect(one == number, Stage::softmax,
                   std::string("your ") + name + " holds " + fmt::format("{:.6g}", one) + " " + when +
                       "; it should hold " + (number == 0 ? "0" : "-infinity"));
    };
    holds("largest", -infinity, 1);
    holds("total", 0, 1);
    holds("gathered", 0, d_v);
}

void expect_context_row_by_row(Student& student, Random& random, const Sizes& n) {
    const Shape rows{n.B, n.H, n.T, 1};
    const Tensor largest = random_tensor(random, rows);
    const Tensor total = exp(random_tensor(random, rows)) + 1.0F;
    const Tensor gathered = random_tensor(random, {n.B, n.H, n.T, n.d_v});
    // Of the context of a state in which some rows saw keys.
    const auto what_is_wrong_where = [&](const Tensor& saw_keys) {  // 1, or 0
        const Tensor sums = total * saw_keys, values = gathered * saw_keys;
        Tensor tops = largest.clone();
        for (Index i = 0; i < tops.numel(); ++i)
            if (saw_keys.data()[i] == 0) tops.data()[i] = -infinity;
        Array expected = exact(values);
        const auto width = static_cast<std::size_t>(n.d_v);
        for (std::size_t i = 0; i < expected.value.size(); ++i) {
            if (const float sum = sums.data()[i / width]; sum != 0) expected.value[i] /= static_cast<double>(sum);
            expected.error[i] = 4 * reference::unit_roundoff * std::abs(expected.value[i]);
        }
        const wire::Handle running =
            student.keep("running", {{"largest", tops}, {"total", sums}, {"gathered", values}});
        return what_is_wrong(student, {"context vectors", Stage::softmax, {"b", "h", "query", "feature"}},
                             student.tensor("context", {{"running", running}}), expected);
    };
    const Tensor all = Tensor::ones(rows);
    Tensor all_but_first = all.clone(), first_alone = Tensor::zeros(rows);
    all_but_first(0, 0, 0, 0) = 0;
    first_alone(0, 0, 0, 0) = 1;
    for (const Tensor& saw_keys : {all_but_first, first_alone}) {
        const auto failure = what_is_wrong_where(saw_keys);
        if (failure && !student.outside_story([&] { return what_is_wrong_where(all); })) fail(*failure);
    }
}

namespace {

/// What context returned of a state that has one key, whose total is 1, stays when the state takes in another.
void expect_context_kept(Student& student, Random& random, const Shape& queries, Index d_v) {
    const auto one_key = [&] {
        return Arguments{{"scores", random_tensor(random, {queries[0], queries[1], queries[2], 1})},
                         {"v", random_tensor(random, {queries[0], queries[1], 1, d_v})}};
    };
    const Arguments first = one_key();
    const auto kept = [&](const Arguments& more) -> std::optional<Array> {
        const wire::Handle running = nothing_seen(student, queries, d_v);
        Arguments arguments = first;
        arguments.insert(arguments.begin(), {"running", running});
        if (student.outcome("absorb", arguments).error) return std::nullopt;
        arguments.erase(arguments.begin() + 1, arguments.end());
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome context = student.outcome(more.empty() ? "context" : "context_before", arguments);
        const auto* tensor = std::get_if<Tensor>(&context.value);
        return tensor == nullptr || !tensor->defined() ? std::nullopt : std::optional(exact(*tensor));
    };
    const auto before = student.outside_story([&] { return kept(one_key()); });
    const auto alone = kept({});  // asked last: it is context that is wrong
    if (alone && before)
        expect(may_repeat(*alone, *before), Stage::state,
               "what your context returned changes when absorb takes in another key: do the two share a Tensor?");
}

/// What became of a field, "running.total where a row has seen no key (0 becomes 1)"; nothing if it is as it was.
std::optional<std::string> change_of(const std::string& name, const wire::Record& before, const wire::Record& after) {
    const auto numbers = [](const wire::Record& state, const std::string& field) {
        return exact(judge::field<Tensor>(state, field)).value;
    };
    const std::vector<double> was = numbers(before, name), is = numbers(after, name), total = numbers(before, "total");
    if (same_bits(was, is)) return std::nullopt;
    const std::size_t width = std::max<std::size_t>(was.size() / std::max<std::size_t>(total.size(), 1), 1);
    std::string first;
    bool in_empty_rows_alone = true;
    for (std::size_t i = 0; i < std::min(was.size(), is.size()); ++i) {
        if (same_bits({was[i]}, {is[i]})) continue;
        if (first.empty()) first = fmt::format(" ({:.3g} becomes {:.3g})", was[i], is[i]);
        in_empty_rows_alone &= i / width < total.size() && total[i / width] == 0;
    }
    return "running." + name + (in_empty_rows_alone && !first.empty() ? " where a row has seen no key" : "") + first;
}

/// Expects that context leaves a state as it is. What it answers is another test's business.
void expect_context_changes_nothing(Student& student, wire::Handle running) {
    const wire::Record before = contents(student, running);
    student.outcome("context", {{"running", running}});
    const wire::Record after = contents(student, running);
    std::vector<std::string> changes;
    for (const char* name : {"largest", "total", "gathered"})
        if (auto change = change_of(name, before, after)) changes.push_back(std::move(*change));
    expect(changes.empty(), Stage::state,
           fmt::format("your context changes {}: a copied Tensor shares its storage, x.clone() does not",
                       fmt::join(changes, " and ")));
}

/// The same, of states in which all rows saw keys, none did, all keys were blocked, and some rows alone saw keys.
void expect_context_to_change_no_state(Student& student, Random& random, const Sizes& n, wire::Handle running) {
    expect_context_changes_nothing(student, running);
    const wire::Handle fresh = nothing_seen(student, {n.B, n.H, n.T}, n.d_v);
    expect_context_changes_nothing(student, fresh);
    const Arguments blocked{{"running", fresh},
                            {"scores", Tensor::full({n.B, n.H, n.T, n.S}, -infinity)},
                            {"v", random_tensor(random, {n.B, n.H, n.S, n.d_v})}};
    if (!student.outcome("absorb", blocked).error) expect_context_changes_nothing(student, fresh);
    Tensor largest = random_tensor(random, {n.B, n.H, n.T, 1});
    Tensor total = exp(random_tensor(random, {n.B, n.H, n.T, 1})) + 1.0F;
    Tensor gathered = random_tensor(random, {n.B, n.H, n.T, n.d_v});
    largest.select(2, 0).fill(-infinity);
    total.select(2, 0).fill(0);
    gathered.select(2, 0).fill(0);
    expect_context_changes_nothing(
        student, student.keep("running", {{"largest", largest}, {"total", total}, {"gathered", gathered}}));
}

}  // namespace

void expect_states_apart(Student& student, Random& random, const Sizes& n) {
    const Shape queries{n.B, n.H, n.T};
    const wire::Handle other = nothing_seen(student, queries, n.d_v);
    const wire::Handle running = nothing_seen(student, queries, n.d_v);
    const std::vector<double> before = numbers_in(student, other);
    const Tensor scores = random_tensor(random, {n.B, n.H, n.T, n.S});
    const Tensor v = random_tensor(random, {n.B, n.H, n.S, n.d_v});
    expect_unchanged(student, {"absorb", {{"running", running}, {"scores", scores}, {"v", v}}});
    expect_unchanged(student, {"absorb", {{"running", running}, {"scores", strided(scores)}, {"v", strided(v)}}});
    expect(numbers_in(student, other) == before, Stage::state,
           "what your nothing_seen returned changes when another state absorbs keys: do the two share a Tensor?");
    expect_context_kept(student, random, queries, n.d_v);
    expect_context_to_change_no_state(student, random, n, running);
    const Tensor first = student.tensor("context", {{"running", running}});
    student.tensor("context", {{"running", other}});
    const Tensor second = student.tensor("context", {{"running", running}});
    expect(may_repeat(exact(first), exact(second)), Stage::state,
           "your context answers the same question differently the second time: does it change what it is given?");
}

}  // namespace headway::judge::tiled
