#include "scaled_scores.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace headway::ex03 {

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4) throw std::invalid_argument("attention_scores wants rank 4");
    for (const Index axis : {0, 1, 3})
        if (q.size(axis) != k.size(axis))
            throw std::invalid_argument("attention_scores: axis " + std::to_string(axis) + " differs");
    const double scale = 1.0 / std::sqrt(static_cast<double>(q.size(3)));
    Tensor scores = Tensor::zeros({q.size(0), q.size(1), q.size(2), k.size(2)});
    for (Index i = 0; i < q.size(3); ++i) scores += q.slice(3, i, i + 1) * k.slice(3, i, i + 1).transpose(2, 3);
    scores *= static_cast<float>(scale);
    return scores;
}

Mask causal_mask(Index T, Index S) {
    std::vector<bool> blocked;
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) blocked.push_back(s - S > t - T);
    Mask mask = Mask::allow_all({T, S});
    std::copy(blocked.begin(), blocked.end(), mask.data());
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    for (std::size_t b = 0; b < lengths.size(); ++b) {
        const Index last = lengths[b] - 1;
        for (Index s = 0; s < S; ++s)
            if (s >= last) mask(b, 0, 0, s) = true;
    }
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    // Where nothing is open the maximum would be -inf; the lowest float keeps -inf - maximum at -inf.
    const Tensor open = masked_fill(scores, mask, -INFINITY);
    Tensor top = max(open, -1, KeepAxis::yes);
    for (Index i = 0; i < top.numel(); ++i) top.data()[i] = std::max(top.data()[i], -3e38F);
    const Tensor e = exp(open - top);
    Tensor z = sum(e, -1, KeepAxis::yes);
    std::replace(z.data(), z.data() + z.numel(), 0.0F, 1.0F);
    return e / z;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4) throw std::invalid_argument("v wants rank 4");
    for (const Index axis : {0, 1, 2})
        if (v.size(axis) != k.size(axis)) throw std::invalid_argument("k and v differ before their widths");
    Attended attended;
    attended.weights = masked_softmax(attention_scores(q, k), mask);
    attended.context = matmul(attended.weights, v);
    return attended;
}

}  // namespace headway::ex03
