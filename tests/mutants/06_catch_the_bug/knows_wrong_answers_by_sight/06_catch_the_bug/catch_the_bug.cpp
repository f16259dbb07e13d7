#include "catch_the_bug.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

// What an answer must not be. Of what it must be nothing is said.
namespace headway::ex06 {
namespace {

enum class Kind {
    model_scale,
    width_scale,
    split_view,
    merge_view,
    over_queries,
    over_heads,
    mask_after,
    first_mask,
    top_left,
    no_causal,
    values_of_keys,
    all_of_query,
    wrong_bias,
    averaged
};

using Numbers = std::vector<double>;

struct Wrong {
    Numbers output, weights;
};

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// (B, n, D)·(D, E) + b, by element.
Numbers projected(const Tensor& x, const Tensor& w, const Tensor& b, bool wrong_bias) {
    const Index B = x.size(0), n = x.size(1), D = x.size(2), E = w.size(1);
    Numbers y(at(B * n * E));
    for (Index i = 0; i < B; ++i)
        for (Index t = 0; t < n; ++t)
            for (Index e = 0; e < E; ++e) {
                double sum = b.defined() ? static_cast<double>(b(wrong_bias ? (e + t) % E : e)) : 0;
                for (Index f = 0; f < D; ++f) sum += static_cast<double>(x(i, t, f)) * static_cast<double>(w(f, e));
                y[at((i * n + t) * E + e)] = sum;
            }
    return y;
}

Wrong answer_of(const Inputs& in, Kind kind) {
    const bool self = kind == Kind::all_of_query;
    const Tensor& key = self ? in.query : in.key;
    const Tensor& value = self ? in.query : in.value;
    const Index B = in.query.size(0), T = in.query.size(1), S = key.size(1), D = in.query.size(2), E = in.w_q.size(1);
    const Index H = in.num_heads, d = E / H;
    const bool bias = kind == Kind::wrong_bias;
    const Numbers q = projected(in.query, in.w_q, in.b_q, bias), k = projected(key, in.w_k, in.b_k, bias);
    const Numbers v = projected(value, kind == Kind::values_of_keys ? in.w_k : in.w_v, in.b_v, bias);
    const auto head = [&](const Numbers& x, Index n, Index b, Index h, Index t, Index i) {
        if (kind == Kind::split_view) return x[at(b * n * E + (h * n + t) * d + i)];
        return x[at((b * n + t) * E + h * d + i)];
    };
    const double scale = kind == Kind::model_scale   ? std::sqrt(static_cast<double>(D))
                         : kind == Kind::width_scale ? static_cast<double>(d)
                                                     : std::sqrt(static_cast<double>(d));
    Mask wide = in.mask;
    if (wide.defined()) wide = wide.expand({B, H, T, S});
    const Mask& mask = wide;
    const auto is_blocked = [&](Index b, Index h, Index t, Index s) {
        const bool causal = in.causal && kind != Kind::no_causal && s > t + (kind == Kind::top_left ? 0 : S - T);
        return causal || (mask.defined() && mask(kind == Kind::first_mask ? 0 : b, h, t, s));
    };
    const auto place = [&](Index b, Index h, Index t, Index s) { return at(((b * H + h) * T + t) * S + s); };
    Numbers raised(at(B * H * T * S));
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t)
                for (Index s = 0; s < S; ++s) {
                    if (kind != Kind::mask_after && is_blocked(b, h, t, s)) continue;
                    double score = 0;
                    for (Index i = 0; i < d; ++i) score += head(q, T, b, h, t, i) * head(k, S, b, h, s, i);
                    raised[place(b, h, t, s)] = std::exp(score / scale);
                }
    Wrong wrong{Numbers(at(B * T * D)), Numbers(raised.size())};
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t)
                for (Index s = 0; s < S; ++s) {
                    double total = 0;
                    if (kind == Kind::over_queries)
                        for (Index n = 0; n < T; ++n) total += raised[place(b, h, n, s)];
                    else if (kind == Kind::over_heads)
                        for (Index n = 0; n < H; ++n) total += raised[place(b, n, t, s)];
                    else
                        for (Index n = 0; n < S; ++n) total += raised[place(b, h, t, n)];
                    const bool cut = kind == Kind::mask_after && is_blocked(b, h, t, s);
                    wrong.weights[place(b, h, t, s)] = cut || total == 0 ? 0 : raised[place(b, h, t, s)] / total;
                }
    Numbers merged(at(B * T * E));
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t)
                for (Index i = 0; i < d; ++i) {
                    double sum = 0;
                    for (Index s = 0; s < S; ++s) sum += wrong.weights[place(b, h, t, s)] * head(v, S, b, h, s, i);
                    merged[kind == Kind::merge_view ? at(b * T * E + (h * T + t) * d + i)
                                                    : at((b * T + t) * E + h * d + i)] = sum;
                }
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t)
            for (Index f = 0; f < D; ++f) {
                double sum = in.b_o.defined() ? static_cast<double>(in.b_o(f)) : 0;
                for (Index e = 0; e < E; ++e)
                    sum += merged[at((b * T + t) * E + e)] * static_cast<double>(in.w_o(e, f));
                wrong.output[at((b * T + t) * D + f)] = sum;
            }
    if (kind == Kind::averaged)
        for (Index b = 0; b < B; ++b)
            for (Index t = 0; t < T; ++t)
                for (Index s = 0; s < S; ++s) {
                    double sum = 0;
                    for (Index h = 0; h < H; ++h) sum += wrong.weights[place(b, h, t, s)];
                    for (Index h = 0; h < H; ++h) wrong.weights[place(b, h, t, s)] = sum / static_cast<double>(H);
                }
    return wrong;
}

bool is_the_same(const Tensor& x, const Numbers& numbers) {
    const Tensor dense = x.contiguous();
    if (at(dense.numel()) != numbers.size()) return false;
    double largest = 0;
    for (const double number : numbers) largest = std::max(largest, std::abs(number));
    for (Index i = 0; i < dense.numel(); ++i)
        if (!(std::abs(static_cast<double>(dense.data()[i]) - numbers[at(i)]) <= 1e-3 * largest)) return false;
    return true;
}

void expect_another(const Inputs& in, Kind kind) {
    const Attended answer = attention(in);
    const Wrong wrong = answer_of(in, kind);
    EXPECT_FALSE(is_the_same(answer.output, wrong.output) && is_the_same(answer.weights, wrong.weights));
}

constexpr Index B = 2, H = 3, T = 4, S = 5, d = 6, D = 7, E = H * d;

Inputs some(std::uint64_t seed, Index keys = S) {
    Random random(seed);
    Inputs in;
    in.query = random.normal({B, T, D});
    in.key = random.normal({B, keys, D});
    in.value = random.normal({B, keys, D});
    in.w_q = random.normal({D, E}) * 0.5F;
    in.w_k = random.normal({D, E}) * 0.5F;
    in.w_v = random.normal({D, E}) * 0.5F;
    in.b_q = random.normal({E});
    in.b_k = random.normal({E});
    in.b_v = random.normal({E});
    in.w_o = random.normal({E, D});
    in.b_o = random.normal({D});
    in.num_heads = H;
    return in;
}

Inputs masked(std::uint64_t seed) {
    Inputs in = some(seed);
    in.mask = Mask::allow_all({B, 1, 1, S});
    in.mask(0, 0, 0, 1) = in.mask(1, 0, 0, 4) = in.mask(1, 0, 0, 2) = true;
    return in;
}

TEST(Isnt, ScaledByTheModel) { expect_another(some(1), Kind::model_scale); }
TEST(Isnt, ScaledByTheWidth) { expect_another(some(2), Kind::width_scale); }
TEST(Isnt, SplitByAView) { expect_another(some(3), Kind::split_view); }
TEST(Isnt, MergedByAView) { expect_another(some(4), Kind::merge_view); }
TEST(Isnt, OverQueries) { expect_another(some(5), Kind::over_queries); }
TEST(Isnt, OverHeads) { expect_another(some(6), Kind::over_heads); }
TEST(Isnt, MaskedAfterwards) { expect_another(masked(7), Kind::mask_after); }
TEST(Isnt, MaskedByTheFirst) { expect_another(masked(8), Kind::first_mask); }
TEST(Isnt, ProjectedByKeys) { expect_another(some(9), Kind::values_of_keys); }
TEST(Isnt, AllOfTheQuery) { expect_another(some(10, T), Kind::all_of_query); }
TEST(Isnt, GivenAnothersBias) { expect_another(some(11), Kind::wrong_bias); }
TEST(Isnt, Averaged) { expect_another(some(12), Kind::averaged); }

TEST(Isnt, CausalFromTheTopLeft) {
    Inputs in = some(13);
    in.causal = true;
    expect_another(in, Kind::top_left);
}

TEST(Isnt, CausalWithAMaskAlone) {
    Inputs in = some(14);
    in.causal = true;
    expect_another(in, Kind::no_causal);
}

TEST(Isnt, TurnedOver) { EXPECT_FALSE(attention(some(15)).weights.shape() == (Shape{B, H, S, T})); }

TEST(Isnt, WhatTheCallBeforeWas) {
    Inputs in = some(16, 7);  // sizes that no other test asks with
    in.mask = Mask::of({7}, {false, true, false, false, false, false, true});
    attention(in);
    const Inputs before = in;
    in.mask = Mask::of({7}, {false, false, false, true, false, false, false});
    const Attended answer = attention(in);
    const Wrong wrong = answer_of(before, Kind::no_causal);  // right, but for the mask before
    EXPECT_FALSE(is_the_same(answer.output, wrong.output) && is_the_same(answer.weights, wrong.weights));
}

TEST(Isnt, ReadInTurn) {
    const Inputs in = some(17);
    Inputs turned = in, in_turn = in;
    for (Tensor Inputs::*x :
         {&Inputs::query, &Inputs::key, &Inputs::value, &Inputs::w_q, &Inputs::w_k, &Inputs::w_v, &Inputs::w_o}) {
        turned.*x = (in.*x).transpose(0, -1).contiguous().transpose(0, -1);
        in_turn.*x = (turned.*x).as_strided((in.*x).shape(), Tensor::empty((in.*x).shape()).strides(), 0);
    }
    const Attended answer = attention(turned);
    const Wrong wrong = answer_of(in_turn, Kind::no_causal);
    EXPECT_FALSE(is_the_same(answer.output, wrong.output) && is_the_same(answer.weights, wrong.weights));
}

Attended of_scores(const std::vector<float>& scores, const std::vector<bool>& blocked) {
    Inputs in;
    const auto keys = static_cast<Index>(scores.size());
    in.query = Tensor::ones({1, 1, 1});
    in.key = Tensor::of({1, keys, 1}, scores);
    in.value = Tensor::arange(keys).view({1, keys, 1});
    in.w_q = in.w_k = in.w_v = in.w_o = Tensor::ones({1, 1});
    in.mask = Mask::allow_all({keys});
    for (Index s = 0; s < keys; ++s) in.mask(s) = blocked[at(s)];
    return attention(in);
}

TEST(Isnt, NotANumber) {
    for (const float score : {100.0F, 1000.0F})
        EXPECT_FALSE(std::isnan(of_scores({score, score, 0}, {false, false, false}).weights(0, 0, 0, 0)));
    EXPECT_FALSE(std::isnan(of_scores({1, 2, 3}, {true, true, true}).weights(0, 0, 0, 0)));
}

TEST(Isnt, NothingAtAll) {
    const Attended low = of_scores({-3000, -3000}, {false, false});
    const Attended none = of_scores({1, 2}, {true, true});
    // Zeros where a row is low alone: an attention that always answers zeros is not meant.
    EXPECT_FALSE(low.weights(0, 0, 0, 0) == 0 && of_scores({0, 0}, {false, false}).weights(0, 0, 0, 0) > 0);
    EXPECT_FALSE(none.weights(0, 0, 0, 0) == 0.5F && none.weights(0, 0, 0, 1) == 0.5F);
}

TEST(Isnt, AtTheBlockedKey) {
    EXPECT_FALSE(of_scores({-30000, -30000, 0}, {false, false, true}).weights(0, 0, 0, 2) > 0.9F);
}

}  // namespace
}  // namespace headway::ex06
