#include "catch_the_bug.hpp"

#include <cmath>

namespace headway::ex06 {
namespace {

struct Judge {
    double tolerance = 1e-3;
    int differences = 0;
    void look(float got, double want) {
        if (std::fabs(got - want) > tolerance * (1 + std::fabs(want))) ++differences;
    }
};

template <class Blocked>
int differences(const Inputs& in, Blocked blocked, double tolerance = 1e-3) {
    Judge judge{tolerance};
    const Attended a = attention(in);
    const Tensor q = matmul(in.query, in.w_q) + in.b_q, k = matmul(in.key, in.w_k) + in.b_k,
                 v = matmul(in.value, in.w_v) + in.b_v;
    const Index d = q.size(2) / in.num_heads;
    for (Index b = 0; b < q.size(0); ++b)
        for (Index t = 0; t < q.size(1); ++t) {
            std::vector<double> joined;
            for (Index h = 0; h < in.num_heads; ++h) {
                std::vector<double> x;
                double m = -1e30, z = 0;
                for (Index s = 0; s < k.size(1); ++s) {
                    double dot = 0;
                    for (Index i = 0; i < d; ++i) dot += double(q(b, t, h * d + i)) * k(b, s, h * d + i);
                    x.push_back(dot / std::sqrt(double(d)));
                    if (!blocked(b, h, t, s)) m = std::fmax(m, x.back());
                }
                for (Index s = 0; s < k.size(1); ++s) z += x[s] = blocked(b, h, t, s) ? 0 : std::exp(x[s] - m);
                for (Index s = 0; s < k.size(1); ++s) judge.look(a.weights(b, h, t, s), z > 0 ? x[s] / z : 0);
                for (Index i = 0; i < d; ++i) {
                    joined.push_back(0);
                    for (Index s = 0; s < k.size(1) && z > 0; ++s) joined.back() += x[s] / z * v(b, s, h * d + i);
                }
            }
            for (Index j = 0; j < in.w_o.size(1); ++j) {
                double sum = in.b_o(j);
                for (Index i = 0; i < in.w_o.size(0); ++i) sum += joined[i] * in.w_o(i, j);
                judge.look(a.output(b, t, j), sum);
            }
        }
    return judge.differences;
}

Inputs start(Index T = 4, Index S = 5) {
    Random r(8);
    Inputs in;
    in.query = r.normal({2, T, 7}), in.key = r.normal({2, S, 7}), in.value = r.normal({2, S, 7});
    in.w_q = r.normal({7, 6}) * 0.4f, in.w_k = r.normal({7, 6}) * 0.4f, in.w_v = r.normal({7, 6}),
    in.w_o = r.normal({6, 7});
    in.b_q = r.normal({6}), in.b_k = r.normal({6}), in.b_v = r.normal({6}), in.b_o = r.normal({7});
    in.num_heads = 3;
    return in;
}

TEST(NoDifference, Open) {
    EXPECT_EQ(differences(start(), [](auto...) { return false; }), 0);
}

TEST(NoDifference, HugeScores) {
    Inputs in = start();
    in.b_q = Tensor::full({6}, 16);
    in.b_k = Tensor::full({6}, 16);
    EXPECT_EQ(differences(
                  in, [](auto...) { return false; }, 2e-2),
              0);
}

TEST(NoDifference, Causal) {
    for (Index T : {3, 4, 5}) {
        Inputs in = start(T, 4);
        in.causal = true;
        EXPECT_EQ(differences(in, [&](Index, Index, Index t, Index s) { return s > t + 4 - T; }), 0);
    }
}

TEST(NoDifference, Masked) {
    Inputs in = start();
    in.mask = Mask::allow_all({2, 1, 4, 5});
    for (Index i = 0; i < 40; i += 3) in.mask.data()[i] = true;
    const auto blocked = [&](Index b, Index, Index t, Index s) { return in.mask(b, 0, t, s); };
    EXPECT_EQ(differences(in, blocked), 0);
    for (Index s = 0; s < 5; ++s) in.mask(1, 0, 2, s) = true;
    EXPECT_EQ(differences(in, blocked), 0);
    in.b_q = Tensor::full({6}, 90);
    in.b_k = Tensor::full({6}, -92);
    in.query *= 0.01f;
    in.key *= 0.01f;
    EXPECT_EQ(differences(in, blocked, 2e-2), 0);
}

}  // namespace
}  // namespace headway::ex06
