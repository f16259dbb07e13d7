// What diagnosis knows of exercise 03.        B batch · H heads · T queries · S keys · d head_dim · d_v value width
#include "diagnosis/attention.hpp"
#include "diagnosis/elements.hpp"
#include "diagnosis/small_sizes.hpp"
#include "diagnosis/subject.hpp"
#include "reference/attention.hpp"
#include "student/expect.hpp"
#include "student/inputs.hpp"

#include <memory>

namespace headway::diagnosis {
namespace {

using judge::Arguments;
using judge::random_mask;
using judge::random_tensor;

/// Sizes of two axes agree, or one of them is 1.
bool broadcasts(const Shape& from, const Shape& to) {
    if (from.size() > to.size()) return false;
    for (std::size_t i = 0; i < from.size(); ++i) {
        const Index size = from[from.size() - 1 - i];
        if (size != 1 && size != to[to.size() - 1 - i]) return false;
    }
    return true;
}

/// Whether a mask and scores of no fewer axes have a common shape: one may have to be broadcast in one axis, the other
/// in another.
bool broadcast_both_ways(const Shape& mask, const Shape& scores) {
    if (mask.size() > scores.size()) return false;
    Shape common = scores;
    for (std::size_t i = 0; i < mask.size(); ++i) {
        Index& size = common[common.size() - 1 - i];
        size = std::max(size, mask[mask.size() - 1 - i]);
    }
    return broadcasts(mask, common) && broadcasts(scores, common);
}

Predict attention_scores(const Arguments& arguments) {
    Given given;
    given.input[0] = tensor(arguments, "q");
    given.input[1] = tensor(arguments, "k");
    const Shape q = given.input[0].shape();
    const Shape k = given.input[1].shape();
    auto model = std::make_shared<Attention>(std::move(given));
    return [model, q, k](const Choices& c) {
        return checked(q[3] == k[3], c.checking, &Checking::widths, [&] {
            return checked(q[0] == k[0] && q[1] == k[1], c.checking, &Checking::batches,
                           [&] { return Answer::of(model->scores(c)); });
        });
    };
}

Predict causal_mask(const Arguments& arguments) {
    const Index T = integer(arguments, "T");
    const Index S = integer(arguments, "S");
    return [T, S](const Choices& c) {
        Array mask = zeros({T, S});
        each(mask.shape, [&](Coordinate at, std::size_t i) {
            mask.value[i] = c.masks.causal(at[0], at[1], T, S) != c.masks.causal_turned;
        });
        return Answer::of(c.masks.causal_axes_swapped ? reference::transpose(mask, 0, 1) : std::move(mask));
    };
}

Predict padding_mask(const Arguments& arguments) {
    const auto lengths = std::get<Shape>(argument(arguments, "lengths"));
    const Index S = integer(arguments, "S");
    return [lengths, S](const Choices& c) {
        const auto B = static_cast<Index>(lengths.size());
        Array mask = zeros({B, 1, 1, S});
        each(mask.shape, [&](Coordinate at, std::size_t i) {
            const bool blocked = c.masks.padding(lengths, static_cast<std::size_t>(at[0]), at[3], S);
            mask.value[i] = blocked != c.masks.padding_turned;
        });
        if (c.masks.padding_axes == PaddingAxes::queries) mask.shape = {B, 1, S, 1};
        if (c.masks.padding_axes == PaddingAxes::keys_and_queries) {
            Array square = zeros({B, 1, S, S});
            each(square.shape, [&](Coordinate at, std::size_t i) {
                const auto padded = [&](Index s) { return mask.value[static_cast<std::size_t>(at[0] * S + s)] != 0; };
                square.value[i] = padded(at[2]) || padded(at[3]);
            });
            return Answer::of(std::move(square));
        }
        if (c.masks.padding_axes == PaddingAxes::none) mask.shape = {B, S};
        return Answer::of(std::move(mask));
    };
}

Predict masked_softmax(const Arguments& arguments) {
    Given given;
    given.scores = tensor(arguments, "scores");
    given.mask = mask(arguments, "mask");
    const Shape scores = given.scores.shape(), blocked = given.mask.defined() ? given.mask.shape() : Shape{};
    const bool fits = broadcasts(blocked, scores);
    const bool widens = broadcast_both_ways(blocked, scores);
    auto model = std::make_shared<Attention>(std::move(given));
    return [=](const Choices& c) {
        const auto check = widens && c.checking.masks ? &Checking::wider_masks : &Checking::masks;
        return checked(fits, c.checking, check, [&] { return Answer::of(model->weights(c)); });
    };
}

Predict attention(const Arguments& arguments) {
    Given given;
    given.input = {tensor(arguments, "q"), tensor(arguments, "k"), tensor(arguments, "v")};
    given.mask = mask(arguments, "mask");
    const bool fits = given.input[1].size(2) == given.input[2].size(2);
    auto model = std::make_shared<Attention>(std::move(given));
    return [model, fits](const Choices& c) {
        return checked(fits, c.checking, &Checking::lengths, [&] {
            const auto attended = model->context_and_weights(c);
            if (c.weighing.swapped)
                return Answer{.parts = {{"context", attended.returned}, {"weights", attended.context}}};
            return Answer{.parts = {{"context", attended.context}, {"weights", attended.returned}}};
        });
    };
}

/// (B, H, T, d) as split_heads leaves it: a view of (B, T, H, d), not contiguous.
Tensor split_view(Random& random, Index B, Index H, Index T, Index d) {
    return random_tensor(random, {B, T, H, d}).transpose(1, 2);
}

std::vector<Arguments> ask_attention_scores(Random& random) {
    const SmallSizes n = small_sizes(random);
    const auto ask = [&](const Tensor& q, const Tensor& k) { return Arguments{{"q", q}, {"k", k}}; };
    const auto heads = [&](Index length, Index width) { return random_tensor(random, {n.B, n.H, length, width}); };
    // With one number of heads, a factor that depends on it would look like a constant.
    const auto of_heads = [&](Index H) {
        const Tensor q = random_tensor(random, {n.B, H, n.T, n.d});
        return ask(q, random_tensor(random, {n.B, H, n.S, n.d}));
    };
    return {ask(heads(n.T, n.d), heads(n.S, n.d)),
            ask(heads(n.S, 5), heads(n.T, 5)),
            ask(heads(n.S, n.d), heads(n.S, n.d)),
            ask(split_view(random, n.B, n.H, n.T, n.d), split_view(random, n.B, n.H, n.S, n.d)),
            ask(heads(n.T, n.d), heads(n.S, n.d + 1)),
            ask(heads(n.T, n.d), random_tensor(random, {n.B + 1, n.H, n.S, n.d})),
            ask(heads(n.T, n.d), heads(n.d, n.d)),
            of_heads(n.H + 1),
            of_heads(n.H + 2)};
}

std::vector<Arguments> ask_causal_mask(Random&) {
    std::vector<Arguments> questions;
    for (const auto& [T, S] : {std::pair<Index, Index>{3, 3}, {3, 5}, {5, 3}, {1, 6}, {6, 1}, {7, 7}, {6, 5}})
        questions.push_back({{"T", T}, {"S", S}});
    return questions;
}

std::vector<Arguments> ask_padding_mask(Random&) {
    std::vector<Arguments> questions;
    for (const Shape& lengths : {Shape{3, 5, 1, 0}, Shape{2}, Shape{5, 3, 4}})
        questions.push_back({{"lengths", lengths}, {"S", Index{5}}});
    return questions;
}

/// Masks of every shape that broadcasts.
std::vector<Mask> masks(Random& random, const SmallSizes& n, Index T, Index S) {
    Shape lengths(static_cast<std::size_t>(n.B));
    for (Index& length : lengths) length = random.integer(1, S);
    Mask with_empty_rows = random_mask(random, {n.B, 1, T, S});
    for (Index s = 0; s < S; ++s) with_empty_rows(1, 0, 1, s) = true;
    return {Mask{},
            reference::causal_mask(T, S),
            reference::padding_mask(lengths, S),
            random_mask(random, {T, S}),
            random_mask(random, {n.H, 1, S}),
            random_mask(random, {n.B, n.H, T, S}),
            with_empty_rows};
}

Questions ask_masked_softmax(Random& random) {
    const SmallSizes n = small_sizes(random);
    Questions questions;
    const auto ask = [&](const Tensor& scores, const Mask& mask, const char* name = "") {
        questions.add({{"scores", scores}, {"mask", mask}}, name);
    };
    const Tensor scores = random_tensor(random, {n.B, n.H, n.T, n.S}) * 2.0F;
    for (const Mask& mask : masks(random, n, n.T, n.S))
        ask(scores, mask, mask.defined() ? "there is a mask" : "there is no mask");
    // More queries than keys, and as many: masks that are turned or misread differ there.
    const Tensor square = random_tensor(random, {n.B, n.H, n.S, n.S}) * 2.0F;
    ask(square, random_mask(random, {n.S, n.S}), "there is a mask");
    const Tensor tall = random_tensor(random, {n.B, n.T, n.S, n.H}).transpose(1, 3).transpose(2, 3);
    ask(tall, reference::causal_mask(tall.size(2), tall.size(3)), "there is a mask");
    Tensor large = random_tensor(random, {n.B, n.H, n.T, n.S});
    large[0] *= 1e4F;
    large[1] -= 2000.0F;
    ask(large, Mask{}, "scores are large");
    ask(scores + 120.0F, random_mask(random, {n.T, n.S}));
    // Far enough below the others, and below 0, for float's exp to be 0, and not for double's.
    Tensor one_row_below = scores.clone();
    one_row_below.select(2, 1) -= 160.0F;
    ask(one_row_below, random_mask(random, {n.T, n.S}));
    ask(scores - 2e4F, random_mask(random, {n.T, n.S}));
    ask(large, random_mask(random, {n.T, n.S}));
    ask(scores * 30.0F, random_mask(random, {n.B, n.H, n.T, n.S}));
    // Blocked scores that tower above the open ones: code that takes the maximum too early loses the open ones.
    const Mask tall_mask = random_mask(random, {n.B, n.H, n.T, n.S});
    ask(masked_fill(scores, tall_mask, 250.0F), tall_mask);
    ask(judge::with_zeros(scores), random_mask(random, {n.T, n.S}));
    ask(large, Mask::block_all({1, n.S}));
    ask(scores, Mask::block_all({n.T, n.S}), "there is a mask");
    ask(scores, Mask::allow_all({n.T, n.S + 1}));
    ask(scores.slice(0, 0, 1), Mask::allow_all({2, 1, 1, n.S}));
    for (const Mask& view : judge::mask_views(random, scores.shape())) ask(scores, view);
    return questions;
}

std::vector<Arguments> ask_attention(Random& random) {
    const SmallSizes n = small_sizes(random);
    std::vector<Arguments> questions;
    const auto ask = [&](Index T, Index S, Index d, Index d_v, const Mask& mask, float size = 1.0F) {
        const Tensor q = split_view(random, n.B, n.H, T, d) * size;
        const Tensor k = split_view(random, n.B, n.H, S, d);
        questions.push_back({{"q", q}, {"k", k}, {"v", split_view(random, n.B, n.H, S, d_v)}, {"mask", mask}});
    };
    for (const Mask& mask : masks(random, n, n.T, n.S)) ask(n.T, n.S, n.d, n.d_v, mask);
    ask(n.S, n.T, n.d, n.d, reference::causal_mask(n.S, n.T));
    ask(n.S, n.S, n.d + 3, n.d, Mask{});
    ask(n.S, n.S, n.d, n.d, random_mask(random, {n.S, n.S}));
    ask(n.T, n.S, n.d, n.d_v, Mask{}, 60.0F);
    ask(n.T, n.S, n.d, n.d_v, random_mask(random, {n.T, n.S}), 60.0F);
    for (const float sign : {1.0F, -1.0F}) {
        ask(n.T, n.S, n.d, n.d_v, Mask{});
        auto& q = std::get<Tensor>(questions.back()[0].value);
        auto& k = std::get<Tensor>(questions.back()[1].value);
        for (Index t = 1; t < n.T; t += 2) q.select(2, t) += 9.0F;
        k = k * 0.5F + 9.0F * sign;
    }
    ask(n.T, n.S, n.d, n.d_v, Mask::block_all({n.T, n.S}));
    questions.push_back({{"q", random_tensor(random, {n.B, n.H, n.T, n.d})},
                         {"k", random_tensor(random, {n.B, n.H, n.S, n.d})},
                         {"v", random_tensor(random, {n.B, n.H, n.S, n.d_v})},
                         {"mask", Mask{}}});
    questions.push_back({{"q", random_tensor(random, {n.B, n.H, n.T, n.d})},
                         {"k", random_tensor(random, {n.B, n.H, n.S, n.d})},
                         {"v", random_tensor(random, {n.B, n.H, n.S + 1, n.d_v})},
                         {"mask", Mask{}}});
    ask(n.T, n.d, n.d, n.d_v, Mask{});
    ask(n.T, n.S, n.d, n.d + 2, Mask{});
    for (const Mask& view : judge::mask_views(random, {n.B, n.H, n.T, n.S})) ask(n.T, n.S, n.d, n.d_v, view);
    return questions;
}

/// What follows from the student's own scores and softmax.
std::optional<Answer> from_own_parts(judge::Student& student, const Arguments& arguments) {
    const auto scores = student.outcome("attention_scores", {arguments[0], arguments[1]});
    if (scores.error) return answer_of(scores);
    const auto weights = student.outcome("masked_softmax", {{"scores", scores.value}, arguments[3]});
    if (weights.error) return answer_of(weights);
    const auto* tensor = std::get_if<Tensor>(&weights.value);
    if (tensor == nullptr || tensor->rank() != 4) return std::nullopt;
    const Array own = judge::own(*tensor);
    const Tensor v = std::get<Tensor>(arguments[2].value);
    if (own.size(-1) != v.size(2)) return std::nullopt;
    return Answer{.parts = {{"context", reference::matmul(own, reference::exact(v))}, {"weights", own}}};
}

const SubjectRegistration registration(
    "03_scaled_scores",
    {{{.name = "attention_scores",
       .model = &attention_scores,
       .questions = &ask_attention_scores,
       .stage = Stage::scores,
       .invariants = {permuted_tokens({"k"}, Follows::columns, "scores of a key change when keys change places")}},
      {.name = "causal_mask", .model = &causal_mask, .questions = &ask_causal_mask, .stage = Stage::mask},
      {.name = "padding_mask", .model = &padding_mask, .questions = &ask_padding_mask, .stage = Stage::mask},
      {.name = "masked_softmax",
       .model = &masked_softmax,
       .questions = &ask_masked_softmax,
       .stage = Stage::softmax,
       .stages = {{Stage::softmax, "there is no mask"},
                  {Stage::softmax, "scores are large"},
                  {Stage::mask, "there is a mask"}}},
      {.name = "scaled_dot_product_attention",
       .model = &attention,
       .questions = &ask_attention,
       .given_own = &from_own_parts,
       .stage = Stage::weigh,
       .invariants = {permuted_tokens({"k", "v"}, Follows::not_at_all,
                                      "the output changes when keys change places together with their values"),
                      permuted_tokens({"q"}, Follows::rows, "a query's output depends on where the query stands"),
                      unseen_future({"k", "v"})}}}});

}  // namespace
}  // namespace headway::diagnosis
