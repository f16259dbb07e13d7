#include "catch_the_bug.hpp"

#include <cmath>
#include <vector>

// No two sizes are equal, nothing is the same as anything else, and no number is 0 or 1 where it need not be.
// B batch · T queries · S keys · D embed_dim · H num_heads · d head_dim · E = H·d
namespace headway::ex06 {
namespace {

constexpr Index B = 2, H = 3, T = 4, S = 5, d = 6, D = 7, E = H * d;

Inputs random_inputs(std::uint64_t seed) {
    Random random(seed);
    Inputs in;
    in.query = random.normal({B, T, D});
    in.key = random.normal({B, S, D});
    in.value = random.normal({B, S, D});
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

/// What features pass through unchanged, one head: query · key is the score, but for √d.
Inputs identity_inputs(const Tensor& query, const Tensor& key, const Tensor& value) {
    Inputs in;
    in.query = query;
    in.key = key;
    in.value = value;
    in.w_q = in.w_k = in.w_v = in.w_o = Tensor::eye(query.size(2));
    return in;
}

::testing::AssertionResult close(const Tensor& actual, const Tensor& expected, float tolerance = 1e-4F) {
    if (actual.shape() != expected.shape())
        return ::testing::AssertionFailure() << to_string(actual.shape()) << " for " << to_string(expected.shape());
    const Tensor a = actual.contiguous(), b = expected.contiguous();
    for (Index i = 0; i < a.numel(); ++i)
        if (!(std::abs(a.data()[i] - b.data()[i]) <= tolerance))  // so that NaN is not close
            return ::testing::AssertionFailure() << a.data()[i] << " for " << b.data()[i] << " at element " << i;
    return ::testing::AssertionSuccess();
}

/// The output that follows from weights: each head gathers its own features of the projected values.
Tensor output_from(const Tensor& weights, const Inputs& in) {
    Tensor merged = Tensor::zeros({B, T, E});
    const Tensor v = matmul(in.value, in.w_v) + in.b_v;
    for (Index h = 0; h < H; ++h)
        merged.slice(2, h * d, (h + 1) * d).copy_from(matmul(weights.select(1, h), v.slice(2, h * d, (h + 1) * d)));
    return matmul(merged, in.w_o) + in.b_o;
}

/// Softmax over keys of two projected features, head by head.
Tensor expected_weights(const Inputs& in) {
    const Tensor q = matmul(in.query, in.w_q) + in.b_q, k = matmul(in.key, in.w_k) + in.b_k;
    Tensor weights = Tensor::empty({B, H, T, S});
    for (Index h = 0; h < H; ++h) {
        const Tensor scores = matmul(q.slice(2, h * d, (h + 1) * d), k.slice(2, h * d, (h + 1) * d).transpose(1, 2));
        const Tensor raised = exp(scores / std::sqrt(static_cast<float>(d)));
        weights.select(1, h).copy_from(raised / sum(raised, -1, KeepAxis::yes));
    }
    return weights;
}

TEST(Weights, AreTheSoftmaxOverKeysOfScaledScores) {
    const Inputs in = random_inputs(1);
    EXPECT_TRUE(close(attention(in).weights, expected_weights(in)));
}

TEST(Output, FollowsFromTheReturnedWeights) {
    const Inputs in = random_inputs(2);
    const Attended out = attention(in);
    EXPECT_TRUE(close(out.output, output_from(out.weights, in)));
}

TEST(Output, FollowsFromTheReturnedWeightsUnderAMask) {
    Inputs in = random_inputs(3);
    in.mask = Mask::of({B, 1, 1, S}, {false, true, false, false, false, false, false, false, true, true});
    const Attended out = attention(in);
    EXPECT_TRUE(close(out.output, output_from(out.weights, in)));
}

TEST(Sources, SelfAttentionShapesDoNotMakeItSelfAttention) {
    Inputs in = random_inputs(4);
    in.key = in.key.slice(1, 0, T);
    in.value = in.value.slice(1, 0, T);
    const Attended before = attention(in);
    Inputs changed = in;
    changed.key = in.key * -1.0F;
    EXPECT_FALSE(close(attention(changed).weights, before.weights, 1e-2F));
    changed = in;
    changed.value = in.value * -1.0F;
    const Attended after = attention(changed);
    EXPECT_TRUE(close(after.weights, before.weights));
    EXPECT_FALSE(close(after.output, before.output, 1e-2F));
}

/// The same numbers, the last axis outermost in memory.
Tensor turned_in_memory(const Tensor& x) { return x.transpose(0, -1).contiguous().transpose(0, -1); }

TEST(Sources, AreReadWhereTheirStridesSay) {
    const Inputs in = random_inputs(9);
    Inputs elsewhere = in;
    for (Tensor Inputs::*x : {&Inputs::query, &Inputs::key, &Inputs::value, &Inputs::w_q, &Inputs::w_o})
        elsewhere.*x = turned_in_memory(in.*x);
    const Attended right = attention(in), out = attention(elsewhere);
    EXPECT_TRUE(close(out.weights, right.weights));
    EXPECT_TRUE(close(out.output, right.output));
}

TEST(Scores, MayBeLarge) {
    const std::vector<float> scores{-2000, -30000, 100, 1000};
    for (const float score : scores) {
        // Two keys that score the same, and one that is blocked and would score more.
        Inputs in = identity_inputs(Tensor::of({1, 1, 1}, {1}), Tensor::of({1, 3, 1}, {score, score, score + 1}),
                                    Tensor::of({1, 3, 1}, {4, 6, 100}));
        in.mask = Mask::of({3}, {false, false, true});
        const Attended out = attention(in);
        EXPECT_TRUE(close(out.weights, Tensor::of({1, 1, 1, 3}, {0.5F, 0.5F, 0}), 1e-3F)) << "score " << score;
        EXPECT_NEAR(out.output(0, 0, 0), 5, 1e-2) << "score " << score;
    }
}

TEST(Masks, BlockForEachSequenceItsOwn) {
    Inputs in = random_inputs(5);
    const Tensor open = attention(in).weights;
    in.mask = Mask::of({B, 1, 1, S}, {false, false, true, false, false, true, false, false, false, true});
    const Tensor weights = attention(in).weights;
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t) {
                float total = 0;
                for (Index s = 0; s < S; ++s)
                    if (!in.mask(b, 0, 0, s)) total += open(b, h, t, s);
                for (Index s = 0; s < S; ++s)
                    EXPECT_NEAR(weights(b, h, t, s), in.mask(b, 0, 0, s) ? 0 : open(b, h, t, s) / total, 1e-4);
            }
}

TEST(Masks, OfAQueryThatSeesNothingLeaveTheBias) {
    Inputs in = random_inputs(6);
    in.mask = Mask::allow_all({T, S});
    for (Index s = 0; s < S; ++s) in.mask(2, s) = true;
    const Attended out = attention(in);
    for (Index b = 0; b < B; ++b) {
        EXPECT_TRUE(close(out.weights.select(2, 2), Tensor::zeros({B, H, S})));
        EXPECT_TRUE(close(out.output[b][2], in.b_o));
    }
}

void expect_causal(const Tensor& weights) {
    const Index queries = weights.size(2), keys = weights.size(3);
    for (Index t = 0; t < queries; ++t)
        for (Index s = 0; s < keys; ++s) {
            const bool future = s > t + (keys - queries);
            EXPECT_EQ(weights(0, 0, t, s) > 0, !future) << "query " << t << ", key " << s;
        }
}

TEST(Causal, BlocksTheFutureAndNothingElse) {
    Inputs in = random_inputs(7);
    in.causal = true;
    expect_causal(attention(in).weights);
    in.mask = Mask::allow_all({T, S});
    expect_causal(attention(in).weights);
    in.query = random_inputs(8).key;  // as many queries as keys
    in.mask = {};
    expect_causal(attention(in).weights);
}

}  // namespace
}  // namespace headway::ex06
