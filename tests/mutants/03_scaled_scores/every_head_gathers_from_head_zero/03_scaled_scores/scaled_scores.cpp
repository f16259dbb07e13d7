#include "scaled_scores.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex03 {

namespace {

[[noreturn]] void mismatch(const char* function, const Tensor& a, const Tensor& b) {
    throw std::invalid_argument(std::string(function) + ": " + to_string(a.shape()) + " and " + to_string(b.shape()));
}

/// Blocked by the mask, which may lack axes or have size 1.
class Blocked {
public:
    Blocked(const Mask& mask, const Shape& shape) {
        if (mask.defined()) full_ = mask.expand(shape);
    }
    bool operator()(Index b, Index h, Index t, Index s) const { return full_.defined() && full_(b, h, t, s); }

private:
    Mask full_;
};

}  // namespace

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4) mismatch("attention_scores", q, k);
    if (q.size(0) != k.size(0) || q.size(1) != k.size(1) || q.size(3) != k.size(3)) mismatch("attention_scores", q, k);
    Tensor scores = matmul(q, k.transpose(3, 2));
    scores /= std::sqrt(static_cast<float>(q.size(3)));
    return scores;
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index back = 0; back < T; ++back)  // counted from the last query
        for (Index s = 0; s < S; ++s) mask(T - 1 - back, s) = s >= S - back;
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    for (std::size_t b = 0; b != lengths.size(); ++b)
        for (Index s = lengths[b]; s < S; ++s) mask(b, 0, 0, s) = true;
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    const Blocked blocked(mask, scores.shape());
    Tensor w = Tensor::zeros(scores.shape());
    for (Index b = 0; b < scores.size(0); ++b)
        for (Index h = 0; h < scores.size(1); ++h)
            for (Index t = 0; t < scores.size(2); ++t) {
                // online: total is always relative to the largest score so far
                float largest = -INFINITY, total = 0.0F;
                for (Index s = 0; s < scores.size(3); ++s) {
                    if (blocked(b, h, t, s)) continue;
                    const float x = scores(b, h, t, s);
                    if (x > largest) {
                        total = total * std::exp(largest - x) + 1.0F;
                        largest = x;
                    } else {
                        total += std::exp(x - largest);
                    }
                }
                for (Index s = 0; s < scores.size(3); ++s)
                    if (!blocked(b, h, t, s)) w(b, h, t, s) = std::exp(scores(b, h, t, s) - largest) / total;
            }
    return w;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    const char* const name = "scaled_dot_product_attention";
    if (v.rank() != 4 || k.rank() != 4) mismatch(name, k, v);
    if (v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2)) mismatch(name, k, v);
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    Tensor context = Tensor::empty({q.size(0), q.size(1), q.size(2), v.size(3)});
    for (Index b = 0; b < q.size(0); ++b) {
        const Tensor values = v[b];
        for (Index h = 0; h < q.size(1); ++h) context[b][h].copy_from(matmul(weights[b][h], values[0]));
    }
    return {context, weights};
}

}  // namespace headway::ex03
