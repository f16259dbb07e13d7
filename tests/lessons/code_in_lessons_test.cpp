// The code that the lessons show compiles and does what they say. What they show as a last run is in last_runs.cpp;
// blocks_of_code_test.cpp looks for every block of every lesson in both.
#include <backward.hpp>
#include <block.hpp>
#include <catch_the_bug.hpp>
#include <grouped_query.hpp>
#include <headway/eigen.hpp>
#include <headway/nn.hpp>
#include <headway/random.hpp>
#include <kv_cache.hpp>
#include <module.hpp>
#include <positions.hpp>
#include <scaled_scores.hpp>
#include <single_head.hpp>
#include <small_numbers.hpp>
#include <tiled_attention.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace headway {
namespace {

// ---- lesson 01 ------------------------------------------------------------------------------------------------------

using ex01::softmax_rows;

TEST(CodeOfLesson01, TensorCallsDoWhatTheirCommentsSay) {
    Tensor x = Tensor::rows({{1, 2, 3}, {4, 5, 6}});    // (2, 3), row by row
    Tensor w = Tensor::of({3, 2}, {1, 0, 0, 1, 1, 1});  // a shape, then numbers
    Tensor z = Tensor::zeros({2, 2});                   // also ones, full({2, 2}, 7), eye(2)
    Tensor y = Tensor::empty({2, 2});                   // not yet written: write before you read
    float f = x(1, 2);                                  // 6: row 1, column 2; out of range throws
    z(0, 1) = 5;                                        // writes one number
    Index n = x.size(-1);                               // 3: the size of the last axis
    bool same = x.shape() == w.shape();                 // false: (2, 3) is not (3, 2)
    Tensor p = matmul(x, w);                            // (2, 3) · (3, 2) = (2, 2)
    Tensor t = x.transpose(0, 1);                       // (3, 2), a view: nothing is copied
    Tensor r = x[1];                                    // (3), row 1, a view
    Tensor c = x.slice(1, 0, 2);                        // (2, 2), columns 0 and 1, a view
    Tensor a = x * 2.0F + x;                            // element by element; also - and /
    Tensor e = exp(x);                                  // of each element; also log and sqrt
    Tensor l = max(x, -1, KeepAxis::yes);               // (2, 1): the largest of each row
    Tensor s = sum(x, -1, KeepAxis::yes);               // (2, 1): the sum of each row
    Tensor m = sum(x, 0);                               // (3): the axis disappears
    Tensor b = x - l;                                   // (2, 3) - (2, 1): l broadcasts
    Tensor o = x.clone();                               // a copy; Tensor o = x; shares numbers

    EXPECT_EQ(y.shape(), (Shape{2, 2}));
    EXPECT_EQ(f, 6);
    EXPECT_THROW(x(2, 0), std::out_of_range);
    EXPECT_EQ(z(0, 1), 5);
    EXPECT_EQ(n, 3);
    EXPECT_FALSE(same);
    EXPECT_EQ(p.shape(), (Shape{2, 2}));
    EXPECT_EQ(p(0, 0), 4);  // 1 + 3
    EXPECT_EQ(t.shape(), (Shape{3, 2}));
    for (const Tensor& view : {t, r, c}) EXPECT_TRUE(view.shares_storage_with(x));
    EXPECT_EQ(r(0), 4);
    EXPECT_EQ(c(1, 1), 5);
    EXPECT_EQ(a(0, 2), 9);
    EXPECT_FLOAT_EQ(e(0, 0), std::exp(1.0F));
    EXPECT_EQ(l.shape(), (Shape{2, 1}));
    EXPECT_EQ(l(1, 0), 6);
    EXPECT_EQ(s(0, 0), 6);
    EXPECT_EQ(m.shape(), (Shape{3}));
    EXPECT_EQ(m(0), 5);
    EXPECT_EQ(b(0, 0), -2);
    EXPECT_FALSE(o.shares_storage_with(x));
    EXPECT_THROW(x - max(x, -1), std::invalid_argument);  // without KeepAxis::yes
}

Tensor raw_attention(const Tensor& x) {
    // x (T, D) -> (T, D)
    const Tensor scores = matmul(x, x.transpose(0, 1));  // (T, D) · (D, T)
    return matmul(softmax_rows(scores), x);              // (T, T) · (T, D)
}

Tensor raw_scores(const Tensor& x) {
    Tensor scores = Tensor::empty({x.size(0), x.size(0)});
    // writes into the tensor's storage
    as_eigen(scores) = as_eigen(x) * as_eigen(x).transpose();
    return scores;
}

TEST(CodeOfLesson01, RawAttentionAveragesRows) {
    const Tensor y = raw_attention(Tensor::rows({{20, 0}, {0, 20}}));  // each token is alike to itself only
    EXPECT_NEAR(y(0, 0), 20, 1e-5);
    EXPECT_NEAR(y(1, 0), 0, 1e-5);
}

TEST(CodeOfLesson01, EigenComputesTheSameScores) {
    const Tensor x = Random(1).normal({4, 3});
    const Tensor with_eigen = raw_scores(x);
    const Tensor with_tensors = matmul(x, x.transpose(0, 1));
    for (Index t = 0; t < 4; ++t)
        for (Index s = 0; s < 4; ++s) EXPECT_NEAR(with_eigen(t, s), with_tensors(t, s), 1e-5);
}

// ---- lessons 02 to 04 -----------------------------------------------------------------------------------------------

constexpr Index B = 2, T = 4, H = 6, d = 5, D = H * d;

TEST(CodeOfLesson02, SplitsWithoutACopy) {
    const Tensor x = Random(2).normal({B, T, D});
    const Tensor by_token = x.view({B, T, H, d});     // (B, T, H, d): nothing moves
    const Tensor by_head = by_token.transpose(1, 2);  // (B, H, T, d): nothing moves
    EXPECT_TRUE(by_head.shares_storage_with(x));
    EXPECT_EQ(by_head(1, 2, 3, 4), x(1, 3, 2 * d + 4));
}

TEST(CodeOfLesson02, WritesAWholeTensor) {
    const Tensor x = Tensor::rows({{1, 4}, {2, 5}, {3, 6}}).transpose(0, 1);  // (2, 3), not contiguous
    Tensor line = Tensor::empty({2, 3});                                      // new memory, row-major
    line.fill(7);                                                             // one number everywhere
    line.copy_from(x);                                                        // element [i, j] of x goes to [i, j]
    for (Index i = 0; i < 6; ++i) EXPECT_EQ(line.data()[i], static_cast<float>(i + 1));
    line.fill(7);
    EXPECT_EQ(line(1, 2), 7);
    EXPECT_EQ(x.clone().strides(), x.strides());
}

TEST(CodeOfLesson03, AMaskIsMadeAndWritten) {
    Mask mask = Mask::allow_all({2, 3});  // nothing blocked; also block_all
    mask(0, 2) = true;                    // query 0 may not attend to key 2
    const Tensor weights = ex03::masked_softmax(Tensor::zeros({1, 1, 2, 3}), mask);
    EXPECT_EQ(weights(0, 0, 0, 2), 0);
    EXPECT_EQ(weights(0, 0, 0, 0), 0.5F);
    EXPECT_GT(weights(0, 0, 1, 2), 0.3F);
}

TEST(CodeOfLesson03, MaskedFillBlocks) {
    const Tensor scores = Random(3).normal({B, H, T, T});
    const Mask mask = ex03::causal_mask(T, T);
    constexpr float infinity = std::numeric_limits<float>::infinity();  // <limits>
    const Tensor allowed = masked_fill(scores, mask, -infinity);        // (B, H, T, S)
    EXPECT_EQ(allowed(0, 0, 0, 1), -infinity);
    EXPECT_EQ(allowed(0, 0, 1, 0), scores(0, 0, 1, 0));
}

TEST(CodeOfLesson04, SumsOneTermPerHead) {
    const Tensor context = Random(4).normal({B, H, T, d});
    const Tensor w_o = Random(5).normal({D, D});
    Tensor y = Tensor::zeros({B, T, D});
    for (Index h = 0; h < H; ++h) y += matmul(context.select(1, h), w_o.slice(0, h * d, (h + 1) * d));
    // (B, T, d) · (d, D) for each head
    const Tensor at_once = matmul(given::merge_heads(context), w_o);
    for (Index i = 0; i < D; ++i) EXPECT_NEAR(y(1, 2, i), at_once(1, 2, i), 1e-4);
}

// ---- lesson 05 ------------------------------------------------------------------------------------------------------

class Projected : public nn::Module {
public:
    explicit Projected(Index width, std::uint64_t seed) : random_(seed), proj_(width, width, nn::Bias::yes, random_) {
        register_module("proj", proj_);
    }

private:
    Random random_;  // first: members are constructed as they are declared
    nn::Linear proj_;
};

TEST(CodeOfLesson05, AModuleNamesTheParametersOfItsChildren) {
    const Projected module(3, 1);
    const auto named = module.named_parameters();
    ASSERT_EQ(named.size(), 2U);
    EXPECT_EQ(named[0].first, "proj.weight");
    EXPECT_EQ(named[1].first, "proj.bias");
}

TEST(CodeOfLesson05, AFusedProjectionIsThree) {
    const Tensor x = Random(6).normal({B, T, D});
    const Tensor w_qkv = Random(7).normal({D, 3 * D});
    const Tensor qkv = matmul(x, w_qkv);                       // (B, T, D) · (D, 3D)
    const Tensor q = qkv.slice(2, 0, D).contiguous();          // (B, T, D)
    const Tensor k = qkv.slice(2, D, 2 * D).contiguous();      // (B, T, D)
    const Tensor v = qkv.slice(2, 2 * D, 3 * D).contiguous();  // (B, T, D)
    const Tensor parts[] = {q, k, v};
    for (Index part = 0; part < 3; ++part) {
        const Tensor own = matmul(x, w_qkv.slice(1, part * D, (part + 1) * D));
        EXPECT_NEAR(parts[part](1, 2, 3), own(1, 2, 3), 1e-4);
    }
}

TEST(CodeOfLesson05, AChangedTokenChangesTheRowsThatMaySeeIt) {
    const Tensor x = Random(8).normal({1, 4, 6});
    const auto module = ex05::make_multi_head_attention({.embed_dim = 6, .num_heads = 2, .causal = true});
    const Tensor y = module->forward(x, x, x, {});  // (1, 4, 6)
    Tensor other = x.clone();
    other(0, 2, 0) += 1;  // token 2
    const Tensor z = module->forward(other, other, other, {});
    const Tensor change = z - y;  // 0 in rows 0 and 1
    for (Index i = 0; i < 6; ++i)
        for (const Index t : {0, 1}) EXPECT_EQ(change(0, t, i), 0);
    for (const Index t : {2, 3}) EXPECT_GT(std::abs(change(0, t, 0)), 1e-6F);
}

// ---- lesson 06 ------------------------------------------------------------------------------------------------------

}  // namespace

/// A right attention, for the test of the lesson: no biases, not causal.
ex06::Attended ex06::attention(const Inputs& in) {
    const auto heads = [&](const Tensor& x, const Tensor& w) { return given::split_heads(matmul(x, w), in.num_heads); };
    const auto [context, weights] = given::scaled_dot_product_attention(heads(in.query, in.w_q), heads(in.key, in.w_k),
                                                                        heads(in.value, in.w_v), in.mask);
    return {.output = matmul(given::merge_heads(context), in.w_o), .weights = weights};
}

namespace ex06 {
namespace {

Inputs random_inputs() {
    Random random(1);
    Inputs in;
    in.query = random.normal({2, 4, 7});
    in.key = random.normal({2, 5, 7});
    in.value = random.normal({2, 5, 7});
    for (Tensor* w : {&in.w_q, &in.w_k, &in.w_v}) *w = random.normal({7, 18});
    in.w_o = random.normal({18, 7});
    in.num_heads = 3;
    return in;
}

bool close(const Tensor& a, const Tensor& b) {  // row-major both, of one shape
    for (Index i = 0; i < a.numel(); ++i)
        if (!(std::abs(a.data()[i] - b.data()[i]) <= 1e-4F)) return false;  // in this form NaN is not close
    return true;
}

TEST(Masks, WhatIsBlockedMayHoldAnyNumber) {
    // B = 2, S = 5: Random random(1); in.key = random.normal({2, 5, 7}); ...
    Inputs in = random_inputs();
    in.mask = Mask::of({2, 1, 1, 5}, {false, true, false, false, false, false, false, false, true, true});
    const Attended before = attention(in);
    in.key = in.key.clone();
    in.key(0, 1, 0) += 100;  // sequence 0, key 1
    EXPECT_TRUE(close(attention(in).weights.contiguous(), before.weights.contiguous()));
}

}  // namespace
}  // namespace ex06

namespace {

// ---- lessons from 07 on --------------------------------------------------------------------------------------------

TEST(CodeOfLesson07, TheAverageOfARowBroadcasts) {
    const Tensor weights = softmax_rows(Random(8).normal({T, 6})).view({1, 1, T, 6});
    const Tensor grad_weights = Random(9).normal({1, 1, T, 6});
    // (B, H, T, 1)
    const Tensor average = sum(weights * grad_weights, -1, KeepAxis::yes);
    const Tensor grad = weights * (grad_weights - average);
    const Tensor right = ex07::softmax_backward(weights, grad_weights);
    for (Index s = 0; s < 6; ++s) EXPECT_NEAR(grad(0, 0, 1, s), right(0, 0, 1, s), 1e-6);
}

TEST(CodeOfLesson08, OneTokenIsWrittenThroughAView) {
    ex08::Cache cache = ex08::make_cache(B, H, 6, d);
    const Tensor k = Random(10).normal({B, H, T, d});
    constexpr Index b = 1, h = 2, t = 3, position = 4;
    cache.k[b][h][position].copy_from(k[b][h][t]);  // (d) <- (d)
    EXPECT_EQ(cache.k(1, 2, 4, 0), k(1, 2, 3, 0));
}

TEST(CodeOfLesson09, AGroupIsAnAxisAfterTheHeadsOfKeys) {
    constexpr Index H_kv = 2, group = H / H_kv, S = 4;
    const Tensor kv = Random(11).normal({B, H_kv, S, d});
    const Tensor each = kv.contiguous().view({B, H_kv, 1, S, d});
    const Tensor repeated = each.expand({B, H_kv, group, S, d});
    const Tensor all = repeated.contiguous().view({B, H, S, d});
    const Tensor right = ex09::repeat_heads(kv, H);
    for (Index h = 0; h < H; ++h) EXPECT_EQ(all(1, h, 2, 3), right(1, h, 2, 3));
}

TEST(CodeOfLesson10, TheNewLargestIsPerRow) {
    ex10::Running running = ex10::nothing_seen(B, H, T, d);
    running.largest(1, 2, 3, 0) = 100;
    const Tensor scores = Random(12).normal({B, H, T, 6});
    const Tensor of_tile = max(scores, -1, KeepAxis::yes);    // (B, H, T, 1)
    const Tensor both = cat({running.largest, of_tile}, -1);  // (B, H, T, 2)
    const Tensor now = max(both, -1, KeepAxis::yes);          // (B, H, T, 1)
    EXPECT_EQ(now(1, 2, 3, 0), 100);
    EXPECT_EQ(now(0, 0, 0, 0), max(scores[0][0][0], 0)());
}

TEST(CodeOfLesson12, TiesGoToTheEvenOne) {
    const double even = std::nearbyint(1024.5);  // 1024: ties go to the even one
    const double away = std::round(1024.5);      // 1025: ties go away from 0
    EXPECT_EQ(even, 1024);
    EXPECT_EQ(away, 1025);
    EXPECT_EQ(ex12::rounded(Tensor::of({1}, {2049}), ex12::Format::half)(0), 2 * even);
}

TEST(CodeOfLesson13, OnePairOfOneTokenIsTurned) {
    constexpr float angle = 0.7F;
    Tensor head = Tensor::of({2}, {3, 1});
    const Tensor right = ex13::rotate_pairs(head.view({1, 1, 1, 2}), Tensor::full({1, 1, 1}, angle));
    const float x = head(0), y = head(1);
    const float c = std::cos(angle), s = std::sin(angle);
    head(0) = x * c - y * s;
    head(1) = x * s + y * c;  // of the old x
    EXPECT_NEAR(head(0), right(0, 0, 0, 0), 1e-6);
    EXPECT_NEAR(head(1), right(0, 0, 0, 1), 1e-6);
}

TEST(CodeOfLesson14, ATokenIsNormed) {
    const Tensor x = Tensor::of({1, 1, 3}, {1, 2, 6});
    const Tensor apart = x - mean(x, -1, KeepAxis::yes);
    const Tensor variance = mean(apart * apart, -1, KeepAxis::yes);
    const Tensor hat = apart / sqrt(variance + 1e-5F);
    const Tensor right = ex14::layer_norm(x, Tensor::ones({3}), Tensor::zeros({3}), 1e-5);
    for (Index i = 0; i < 3; ++i) EXPECT_NEAR(hat(0, 0, i), right(0, 0, i), 1e-6);
}

}  // namespace
}  // namespace headway
