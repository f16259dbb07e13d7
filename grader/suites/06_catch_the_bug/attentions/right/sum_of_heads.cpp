#include "suites/06_catch_the_bug/attentions/right/right.hpp"

#include <cmath>
#include <limits>

namespace headway::attentions {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

/// Features [first, last) of x·w + b, from those columns of w alone. (B, T, D) -> (B, T, d)
Tensor columns(const Tensor& x, const Tensor& w, const Tensor& b, Index first, Index last) {
    const Tensor y = matmul(x, w.slice(1, first, last));
    return b.defined() ? y + b.slice(0, first, last) : y;
}

}  // namespace

Attended sum_of_heads(const Inputs& in) {
    const InputSizes n = checked(in);
    const Mask hidden = blocked(in, n);
    Attended out{Tensor::zeros({n.B, n.T, n.D}), Tensor::zeros({n.B, n.H, n.T, n.S})};
    for (Index h = 0; h < n.H; ++h) {
        const Index first = h * n.d, last = first + n.d;
        const Tensor q = columns(in.query, in.w_q * (1 / std::sqrt(static_cast<float>(n.d))), {}, first, last);
        const Tensor bias =
            in.b_q.defined() ? in.b_q.slice(0, first, last) / std::sqrt(static_cast<float>(n.d)) : Tensor::zeros({n.d});
        const Tensor k = columns(in.key, in.w_k, in.b_k, first, last);
        const Tensor v = columns(in.value, in.w_v, in.b_v, first, last);
        const Strides strides = hidden.strides();
        const Mask mine = hidden.as_strided({n.B, n.T, n.S}, {strides[0], strides[2], strides[3]}, h * strides[1]);
        const Tensor scores = masked_fill(matmul(q + bias, k.transpose(1, 2)), mine, -infinity);
        const Tensor largest = max(scores, -1, KeepAxis::yes);
        const Tensor lifted = exp(masked_fill(scores - largest, mine, -infinity));
        Tensor total = sum(lifted, -1, KeepAxis::yes);
        for (Index i = 0; i < total.numel(); ++i)
            if (total.data()[i] == 0) total.data()[i] = 1;
        const Tensor weights = lifted / total;
        out.weights.select(1, h).copy_from(weights);
        out.output += matmul(matmul(weights, v), in.w_o.slice(0, first, last));
    }
    if (in.b_o.defined()) out.output += in.b_o;
    return out;
}

}  // namespace headway::attentions
