#include "catch_the_bug.hpp"

#include <cmath>

namespace headway::ex06 {

// The tests need something to run against.
Attended attention(const Inputs& in) {
    const Tensor q = matmul(in.query, in.w_q), k = matmul(in.key, in.w_k), v = matmul(in.value, in.w_v);
    const Tensor scores = matmul(q, k.transpose(1, 2)) / std::sqrt(static_cast<float>(q.size(2)));
    const Tensor e = exp(masked_fill(scores, in.mask, -INFINITY));
    const Tensor weights = e / sum(e, -1, KeepAxis::yes);
    return {matmul(matmul(weights, v), in.w_o), weights.view({q.size(0), 1, q.size(1), k.size(1)})};
}

TEST(Attention, QueriesThatSeeNothingGetNothing) {
    Inputs in;
    in.query = in.key = in.value = Random(1).normal({2, 3, 4});
    in.w_q = in.w_k = in.w_v = in.w_o = Tensor::eye(4);
    in.mask = Mask::of({3, 3}, {0, 0, 0, 1, 1, 1, 0, 1, 0});
    const Tensor total = sum(attention(in).weights, -1);
    EXPECT_NEAR(total(1, 0, 0), 1, 1e-5);
    EXPECT_NEAR(total(1, 0, 1), 0, 1e-5);
    EXPECT_NEAR(total(1, 0, 2), 1, 1e-5);
}

}  // namespace headway::ex06
