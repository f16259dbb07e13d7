#include "catch_the_bug.hpp"

#include <headway/eigen.hpp>

#include <cmath>
#include <limits>
#include <tuple>

namespace headway::ex06 {
namespace {

using Matrix = Eigen::MatrixXf;

enum class Blocking { nothing, keys_of_each_sequence, per_head, everything_apart, all_of_some_queries };

struct Size {
    Index batch, heads, queries, keys, head_dim, embed_dim;
};

void PrintTo(const Size& z, std::ostream* out) {
    *out << "B" << z.batch << " H" << z.heads << " T" << z.queries << " S" << z.keys << " d" << z.head_dim << " D"
         << z.embed_dim;
}

class AgainstEigen : public testing::TestWithParam<std::tuple<Size, Blocking, bool>> {
protected:
    void SetUp() override {
        const auto& [z, blocking, causal] = GetParam();
        Random random(2024);
        const Index E = z.heads * z.head_dim;
        in.query = random.normal({z.batch, z.queries, z.embed_dim});
        in.key = random.normal({z.batch, z.keys, z.embed_dim});
        in.value = random.normal({z.batch, z.keys, z.embed_dim});
        in.w_q = random.normal({z.embed_dim, E}) * 0.6f;
        in.w_k = random.normal({z.embed_dim, E}) * 0.6f;
        in.w_v = random.normal({z.embed_dim, E});
        in.w_o = random.normal({z.embed_dim, E}).transpose(0, 1);
        in.b_q = random.normal({E});
        in.b_k = random.normal({E});
        in.b_v = random.normal({E});
        in.b_o = random.normal({z.embed_dim});
        in.num_heads = z.heads;
        in.causal = causal;
        if (blocking == Blocking::keys_of_each_sequence) {
            in.mask = Mask::allow_all({z.batch, 1, 1, z.keys});
            for (Index b = 0; b < z.batch; ++b)
                for (Index s = z.keys - b; s < z.keys; ++s) in.mask(b, 0, 0, s) = true;
        }
        if (blocking == Blocking::per_head) draw({z.heads, z.queries, z.keys}, random);
        if (blocking == Blocking::everything_apart) draw({z.batch, z.heads, z.queries, z.keys}, random);
        if (blocking == Blocking::all_of_some_queries) {
            in.mask = Mask::allow_all({z.queries, 1});
            for (Index t = 0; t < z.queries; t += 2) in.mask(t, 0) = true;
        }
    }

    void draw(const Shape& shape, Random& random) {
        in.mask = Mask::allow_all(shape);
        for (Index i = 0; i < in.mask.numel(); ++i) in.mask.data()[i] = random.integer(0, 2) == 0;
    }

    Matrix projected(const Tensor& x, const Tensor& w, const Tensor& b, Index h) const {
        const Index d = std::get<0>(GetParam()).head_dim;
        Matrix y = as_eigen(x) * as_eigen(w.slice(1, h * d, (h + 1) * d));
        y.rowwise() += Eigen::Map<const Eigen::RowVectorXf>(b.data() + h * d, d);
        return y;
    }

    void check(const Attended& got, float relative) const {
        const auto& [z, blocking, causal] = GetParam();
        ASSERT_EQ(got.weights.shape(), (Shape{z.batch, z.heads, z.queries, z.keys}));
        ASSERT_EQ(got.output.shape(), (Shape{z.batch, z.queries, z.embed_dim}));
        const Mask blocked = in.mask.defined() ? in.mask.expand(got.weights.shape()) : Mask{};
        for (Index b = 0; b < z.batch; ++b) {
            Matrix output = Matrix::Zero(z.queries, z.embed_dim);
            output.rowwise() += Eigen::Map<const Eigen::RowVectorXf>(in.b_o.data(), z.embed_dim);
            for (Index h = 0; h < z.heads; ++h) {
                const Matrix q = projected(in.query[b], in.w_q, in.b_q, h), k = projected(in.key[b], in.w_k, in.b_k, h);
                Matrix p = q * k.transpose() / std::sqrt(static_cast<float>(z.head_dim));
                for (Index t = 0; t < z.queries; ++t)
                    for (Index s = 0; s < z.keys; ++s)
                        if ((blocked.defined() && blocked(b, h, t, s)) || (causal && s - t > z.keys - z.queries))
                            p(t, s) = -std::numeric_limits<float>::infinity();
                for (Index t = 0; t < z.queries; ++t) {
                    const float top = p.row(t).maxCoeff();
                    if (std::isinf(top)) {
                        p.row(t).setZero();
                        continue;
                    }
                    p.row(t) = (p.row(t).array() - top).exp();
                    p.row(t) /= p.row(t).sum();
                }
                const Matrix returned = as_eigen(got.weights[b][h]);
                EXPECT_TRUE(((returned - p).cwiseAbs().array() <= relative).all()) << "weights, b " << b << ", h " << h;
                EXPECT_TRUE(((p.array() != 0) || (returned.array() == 0)).all()) << "blocked, b " << b << ", h " << h;
                const Index d = z.head_dim;
                output += p * projected(in.value[b], in.w_v, in.b_v, h) * as_eigen(in.w_o.slice(0, h * d, (h + 1) * d));
            }
            const Matrix returned = as_eigen(got.output[b]);
            const float bound = relative * (1 + output.cwiseAbs().maxCoeff());
            EXPECT_TRUE(((returned - output).cwiseAbs().array() <= bound).all()) << "output, b " << b;
        }
    }

    Inputs in;
};

TEST_P(AgainstEigen, OrdinaryNumbers) { check(attention(in), 5e-4f); }

TEST_P(AgainstEigen, NumbersThatOverflowExp) {
    in.query *= 20.f;
    in.key *= 3.f;
    check(attention(in), 1e-2f);
}

TEST_P(AgainstEigen, NumbersFarBelowZero) {
    // The last feature of query and key stands out, with opposite signs, so that all scores lie far down.
    in.w_q *= 0.02f;
    in.w_k *= 0.02f;
    in.b_q = in.b_q * 0.01f + 100.f;
    in.b_k = in.b_k * 0.01f - 110.f;
    check(attention(in), 1e-2f);
}

TEST_P(AgainstEigen, NoBiasAtAll) {
    const Tensor b_q = in.b_q;
    in.b_q = Tensor::zeros(b_q.shape());
    in.b_k = Tensor::zeros(b_q.shape());
    in.b_v = Tensor::zeros(b_q.shape());
    in.b_o = Tensor::zeros(in.b_o.shape());
    Inputs none = in;
    none.b_q = none.b_k = none.b_v = none.b_o = Tensor{};
    check(attention(none), 5e-4f);
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, AgainstEigen,
    testing::Combine(testing::Values(Size{2, 3, 4, 5, 2, 7}, Size{3, 2, 6, 4, 3, 5}, Size{2, 2, 3, 3, 4, 8}),
                     testing::Values(Blocking::nothing, Blocking::keys_of_each_sequence, Blocking::per_head,
                                     Blocking::everything_apart, Blocking::all_of_some_queries),
                     testing::Bool()));

}  // namespace
}  // namespace headway::ex06
