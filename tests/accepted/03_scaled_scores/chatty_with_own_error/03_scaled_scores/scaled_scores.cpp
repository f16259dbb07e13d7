#include "scaled_scores.hpp"

#include <cmath>
#include <iostream>
#include <sstream>
#include <stdexcept>

namespace headway::ex03 {

class ShapeError : public std::invalid_argument {
public:
    template <class... Parts>
    explicit ShapeError(const Parts&... parts) : invalid_argument(joined(parts...)) {}

private:
    template <class... Parts>
    static std::string joined(const Parts&... parts) {
        std::ostringstream text;
        (text << ... << parts);
        return text.str();
    }
};

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    std::cout << "[scores] q " << to_string(q.shape()) << " k " << to_string(k.shape()) << '\n';
    if (q.rank() != 4 || k.rank() != 4) throw ShapeError("four axes needed, q has ", q.rank(), ", k has ", k.rank());
    if (q.size(3) != k.size(3)) throw ShapeError("head_dim differs: ", q.size(3), " and ", k.size(3));
    if (q.size(0) != k.size(0) || q.size(1) != k.size(1)) throw ShapeError("B or H differ");
    const auto d = static_cast<float>(q.size(3));
    return matmul(q, k.transpose(2, 3)) * (std::sqrt(d) / d);  // √d / d = 1 / √d
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) mask(t, s) = s > t + (S - T);
    std::cerr << "[causal] " << T << " x " << S << '\n';
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    for (std::size_t b = 0; b < lengths.size(); ++b) {
        if (lengths[b] < 0 || lengths[b] > S) throw ShapeError("length ", lengths[b], " is not in [0, ", S, "]");
        for (Index s = lengths[b]; s < S; ++s) mask(b, 0, 0, s) = true;
    }
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    if (scores.rank() != 4) throw ShapeError("scores must be (B, H, T, S), not ", to_string(scores.shape()));
    std::cerr << "[softmax] scores " << to_string(scores.shape()) << ", mask "
              << (mask.defined() ? to_string(mask.shape()) : "none") << std::endl;
    // The shift must come from keys that are visible, or all that is left could underflow.
    const Tensor visible = masked_fill(scores, mask, -1e30F);
    const Tensor e = exp(visible - max(visible, -1, KeepAxis::yes));
    Tensor weights = e / sum(e, -1, KeepAxis::yes);
    weights = masked_fill(weights, mask, 0.0F);
    const Tensor kept = sum(weights, -1, KeepAxis::yes);  // 1 up to rounding, or 0 in a fully blocked row
    return weights / masked_fill(
                         kept,
                         [&kept] {
                             Mask empty = Mask::allow_all(kept.shape());
                             for (Index i = 0; i < kept.numel(); ++i) empty.data()[i] = kept.data()[i] == 0;
                             return empty;
                         }(),
                         1.0F);
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (k.rank() != 4 || v.rank() != 4) throw ShapeError("k and v need four axes");
    for (Index axis = 0; axis < 3; ++axis)
        if (k.size(axis) != v.size(axis)) throw ShapeError("k and v differ in axis ", axis);
    Attended attended;
    attended.weights = masked_softmax(attention_scores(q, k), mask);
    attended.context = matmul(attended.weights, v);
    std::cout << attended.context[0][0] << std::endl;
    return attended;
}

}  // namespace headway::ex03
