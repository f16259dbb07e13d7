#include "suites/06_catch_the_bug/attentions/right/right.hpp"

#include <cmath>
#include <limits>

namespace headway::attentions {

Attended both_sides_scaled(const Inputs& in) {
    const InputSizes n = checked(in);
    const float fourth_root = std::sqrt(std::sqrt(static_cast<float>(n.d)));
    const auto project = [&](const Tensor& x, const Tensor& w, const Tensor& b, float divisor) {
        const Tensor bias = b.defined() ? b : Tensor::zeros({n.E});
        return ((matmul(x, w) + bias) / divisor).view({n.B, x.size(1), n.H, n.d}).transpose(1, 2);
    };
    const Tensor q = project(in.query, in.w_q, in.b_q, fourth_root);
    const Tensor k = project(in.key, in.w_k, in.b_k, fourth_root);
    const Tensor v = project(in.value, in.w_v, in.b_v, 1);
    Tensor scores =
        masked_fill(matmul(q, k.transpose(-1, -2)), blocked(in, n), -std::numeric_limits<float>::infinity());
    // exp(-infinity - c) is 0 for every finite c, which is all that a row without keys needs.
    Tensor shift = max(scores, -1, KeepAxis::yes) + 1.0F;
    for (Index i = 0; i < shift.numel(); ++i)
        if (!std::isfinite(shift.data()[i])) shift.data()[i] = 0;
    scores -= shift;
    Tensor weights = exp(scores);
    Tensor total = sum(weights, -1, KeepAxis::yes);
    for (Index i = 0; i < total.numel(); ++i) total.data()[i] = total.data()[i] > 0 ? 1 / total.data()[i] : 0;
    weights *= total;
    Tensor output = Tensor::zeros({n.B, n.T, n.D});
    if (in.b_o.defined()) output += in.b_o;
    // Head by head behind one another in memory, which the product does not mind.
    const Tensor context = matmul(weights, v).transpose(1, 2);
    output += matmul(context.contiguous().view({n.B * n.T, n.E}), in.w_o).view({n.B, n.T, n.D});
    return {output, weights};
}

}  // namespace headway::attentions
