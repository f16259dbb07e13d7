// What many tutorials get wrong and the lessons say otherwise: one test per claim, named after it.
#include <headway/given.hpp>
#include <headway/random.hpp>
#include <merge_heads.hpp>
#include <module.hpp>
#include <scaled_scores.hpp>
#include <single_head.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace headway {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
// Sizes that differ pairwise, so that no claim holds by accident.
constexpr Index B = 2, H = 3, T = 4, d = 5, D = H * d;

/// A whole score matrix of standard normal queries and keys of width `width`.
Tensor random_scores(Index width, std::uint64_t seed = 1) {
    Random random(seed);
    return matmul(random.normal({40, width}), random.normal({50, width}).transpose(0, 1));
}

float largest_difference(const Tensor& a, const Tensor& b) {
    const Tensor difference = (a - b).contiguous();
    float largest = 0;
    for (Index i = 0; i < difference.numel(); ++i) largest = std::max(largest, std::abs(difference.data()[i]));
    return largest;
}

double mean_square(const Tensor& x) {
    const Tensor dense = x.contiguous();
    double total = 0;
    for (Index i = 0; i < dense.numel(); ++i) total += static_cast<double>(dense.data()[i]) * dense.data()[i];
    return total / static_cast<double>(dense.numel());
}

double mean_largest_weight(const Tensor& scores) {
    const Tensor largest = max(ex01::softmax_rows(scores), -1);
    double total = 0;
    for (Index t = 0; t < largest.numel(); ++t) total += largest(t);
    return total / static_cast<double>(largest.numel());
}

// ---- projections and heads ------------------------------------------------------------------------------------------

TEST(Lesson02, SeparateProjectionsOfTheHeadsAreOneProjection) {
    Random random(2);
    const Tensor x = random.normal({B, T, D});
    const Tensor w = random.normal({D, D});
    const Tensor at_once = given::split_heads(matmul(x, w), H);  // (B, H, T, d)
    Index parameters = 0;
    for (Index h = 0; h < H; ++h) {
        const Tensor own = w.slice(1, h * d, (h + 1) * d).clone();  // (D, d)
        parameters += own.numel();
        EXPECT_LT(largest_difference(matmul(x, own), at_once.select(1, h)), 1e-5F);
    }
    EXPECT_EQ(parameters, w.numel());
}

TEST(Lesson02, TheProjectionIsBlockDiagonalOnlyIfEachHeadSeesOnlyItsSlice) {
    Random random(3);
    const Tensor x = random.normal({B, T, D});
    Tensor block_diagonal = Tensor::zeros({D, D});
    Tensor of_slices = Tensor::empty({B, T, D});
    for (Index h = 0; h < H; ++h) {
        const Tensor own = random.normal({d, d});
        block_diagonal.slice(0, h * d, (h + 1) * d).slice(1, h * d, (h + 1) * d).copy_from(own);
        of_slices.slice(2, h * d, (h + 1) * d).copy_from(matmul(x.slice(2, h * d, (h + 1) * d), own));
    }
    EXPECT_LT(largest_difference(matmul(x, block_diagonal), of_slices), 1e-5F);

    // A head of a full projection sees features outside its slice: feature D - 1 reaches head 0.
    const Tensor full = random.normal({D, D});
    Tensor changed = x.clone();
    changed(0, 0, D - 1) += 1.0F;
    const auto head_0 = [](const Tensor& in, const Tensor& w) {
        return given::split_heads(matmul(in, w), H).select(1, 0);
    };
    EXPECT_GT(largest_difference(head_0(changed, full), head_0(x, full)), 0.01F);
    EXPECT_EQ(largest_difference(head_0(changed, block_diagonal), head_0(x, block_diagonal)), 0.0F);
}

TEST(Lesson02, ForgettingTheTransposeGivesAttentionAmongHeadsAndNoError) {
    Random random(4);
    const Tensor q = random.normal({B, T, D}).view({B, T, H, d});
    const Tensor k = random.normal({B, T, D}).view({B, T, H, d});
    const Tensor scores = ex03::attention_scores(q, k);
    EXPECT_EQ(scores.shape(), (Shape{B, T, H, H}));

    Tensor other_token = k.clone();
    other_token[0][T - 1] += 1.0F;
    const Tensor then = ex03::attention_scores(q, other_token);
    EXPECT_EQ(largest_difference(then[0].slice(0, 0, T - 1), scores[0].slice(0, 0, T - 1)), 0.0F)
        << "no token may see another one here";
}

TEST(Lesson04, TheOutputProjectionSumsOneTermAHead) {
    Random random(5);
    const Tensor context = random.normal({B, H, T, d});
    const Tensor w_o = random.normal({D, D});
    Tensor total = Tensor::zeros({B, T, D});
    for (Index h = 0; h < H; ++h) total += matmul(context.select(1, h), w_o.slice(0, h * d, (h + 1) * d));
    EXPECT_LT(largest_difference(ex04::project_output(ex04::merge_heads(context), w_o, {}), total), 1e-5F);
}

TEST(Lesson04, TheOutputProjectionFoldsIntoTheValuesOfEachHead) {
    Random random(13);
    const Tensor x = random.normal({B, T, D});
    const Tensor w_v = random.normal({D, D}) / 4.0F, w_o = random.normal({D, D}) / 4.0F;
    const Tensor weights = ex03::masked_softmax(random.normal({B, H, T, T}), {});
    const Tensor context = matmul(weights, given::split_heads(matmul(x, w_v), H));
    Tensor folded = Tensor::zeros({B, T, D});
    for (Index h = 0; h < H; ++h) {
        const Tensor one = matmul(w_v.slice(1, h * d, (h + 1) * d), w_o.slice(0, h * d, (h + 1) * d));  // (D, D)
        folded += matmul(weights.select(1, h), matmul(x, one));
    }
    EXPECT_LT(largest_difference(ex04::project_output(ex04::merge_heads(context), w_o, {}), folded), 1e-4F);
}

TEST(Lesson04, ConcatenationAloneIsolatesHeads) {
    Random random(6);
    const Tensor context = random.normal({B, H, T, d});
    const Tensor w_o = random.normal({D, D});
    Tensor changed = context.clone();
    changed.select(1, 1) += 1.0F;  // head 1 only
    const Tensor before = ex04::merge_heads(context);
    const Tensor after = ex04::merge_heads(changed);
    EXPECT_EQ(largest_difference(after.slice(2, 0, d), before.slice(2, 0, d)), 0.0F);
    EXPECT_GT(largest_difference(matmul(after, w_o).slice(2, 0, d), matmul(before, w_o).slice(2, 0, d)), 0.1F);
}

TEST(Lesson05, TheParameterCountDoesNotDependOnTheNumberOfHeads) {
    for (const Index heads : {1, 3, 5, 15}) {
        Index count = 0;
        for (const Tensor& p : ex05::make_multi_head_attention({.embed_dim = D, .num_heads = heads})->parameters())
            count += p.numel();
        EXPECT_EQ(count, 4 * D * D + 4 * D) << heads << " heads";
    }
}

TEST(Lesson05, TheBiasOfTheKeysChangesNothingAndThatOfTheQueriesDoes) {
    const Tensor x = Random(14).normal({B, T, D});
    const auto change_by = [&](const std::string& bias) {
        const auto module = ex05::make_multi_head_attention({.embed_dim = D, .num_heads = H, .seed = 15});
        const Tensor before = module->forward(x, x, x, {});
        for (auto& [name, parameter] : module->named_parameters())
            if (name == bias) parameter.fill(5);
        return largest_difference(module->forward(x, x, x, {}), before);
    };
    EXPECT_LT(change_by("k_proj.bias"), 1e-5F);
    for (const char* bias : {"q_proj.bias", "v_proj.bias", "out_proj.bias"}) EXPECT_GT(change_by(bias), 0.01F) << bias;
}

TEST(Lesson04, ScoreMemoryIsFourBytesForEachBatchHeadQueryAndKey) {
    constexpr Index S = 7;
    const Tensor weights = ex03::attention_scores(Tensor::zeros({B, H, T, d}), Tensor::zeros({B, H, S, d}));
    EXPECT_EQ(weights.storage_size() * static_cast<Index>(sizeof(float)), B * H * T * S * 4);
    EXPECT_NEAR(8.0 * 8 * 2048 * 2048 * sizeof(float) / 1e9, 1.07, 0.005);  // GB, for (8, 8, 2048)
}

// ---- the scale ------------------------------------------------------------------------------------------------------

TEST(Lesson01, TheVarianceOfADotProductIsItsWidth) {
    EXPECT_NEAR(mean_square(random_scores(3)) / 3, 1, 0.3);
    EXPECT_NEAR(mean_square(random_scores(512)) / 512, 1, 0.2);
}

TEST(Lesson03, DividingByTheRootOfTheModelWidthFlattens) {
    const Tensor scores = random_scores(d);
    const auto by = [&](Index width) { return mean_largest_weight(scores / std::sqrt(static_cast<float>(width))); };
    EXPECT_LT(by(D), 0.8 * by(d));
    const Tensor too_small = scores / std::sqrt(static_cast<float>(D));
    const Tensor right = scores / std::sqrt(static_cast<float>(d));
    EXPECT_LT(largest_difference(too_small * std::sqrt(static_cast<float>(H)), right), 1e-5F);
}

TEST(Lesson01, WithoutScalingWideHeadsSaturate) {
    const Tensor scores = random_scores(512);
    EXPECT_GT(mean_largest_weight(scores), 0.85);
    EXPECT_LT(mean_largest_weight(scores / std::sqrt(512.0F)), 0.3);
}

TEST(Lesson03, TheScaleBelongsToTheKeyWidthNotToTheValueWidth) {
    Random random(7);
    const Tensor q = random.normal({B, H, T, d});
    const Tensor k = random.normal({B, H, T, d});
    const Tensor narrow = ex03::scaled_dot_product_attention(q, k, random.normal({B, H, T, 2}), {}).weights;
    const Tensor wide = ex03::scaled_dot_product_attention(q, k, random.normal({B, H, T, 70}), {}).weights;
    EXPECT_EQ(largest_difference(narrow, wide), 0.0F);
    // Scores over √d have variance 1 whatever v is; over √d_v they would have d / d_v.
    EXPECT_NEAR(mean_square(random_scores(64) / std::sqrt(64.0F)), 1, 0.2);
    EXPECT_NEAR(mean_square(random_scores(64) / std::sqrt(16.0F)), 4, 0.8);
}

// ---- masks ----------------------------------------------------------------------------------------------------------

TEST(Lesson03, AMaskTimesMinusInfinityIsNaNWhereTheMaskIsZero) {
    const Tensor product = Tensor::of({3}, {0, 1, 0}) * -infinity;
    EXPECT_TRUE(std::isnan(product(0)));
    EXPECT_EQ(product(1), -infinity);
    const Tensor filled = masked_fill(Tensor::zeros({3}), Mask::of({3}, {false, true, false}), -infinity);
    EXPECT_EQ(filled(0), 0.0F);
    EXPECT_EQ(filled(1), -infinity);
}

TEST(Lesson03, ALargePenaltyMakesAFullyMaskedRowUniform) {
    const Tensor scores = Tensor::rows({{5, -3, 0, 2}});
    const Tensor penalised = ex01::softmax_rows(scores - 1e9F);
    for (Index s = 0; s < 4; ++s) EXPECT_EQ(penalised(0, s), 0.25F);
    const Tensor ours = ex03::masked_softmax(scores.view({1, 1, 1, 4}), Mask::block_all({4}));
    for (Index s = 0; s < 4; ++s) EXPECT_EQ(ours(0, 0, 0, s), 0.0F);
}

TEST(Lesson03, ABooleanMaskReadInTheOppositeSenseAllowsExactlyWhatItShouldBlock) {
    // torch.nn.MultiheadAttention: true = may not attend; torch's scaled_dot_product_attention: true = takes part.
    const Mask causal = ex03::causal_mask(T, T);
    const Tensor scores = Random(8).normal({1, 1, T, T});
    const Tensor right = ex03::masked_softmax(scores, causal);
    const Tensor opposite = ex03::masked_softmax(scores, !causal);
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < T; ++s) {
            EXPECT_EQ(right(0, 0, t, s) > 0, s <= t);
            EXPECT_EQ(opposite(0, 0, t, s) > 0, s > t);
        }
}

TEST(Lesson03, CausalMasksAlignedTopLeftAndBottomRightAgreeForSquareMasksOnly) {
    const auto differs = [](Index queries, Index keys) {
        const Mask mask = ex03::causal_mask(queries, keys);
        for (Index t = 0; t < queries; ++t)
            for (Index s = 0; s < keys; ++s)
                if (mask(t, s) != (s > t)) return true;
        return false;
    };
    EXPECT_FALSE(differs(4, 4));
    EXPECT_TRUE(differs(2, 4));
}

// ---- what attention can and cannot do
// ---------------------------------------------------------------------------------

TEST(Lesson01, OneQueryCanAttendToTwoKeysAtOnce) {
    const Tensor k = Tensor::rows({{9, 0, 0}, {0, 9, 0}, {0, 0, 9}});
    const Tensor q = Tensor::rows({{9, 9, 0}});  // along k0 + k1
    const Tensor weights = ex01::attention_weights(q, k);
    EXPECT_NEAR(weights(0, 0), 0.5, 1e-5);
    EXPECT_NEAR(weights(0, 1), 0.5, 1e-5);
    EXPECT_NEAR(weights(0, 2), 0, 1e-5);
}

TEST(Lesson01, ScoresOfOneLensAreSymmetricAndOfTwoAreNot) {
    Random random(9);
    const Tensor x = random.normal({T, D});
    const Tensor w_q = random.normal({D, d});
    const Tensor w_k = random.normal({D, d});
    const auto scores = [&](const Tensor& a, const Tensor& b) {
        return matmul(matmul(x, a), matmul(x, b).transpose(0, 1));
    };
    EXPECT_LT(largest_difference(scores(w_q, w_q), scores(w_q, w_q).transpose(0, 1)), 1e-3F);
    EXPECT_GT(largest_difference(scores(w_q, w_k), scores(w_q, w_k).transpose(0, 1)), 1.0F);
}

TEST(Lesson01, OneLensIsEnoughToBreakTheMirrorAndRowsAloneCanTiltTheWeights) {
    const Tensor x = Random(16).normal({T, D});
    const Tensor one_lens = matmul(x, matmul(x, Random(17).normal({D, D})).transpose(0, 1));
    EXPECT_GT(largest_difference(one_lens, one_lens.transpose(0, 1)), 1.0F);

    const Tensor rows = Tensor::rows({{3, 0}, {1, 0}, {0, 1}, {0, -1}});
    const Tensor weights = ex01::softmax_rows(matmul(rows, rows.transpose(0, 1)));
    EXPECT_GT(weights(1, 0), 0.8F);
    EXPECT_LT(weights(0, 1), 0.01F);
}

TEST(Lesson05, ScoresBeginWithASpreadOfAThird) {
    constexpr Index width = 192, heads = 6, tokens = 48;
    Random random(18);
    const Tensor x = random.normal({1, tokens, width});
    const nn::Linear q(width, width, nn::Bias::yes, random), k(width, width, nn::Bias::yes, random);
    const Tensor scores =
        ex03::attention_scores(given::split_heads(q.forward(x), heads), given::split_heads(k.forward(x), heads));
    ASSERT_EQ(scores.shape(), (Shape{1, heads, tokens, tokens}));
    EXPECT_NEAR(std::sqrt(mean_square(scores)), 1.0 / 3, 0.05);
}

TEST(Lesson01, WithoutTheResidualTokensAmongUninformativeNeighboursBecomeOne) {
    Random random(10);
    const Tensor x = random.normal({T, D});
    const Tensor context =
        ex01::single_head_attention(x, Tensor::zeros({D, d}), random.normal({D, d}), random.normal({D, D}));
    const Tensor edited = ex01::with_residual(x, context);
    EXPECT_LT(largest_difference(context[0], context[1]), 1e-5F);
    EXPECT_LT(largest_difference(edited[0] - edited[1], x[0] - x[1]), 1e-5F);
}

TEST(Lesson05, AttentionDoesNotKnowTheOrderOfItsKeys) {
    const auto attention = ex05::make_multi_head_attention({.embed_dim = D, .num_heads = H, .seed = 11});
    Random random(12);
    const Tensor query = random.normal({B, T, D});
    const Tensor keys = random.normal({B, 6, D});
    const Tensor rotated = ops::cat({keys.slice(1, 2, 6), keys.slice(1, 0, 2)}, 1);
    EXPECT_LT(
        largest_difference(attention->forward(query, keys, keys, {}), attention->forward(query, rotated, rotated, {})),
        1e-5F);
}

}  // namespace
}  // namespace headway
