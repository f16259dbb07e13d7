#include "catch_the_bug.hpp"

#include <cmath>

namespace headway::ex06 {
namespace {

/// The attention of the lecture, in float.
Attended lecture(const Inputs& in) {
    const Index B = in.query.size(0), T = in.query.size(1), S = in.key.size(1), H = in.num_heads;
    const Index d = in.w_q.size(1) / H;
    Attended a{Tensor::zeros(in.query.shape()), Tensor::zeros({B, H, T, S})};
    for (Index b = 0; b < B; ++b) {
        const Tensor q = matmul(in.query[b], in.w_q), k = matmul(in.key[b], in.w_k), v = matmul(in.value[b], in.w_v);
        Tensor context = Tensor::zeros(q.shape());
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t) {
                float total = 0, largest = -INFINITY;
                for (Index s = 0; s < S; ++s) {
                    float dot = 0;
                    for (Index i = h * d; i < h * d + d; ++i) dot += q(t, i) * k(s, i);
                    a.weights(b, h, t, s) = dot / std::sqrt(float(d));
                    if (in.mask.defined() && in.mask.expand({B, H, T, S})(b, h, t, s))
                        a.weights(b, h, t, s) = -INFINITY;
                    if (in.causal && s > t + S - T) a.weights(b, h, t, s) = -INFINITY;
                    largest = std::max(largest, a.weights(b, h, t, s));
                }
                for (Index s = 0; s < S; ++s)
                    total += a.weights(b, h, t, s) =
                        largest == -INFINITY ? 0 : std::exp(a.weights(b, h, t, s) - largest);
                for (Index s = 0; s < S && total > 0; ++s) {
                    a.weights(b, h, t, s) /= total;
                    for (Index i = h * d; i < h * d + d; ++i) context(t, i) += a.weights(b, h, t, s) * v(s, i);
                }
            }
        a.output[b].copy_from(matmul(context, in.w_o));
    }
    return a;
}

void same(const Inputs& in) {
    const Attended got = attention(in), want = lecture(in);
    for (Index b = 0; b < 2; ++b)
        for (Index t = 0; t < in.query.size(1); ++t) {
            for (Index i = 0; i < 4; ++i) EXPECT_EQ(got.output(b, t, i), want.output(b, t, i));
            for (Index h = 0; h < 2; ++h)
                for (Index s = 0; s < in.key.size(1); ++s) EXPECT_EQ(got.weights(b, h, t, s), want.weights(b, h, t, s));
        }
}

Inputs inputs() {
    Random r(3);
    Inputs in;
    in.query = r.normal({2, 3, 4});
    in.key = r.normal({2, 5, 4});
    in.value = r.normal({2, 5, 4});
    in.w_q = r.normal({4, 6});
    in.w_k = r.normal({4, 6});
    in.w_v = r.normal({4, 6});
    in.w_o = r.normal({6, 4});
    in.num_heads = 2;
    return in;
}

TEST(Lecture, Same) { same(inputs()); }

TEST(Lecture, SameIfCausal) {
    Inputs in = inputs();
    in.causal = true;
    same(in);
}

TEST(Lecture, SameIfMasked) {
    Inputs in = inputs();
    in.mask = Mask::of({2, 1, 1, 5}, {false, false, false, true, true, true, true, true, true, true});
    same(in);
}

}  // namespace
}  // namespace headway::ex06
