#include "suites/06_catch_the_bug/attentions/right/right.hpp"

#include <cmath>
#include <limits>
#include <vector>

namespace headway::attentions {
namespace {

Tensor heads(const Tensor& x, const Tensor& w, const Tensor& b, const InputSizes& n) {
    Tensor y = matmul(x, w);
    if (b.defined()) y += b;
    return y.view({n.B, x.size(1), n.H, n.d}).transpose(1, 2).contiguous();
}

float dot(const float* a, const float* b, Index width) {
    float sum = 0;
    for (Index i = 0; i < width; ++i) sum += a[i] * b[i];
    return sum;
}

}  // namespace

Attended online_softmax(const Inputs& in) {
    const InputSizes n = checked(in);
    const Tensor q = heads(in.query, in.w_q, in.b_q, n), k = heads(in.key, in.w_k, in.b_k, n),
                 v = heads(in.value, in.w_v, in.b_v, n);
    const Mask hidden = blocked(in, n);
    const float root = std::sqrt(static_cast<float>(n.d));
    Tensor weights = Tensor::zeros({n.B, n.H, n.T, n.S}), context = Tensor::zeros({n.B, n.H, n.T, n.d});
    std::vector<float> score(static_cast<std::size_t>(n.S));
    for (Index row = 0; row < n.B * n.H * n.T; ++row) {
        const Index head = row / n.T;
        float* gathered = context.data() + row * n.d;
        float largest = -std::numeric_limits<float>::infinity(), total = 0;
        for (Index s = 0; s < n.S; ++s) {
            if (hidden.data()[row * n.S + s]) continue;
            const float here = dot(q.data() + row * n.d, k.data() + (head * n.S + s) * n.d, n.d) / root;
            score[static_cast<std::size_t>(s)] = here;
            const float now = std::max(largest, here);
            const float shrink = std::exp(largest - now), share = std::exp(here - now);
            total = total * shrink + share;
            for (Index i = 0; i < n.d; ++i)
                gathered[i] = gathered[i] * shrink + share * v.data()[(head * n.S + s) * n.d + i];
            largest = now;
        }
        if (total == 0) continue;
        for (Index i = 0; i < n.d; ++i) gathered[i] /= total;
        for (Index s = 0; s < n.S; ++s)
            if (!hidden.data()[row * n.S + s])
                weights.data()[row * n.S + s] = std::exp(score[static_cast<std::size_t>(s)] - largest) / total;
    }
    Tensor output = matmul(context.transpose(1, 2).contiguous().view({n.B, n.T, n.E}), in.w_o);
    return {in.b_o.defined() ? output + in.b_o : output, weights};
}

}  // namespace headway::attentions
