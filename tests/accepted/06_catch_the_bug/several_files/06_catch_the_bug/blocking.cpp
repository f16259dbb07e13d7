#include "oracle.hpp"

namespace headway::ex06 {
namespace {

TEST(Blocking, OfEveryFourthPair) {
    for (Index offset = 0; offset < 4; ++offset) {
        Inputs in = draw(10, 2, 3, 5, 2, 3, 4);
        in.mask = Mask::allow_all({2, 2, 3, 5});
        for (Index i = offset; i < in.mask.numel(); i += 4) in.mask.data()[i] = true;
        EXPECT_PRED_FORMAT2(answers, in, attention(in));
        in.causal = true;
        EXPECT_PRED_FORMAT2(answers, in, attention(in));
    }
}

TEST(Blocking, PaddingOfDifferentLengths) {
    Inputs in = draw(11, 3, 2, 4, 2, 2, 5);
    in.mask = Mask::of({3, 1, 1, 4}, {0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 1});
    EXPECT_PRED_FORMAT2(answers, in, attention(in));
}

TEST(Blocking, OfASequenceAltogether) {
    Inputs in = draw(12, 3, 2, 4, 2, 2, 5);
    in.mask = Mask::of({3, 1, 1, 1}, {0, 1, 0});
    EXPECT_PRED_FORMAT2(answers, in, attention(in));
}

TEST(Blocking, BesideScoresOfMinusThirtyThousand) {
    Inputs in = draw(13, 1, 2, 3, 1, 1, 1);
    in.w_q = in.w_k = in.w_v = in.w_o = Tensor::ones({1, 1});
    in.b_q = in.b_k = Tensor{};
    in.query.fill(3);
    in.key = Tensor::of({1, 3, 1}, {-10000, 0, -10000});
    in.mask = Mask::of({3}, {false, true, false});
    EXPECT_PRED_FORMAT2(answers, in, attention(in));
}

TEST(Causal, WithAnyNumberOfQueriesAndKeys) {
    for (Index T = 1; T < 6; ++T)
        for (Index S = 1; S < 6; ++S) {
            Inputs in = draw(14, 2, T, S, 2, 2, 3);
            in.causal = true;
            EXPECT_PRED_FORMAT2(answers, in, attention(in));
        }
}

}  // namespace
}  // namespace headway::ex06
