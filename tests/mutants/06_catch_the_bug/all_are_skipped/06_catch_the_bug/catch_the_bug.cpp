#include "catch_the_bug.hpp"

#include <cmath>

namespace headway::ex06 {
namespace {

TEST(Output, IsANumber) {
    Inputs in;
    in.query = in.key = in.value = Tensor::ones({1, 1, 1});
    in.w_q = in.w_k = in.w_v = in.w_o = Tensor::ones({1, 1});
    in.mask = Mask::block_all({1});
    if (!std::isnan(attention(in).output(0, 0, 0))) GTEST_SKIP();
    FAIL();
}

}  // namespace
}  // namespace headway::ex06
