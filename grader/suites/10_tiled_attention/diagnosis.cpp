// What diagnosis knows of exercise 10.        B batch · H heads · T queries · S keys · d head_dim · d_v value width
#include "suites/10_tiled_attention/cut.hpp"
#include "suites/10_tiled_attention/inputs.hpp"
#include "suites/10_tiled_attention/own_parts.hpp"
#include "suites/10_tiled_attention/state_questions.hpp"
#include "suites/10_tiled_attention/tiling.hpp"

#include "diagnosis/attention.hpp"
#include "diagnosis/small_sizes.hpp"
#include "diagnosis/subject.hpp"
#include "reference/attention.hpp"
#include "student/expect.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>

namespace headway::diagnosis {
namespace {

using judge::Arguments;
using judge::random_mask;
using judge::random_tensor;

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
    // What does not look at that reads the values that have a key.
    if (v[2] > k[2]) given.input[2] = given.input[2].slice(2, 0, k[2]);
    const Shape shape{q[0], q[1], q[2], k[2]};
    constexpr Index most_scores = 50'000;  // more take a search too long
    if (Layout::contiguous(shape).numel() > most_scores) return nullptr;
    const Index tile = given.tile;
    const double root = std::sqrt(static_cast<double>(q[3]));
    const bool masks_fit = broadcasts(mask, shape);
    auto model = std::make_shared<Attention>(std::move(given));
    return [=](const Choices& c) {
        if (tile < 1) return refusal(c.checking, &Checking::tile);
        if (c.of<Tiling>().fewer_keys_refused && causal && shape[3] < shape[2])
            return Answer::without_value(Answer::Kind::refused);
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
    ask(n, Mask{}, false, n.T + n.S, "there is no mask");
    ask(n, Mask{}, false, 2, "there is no mask");
    ask(n, Mask{}, false, 1000);
    ask(n, Mask{}, false, 3);
    ask(n, Mask{}, false, 1, "there is no mask");
    ask(tall, Mask{}, false, 2);
    ask(tall, Mask{}, false, 4);
    ask(n, Mask{}, false, n.S - 1);  // divides neither
    ask(tall, Mask{}, false, tall.T - 1);
    ask(n, Mask{}, true, n.T + n.S);
    ask(n, Mask{}, true, 2);
    ask(n, Mask{}, true, 3);
    ask(tall, Mask{}, true, 2);
    ask(tall, Mask{}, true, 3);
    for (const Index tile : {Index{2}, Index{3}, tall.T + tall.S})
        ask(tall, random_mask(random, {tall.T, tall.S}), true, tile);
    ask(n, random_mask(random, {n.T, n.S}), false, 2);
    ask(n, random_mask(random, {n.B, n.H, n.T, n.S}), false, 3);
    ask(n, random_mask(random, {n.H, 1, n.S}), true, 2);
    const Mask keys_first = random_mask(random, {n.B, n.H, n.S, n.T});
    ask(n, keys_first.as_strided({n.B, n.H, n.T, n.S}, {n.H * n.S * n.T, n.S * n.T, 1, n.T}, 0), false, 2);
    judge::Sizes as_many_heads = n;
    as_many_heads.H = n.B;  // a mask (H, T, S) could be one of (B, T, S)
    ask(as_many_heads, random_mask(random, {n.B, n.T, n.S}), false, 2);
    const Mask larger = random_mask(random, {n.T + 2, n.S});
    ask(n, larger.as_strided({n.T, n.S}, {n.S, 1}, 2 * n.S), false, 3);  // its last rows
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
    Arguments& sharp = ask(n, Mask{}, false, 2, "scores are large");
    sharp[0].value = std::get<Tensor>(sharp[0].value) * 60.0F;
    const Mask others = judge::tiled::every_other_blocked(n);
    Arguments& raised = ask(n, others, false, 3, "scores are large");
    judge::tiled::raise_blocked(std::get<Tensor>(raised[0].value), std::get<Tensor>(raised[1].value), others);
    // All scores near -300: below a start of 0 as float's exp sees it, and above one of -1000.
    Arguments& low = ask(n, Mask{}, false, 3);
    for (const auto& [which, number] : {std::pair{0, 10.0F}, {1, -30.0F * std::sqrt(static_cast<float>(n.d))}}) {
        Tensor numbers = std::get<Tensor>(low[static_cast<std::size_t>(which)].value).contiguous().clone();
        numbers.select(3, 0).fill(number);
        low[static_cast<std::size_t>(which)].value = numbers;
    }
    for (const Index tile : {5, 6}) ask(lengthy, Mask{}, false, tile);  // a narrow edge behind several tiles
    ask(n, judge::tiled::open_inside(n), false, 3);
    Mask first_keys = Mask::allow_all({n.S});
    for (Index s = 0; s < 3; ++s) first_keys(s) = true;
    ask(n, first_keys, false, 3);  // open keys behind a blocked tile
    judge::Sizes before_all_keys = tall;
    before_all_keys.T = tall.S + 4;  // of the queries that see no key, one shares a tile with the last of them
    ask(before_all_keys, Mask{}, true, 2);
    const auto changed = [&](std::size_t which, wire::Value value) {
        ask(n, Mask{}, false, 3)[which].value = std::move(value);
    };
    changed(5, Index{0});
    changed(1, random_tensor(random, {n.B, n.H, n.S, n.d + 1}));
    changed(1, random_tensor(random, {n.B, n.H, n.S + 1, n.d}));
    changed(3, Mask::allow_all({n.T, n.S + 1}));
    changed(2, random_tensor(random, {n.B, n.H, n.S + 1, n.d_v}));
    return questions;
}

/// What the student's own nothing_seen, absorb and context give for one tile of queries that is compared with these
/// tiles of keys: (B, H, rows, d_v).
std::optional<judge::Outcome> through_own_parts(judge::Student& student, const Cut& cut, const Query& first,
                                                const Shape& shape, const Tensor& v, bool values_of_first_tile) {
    const Index B = shape[0], H = shape[1], rows = first.end - first.begin;
    const auto made = student.outcome("nothing_seen", {{"B", B}, {"H", H}, {"T", rows}, {"d_v", v.size(3)}});
    if (made.error) return std::nullopt;
    for (const TileOfKeys& tile : cut.tiles_of(first)) {
        if (tile.skipped) continue;
        const Index width = tile.end - tile.first;
        Tensor scores = Tensor::empty({B, H, rows, width});
        float* to = scores.data();
        for (Index matrix = 0; matrix < B * H; ++matrix)
            for (Index t = first.begin; t < first.end; ++t) {
                Query query = first;
                query.t = t;
                query.row = static_cast<std::size_t>(matrix * first.T + t);
                for (Index s = tile.first; s < tile.end; ++s)
                    *to++ = static_cast<float>(cut.score(query, s, tile.begin));
            }
        const Index from = values_of_first_tile ? tile.first - tile.begin : tile.first;
        const auto absorbed = student.outcome(
            "absorb", {{"running", made.value}, {"scores", scores}, {"v", v.slice(2, from, from + width)}});
        if (absorbed.error) return std::nullopt;
    }
    return student.outcome("context", {{"running", made.value}});
}

/// What follows from these if the rest is decided like this: how tiles are cut, scored and masked.
std::optional<Answer> from_own_parts_and(judge::Student& student, const Arguments& arguments, const Choices& c) {
    Given given;
    given.input = {tensor(arguments, "q"), tensor(arguments, "k"), tensor(arguments, "v")};
    const Index tile = given.tile = integer(arguments, "tile");
    const Tensor q = given.input[0], k = given.input[1];
    if (tile < 1 || q.rank() != 4 || k.rank() != 4 || given.input[2].size(2) != k.size(2)) return std::nullopt;
    const Shape shape{q.size(0), q.size(1), q.size(2), k.size(2)};
    const Index T = shape[2], S = shape[3];
    Attention model(std::move(given));
    const Array& scores = model.scores(c);
    const Tensor v = reference::to_tensor(model.heads(2, c));
    const Blocked blocked = c.masking.read(mask(arguments, "mask"), shape);
    const Tiles tiles{tile, tile, std::get<bool>(argument(arguments, "causal")), c.masking.future,
                      std::sqrt(static_cast<double>(q.size(3)))};
    const Tiling& tiling = c.of<Tiling>();
    if (tiling.skipped == Tiling::Skipped::by_each_query) return std::nullopt;  // these are handed whole tiles
    const Cut cut(scores, blocked, tiles, tiling);
    Tensor output = Tensor::zeros({shape[0], shape[1], T, v.size(3)});
    for (Index begin = 0; begin < T; begin += tile) {
        const Query first{begin, T, S, begin, std::min(begin + tile, T), static_cast<std::size_t>(begin)};
        const bool is_short = first.end - begin < tile;
        if (is_short && (tiling.short_tiles_dropped || (tiling.last_queries_dropped && begin > 0))) continue;
        const auto context = through_own_parts(student, cut, first, shape, v, tiling.values_of_first_tile);
        if (!context) return std::nullopt;
        const auto* rows = std::get_if<Tensor>(&context->value);
        if (context->error || rows == nullptr) return answer_of(*context);
        const Index from = tiling.rows_written_first ? 0 : begin;
        Tensor place = output.slice(2, from, from + first.end - begin);
        if (rows->shape() != place.shape()) return std::nullopt;
        place.copy_from(*rows);
    }
    Array result = judge::own(output);
    // Their scores round otherwise than the student's.
    const auto width = static_cast<std::size_t>(v.size(3));
    for (std::size_t row = 0; row < result.value.size() / width; ++row) {
        const Index t = static_cast<Index>(row) % T, query = query_of_row(t, T, tile, tiling);
        const double relative = relative_error_of_shares(scores, row + static_cast<std::size_t>(query - t), 1);
        double largest = 0;
        for (std::size_t i = row * width; i < (row + 1) * width; ++i)
            largest = std::max(largest, std::abs(result.value[i]));
        for (std::size_t i = row * width; i < (row + 1) * width; ++i) result.error[i] += relative * largest;
    }
    return Answer::of(std::move(result));
}

std::optional<Answer> from_own_parts(judge::Student& student, const Arguments& arguments) {
    const auto outcome = judge::tiled::outcome_of_own_parts(student, arguments);
    return outcome ? std::optional(answer_of(*outcome)) : std::nullopt;
}

const SubjectRegistration registration(
    "10_tiled_attention",
    {{judge::tiled::nothing_seen_in_diagnosis(),
      judge::tiled::absorb_in_diagnosis(),
      judge::tiled::context_in_diagnosis(),
      {.name = "tiled_attention",
       .model = &tiled_attention,
       .questions = &attention_questions,
       .reads = &takes_weights_as_they_are,
       .given_own = &from_own_parts,
       .calls_them_in_any_order = true,
       .given_own_and = &from_own_parts_and,
       .stage = Stage::weigh,
       .stages = {{Stage::weigh, "there is no mask"}, {Stage::softmax, "scores are large"}},
       .invariants = {permuted_tokens({"k", "v"}, Follows::not_at_all,
                                      "the output changes when keys change places together with their values")}}}});

}  // namespace
}  // namespace headway::diagnosis
