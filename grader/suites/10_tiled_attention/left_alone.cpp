#include "suites/10_tiled_attention/left_alone.hpp"

#include "suites/10_tiled_attention/running.hpp"

#include "student/answer_numbers.hpp"
#include "student/behaviour.hpp"
#include "student/expect.hpp"
#include "student/layouts.hpp"
#include "student/record_field.hpp"
#include "student/repeated.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headway::judge::tiled {

using reference::Array;
using reference::exact;

namespace {

constexpr float nothing = -std::numeric_limits<float>::infinity();  ///< the largest score of no key

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

/// What became of a field, "running.total in rows whose total is 0 (0 becomes 1)"; nothing if it is as it was.
std::optional<std::string> change_of(const std::string& name, const wire::Record& before, const wire::Record& after) {
    const auto numbers = [](const wire::Record& state, const std::string& field) {
        return exact(judge::field<Tensor>(state, field)).value;
    };
    const std::vector<double> was = numbers(before, name), is = numbers(after, name), total = numbers(before, "total");
    if (same_bits(was, is)) return std::nullopt;
    const std::size_t width = std::max<std::size_t>(was.size() / std::max<std::size_t>(total.size(), 1), 1);
    std::string first;
    bool of_total_0_alone = true;
    for (std::size_t i = 0; i < std::min(was.size(), is.size()); ++i) {
        if (same_bits({was[i]}, {is[i]})) continue;
        if (first.empty()) first = fmt::format(" ({:.3g} becomes {:.3g})", was[i], is[i]);
        of_total_0_alone &= i / width < total.size() && total[i / width] == 0;
    }
    return "running." + name + (of_total_0_alone && !first.empty() ? " in rows whose total is 0" : "") + first;
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
                            {"scores", Tensor::full({n.B, n.H, n.T, n.S}, nothing)},
                            {"v", random_tensor(random, {n.B, n.H, n.S, n.d_v})}};
    if (!student.outcome("absorb", blocked).error) expect_context_changes_nothing(student, fresh);
    Tensor largest = random_tensor(random, {n.B, n.H, n.T, 1});
    Tensor total = exp(random_tensor(random, {n.B, n.H, n.T, 1})) + 1.0F;
    Tensor gathered = random_tensor(random, {n.B, n.H, n.T, n.d_v});
    largest.select(2, 0).fill(nothing);
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
    // First what is changed: who changes that may return it too.
    expect_context_to_change_no_state(student, random, n, running);
    expect_context_kept(student, random, queries, n.d_v);
    const Tensor first = student.tensor("context", {{"running", running}});
    student.tensor("context", {{"running", other}});
    const Tensor second = student.tensor("context", {{"running", running}});
    expect(may_repeat(exact(first), exact(second)), Stage::state,
           "your context answers the same question differently the second time: does it change what it is given?");
}

namespace {

/// What absorb makes of scores and values in a state that has seen nothing, as it should be; nothing if it throws.
std::optional<std::vector<double>> sums_of(Student& student, const Sizes& n, const Arguments& keys) {
    const Shape rows{n.B, n.H, n.T, 1};
    Arguments arguments = keys;
    arguments.insert(arguments.begin(),
                     {"running", student.keep("running", {{"largest", Tensor::full(rows, nothing)},
                                                          {"total", Tensor::zeros(rows)},
                                                          {"gathered", Tensor::zeros({n.B, n.H, n.T, n.d_v})}})});
    if (student.outcome("absorb", arguments).error) return std::nullopt;
    return numbers_in(student, std::get<wire::Handle>(arguments.front().value));
}

}  // namespace

void expect_absorb_to_read_views(Student& student, Random& random, const Sizes& n) {
    const Arguments keys{{"scores", random_tensor(random, {n.B, n.H, n.T, n.S})},
                         {"v", random_tensor(random, {n.B, n.H, n.S, n.d_v})}};
    const auto agree = [](const auto& a, const auto& b) { return b && agree_but_for_rounding(*a, *b); };
    const auto dense = sums_of(student, n, keys);
    if (!dense) return;  // another test's business
    for (std::size_t which = 0; which < keys.size(); ++which)
        for (const auto form : {column_major, sliced, heads_as_split}) {
            Arguments given = keys;
            given[which].value = form(std::get<Tensor>(keys[which].value));
            const auto seen = sums_of(student, n, given);
            if (agree(dense, seen)) continue;
            // What is not the same of the same tensors is not the view's doing.
            if (!student.outside_story([&] { return agree(dense, sums_of(student, n, keys)); })) return;
            expect(false, Stage::none,
                   fmt::format("your absorb answers differently if {} in a view that is not contiguous{}",
                               keys[which].name == "v" ? "v comes" : "scores come",
                               seen ? ": it should depend on the numbers alone, not on how they are laid out in memory"
                                    : ": it throws"));
        }
}

}  // namespace headway::judge::tiled
