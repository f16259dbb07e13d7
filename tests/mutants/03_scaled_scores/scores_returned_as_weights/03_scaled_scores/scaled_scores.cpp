#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {
namespace {

class Softmax {
public:
    explicit Softmax(const Mask& mask) : mask_(mask) {}

    Tensor operator()(const Tensor& scores) const {
        const Tensor powers = exponentials(scores);
        Tensor total = sum(powers, -1, KeepAxis::yes);
        return powers / (total + kTiny);
    }

private:
    static constexpr float kTiny = 1e-30F;

    Tensor exponentials(const Tensor& scores) const {
        const Tensor open = masked_fill(scores, mask_, -1.0F / kTiny);
        return masked_fill(exp(open - max(open, -1, KeepAxis::yes)), mask_, 0.0F);
    }

    Mask mask_;
};

}  // namespace

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4 || q.size(0) != k.size(0) || q.size(1) != k.size(1) || q.size(3) != k.size(3))
        throw std::invalid_argument("attention_scores: q or k has a wrong shape");
    return matmul(q, k.transpose(2, 3)) / std::sqrt(static_cast<float>(q.size(3)));
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) mask(t, s) = s > t + (S - T);
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    for (std::size_t b = 0; b < lengths.size(); ++b)
        for (Index s = 0; s < S; ++s) mask(b, 0, 0, s) = s >= lengths[b];
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) { return Softmax(mask)(scores); }

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (v.rank() != 4 || v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
        throw std::invalid_argument("scaled_dot_product_attention: k or v has a wrong shape");
    const Tensor weights = attention_scores(q, k);
    const Tensor context = matmul(masked_softmax(weights, mask), v);
    return {context, weights};
}

}  // namespace headway::ex03
