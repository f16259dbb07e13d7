// What diagnosis knows of exercise 10.        B batch · H heads · T queries · S keys · d head_dim · d_v value width
#include "suites/10_tiled_attention/inputs.hpp"
#include "suites/10_tiled_attention/own_parts.hpp"
#include "suites/10_tiled_attention/tiling.hpp"

#include "diagnosis/attention.hpp"
#include "diagnosis/elements.hpp"
#include "diagnosis/small_sizes.hpp"
#include "diagnosis/subject.hpp"
#include "reference/attention.hpp"
#include "student/expect.hpp"
#include "student/record_field.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>

namespace headway::diagnosis {
namespace {

using judge::Arguments;
using judge::random_mask;
using judge::random_tensor;

constexpr float infinity = std::numeric_limits<float>::infinity();

// ---- the running softmax ---------------------------------------------------------------------------------------

/// The numbers of a tensor that is handed over `tile` positions of an axis at a time, each part read by itself.
Array read_in_tiles(const Reading& reading, const Tensor& whole, Argument argument, Index axis, Index tile) {
    Tensor all = whole.clone().contiguous();
    for (Index begin = 0; begin < whole.size(axis); begin += tile) {
        const Index end = std::min(begin + tile, whole.size(axis));
        const Array part = reading.tensor(whole.slice(axis, begin, end), argument);
        all.slice(axis, begin, end).copy_from(reference::to_tensor(part));
    }
    return reference::exact(all);
}

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
            Array numbers = read_in_tiles(c.reading, scores, Argument::other, 3, tile);
            const Blocked blocked = taken_out(numbers);
            Tiling choices = c.of<Tiling>();
            // The division in the end is not absorb's, and what is blocked comes as -infinity.
            choices.divided = true;
            choices.empty_total_is_nan = false;
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
AnswerAndChanges ask_absorb(judge::Student& student, const Arguments& arguments) {
    const Tensor scores = tensor(arguments, "scores"), v = tensor(arguments, "v");
    const Index tile = integer(arguments, "tile");
    const auto made = student.outcome("nothing_seen", {{"B", scores.size(0)},
                                                       {"H", scores.size(1)},
                                                       {"T", argument(arguments, "T")},
                                                       {"d_v", argument(arguments, "d_v")}});
    if (made.error) return answer_of(made);
    std::vector<std::string> changed;
    for (Index s = 0; s < scores.size(3); s += tile) {
        const auto part = [&](const Tensor& whole, Index axis) {
            return whole.slice(axis, s, s + tile < scores.size(3) ? s + tile : whole.size(axis));
        };
        const auto absorbed =
            student.outcome("absorb", {{"running", made.value}, {"scores", part(scores, 3)}, {"v", part(v, 2)}});
        if (absorbed.error) return {answer_of(absorbed), absorbed.changed_arguments};
        changed = absorbed.changed_arguments;
    }
    const wire::Record held = student.record("contents", {{"running", made.value}});
    const auto& total = judge::field<Tensor>(held, "total");
    const auto& gathered = judge::field<Tensor>(held, "gathered");
    if (!total.defined() || !gathered.defined() || total.numel() * gathered.size(-1) != gathered.numel())
        return Answer{.parts = {{"total and gathered do not fit", {}}}};
    return {Answer::of(mean_of(total, gathered)), changed};
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
    ask(masked_fill(some() - 2e4F, blocked, -infinity), 2);
    for (const float depth : {300.0F, 2e4F}) {
        Tensor low = some();
        low.select(2, 0) -= depth;
        ask(low, 2);
    }
    Tensor large = some();
    large.select(2, 0) *= 1e4F;
    large.select(2, 1) += 1e4F;
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

Predict context(const Arguments& arguments) {
    const Tensor total = tensor(arguments, "total"), gathered = tensor(arguments, "gathered");
    return [=](const Choices& c) {
        Array mean = mean_of(total, gathered);
        const Array sums = reference::exact(total), numbers = reference::exact(gathered);
        const auto width = static_cast<std::size_t>(gathered.size(-1));
        for (std::size_t i = 0; i < mean.value.size(); ++i) {
            if (sums.value[i / width] == 0) {
                if (c.of<Tiling>().empty_total_is_nan) mean.value[i] = std::nan("");
            } else if (!c.of<Tiling>().divided) {
                mean.value[i] = numbers.value[i];
            }
            mean.error[i] = 4 * reference::unit_roundoff * std::abs(mean.value[i]);
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
    for (const bool empty : {false, true}) {
        Tensor largest = random_tensor(random, {n.B, n.H, n.T, 1});
        Tensor total = exp(random_tensor(random, {n.B, n.H, n.T, 1})) + 1.0F;
        Tensor gathered = random_tensor(random, {n.B, n.H, n.T, n.d_v});
        if (empty) {
            largest.select(2, 1).fill(-infinity);
            total.select(2, 1).fill(0);
            gathered.select(2, 1).fill(0);
        } else {
            total.select(2, 0).fill(1);  // one key has all the weight
        }
        questions.push_back({{"largest", largest}, {"total", total}, {"gathered", gathered}});
    }
    return questions;
}

// ---- attention -------------------------------------------------------------------------------------------------

bool broadcasts(const Mask& mask, const Shape& shape) {
    try {
        return !mask.defined() || mask.expand(shape).shape() == shape;
    } catch (const std::exception&) {
        return false;
    }
}

Predict tiled_attention(const Arguments& arguments) {
    Given given;
    given.input = {tensor(arguments, "q"), tensor(arguments, "k"), tensor(arguments, "v")};
    given.tile = integer(arguments, "tile");
    const Mask mask = diagnosis::mask(arguments, "mask");
    const bool causal = std::get<bool>(argument(arguments, "causal"));
    const Shape q = given.input[0].shape(), k = given.input[1].shape(), v = given.input[2].shape();
    if (q.size() != 4 || k.size() != 4 || v.size() != 4 || v[0] != k[0] || v[1] != k[1]) return nullptr;
    const Shape shape{q[0], q[1], q[2], k[2]};
    constexpr Index most_scores = 50'000;  // more take a search too long
    if (Layout::contiguous(shape).numel() > most_scores) return nullptr;
    const Index tile = given.tile;
    const double root = std::sqrt(static_cast<double>(q[3]));
    const bool masks_fit = broadcasts(mask, shape);
    auto model = std::make_shared<Attention>(std::move(given));
    return [=](const Choices& c) {
        if (tile < 1) return refusal(c.checking, &Checking::tile);
        return checked(q[3] == k[3], c.checking, &Checking::widths, [&] {
            return checked(q[0] == k[0] && q[1] == k[1], c.checking, &Checking::batches, [&] {
                return checked(k[2] == v[2], c.checking, &Checking::lengths, [&] {
                    return checked(masks_fit, c.checking, &Checking::masks, [&] {
                        return Answer::of(tiled_context(model->scores(c), c.masking.read(mask, shape),
                                                        model->heads(2, c),
                                                        {tile, tile, causal, c.masking.future, root}, c.of<Tiling>()));
                    });
                });
            });
        });
    };
}

Questions attention_questions(Random& random) {
    const SmallSizes small = small_sizes(random);
    const judge::Sizes n{small.B, small.H, small.T, small.S, small.d, small.d_v};
    judge::Sizes tall = n;
    std::swap(tall.T, tall.S);
    Questions questions;
    const auto ask = [&](const judge::Sizes& sizes, const Mask& mask, bool causal, Index tile,
                         const char* name = "") -> Arguments& {
        questions.add(judge::tiled::Inputs(random, sizes).with(mask, causal, tile), name);
        return questions.last();
    };
    ask(n, Mask{}, false, n.T + n.S, "tiles");
    ask(n, Mask{}, false, 2, "tiles");
    ask(n, Mask{}, false, 3);
    ask(n, Mask{}, false, 1, "tiles");
    ask(tall, Mask{}, false, 2);
    ask(tall, Mask{}, false, 4);
    ask(n, Mask{}, false, n.S - 1);  // divides neither
    ask(tall, Mask{}, false, tall.T - 1);
    ask(n, Mask{}, true, n.T + n.S);
    ask(n, Mask{}, true, 2);
    ask(n, Mask{}, true, 3);
    ask(tall, Mask{}, true, 2);
    ask(tall, Mask{}, true, 3);
    ask(n, random_mask(random, {n.T, n.S}), false, 2);
    ask(n, random_mask(random, {n.B, n.H, n.T, n.S}), false, 3);
    ask(n, random_mask(random, {n.H, 1, n.S}), true, 2);
    const Mask keys_first = random_mask(random, {n.B, n.H, n.S, n.T});
    ask(n, keys_first.as_strided({n.B, n.H, n.T, n.S}, {n.H * n.S * n.T, n.S * n.T, 1, n.T}, 0), false, 2);
    Shape lengths(static_cast<std::size_t>(n.B));
    for (Index& length : lengths) length = random.integer(1, n.S);
    lengths.front() = 0;
    ask(n, reference::padding_mask(lengths, n.S), false, 2);
    Mask some_rows = Mask::allow_all({n.T, n.S});
    for (Index s = 0; s < n.S; ++s) some_rows(1, s) = true;
    ask(n, some_rows, false, 3);
    for (Index i = 0; i < 2; ++i) {
        Arguments& dense = ask(n, Mask{}, i == 1, 3);
        for (std::size_t which = 0; which < 3; ++which)
            dense[which].value = std::get<Tensor>(dense[which].value).contiguous();
    }
    // What the future holds must not be looked at: 0 times NaN is NaN.
    judge::Sizes lengthy = n;
    lengthy.T = 11;
    lengthy.S = 13;
    Arguments& late = ask(lengthy, Mask{}, true, 3);
    std::get<Tensor>(late[2].value).select(2, lengthy.S - 1).select(2, 0).fill(std::nanf(""));
    Arguments& sharp = ask(n, Mask{}, false, 2, "large scores");
    sharp[0].value = std::get<Tensor>(sharp[0].value) * 60.0F;
    for (const Index tile : {5, 6}) ask(lengthy, Mask{}, false, tile);  // a narrow edge behind several tiles
    const auto changed = [&](std::size_t which, wire::Value value) {
        ask(n, Mask{}, false, 3)[which].value = std::move(value);
    };
    changed(5, Index{0});
    changed(1, random_tensor(random, {n.B, n.H, n.S, n.d + 1}));
    changed(1, random_tensor(random, {n.B, n.H, n.S + 1, n.d}));
    changed(3, Mask::allow_all({n.T, n.S + 1}));
    return questions;
}

std::optional<Answer> from_own_parts(judge::Student& student, const Arguments& arguments) {
    const auto context = judge::tiled::from_own_parts(student, arguments);
    return context ? std::optional(Answer::of(*context)) : std::nullopt;
}

const SubjectRegistration registration(
    "10_tiled_attention",
    {{{.name = "absorb", .model = &absorb, .questions = &absorb_questions, .ask = &ask_absorb, .stage = "softmax"},
      {.name = "context", .model = &context, .questions = &context_questions, .ask = &ask_context, .stage = "softmax"},
      {.name = "tiled_attention",
       .model = &tiled_attention,
       .questions = &attention_questions,
       .given_own = &from_own_parts,
       .stage = "weigh",
       .stages = {{"weigh", "tiles"}, {"softmax", "large scores"}},
       .invariants = {permuted_tokens({"k", "v"}, Follows::not_at_all,
                                      "the output changes when keys change places together with their values")}}}});

}  // namespace
}  // namespace headway::diagnosis
