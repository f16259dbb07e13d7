#include "scaled_scores.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <stdexcept>

using Floats = std::vector<float>;

static float max(std::span<const float> row) { return *std::max_element(row.begin(), row.end()); }

// blocked keys hold -inf; exp(-inf) is 0
static void softmax(std::span<float> row) {
    const float top = max(row);
    if (top == -INFINITY) {
        std::fill(row.begin(), row.end(), 0.f);
        return;
    }
    for (float& x : row) x = std::exp(x - top);
    const float total = std::accumulate(row.begin(), row.end(), 0.f);
    for (float& x : row) x /= total;
}

// (rows, inner) x (inner, cols), all row-major
static void matmul(std::span<const float> a, std::span<const float> b, std::span<float> c, size_t inner, size_t cols) {
    for (size_t i = 0; i * cols < c.size(); ++i)
        for (size_t j = 0; j < cols; ++j) {
            float dot = 0;
            for (size_t p = 0; p < inner; ++p) dot += a[i * inner + p] * b[p * cols + j];
            c[i * cols + j] = dot;
        }
}

static std::span<const float> numbers(const headway::Tensor& contiguous) {
    return {contiguous.data(), static_cast<size_t>(contiguous.numel())};
}

static void expect(bool truth, const char* what) {
    if (!truth) throw std::invalid_argument(what);
}

namespace headway::ex03 {

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    expect(q.rank() == 4 && k.rank() == 4, "q and k: rank 4");
    expect(q.size(0) == k.size(0) && q.size(1) == k.size(1) && q.size(3) == k.size(3), "q and k: B, H, d");
    const size_t heads = q.size(0) * q.size(1), T = q.size(2), S = k.size(2), d = q.size(3);
    const Tensor dense_q = q.contiguous(), k_t = k.transpose(2, 3).contiguous();
    Floats scores(heads * T * S);
    for (size_t n = 0; n < heads; ++n)
        ::matmul(numbers(dense_q).subspan(n * T * d, T * d), numbers(k_t).subspan(n * d * S, d * S),
                 std::span(scores).subspan(n * T * S, T * S), d, S);
    for (float& s : scores) s /= std::sqrt(static_cast<float>(d));
    return Tensor::of({q.size(0), q.size(1), q.size(2), k.size(2)}, scores);
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        std::generate_n(mask.data() + t * S, S, [=, s = Index{0}]() mutable { return s++ > t + (S - T); });
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    for (size_t b = 0; b < lengths.size(); ++b)
        for (Index s = 0; s < S; ++s) mask(b, 0, 0, s) = s >= lengths[b];
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    expect(scores.rank() == 4, "scores: rank 4");
    Tensor weights = masked_fill(scores, mask, -INFINITY).contiguous();
    const Index S = scores.size(3);
    for (Index start = 0; start < weights.numel(); start += S)
        softmax({weights.data() + start, static_cast<size_t>(S)});
    return weights;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    expect(k.rank() == 4 && v.rank() == 4, "k and v: rank 4");
    expect(v.size(0) == k.size(0) && v.size(1) == k.size(1) && v.size(2) == k.size(2), "k and v: B, H, S");
    const Tensor weights = masked_softmax(attention_scores(q, k), mask), dense_v = v.contiguous();
    const size_t heads = q.size(0) * q.size(1), T = q.size(2), S = k.size(2), d_v = v.size(3);
    Tensor context = Tensor::empty({q.size(0), q.size(1), q.size(2), v.size(3)});
    std::span<float> out(context.data(), heads * T * d_v);
    for (size_t n = 0; n < heads; ++n)
        ::matmul(numbers(weights).subspan(n * T * S, T * S), numbers(dense_v).subspan(n * S * d_v, S * d_v),
                 out.subspan(n * T * d_v, T * d_v), S, d_v);
    return {context, weights};
}

}  // namespace headway::ex03
