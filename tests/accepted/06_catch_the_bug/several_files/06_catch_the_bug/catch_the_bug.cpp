#include "oracle.hpp"

// The tests of masks are in blocking.cpp, what is expected in oracle.cpp.
namespace headway::ex06 {
namespace {

TEST(Open, OddSizes) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
        const Inputs in = draw(seed, 2, 3, 5, 3, 2, 7);
        EXPECT_PRED_FORMAT2(answers, in, attention(in));
    }
}

TEST(Open, EqualSizes) {
    const Inputs in = draw(5, 2, 2, 2, 2, 2, 4);
    EXPECT_PRED_FORMAT2(answers, in, attention(in));
}

TEST(Open, OneHead) {
    const Inputs in = draw(6, 2, 5, 3, 1, 5, 4);
    EXPECT_PRED_FORMAT2(answers, in, attention(in));
}

TEST(Open, LargeNumbersOfEitherSign) {
    for (float size : {10.f, -10.f, 100.f, -100.f, 900.f, -900.f}) {
        Inputs in = draw(7, 2, 3, 5, 2, 2, 3);
        in.w_q = Tensor::full({3, 4}, 0.01f);
        in.w_k = Tensor::full({3, 4}, 0.3f);
        in.query = Tensor::ones({2, 3, 3});
        in.b_q = Tensor::of({4}, {1, 2, 2, 1});
        in.b_k = Tensor::full({4}, size);
        EXPECT_PRED_FORMAT2(answers, in, attention(in));
    }
}

TEST(Open, LargeDifferences) {
    Inputs in = draw(8, 2, 3, 5, 2, 2, 3);
    in.query *= 30.f;
    in.key *= 10.f;
    EXPECT_PRED_FORMAT2(answers, in, attention(in));
}

}  // namespace
}  // namespace headway::ex06
