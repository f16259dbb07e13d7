#include "catch_the_bug.hpp"

#include <cmath>
#include <functional>

// I do not know what attention should answer. I know what must happen to the answer if I change the question.
namespace headway::ex06 {
namespace {

constexpr Index B = 2, H = 3, T = 4, S = 6, d = 2, D = 5, E = H * d;

Inputs random_inputs(std::uint64_t seed, Index queries = T, Index keys = S) {
    Random r(seed);
    Inputs in;
    in.query = r.normal({B, queries, D});
    in.key = r.normal({B, keys, D});
    in.value = r.normal({B, keys, D});
    in.w_q = r.uniform({D, E}, -1, 1);
    in.w_k = r.uniform({D, E}, -1, 1);
    in.w_v = r.uniform({D, E}, -1, 1);
    in.b_q = r.normal({E});
    in.b_k = r.normal({E});
    in.b_v = r.normal({E});
    in.w_o = r.uniform({E, D}, -1, 1);
    in.b_o = r.normal({D});
    in.num_heads = H;
    return in;
}

testing::AssertionResult same(const Tensor& a, const Tensor& b, float tolerance = 3e-4f) {
    if (a.shape() != b.shape())
        return testing::AssertionFailure() << to_string(a.shape()) << " and " << to_string(b.shape());
    const Tensor x = a.contiguous(), y = b.contiguous();
    for (Index i = 0; i < x.numel(); ++i)
        if (!(std::fabs(x.data()[i] - y.data()[i]) <= tolerance * (1 + std::fabs(y.data()[i]))))
            return testing::AssertionFailure() << x.data()[i] << " and " << y.data()[i] << " at " << i;
    return testing::AssertionSuccess();
}

Mask random_mask(std::uint64_t seed, const Shape& shape) {
    Random r(seed);
    Mask mask = Mask::allow_all(shape);
    for (Index i = 0; i < mask.numel(); ++i) mask.data()[i] = r.uniform() < 0.3f;
    return mask;
}

/// weights(b, h, t, s) · v, joined and projected: what follows from the weights that were returned.
Tensor output_of(const Inputs& in, const Tensor& weights) {
    const Index keys = in.value.size(1), queries = in.query.size(1);
    Tensor v = matmul(in.value, in.w_v);
    if (in.b_v.defined()) v += in.b_v;
    Tensor joined = Tensor::zeros({B, queries, E});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < queries; ++t)
            for (Index e = 0; e < E; ++e)
                for (Index s = 0; s < keys; ++s) joined(b, t, e) += weights(b, e / d, t, s) * v(b, s, e);
    const Tensor out = matmul(joined, in.w_o);
    return in.b_o.defined() ? out + in.b_o : out;
}

TEST(Relation, OutputFollowsFromTheWeights) {
    for (bool causal : {false, true})
        for (bool masked : {false, true}) {
            Inputs in = random_inputs(1);
            in.causal = causal;
            if (masked) in.mask = random_mask(2, {B, H, T, S});
            const Attended out = attention(in);
            EXPECT_TRUE(same(out.output, output_of(in, out.weights)));
        }
}

TEST(Relation, RowsSumToOneOrToNothing) {
    for (float size : {1.f, 10.f, 40.f}) {
        Inputs in = random_inputs(3);
        in.query *= size;
        in.mask = random_mask(4, {B, H, T, S});
        for (Index s = 0; s < S; ++s) in.mask(1, 2, 3, s) = true;
        const Tensor weights = attention(in).weights, total = sum(weights, -1);
        for (Index b = 0; b < B; ++b)
            for (Index h = 0; h < H; ++h)
                for (Index t = 0; t < T; ++t) {
                    bool any = false;
                    for (Index s = 0; s < S; ++s) {
                        any = any || !in.mask(b, h, t, s);
                        EXPECT_GE(weights(b, h, t, s), 0);
                        if (in.mask(b, h, t, s)) EXPECT_EQ(weights(b, h, t, s), 0);
                    }
                    EXPECT_NEAR(total(b, h, t), any ? 1 : 0, 1e-4);
                }
    }
}

TEST(Relation, AHeadAloneIsThatHead) {
    // Head h of three is the only head of an attention with the columns of head h.
    const Inputs in = random_inputs(5);
    const Attended all = attention(in);
    Tensor total = Tensor::zeros({B, T, D}) + in.b_o;
    for (Index h = 0; h < H; ++h) {
        Inputs one = in;
        one.num_heads = 1;
        for (auto w : {&Inputs::w_q, &Inputs::w_k, &Inputs::w_v}) one.*w = (in.*w).slice(1, h * d, (h + 1) * d);
        for (auto b : {&Inputs::b_q, &Inputs::b_k, &Inputs::b_v}) one.*b = (in.*b).slice(0, h * d, (h + 1) * d);
        one.w_o = in.w_o.slice(0, h * d, (h + 1) * d);
        one.b_o = Tensor{};
        const Attended alone = attention(one);
        EXPECT_TRUE(same(all.weights.slice(1, h, h + 1), alone.weights)) << "head " << h;
        total += alone.output;
    }
    EXPECT_TRUE(same(all.output, total));
}

TEST(Relation, ASequenceAloneIsThatSequence) {
    Inputs in = random_inputs(6);
    in.mask = random_mask(7, {B, 1, T, S});
    const Attended both = attention(in);
    for (Index b = 0; b < B; ++b) {
        Inputs one = in;
        one.query = in.query.slice(0, b, b + 1);
        one.key = in.key.slice(0, b, b + 1);
        one.value = in.value.slice(0, b, b + 1);
        one.mask = Mask::allow_all({T, S});
        for (Index t = 0; t < T; ++t)
            for (Index s = 0; s < S; ++s) one.mask(t, s) = in.mask(b, 0, t, s);
        const Attended alone = attention(one);
        EXPECT_TRUE(same(both.weights.slice(0, b, b + 1), alone.weights));
        EXPECT_TRUE(same(both.output.slice(0, b, b + 1), alone.output));
    }
}

TEST(Relation, ABlockedKeyIsAKeyThatIsNotThere) {
    Inputs in = random_inputs(8), without = in;
    in.mask = Mask::allow_all({B, 1, 1, S});
    for (Index b = 0; b < B; ++b) in.mask(b, 0, 0, 2) = in.mask(b, 0, 0, 5) = true;
    without.key = cat({in.key.slice(1, 0, 2), in.key.slice(1, 3, 5)}, 1);
    without.value = cat({in.value.slice(1, 0, 2), in.value.slice(1, 3, 5)}, 1);
    const Attended a = attention(in), b = attention(without);
    EXPECT_TRUE(same(a.output, b.output));
    EXPECT_TRUE(same(cat({a.weights.slice(3, 0, 2), a.weights.slice(3, 3, 5)}, 3), b.weights));
}

TEST(Relation, WhatABlockedKeyHoldsDoesNotMatter) {
    for (float size : {5.f, 300.f, -300.f})
        for (float all : {1.f, -40.f, 40.f}) {
            Inputs in = random_inputs(9);
            in.query *= all;
            in.mask = Mask::allow_all({B, 1, 1, S});
            in.mask(0, 0, 0, 1) = in.mask(1, 0, 0, 4) = in.mask(1, 0, 0, 0) = true;
            Inputs other = in;
            other.key = in.key.clone();
            other.value = in.value.clone();
            for (Index i = 0; i < D; ++i) {
                other.key(0, 1, i) = size;
                other.value(0, 1, i) = -size;
                other.key(1, 4, i) = -size;
                other.value(1, 4, i) = size;
                other.key(1, 0, i) = size / 3;
            }
            const Attended a = attention(in), b = attention(other);
            EXPECT_TRUE(same(a.output, b.output));
            EXPECT_TRUE(same(a.weights, b.weights));
        }
}

TEST(Relation, ABlockedKeyWithVeryLowNeighbours) {
    // Scores of the keys that stay are far below any "minus infinity" of one's own making, and all alike.
    for (float low : {-100.f, -2000.f, -10000.f}) {
        Inputs in;
        in.query = Tensor::ones({1, 2, 1});
        in.key = Tensor::of({1, 3, 1}, {low, low, 0});
        in.value = Tensor::of({1, 3, 1}, {2, 4, 1000});
        in.w_q = in.w_k = in.w_v = in.w_o = Tensor::eye(1);
        in.mask = Mask::of({3}, {false, false, true});
        const Attended masked = attention(in);
        in.key = in.key.slice(1, 0, 2);
        in.value = in.value.slice(1, 0, 2);
        in.mask = Mask{};
        const Attended shorter = attention(in);
        EXPECT_TRUE(same(masked.output, shorter.output));
        EXPECT_TRUE(same(masked.weights.slice(3, 0, 2), shorter.weights));
        EXPECT_EQ(masked.weights(0, 0, 1, 2), 0);
    }
}

TEST(Relation, AShiftOfAllScoresChangesNothing) {
    // A bias of the keys adds one number to all scores of a query.
    for (float shift : {1.f, 30.f, 200.f, -30.f, -200.f, -1000.f}) {
        Inputs in = random_inputs(10);
        in.query = in.query * 0.1f + 1.f;
        in.w_q = Tensor::full({D, E}, 0.2f);
        const Attended before = attention(in);
        in.b_k = in.b_k + shift;
        const Attended after = attention(in);
        const float tolerance = 2e-5f * (10 + std::fabs(shift));
        EXPECT_TRUE(same(after.weights, before.weights, tolerance)) << shift;
        EXPECT_TRUE(same(after.output, before.output, tolerance)) << shift;
    }
}

TEST(Relation, QueriesAreIndependent) {
    Inputs in = random_inputs(11);
    in.mask = random_mask(12, {B, H, T, S});
    const Attended all = attention(in);
    for (Index t = 0; t < T; ++t) {
        Inputs one = in;
        one.query = in.query.slice(1, t, t + 1);
        one.mask = in.mask.as_strided({B, H, 1, S}, in.mask.strides(), t * S).clone();
        const Attended alone = attention(one);
        EXPECT_TRUE(same(all.output.slice(1, t, t + 1), alone.output));
        EXPECT_TRUE(same(all.weights.slice(2, t, t + 1), alone.weights));
    }
}

TEST(Relation, KeysMayComeInAnyOrder) {
    Inputs in = random_inputs(13), turned = in;
    in.mask = random_mask(14, {B, H, T, S});
    turned.mask = in.mask.clone();
    turned.key = cat({in.key.slice(1, 4, 6), in.key.slice(1, 0, 4)}, 1);
    turned.value = cat({in.value.slice(1, 4, 6), in.value.slice(1, 0, 4)}, 1);
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t)
                for (Index s = 0; s < S; ++s) turned.mask(b, h, t, s) = in.mask(b, h, t, (s + 4) % S);
    const Attended a = attention(in), b = attention(turned);
    EXPECT_TRUE(same(a.output, b.output));
    EXPECT_TRUE(same(cat({a.weights.slice(3, 4, 6), a.weights.slice(3, 0, 4)}, 3), b.weights));
}

TEST(Relation, CausalIsAMask) {
    for (const auto& [queries, keys] : {std::pair<Index, Index>{4, 4}, {2, 6}, {6, 3}, {1, 5}, {5, 1}})
        for (bool with_mask : {false, true}) {
            Inputs in = random_inputs(15, queries, keys);
            if (with_mask) in.mask = random_mask(16, {B, 1, queries, keys});
            Inputs by_hand = in;
            in.causal = true;
            Mask future = Mask::allow_all({queries, keys});
            for (Index t = 0; t < queries; ++t)
                for (Index s = 0; s < keys; ++s) future(t, s) = s > t + keys - queries;
            by_hand.mask = in.mask | future;
            const Attended a = attention(in), b = attention(by_hand);
            EXPECT_TRUE(same(a.weights, b.weights)) << queries << " queries, " << keys << " keys";
            EXPECT_TRUE(same(a.output, b.output)) << queries << " queries, " << keys << " keys";
        }
}

TEST(Relation, BlockingAllIsTheSameAsTheBias) {
    Inputs in = random_inputs(17);
    in.mask = Mask::block_all({B, 1, 1, 1});
    in.mask(0, 0, 0, 0) = false;
    const Attended some = attention(in);
    for (Index t = 0; t < T; ++t) EXPECT_TRUE(same(some.output[1][t], in.b_o));
    EXPECT_TRUE(same(some.weights[1], Tensor::zeros({H, T, S}), 0));
    in.mask = Mask{};
    EXPECT_TRUE(same(some.weights[0], attention(in).weights[0]));
}

TEST(Relation, BiasesCanMoveIntoTheInputs) {
    // x · w + b is (x, 1) · (w over b).
    const Inputs in = random_inputs(18);
    Inputs wide = in;
    wide.query = cat({in.query, Tensor::ones({B, T, 1})}, 2);
    wide.key = cat({in.key, Tensor::ones({B, S, 1})}, 2);
    wide.value = cat({in.value, Tensor::ones({B, S, 1})}, 2);
    wide.w_q = cat({in.w_q, in.b_q.view({1, E})}, 0);
    wide.w_k = cat({in.w_k, in.b_k.view({1, E})}, 0);
    wide.w_v = cat({in.w_v, in.b_v.view({1, E})}, 0);
    wide.b_q = wide.b_k = wide.b_v = Tensor{};
    wide.w_o = cat({in.w_o, Tensor::zeros({E, 1})}, 1);
    wide.b_o = cat({in.b_o, Tensor::zeros({1})}, 0);
    const Attended a = attention(in), b = attention(wide);
    EXPECT_TRUE(same(a.weights, b.weights));
    EXPECT_TRUE(same(a.output, b.output.slice(2, 0, D)));
}

TEST(Relation, ProjectionsCanBeDoneBefore) {
    // With D = E, x · w beforehand and the identity as weight is the same; for each of the three on its own.
    const Inputs in = random_inputs(19);
    const Attended want = attention(in);
    Inputs done;
    done.query = matmul(in.query, in.w_q) + in.b_q;
    done.key = matmul(in.key, in.w_k) + in.b_k;
    done.value = matmul(in.value, in.w_v) + in.b_v;
    done.w_q = done.w_k = done.w_v = done.w_o = Tensor::eye(E);
    done.num_heads = H;
    const Attended joined = attention(done);
    EXPECT_TRUE(same(joined.weights, want.weights));
    EXPECT_TRUE(same(matmul(joined.output, in.w_o) + in.b_o, want.output));
}

TEST(Relation, FourTimesTheFeaturesIsTwiceTheScale) {
    // One head. (q, q, q, q) · (k, k, k, k) / √4d = 2 (q · k) / √d, whatever D is.
    for (Index features : {1, 2, 3}) {
        Random r(20);
        Inputs in;
        in.query = r.normal({2, 3, D});
        in.key = r.normal({2, 4, D});
        in.value = r.normal({2, 4, D});
        in.w_q = r.normal({D, features});
        in.w_k = r.normal({D, features});
        in.w_v = r.normal({D, features});
        in.w_o = r.normal({features, D});
        Inputs wide = in;
        for (auto w : {&Inputs::w_q, &Inputs::w_k, &Inputs::w_v}) wide.*w = cat({in.*w, in.*w, in.*w, in.*w}, 1);
        wide.w_o = cat({in.w_o, in.w_o * 0.f, in.w_o * 0.f, in.w_o * 0.f}, 0);
        in.w_q = in.w_q * 2.f;
        const Attended a = attention(in), b = attention(wide);
        EXPECT_TRUE(same(a.weights, b.weights));
        EXPECT_TRUE(same(a.output, b.output));
    }
}

TEST(Relation, EachInputMovesWhatItShould) {
    const Inputs in = random_inputs(21);
    const Attended before = attention(in);
    const auto after = [&](const std::function<void(Inputs&)>& change) {
        Inputs other = in;
        change(other);
        return attention(other);
    };
    const Tensor x = Random(22).normal({B, S, D});
    const Attended values = after([&](Inputs& i) { i.value = x; });
    EXPECT_TRUE(same(values.weights, before.weights));
    EXPECT_FALSE(same(values.output, before.output, 0.01f));
    const Attended keys = after([&](Inputs& i) { i.key = x; });
    EXPECT_FALSE(same(keys.weights, before.weights, 0.01f));
    const Attended w_v = after([&](Inputs& i) {
        i.w_v = i.w_v * 2.f;
        i.b_v = i.b_v * 2.f;
        i.b_o = Tensor{};
    });
    EXPECT_TRUE(same(w_v.weights, before.weights));
    EXPECT_TRUE(same(w_v.output, (before.output - in.b_o) * 2.f));
    const Attended w_o = after([&](Inputs& i) {
        i.w_o = i.w_o * -3.f;
        i.b_o = i.b_o * -3.f;
    });
    EXPECT_TRUE(same(w_o.weights, before.weights));
    EXPECT_TRUE(same(w_o.output, before.output * -3.f));
}

}  // namespace
}  // namespace headway::ex06
