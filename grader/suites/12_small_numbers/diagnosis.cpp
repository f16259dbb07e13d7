// What diagnosis knows of exercise 12.        B batch · H heads · T queries · S keys · P tokens in the cache
#include "suites/12_small_numbers/inputs.hpp"
#include "suites/12_small_numbers/questions.hpp"

#include "diagnosis/attention.hpp"
#include "diagnosis/elements.hpp"
#include "diagnosis/subject.hpp"
#include "reference/attention.hpp"

#include <algorithm>
#include <cmath>

namespace headway::diagnosis {
namespace {

using judge::Arguments;
using judge::small_numbers::Cache;
using judge::small_numbers::Rows;
using reference::exact;

/// More takes a search too long.
constexpr Index most_numbers = 20'000;
/// Of rounded numbers: nearer than any two of a format are.
constexpr double a_hair = 1e-5;

std::string word(const Arguments& arguments, const char* name) {
    return std::get<std::string>(argument(arguments, name));
}

Array read(const Choices& c, const Tensor& x) { return c.reading.tensor(x, Argument::other); }

// ---- sixteen bits ------------------------------------------------------------------------------------------------

Predict predict_rounded(const Arguments& arguments) {
    const Tensor x = tensor(arguments, "x");
    const bool to_half = word(arguments, "format") == "half";
    if (x.numel() > most_numbers) return nullptr;
    return [=](const Choices& c) {
        const Halves& choices = c.of<Halves>();
        if (choices.clone_is_walked) return Answer::of(within(rounded_in_a_clone(choices, x, to_half), a_hair));
        return Answer::of(within(rounded(choices, read(c, x), to_half), a_hair));
    };
}

/// The answer to a tensor without axes.
Answer refuses_a_number(const Choices& c) {
    if (!c.checking.ranks) return Answer::without_value(Answer::Kind::accepted);
    return Answer::without_value(c.checking.invalid_argument ? Answer::Kind::refused : Answer::Kind::threw);
}

Predict predict_sum(const Arguments& arguments) {
    const Tensor x = tensor(arguments, "x");
    const bool in_half = word(arguments, "format") == "half";
    if (x.rank() < 1) return &refuses_a_number;
    if (x.numel() > most_numbers) return nullptr;
    return [=](const Choices& c) { return Answer::of(within(sum_in(c.of<Halves>(), read(c, x), in_half), a_hair)); };
}

Predict predict_softmax(const Arguments& arguments) {
    const Tensor scores = tensor(arguments, "scores");
    const bool in_half = word(arguments, "total") == "in_half";
    if (scores.rank() < 1) return &refuses_a_number;
    if (scores.numel() > most_numbers) return nullptr;
    return [=](const Choices& c) { return Answer::of(softmax_in_half(c.of<Halves>(), read(c, scores), in_half)); };
}

std::optional<Answer> softmax_from_own(judge::Student& student, const Arguments& arguments) {
    if (!predict_softmax(arguments) || tensor(arguments, "scores").rank() < 1) return std::nullopt;
    auto weights = judge::small_numbers::own_softmax(student, tensor(arguments, "scores"), word(arguments, "total"));
    return weights ? std::optional(Answer::of(std::move(*weights))) : std::nullopt;
}

bool fit_each_other(const Tensor& q, const Tensor& k, const Tensor& v) {
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4) return false;
    return k.shape() == Shape{q.size(0), q.size(1), k.size(2), q.size(3)} &&
           v.shape() == Shape{q.size(0), q.size(1), k.size(2), v.size(3)};
}

Predict predict_attention(const Arguments& arguments) {
    const Tensor q = tensor(arguments, "q"), k = tensor(arguments, "k"), v = tensor(arguments, "v");
    const Mask blocked = mask(arguments, "mask");
    if (!fit_each_other(q, k, v)) return nullptr;
    if (q.numel() * k.size(2) > 20 * most_numbers) return nullptr;
    return [=](const Choices& c) { return Answer::of(attention_in_half(c, q, k, v, blocked)); };
}

std::optional<Answer> attention_from_own(judge::Student& student, const Arguments& arguments) {
    if (!known_prediction({.model = &predict_attention}, arguments)) return std::nullopt;
    auto context = judge::small_numbers::own_attention(student, tensor(arguments, "q"), tensor(arguments, "k"),
                                                       tensor(arguments, "v"), mask(arguments, "mask"));
    return context ? std::optional(Answer::of(std::move(*context))) : std::nullopt;
}

// ---- eight bits --------------------------------------------------------------------------------------------------

Predict predict_scales(const Arguments& arguments) {
    const Tensor x = tensor(arguments, "x");
    if (x.rank() != 4) return nullptr;
    return [=](const Choices& c) {
        return Answer::of(c.of<Eights>().clone_is_walked ? scales_of_a_clone(x) : c.of<Eights>().scales(read(c, x)));
    };
}

Array shape_of(const Array& codes) {
    Array shape{{static_cast<Index>(codes.shape.size())}, {}, std::vector<double>(codes.shape.size())};
    for (const Index size : codes.shape) shape.value.push_back(static_cast<double>(size));
    return shape;
}

/// As the worker sends them: codes in a row.
void append(Answer& answer, const std::string& prefix, const CodedRows& rows) {
    answer.parts.push_back({prefix + "shape", shape_of(rows.codes)});
    answer.parts.push_back({prefix + "codes", reference::reshape(rows.codes, {rows.codes.numel()})});
    answer.parts.push_back({prefix + "scales", rows.scales});
}

bool are_scales_of(const Tensor& scales, const Shape& rows) {
    if (rows.size() != 4 || scales.shape() != Shape(rows.begin(), rows.end() - 1)) return false;
    return std::ranges::all_of(exact(scales).value, [](double scale) { return scale >= 0; });
}

Predict predict_codes(const Arguments& arguments) {
    const Tensor x = tensor(arguments, "x"), scales = tensor(arguments, "scales");
    if (!are_scales_of(scales, x.shape())) return nullptr;
    return [=](const Choices& c) {
        Answer answer;
        append(answer, "", to_int8(c.of<Eights>(), read(c, x), within(read(c, scales), a_hair)));
        return answer;
    };
}

/// Where a tensor holds anything else, the worker makes codes of it.
bool are_codes(const Tensor& codes) {
    return std::ranges::all_of(exact(codes).value,
                               [](double code) { return code == std::nearbyint(code) && std::abs(code) <= 127; });
}

Predict predict_numbers(const Arguments& arguments) {
    const auto shape = std::get<Shape>(argument(arguments, "shape"));
    const Rows rows{tensor(arguments, "codes"), tensor(arguments, "scales")};
    if (rows.codes.shape() != shape || !are_scales_of(rows.scales, shape) || !are_codes(rows.codes)) return nullptr;
    return [=](const Choices& c) {
        return Answer::of(from_int8(c.of<Eights>(), {exact(rows.codes), read(c, rows.scales)}));
    };
}

Cache cache_of(const Arguments& arguments) {
    return {{tensor(arguments, "k_codes"), tensor(arguments, "k_scales")},
            {tensor(arguments, "v_codes"), tensor(arguments, "v_scales")}};
}

/// Whether new rows continue old ones.
bool continues(const Rows& old, const Tensor& x) {
    if (x.rank() != 4) return false;
    if (!old.codes.defined()) return !old.scales.defined();
    return are_scales_of(old.scales, old.codes.shape()) && are_codes(old.codes) &&
           old.codes.shape() == Shape{x.size(0), x.size(1), old.codes.size(2), x.size(3)};
}

Answer as_answer(const CodedCache& cache) {
    Answer answer;
    append(answer, "k_", cache.k);
    append(answer, "v_", cache.v);
    return answer;
}

Predict predict_append(const Arguments& arguments) {
    const Cache cache = cache_of(arguments);
    const Tensor k = tensor(arguments, "k"), v = tensor(arguments, "v");
    if (!continues(cache.k, k) || !continues(cache.v, v) || cache.k.codes.defined() != cache.v.codes.defined())
        return nullptr;
    if (v.shape() != Shape{k.size(0), k.size(1), k.size(2), v.size(3)}) return nullptr;
    return [=](const Choices& c) { return as_answer(append(c.of<Eights>(), cache.numbers(), read(c, k), read(c, v))); };
}

std::optional<Answer> append_from_own(judge::Student& student, const Arguments& arguments) {
    if (!known_prediction({.model = &predict_append}, arguments)) return std::nullopt;
    const auto own =
        judge::small_numbers::own_append(student, cache_of(arguments), tensor(arguments, "k"), tensor(arguments, "v"));
    return own ? std::optional(as_answer(*own)) : std::nullopt;
}

/// What codes stand for, with the scales that are taken for theirs.
Tensor taken_for(const Eights& choices, const Rows& rows, bool are_scaled, Eights::ScaleOf scale_of) {
    if (!are_scaled) return rows.codes;
    Eights own = choices;
    if (scale_of != nullptr) own.scale_of = scale_of;
    return reference::to_tensor(from_int8(own, rows.numbers()));
}

Tensor coded_and_back(const Tensor& q) {
    const Eights& right = Eights::right();
    const Array numbers = exact(q);
    return reference::to_tensor(from_int8(right, to_int8(right, numbers, right.scales(numbers))));
}

Predict predict_int8_attention(const Arguments& arguments) {
    const Cache cache = cache_of(arguments);
    const Tensor q = tensor(arguments, "q");
    const Mask blocked = mask(arguments, "mask");
    if (!cache.k.codes.defined() || !cache.v.codes.defined()) return nullptr;
    if (!are_codes(cache.k.codes) || !are_codes(cache.v.codes)) return nullptr;
    if (!fit_each_other(q, cache.k.codes, cache.v.codes) || !are_scales_of(cache.k.scales, cache.k.codes.shape()) ||
        !are_scales_of(cache.v.scales, cache.v.codes.shape()))
        return nullptr;
    return [=](const Choices& c) {
        const Eights& choices = c.of<Eights>();
        if (choices.attends_in_half)
            return Answer::of(attention_in_half(c, q, taken_for(choices, cache.k, true, nullptr),
                                                taken_for(choices, cache.v, true, nullptr), blocked));
        Cache scaled = cache;
        if (choices.keys_by_scales_of_values) scaled.k.scales = cache.v.scales;
        if (choices.values_by_scales_of_keys) scaled.v.scales = cache.k.scales;
        Given given;
        given.input = {choices.codes_queries ? coded_and_back(q) : q,
                       taken_for(choices, scaled.k, choices.scales_keys, choices.scale_of_keys),
                       taken_for(choices, scaled.v, choices.scales_values, choices.scale_of_values)};
        given.mask = blocked;
        return Answer::of(Attention(given).output(c));
    };
}

std::optional<Answer> int8_attention_from_own(judge::Student& student, const Arguments& arguments) {
    if (!known_prediction({.model = &predict_int8_attention}, arguments)) return std::nullopt;
    const Cache cache = cache_of(arguments);
    const auto own = [&](const Rows& rows) {
        return student.tensor("from_int8",
                              {{"shape", rows.codes.shape()}, {"codes", rows.codes}, {"scales", rows.scales}});
    };
    const Tensor k = own(cache.k), v = own(cache.v);
    if (k.shape() != cache.k.codes.shape() || v.shape() != cache.v.codes.shape()) return std::nullopt;
    return Answer::of(
        reference::attention(exact(tensor(arguments, "q")), exact(k), exact(v), mask(arguments, "mask")).context);
}

Predict predict_bytes(const Arguments& arguments) {
    const auto size = [&](const char* name) { return integer(arguments, name); };
    const Eights::Sizes n{size("B"), size("H"), size("S"), size("d"), size("d_v")};
    const std::string kept = word(arguments, "kept");
    if (std::min({n.B, n.H, n.S, n.d, n.d_v}) < 1) return nullptr;
    return [=](const Choices& c) { return Answer::of({{}, {c.of<Eights>().bytes(n, kept)}, {0}}); };
}

const SubjectRegistration registration(
    "12_small_numbers",
    {{{.name = "rounded", .model = &predict_rounded, .questions = &ask_rounded, .rounds_to_sixteen_bits = true},
      {.name = "sum_in", .model = &predict_sum, .questions = &ask_sum, .rounds_to_sixteen_bits = true},
      {.name = "softmax_in_half",
       .model = &predict_softmax,
       .questions = &ask_softmax,
       .given_own = &softmax_from_own,
       .rounds_to_sixteen_bits = true,
       .stage = Stage::softmax},
      {.name = "attention_in_half",
       .model = &predict_attention,
       .questions = &ask_attention_in_half,
       .reads = &takes_weights_as_they_are,
       .given_own = &attention_from_own,
       .rounds_to_sixteen_bits = true,
       .stage = Stage::weigh,
       .stages = {{Stage::scores, "there is no mask"}, {Stage::mask, "there is a mask"}}},
      {.name = "row_scales", .model = &predict_scales, .questions = &ask_scales},
      {.name = "to_int8", .model = &predict_codes, .questions = &ask_codes},
      {.name = "from_int8", .model = &predict_numbers, .questions = &ask_numbers_of_codes},
      {.name = "append", .model = &predict_append, .questions = &ask_append, .given_own = &append_from_own},
      {.name = "int8_attention",
       .model = &predict_int8_attention,
       .questions = &ask_int8_attention,
       .given_own = &int8_attention_from_own,
       .stage = Stage::weigh,
       .stages = {{Stage::scores, "there is no mask"}, {Stage::mask, "there is a mask"}}},
      {.name = "cache_bytes", .model = &predict_bytes, .questions = &ask_cache_bytes}}});

}  // namespace
}  // namespace headway::diagnosis
