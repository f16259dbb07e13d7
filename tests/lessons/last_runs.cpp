// The last runs of the lessons, as a student puts them into a visible test. They print and assert nothing, so here they
// are only compiled; code_in_lessons_test.cpp compares them with what the lessons show.
#include <backward.hpp>
#include <block.hpp>
#include <grouped_query.hpp>
#include <head_splitting.hpp>
#include <headway/random.hpp>
#include <kv_cache.hpp>
#include <long_texts.hpp>
#include <merge_heads.hpp>
#include <module.hpp>
#include <positions.hpp>
#include <scaled_scores.hpp>
#include <single_head.hpp>
#include <small_numbers.hpp>
#include <tiled_attention.hpp>

#include <iostream>

#undef TEST  // GoogleTest comes with the precompiled header
#define TEST(suite, name) [[maybe_unused]] static void suite##_##name()

namespace headway::ex01 {
TEST(TheCatSatHere, LooksForItsSubject) {
    const Tensor x = Tensor::rows({{1, 0, 1}, {2, 1, 0}, {0, 2, 1}, {0, 1, 2}});
    const Tensor w_q = Tensor::rows({{0, -1}, {1, 0}, {1, 1}});
    const Tensor w_k = Tensor::rows({{1, 0}, {0, 1}, {0, -1}});
    std::cout << attention_weights(matmul(x, w_q), matmul(x, w_k)) << '\n';
}
}  // namespace headway::ex01

namespace headway::ex02 {
TEST(SplitHeads, SharesItsNumbers) {
    Tensor x = Tensor::arange(18).as_strided({1, 3, 6}, {18, 6, 1});
    const Tensor heads = split_heads(x, 2);
    x(0, 2, 3) = 100;            // token 2, feature 3
    std::cout << heads << '\n';  // in which head and row is the 100?
}
}  // namespace headway::ex02

namespace headway::ex03 {
TEST(TheCatSatHere, SeesThePast) {
    const Tensor q = Tensor::of({1, 1, 4, 3}, {1, 0, 1, 1, -2, 1, 3, 1, 1, 3, 2, 1});
    const Tensor k = Tensor::of({1, 1, 4, 3}, {1, -1, 0, 2, 1, -1, 0, 1, -2, 0, -1, -1});
    const Tensor scores = attention_scores(q, k);
    std::cout << masked_softmax(scores, causal_mask(4, 4)) << '\n';
}
}  // namespace headway::ex03

namespace headway::ex04 {
TEST(OutputProjection, LetsHeadsWriteEverywhere) {
    const Tensor x = Tensor::of({1, 2, 4}, {3, 0, 2, 0, 0, 1, 0, 3});
    Tensor w_v = Tensor::eye(4);
    w_v.slice(1, 2, 4).fill(0);  // head 1 has nothing to say
    const Tensor w_o = Tensor::ones({4, 4});
    const Tensor eye = Tensor::eye(4);  // for w_q and w_k
    std::cout << multi_head_attention(x, eye, eye, w_v, w_o, 2, {}) << '\n';
}
}  // namespace headway::ex04

namespace headway::ex05 {
TEST(Checklist, OfMyModule) {
    const auto module = make_multi_head_attention({.embed_dim = 6, .num_heads = 2, .seed = 1});
    module->eval();
    const Tensor in = Random(7).normal({1, 4, 6});
    const Tensor w = module->attention_weights(in, in, {});
    std::cout << to_string(w.shape()) << '\n';
    std::cout << sum(w, -1) << '\n' << w << '\n';
}
}  // namespace headway::ex05

namespace headway::ex07 {
TEST(Differences, AgreeWithMyFormula) {
    Random random(3);
    Tensor q = random.normal({1, 1, 2, 3});
    const Tensor k = random.normal({1, 1, 4, 3});
    const Tensor v = random.normal({1, 1, 4, 2});
    const Tensor ones = Tensor::ones({1, 1, 2, 2});
    const Tensor grad = attention_backward(q, k, v, {}, ones).q;
    const auto loss = [&] {  // the sum of the context
        const Tensor context = given::scaled_dot_product_context(q, k, v);
        return sum(sum(context[0][0], 0), 0)();
    };
    const float h = 0.01F;
    q(0, 0, 1, 0) += h;
    const float above = loss();
    q(0, 0, 1, 0) -= 2 * h;
    const float below = loss();
    std::cout << grad(0, 0, 1, 0) << ' ' << (above - below) / (2 * h) << '\n';
}
}  // namespace headway::ex07

namespace headway::ex08 {
TEST(Rows, OfSixtyFourTokens) {
    const Projections projections(6, 6, Random{1});
    Cache cache = make_cache(1, 2, 64, 3);
    const Index before = nn::rows_through_linear();
    for (int t = 0; t < 64; ++t) decode(cache, projections, Tensor::ones({1, 1, 6}), {1});
    std::cout << nn::rows_through_linear() - before << '\n';
}
}  // namespace headway::ex08

namespace headway::ex09 {
TEST(Llama, Needs) {
    std::cout << 2 * 80 * cached_numbers(1, 4096, 64, 8, 128) << " of " << 2 * 80 * cached_numbers(1, 4096, 64, 64, 128)
              << '\n';
}
}  // namespace headway::ex09

namespace headway::ex10 {
TEST(LongText, Fits) {
    Random random(1);
    const Tensor q = random.normal({1, 1, 16384, 8});
    const Tensor context = tiled_attention(q, q, q, {}, Causal::yes, 128);
    std::cout << context[0][0][0] << '\n';
}
}  // namespace headway::ex10

namespace headway::ex11 {
TEST(Ring, StaysAsSmallAsItsWindow) {
    RingCache cache = make_ring(1, 2, 8, 4, 4);
    for (Index step = 0; step < 1000; ++step) {
        const auto number = static_cast<float>(step);
        const Tensor token = Tensor::full({1, 2, 1, 4}, number);
        ring_decode(cache, token, token, token);
    }
    std::cout << cache.next << " tokens seen, " << cache.k.storage_size() << " numbers of keys kept\n";
}
}  // namespace headway::ex11

namespace headway::ex12 {
TEST(Cache, InAQuarterOfTheMemory) {
    Random random(12);
    const Tensor q = random.normal({1, 12, 1, 64});
    const Tensor k = random.normal({1, 12, 1024, 64});
    Tensor v = random.normal({1, 12, 1024, 64});
    const Tensor exact = given::scaled_dot_product_context(q, k, v);
    const Tensor kept = int8_attention(q, append({}, k, v), {});
    const Tensor error = (kept - exact).contiguous().view({12, 64});
    std::cout << cache_bytes(1, 12, 1024, 64, 64, Kept::as_int8) << " of "
              << cache_bytes(1, 12, 1024, 64, 64, Kept::as_float) << " bytes, each head off by\n"
              << max(sqrt(error * error), 1) << '\n';
}
}  // namespace headway::ex12

namespace headway::ex13 {
TEST(Distance, IsAllThatCounts) {
    Random random(1);
    const Tensor q = random.normal({1, 1, 1, 8});
    const Tensor k = random.normal({1, 1, 3, 8});
    for (const float first : {0.0F, 1000.0F}) {
        const Tensor at = (Tensor::arange(3) + first).view({1, 3});
        const Tensor last = at.slice(1, 2, 3);
        std::cout << rotary_attention(q, k, k, last, at, 10'000, {}) << '\n';
    }
}
}  // namespace headway::ex13

namespace headway::ex14 {
TEST(Depth, LeavesTheGradientItsSize) {
    Random random(1);
    const auto zeros = [](const Tensor& x) { return x * 0.0F; };
    const auto back = [=](const Tensor& x, const Tensor&) { return zeros(x); };
    const Sublayer nothing{zeros, back};
    const NormWeights norm{Tensor::ones({4}), Tensor::zeros({4})};
    const Tensor gradient = Tensor::of({1, 1, 4}, {1, 0, 0, 0});
    const Tensor b_in = Tensor::zeros({16}), b_out = Tensor::zeros({4});
    for (const std::size_t L : {1u, 8u, 32u}) {
        float length = 0;
        for (int stack = 0; stack < 20; ++stack) {
            std::vector<Block> blocks;
            while (blocks.size() < L) {
                const Tensor w_in = random.normal({4, 16}) * 0.1F;
                const Tensor w_out = random.normal({16, 4}) * 0.1F;
                const MlpWeights mlp{w_in, b_in, w_out, b_out};
                blocks.push_back({norm, norm, mlp, nothing, Order::pre_norm});
            }
            const Tensor x = random.normal({1, 1, 4});
            const Tensor g = stack_backward(blocks, x, gradient)[0].x;
            length += sqrt(sum(g * g, -1))(0, 0) / 20;
        }
        std::cout << L << " blocks: " << length << '\n';
    }
}
}  // namespace headway::ex14
