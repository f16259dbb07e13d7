#include "catch_the_bug.hpp"

#include <cmath>
#include <valarray>

// What is blocked is a type, so that each test runs for each of them.
namespace headway::ex06 {
namespace {

struct Nothing {
    static bool blocks(Index, Index, Index, Index) { return false; }
    static constexpr bool has_mask = false, causal = false;
};
struct Padding {
    static bool blocks(Index b, Index, Index, Index s) { return s > 3 - 2 * b; }
    static constexpr bool has_mask = true, causal = false;
};
struct Heads {
    static bool blocks(Index b, Index h, Index t, Index s) { return (b + 2 * h + t + s) % 3 == 0; }
    static constexpr bool has_mask = true, causal = false;
};
struct Future {
    static bool blocks(Index, Index, Index, Index) { return false; }
    static constexpr bool has_mask = false, causal = true;
};
struct FutureAndHeads : Heads {
    static constexpr bool causal = true;
};
struct WholeRows {
    static bool blocks(Index b, Index h, Index t, Index) { return (b + h + t) % 2 == 0; }
    static constexpr bool has_mask = true, causal = false;
};

template <class What>
class Blocked : public testing::Test {
protected:
    using Numbers = std::valarray<double>;

    void use(Index queries, Index keys) {
        T = queries, S = keys;
        Random r(static_cast<std::uint64_t>(100 * T + S));
        const auto input = [&](Index n) { return r.uniform({B, n, D}, -1.5f, 1.5f); };
        const auto weight = [&] { return r.uniform({D, H * d}, -1, 1); };
        const auto bias = [&] { return r.uniform({H * d}, -1, 1); };
        in.query = input(T), in.key = input(S), in.value = input(S);
        in.w_q = weight(), in.w_k = weight(), in.w_v = weight(), in.w_o = weight().transpose(0, 1);
        in.b_q = bias(), in.b_k = bias(), in.b_v = bias(), in.b_o = r.uniform({D}, -1, 1);
        in.num_heads = H;
        in.causal = What::causal;
        if (!What::has_mask) return;
        in.mask = Mask::allow_all({B, H, T, S});
        for (Index b = 0; b < B; ++b)
            for (Index h = 0; h < H; ++h)
                for (Index t = 0; t < T; ++t)
                    for (Index s = 0; s < S; ++s) in.mask(b, h, t, s) = What::blocks(b, h, t, s);
    }

    bool open(Index b, Index h, Index t, Index s) const {
        return !What::blocks(b, h, t, s) && !(What::causal && s > t + S - T);
    }

    Numbers token(const Tensor& x, const Tensor& w, const Tensor& bias, Index b, Index n, Index h) const {
        Numbers y(static_cast<std::size_t>(d));
        for (Index i = 0; i < d; ++i) {
            double& e = y[static_cast<std::size_t>(i)] = bias.defined() ? bias(h * d + i) : 0;
            for (Index j = 0; j < D; ++j) e += double{x(b, n, j)} * double{w(j, h * d + i)};
        }
        return y;
    }

    /// The scores of the open keys of one query, in order.
    Numbers scores(Index b, Index h, Index t) const {
        std::vector<double> found;
        const Numbers q = token(in.query, in.w_q, in.b_q, b, t, h);
        for (Index s = 0; s < S; ++s)
            if (open(b, h, t, s))
                found.push_back((q * token(in.key, in.w_k, in.b_k, b, s, h)).sum() / std::sqrt(double(d)));
        return found.empty() ? Numbers{} : Numbers(found.data(), found.size());
    }

    void expect_right(double tolerance) {
        const Attended out = attention(in);
        ASSERT_EQ(to_string(out.output.shape()), to_string(Shape{B, T, D}));
        ASSERT_EQ(to_string(out.weights.shape()), to_string(Shape{B, H, T, S}));
        for (Index b = 0; b < B; ++b)
            for (Index t = 0; t < T; ++t) {
                Numbers total(0.0, static_cast<std::size_t>(D));
                double largest = 0;
                for (Index i = 0; i < D; ++i) total[static_cast<std::size_t>(i)] = in.b_o.defined() ? in.b_o(i) : 0;
                for (Index h = 0; h < H; ++h) {
                    Numbers p = scores(b, h, t);
                    if (p.size() > 0) p = std::exp(Numbers(p - p.max()));
                    if (p.size() > 0) p /= p.sum();
                    Numbers context(0.0, static_cast<std::size_t>(d));
                    std::size_t next = 0;
                    for (Index s = 0; s < S; ++s) {
                        const double want = open(b, h, t, s) ? p[next++] : 0;
                        ASSERT_NEAR(out.weights(b, h, t, s), want, want == 0 ? 1e-6 : tolerance)
                            << "sequence " << b << ", head " << h << ", query " << t << ", key " << s;
                        context += want * token(in.value, in.w_v, in.b_v, b, s, h);
                    }
                    for (Index i = 0; i < D; ++i)
                        for (Index e = 0; e < d; ++e)
                            total[static_cast<std::size_t>(i)] +=
                                context[static_cast<std::size_t>(e)] * double{in.w_o(h * d + e, i)};
                }
                largest = std::abs(total).max();
                for (Index i = 0; i < D; ++i)
                    ASSERT_NEAR(out.output(b, t, i), total[static_cast<std::size_t>(i)], tolerance * (2 + largest))
                        << "sequence " << b << ", query " << t << ", feature " << i;
            }
    }

    const Index B = 2, H = 3, d = 2, D = 4;
    Index T = 0, S = 0;
    Inputs in;
};

using Kinds = testing::Types<Nothing, Padding, Heads, Future, FutureAndHeads, WholeRows>;
TYPED_TEST_SUITE(Blocked, Kinds);

TYPED_TEST(Blocked, MoreKeys) {
    this->use(3, 5);
    this->expect_right(2e-4);
}

TYPED_TEST(Blocked, FewerKeys) {
    this->use(5, 4);
    this->expect_right(2e-4);
}

TYPED_TEST(Blocked, AsMany) {
    this->use(4, 4);
    this->expect_right(2e-4);
}

TYPED_TEST(Blocked, WithoutBiases) {
    this->use(3, 4);
    this->in.b_q = this->in.b_k = this->in.b_v = this->in.b_o = Tensor{};
    this->expect_right(2e-4);
}

TYPED_TEST(Blocked, HighScores) {
    this->use(4, 5);
    for (Tensor* x : {&this->in.b_q, &this->in.b_k}) *x = *x * 0.1f + 12.f;
    this->expect_right(3e-3);
}

TYPED_TEST(Blocked, LowScores) {
    this->use(4, 5);
    this->in.b_q = this->in.b_q * 0.1f + 12.f;
    this->in.b_k = this->in.b_k * 0.1f - 12.f;
    this->expect_right(3e-3);
}

TYPED_TEST(Blocked, VeryLowScores) {
    this->use(4, 5);
    this->in.query *= 0.01f;
    this->in.key *= 0.02f;
    this->in.b_q = Tensor::full({6}, 64);
    this->in.b_k = Tensor::full({6}, -128);
    this->expect_right(1e-2);
}

}  // namespace
}  // namespace headway::ex06
