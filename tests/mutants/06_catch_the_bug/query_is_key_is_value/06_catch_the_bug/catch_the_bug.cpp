#include "catch_the_bug.hpp"

#include <cmath>

namespace headway::ex06 {
namespace {

class SameForAll : public testing::Test {
protected:
    static constexpr Index B = 2, L = 4, H = 3, d = 2, D = 5;

    SameForAll() {
        Random random(33);
        in.query = in.key = in.value = x = random.normal({B, L, D});
        in.w_q = in.w_k = in.w_v = w = random.normal({D, H * d});
        in.b_q = in.b_k = in.b_v = bias = random.normal({H * d});
        in.w_o = random.normal({H * d, D});
        in.b_o = random.normal({D});
        in.num_heads = H;
    }

    double y(Index b, Index n, Index e) const {
        double sum = bias(e);
        for (Index i = 0; i < D; ++i) sum += double(x(b, n, i)) * w(i, e);
        return sum;
    }

    void check(double tolerance = 1e-3) {
        const Attended out = attention(in);
        const Mask mask = (in.mask | Mask::allow_all({1})).expand({B, H, L, L});
        for (Index b = 0; b < B; ++b)
            for (Index t = 0; t < L; ++t) {
                double output[D];
                for (Index i = 0; i < D; ++i) output[i] = in.b_o(i);
                for (Index h = 0; h < H; ++h) {
                    double score[L], largest = -1e99, total = 0;
                    const auto open = [&](Index s) { return !mask(b, h, t, s) && !(in.causal && s > t); };
                    for (Index s = 0; s < L; ++s) {
                        score[s] =
                            (y(b, t, 2 * h) * y(b, s, 2 * h) + y(b, t, 2 * h + 1) * y(b, s, 2 * h + 1)) / std::sqrt(2.);
                        if (open(s)) largest = std::max(largest, score[s]);
                    }
                    for (Index s = 0; s < L; ++s)
                        if (open(s)) total += std::exp(score[s] - largest);
                    for (Index s = 0; s < L; ++s) {
                        const double weight = open(s) ? std::exp(score[s] - largest) / total : 0;
                        EXPECT_NEAR(out.weights(b, h, t, s), weight, tolerance);
                        for (Index i = 0; i < D; ++i)
                            output[i] += weight * (y(b, s, 2 * h) * in.w_o(2 * h, i) +
                                                   y(b, s, 2 * h + 1) * in.w_o(2 * h + 1, i));
                    }
                }
                for (Index i = 0; i < D; ++i)
                    EXPECT_NEAR(out.output(b, t, i), output[i], tolerance * (1 + std::fabs(output[i])));
            }
    }

    Inputs in;
    Tensor x, w, bias;
};

TEST_F(SameForAll, NoMask) { check(); }

TEST_F(SameForAll, Causal) {
    in.causal = true;
    check();
}

TEST_F(SameForAll, Masks) {
    Random random(1);
    for (const Shape& shape : {Shape{L, L}, Shape{B, 1, 1, L}, Shape{H, L, L}, Shape{B, H, L, L}, Shape{L, 1}})
        for (bool causal : {false, true}) {
            in.causal = causal;
            in.mask = Mask::allow_all(shape);
            for (Index i = 0; i < in.mask.numel(); ++i) in.mask.data()[i] = random.uniform() < 0.4f;
            check();
        }
}

TEST_F(SameForAll, Large) {
    x *= 20.f;
    check(1e-2);
}

}  // namespace
}  // namespace headway::ex06
