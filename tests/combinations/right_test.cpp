#include <headway/random.hpp>
#include <headway/tensor.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <merge_heads.hpp>
#include <scaled_scores.hpp>
#include <single_head.hpp>
#include <stdexcept>
#include <vector>

// With no mistake chosen the implementations are right: on numbers to follow by hand (besides those of the exercises'
// visible tests, which run here too), and against the formula in double precision.
namespace headway::combinations {
namespace {

const float ln3 = std::log(3.0F);

void expect_near(const Tensor& actual, const Tensor& expected, float tolerance) {
    ASSERT_EQ(actual.shape(), expected.shape());
    const Tensor a = actual.contiguous();
    const Tensor e = expected.contiguous();
    for (Index i = 0; i < a.numel(); ++i)
        EXPECT_NEAR(a.data()[i], e.data()[i], tolerance * (1 + std::abs(e.data()[i]))) << "element " << i;
}

/// softmax over keys of q·kᵀ / √d, times v, in double: context (B, H, T, d_v).
Tensor expected_context(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    const Index S = k.size(2);
    Tensor context = Tensor::zeros({q.size(0), q.size(1), q.size(2), v.size(3)});
    for (Index b = 0; b < q.size(0); ++b)
        for (Index h = 0; h < q.size(1); ++h)
            for (Index t = 0; t < q.size(2); ++t) {
                std::vector<double> scores;
                double largest = -HUGE_VAL;
                for (Index s = 0; s < S; ++s) {
                    double dot = 0;
                    for (Index i = 0; i < q.size(3); ++i) dot += double{q(b, h, t, i)} * double{k(b, h, s, i)};
                    const bool blocked = mask.defined() && mask(b, h, t, s);
                    scores.push_back(blocked ? -HUGE_VAL : dot / std::sqrt(double(q.size(3))));
                    largest = std::max(largest, scores.back());
                }
                double total = 0;
                for (const double score : scores) total += std::isinf(score) ? 0 : std::exp(score - largest);
                for (Index j = 0; j < v.size(3); ++j) {
                    double sum = 0;
                    for (Index s = 0; s < S; ++s) {
                        const double score = scores[static_cast<std::size_t>(s)];
                        if (!std::isinf(score)) sum += std::exp(score - largest) / total * double{v(b, h, s, j)};
                    }
                    context(b, h, t, j) = static_cast<float>(sum);
                }
            }
    return context;
}

TEST(Right01, WeighsValuesOfAnotherWidth) {
    Random random(3);
    const Tensor x = random.normal({7, 4}).transpose(0, 1);  // a view: 4 tokens
    const Tensor w_q = random.normal({7, 5});
    const Tensor w_k = random.normal({5, 7}).transpose(0, 1);
    const Tensor w_v = random.normal({7, 3});
    const auto as_head = [](const Tensor& m) { return m.contiguous().view({1, 1, m.size(0), m.size(1)}); };
    const Tensor expected =
        expected_context(as_head(matmul(x, w_q)), as_head(matmul(x, w_k)), as_head(matmul(x, w_v)), {});
    expect_near(ex01::single_head_attention(x, w_q, w_k, w_v), expected.view({4, 3}), 1e-4F);
}

TEST(Right01, LeavesArgumentsAlone) {
    const Tensor x = Tensor::rows({{1, 2}});
    expect_near(ex01::with_residual(x, Tensor::rows({{10, 20}})), Tensor::rows({{11, 22}}), 0);
    expect_near(ex01::softmax_rows(x - x), Tensor::rows({{0.5F, 0.5F}}), 1e-6F);
    expect_near(x, Tensor::rows({{1, 2}}), 0);
}

TEST(Right01, RefusesWhatDoesNotFit) {
    const Tensor x = Tensor::ones({2, 3});
    const Tensor w = Tensor::ones({3, 4});
    EXPECT_THROW(ex01::softmax_rows(Tensor::ones({3})), std::invalid_argument);
    EXPECT_THROW(ex01::single_head_attention(x, w, Tensor::ones({3, 5}), w), std::invalid_argument);
    EXPECT_THROW(ex01::single_head_attention(x, w, w, Tensor::ones({4, 4})), std::invalid_argument);
    EXPECT_THROW(ex01::with_residual(x, w), std::invalid_argument);
}

TEST(Right03, FollowsTheFormulaOnViewsWithMasksOfAnyShape) {
    Random random(4);
    const Tensor q = random.normal({2, 5, 3, 6}).transpose(1, 2);  // (B, H, T, d) = (2, 3, 5, 6)
    const Tensor k = random.normal({2, 7, 3, 6}).transpose(1, 2);
    const Tensor v = random.normal({2, 3, 4, 7}).transpose(2, 3);
    const Mask blocks_query_2 = Mask::of({5, 1}, {false, false, true, false, false});
    for (const Mask& mask : {Mask{}, ex03::causal_mask(5, 7), ex03::padding_mask({0, 4}, 7), blocks_query_2}) {
        const Mask wide = mask.defined() ? mask.expand({2, 3, 5, 7}) : mask;
        const auto [context, weights] = ex03::scaled_dot_product_attention(q, k, v, mask);
        expect_near(context, expected_context(q, k, v, wide), 1e-5F);
        expect_near(matmul(weights, v), context, 1e-5F);
    }
}

TEST(Right03, SurvivesScoresOfTenThousand) {
    const Tensor scores = Tensor::of({1, 1, 3, 2}, {1e4F, 1e4F, -1e4F, -1e4F, 1e4F, -1e4F});
    const Tensor w = ex03::masked_softmax(scores, Mask::of({3, 2}, {false, false, false, false, true, false}));
    expect_near(w, Tensor::of({1, 1, 3, 2}, {0.5F, 0.5F, 0.5F, 0.5F, 0, 1}), 1e-6F);
}

TEST(Right03, MoreQueriesThanKeysLeaveTheFirstWithoutAny) {
    EXPECT_EQ(to_string(ex03::causal_mask(3, 2)), to_string(Mask::of({3, 2}, {true, true, false, true, false, false})));
}

TEST(Right03, RefusesWhatDoesNotFit) {
    const Tensor q = Tensor::ones({2, 3, 5, 6});
    EXPECT_THROW(ex03::attention_scores(q, Tensor::ones({2, 3, 5, 7})), std::invalid_argument);
    EXPECT_THROW(ex03::attention_scores(q, Tensor::ones({2, 4, 5, 6})), std::invalid_argument);
    EXPECT_THROW(ex03::scaled_dot_product_attention(q, q, Tensor::ones({2, 3, 4, 6}), {}), std::invalid_argument);
    EXPECT_THROW(ex03::masked_softmax(q, Mask::allow_all({4, 6})), std::invalid_argument);
}

TEST(Right04, FollowsTheFormula) {
    Random random(5);
    const Index B = 3, T = 5, D = 12, H = 2;
    const Tensor x = random.normal({T, B, D}).transpose(0, 1) * 0.3F;
    std::vector<Tensor> w;
    for (int i = 0; i < 4; ++i) w.push_back(random.normal({D, D}).transpose(0, 1));
    const auto heads = [&](const Tensor& weight) { return matmul(x, weight).view({B, T, H, D / H}).transpose(1, 2); };
    for (const Mask& mask : {Mask{}, ex03::causal_mask(T, T), ex03::padding_mask({0, 2, 5}, T)}) {
        const Mask wide = mask.defined() ? mask.expand({B, H, T, T}) : mask;
        const Tensor context = expected_context(heads(w[0]), heads(w[1]), heads(w[2]), wide);
        const Tensor merged = cat({context.select(1, 0), context.select(1, 1)}, -1);
        expect_near(ex04::multi_head_attention(x, w[0], w[1], w[2], w[3], H, mask), matmul(merged, w[3]), 1e-4F);
    }
}

TEST(Right04, MergesAView) {
    const Tensor context = Tensor::of({1, 2, 2, 1}, {1, 2, 3, 4}).transpose(1, 2);  // heads {1, 3}, {2, 4}
    expect_near(ex04::merge_heads(context), Tensor::of({1, 2, 2}, {1, 2, 3, 4}), 0);
}

TEST(Right04, AddsTheBiasOnce) {
    const Tensor y =
        ex04::project_output(Tensor::ones({1, 1, 2}), Tensor::rows({{ln3, 1, 2}, {0, 1, 1}}), Tensor::ones({3}));
    expect_near(y, Tensor::of({1, 1, 3}, {ln3 + 1, 3, 4}), 1e-6F);
}

TEST(Right04, RefusesWhatDoesNotFit) {
    const Tensor x = Tensor::ones({2, 3, 6});
    const Tensor w = Tensor::ones({6, 6});
    EXPECT_THROW(ex04::merge_heads(x), std::invalid_argument);
    EXPECT_THROW(ex04::project_output(x, w, Tensor::ones({5})), std::invalid_argument);
    EXPECT_THROW(ex04::multi_head_attention(x, w, w, w, w, 4, {}), std::invalid_argument);
    EXPECT_THROW(ex04::multi_head_attention(x, w, w, w, w, 0, {}), std::invalid_argument);
    EXPECT_THROW(ex04::multi_head_attention(x, w, w, w, Tensor::ones({6, 5}), 2, {}), std::invalid_argument);
    EXPECT_THROW(ex04::multi_head_attention(x, w, w, w, w, 2, Mask::allow_all({4, 4})), std::invalid_argument);
}

}  // namespace
}  // namespace headway::combinations
