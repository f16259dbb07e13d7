// What diagnosis asks about a running state.    B batch · H heads · T queries · S keys · d_v value width
#include "suites/10_tiled_attention/state_questions.hpp"

#include "suites/10_tiled_attention/tiling.hpp"

#include "diagnosis/catalogue.hpp"
#include "diagnosis/elements.hpp"
#include "diagnosis/small_sizes.hpp"
#include "diagnosis/softmax.hpp"
#include "student/expect.hpp"
#include "student/inputs.hpp"
#include "student/record_field.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace headway::diagnosis {
namespace {

using judge::Arguments;
using judge::random_mask;
using judge::random_tensor;

constexpr float infinity = std::numeric_limits<float>::infinity();

// ---- the state before the first key ----------------------------------------------------------------------------

/// What kind of number the largest score of nothing is: how low a start is shows in what absorb makes of it alone, and
/// below the lowest there is no score.
enum class Start { minus_infinity, lowest, zero, below_zero, something_else };

Start start_of(double largest) {
    if (largest == -std::numeric_limits<double>::infinity()) return Start::minus_infinity;
    if (largest == static_cast<double>(std::numeric_limits<float>::lowest())) return Start::lowest;
    if (largest >= 0 && largest <= std::numeric_limits<float>::min()) return Start::zero;
    return largest < 0 ? Start::below_zero : Start::something_else;
}

Array filled(const Shape& shape, double number) {
    return mapped(zeros(shape), [=](double) { return number; });
}

constexpr const char* looked_into = "looked into";  ///< a question's own: calls of hidden tests give a handle

Predict nothing_seen(const Arguments& arguments) {
    static_cast<void>(argument(arguments, looked_into));
    const Shape values{integer(arguments, "B"), integer(arguments, "H"), integer(arguments, "T"),
                       integer(arguments, "d_v")};
    Shape rows = values;
    rows.back() = 1;
    const bool is_large = *std::ranges::min_element(values) >= 1;
    return [=](const Choices& c) {
        // Whatever else is wrong, what has no size is not expected of anybody.
        if (!is_large) return refusal(c.checking, &Checking::sizes);
        const auto largest = static_cast<double>(start_of(c.of<Tiling>().start));
        return Answer{
            .parts = {{"largest", filled(rows, largest)}, {"total", filled(rows, 0)}, {"gathered", filled(values, 0)}}};
    };
}

AnswerAndChanges ask_nothing_seen(judge::Student& student, const Arguments& arguments) {
    Arguments sizes = arguments;
    std::erase_if(sizes, [](const wire::Field& field) { return field.name == looked_into; });
    const auto made = student.outcome("nothing_seen", sizes);
    if (made.error) return answer_of(made);
    Answer held = answer_of(student.record("contents", {{"running", made.value}}));
    for (auto& [name, array] : held.parts)
        if (name == "largest") array = mapped(array, [](double x) { return static_cast<double>(start_of(x)); });
    return {held, {}};
}

std::vector<Arguments> nothing_seen_questions(Random& random) {
    const SmallSizes n = small_sizes(random);
    std::vector<Arguments> questions;
    const auto ask = [&](Index B, Index H, Index T, Index d_v) {
        questions.push_back({{"B", B}, {"H", H}, {"T", T}, {"d_v", d_v}, {looked_into, true}});
    };
    ask(n.B, n.H, n.T, n.d_v);
    ask(1, n.H, n.T, n.d_v);
    ask(n.B, n.S, 1, 1);
    // Each size once below 1, beside sizes that are now larger and now smaller than the others.
    for (std::size_t which = 0; which < 4; ++which)
        for (Index turn = 0; turn < 3; ++turn) {
            std::array<Index, 4> sizes{};
            for (std::size_t other = 1; other < 4; ++other)
                sizes[(which + other) % 4] = 1 + (static_cast<Index>(other) + turn) % 3;
            ask(sizes[0], sizes[1], sizes[2], sizes[3]);
        }
    return questions;
}

// ---- what absorb makes of it -----------------------------------------------------------------------------------

/// Where scores are -infinity, which become 0.
Blocked taken_out(Array& scores) {
    Blocked blocked(scores.value.size());
    for (std::size_t i = 0; i < blocked.size(); ++i) {
        blocked[i] = scores.value[i] == -std::numeric_limits<double>::infinity();
        if (blocked[i]) scores.value[i] = 0;
    }
    return blocked;
}

/// gathered / total of what was absorbed in tiles of `tile` keys.
Predict absorb(const Arguments& arguments) {
    const Tensor scores = tensor(arguments, "scores"), v = tensor(arguments, "v");
    const Index tile = integer(arguments, "tile");
    const bool state_fits = scores.size(2) == integer(arguments, "T") && v.size(3) == integer(arguments, "d_v");
    const bool lengths_fit = scores.size(3) == v.size(2);
    return [=](const Choices& c) {
        return checked(lengths_fit, c.checking, &Checking::lengths, [&] {
            if (!state_fits) return refusal(c.checking, &Checking::score_rows);
            Choices of_scores = c;
            if (c.of<Tiling>().scores_in_memory_order) mistake("strides_ignored").make(of_scores);
            Array numbers = read_in_tiles(of_scores.reading, scores, Argument::other, 3, tile);
            const Blocked blocked = taken_out(numbers);
            Tiling choices = c.of<Tiling>();
            // The division in the end is not absorb's, and what is blocked comes as -infinity.
            choices.divided = true;
            choices.empty_total_is_nan = false;
            choices.total_at_least = 0;
            choices.blocked_score = Tiling{}.blocked_score;
            const Array values = read_in_tiles(c.reading, v, Argument::value, 2, tile);
            return Answer::of(tiled_context(numbers, blocked, values, {0, tile}, choices));
        });
    };
}

/// gathered / total, 0 where there is none.
Array mean_of(const Tensor& total, const Tensor& gathered) {
    const Array sums = reference::exact(total);
    Array mean = reference::exact(gathered);
    const auto width = static_cast<std::size_t>(gathered.size(-1));
    for (std::size_t i = 0; i < mean.value.size(); ++i) {
        const double sum = sums.value.at(i / width);
        mean.value[i] = sum == 0 ? 0 : mean.value[i] / sum;
    }
    return mean;
}

/// Hands all over, tile by tile, and looks into what was summed.
AnswerAndChanges absorbed_by(judge::Student& student, wire::Handle running, const Arguments& arguments) {
    const Tensor scores = tensor(arguments, "scores"), v = tensor(arguments, "v");
    const Index tile = integer(arguments, "tile");
    std::vector<std::string> changed;
    for (Index s = 0; s < scores.size(3); s += tile) {
        const auto part = [&](const Tensor& whole, Index axis) {
            return whole.slice(axis, s, s + tile < scores.size(3) ? s + tile : whole.size(axis));
        };
        const auto absorbed =
            student.outcome("absorb", {{"running", running}, {"scores", part(scores, 3)}, {"v", part(v, 2)}});
        if (absorbed.error) return {answer_of(absorbed), absorbed.changed_arguments};
        changed = absorbed.changed_arguments;
    }
    const wire::Record held = student.record("contents", {{"running", running}});
    const auto& total = judge::field<Tensor>(held, "total");
    const auto& gathered = judge::field<Tensor>(held, "gathered");
    if (!total.defined() || !gathered.defined() || gathered.rank() == 0 ||
        total.numel() * gathered.size(-1) != gathered.numel())
        return Answer{.parts = {{"total and gathered do not fit", {}}}};
    return {Answer::of(mean_of(total, gathered)), changed};
}

/// absorb knows neither of the other tiles nor how wide they are.
Arguments first_call_of_absorb(const Arguments& arguments) {
    const Tensor scores = tensor(arguments, "scores");
    const Index tile = std::min(integer(arguments, "tile"), scores.size(3));
    const Tensor v = tensor(arguments, "v").slice(2, 0, tile);
    return {{"scores", scores.slice(3, 0, tile)}, {"v", v}, {several_calls, tile < scores.size(3)}};
}

/// What absorb makes of a state that has seen nothing, as it should be: what the student's nothing_seen makes is not
/// its business. Nor is a state wrong that both agree on.
AnswerAndChanges ask_absorb(judge::Student& student, const Arguments& arguments) {
    const Tensor scores = tensor(arguments, "scores");
    const Index B = scores.size(0), H = scores.size(1), T = integer(arguments, "T"), d_v = integer(arguments, "d_v");
    const Shape rows{B, H, T, 1};
    AnswerAndChanges due = absorbed_by(student,
                                       student.keep("running", {{"largest", Tensor::full(rows, -infinity)},
                                                                {"total", Tensor::zeros(rows)},
                                                                {"gathered", Tensor::zeros({B, H, T, d_v})}}),
                                       arguments);
    const Answer expected = absorb(arguments)(right());
    if (fit(expected, due.answer)) return due;
    const auto made = student.outcome("nothing_seen", {{"B", B}, {"H", H}, {"T", T}, {"d_v", d_v}});
    const auto* running = std::get_if<wire::Handle>(&made.value);
    if (made.error || running == nullptr) return due;
    AnswerAndChanges own = absorbed_by(student, *running, arguments);
    return fit(expected, own.answer) ? own : due;
}

std::vector<Arguments> absorb_questions(Random& random) {
    const SmallSizes n = small_sizes(random);
    const Shape shape{n.B, n.H, n.T, n.S};
    std::vector<Arguments> questions;
    const auto ask = [&](const Tensor& scores, Index tile) {
        questions.push_back({{"scores", scores},
                             {"v", random_tensor(random, {n.B, n.S, n.H, n.d_v}).transpose(1, 2)},
                             {"tile", tile},
                             {"T", n.T},
                             {"d_v", n.d_v}});
    };
    const auto some = [&] { return random_tensor(random, shape) * 2.0F; };
    const Tensor ramp = Tensor::arange(n.S) * 0.5F;
    ask(some(), n.S);
    ask(some() - ramp, 2);
    ask(some() + ramp, 2);
    ask(some() + ramp, 1);
    ask(some(), n.S - 1);
    ask(some(), 3);
    ask(random_tensor(random, {n.B, n.T, n.H, n.S}).transpose(1, 2) * 2.0F, 3);
    Mask blocked = random_mask(random, shape);
    for (Index s = 0; s < n.S; ++s) {
        blocked(0, 0, 0, s) = true;
        blocked(0, 0, 1, s) = s < n.S - 1;
        blocked(0, 0, 2, s) = s > 0;
    }
    for (const Index tile : {Index{2}, n.S}) ask(masked_fill(some(), blocked, -infinity), tile);
    // The first query of each head sees less than others, or more.
    for (const bool first : {false, true}) {
        Mask first_keys = Mask::allow_all({n.T, n.S});
        for (Index t = first ? 0 : 1; t < (first ? 1 : n.T); ++t)
            for (Index s = 0; s < n.S - 1; ++s) first_keys(t, s) = true;
        ask(masked_fill(some(), first_keys, -infinity), 2);
    }
    ask(masked_fill(some() - 2e4F, blocked, -infinity), 2);
    for (const float depth : {300.0F, 2e4F}) {
        Tensor low = some();
        low.select(2, 0) -= depth;
        ask(low, 2);
    }
    Tensor large = some();
    large.select(2, 0) *= 1e4F;
    large.select(2, 1) += 1e4F;
    large(0, 0, 0, n.S - 1) = 6e4F;
    large(0, 0, 1, 0) = 6e4F;
    ask(large, 2);
    const auto changed = [&](std::size_t which, wire::Value value) {
        ask(some(), n.S + 1);
        questions.back()[which].value = std::move(value);
    };
    changed(0, random_tensor(random, {n.B, n.H, n.T + 1, n.S}));
    changed(1, random_tensor(random, {n.B, n.H, n.S + 1, n.d_v}));
    changed(1, random_tensor(random, {n.B, n.H, n.S, n.d_v + 1}));
    return questions;
}

// ---- its end ---------------------------------------------------------------------------------------------------

constexpr double lowest_of_scores = -1e6;  ///< of those that most programs meet

Predict context(const Arguments& arguments) {
    const Tensor totals = tensor(arguments, "total"), gathered = tensor(arguments, "gathered");
    const Array tops = reference::exact(tensor(arguments, "largest"));
    return [=](const Choices& c) {
        const int axis = c.of<Tiling>().total_of_first;
        const Tensor total = axis < 0 ? totals : totals.slice(axis, 0, 1).expand(totals.shape()).clone();
        Array mean = mean_of(total, gathered);
        const Array sums = reference::exact(total), own = reference::exact(totals),
                    numbers = reference::exact(gathered);
        const bool some_row_is_empty = std::ranges::count(own.value, 0.0) > 0;
        if ((c.of<Tiling>().first_row_tells_in_the_end && own.value.front() == 0) ||
            (c.of<Tiling>().any_empty_row_tells_in_the_end && some_row_is_empty))
            return Answer::of(zeros(gathered.shape()));
        const auto width = static_cast<std::size_t>(gathered.size(-1));
        for (std::size_t i = 0; i < mean.value.size(); ++i) {
            if (c.of<Tiling>().low_rows_are_empty && tops.value[i / width] < lowest_of_scores) {
                mean.value[i] = 0;
            } else if (sums.value[i / width] == 0) {
                if (c.of<Tiling>().empty_total_is_nan || c.of<Tiling>().first_row_tells_in_the_end)
                    mean.value[i] = std::nan("");
            } else if (!c.of<Tiling>().divided) {
                mean.value[i] = numbers.value[i];
            } else if (sums.value[i / width] < c.of<Tiling>().total_at_least) {
                mean.value[i] = numbers.value[i] / c.of<Tiling>().total_at_least;
            }
            mean.error[i] = 4 * reference::unit_roundoff * std::abs(mean.value[i]);
            // Divided by the 0 of another row: infinity, or whatever takes the place of that 0.
            if (sums.value[i / width] == 0 && own.value[i / width] != 0) mean.error[i] = anything;
        }
        return Answer::of(std::move(mean));
    };
}

AnswerAndChanges ask_context(judge::Student& student, const Arguments& arguments) {
    const wire::Handle running = student.keep("running", arguments);
    const auto outcome = student.outcome("context", {{"running", running}});
    return {answer_of(outcome), outcome.changed_arguments};
}

std::vector<Arguments> context_questions(Random& random) {
    const SmallSizes n = small_sizes(random);
    std::vector<Arguments> questions;
    enum class Empty { none, second_queries, first_row };
    for (const Empty empty : {Empty::none, Empty::second_queries, Empty::first_row}) {
        Tensor largest = random_tensor(random, {n.B, n.H, n.T, 1});
        Tensor total = exp(random_tensor(random, {n.B, n.H, n.T, 1})) + 1.0F;
        Tensor gathered = random_tensor(random, {n.B, n.H, n.T, n.d_v});
        if (empty == Empty::second_queries) {
            largest.select(2, 1).fill(-infinity);
            total.select(2, 1).fill(0);
            gathered.select(2, 1).fill(0);
        } else if (empty == Empty::first_row) {
            largest(0, 0, 0, 0) = -infinity;
            total(0, 0, 0, 0) = 0;
            gathered[0][0][0].fill(0);
        } else {
            total.select(2, 0).fill(1);  // one key has all the weight
            largest.select(2, 2).fill(-1e10F);
        }
        questions.push_back({{"largest", largest}, {"total", total}, {"gathered", gathered}});
    }
    return questions;
}

}  // namespace
}  // namespace headway::diagnosis

namespace headway::judge::tiled {

using diagnosis::Function;

Function nothing_seen_in_diagnosis() {
    return {.name = "nothing_seen",
            .model = &diagnosis::nothing_seen,
            .questions = &diagnosis::nothing_seen_questions,
            .ask = &diagnosis::ask_nothing_seen,
            .stage = Stage::softmax};
}

Function absorb_in_diagnosis() {
    return {.name = "absorb",
            .model = &diagnosis::absorb,
            .questions = &diagnosis::absorb_questions,
            .ask = &diagnosis::ask_absorb,
            .call = &diagnosis::first_call_of_absorb,
            .stage = Stage::softmax};
}

Function context_in_diagnosis() {
    return {.name = "context",
            .model = &diagnosis::context,
            .questions = &diagnosis::context_questions,
            .ask = &diagnosis::ask_context,
            .stage = Stage::softmax};
}

}  // namespace headway::judge::tiled
