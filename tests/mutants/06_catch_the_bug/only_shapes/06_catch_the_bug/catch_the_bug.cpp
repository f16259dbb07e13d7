#include "catch_the_bug.hpp"

namespace headway::ex06 {
namespace {

Inputs inputs(Index B, Index T, Index S, Index D, Index H, Index d) {
    Random random(42);
    Inputs in;
    in.query = random.normal({B, T, D});
    in.key = random.normal({B, S, D});
    in.value = random.normal({B, S, D});
    in.w_q = random.normal({D, H * d});
    in.w_k = random.normal({D, H * d});
    in.w_v = random.normal({D, H * d});
    in.w_o = random.normal({H * d, D});
    in.num_heads = H;
    return in;
}

TEST(Shape, OfOutput) {
    EXPECT_EQ(attention(inputs(2, 3, 4, 5, 2, 3)).output.shape(), (Shape{2, 3, 5}));
    EXPECT_EQ(attention(inputs(1, 1, 1, 1, 1, 1)).output.shape(), (Shape{1, 1, 1}));
}

TEST(Shape, OfWeights) { EXPECT_EQ(attention(inputs(2, 3, 4, 5, 2, 3)).weights.shape(), (Shape{2, 2, 3, 4})); }

TEST(Shape, WithMaskAndCausal) {
    Inputs in = inputs(2, 3, 4, 5, 2, 3);
    in.mask = Mask::block_all({2, 1, 1, 4});
    in.causal = true;
    EXPECT_EQ(attention(in).output.shape(), in.query.shape());
}

TEST(Shape, MustFit) {
    Inputs in = inputs(2, 3, 4, 5, 2, 3);
    in.num_heads = 4;
    EXPECT_THROW(attention(in), std::invalid_argument);
}

}  // namespace
}  // namespace headway::ex06
