// What diagnosis asks of append and make_cache.
#include "suites/08_kv_cache/questions.hpp"

#include "suites/08_kv_cache/conversation.hpp"

#include "diagnosis/elements.hpp"
#include "diagnosis/small_sizes.hpp"
#include "student/inputs.hpp"
#include "student/record_field.hpp"

#include <algorithm>
#include <utility>

namespace headway::diagnosis {
namespace {

using judge::Arguments;
using judge::random_tensor;
using judge::kv_cache::Contents;

/// What a cache in the worker holds; keys and values of another shape than they should have are left out.
Answer contents(judge::Student& student, const wire::Value& cache) {
    const auto* handle = std::get_if<wire::Handle>(&cache);
    if (handle == nullptr) judge::fail_for_form("cache");
    const Contents held = judge::kv_cache::contents(student, *handle);
    for (const auto& [name, part] : {std::pair{"k", held.k}, {"v", held.v}})
        if (!part.defined()) return Answer{.parts = {{std::string(name) + " undefined", {}}}};
    return Held{reference::exact(held.k), reference::exact(held.v), held.lengths}.answer();
}

/// v as its storage reads with the strides of k.
Array read_as(const Tensor& v, const Tensor& k) {
    if (k.rank() != v.rank()) throw Unpredictable{};
    try {
        return reference::exact(v.as_strided(v.shape(), k.layout().strides, v.layout().offset));
    } catch (const std::exception&) {
        throw Unpredictable{};  // past its storage there is something else each time
    }
}

Predict append(const Arguments& arguments) {
    const Held before = held_by(arguments);
    const Tensor k = tensor(arguments, "k"), v = tensor(arguments, "v");
    const auto counts = std::get<Shape>(argument(arguments, "counts"));
    return [=](const Choices& c) {
        Held held = before;
        const bool turned = c.of<Caching>().values_by_strides_of_keys;
        held.append(c.reading.tensor(k, Argument::key), turned ? read_as(v, k) : c.reading.tensor(v, Argument::value),
                    counts, c.of<Caching>());
        return held.answer();
    };
}

/// Whether two answers hold the same keys and values.
bool same_numbers(const Answer& a, const Answer& b) {
    for (std::size_t part = 0; part < 2; ++part)
        if (a.parts.size() <= part || b.parts.size() <= part ||
            a.parts[part].second.value != b.parts[part].second.value)
            return false;
    return true;
}

AnswerAndChanges ask_append(judge::Student& student, const Arguments& arguments) {
    const wire::Handle cache = cache_in(student, arguments);
    const wire::Handle view = student.keep("view_of", {{"cache", cache}});
    const auto outcome = student.outcome("append", {{"cache", cache},
                                                    {"k", argument(arguments, "k")},
                                                    {"v", argument(arguments, "v")},
                                                    {"counts", argument(arguments, "counts")}});
    const Answer failed = answer_of(outcome);
    if (outcome.error && failed.kind != Answer::Kind::refused) return failed;
    Answer answer = contents(student, cache);
    if (outcome.error)
        answer.parts.push_back({"refused", {}});
    else if (!same_numbers(answer, contents(student, view)))
        answer.parts.push_back({"in another storage", {}});
    return {std::move(answer), outcome.changed_arguments};
}

std::vector<Arguments> append_questions(Random& random) {
    const SmallSizes size = small_sizes(random);
    const Index C = size.T + size.S;
    std::vector<Arguments> questions;
    const auto ask = [&](const Shape& lengths, const Shape& counts, Index n, bool views) {
        const auto heads = [&] {
            const Tensor some = random_tensor(random, {size.B, size.H, n, size.d});
            return views ? judge::strided(some) : some;
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
    ask(all(size.T), all(2), 2, false);
    Tensor& turned = std::get<Tensor>(questions.back()[3].value);  // k as split_heads leaves it, v is dense
    turned = turned.transpose(1, 2).contiguous().transpose(1, 2);
    ask(different, all(2), 2, false);
    ask(different, different_counts(size.B, 3), 3, true);
    Shape falling = different;
    std::reverse(falling.begin(), falling.end());
    ask(falling, different_counts(size.B, size.T), size.T, true);
    ask(all(size.T), all(size.S), size.S, false);  // the last position is a position
    ask(all(0), all(C), C, false);
    ask(all(0), all(1), 3, false);  // more tokens than any sequence takes
    Shape some_get_none = all(2);
    some_get_none.front() = 0;
    ask(different, some_get_none, 2, false);
    some_get_none.back() = 1;
    if (size.B > 2) some_get_none[1] = 0;
    ask(different, some_get_none, 2, false);  // padding beside a sequence that is padding alone
    Shape one_too_many = all(1);
    one_too_many.back() = size.S + 1;
    ask(all(size.T), all(1), size.S + 1, false);  // padding needs no room
    ask(all(size.T), one_too_many, size.S + 1, false);
    std::swap(one_too_many.front(), one_too_many.back());
    ask(all(size.T), one_too_many, size.S + 1, false);
    return questions;
}

constexpr const char* one_tensor = "k and v hold the same numbers after different ones were written";
constexpr const char* shared_places = "a number of k or v changed when another one was written";
constexpr const char* one_cache = "another new cache holds what was written into this one";

/// A new cache, and what can be done with it.
Predict make_cache(const Arguments& arguments) {
    const auto number = [&](const char* name) { return integer(arguments, name); };
    const Index B = number("B"), H = number("H"), C = number("capacity"), d = number("d");
    if (std::min({B, H, C, d}) < 1) return [](const Choices&) { return Answer::without_value(Answer::Kind::refused); };
    tensor(arguments, "k");  // else a hidden test asked, and never showed what is in it
    return [=](const Choices& c) {
        const auto& choices = c.of<Caching>();
        const Array held = zeros(choices.tokens_before_heads ? Shape{B, C, H, d} : Shape{B, H, C, d});
        const Shape lengths = choices.lengths_in_braces  ? Shape{B, 0}
                              : choices.length_in_braces ? Shape{B}
                                                         : Shape(as_size(choices.length_of_each_head ? B * H : B));
        Answer answer = Held{held, held, lengths}.answer();
        if (choices.one_storage)
            answer.parts.push_back({one_tensor, {}});
        else if (choices.shared_places)
            answer.parts.push_back({shared_places, {}});
        if (choices.one_for_all) answer.parts.push_back({one_cache, {}});
        return answer;
    };
}

/// Of the numbers in two caches that were drawn for one of them.
bool share_keys_or_values(const Answer& a, const Answer& b) {
    const auto share = [&](std::size_t part) {
        return part < std::min(a.parts.size(), b.parts.size()) &&
               a.parts[part].second.value == b.parts[part].second.value;
    };
    return a.is_value() && b.is_value() && (share(0) || share(1));
}

AnswerAndChanges ask_make_cache(judge::Student& student, const Arguments& arguments) {
    const auto sizes = [&] {
        Arguments all;
        for (const char* name : {"B", "H", "capacity", "d"}) all.push_back({name, argument(arguments, name)});
        return all;
    };
    const auto made = student.outcome("make_cache", sizes());
    if (made.error) return answer_of(made);
    Answer answer = contents(student, made.value);
    const auto written = student.outcome(
        "write_cache", {{"cache", made.value}, {"k", argument(arguments, "k")}, {"v", argument(arguments, "v")}});
    if (written.error) return answer;  // of another shape, or undefined: that is seen
    const Answer now = contents(student, made.value);
    const auto holds = [&](std::size_t part, const char* name) {
        return now.parts[part].second.value == reference::exact(tensor(arguments, name)).value;
    };
    if (now.parts[0].second.value == now.parts[1].second.value)
        answer.parts.push_back({one_tensor, {}});
    else if (!holds(0, "k") || !holds(1, "v"))
        answer.parts.push_back({shared_places, {}});
    const auto other = student.outcome("make_cache", sizes());
    if (!other.error && share_keys_or_values(contents(student, other.value), now))
        answer.parts.push_back({one_cache, {}});
    const Tensor zeros = Tensor::zeros(tensor(arguments, "k").shape());
    student.outcome("write_cache",
                    {{"cache", made.value}, {"k", zeros}, {"v", zeros}});  // what is shared is empty again
    return answer;
}

std::vector<Arguments> make_cache_questions(Random& random) {
    const SmallSizes size = small_sizes(random);
    std::vector<Arguments> questions;
    for (const Index d : {size.d, Index{0}})
        questions.push_back({{"B", size.B},
                             {"H", size.H},
                             {"capacity", size.S},
                             {"d", d},
                             {"k", random_tensor(random, {size.B, size.H, size.S, size.d})},
                             {"v", random_tensor(random, {size.B, size.H, size.S, size.d})}});
    return questions;
}

}  // namespace

Held held_by(const Arguments& arguments) {
    return {reference::exact(tensor(arguments, "cache.k")), reference::exact(tensor(arguments, "cache.v")),
            std::get<Shape>(argument(arguments, "lengths"))};
}

wire::Handle cache_in(judge::Student& student, const Arguments& arguments) {
    return student.keep("cache", {{"k", argument(arguments, "cache.k")},
                                  {"v", argument(arguments, "cache.v")},
                                  {"lengths", argument(arguments, "lengths")}});
}

Shape different_counts(Index B, Index n) {
    Shape counts;
    for (Index b = 0; b < B; ++b) counts.push_back((b + 1) * n / B);
    return counts;
}

Function function_append() {
    return {.name = "append", .model = &append, .questions = &append_questions, .ask = &ask_append};
}

Function function_make_cache() {
    return {.name = "make_cache", .model = &make_cache, .questions = &make_cache_questions, .ask = &ask_make_cache};
}

}  // namespace headway::diagnosis
