#include "catch_the_bug.hpp"

#include <cmath>
#include <vector>

// Every number here can be checked with pencil and paper. ln 3 = 1.0986, so exp(ln 3) : exp(0) = 3 : 1.
namespace headway::ex06 {
namespace {

const float ln3 = std::log(3.f);
constexpr float near = 2e-4f;

/// One head, all weights the identity: queries, keys and values go in as they are.
Inputs plain(const Tensor& query, const Tensor& key, const Tensor& value, Index num_heads = 1) {
    Inputs in;
    in.query = query;
    in.key = key;
    in.value = value;
    in.w_q = in.w_k = in.w_v = in.w_o = Tensor::eye(query.size(-1));
    in.num_heads = num_heads;
    return in;
}

#define EXPECT_NUMBERS(tensor, ...)                                                                    \
    do {                                                                                               \
        const std::vector<float> wanted{__VA_ARGS__};                                                  \
        const Tensor flat = (tensor).contiguous();                                                     \
        ASSERT_EQ(flat.numel(), static_cast<Index>(wanted.size()));                                    \
        for (std::size_t i = 0; i < wanted.size(); ++i)                                                \
            EXPECT_NEAR(flat.data()[i], wanted[i], near + 5e-4f * std::fabs(wanted[i])) << "at " << i; \
    } while (false)

TEST(Paper, ScaleIsRootOfHeadDimNotOfAnythingElse) {
    // d = 4, so scores are halved: 2 ln 3 / 2 against 0. Two heads, so E = 8; D = 3.
    Inputs in;
    in.query = Tensor::of({1, 1, 3}, {1, 0, 0});
    in.key = Tensor::of({1, 2, 3}, {0, 1, 0, 0, 0, 1});
    in.value = Tensor::of({1, 2, 3}, {4, 0, 0, 8, 0, 0});
    in.w_q = Tensor::zeros({3, 8});
    in.w_k = Tensor::zeros({3, 8});
    in.w_v = Tensor::zeros({3, 8});
    in.w_o = Tensor::zeros({8, 3});
    in.w_q(0, 0) = 1;
    in.w_q(0, 7) = 2;
    in.w_k(1, 0) = 2 * ln3;
    in.w_k(2, 7) = ln3;
    in.w_v(0, 0) = 1;
    in.w_v(0, 7) = 10;
    in.w_o(0, 1) = 1;
    in.w_o(7, 2) = 1;
    in.num_heads = 2;
    const Attended out = attention(in);
    EXPECT_NUMBERS(out.weights, 0.75f, 0.25f, 0.25f, 0.75f);
    // head 0: 3/4 · 4 + 1/4 · 8 = 5; head 1: 1/4 · 40 + 3/4 · 80 = 70
    EXPECT_NUMBERS(out.output, 0, 5, 70);
}

TEST(Paper, ThreeHeadsTwoTokensOneFeatureEach) {
    // d = 1. Head h of token t sees key h mostly; the head decides, not the position in memory.
    Inputs in = plain(Tensor::of({1, 2, 3}, {ln3, 0, -ln3, 0, 2 * ln3, ln3}), Tensor::of({1, 2, 3}, {1, 1, 1, 0, 0, 0}),
                      Tensor::of({1, 2, 3}, {4, 40, 400, 8, 80, 800}), 3);
    const Attended out = attention(in);
    EXPECT_NUMBERS(out.weights, 0.75f, 0.25f, 0.5f, 0.5f,  //
                   0.5f, 0.5f, 0.9f, 0.1f,                 //
                   0.25f, 0.75f, 0.75f, 0.25f);
    EXPECT_NUMBERS(out.output, 5, 60, 700, 6, 44, 500);
}

TEST(Paper, TwoHeadsOfTwoFeaturesSitSideBySide) {
    // No scores at all: every head averages. Output is the mean of the values, feature by feature.
    Inputs in = plain(Tensor::zeros({1, 3, 4}), Tensor::zeros({1, 2, 4}),
                      Tensor::of({1, 2, 4}, {1, 2, 3, 4, 11, 12, 13, 14}), 2);
    EXPECT_NUMBERS(attention(in).output, 6, 7, 8, 9, 6, 7, 8, 9, 6, 7, 8, 9);
    in.value = Tensor::of({1, 2, 4}, {1, 2, 3, 4, 11, 12, 13, 14});
    // Features 0 and 1 are head 0, which picks key 0; features 2 and 3 are head 1, which picks key 1.
    in.query = Tensor::of({1, 3, 4}, {60, 0, 60, 0, 0, 60, 0, 60, 60, 60, 0, 60});
    in.key = Tensor::of({1, 2, 4}, {1, 1, 0, 0, 0, 0, 1, 1});
    EXPECT_NUMBERS(attention(in).output, 1, 2, 13, 14, 1, 2, 13, 14, 1, 2, 13, 14);
}

TEST(Paper, TheOutputProjectionMixesHeads) {
    Inputs in = plain(Tensor::zeros({1, 1, 4}), Tensor::zeros({1, 1, 4}), Tensor::of({1, 1, 4}, {1, 10, 100, 1000}), 2);
    in.w_o = Tensor::of({4, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7});
    EXPECT_NUMBERS(attention(in).output, 4951, 5162, 6273, 7384);
}

TEST(Paper, EveryBiasGoesToItsOwn) {
    Inputs in = plain(Tensor::of({1, 1, 1}, {0}), Tensor::of({1, 2, 1}, {1, 0}), Tensor::of({1, 2, 1}, {4, 8}));
    in.b_q = Tensor::of({1}, {ln3});
    EXPECT_NUMBERS(attention(in).weights, 0.75f, 0.25f);
    EXPECT_NUMBERS(attention(in).output, 5);
    in.b_v = Tensor::of({1}, {100});
    EXPECT_NUMBERS(attention(in).output, 105);
    in.w_o = Tensor::of({1, 1}, {2});
    in.b_o = Tensor::of({1}, {1000});
    EXPECT_NUMBERS(attention(in).output, 1210);
    in.b_k = Tensor::of({1}, {5});
    EXPECT_NUMBERS(attention(in).weights, 0.75f, 0.25f);
    EXPECT_NUMBERS(attention(in).output, 1210);
    // Two heads of two features where each head has a bias of its own.
    Inputs two =
        plain(Tensor::zeros({1, 1, 2}), Tensor::of({1, 2, 2}, {1, 0, 0, 1}), Tensor::of({1, 2, 2}, {4, 40, 8, 80}), 2);
    two.b_q = Tensor::of({2}, {ln3, 2 * ln3});
    two.b_k = Tensor::of({2}, {7, -3});
    two.b_v = Tensor::of({2}, {0.5f, 0.25f});
    two.b_o = Tensor::of({2}, {-1, -2});
    EXPECT_NUMBERS(attention(two).weights, 0.75f, 0.25f, 0.1f, 0.9f);
    EXPECT_NUMBERS(attention(two).output, 4.5f, 74.25f);
}

TEST(Paper, BiasOfTheKeysMattersWhereTheQueryDiffersByFeature) {
    // A key bias moves all scores of a row alike: weights stay. The bias of the query does not.
    Inputs in = plain(Tensor::of({1, 1, 1}, {2}), Tensor::of({1, 2, 1}, {ln3, 0}), Tensor::of({1, 2, 1}, {0, 1}));
    in.b_q = Tensor::of({1}, {-1});
    in.b_k = Tensor::of({1}, {3});
    EXPECT_NUMBERS(attention(in).weights, 0.75f, 0.25f);
}

TEST(Paper, EachProjectionOnItsOwnInput) {
    Inputs in = plain(Tensor::of({1, 1, 1}, {1}), Tensor::of({1, 2, 1}, {ln3, 0}), Tensor::of({1, 2, 1}, {7, 9}));
    in.w_q = Tensor::of({1, 1}, {2});
    EXPECT_NUMBERS(attention(in).weights, 0.9f, 0.1f);
    in.w_k = Tensor::of({1, 1}, {0.5f});
    EXPECT_NUMBERS(attention(in).weights, 0.75f, 0.25f);
    in.w_v = Tensor::of({1, 1}, {10});
    EXPECT_NUMBERS(attention(in).output, 75);
    in.w_o = Tensor::of({1, 1}, {3});
    EXPECT_NUMBERS(attention(in).output, 225);
}

TEST(Paper, ProjectionsAreNotTransposed) {
    Inputs in =
        plain(Tensor::of({1, 1, 2}, {1, 0}), Tensor::of({1, 2, 2}, {0, 0, 1, 0}), Tensor::of({1, 2, 2}, {4, 0, 8, 0}));
    const float root2 = std::sqrt(2.f);
    in.w_q = Tensor::of({2, 2}, {0, root2, 0, 0});
    EXPECT_NUMBERS(attention(in).weights, 0.5f, 0.5f);
    in.w_k = Tensor::of({2, 2}, {0, ln3, 0, 0});
    EXPECT_NUMBERS(attention(in).weights, 0.25f, 0.75f);
    in.w_v = Tensor::of({2, 2}, {0, 1, 0, 0});
    EXPECT_NUMBERS(attention(in).output, 0, 7);
    in.w_o = Tensor::of({2, 2}, {0, 0, 1, 2});
    EXPECT_NUMBERS(attention(in).output, 7, 14);
}

TEST(Paper, LargeScoresUpAndDown) {
    for (float base : {0.f, 100.f, -100.f, 1000.f, -1000.f, 2000.f, -2000.f, -6000.f, 9000.f, -20000.f}) {
        Inputs in = plain(Tensor::ones({1, 1, 1}), Tensor::of({1, 3, 1}, {base + 2, base, base - 2}),
                          Tensor::of({1, 3, 1}, {1, 2, 3}));
        const Attended out = attention(in);
        const float e = std::exp(2.f), total = e + 1 + 1 / e;
        EXPECT_NEAR(out.weights(0, 0, 0, 0), e / total, 5e-3) << base;
        EXPECT_NEAR(out.weights(0, 0, 0, 1), 1 / total, 5e-3) << base;
        EXPECT_NEAR(out.weights(0, 0, 0, 2), 1 / e / total, 5e-3) << base;
        EXPECT_NEAR(out.output(0, 0, 0), (e + 2 + 3 / e) / total, 1e-2) << base;
        in.mask = Mask::of({3}, {true, false, false});
        const Attended masked = attention(in);
        EXPECT_EQ(masked.weights(0, 0, 0, 0), 0) << base;
        EXPECT_NEAR(masked.weights(0, 0, 0, 1), e / (e + 1), 5e-3) << base;
        EXPECT_NEAR(masked.weights(0, 0, 0, 2), 1 / (e + 1), 5e-3) << base;
        EXPECT_NEAR(masked.output(0, 0, 0), (2 * e + 3) / (e + 1), 1e-2) << base;
    }
}

TEST(Paper, OneRowLargeTheOtherSmall) {
    // The largest of the whole tensor is no good for the second row, which would vanish.
    Inputs in =
        plain(Tensor::of({1, 2, 1}, {1000, -1000}), Tensor::of({1, 2, 1}, {1, 1}), Tensor::of({1, 2, 1}, {1, 3}));
    EXPECT_NUMBERS(attention(in).weights, 0.5f, 0.5f, 0.5f, 0.5f);
    EXPECT_NUMBERS(attention(in).output, 2, 2);
}

TEST(Paper, MaskOfOneSequence) {
    Inputs in = plain(Tensor::zeros({2, 1, 1}), Tensor::zeros({2, 3, 1}), Tensor::of({2, 3, 1}, {1, 2, 6, 10, 20, 60}));
    in.mask = Mask::of({2, 1, 1, 3}, {false, false, false, false, false, true});
    EXPECT_NUMBERS(attention(in).output, 3, 15);
    in.mask = Mask::of({2, 1, 1, 3}, {false, true, false, false, false, true});
    EXPECT_NUMBERS(attention(in).weights, 0.5f, 0, 0.5f, 0.5f, 0.5f, 0);
    EXPECT_NUMBERS(attention(in).output, 3.5f, 15);
}

TEST(Paper, MaskOfOneHeadAndOfOneQuery) {
    Inputs in = plain(Tensor::zeros({1, 2, 2}), Tensor::zeros({1, 2, 2}), Tensor::of({1, 2, 2}, {2, 20, 4, 40}), 2);
    in.mask = Mask::of({1, 2, 1, 2}, {false, true, false, false});
    EXPECT_NUMBERS(attention(in).weights, 1, 0, 1, 0, 0.5f, 0.5f, 0.5f, 0.5f);
    EXPECT_NUMBERS(attention(in).output, 2, 30, 2, 30);
    in.mask = Mask::of({2, 2}, {false, true, false, false});
    EXPECT_NUMBERS(attention(in).weights, 1, 0, 0.5f, 0.5f, 1, 0, 0.5f, 0.5f);
    EXPECT_NUMBERS(attention(in).output, 2, 20, 3, 30);
    in.mask = Mask::of({1, 2, 2, 2}, {false, true, true, false, true, false, false, false});
    EXPECT_NUMBERS(attention(in).weights, 1, 0, 0, 1, 0, 1, 0.5f, 0.5f);
    EXPECT_NUMBERS(attention(in).output, 2, 40, 4, 30);
}

TEST(Paper, CausalWithAsManyWithMoreAndWithFewerKeys) {
    const auto causal = [](Index T, Index S) {
        Inputs in = plain(Tensor::zeros({1, T, 1}), Tensor::zeros({1, S, 1}), Tensor::arange(S).view({1, S, 1}));
        in.causal = true;
        in.b_o = Tensor::of({1}, {100});
        return attention(in);
    };
    const float third = 1 / 3.f;
    EXPECT_NUMBERS(causal(3, 3).weights, 1, 0, 0, 0.5f, 0.5f, 0, third, third, third);
    EXPECT_NUMBERS(causal(3, 3).output, 100, 100.5f, 101);
    EXPECT_NUMBERS(causal(2, 4).weights, third, third, third, 0, 0.25f, 0.25f, 0.25f, 0.25f);
    EXPECT_NUMBERS(causal(2, 4).output, 101, 101.5f);
    EXPECT_NUMBERS(causal(1, 4).weights, 0.25f, 0.25f, 0.25f, 0.25f);
    EXPECT_NUMBERS(causal(4, 2).weights, 0, 0, 0, 0, 1, 0, 0.5f, 0.5f);
    EXPECT_NUMBERS(causal(4, 2).output, 100, 100, 100, 100.5f);
}

TEST(Paper, CausalAndMaskTogether) {
    Inputs in = plain(Tensor::zeros({1, 2, 1}), Tensor::zeros({1, 3, 1}), Tensor::of({1, 3, 1}, {3, 6, 12}));
    in.causal = true;
    in.mask = Mask::of({1, 1, 1, 3}, {true, false, false});
    EXPECT_NUMBERS(attention(in).weights, 0, 1, 0, 0, 0.5f, 0.5f);
    EXPECT_NUMBERS(attention(in).output, 6, 9);
    in.mask = Mask::of({2, 3}, {true, true, false, false, true, false});
    EXPECT_NUMBERS(attention(in).weights, 0, 0, 0, 0.5f, 0, 0.5f);
    EXPECT_NUMBERS(attention(in).output, 0, 7.5f);
}

TEST(Paper, WhoSeesNothingGetsTheBias) {
    Inputs in = plain(Tensor::of({1, 2, 1}, {1, 2}), Tensor::of({1, 2, 1}, {3, 4}), Tensor::of({1, 2, 1}, {5, 7}));
    in.mask = Mask::of({2, 2}, {true, true, false, true});
    EXPECT_NUMBERS(attention(in).weights, 0, 0, 1, 0);
    EXPECT_NUMBERS(attention(in).output, 0, 5);
    in.b_v = Tensor::of({1}, {50});
    in.b_o = Tensor::of({1}, {-8});
    EXPECT_NUMBERS(attention(in).output, -8, 47);
    in.mask = Mask::block_all({1, 1});
    EXPECT_NUMBERS(attention(in).weights, 0, 0, 0, 0);
    EXPECT_NUMBERS(attention(in).output, -8, -8);
}

TEST(Paper, SoftmaxIsOverKeys) {
    Inputs in =
        plain(Tensor::of({1, 2, 1}, {0, ln3}), Tensor::of({1, 3, 1}, {1, 0, 0}), Tensor::of({1, 3, 1}, {5, 10, 20}));
    const float third = 1 / 3.f;
    EXPECT_NUMBERS(attention(in).weights, third, third, third, 0.6f, 0.2f, 0.2f);
    EXPECT_NUMBERS(attention(in).output, 35 / 3.f, 9);
}

TEST(Paper, ValuesMayLieFeatureAfterFeatureInMemory) {
    Inputs in = plain(Tensor::zeros({1, 1, 2}), Tensor::zeros({1, 3, 2}), Tensor::zeros({1, 3, 2}));
    in.value = Tensor::of({1, 2, 3}, {3, 6, 12, 30, 60, 120}).transpose(1, 2);
    EXPECT_NUMBERS(attention(in).output, 7, 70);
}

TEST(Paper, TheBatchStaysApart) {
    Inputs in = plain(Tensor::of({2, 1, 1}, {ln3, -ln3}), Tensor::of({2, 2, 1}, {1, 0, 2, 0}),
                      Tensor::of({2, 2, 1}, {4, 8, 10, 20}));
    EXPECT_NUMBERS(attention(in).weights, 0.75f, 0.25f, 0.1f, 0.9f);
    EXPECT_NUMBERS(attention(in).output, 5, 19);
}

}  // namespace
}  // namespace headway::ex06
