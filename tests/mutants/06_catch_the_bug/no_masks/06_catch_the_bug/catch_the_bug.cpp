#include "catch_the_bug.hpp"

#include <cmath>

namespace headway::ex06 {
namespace {

// w_q = w_k = w_v = w_o = 1 for a single feature: the whole of attention fits in one line per query.
Inputs scalar(std::vector<float> q, std::vector<float> k, std::vector<float> v) {
    const Tensor one = Tensor::ones({1, 1});
    Inputs in{.query = Tensor::of({1, static_cast<Index>(q.size()), 1}, q),
              .key = Tensor::of({1, static_cast<Index>(k.size()), 1}, k),
              .value = Tensor::of({1, static_cast<Index>(v.size()), 1}, v),
              .w_q = one,
              .w_k = one,
              .w_v = one,
              .w_o = one};
    return in;
}

TEST(Scalar, MatchesTheFormula) {
    for (float up : {0.f, 500.f, -500.f, -5000.f}) {
        const Attended out = attention(scalar({1, 0}, {up, up + 1}, {3, 7}));
        const double p = 1 / (1 + std::exp(1.));
        EXPECT_NEAR(out.weights(0, 0, 0, 0), p, 2e-3);
        EXPECT_NEAR(out.weights(0, 0, 0, 1), 1 - p, 2e-3);
        EXPECT_NEAR(out.weights(0, 0, 1, 0), 0.5, 2e-3);
        EXPECT_NEAR(out.output(0, 0, 0), 3 * p + 7 * (1 - p), 2e-2);
        EXPECT_NEAR(out.output(0, 1, 0), 5, 2e-2);
    }
}

TEST(Scalar, CausalSeesThePast) {
    for (Index T = 1; T <= 4; ++T)
        for (Index S = 1; S <= 4; ++S) {
            Inputs in = scalar(std::vector<float>(T, 0.f), std::vector<float>(S, 1.f), std::vector<float>(S, 2.f));
            in.causal = true;
            in.b_o = Tensor::of({1}, {-1});
            const Attended out = attention(in);
            for (Index t = 0; t < T; ++t) {
                const Index seen = std::max<Index>(0, t + S - T + 1);
                for (Index s = 0; s < S; ++s)
                    EXPECT_NEAR(out.weights(0, 0, t, s), s < seen ? 1.f / static_cast<float>(seen) : 0.f, 1e-5);
                EXPECT_NEAR(out.output(0, t, 0), seen > 0 ? 1 : -1, 1e-4);
            }
        }
}

TEST(Vector, OutputAndWeightsFromTheDefinition) {
    constexpr Index B = 2, T = 3, S = 5, D = 7, H = 2, d = 3;
    Random r(9);
    Inputs in{.query = r.normal({B, T, D}),
              .key = r.normal({B, S, D}),
              .value = r.normal({B, S, D}),
              .w_q = r.normal({D, H * d}),
              .w_k = r.normal({D, H * d}),
              .w_v = r.normal({D, H * d}),
              .b_q = r.normal({H * d}),
              .b_k = r.normal({H * d}),
              .b_v = r.normal({H * d}),
              .w_o = r.normal({H * d, D}),
              .b_o = r.normal({D}),
              .num_heads = H};
    const Attended out = attention(in);
    for (Index b = 0; b < B; ++b) {
        Tensor total = Tensor::zeros({T, D}) + in.b_o;
        for (Index h = 0; h < H; ++h) {
            const auto head = [&](const Tensor& x, const Tensor& w, const Tensor& bias) {
                return matmul(x[b], w.slice(1, h * d, h * d + d)) + bias.slice(0, h * d, h * d + d);
            };
            const Tensor q = head(in.query, in.w_q, in.b_q), k = head(in.key, in.w_k, in.b_k);
            const Tensor e = exp(matmul(q, k.transpose(0, 1)) / std::sqrt(3.f) - 20.f);
            const Tensor p = e / sum(e, 1, KeepAxis::yes);
            total += matmul(matmul(p, head(in.value, in.w_v, in.b_v)), in.w_o.slice(0, h * d, h * d + d));
            for (Index t = 0; t < T; ++t)
                for (Index s = 0; s < S; ++s) EXPECT_NEAR(out.weights(b, h, t, s), p(t, s), 1e-3);
        }
        for (Index t = 0; t < T; ++t)
            for (Index i = 0; i < D; ++i) EXPECT_NEAR(out.output(b, t, i), total(t, i), 1e-2);
    }
}

}  // namespace
}  // namespace headway::ex06
