#include "catch_the_bug.hpp"

#include <cmath>
#include <string>
#include <vector>

// My own attention, as slow and as obvious as I could make it, in double. Everything is compared with it.
namespace headway::ex06 {
namespace {

using Row = std::vector<double>;

Row project(const Tensor& x, Index b, Index n, const Tensor& w, const Tensor& bias) {
    Row y(static_cast<std::size_t>(w.size(1)), 0.0);
    for (Index e = 0; e < w.size(1); ++e) {
        double sum = bias.defined() ? bias(e) : 0.0;
        for (Index i = 0; i < w.size(0); ++i) sum += double(x(b, n, i)) * double(w(i, e));
        y[static_cast<std::size_t>(e)] = sum;
    }
    return y;
}

Attended expected(const Inputs& in) {
    const Index B = in.query.size(0), T = in.query.size(1), S = in.key.size(1), H = in.num_heads;
    const Index D = in.query.size(2), E = in.w_q.size(1), d = E / H;
    const Mask mask = in.mask.defined() ? in.mask.expand({B, H, T, S}) : Mask::allow_all({B, H, T, S});
    Attended want{Tensor::zeros({B, T, D}), Tensor::zeros({B, H, T, S})};
    for (Index b = 0; b < B; ++b) {
        std::vector<Row> q, k, v;
        for (Index t = 0; t < T; ++t) q.push_back(project(in.query, b, t, in.w_q, in.b_q));
        for (Index s = 0; s < S; ++s) k.push_back(project(in.key, b, s, in.w_k, in.b_k));
        for (Index s = 0; s < S; ++s) v.push_back(project(in.value, b, s, in.w_v, in.b_v));
        for (Index t = 0; t < T; ++t) {
            Row merged(static_cast<std::size_t>(E), 0.0);
            for (Index h = 0; h < H; ++h) {
                Row p(static_cast<std::size_t>(S), -INFINITY);
                double top = -INFINITY, total = 0;
                for (Index s = 0; s < S; ++s) {
                    if (mask(b, h, t, s) || (in.causal && s > t + S - T)) continue;
                    double dot = 0;
                    for (Index i = h * d; i < (h + 1) * d; ++i)
                        dot += q[static_cast<std::size_t>(t)][static_cast<std::size_t>(i)] *
                               k[static_cast<std::size_t>(s)][static_cast<std::size_t>(i)];
                    p[static_cast<std::size_t>(s)] = dot / std::sqrt(double(d));
                    top = std::max(top, p[static_cast<std::size_t>(s)]);
                }
                if (top == -INFINITY) continue;
                for (double& x : p) total += x = std::exp(x - top);
                for (Index s = 0; s < S; ++s) {
                    const double weight = p[static_cast<std::size_t>(s)] / total;
                    want.weights(b, h, t, s) = float(weight);
                    for (Index i = h * d; i < (h + 1) * d; ++i)
                        merged[static_cast<std::size_t>(i)] +=
                            weight * v[static_cast<std::size_t>(s)][static_cast<std::size_t>(i)];
                }
            }
            for (Index i = 0; i < D; ++i) {
                double sum = in.b_o.defined() ? in.b_o(i) : 0.0;
                for (Index e = 0; e < E; ++e) sum += merged[static_cast<std::size_t>(e)] * double(in.w_o(e, i));
                want.output(b, t, i) = float(sum);
            }
        }
    }
    return want;
}

void expect_close(const Tensor& got, const Tensor& want, float tolerance, const std::string& what) {
    ASSERT_EQ(got.shape(), want.shape()) << what;
    const Tensor g = got.contiguous(), w = want.contiguous();
    for (Index i = 0; i < g.numel(); ++i) {
        const float bound = tolerance * (1 + std::fabs(w.data()[i]));
        ASSERT_NEAR(g.data()[i], w.data()[i], bound) << what << ", element " << i;
    }
}

void compare(const Inputs& in, float tolerance = 2e-4f) {
    const Attended want = expected(in), got = attention(in);
    expect_close(got.weights, want.weights, tolerance, "weights");
    expect_close(got.output, want.output, tolerance, "output");
}

Inputs random_inputs(Random& r, Index B, Index H, Index T, Index S, Index d, Index D, bool biases) {
    Inputs in;
    const Index E = H * d;
    in.query = r.normal({B, T, D});
    in.key = r.normal({B, S, D});
    in.value = r.normal({B, S, D});
    for (Tensor* w : {&in.w_q, &in.w_k, &in.w_v}) *w = r.uniform({D, E}, -0.7f, 0.7f);
    in.w_o = r.uniform({E, D}, -0.7f, 0.7f);
    if (biases) {
        for (Tensor* b : {&in.b_q, &in.b_k, &in.b_v}) *b = r.normal({E});
        in.b_o = r.normal({D});
    }
    in.num_heads = H;
    return in;
}

Mask random_mask(Random& r, const Shape& shape, float share) {
    Mask m = Mask::allow_all(shape);
    for (Index i = 0; i < m.numel(); ++i) m.data()[i] = r.uniform() < share;
    return m;
}

struct Sizes {
    Index B, H, T, S, d, D;
};
const std::vector<Sizes> all_sizes{{2, 3, 4, 5, 2, 7}, {3, 2, 5, 4, 3, 5},  {1, 1, 1, 1, 1, 1},   {2, 2, 3, 3, 4, 8},
                                   {4, 1, 2, 9, 6, 3}, {1, 5, 6, 17, 1, 4}, {2, 4, 33, 70, 8, 16}};

TEST(Reference, NoMask) {
    Random r(1);
    for (const Sizes& z : all_sizes)
        for (bool biases : {false, true}) compare(random_inputs(r, z.B, z.H, z.T, z.S, z.d, z.D, biases));
}

TEST(Reference, Causal) {
    Random r(2);
    for (const Sizes& z : all_sizes) {
        Inputs in = random_inputs(r, z.B, z.H, z.T, z.S, z.d, z.D, true);
        in.causal = true;
        compare(in);
    }
}

TEST(Reference, FullMask) {
    Random r(3);
    for (const Sizes& z : all_sizes)
        for (bool causal : {false, true}) {
            Inputs in = random_inputs(r, z.B, z.H, z.T, z.S, z.d, z.D, true);
            in.mask = random_mask(r, {z.B, z.H, z.T, z.S}, 0.4f);
            in.causal = causal;
            compare(in);
        }
}

TEST(Reference, MasksThatBroadcast) {
    Random r(4);
    for (const Sizes& z : all_sizes)
        for (const Shape& shape : {Shape{z.T, z.S}, Shape{z.S}, Shape{z.B, 1, 1, z.S}, Shape{z.H, 1, z.S},
                                   Shape{1, z.H, z.T, 1}, Shape{z.B, 1, z.T, z.S}, Shape{1, 1, 1, 1}})
            for (bool causal : {false, true}) {
                Inputs in = random_inputs(r, z.B, z.H, z.T, z.S, z.d, z.D, false);
                in.mask = random_mask(r, shape, 0.3f);
                in.causal = causal;
                compare(in);
            }
}

TEST(Reference, BlockedRows) {
    Random r(5);
    for (bool biases : {false, true}) {
        Inputs in = random_inputs(r, 2, 3, 4, 5, 2, 7, biases);
        in.mask = Mask::allow_all({2, 1, 4, 5});
        for (Index s = 0; s < 5; ++s) in.mask(1, 0, 2, s) = true;
        compare(in);
        in.mask = Mask::block_all({1});
        compare(in);
    }
}

TEST(Reference, EachBiasAlone) {
    Random r(6);
    for (int which = 0; which < 4; ++which) {
        Inputs in = random_inputs(r, 2, 3, 4, 5, 2, 7, true);
        if (which != 0) in.b_q = {};
        if (which != 1) in.b_k = {};
        if (which != 2) in.b_v = {};
        if (which != 3) in.b_o = {};
        compare(in);
    }
}

TEST(Reference, LargeScores) {
    Random r(7);
    for (float size : {3.f, 10.f, 30.f, 70.f})
        for (float share : {0.f, 0.4f})
            for (float shift : {-1.f, 0.f, 1.f}) {
                Inputs in = random_inputs(r, 2, 3, 4, 5, 2, 7, false);
                in.query = (r.normal({2, 4, 7}) * 0.05f + 1.f) * size;
                in.key = in.key * 0.05f + shift * size;
                in.w_q = Tensor::full({7, 6}, 0.5f) + in.w_q * 0.1f;
                in.w_k = Tensor::full({7, 6}, 0.5f) + in.w_k * 0.1f;
                in.mask = random_mask(r, {2, 3, 4, 5}, share);
                compare(in, 5e-3f * std::max(1.f, size / 10));
            }
}

TEST(Reference, Strides) {
    Random r(8);
    Inputs in = random_inputs(r, 2, 3, 4, 5, 2, 7, true);
    in.query = r.normal({2, 7, 4}).transpose(1, 2);
    in.key = r.normal({5, 2, 7}).transpose(0, 1);
    in.value = r.normal({2, 5, 9}).slice(2, 1, 8);
    in.w_q = r.normal({6, 7}).transpose(0, 1);
    in.w_k = r.normal({7, 1}).expand({7, 6});
    in.w_o = r.normal({7, 6}).transpose(0, 1);
    in.b_q = r.normal({1}).expand({6});
    in.b_v = r.normal({6, 2}).select(1, 1);
    in.mask = random_mask(r, {5, 4}, 0.3f).as_strided({4, 5}, {1, 4}, 0);
    compare(in);
}

TEST(Reference, TwiceTheSameAndInputsUntouched) {
    Random r(9);
    Inputs in = random_inputs(r, 2, 3, 4, 5, 2, 7, true);
    in.mask = random_mask(r, {2, 3, 4, 5}, 0.3f);
    in.causal = true;
    const std::vector<Tensor> before{in.query.clone(), in.key.clone(), in.value.clone(), in.w_q.clone(),
                                     in.w_k.clone(),   in.w_v.clone(), in.w_o.clone(),   in.b_q.clone(),
                                     in.b_k.clone(),   in.b_v.clone(), in.b_o.clone()};
    const Mask mask = in.mask.clone();
    const Attended want = expected(in);
    for (int i = 0; i < 3; ++i) {
        const Attended got = attention(in);
        expect_close(got.weights, want.weights, 2e-4f, "weights");
        expect_close(got.output, want.output, 2e-4f, "output");
        compare(random_inputs(r, 1, 2, 6, 3, 3, 4, false));
    }
    const std::vector<Tensor> after{in.query, in.key, in.value, in.w_q, in.w_k, in.w_v,
                                    in.w_o,   in.b_q, in.b_k,   in.b_v, in.b_o};
    for (std::size_t i = 0; i < after.size(); ++i) expect_close(after[i], before[i], 0, "input");
    EXPECT_EQ(to_string(in.mask), to_string(mask));
}

}  // namespace
}  // namespace headway::ex06
