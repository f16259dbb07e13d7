// What diagnosis knows of exercise 09.
//      B batch · T queries · S keys · D model width · H query heads · H_kv heads of keys and values · d head_dim
#include "suites/09_grouped_query/grouped_layer.hpp"
#include "suites/09_grouped_query/inputs.hpp"

#include "diagnosis/attention.hpp"
#include "diagnosis/elements.hpp"
#include "diagnosis/small_sizes.hpp"
#include "diagnosis/subject.hpp"
#include "reference/attention.hpp"
#include "student/expect.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <memory>

namespace headway::diagnosis {
namespace {

using judge::Arguments;
using judge::random_mask;
using judge::random_tensor;
using judge::grouped_query::Grouping;
using judge::grouped_query::heads;

/// Refused, unless the heads form even groups.
Answer grouped(Index H, Index H_kv, const Checking& checking, const std::function<Answer()>& otherwise) {
    if (H < 1) return refusal(checking, &Checking::heads);
    if (H_kv < 1) return refusal(checking, &Checking::kv_heads);
    if (H < H_kv) return refusal(checking, &Checking::fewer_heads);
    if (H % H_kv != 0) return refusal(checking, &Checking::groups);
    return otherwise();
}

Predict repeat_heads(const Arguments& arguments) {
    const Tensor kv = tensor(arguments, "kv");
    const Index H = integer(arguments, "num_heads");
    return [kv, H](const Choices& c) {
        if (kv.rank() != 4) return refusal(c.checking, &Checking::ranks);
        return grouped(H, kv.size(1), c.checking, [&] {
            return Answer::of(shared_heads(c.reading.tensor(kv, Argument::other), H, c.of<GroupedLayer>().copied));
        });
    };
}

Predict attention(const Arguments& arguments) {
    Given given;
    given.input = {tensor(arguments, "q"), tensor(arguments, "k"), tensor(arguments, "v")};
    given.mask = mask(arguments, "mask");
    const Shape q = given.input[0].shape(), k = given.input[1].shape(), v = given.input[2].shape();
    if (q.size() != 4 || k.size() != 4 || v.size() != 4 || k[1] != v[1]) return nullptr;
    given.H_kv = k[1];
    auto model = std::make_shared<Attention>(std::move(given));
    return [model, q, k, v](const Choices& c) {
        return grouped(q[1], k[1], c.checking, [&] {
            if (k[0] > q[0] || v[0] > k[0]) return refusal(c.checking, &Checking::more_keys);
            if (v[0] < k[0]) return refusal(c.checking, &Checking::values);
            return checked(q[3] == k[3], c.checking, &Checking::widths, [&] {
                return checked(q[0] == k[0], c.checking, &Checking::batches, [&] {
                    return checked(k[2] == v[2], c.checking, &Checking::lengths,
                                   [&] { return Answer::of(model->output(c)); });
                });
            });
        });
    };
}

Predict cached_numbers(const Arguments& arguments) {
    const auto number = [&](const char* name) { return integer(arguments, name); };
    const Index B = number("B"), S = number("S"), H = number("num_heads"), H_kv = number("num_kv_heads"),
                d = number("head_dim");
    return [=](const Choices& c) {
        return grouped(H, H_kv, c.checking, [&] {
            return Answer::of({{}, {c.of<GroupedLayer>().cached(B, S, H, H_kv, d)}, {0}});
        });
    };
}

Predict pool_heads(const Arguments& arguments) {
    const Tensor w = tensor(arguments, "w");
    const Index H = integer(arguments, "num_heads"), H_kv = integer(arguments, "num_kv_heads");
    return [=](const Choices& c) {
        return grouped(H, H_kv, c.checking, [&] {
            if (w.size(1) % H != 0) return refusal(c.checking, &Checking::divisible);
            return Answer::of(c.of<GroupedLayer>().pool(c.reading.tensor(w, Argument::other), H, H_kv));
        });
    };
}

Predict layer(const Arguments& arguments) {
    Given given;
    const Tensor x = tensor(arguments, "x");
    given.input = {x, x, x};
    given.weight = {tensor(arguments, "w_q"), tensor(arguments, "w_k"), tensor(arguments, "w_v")};
    given.w_o = tensor(arguments, "w_o");
    given.H = integer(arguments, "num_heads");
    given.H_kv = integer(arguments, "num_kv_heads");
    given.mask = mask(arguments, "mask");
    const Index H = given.H, H_kv = given.H_kv;
    const bool ranked = x.rank() == 3;
    given.D = ranked ? x.size(2) : 0;
    const Index D = given.D, E = given.weight[0].size(1), E_kv = H < 1 ? 0 : H_kv * (E / H);
    const bool even = H < 1 || E % H == 0;
    const bool wide = given.weight[1].size(1) > E_kv;
    const bool other_values = given.weight[2].size(1) != E_kv;
    const bool taken_by_output = H_kv >= 1 && given.w_o.size(0) == H * (given.weight[2].size(1) / H_kv);
    const bool other_output = given.w_o.size(1) != D, tall_output = given.w_o.size(0) != E;
    const bool tall =
        std::any_of(given.weight.begin(), given.weight.end(), [&](const Tensor& w) { return w.size(0) != D; });
    auto model = std::make_shared<Attention>(std::move(given));
    return [=](const Choices& c) {
        if (!ranked) return refusal(c.checking, &Checking::ranks);
        return grouped(H, H_kv, c.checking, [&] {
            if (!even) return refusal(c.checking, &Checking::divisible);
            if (tall) return refusal(c.checking, &Checking::weights);
            if (wide) return refusal(c.checking, &Checking::wide_keys);
            if (other_values)
                return refusal(c.checking, taken_by_output ? &Checking::other_values : &Checking::value_columns);
            if (tall_output) return refusal(c.checking, &Checking::output_rows);
            if (other_output) return refusal(c.checking, &Checking::other_output);
            if (c.of<GroupedLayer>().default_head_dim && E != D) return Answer::without_value(Answer::Kind::refused);
            return Answer::of(model->output(c));
        });
    };
}

std::vector<Arguments> ask_repeat_heads(Random& random) {
    const SmallSizes n = small_sizes(random);
    std::vector<Arguments> questions;
    const auto ask = [&](const Tensor& kv, Index H) { questions.push_back({{"kv", kv}, {"num_heads", H}}); };
    for (const Grouping& groups : {Grouping{3, 5}, Grouping{5, 3}, Grouping{2, 3}})
        ask(random_tensor(random, {n.B, groups.H_kv, n.S, n.d}), groups.H());
    const Tensor view = heads(random, n.B, 3, n.S, n.d);
    ask(view, 6);
    ask(view, 3);
    ask(heads(random, n.B, 1, n.S, n.d), 5);
    for (const Index H : {7, 2, 0}) ask(view, H);
    ask(view.select(0, 1), 6);
    return questions;
}

Questions ask_attention(Random& random) {
    const SmallSizes n = small_sizes(random);
    Questions questions;
    const auto ask = [&](const Grouping& groups, Index H, const Mask& mask, Index S, Index values, Index width,
                         const char* name = "") {
        questions.add({{"q", heads(random, n.B, H, n.T, n.d)},
                       {"k", heads(random, n.B, groups.H_kv, S, width)},
                       {"v", heads(random, n.B, groups.H_kv, values, n.d_v)},
                       {"mask", mask}},
                      name);
    };
    const auto fits = [&](const Grouping& groups, const Mask& mask, const char* name = "") {
        ask(groups, groups.H(), mask, n.S, n.S, n.d, name);
    };
    const Grouping wide{3, 2}, narrow{2, 3};
    fits({1, 3}, Mask{}, "one head for all");
    fits({5, 1}, Mask{});
    fits(wide, Mask{}, "groups");
    fits(narrow, Mask{}, "groups");
    fits({1, 3}, random_mask(random, {n.B, 3, n.T, n.S}), "one head for all, masked");
    fits(wide, reference::causal_mask(n.T, n.S));
    fits(narrow, random_mask(random, {n.B, 1, 1, n.S}));
    fits(wide, random_mask(random, {wide.H(), n.T, n.S}));
    fits(narrow, random_mask(random, {n.B, narrow.H(), n.T, n.S}));
    fits(narrow, Mask::block_all({n.T, n.S}));
    Arguments dense = questions[3];
    for (std::size_t i = 0; i < 3; ++i) dense[i].value = std::get<Tensor>(dense[i].value).contiguous();
    questions.add(std::move(dense));
    Arguments sharp = questions[2];
    sharp[0].value = std::get<Tensor>(sharp[0].value) * 60.0F;
    questions.add(std::move(sharp), "large scores");
    ask(narrow, 7, Mask{}, n.S, n.S, n.d);
    ask(narrow, 2, Mask{}, n.S, n.S, n.d);
    ask(narrow, 6, Mask{}, n.S, n.S + 1, n.d);
    ask(narrow, 6, Mask{}, n.S, n.S, n.d + 1);
    const auto longer = [&](std::initializer_list<std::size_t> which) {  // by a sequence
        questions.add(questions[2]);
        for (const std::size_t i : which) {
            const Shape shape = std::get<Tensor>(questions[2][i].value).shape();
            questions.last()[i].value = random_tensor(random, {n.B + 1, shape[1], shape[2], shape[3]});
        }
    };
    longer({1, 2});
    longer({2});
    longer({0});
    return questions;
}

std::vector<Arguments> ask_cached_numbers(Random& random) {
    const SmallSizes n = small_sizes(random);
    const auto ask = [&](Index S, Index H, Index H_kv, Index d) {
        return Arguments{{"B", n.B}, {"S", S}, {"num_heads", H}, {"num_kv_heads", H_kv}, {"head_dim", d}};
    };
    return {ask(n.S, 6, 3, n.d), ask(n.S, 5, 1, n.d), ask(n.T, 3, 3, n.d), ask(100'003 * n.S, 6, 2, 1'000 * n.d),
            ask(n.S, 7, 3, n.d), ask(n.S, 2, 3, n.d), ask(n.S, 0, 3, n.d)};
}

std::vector<Arguments> ask_pool_heads(Random& random) {
    const SmallSizes n = small_sizes(random);
    std::vector<Arguments> questions;
    const auto ask = [&](const Tensor& w, Index H, Index H_kv) {
        questions.push_back({{"w", w}, {"num_heads", H}, {"num_kv_heads", H_kv}});
    };
    for (const Grouping& groups : {Grouping{3, 2}, Grouping{2, 3}, Grouping{1, 3}, Grouping{5, 1}})
        ask(random_tensor(random, {n.S, groups.H() * n.d}), groups.H(), groups.H_kv);
    ask(random_tensor(random, {6 * n.d, n.S}).transpose(0, 1), 6, 3);
    ask(random_tensor(random, {n.S, 7 * n.d}), 7, 3);
    ask(random_tensor(random, {n.S, 2 * n.d}), 2, 3);
    ask(random_tensor(random, {n.S, 6 * n.d}), 0, 3);
    ask(random_tensor(random, {n.S, 6 * n.d + 1}), 6, 3);
    return questions;
}

Questions ask_layer(Random& random) {
    const SmallSizes n = small_sizes(random);
    const Index D = n.S;
    const auto weight = [&](Index in, Index out) {
        return random_tensor(random, {in, out}) * (1.5F / std::sqrt(static_cast<float>(in)));
    };
    const auto ask = [&](const Grouping& groups, const Mask& mask) {
        const Index E = groups.H() * n.d, E_kv = groups.H_kv * n.d;
        return Arguments{{"x", random_tensor(random, {n.B, n.T, D})},
                         {"w_q", weight(D, E)},
                         {"w_k", weight(D, E_kv)},
                         {"w_v", weight(D, E_kv)},
                         {"w_o", weight(E, D)},
                         {"num_heads", groups.H()},
                         {"num_kv_heads", groups.H_kv},
                         {"mask", mask}};
    };
    const Grouping wide{3, 2}, narrow{2, 3};
    Questions questions;
    questions.add(ask({1, 3}, Mask{}), "one head for all");
    questions.add(ask(wide, Mask{}), "groups");
    questions.add(ask(narrow, Mask{}), "groups");
    questions.add(ask(wide, reference::causal_mask(n.T, n.T)), "masked");
    questions.add(ask(narrow, random_mask(random, {n.B, narrow.H(), n.T, n.T})));
    questions.add(ask(narrow, random_mask(random, {n.B, 1, 1, n.T})));
    // As wide as its heads together, and a view: strides and widths that could be taken for one another.
    Arguments view = questions[1];
    view[0].value = random_tensor(random, {n.B, D, n.T}).transpose(1, 2);
    view[1].value = random_tensor(random, {wide.H() * n.d, D}).transpose(0, 1);
    questions.add(std::move(view));
    // H·d = D
    Arguments square = ask(wide, Mask{});
    const Index E = wide.H() * n.d;
    square[0].value = random_tensor(random, {n.B, n.T, E});
    square[1].value = weight(E, E);
    square[2].value = weight(E, wide.H_kv * n.d);
    square[3].value = weight(E, wide.H_kv * n.d);
    square[4].value = weight(E, E);
    questions.add(std::move(square));
    Arguments too_wide = ask(narrow, Mask{});
    too_wide[2].value = weight(D, narrow.H() * n.d);
    too_wide[3].value = weight(D, narrow.H() * n.d);
    questions.add(std::move(too_wide));
    Arguments other_values = ask(narrow, Mask{});
    other_values[3].value = weight(D, narrow.H_kv * (n.d + 1));
    other_values[4].value = weight(narrow.H() * (n.d + 1), D);
    questions.add(std::move(other_values));
    Arguments other_output = ask(narrow, Mask{});
    other_output[4].value = weight(narrow.H() * n.d, D + 1);
    questions.add(std::move(other_output));
    Arguments further_columns = ask(narrow, Mask{});
    further_columns[3].value = weight(D, narrow.H_kv * (n.d + 1));
    questions.add(std::move(further_columns));
    Arguments further_rows = ask(narrow, Mask{});
    further_rows[4].value = weight(narrow.H() * n.d + 1, D);
    questions.add(std::move(further_rows));
    Arguments tall = ask(narrow, Mask{});
    tall[2].value = weight(D + 1, narrow.H_kv * n.d);
    questions.add(std::move(tall));
    for (const Index H_kv : {4, 7, 0}) {
        questions.add(ask(narrow, Mask{}));
        questions.last()[6].value = H_kv;
    }
    return questions;
}

/// What follows from the student's own repeat_heads, if the rest is decided like this.
std::optional<Answer> from_own_heads(judge::Student& student, const Arguments& arguments, const Choices& c) {
    Given given;
    given.input[0] = tensor(arguments, "q");
    given.mask = mask(arguments, "mask");
    const Index H = given.input[0].size(1);
    for (const std::size_t role : {1U, 2U}) {
        const Tensor kv = tensor(arguments, role == 1 ? "k" : "v");
        const auto outcome = student.outcome("repeat_heads", {{"kv", kv}, {"num_heads", H}});
        if (outcome.error) return answer_of(outcome);
        const auto* own = std::get_if<Tensor>(&outcome.value);
        if (own == nullptr || own->shape() != Shape{kv.size(0), H, kv.size(2), kv.size(3)}) return std::nullopt;
        given.input[role] = *own;
    }
    return Answer::of(Attention(std::move(given)).output(c));
}

/// What follows from the student's own attention, if the rest is decided like this.
std::optional<Answer> from_own_attention(judge::Student& student, const Arguments& arguments, const Choices& c) {
    const Tensor x = tensor(arguments, "x");
    const Index H = integer(arguments, "num_heads"), H_kv = integer(arguments, "num_kv_heads");
    if (x.rank() != 3 || H < 1 || H_kv < 1) return std::nullopt;
    const auto split = [&](std::size_t role, Index num_heads) {
        Given given;
        given.input = {x, x, x};
        given.weight = {tensor(arguments, "w_q"), tensor(arguments, "w_k"), tensor(arguments, "w_v")};
        given.H = num_heads;
        return reference::to_tensor(Attention(std::move(given)).heads(role, c));
    };
    const auto outcome = student.outcome(
        "grouped_query_attention",
        {{"q", split(0, H)}, {"k", split(1, H_kv)}, {"v", split(2, H_kv)}, {"mask", argument(arguments, "mask")}});
    const auto* context = std::get_if<Tensor>(&outcome.value);
    if (context == nullptr) return answer_of(outcome);
    if (context->rank() != 4) return std::nullopt;
    const Array merged = c.merging.merge(judge::own(*context)), w_o = reference::exact(tensor(arguments, "w_o")),
                w_v = reference::exact(tensor(arguments, "w_v")), query = reference::exact(x);
    return Answer::of(c.output.project({merged, w_o, nullptr, query, &w_v, H}));
}

const SubjectRegistration registration(
    "09_grouped_query",
    {{{.name = "repeat_heads", .model = &repeat_heads, .questions = &ask_repeat_heads, .stage = "split"},
      {.name = "grouped_query_attention",
       .model = &attention,
       .questions = &ask_attention,
       .given_own = &rightly<&from_own_heads>,
       .given_own_and = &from_own_heads,
       .stage = "weigh",
       .stages = {{"scores", "one head for all"},
                  {"split", "groups"},
                  {"mask", "one head for all, masked"},
                  {"softmax", "large scores"}},
       .invariants = {permuted_tokens({"k", "v"}, Follows::not_at_all,
                                      "the output changes when keys change places together with their values"),
                      permuted_tokens({"q"}, Follows::rows, "a query's output depends on where the query stands")}},
      {.name = "cached_numbers", .model = &cached_numbers, .questions = &ask_cached_numbers},
      {.name = "pool_heads", .model = &pool_heads, .questions = &ask_pool_heads, .stage = "project"},
      {.name = "grouped_query_self_attention",
       .model = &layer,
       .questions = &ask_layer,
       .given_own = &rightly<&from_own_attention>,
       .given_own_and = &from_own_attention,
       .stage = "output",
       .stages = {{"output", "one head for all"}, {"split", "groups"}, {"mask", "masked"}},
       .invariants = {permuted_tokens({"x"}, Follows::rows, "a token's output depends on where the token stands"),
                      unseen_future({"x"})}}}});

}  // namespace
}  // namespace headway::diagnosis
