#include "catch_the_bug.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace headway::ex06 {
namespace {

/// One call, and what came of it.
struct Case {
    Inputs in;
    double tolerance;
    Attended got;
    std::vector<double> weights, output;
};

void expect_head(const Inputs& in, Index h, std::vector<double>& weights, std::vector<double>& output,
                 std::mutex& lock) {
    const Index B = in.query.size(0), T = in.query.size(1), S = in.key.size(1), H = in.num_heads;
    const Index D = in.query.size(2), d = in.w_q.size(1) / H;
    const auto at = [&](const Tensor& x, const Tensor& w, const Tensor& bias, Index b, Index n, Index e) {
        long double y = bias.defined() ? bias(e) : 0.f;
        for (Index i = 0; i < D; ++i) y += static_cast<long double>(x(b, n, i)) * w(i, e);
        return y;
    };
    std::vector<long double> row(static_cast<std::size_t>(S));
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t) {
            long double top = -INFINITY, total = 0;
            for (Index s = 0; s < S; ++s) {
                long double dot = 0;
                for (Index e = h * d; e < h * d + d; ++e)
                    dot += at(in.query, in.w_q, in.b_q, b, t, e) * at(in.key, in.w_k, in.b_k, b, s, e);
                bool blocked = in.causal && s > t + S - T;
                if (in.mask.defined()) blocked = blocked || in.mask.expand({B, H, T, S})(b, h, t, s);
                row[static_cast<std::size_t>(s)] =
                    blocked ? -static_cast<long double>(INFINITY) : dot / std::sqrt(static_cast<long double>(d));
                top = std::max(top, row[static_cast<std::size_t>(s)]);
            }
            for (auto& x : row) total += x = std::isinf(top) ? 0 : std::exp(x - top);
            for (Index s = 0; s < S; ++s) {
                const double share = total > 0 ? static_cast<double>(row[static_cast<std::size_t>(s)] / total) : 0;
                weights[static_cast<std::size_t>(((b * H + h) * T + t) * S + s)] = share;
                for (Index e = h * d; e < h * d + d; ++e) {
                    const double v = static_cast<double>(at(in.value, in.w_v, in.b_v, b, s, e));
                    const std::lock_guard guard(lock);
                    for (Index i = 0; i < D; ++i)
                        output[static_cast<std::size_t>((b * T + t) * D + i)] += share * v * in.w_o(e, i);
                }
            }
        }
}

void expect(Case& c) {
    const Index B = c.in.query.size(0), T = c.in.query.size(1), S = c.in.key.size(1), D = c.in.query.size(2);
    c.weights.assign(static_cast<std::size_t>(B * c.in.num_heads * T * S), 0);
    c.output.assign(static_cast<std::size_t>(B * T * D), 0);
    for (std::size_t i = 0; i < c.output.size() && c.in.b_o.defined(); ++i)
        c.output[i] = c.in.b_o(static_cast<Index>(i) % D);
    std::mutex lock;
    std::vector<std::thread> heads;
    for (Index h = 0; h < c.in.num_heads; ++h)
        heads.emplace_back([&, h] { expect_head(c.in, h, c.weights, c.output, lock); });
    for (std::thread& head : heads) head.join();
}

int far(const Tensor& got, const std::vector<double>& want, double tolerance) {
    if (got.numel() != static_cast<Index>(want.size())) return -1;
    const Tensor g = got.contiguous();
    int count = 0;
    for (std::size_t i = 0; i < want.size(); ++i)
        count += !(std::abs(g.data()[i] - want[i]) <= tolerance * (1 + std::abs(want[i])));
    return count;
}

Inputs make(Random& r, Index B, Index T, Index S, Index H, Index d, Index D) {
    Inputs in;
    in.num_heads = H;
    for (Tensor* b : {&in.b_q, &in.b_k, &in.b_v}) *b = r.normal({H * d});
    for (Tensor* w : {&in.w_q, &in.w_k, &in.w_v}) *w = r.normal({D, H * d}) * 0.5f;
    in.w_o = r.normal({D, H * d}).transpose(0, 1);
    in.b_o = r.normal({D});
    in.query = r.normal({B, T, D});
    in.key = r.normal({B, S, D});
    in.value = r.normal({B, S, D});
    return in;
}

TEST(AllAtOnce, AnswersAreThoseExpected) {
    Random r(77);
    std::vector<Case> cases;
    const auto add = [&](const Inputs& in, double tolerance = 1e-3) { cases.push_back({in, tolerance, {}, {}, {}}); };
    for (bool causal : {false, true})
        for (int masked = 0; masked < 3; ++masked)
            for (auto [B, T, S, H, d, D] :
                 {std::array<Index, 6>{2, 3, 4, 2, 3, 5}, {3, 4, 3, 3, 1, 2}, {2, 2, 2, 4, 2, 8}}) {
                Inputs in = make(r, B, T, S, H, d, D);
                in.causal = causal;
                if (masked == 1) in.mask = Mask::allow_all({B, 1, 1, S});
                if (masked == 2) in.mask = Mask::allow_all({B, H, T, S});
                for (Index i = 0; i < in.mask.numel(); ++i) in.mask.data()[i] = r.integer(1, 3) == 1;
                add(in);
                for (float up : {8.f, 200.f, -200.f, -2500.f}) {  // the same number onto all scores of a row
                    Inputs shifted = in;
                    shifted.query = Tensor::zeros(in.query.shape());
                    shifted.w_k = in.w_k * 0.05f;
                    shifted.b_q = Tensor::full({H * d}, 4);
                    shifted.b_k = Tensor::full({H * d}, up / static_cast<float>(d));
                    add(shifted, 1e-2);
                }
            }
    Inputs none = make(r, 2, 3, 5, 2, 2, 3);
    none.mask = Mask::block_all({1});
    add(none);
    Inputs bare = make(r, 2, 3, 5, 2, 2, 3);
    bare.b_q = bare.b_k = bare.b_v = bare.b_o = Tensor{};
    add(bare);
    for (Case& c : cases) c.got = attention(c.in);
    for (Case& c : cases) expect(c);
    for (std::size_t i = 0; i < cases.size(); ++i) {
        EXPECT_EQ(far(cases[i].got.weights, cases[i].weights, cases[i].tolerance), 0) << "weights of case " << i;
        EXPECT_EQ(far(cases[i].got.output, cases[i].output, cases[i].tolerance), 0) << "output of case " << i;
    }
}

}  // namespace
}  // namespace headway::ex06
