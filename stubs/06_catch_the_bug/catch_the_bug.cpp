#include "catch_the_bug.hpp"

// What the attention under test takes and gives is in catch_the_bug.hpp. Write tests, each about one property, and
// ask ./headway grade 06 after each. ./headway try 06 runs them against a right attention that you can read and break.

namespace headway::ex06 {
namespace {

/// Two sequences of three tokens, two heads. Nobody says that these are good numbers to find a bug with.
[[maybe_unused]] Inputs some_inputs() {
    Inputs in;
    in.query = in.key = in.value = Tensor::ones({2, 3, 4});
    in.w_q = in.w_k = in.w_v = in.w_o = Tensor::eye(4);
    in.num_heads = 2;
    return in;
}

// TEST(Weights, OfARowSumToOne) {
//     const Attended out = attention(some_inputs());
//     EXPECT_NEAR(out.weights(0, 0, 0, 0) + out.weights(0, 0, 0, 1) + out.weights(0, 0, 0, 2), 1, 1e-5);
// }

}  // namespace
}  // namespace headway::ex06
