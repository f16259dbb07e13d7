#include "oracle.hpp"

#include <algorithm>
#include <cmath>

namespace headway::ex06 {

Oracle::Oracle(const Inputs& inputs)
    : in_(inputs),
      T_(inputs.query.size(1)),
      S_(inputs.key.size(1)),
      d_(inputs.w_q.size(1) / inputs.num_heads),
      mask_(inputs.mask.defined() ? inputs.mask.expand({inputs.query.size(0), inputs.num_heads, T_, S_}) : Mask{}) {}

double Oracle::projected(const Tensor& x, const Tensor& w, const Tensor& bias, Index b, Index n, Index e) const {
    double sum = bias.defined() ? bias(e) : 0;
    for (Index i = 0; i < x.size(2); ++i) sum += static_cast<double>(x(b, n, i)) * w(i, e);
    return sum;
}

bool Oracle::blocked(Index b, Index h, Index t, Index s) const {
    return (in_.causal && s > t + (S_ - T_)) || (mask_.defined() && mask_(b, h, t, s));
}

double Oracle::score(Index b, Index h, Index t, Index s) const {
    double sum = 0;
    for (Index e = h * d_; e < (h + 1) * d_; ++e)
        sum += projected(in_.query, in_.w_q, in_.b_q, b, t, e) * projected(in_.key, in_.w_k, in_.b_k, b, s, e);
    return sum / std::sqrt(static_cast<double>(d_));
}

double Oracle::weight(Index b, Index h, Index t, Index s) const {
    if (blocked(b, h, t, s)) return 0;
    // 1 / Σ exp(other - mine): no maximum needed, an infinite sum is a weight of zero.
    const double mine = score(b, h, t, s);
    double total = 0;
    for (Index other = 0; other < S_; ++other)
        if (!blocked(b, h, t, other)) total += std::exp(score(b, h, t, other) - mine);
    return 1 / total;
}

double Oracle::output(Index b, Index t, Index i) const {
    double sum = in_.b_o.defined() ? in_.b_o(i) : 0;
    for (Index h = 0; h < in_.num_heads; ++h)
        for (Index s = 0; s < S_; ++s) {
            const double share = weight(b, h, t, s);
            for (Index e = h * d_; e < (h + 1) * d_; ++e)
                sum += share * projected(in_.value, in_.w_v, in_.b_v, b, s, e) * in_.w_o(e, i);
        }
    return sum;
}

testing::AssertionResult answers(const char*, const char*, const Inputs& in, const Attended& got) {
    const Oracle oracle(in);
    const Index B = in.query.size(0), T = in.query.size(1), S = in.key.size(1);
    if (got.weights.shape() != Shape{B, in.num_heads, T, S})
        return testing::AssertionFailure() << "weights " << to_string(got.weights.shape());
    if (got.output.shape() != in.query.shape())
        return testing::AssertionFailure() << "output " << to_string(got.output.shape());
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t) {
            for (Index h = 0; h < in.num_heads; ++h)
                for (Index s = 0; s < S; ++s)
                    if (!(std::abs(got.weights(b, h, t, s) - oracle.weight(b, h, t, s)) < 2e-3))
                        return testing::AssertionFailure() << "weight " << b << h << t << s;
            for (Index i = 0; i < in.query.size(2); ++i) {
                const double want = oracle.output(b, t, i);
                if (!(std::abs(got.output(b, t, i) - want) < 4e-3 * (1 + std::abs(want))))
                    return testing::AssertionFailure() << "output " << b << t << i;
            }
        }
    return testing::AssertionSuccess();
}

Inputs draw(std::uint64_t seed, Index B, Index T, Index S, Index H, Index d, Index D) {
    Random random(seed);
    Inputs in;
    in.num_heads = H;
    in.query = random.uniform({B, T, D}, -2, 2);
    in.key = random.uniform({B, S, D}, -2, 2);
    in.value = random.uniform({B, S, D}, -2, 2);
    in.w_q = random.uniform({D, H * d}, -0.6f, 0.6f);
    in.w_k = random.uniform({D, H * d}, -0.6f, 0.6f);
    in.w_v = random.uniform({D, H * d}, -1, 1);
    in.w_o = random.uniform({D, H * d}, -1, 1).transpose(0, 1);
    in.b_q = random.uniform({H * d}, -1, 1);
    in.b_k = random.uniform({H * d}, -1, 1);
    in.b_v = random.uniform({H * d}, -1, 1);
    in.b_o = random.uniform({D}, -1, 1);
    return in;
}

}  // namespace headway::ex06
