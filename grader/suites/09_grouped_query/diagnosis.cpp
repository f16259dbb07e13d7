// What diagnosis knows of exercise 09.
//      B batch · T queries · S keys · D model width · H query heads · H_kv heads of keys and values · d head_dim
#include "suites/09_grouped_query/grouped_layer.hpp"
#include "suites/09_grouped_query/questions.hpp"

#include "diagnosis/attention.hpp"
#include "diagnosis/elements.hpp"
#include "diagnosis/subject.hpp"
#include "reference/attention.hpp"
#include "student/expect.hpp"

#include <algorithm>
#include <memory>

namespace headway::diagnosis {
namespace {

using judge::Arguments;

/// Refused, unless the heads form even groups.
Answer grouped(Index H, Index H_kv, const Checking& checking, const std::function<Answer()>& otherwise) {
    if (H < 1) return refusal(checking, &Checking::heads);
    if (H_kv < 1) return refusal(checking, &Checking::kv_heads);
    if (H < H_kv) return refusal(checking, &Checking::fewer_heads);
    if (H % H_kv != 0) return refusal(checking, &Checking::groups);
    return otherwise();
}

/// Whether (B, H_kv, 1, S, d) is a view of it.
bool is_viewed_with_one_more_axis(const Tensor& kv) {
    Shape shape = kv.shape();
    shape.insert(shape.begin() + 2, 1);
    try {
        static_cast<void>(kv.view(shape));
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

Predict repeat_heads(const Arguments& arguments) {
    const Tensor kv = tensor(arguments, "kv");
    const Index H = integer(arguments, "num_heads");
    return [kv, H](const Choices& c) {
        if (kv.rank() != 4) return refusal(c.checking, &Checking::ranks);
        if (c.of<GroupedLayer>().gaps_refused && !is_viewed_with_one_more_axis(kv))
            return Answer::without_value(Answer::Kind::refused);
        return grouped(H, kv.size(1), c.checking, [&] {
            const GroupedLayer& layer = c.of<GroupedLayer>();
            Array copies = shared_heads(c.reading.tensor(kv, Argument::other), H, layer.copied);
            if (layer.token != nullptr) copies = exchanged_tokens(copies, H / kv.size(1), layer.token);
            return Answer::of(std::move(copies));
        });
    };
}

Answer refusal_of_value_heads(const Choices& c) {
    using Kind = Answer::Kind;
    if (!c.of<GroupedLayer>().value_heads_checked) return Answer::without_value(Kind::accepted);
    return Answer::without_value(c.checking.invalid_argument ? Kind::refused : Kind::threw);
}

Answer context_of(Attention& model, Index H_kv, const Mask& mask, const Choices& c) {
    const GroupedLayer& layer = c.of<GroupedLayer>();
    Array context = model.output(c);
    if (layer.features_of_keys) {
        const Index d = model.heads(1, c).size(-1);
        if (context.size(-1) < d) return Answer::without_value(Answer::Kind::refused);  // an index leaves v
        context = first_features(std::move(context), d);
    }
    if (layer.largest != GroupedLayer::Largest::own) {
        const Array& scores = model.scores(c);
        context = below_the_largest(std::move(context), scores, c.masking.read(mask, scores.shape),
                                    scores.size(1) / H_kv, layer.largest);
    }
    return Answer::of(std::move(context));
}

Predict attention(const Arguments& arguments) {
    Given given;
    given.input = {tensor(arguments, "q"), tensor(arguments, "k"), tensor(arguments, "v")};
    given.mask = mask(arguments, "mask");
    const Shape q = given.input[0].shape(), k = given.input[1].shape(), v = given.input[2].shape();
    if (q.size() != 4 || k.size() != 4 || v.size() != 4) return nullptr;
    given.H_kv = k[1];
    const Mask blocked = given.mask;
    auto model = std::make_shared<Attention>(std::move(given));
    return [model, q, k, v, blocked](const Choices& c) {
        return grouped(q[1], k[1], c.checking, [&] {
            if (k[1] != v[1]) return refusal_of_value_heads(c);
            if (k[0] > q[0] || v[0] > k[0]) return refusal(c.checking, &Checking::more_keys);
            if (v[0] < k[0]) return refusal(c.checking, &Checking::values);
            return checked(q[3] == k[3], c.checking, &Checking::widths, [&] {
                return checked(q[0] == k[0], c.checking, &Checking::batches, [&] {
                    return checked(k[2] == v[2], c.checking, &Checking::lengths,
                                   [&] { return context_of(*model, k[1], blocked, c); });
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
            const bool by_groups = c.of<GroupedLayer>().columns_checked_by_groups && w.size(1) % H_kv == 0;
            if (by_groups && w.size(1) % H != 0) return Answer::without_value(Answer::Kind::accepted);
            if (w.size(1) % H != 0) return refusal(c.checking, &Checking::columns);
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
            if (!even) return refusal(c.checking, &Checking::columns);
            if (tall) return refusal(c.checking, &Checking::weights);
            if (wide) return refusal(c.checking, &Checking::wide_keys);
            if (other_values)
                return refusal(c.checking, taken_by_output ? &Checking::other_values : &Checking::value_columns);
            if (tall_output) return refusal(c.checking, &Checking::output_rows);
            if (other_output) return refusal(c.checking, &Checking::other_output);
            if (c.of<GroupedLayer>().default_head_dim && E != D) {
                // D / H rounded down may be right: then it depends on whether that H divides D is asked, too.
                using Kind = Answer::Kind;
                return Answer::without_value(E == D / H * H ? Kind::unpredicted : Kind::refused);
            }
            return Answer::of(model->output(c));
        });
    };
}

/// What follows from the student's own repeat_heads, if the rest is decided like this.
std::optional<Answer> from_own_heads(judge::Student& student, const Arguments& arguments, const Choices& c) {
    Given given;
    given.input[0] = tensor(arguments, "q");
    given.mask = mask(arguments, "mask");
    const Index H = given.input[0].size(1);
    const Shape q = given.input[0].shape(), k = tensor(arguments, "k").shape(), v = tensor(arguments, "v").shape();
    // What it should refuse itself is not handed on.
    if (q.size() != 4 || k.size() != 4 || v.size() != 4) return std::nullopt;
    if (q[0] != k[0] || q[0] != v[0] || k[1] != v[1] || k[2] != v[2] || q[3] != k[3]) return std::nullopt;
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

/// What the layer hands on in place of its mask, where it reads it like this.
Mask handed_on(const Mask& mask, const Shape& scores, const Choices& c) {
    if (!mask.defined() || c.masking.read == right().masking.read) return mask;
    const Blocked blocked = c.masking.read(mask, scores);
    if (std::ranges::count(blocked, true) == 0) return {};
    Mask other = Mask::allow_all(scores);
    std::ranges::copy(blocked, other.data());
    return other;
}

/// What follows from the student's own attention, if the rest is decided like this.
/// @param as_views  heads are handed on as given::split_heads leaves them, and not as tensors of their own
std::optional<Answer> from_attention(judge::Student& student, const Arguments& arguments, const Choices& c,
                                     bool as_views) {
    const Tensor x = tensor(arguments, "x");
    const Index H = integer(arguments, "num_heads"), H_kv = integer(arguments, "num_kv_heads");
    if (x.rank() != 3 || H < 1 || H_kv < 1) return std::nullopt;
    // What it should refuse itself is not handed on, unless that is what it lets through.
    const Index E = tensor(arguments, "w_q").size(1);
    const Shape w_o = tensor(arguments, "w_o").shape();
    if (w_o.size() != 2 || w_o[0] != E || (c.checking.other_output && w_o[1] != x.size(2)) ||
        tensor(arguments, "w_v").size(1) != H_kv * (E / H))
        return std::nullopt;
    const auto split = [&](std::size_t role, Index num_heads) {
        Given given;
        given.input = {x, x, x};
        given.weight = {tensor(arguments, "w_q"), tensor(arguments, "w_k"), tensor(arguments, "w_v")};
        given.H = num_heads;
        const Array heads = Attention(std::move(given)).heads(role, c);
        return as_views ? reference::to_tensor(reference::transpose(heads, 1, 2)).transpose(1, 2)
                        : reference::to_tensor(heads);
    };
    const Mask mask = handed_on(diagnosis::mask(arguments, "mask"), {x.size(0), H, x.size(1), x.size(1)}, c);
    const auto outcome = student.outcome(
        "grouped_query_attention", {{"q", split(0, H)}, {"k", split(1, H_kv)}, {"v", split(2, H_kv)}, {"mask", mask}});
    const auto* context = std::get_if<Tensor>(&outcome.value);
    if (context == nullptr) return answer_of(outcome);
    if (context->rank() != 4) return std::nullopt;
    const Array merged = c.merging.merge(judge::own(*context)), out = reference::exact(tensor(arguments, "w_o")),
                w_v = reference::exact(tensor(arguments, "w_v")), query = reference::exact(x);
    return Answer::of(c.output.project({merged, out, nullptr, query, &w_v, H, H_kv}));
}

std::optional<Answer> from_own_attention(judge::Student& student, const Arguments& arguments) {
    return from_attention(student, arguments, right(), false);
}

std::optional<Answer> from_own_attention_given_views(judge::Student& student, const Arguments& arguments,
                                                     const Choices& c) {
    return from_attention(student, arguments, c, true);
}

const SubjectRegistration registration(
    "09_grouped_query",
    {{{.name = "repeat_heads", .model = &repeat_heads, .questions = &ask_repeat_heads, .stage = Stage::split},
      {.name = "grouped_query_attention",
       .model = &attention,
       .questions = &ask_attention,
       .given_own = &rightly<&from_own_heads>,
       .given_own_and = &from_own_heads,
       .stage = Stage::weigh,
       .stages = {{Stage::scores, "H = H_kv"},
                  {Stage::split, "H > H_kv"},
                  {Stage::mask, "H = H_kv and there is a mask"},
                  {Stage::softmax, "scores are large"}},
       .invariants = {permuted_tokens({"k", "v"}, Follows::not_at_all,
                                      "the output changes when keys change places together with their values"),
                      permuted_tokens({"q"}, Follows::rows, "a query's output depends on where the query stands")}},
      {.name = "cached_numbers", .model = &cached_numbers, .questions = &ask_cached_numbers},
      {.name = "pool_heads", .model = &pool_heads, .questions = &ask_pool_heads, .stage = Stage::project},
      {.name = "grouped_query_self_attention",
       .model = &layer,
       .questions = &ask_layer,
       .given_own = &from_own_attention,
       .given_own_and = &from_own_attention_given_views,
       .stage = Stage::output,
       .stages = {{Stage::output, "H = H_kv"}, {Stage::split, "H > H_kv"}, {Stage::mask, "there is a mask"}},
       .invariants = {permuted_tokens({"x"}, Follows::rows, "a token's output depends on where the token stands"),
                      unseen_future({"x"})}}}});

}  // namespace
}  // namespace headway::diagnosis
