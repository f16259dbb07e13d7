// What diagnosis knows of exercise 01.      T tokens · S keys · D model width · d key width · d_v value width
#include "diagnosis/attention.hpp"
#include "diagnosis/softmax.hpp"
#include "diagnosis/subject.hpp"
#include "reference/attention.hpp"
#include "student/expect.hpp"
#include "student/inputs.hpp"

#include <cmath>
#include <memory>

namespace headway::diagnosis {
namespace {

using judge::Arguments;
using judge::random_tensor;

Predict softmax_rows(const Arguments& arguments) {
    const Tensor scores = tensor(arguments, "scores");
    return [scores](const Choices& c) {
        const Array rows = c.reading.tensor(scores, Argument::other);
        return Answer::of(softmax(rows, Blocked(rows.value.size(), false), c.softmaxing));
    };
}

Predict attention_weights(const Arguments& arguments) {
    Given given;
    given.input[0] = tensor(arguments, "q");
    given.input[1] = tensor(arguments, "k");
    const bool fits = given.input[0].size(-1) == given.input[1].size(-1);
    const bool too_wide = given.input[0].size(-1) > given.input[1].size(-1);
    auto model = std::make_shared<Attention>(std::move(given));
    return [model, fits, too_wide](const Choices& c) {
        // A sum over the features of q leaves a narrower k, with whatever follows.
        if (too_wide && !c.checking.widths) return Answer::without_value(Answer::Kind::unpredicted);
        return checked(fits, c.checking, &Checking::widths,
                       [&] { return Answer::of(model->context_and_weights(c).returned); });
    };
}

Predict single_head_attention(const Arguments& arguments) {
    Given given;
    const Tensor x = tensor(arguments, "x");
    given.input = {x, x, x};
    given.weight = {tensor(arguments, "w_q"), tensor(arguments, "w_k"), tensor(arguments, "w_v")};
    given.D = x.size(1);
    bool tall = true;
    bool extra = false;
    for (const Tensor& w : given.weight) {
        tall = tall && w.size(0) >= x.size(1);
        extra = extra || w.size(0) > x.size(1);
    }
    const bool wide = given.weight[0].size(1) == given.weight[1].size(1);
    auto model = std::make_shared<Attention>(std::move(given));
    return [model, tall, extra, wide](const Choices& c) {
        return checked(tall, c.checking, &Checking::weights, [&] {
            return checked(!extra, c.checking, &Checking::extra_rows, [&] {
                return checked(wide, c.checking, &Checking::widths, [&] { return Answer::of(model->output(c)); });
            });
        });
    };
}

Predict with_residual(const Arguments& arguments) {
    const Tensor x = tensor(arguments, "x");
    const Tensor attended = tensor(arguments, "attended");
    return [x, attended](const Choices& c) {
        return checked(x.shape() == attended.shape(), c.checking, &Checking::residual, [&] {
            return Answer::of(
                c.residual.add(c.reading.tensor(x, Argument::other), c.reading.tensor(attended, Argument::other)));
        });
    };
}

// Small questions with sizes that differ pairwise: T = 3, S = 5, d = 6, D = 7, d_v = 4 is avoided as a power of two.
constexpr Index T = 3, S = 5, d = 6, D = 7, d_v = 9;

std::vector<Arguments> ask_softmax_rows(Random& random) {
    Tensor large = random_tensor(random, {6, S});
    large[1] += 1e4F;
    large[2] -= 1e4F;
    large[3] *= 1e4F;
    // Far enough for float's exp to be 0, and not for double's.
    Tensor one_row_below = random_tensor(random, {T, S});
    one_row_below[1] -= 160.0F;
    return {{{"scores", random_tensor(random, {T, S}) * 2.0F}},
            {{"scores", random_tensor(random, {S, T}).transpose(0, 1)}},
            {{"scores", random_tensor(random, {S, S})}},
            {{"scores", random_tensor(random, {T, S}) * 60.0F}},
            {{"scores", random_tensor(random, {T, S}) + 120.0F}},
            {{"scores", large}},
            {{"scores", one_row_below}},
            {{"scores", random_tensor(random, {2, S}) - 160.0F}},
            {{"scores", Tensor::zeros({2, S})}},  // several are the largest
            {{"scores", random_tensor(random, {2, S}) - 2000.0F}}};
}

/// Queries of which every other has large scores of one sign with keys that lean the same way or the other.
Tensor leaning_rows(Random& random, Index rows) {
    Tensor q = random_tensor(random, {rows, d});
    for (Index t = 1; t < rows; t += 2) q[t] += 9.0F;
    return q;
}

std::vector<Arguments> ask_attention_weights(Random& random) {
    const auto ask = [&](Index queries, Index keys, Index width) {
        return Arguments{{"q", random_tensor(random, {queries, width})}, {"k", random_tensor(random, {keys, width})}};
    };
    return {
        ask(T, S, d),
        ask(S, T, 5),
        ask(S, S, 3),
        {{"q", random_tensor(random, {d, T}).transpose(0, 1)}, {"k", random_tensor(random, {d, S}).transpose(0, 1)}},
        {{"q", random_tensor(random, {T, 2 * d}).slice(1, d, 2 * d)}, {"k", random_tensor(random, {S, d})}},
        {{"q", random_tensor(random, {T, d}) * 30.0F}, {"k", random_tensor(random, {S, d}) * 30.0F}},
        {{"q", leaning_rows(random, T)}, {"k", random_tensor(random, {S, d}) * 0.5F + 9.0F}},
        {{"q", leaning_rows(random, T)}, {"k", random_tensor(random, {S, d}) * 0.5F - 9.0F}},
        {{"q", random_tensor(random, {T, d})}, {"k", random_tensor(random, {S, d + 1})}},
        {{"q", random_tensor(random, {T, d + 1})}, {"k", random_tensor(random, {S, d})}},
        ask(T, d, d)};
}

Arguments head(Random& random, Index tokens, Index width, Index keys, Index values, float size = 1.0F) {
    const auto weight = [&](Index columns) {
        return random_tensor(random, {width, columns}) * (1.5F * size / std::sqrt(static_cast<float>(width)));
    };
    const Tensor x = random_tensor(random, {tokens, width});
    const Tensor w_q = weight(keys);
    const Tensor w_k = weight(keys);
    return {{"x", x}, {"w_q", w_q}, {"w_k", w_k}, {"w_v", weight(values)}};
}

Questions ask_single_head_attention(Random& random) {
    Arguments identity = head(random, S, D, d, D);
    identity[3].value = Tensor::eye(D);
    Arguments even = head(random, S, D, d, d_v);
    even[1].value = Tensor::zeros({D, d});
    // Feature 0 of every token is 1, feature 1 of every other: all scores of these are large and of one sign.
    const auto leaning = [&](float q, float k) {
        Arguments arguments = head(random, S, D, d, d_v);
        Tensor x = std::get<Tensor>(arguments[0].value);
        for (Index t = 0; t < S; ++t) {
            x(t, 0) = 1.0F;
            x(t, 1) = static_cast<float>(t % 2);
        }
        std::get<Tensor>(arguments[1].value)[1] += q;
        std::get<Tensor>(arguments[2].value)[0] += k;
        return arguments;
    };
    Arguments short_query = head(random, S, D, d, d_v);
    short_query[1].value = random_tensor(random, {D - 1, d});
    Arguments tall_value = head(random, S, D, d, d_v);
    tall_value[3].value = random_tensor(random, {D + 1, d_v});
    Arguments wide_key = head(random, S, D, d, d_v);
    wide_key[2].value = random_tensor(random, {D, d + 2});
    Questions questions({even, head(random, S, D, d, d_v), head(random, T, D, 5, d_v), head(random, D, D, D, D),
                         head(random, S, D, d, d)});
    questions.add(identity, "w_v = I");
    for (const Arguments& arguments : {head(random, S, D, d, d_v, 8.0F), leaning(9.0F, 9.0F), leaning(9.0F, -9.0F),
                                       short_query, tall_value, wide_key, head(random, S, D, S, d_v)})
        questions.add(arguments);
    questions.add(head(random, 1, D, d, D),
                  "there is one token");  // attends to itself alone: what comes back is its value
    return questions;
}

std::vector<Arguments> ask_with_residual(Random& random) {
    return {{{"x", random_tensor(random, {T, D})}, {"attended", random_tensor(random, {T, D})}},
            {{"x", random_tensor(random, {D, T}).transpose(0, 1)}, {"attended", random_tensor(random, {T, D})}},
            {{"x", random_tensor(random, {T, D})}, {"attended", random_tensor(random, {T, D - 2})}},
            {{"x", random_tensor(random, {T, D})}, {"attended", random_tensor(random, {D, T})}},
            {{"x", random_tensor(random, {D, T})}, {"attended", random_tensor(random, {T, D})}},
            {{"x", random_tensor(random, {S, D})}, {"attended", random_tensor(random, {T, D})}},
            {{"x", random_tensor(random, {T, D})}, {"attended", random_tensor(random, {S, D})}},
            {{"x", random_tensor(random, {T, D})}, {"attended", random_tensor(random, {D, T}).transpose(0, 1)}}};
}

/// What follows from the student's own softmax.
std::optional<Answer> from_own_softmax(judge::Student& student, const Arguments& arguments) {
    const Tensor q = tensor(arguments, "q");
    const Tensor k = tensor(arguments, "k");
    if (q.size(1) != k.size(1)) return std::nullopt;
    const Array scores = reference::scores(reference::exact(q), reference::exact(k));
    const auto rows = student.outcome("softmax_rows", {{"scores", reference::to_tensor(scores)}});
    const auto* own = std::get_if<Tensor>(&rows.value);
    return own == nullptr ? answer_of(rows) : Answer::of(judge::own(*own));
}

/// What follows from the student's own weights.
std::optional<Answer> from_own_weights(judge::Student& student, const Arguments& arguments) {
    const Array x = reference::exact(tensor(arguments, "x"));
    const auto times = [&](const char* name) {
        return reference::matmul(x, reference::exact(tensor(arguments, name)));
    };
    const auto weights = student.outcome(
        "attention_weights", {{"q", reference::to_tensor(times("w_q"))}, {"k", reference::to_tensor(times("w_k"))}});
    if (weights.error) return answer_of(weights);
    const auto* own = std::get_if<Tensor>(&weights.value);
    if (own == nullptr || own->shape() != Shape{x.size(0), x.size(0)}) return std::nullopt;
    return Answer::of(reference::matmul(judge::own(*own), times("w_v")));
}

const SubjectRegistration registration(
    "01_single_head",
    {{{.name = "softmax_rows", .model = &softmax_rows, .questions = &ask_softmax_rows, .stage = Stage::softmax},
      {.name = "attention_weights",
       .model = &attention_weights,
       .questions = &ask_attention_weights,
       .given_own = &from_own_softmax,
       .stage = Stage::scale,
       .invariants = {permuted_tokens({"k"}, Follows::columns, "weights of a key change when keys change places")}},
      {.name = "single_head_attention",
       .model = &single_head_attention,
       .questions = &ask_single_head_attention,
       .given_own = &from_own_weights,
       .stage = Stage::weigh,
       .stages = {{Stage::weigh, "w_v = I"}, {Stage::project, "there is one token"}},
       .invariants = {permuted_tokens({"x"}, Follows::rows, "a token's output depends on where the token stands")}},
      {.name = "with_residual", .model = &with_residual, .questions = &ask_with_residual, .stage = Stage::output}}});

}  // namespace
}  // namespace headway::diagnosis
