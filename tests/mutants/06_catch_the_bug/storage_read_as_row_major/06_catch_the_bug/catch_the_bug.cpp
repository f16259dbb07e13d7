#include "catch_the_bug.hpp"

#include <cmath>

namespace headway::ex06 {
namespace {

TEST(Raw, OutputAndWeightsOfIdentity) {
    const Index B = 2, H = 2, T = 3, S = 4, D = 4;
    Random random(64);
    Inputs in;
    in.query = random.normal({B, T, D});
    in.key = random.normal({B, S, D});
    in.value = random.normal({B, S, D});
    in.w_q = in.w_k = in.w_v = in.w_o = Tensor::eye(D);
    in.num_heads = H;
    const Attended out = attention(in);
    const float* q = in.query.data();
    const float* k = in.key.data();
    const float* v = in.value.data();
    const float* w = out.weights.data();
    const float* o = out.output.data();
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t) {
                float p[4], total = 0;
                for (Index s = 0; s < S; ++s) {
                    const float* x = q + (b * T + t) * D + 2 * h;
                    const float* y = k + (b * S + s) * D + 2 * h;
                    total += p[s] = std::exp((x[0] * y[0] + x[1] * y[1]) / std::sqrt(2.f));
                }
                float c[2] = {0, 0};
                for (Index s = 0; s < S; ++s) {
                    EXPECT_NEAR(w[((b * H + h) * T + t) * S + s], p[s] / total, 1e-4);
                    for (int i = 0; i < 2; ++i) c[i] += p[s] / total * v[(b * S + s) * D + 2 * h + i];
                }
                for (int i = 0; i < 2; ++i) EXPECT_NEAR(o[(b * T + t) * D + 2 * h + i], c[i], 1e-4);
            }
}

}  // namespace
}  // namespace headway::ex06
