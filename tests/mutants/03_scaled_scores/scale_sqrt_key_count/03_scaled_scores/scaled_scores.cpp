#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

// q . k^T  and then scaled
Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4) throw std::invalid_argument("attention_scores: rank 4 is needed");
    for (int axis = 0; axis < 4; axis++)
        if (axis != 2 && q.size(axis) != k.size(axis))
            throw std::invalid_argument("attention_scores: sizes of axis " + std::to_string(axis) + " differ");

    Tensor kt = k.transpose(2, 3);
    Tensor dots = matmul(q, kt);
    // the last axis of k^T is what softmax will run over
    float norm = std::sqrt((float)kt.size(3));
    return dots * (1.0f / norm);
}

Mask causal_mask(Index T, Index S) {
    Mask m = Mask::allow_all({T, S});
    for (Index i = 0; i < T; i++)
        for (Index j = 0; j < S; j++)
            if (j > i + S - T) m(i, j) = true;
    return m;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Index B = (Index)lengths.size();
    Mask m = Mask::allow_all({B, 1, 1, S});
    for (Index b = 0; b < B; b++)
        for (Index j = 0; j < S; j++)
            if (j >= lengths[(size_t)b]) m(b, 0, 0, j) = true;
    return m;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    Tensor x = masked_fill(scores, mask, -3e38f);
    Tensor out = Tensor::zeros(scores.shape());
    for (Index b = 0; b < x.size(0); b++)
        for (Index h = 0; h < x.size(1); h++)
            for (Index i = 0; i < x.size(2); i++) {
                float biggest = -3e38f, total = 0;
                for (Index j = 0; j < x.size(3); j++)
                    if (x(b, h, i, j) > biggest) biggest = x(b, h, i, j);
                if (biggest == -3e38f) continue;  // nobody left
                for (Index j = 0; j < x.size(3); j++) {
                    out(b, h, i, j) = std::exp(x(b, h, i, j) - biggest);
                    total += out(b, h, i, j);
                }
                for (Index j = 0; j < x.size(3); j++) out(b, h, i, j) /= total;
            }
    return out;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4) throw std::invalid_argument("v must be (B, H, S, d_v)");
    for (int axis = 0; axis < 3; axis++)
        if (v.size(axis) != k.size(axis)) throw std::invalid_argument("every key needs a value");
    Tensor w = masked_softmax(attention_scores(q, k), mask);
    return {matmul(w, v), w};
}

}  // namespace headway::ex03
