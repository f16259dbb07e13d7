#include "attention_steps.hpp"

#include "mistakes.hpp"

#include <cmath>

namespace headway::combinations {
namespace {

float root(Index width) { return std::sqrt(static_cast<float>(width)); }

/// Every head gets what head 0 has.
Tensor first_head_for_all(const Tensor& x) { return x.slice(1, 0, 1).expand(x.shape()); }

}  // namespace

Tensor products(const Tensor& q, const Tensor& k) {
    Tensor queries = q;
    Tensor keys = k;
    if (made(Mistake::keys_of_first_head)) keys = first_head_for_all(keys);
    if (made(Mistake::widths_unchecked)) keys = keys.slice(-1, 0, q.size(-1));
    if (made(Mistake::last_feature_skipped)) {
        const Index end = q.size(-1) - 1;
        queries = queries.slice(-1, 0, end);
        keys = keys.slice(-1, 0, end);
    }
    if (made(Mistake::keys_times_queries)) return matmul(keys, queries.transpose(-2, -1));
    return matmul(queries, keys.transpose(-2, -1));
}

float score_divisor(const PossibleDivisors& sizes) {
    if (made(Mistake::scale_sqrt_model_width)) return root(sizes.model);
    if (made(Mistake::scale_sqrt_heads)) return root(sizes.heads);
    if (made(Mistake::scale_without_root)) return static_cast<float>(sizes.head_dim);
    if (made(Mistake::scale_missing)) return 1;
    if (made(Mistake::scale_inverted)) return 1 / root(sizes.head_dim);
    if (made(Mistake::scale_sqrt_queries)) return root(sizes.queries);
    if (made(Mistake::scale_sqrt_keys)) return root(sizes.keys);
    if (made(Mistake::scale_sqrt_batch)) return root(sizes.batch);
    if (made(Mistake::scale_constant_eight)) return 8;
    if (made(Mistake::scale_root_truncated)) {
        const auto whole = static_cast<Index>(std::sqrt(sizes.head_dim));
        return static_cast<float>(whole);
    }
    return root(sizes.head_dim);
}

Tensor weigh(const Tensor& weights, const Tensor& v) {
    Tensor shares = weights;
    if (made(Mistake::weights_averaged_over_heads)) shares = mean(shares, 1, KeepAxis::yes);
    if (made(Mistake::context_weights_transposed)) shares = shares.transpose(-2, -1);
    const Tensor values = made(Mistake::values_of_first_head) ? first_head_for_all(v) : v;
    return matmul(shares, values);
}

Tensor read_as_contiguous(const Tensor& x) { return x.as_strided(x.shape(), Layout::contiguous(x.shape()).strides); }

}  // namespace headway::combinations
