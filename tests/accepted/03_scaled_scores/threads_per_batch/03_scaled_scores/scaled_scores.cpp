#include "scaled_scores.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <thread>

namespace headway::ex03 {

namespace {

/// Runs work(b) for every sequence of the batch, all at once.
template <class Work>
void in_parallel(Index B, const Work& work) {
    std::vector<std::thread> threads;
    for (Index b = 0; b < B; ++b) threads.emplace_back([&work, b] { work(b); });
    for (auto& thread : threads) thread.join();
}

// Exceptions do not cross threads, so everything is checked before the first one starts.
void check(const Tensor& q, const Tensor& k) {
    if (q.rank() != 4 || k.rank() != 4) throw std::invalid_argument("rank 4 needed");
    if (q.size(0) != k.size(0) || q.size(1) != k.size(1) || q.size(3) != k.size(3))
        throw std::invalid_argument("q and k must agree in B, H, d");
}

}  // namespace

Tensor attention_scores(const Tensor& q, const Tensor& k) {
    check(q, k);
    Tensor scores = Tensor::empty({q.size(0), q.size(1), q.size(2), k.size(2)});
    const float root = std::sqrt(static_cast<float>(q.size(3)));
    in_parallel(q.size(0), [&](Index b) { scores[b].copy_from(matmul(q[b], k[b].transpose(1, 2)) / root); });
    return scores;
}

Mask causal_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = std::max<Index>(t + 1 + S - T, 0); s < S; ++s) mask(t, s) = true;
    return mask;
}

Mask padding_mask(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    for (Index b = 0; b < mask.size(0); ++b)
        for (Index s = lengths[b]; s < S; ++s) mask(b, 0, 0, s) = true;
    return mask;
}

Tensor masked_softmax(const Tensor& scores, const Mask& mask) {
    if (scores.rank() != 4) throw std::invalid_argument("rank 4 needed");
    const Mask blocked = (mask.defined() ? mask : Mask::allow_all({})).expand(scores.shape());
    Tensor weights = Tensor::zeros(scores.shape());
    in_parallel(scores.size(0), [&](Index b) {
        for (Index h = 0; h < scores.size(1); ++h) {
            for (Index t = 0; t < scores.size(2); ++t) {
                float top = std::numeric_limits<float>::lowest(), total = 0;
                for (Index s = 0; s < scores.size(3); ++s)
                    if (!blocked(b, h, t, s)) top = std::max(top, scores(b, h, t, s));
                for (Index s = 0; s < scores.size(3); ++s)
                    if (!blocked(b, h, t, s)) total += weights(b, h, t, s) = std::exp(scores(b, h, t, s) - top);
                if (total != 0) weights[b][h][t] /= total;
            }
        }
    });
    return weights;
}

Attended scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    check(q, k);
    if (v.rank() != 4 || v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
        throw std::invalid_argument("v must agree with k in B, H, S");
    const Tensor weights = masked_softmax(attention_scores(q, k), mask);
    Tensor context = Tensor::empty({q.size(0), q.size(1), q.size(2), v.size(3)});
    in_parallel(q.size(0), [&](Index b) { context[b].copy_from(matmul(weights[b], v[b])); });
    return {context, weights};
}

}  // namespace headway::ex03
