// What diagnosis knows of exercise 08.    B batch · n new tokens · D model width · H heads · d head_dim · C capacity
#include "conversation.hpp"
#include "held.hpp"

#include "diagnosis/elements.hpp"
#include "diagnosis/small_sizes.hpp"
#include "diagnosis/softmax.hpp"
#include "diagnosis/subject.hpp"
#include "judge/expect.hpp"
#include "judge/inputs.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace headway::diagnosis {
namespace {

using judge::Arguments;
using judge::random_tensor;
using judge::kv_cache::Contents;
using judge::kv_cache::Layer;

std::size_t as_size(Index index) { return static_cast<std::size_t>(index); }

// ---- writing ---------------------------------------------------------------------------------------------------

Held held_by(const Arguments& arguments) {
    return {reference::exact(tensor(arguments, "cache.k")), reference::exact(tensor(arguments, "cache.v")),
            std::get<Shape>(argument(arguments, "lengths"))};
}

Predict append(const Arguments& arguments) {
    const Held before = held_by(arguments);
    const Tensor k = tensor(arguments, "k"), v = tensor(arguments, "v");
    const auto counts = std::get<Shape>(argument(arguments, "counts"));
    return [=](const Choices& c) {
        Held held = before;
        held.append(c.reading.tensor(k, Argument::key), c.reading.tensor(v, Argument::value), counts, c.caching);
        return held.answer();
    };
}

/// What a cache in the worker holds; keys and values of another shape than they should have are left out.
Answer contents(judge::Student& student, const wire::Value& cache) {
    const Contents held = judge::kv_cache::contents(student, std::get<wire::Handle>(cache));
    if (!held.k.defined() || !held.v.defined()) return Answer{"", {{"k or v is undefined", {}}}};
    return Held{reference::exact(held.k), reference::exact(held.v), held.lengths}.answer();
}

/// Whether two answers hold the same keys and values.
bool same_numbers(const Answer& a, const Answer& b) {
    for (std::size_t part = 0; part < 2; ++part)
        if (a.parts.size() <= part || b.parts.size() <= part ||
            a.parts[part].second.value != b.parts[part].second.value)
            return false;
    return true;
}

wire::Handle cache_in(judge::Student& student, const Arguments& arguments) {
    return student.keep("cache", {{"k", argument(arguments, "cache.k")},
                                  {"v", argument(arguments, "cache.v")},
                                  {"lengths", argument(arguments, "lengths")}});
}

Asked ask_append(judge::Student& student, const Arguments& arguments) {
    const wire::Handle cache = cache_in(student, arguments);
    const wire::Handle view = student.keep("view_of", {{"cache", cache}});
    const auto outcome = student.outcome("append", {{"cache", cache},
                                                    {"k", argument(arguments, "k")},
                                                    {"v", argument(arguments, "v")},
                                                    {"counts", argument(arguments, "counts")}});
    const Answer failed = answer_of(outcome);
    if (outcome.error && failed.word != "refused") return failed;
    Answer answer = contents(student, cache);
    if (outcome.error)
        answer.parts.push_back({"refused", {}});
    else if (!same_numbers(answer, contents(student, view)))
        answer.parts.push_back({"in another storage", {}});
    return {std::move(answer), outcome.changed_arguments};
}

/// Counts in [0, n] that differ; the largest is n.
Shape different_counts(Index B, Index n) {
    Shape counts;
    for (Index b = 0; b < B; ++b) counts.push_back((b + 1) * n / B);
    return counts;
}

std::vector<Arguments> append_questions(Random& random) {
    const SmallSizes size = small_sizes(random);
    const Index C = size.T + size.S;
    std::vector<Arguments> questions;
    const auto ask = [&](const Shape& lengths, const Shape& counts, Index n, bool views) {
        const auto heads = [&] {
            return views ? random_tensor(random, {size.B, n, size.H, size.d}).transpose(1, 2)
                         : random_tensor(random, {size.B, size.H, n, size.d});
        };
        questions.push_back({{"cache.k", random_tensor(random, {size.B, size.H, C, size.d})},
                             {"cache.v", random_tensor(random, {size.B, size.H, C, size.d})},
                             {"lengths", lengths},
                             {"k", heads()},
                             {"v", heads()},
                             {"counts", counts}});
    };
    const auto all = [&](Index count) { return Shape(as_size(size.B), count); };
    const Shape different = different_counts(size.B, size.T);
    ask(all(0), all(3), 3, false);
    ask(all(size.T), all(2), 2, false);
    ask(different, all(2), 2, false);
    ask(different, different_counts(size.B, 3), 3, true);
    Shape falling = different;
    std::reverse(falling.begin(), falling.end());
    ask(falling, different_counts(size.B, size.T), size.T, true);
    ask(all(size.T), all(size.S), size.S, false);  // the last position is a position
    ask(all(0), all(C), C, false);
    Shape one_too_many = all(1);
    one_too_many.back() = size.S + 1;
    ask(all(size.T), all(1), size.S + 1, false);  // padding needs no room
    ask(all(size.T), one_too_many, size.S + 1, false);
    std::swap(one_too_many.front(), one_too_many.back());
    ask(all(size.T), one_too_many, size.S + 1, false);
    return questions;
}

// ---- a new cache -----------------------------------------------------------------------------------------------

constexpr const char* one_tensor = "k and v hold the same numbers after different ones were appended";

/// A new cache, and what the student's own append makes of it.
Predict make_cache(const Arguments& arguments) {
    const auto number = [&](const char* name) { return integer(arguments, name); };
    const Shape shape{number("B"), number("H"), number("capacity"), number("d")};
    if (*std::min_element(shape.begin(), shape.end()) < 1)
        return [](const Choices&) { return Answer::said("refused"); };
    const Array k = reference::exact(tensor(arguments, "k")), v = reference::exact(tensor(arguments, "v"));
    return [=](const Choices& c) {
        Held held{zeros(shape), zeros(shape), Shape(as_size(shape[0]))};
        if (c.caching.one_storage) return Answer{"", {{one_tensor, {}}}};
        held.append(k, v, Shape(as_size(shape[0]), k.size(2)), c.caching);
        if (held.k.value == held.v.value) return Answer{"", {{one_tensor, {}}}};
        return held.answer();
    };
}

/// What the student's own append makes of a cache without tokens.
Answer first_chunk_in(judge::Student& student, const wire::Value& cache, const Arguments& arguments) {
    const Tensor k = tensor(arguments, "k");
    const auto outcome = student.outcome("append", {{"cache", cache},
                                                    {"k", k},
                                                    {"v", argument(arguments, "v")},
                                                    {"counts", Shape(as_size(k.size(0)), k.size(2))}});
    if (outcome.error) return answer_of(outcome);
    Answer answer = contents(student, cache);
    const bool same = answer.parts.size() > 1 && answer.parts[0].second.value == answer.parts[1].second.value;
    return same ? Answer{"", {{one_tensor, {}}}} : answer;
}

/// What follows from the student's own append, if the new cache is as it should be.
std::optional<Answer> from_own_append(judge::Student& student, const Arguments& arguments) {
    const auto number = [&](const char* name) { return integer(arguments, name); };
    const Shape shape{number("B"), number("H"), number("capacity"), number("d")};
    if (*std::min_element(shape.begin(), shape.end()) < 1) return std::nullopt;
    const Tensor empty = Tensor::zeros(shape);
    return first_chunk_in(
        student, student.keep("cache", {{"k", empty}, {"v", empty}, {"lengths", Shape(as_size(shape[0]))}}), arguments);
}

Asked ask_make_cache(judge::Student& student, const Arguments& arguments) {
    const auto made = student.outcome("make_cache", {{"B", argument(arguments, "B")},
                                                     {"H", argument(arguments, "H")},
                                                     {"capacity", argument(arguments, "capacity")},
                                                     {"d", argument(arguments, "d")}});
    if (made.error) return answer_of(made);
    return first_chunk_in(student, made.value, arguments);
}

std::vector<Arguments> make_cache_questions(Random& random) {
    const SmallSizes size = small_sizes(random);
    std::vector<Arguments> questions;
    for (const Index d : {size.d, Index{0}})
        questions.push_back({{"B", size.B},
                             {"H", size.H},
                             {"capacity", size.S},
                             {"d", d},
                             {"k", random_tensor(random, {size.B, size.H, 2, size.d})},
                             {"v", random_tensor(random, {size.B, size.H, 2, size.d})}});
    return questions;
}

// ---- the mask --------------------------------------------------------------------------------------------------

Predict decoding_mask(const Arguments& arguments) {
    const auto lengths = std::get<Shape>(argument(arguments, "lengths"));
    const Index n = integer(arguments, "n"), S = integer(arguments, "S");
    return [=](const Choices& c) {
        Array mask = zeros({static_cast<Index>(lengths.size()), 1, n, S});
        each(mask.shape, [&](Coordinate at, std::size_t i) {
            mask.value[i] = c.caching.hidden(lengths, as_size(at[0]), at[2], at[3], n, S) ? 1 : 0;
        });
        return Answer::of(std::move(mask));
    };
}

std::vector<Arguments> decoding_mask_questions(Random&) {
    std::vector<Arguments> questions;
    for (const Shape& lengths : {Shape{0, 0, 0}, Shape{2, 3, 5, 1}, Shape{4}, Shape{5, 0, 3}})
        for (const Index n : {Index{1}, Index{3}}) {
            const Index longest = *std::max_element(lengths.begin(), lengths.end());
            questions.push_back({{"lengths", lengths}, {"n", n}, {"S", longest + n + (n == 3 ? 2 : 0)}});
        }
    return questions;
}

// ---- decoding --------------------------------------------------------------------------------------------------

/// x (B, n, in) through one of the four maps.
Array projected(const wire::Record& state, const std::string& name, const Array& x) {
    const auto parameter = [&](const char* which) {
        return reference::exact(std::get<Tensor>(state.find(name + which)->value));
    };
    return reference::add(reference::matmul(x, reference::transpose(parameter(".weight"), 0, 1)), parameter(".bias"));
}

/// Whether position s is hidden from new token t of sequence b, which had `before` tokens and has `after`.
bool is_hidden(const Caching& choices, const Shape& before, const Shape& after, std::size_t b, Index t, Index s,
               Index n, Index S) {
    switch (choices.sees) {
        case Caching::Sees::up_to_itself:
            // Who takes the end of what was written for the length looks back from there.
            return choices.length_is_end ? s > choices.position(before, before, b, t)
                                         : choices.hidden(before, b, t, s, n, S);
        case Caching::Sees::up_to_its_length_after:
            return choices.hidden(after, b, t, s, n, S);
        case Caching::Sees::what_was_before:
            if (before[b] == 0) throw Unpredictable{};  // some see nothing then, others the first token
            return s >= before[b];
        case Caching::Sees::whole_chunk:
            return s >= after[b];
        case Caching::Sees::chunk_alone:
            return s > t;
        case Caching::Sees::whole_cache:
            return false;
        case Caching::Sees::whole_cache_after_the_first_chunk: {
            const bool is_first = std::all_of(before.begin(), before.end(), [](Index length) { return length == 0; });
            return is_first && choices.hidden(before, b, t, s, n, S);
        }
    }
    return false;
}

/// Rows t >= counts[b] belong to padding, and may hold anything.
Array real_rows(Array rows, const Shape& counts) {
    each(rows.shape, [&](Coordinate at, std::size_t i) {
        if (at[1] >= counts[as_size(at[0])]) rows.value[i] = rows.error[i] = 0;
    });
    return rows;
}

constexpr const char* many_rows = "more rows are projected than 4·B·n";

Predict decode(const Arguments& arguments) {
    const Held before = held_by(arguments);
    const auto state = std::get<wire::Record>(argument(arguments, "state"));
    const Tensor x = tensor(arguments, "x");
    const auto counts = std::get<Shape>(argument(arguments, "counts"));
    const Index H = before.k.size(1);
    return [=](const Choices& c) {
        const Array rows = c.reading.tensor(x, Argument::query);
        const auto heads = [&](const char* name) { return c.splitting.split(projected(state, name, rows), H); };
        const Array q = heads("q_proj"), new_k = heads("k_proj"), new_v = heads("v_proj");
        Held held = before;
        held.append(new_k, new_v, counts, c.caching);
        if (held.refused) return Answer::said("refused");
        const bool alone = c.caching.sees == Caching::Sees::chunk_alone;
        const Array& k = alone ? new_k : held.k;
        const Array& v = alone ? new_v : held.v;
        Widths widths;
        widths.B = q.size(0);
        widths.H = H;
        widths.T = q.size(2);
        widths.S = k.size(2);
        widths.d = widths.d_v = q.size(3);
        widths.D = widths.default_d = x.size(2);
        const Array scores = reference::scale(c.scoring.product(q, k), c.scoring.factor(widths));
        // Some look at the whole capacity, others at what is used.
        const Index used = *std::max_element(held.lengths.begin(), held.lengths.end());
        Blocked blocked(scores.value.size());
        each(scores.shape, [&](Coordinate at, std::size_t i) {
            const auto hidden = [&](Index S) {
                return is_hidden(c.caching, before.lengths, held.lengths, as_size(at[0]), at[2], at[3], widths.T, S);
            };
            blocked[i] = hidden(widths.S);
            const bool is_real = at[2] < counts[as_size(at[0])];
            if (!alone && is_real && used < widths.S && (at[3] < used ? hidden(used) != blocked[i] : !blocked[i]))
                throw Unpredictable{};
        });
        const Array weights = softmax(scores, std::move(blocked), c.softmaxing);
        const Array merged = c.merging.merge(reference::matmul(weights, v));
        Answer answer{"", {{"y", real_rows(projected(state, "out_proj", merged), counts)}}};
        using Projects = Caching::Projects;
        const bool capacity = c.caching.projects == Projects::whole_capacity && held.k.size(2) > x.size(1);
        if (capacity || c.caching.projects == Projects::more_than_once) answer.parts.push_back({many_rows, {}});
        return answer;
    };
}

Answer decoded(const judge::Outcome& outcome, const Tensor& x, const Shape& counts) {
    const auto* record = std::get_if<wire::Record>(&outcome.value);
    if (outcome.error || record == nullptr) return answer_of(outcome);
    const auto& y = std::get<Tensor>(record->find("y")->value);
    if (!y.defined()) return Answer{"", {{"y undefined", {}}}};
    const Array rows = reference::exact(y);
    Answer answer{"", {{"y", rows.shape.size() == 3 && rows.shape[0] == x.size(0) ? real_rows(rows, counts) : rows}}};
    if (std::get<Index>(record->find("rows")->value) > 4 * x.size(0) * x.size(1))
        answer.parts.push_back({many_rows, {}});
    return answer;
}

Asked ask_decode(judge::Student& student, const Arguments& arguments) {
    const wire::Handle cache = cache_in(student, arguments);
    const wire::Handle projections = student.keep("projections", {{"state", argument(arguments, "state")}});
    const auto outcome = student.outcome("decode", {{"cache", cache},
                                                    {"projections", projections},
                                                    {"x", argument(arguments, "x")},
                                                    {"counts", argument(arguments, "counts")}});
    return {decoded(outcome, tensor(arguments, "x"), std::get<Shape>(argument(arguments, "counts"))),
            outcome.changed_arguments};
}

/// The same numbers, those of sequence 0 large.
Tensor louder_at_first(const Tensor& numbers) {
    Tensor louder = numbers.clone();
    louder.select(0, 0) *= 40.0F;
    return louder;
}

/// The questions of decode that show its stages one by one: see Function::stages.
constexpr std::size_t alone = 0, alike = 1, behind_others = 2, loud = 3, idle = 4, wide = 5;

std::vector<Arguments> decode_questions(Random& random) {
    const SmallSizes size = small_sizes(random);
    std::vector<Arguments> questions;
    // Most often the longest sequence fills the cache: who looks at its whole capacity and who looks at what is used
    // see the same, stale numbers behind the shorter ones included.
    const auto ask = [&](const Shape& lengths, const Shape& counts, Index n, Index room = 0, Index wider = 0) {
        const Index D = size.D() + wider;
        const Layer layer(random, D, size.D());
        Index C = 0;
        for (std::size_t b = 0; b < lengths.size(); ++b) C = std::max(C, lengths[b] + counts[b] + room);
        questions.push_back({{"cache.k", random_tensor(random, {size.B, size.H, C, size.d})},
                             {"cache.v", random_tensor(random, {size.B, size.H, C, size.d})},
                             {"lengths", lengths},
                             {"state", layer.state},
                             {"x", random_tensor(random, {size.B, n, D})},
                             {"counts", counts}});
    };
    const auto all = [&](Index count) { return Shape(as_size(size.B), count); };
    Shape different;
    for (Index b = 0; b < size.B; ++b) different.push_back(1 + b);
    Shape falling(different.rbegin(), different.rend());
    ask(all(0), all(1), 1);  // alone: the context is the token's own value
    ask(all(0), all(3), 3);  // alike: the same, whatever a token sees, as long as heads are those of one token
    Tensor& tokens = std::get<Tensor>(questions.back()[4].value);
    tokens = tokens.slice(1, 0, 1).expand(tokens.shape());
    ask(all(3), all(1), 1);  // behind others: a token that sees everything there is
    ask(all(3), all(1), 1);  // loud: the same, with scores in the thousands for one sequence
    questions.back()[0].value = louder_at_first(std::get<Tensor>(questions.back()[0].value));
    questions.back()[4].value = louder_at_first(std::get<Tensor>(questions.back()[4].value));
    ask(all(3), different_counts(size.B, 1), 1);  // idle: some sequences get nothing new
    ask(all(3), all(1), 1, 0, size.H + 1);        // wide: x need not be as wide as all heads together
    ask(all(0), all(3), 3);
    ask(all(3), all(1), 1, 2, size.H + 1);
    ask(all(2), all(3), 3);
    ask(different, all(1), 1);
    ask(falling, all(1), 1);
    ask(falling, all(3), 3);
    ask(different, different_counts(size.B, size.T), size.T);
    ask(falling, different_counts(size.B, 3), 3);
    return questions;
}

/// What follows from the student's own append and decoding_mask.
std::optional<Answer> from_own_parts(judge::Student& student, const Arguments& arguments) {
    const auto state = std::get<wire::Record>(argument(arguments, "state"));
    const auto counts = std::get<Shape>(argument(arguments, "counts"));
    const auto lengths = std::get<Shape>(argument(arguments, "lengths"));
    const Array x = reference::exact(tensor(arguments, "x"));
    const wire::Handle cache = cache_in(student, arguments);
    const auto heads = [&](const char* name) {
        return reference::split_heads(projected(state, name, x), tensor(arguments, "cache.k").size(1));
    };
    const auto appended = student.outcome("append", {{"cache", cache},
                                                     {"k", reference::to_tensor(heads("k_proj"))},
                                                     {"v", reference::to_tensor(heads("v_proj"))},
                                                     {"counts", counts}});
    if (appended.error) return answer_of(appended);
    const Contents held = judge::kv_cache::contents(student, cache);
    const Index S = *std::max_element(held.lengths.begin(), held.lengths.end());
    const auto asked = student.outcome("decoding_mask", {{"lengths", lengths}, {"n", x.size(1)}, {"S", S}});
    const auto* mask = std::get_if<Mask>(&asked.value);
    if (mask == nullptr || held.k.rank() != 4 || held.k.shape() != held.v.shape() || S < 1 || held.k.size(2) < S ||
        mask->shape() != Shape{x.size(0), 1, x.size(1), S})
        return std::nullopt;
    const Array context = reference::attention(heads("q_proj"), judge::own(held.k.slice(2, 0, S)),
                                               judge::own(held.v.slice(2, 0, S)), *mask)
                              .context;
    return Answer{"", {{"y", real_rows(projected(state, "out_proj", reference::merge_heads(context)), counts)}}};
}

// ---- what must hold, whatever the numbers are ------------------------------------------------------------------

Tensor& tensor_in(Arguments& arguments, const std::string& name) {
    return std::get<Tensor>(std::find_if(arguments.begin(), arguments.end(), [&](const wire::Field& field) {
                                return field.name == name;
                            })->value);
}

/// Where `change` is made, the output stays what it was, as far as `kept` shows it.
Invariant unchanged_by(std::string broken, std::function<bool(const Arguments&)> applies,
                       std::function<void(Arguments&)> change, std::function<Array(const Array&)> kept) {
    Invariant invariant;
    invariant.broken = std::move(broken);
    invariant.first = [applies](const Arguments& question) {
        return applies(question) ? std::optional(question) : std::nullopt;
    };
    invariant.second = [change](const Arguments& first) {
        Arguments arguments = first;
        change(arguments);
        return arguments;
    };
    invariant.of_first = invariant.of_second = std::move(kept);
    return invariant;
}

/// What is not at the end of the axis (begin = 0), or not at its beginning (begin = 1).
Array all_but_one(const Array& rows, std::size_t axis, Index begin) {
    Shape shape = rows.shape;
    --shape[axis];
    return gathered(rows, shape, [&](Coordinate at) {
        std::vector<Index> from(at.begin(), at.end());
        from[axis] += begin;
        return position(rows.shape, from);
    });
}

Invariant future_of_the_chunk() {
    return unchanged_by(
        "a change of the last token of a chunk changes outputs of earlier ones",
        [](const Arguments& question) { return tensor(question, "x").size(1) > 1; },
        [](Arguments& question) {
            Tensor& x = tensor_in(question, "x");
            x = x.contiguous().clone();
            x.select(1, x.size(1) - 1) += 1.5F;
        },
        [](const Array& rows) { return all_but_one(rows, 1, 0); });
}

Invariant behind_the_end() {
    const auto end = [](const Arguments& question, std::size_t b) {
        return std::get<Shape>(argument(question, "lengths"))[b] + std::get<Shape>(argument(question, "counts"))[b];
    };
    return unchanged_by(
        "a change of what lies behind the end of a sequence changes its outputs",
        [end](const Arguments& question) {
            return end(question, 0) < tensor(question, "cache.k").size(2) ||
                   end(question, 1) < tensor(question, "cache.k").size(2);
        },
        [end](Arguments& question) {
            for (const char* name : {"cache.k", "cache.v"}) {
                Tensor& cached = tensor_in(question, name);
                cached = cached.clone();
                for (Index b = 0; b < cached.size(0); ++b)
                    cached[b].slice(1, end(question, as_size(b)), cached.size(2)) += 1.5F;
            }
        },
        [](const Array& rows) { return rows; });
}

Invariant other_sequences() {
    return unchanged_by(
        "a change of what sequence 0 holds changes outputs of other sequences",
        [](const Arguments& question) { return tensor(question, "x").size(0) > 1; },
        [](Arguments& question) {
            for (const char* name : {"cache.k", "cache.v", "x"}) {
                Tensor& some = tensor_in(question, name);
                some = some.contiguous().clone();
                some.select(0, 0) += 1.5F;
            }
        },
        [](const Array& rows) { return all_but_one(rows, 0, 1); });
}

const SubjectRegistration registration(
    "08_kv_cache",
    {{{.name = "append", .model = &append, .questions = &append_questions, .ask = &ask_append},
      {.name = "make_cache",
       .model = &make_cache,
       .questions = &make_cache_questions,
       .given_own = &from_own_append,
       .ask = &ask_make_cache},
      {.name = "decoding_mask", .model = &decoding_mask, .questions = &decoding_mask_questions, .stage = "mask"},
      {.name = "decode",
       .model = &decode,
       .questions = &decode_questions,
       .given_own = &from_own_parts,
       .ask = &ask_decode,
       .stage = "mask",  // what is left when all of these are right
       .stages = {{"output", alone},
                  {"split", alike},
                  {"scores", behind_others},
                  {"softmax", loud},
                  {"output", idle},
                  {"output", wide}},
       .invariants = {future_of_the_chunk(), behind_the_end(), other_sequences()}}}});

}  // namespace
}  // namespace headway::diagnosis
