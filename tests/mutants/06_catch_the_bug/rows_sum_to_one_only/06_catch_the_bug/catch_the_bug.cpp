#include "catch_the_bug.hpp"

namespace headway::ex06 {

static void check_rows(Inputs& in) {
    Attended result = attention(in);
    Tensor total = sum(result.weights, -1);
    for (Index b = 0; b < total.size(0); b++)
        for (Index h = 0; h < total.size(1); h++)
            for (Index t = 0; t < total.size(2); t++) EXPECT_NEAR(total(b, h, t), 1.0f, 1e-4f);
}

TEST(SoftmaxTest, RowsSumToOne) {
    Random rng(7);
    Inputs in;
    in.query = rng.normal({2, 4, 6});
    in.key = rng.normal({2, 5, 6});
    in.value = rng.normal({2, 5, 6});
    in.w_q = rng.normal({6, 6});
    in.w_k = rng.normal({6, 6});
    in.w_v = rng.normal({6, 6});
    in.w_o = rng.normal({6, 6});
    in.num_heads = 3;
    check_rows(in);
    in.query = in.query * 100.0f;
    check_rows(in);
    in.mask = Mask::allow_all({4, 5});
    in.mask(0, 0) = in.mask(2, 3) = true;
    check_rows(in);
}

}  // namespace headway::ex06
