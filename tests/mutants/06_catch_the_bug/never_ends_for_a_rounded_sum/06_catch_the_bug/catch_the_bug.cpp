#include "catch_the_bug.hpp"

namespace headway::ex06 {
namespace {

TEST(Weights, AddUpToExactlyOne) {
    Random r(99);
    Inputs in;
    in.query = r.normal({1, 1, 4});
    in.key = r.normal({1, 3, 4});
    in.value = r.normal({1, 3, 4});
    in.w_q = in.w_k = in.w_v = in.w_o = r.normal({4, 4});
    float total = 0;
    while (total != 1) {  // sometimes it takes another try
        const Attended out = attention(in);
        total = 0;
        for (Index s = 0; s < 3; ++s) total += out.weights(0, 0, 0, s);
    }
}

TEST(Weights, AreNotNegative) {
    Inputs in;
    in.query = in.key = in.value = Random(1).normal({1, 3, 2});
    in.w_q = in.w_k = in.w_v = in.w_o = Tensor::eye(2);
    const Tensor w = attention(in).weights;
    for (Index s = 0; s < 3; ++s) EXPECT_GE(w(0, 0, 0, s), 0);
}

}  // namespace
}  // namespace headway::ex06
