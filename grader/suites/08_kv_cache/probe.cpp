// What tells submissions of exercise 08 apart: every answer, whether right or wrong.
#include "suites/08_kv_cache/conversation.hpp"
#include "suites/08_kv_cache/filled.hpp"

#include <algorithm>
#include <utility>

namespace headway::judge {
namespace {

using namespace kv_cache;

using diagnosis::different_counts;

/// The answer, and then what the cache holds.
void answer_with_cache(Student& student, std::vector<double>& answers, const std::string& function,
                       const Arguments& arguments) {
    answer_with(student, answers, function, arguments);
    answer_with(student, answers, "contents", {arguments.front()});
}

PROBE(KvCache) {
    const Filled filled(random, random_sizes(random));
    const Sizes& n = filled.n;
    const Layer layer(random, n.D(), n.D());
    answer_with(student, answers, "decoding_mask", {{"lengths", filled.lengths}, {"n", Index{3}}, {"S", n.T + 5}});
    for (const Index d : {n.d, Index{0}}) {
        const Outcome made = student.outcome("make_cache", {{"B", n.B}, {"H", n.H}, {"capacity", n.T}, {"d", d}});
        answers.push_back(made.error ? 1 : 0);
        if (made.error) continue;
        answer_with_cache(student, answers, "append",
                          {{"cache", made.value},
                           {"k", new_heads(random, n, 1)},
                           {"v", new_heads(random, n, 1)},
                           {"counts", each(n.B, 1)}});
    }
    for (const Index width : {Index{1}, n.S, n.S + 1})
        for (const Shape& counts : {each(n.B, width), different_counts(n.B, width), each(n.B, width + 1)})
            answer_with_cache(student, answers, "append",
                              {{"cache", filled.in(student)},
                               {"k", new_heads(random, n, width)},
                               {"v", new_heads(random, n, width)},
                               {"counts", counts}});
    answer_with_cache(student, answers, "append",
                      {{"cache", filled.in(student)},
                       {"k", new_heads(random, n, 2)},
                       {"v", new_heads(random, n, 3)},
                       {"counts", each(n.B, 1)}});
    Filled empty = filled;
    empty.lengths = each(n.B, 0);
    for (const Index count : {empty.capacity, Index{1}}) {
        const wire::Handle cache = empty.in(student);
        const wire::Handle view = student.keep("view_of", {{"cache", cache}});
        answer_with_cache(student, answers, "append",
                          {{"cache", cache},
                           {"k", new_heads(random, n, count == 1 ? empty.capacity + 1 : count)},
                           {"v", new_heads(random, n, count == 1 ? empty.capacity + 1 : count)},
                           {"counts", each(n.B, count)}});
        answer_with(student, answers, "contents", {{"cache", view}});
    }
    const wire::Handle projections = student.keep("projections", {{"state", layer.state}});
    Filled mirrored = filled;
    std::reverse(mirrored.lengths.begin(), mirrored.lengths.end());
    for (const Shape& counts : {different_counts(n.B, 1), each(n.B, 1)})
        for (const Filled* some : {&std::as_const(filled), &std::as_const(mirrored)})
            answer_with(student, answers, "decode",
                        {{"cache", some->in(student)},
                         {"projections", projections},
                         {"x", random_tensor(random, {n.B, 1, n.D()}) * (some == &filled ? 1.0F : 40.0F)},
                         {"counts", counts}});
    const Layer wide(random, n.D() + n.H + 1, n.D());
    answer_with(student, answers, "decode",
                {{"cache", filled.in(student)},
                 {"projections", student.keep("projections", {{"state", wide.state}})},
                 {"x", random_tensor(random, {n.B, 2, n.D() + n.H + 1})},
                 {"counts", each(n.B, 2)}});
    const wire::Handle cache = filled.in(student);
    for (const Index width : {Index{2}, Index{1}, n.S})
        answer_with_cache(student, answers, "decode",
                          {{"cache", cache},
                           {"projections", projections},
                           {"x", random_tensor(random, {n.B, width, n.D()})},
                           {"counts", width == 2 ? different_counts(n.B, 2) : each(n.B, width)}});
    for_some_relations(random, "B H T S d", [&](const AxisSizes& some) {
        const Filled held(random, some.sizes());
        const Layer maps(random, held.n.D(), held.n.D());
        answer_with(student, answers, "decode",
                    {{"cache", held.in(student)},
                     {"projections", student.keep("projections", {{"state", maps.state}})},
                     {"x", random_tensor(random, {held.n.B, held.n.S, held.n.D()})},
                     {"counts", each(held.n.B, held.n.S)}});
        answer_with_cache(student, answers, "append",
                          {{"cache", held.in(student)},
                           {"k", random_tensor(random, {held.n.B, 1, 1, held.n.d})},
                           {"v", random_tensor(random, {held.n.B, 1, 1, held.n.d})},
                           {"counts", each(held.n.B, 1)}});
        const Arguments usual{{"B", held.n.B}, {"H", held.n.H}, {"capacity", held.n.T}, {"d", held.n.d}};
        const Outcome first = student.outcome("make_cache", usual, true);
        const Outcome second = student.outcome("make_cache", usual, true);
        if (first.error || second.error) return;
        const Tensor token = new_heads(random, held.n, 1);
        answer_with(student, answers, "append",
                    {{"cache", first.value}, {"k", token}, {"v", token}, {"counts", each(held.n.B, 1)}});
        answer_with(student, answers, "contents", {{"cache", second.value}});
    });
}

}  // namespace
}  // namespace headway::judge
