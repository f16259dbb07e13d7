// What diagnosis knows of exercise 04.        B batch · H heads · T tokens · D model width · d = D / H
#include "diagnosis/attention.hpp"
#include "diagnosis/catalogue.hpp"
#include "diagnosis/small_sizes.hpp"
#include "diagnosis/subject.hpp"
#include "reference/attention.hpp"
#include "student/expect.hpp"
#include "student/inputs.hpp"

#include <cmath>
#include <memory>

namespace headway::diagnosis {
namespace {

using judge::Arguments;
using judge::random_mask;
using judge::random_tensor;

/// The numbers of a tensor one after the other as they lie in memory, whatever its strides.
Array stored(const Tensor& tensor) {
    Choices choices = right();
    mistake("strides_ignored").make(choices);
    return choices.reading.tensor(tensor, Argument::other);
}

/// With the merging that such a merge_heads does of a context that is row-major.
Choices merging_what_is_contiguous(const Choices& c) {
    Choices choices = c;
    choices.merging.merge = c.merging.by_storage;
    return choices;
}

Predict merge_heads(const Arguments& arguments) {
    const Tensor context = tensor(arguments, "context");
    return [context](const Choices& c) {
        if (context.rank() != 4) return refusal(c.checking, &Checking::ranks);
        // What is wrong in splitting and merging alike is no mistake of a function that only merges.
        const Merging& merging = c.splitting == right().splitting ? c.merging : right().merging;
        if (merging.by_storage != nullptr) return Answer::of(merging.by_storage(stored(context)));
        return Answer::of(merging.merge(c.reading.tensor(context, Argument::other)));
    };
}

Predict project_output(const Arguments& arguments) {
    const Tensor merged = tensor(arguments, "merged");
    const Tensor w_o = tensor(arguments, "w_o");
    const Tensor b_o = tensor(arguments, "b_o");
    return [merged, w_o, b_o](const Choices& c) {
        return checked(merged.size(-1) == w_o.size(0), c.checking, &Checking::weights, [&] {
            const bool fits = !b_o.defined() || b_o.shape() == Shape{w_o.size(1)};
            return checked(fits, c.checking, &Checking::bias, [&] {
                const Array x = c.reading.tensor(merged, Argument::other);
                const Array bias = b_o.defined() ? reference::exact(b_o) : Array{};
                return Answer::of(c.output.project(
                    {x, c.reading.tensor(w_o, Argument::w_o), b_o.defined() ? &bias : nullptr, x, nullptr, 1}));
            });
        });
    };
}

Predict multi_head_attention(const Arguments& arguments) {
    Given given;
    const Tensor x = tensor(arguments, "x");
    given.input = {x, x, x};
    given.weight = {tensor(arguments, "w_q"), tensor(arguments, "w_k"), tensor(arguments, "w_v")};
    given.w_o = tensor(arguments, "w_o");
    given.H = integer(arguments, "num_heads");
    given.mask = mask(arguments, "mask");
    const Index H = given.H;
    const bool ranked = x.rank() == 3;
    given.D = ranked ? x.size(2) : 0;
    const bool some = H >= 1;
    const bool divisible = some && x.size(-1) % H == 0;
    bool tall = true;
    for (const Tensor& w : given.weight) tall = tall && w.size(0) == x.size(-1);
    auto model = std::make_shared<Attention>(std::move(given));
    return [=](const Choices& c) {
        if (!ranked) return refusal(c.checking, &Checking::ranks);
        if (!some) return refusal(c.checking, H < 0 ? &Checking::negative_heads : &Checking::heads);
        if (!divisible) return refusal(c.checking, &Checking::divisible);
        return checked(tall, c.checking, &Checking::weights, [&] {
            if (c.merging.by_storage == nullptr) return Answer::of(model->output(c));
            return Answer::of(model->output(merging_what_is_contiguous(c)));
        });
    };
}

std::vector<Arguments> ask_merge_heads(Random& random) {
    const SmallSizes n = small_sizes(random);
    return {{{"context", random_tensor(random, {n.B, n.H, n.T, n.d})}},
            {{"context", random_tensor(random, {n.B, n.S, n.H, n.d}).transpose(1, 2)}},
            {{"context", random_tensor(random, {n.B, n.H, n.H, n.d})}},
            {{"context", random_tensor(random, {n.B, 3, n.T, n.d + 2})}},  // heads wider than their number
            {{"context", random_tensor(random, {n.B, n.T, n.d})}}};
}

std::vector<Arguments> ask_project_output(Random& random) {
    const SmallSizes n = small_sizes(random);
    const Index E = n.d, D = n.S;
    const auto ask = [&](Index width, const Tensor& w_o, const Tensor& b_o) {
        return Arguments{{"merged", random_tensor(random, {n.B, n.T, width})}, {"w_o", w_o}, {"b_o", b_o}};
    };
    const auto bias = [&](Index width) { return random_tensor(random, {width}) + 1.0F; };
    return {ask(E, random_tensor(random, {E, D}), Tensor{}),
            ask(E, random_tensor(random, {E, E}), Tensor{}),
            ask(E, random_tensor(random, {E, E}), bias(E)),
            ask(E, random_tensor(random, {E, D}), bias(D)),
            ask(E, random_tensor(random, {D, E}).transpose(0, 1), bias(D)),
            ask(E, random_tensor(random, {E + 1, D}), Tensor{}),
            ask(E, random_tensor(random, {E, D}), bias(D - 1)),
            ask(E, random_tensor(random, {E, D}), bias(D + 1))};
}

Questions ask_multi_head_attention(Random& random) {
    const SmallSizes n = small_sizes(random);
    const Index D = n.D();
    // Small enough that softmax does not saturate: a saturated softmax hides mistakes.
    const auto weight = [&](float size = 1.5F) {
        return random_tensor(random, {D, D}) * (size / std::sqrt(static_cast<float>(D)));
    };
    const auto ask = [&](Index T, const Mask& mask) {
        const Tensor x = random_tensor(random, {n.B, T, D});
        const Tensor w_q = weight();
        const Tensor w_k = weight();
        const Tensor w_v = weight();
        return Arguments{{"x", x},          {"w_q", w_q},       {"w_k", w_k},  {"w_v", w_v},
                         {"w_o", weight()}, {"num_heads", n.H}, {"mask", mask}};
    };
    Shape lengths(static_cast<std::size_t>(n.B));
    for (Index& length : lengths) length = random.integer(1, n.S);
    // Equal scores and w_o = I: only values, weighing and merging show.
    Arguments even = ask(n.T, Mask{});
    even[1].value = Tensor::zeros({D, D});
    even[4].value = Tensor::eye(D);
    // w_o = I alone: everything but the output projection shows.
    Arguments plain = ask(n.T, Mask{});
    plain[4].value = Tensor::eye(D);
    Arguments even_masked = ask(n.S, random_mask(random, {n.B, n.H, n.S, n.S}));
    even_masked[1].value = Tensor::zeros({D, D});
    Arguments large = ask(n.T, Mask{});
    large[1].value = weight(90.0F);
    Arguments view = ask(n.T, Mask{});
    view[0].value = random_tensor(random, {n.B, D, n.T}).transpose(1, 2);
    view[2].value = std::get<Tensor>(view[2].value).transpose(0, 1);
    Mask with_empty_rows = random_mask(random, {n.B, 1, n.S, n.S});
    for (Index s = 0; s < n.S; ++s) with_empty_rows(1, 0, 1, s) = true;
    // Feature 0 of every token is 1, feature 1 of every other: all scores of these are large and of one sign.
    const auto leaning = [&](float q, float k) {
        Arguments arguments = ask(n.T, Mask{});
        Tensor x = std::get<Tensor>(arguments[0].value);
        for (Index b = 0; b < n.B; ++b)
            for (Index t = 0; t < n.T; ++t) {
                x(b, t, 0) = 1.0F;
                x(b, t, 1) = static_cast<float>(t % 2);
            }
        std::get<Tensor>(arguments[1].value)[1] += q;
        std::get<Tensor>(arguments[2].value)[0] += k;
        return arguments;
    };
    Arguments uneven = ask(n.T, Mask{});
    uneven[5].value = n.H * n.d + 1;
    Arguments none = ask(n.T, Mask{});
    none[5].value = Index{0};
    Arguments negative = ask(n.T, Mask{});
    negative[5].value = Index{-1};
    Arguments narrow = ask(n.T, Mask{});
    narrow[1].value = random_tensor(random, {D + n.H, D});
    Questions questions;
    questions.add(even, "all scores are equal and w_o = I");
    questions.add(plain, "w_o = I");
    questions.add(even_masked, "all scores are equal and there is a mask");
    questions.add(ask(n.T, Mask{}), "there is no mask");
    for (const Arguments& arguments :
         {ask(n.S, reference::causal_mask(n.S, n.S)), ask(n.S, reference::padding_mask(lengths, n.S)),
          ask(n.S, random_mask(random, {n.S, n.S})), ask(n.S, random_mask(random, {n.H, 1, n.S})),
          ask(n.S, random_mask(random, {n.B, n.H, n.S, n.S})), ask(n.S, with_empty_rows), view, large,
          leaning(9.0F, 9.0F), leaning(9.0F, -9.0F), uneven, none, negative, narrow, ask(n.d, Mask{})})
        questions.add(arguments);
    for (const Mask& mask : judge::mask_views(random, {n.B, n.H, n.S, n.S})) questions.add(ask(n.S, mask));
    return questions;
}

/// What the student's own merge_heads and project_output make of a context.
Answer merged_and_projected(judge::Student& student, const Arguments& arguments, const Array& context) {
    const auto merged = student.outcome("merge_heads", {{"context", reference::to_tensor(context)}});
    if (merged.error) return answer_of(merged);
    const auto output = student.outcome(
        "project_output", {{"merged", merged.value}, {"w_o", tensor(arguments, "w_o")}, {"b_o", Tensor{}}});
    const auto* own = std::get_if<Tensor>(&output.value);
    return own == nullptr ? answer_of(output) : Answer::of(judge::own(*own));
}

/// What follows from the student's own merge_heads and project_output.
std::optional<Answer> from_own_parts(judge::Student& student, const Arguments& arguments) {
    const Tensor x = tensor(arguments, "x");
    const Index H = integer(arguments, "num_heads");
    if (x.rank() != 3 || H < 1 || x.size(2) % H != 0) return std::nullopt;
    const auto heads = [&](const char* name) {
        return reference::split_heads(reference::matmul(reference::exact(x), reference::exact(tensor(arguments, name))),
                                      H);
    };
    const auto attended = reference::attention(heads("w_q"), heads("w_k"), heads("w_v"), mask(arguments, "mask"));
    return merged_and_projected(student, arguments, attended.context);
}

/// The same where the attention before them is computed by other choices.
std::optional<Answer> from_own_parts_and(judge::Student& student, const Arguments& arguments, const Choices& c) {
    const Tensor x = tensor(arguments, "x");
    Given given;
    given.input = {x, x, x};
    given.weight = {tensor(arguments, "w_q"), tensor(arguments, "w_k"), tensor(arguments, "w_v")};
    given.H = integer(arguments, "num_heads");
    given.mask = mask(arguments, "mask");
    if (x.rank() != 3 || given.H < 1 || x.size(2) % given.H != 0) return std::nullopt;
    if (!(c.merging == right().merging) || !(c.output == right().output)) return std::nullopt;
    given.D = x.size(2);
    Attention model(std::move(given));
    return merged_and_projected(student, arguments, model.context_and_weights(c).context);
}

const SubjectRegistration registration(
    "04_merge_heads",
    {{{.name = "merge_heads", .model = &merge_heads, .questions = &ask_merge_heads, .stage = Stage::merge},
      {.name = "project_output", .model = &project_output, .questions = &ask_project_output, .stage = Stage::output},
      {.name = "multi_head_attention",
       .model = &multi_head_attention,
       .questions = &ask_multi_head_attention,
       .given_own = &from_own_parts,
       .given_own_and = &from_own_parts_and,
       .stages = {{Stage::weigh, "all scores are equal and w_o = I"},
                  {Stage::scores, "w_o = I"},
                  {Stage::mask, "all scores are equal and there is a mask"},
                  {Stage::output, "there is no mask"}},
       .invariants = {permuted_tokens({"x"}, Follows::rows, "a token's output depends on where the token stands"),
                      unseen_future({"x"})}}}});

}  // namespace
}  // namespace headway::diagnosis
