#include "scaled_scores.hpp"

#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>

namespace headway::ex03 {
namespace {

/// Where the matrix of one sequence and head begins.
const float* matrix_of(const Tensor& x, Index b, Index h) { return x.data() + b * x.strides()[0] + h * x.strides()[1]; }

/// Reads a mask of up to four axes as if it had the shape of the scores.
class Blocked {
public:
    Blocked(const Mask& mask, const Shape& shape) {
        if (!mask.defined()) return;
        if (mask.rank() > 4) throw std::invalid_argument("a mask of more than four axes");
        data_ = mask.data();
        const std::size_t missing = 4 - mask.shape().size();
        for (std::size_t a = missing; a < 4; ++a) {
            const Index size = mask.shape()[a - missing];
            if (size != 1 && size != shape[a])
                throw std::invalid_argument("the mask " + to_string(mask.shape()) + " does not broadcast to " +
                                            to_string(shape));
            strides_[a] = size == 1 ? 0 : mask.strides()[a - missing];
        }
    }

    bool operator()(Index b, Index h, Index t, Index s) const {
        return data_ != nullptr && data_[b * strides_[0] + h * strides_[1] + t * strides_[2] + s * strides_[3]];
    }

private:
    const bool* data_ = nullptr;
    Index strides_[4] = {0, 0, 0, 0};
};

bool agree(const Tensor& a, const Tensor& b, Index axis) { return a.size(axis) == b.size(axis); }

}  // namespace

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4) throw std::invalid_argument("attention_scores: rank 4 is needed");
    if (!agree(q, k, 0) || !agree(q, k, 1) || !agree(q, k, 3))
        throw std::invalid_argument("attention_scores: " + to_string(q.shape()) + " and " + to_string(k.shape()));
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2), d = q.size(3);
    const float scale = 1 / std::sqrt(static_cast<float>(d));
    Tensor scores = Tensor::empty({B, H, T, S});
    float* out = scores.data();
    for (Index b = 0; b < B; ++b) {
        for (Index h = 0; h < H; ++h) {
            const float* queries = matrix_of(q, b, h);
            const float* keys = matrix_of(k, b, h);
            for (Index t = 0; t < T; ++t) {
                for (Index s = 0; s < S; ++s) {
                    const float* query = queries + t * q.strides()[2];
                    const float* key = keys + s * k.strides()[2];
                    float dot = 0;
                    for (Index i = 0; i < d; ++i) dot += query[i] * key[i];  // the features of a token lie side by side
                    *out++ = dot * scale;
                }
            }
        }
    }
    return scores;
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t) {
        for (Index s = t + (S - T) + 1; s < S; ++s) mask(t, s) = true;  // the keys of the future
    }
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    bool* blocked = mask.data();
    for (const Index length : lengths) {
        for (Index s = 0; s < S; ++s) blocked[s] = s >= length;
        blocked += S;
    }
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    if (scores.rank() != 4) throw std::invalid_argument("masked_softmax: rank 4 is needed");
    const Index B = scores.size(0), H = scores.size(1), T = scores.size(2), S = scores.size(3);
    const Blocked blocked(mask, scores.shape());
    Tensor weights = Tensor::zeros({B, H, T, S});
    float* row = weights.data();
    for (Index b = 0; b < B; ++b) {
        for (Index h = 0; h < H; ++h) {
            for (Index t = 0; t < T; ++t, row += S) {
                const float* from = matrix_of(scores, b, h) + t * scores.strides()[2];
                const Index step = scores.strides()[3];
                bool any = false;
                float largest = 0;
                for (Index s = 0; s < S; ++s) {
                    if (blocked(b, h, t, s)) continue;
                    if (!any || from[s * step] > largest) largest = from[s * step];
                    any = true;
                }
                if (!any) continue;
                float total = 0;
                for (Index s = 0; s < S; ++s)
                    if (!blocked(b, h, t, s)) total += row[s] = std::exp(from[s * step] - largest);
                for (Index s = 0; s < S; ++s) row[s] /= total;
            }
        }
    }
    return weights;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    const Tensor scores = attention_scores(q, k);
    if (v.rank() != 4 || !agree(v, k, 0) || !agree(v, k, 1) || !agree(v, k, 2))
        throw std::invalid_argument("scaled_dot_product_attention: the values do not fit the keys");
    const Tensor weights = masked_softmax(scores, mask);
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2), d_v = v.size(3);
    Tensor context = Tensor::zeros({B, H, T, d_v});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t) {
                const float* share = weights.data() + ((b * H + h) * T + t) * S;
                float* gathered = context.data() + ((b * H + h) * T + t) * d_v;
                for (Index s = 0; s < S; ++s) {
                    const float* value = matrix_of(v, b, h) + s * v.strides()[2];
                    for (Index j = 0; j < d_v; ++j) gathered[j] += share[s] * value[j * v.strides()[3]];
                }
            }
    return {context, weights};
}

}  // namespace headway::ex03
