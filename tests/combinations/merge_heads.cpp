#include <merge_heads.hpp>

#include "attention_steps.hpp"
#include "mistakes.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

// Exercise 04 with the mistakes that are chosen. Nothing given is used: each step can go wrong.
namespace headway::ex04 {
namespace {

using combinations::made;
using combinations::Mistake;

void need(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

struct Roles {
    Tensor q, k, v;
};

enum class Role { query, key, value };

Tensor with_relu(const Tensor& x) {
    Tensor result = Tensor::zeros(x.shape());
    for (Index b = 0; b < x.size(0); ++b)
        for (Index t = 0; t < x.size(1); ++t)
            for (Index i = 0; i < x.size(2); ++i) result(b, t, i) = std::max(0.0F, x(b, t, i));
    return result;
}

/// x (B, T, D), w (D, D) -> (B, T, D)
Tensor projected(const Tensor& x, const Tensor& w, Role role) {
    const bool transposed =
        made(Mistake::projection_weights_transposed) || (made(Mistake::value_weight_transposed) && role == Role::value);
    const Tensor oriented = transposed ? w.transpose(0, 1) : w;
    Tensor y = matmul(x, oriented);
    if (made(Mistake::projected_twice)) y = matmul(y, oriented);
    if (made(Mistake::projections_with_relu)) y = with_relu(y);
    return y;
}

Roles project(const Tensor& x, Tensor w_q, Tensor w_k, Tensor w_v) {
    if (made(Mistake::key_and_value_weights_swapped)) std::swap(w_k, w_v);
    if (made(Mistake::one_weight_for_all)) w_k = w_v = w_q;
    if (made(Mistake::query_and_key_weights_swapped)) std::swap(w_q, w_k);
    if (made(Mistake::key_uses_query_weight)) w_k = w_q;
    if (made(Mistake::query_uses_key_weight)) w_q = w_k;

    Roles roles{projected(x, w_q, Role::query), projected(x, w_k, Role::key), projected(x, w_v, Role::value)};
    if (made(Mistake::query_not_projected)) roles.q = x;
    if (made(Mistake::key_not_projected)) roles.k = x;
    if (made(Mistake::values_not_projected)) roles.v = x;
    if (made(Mistake::keys_used_as_values)) roles.v = roles.k;
    if (made(Mistake::queries_used_as_values)) roles.v = roles.q;
    return roles;
}

/// x (B, T, D) -> (B, H, T, D / H)
Tensor split(const Tensor& x, Index heads, Role role) {
    const Index B = x.size(0);
    const Index T = x.size(1);
    const Index d = x.size(2) / heads;
    const Tensor dense = x.contiguous();
    if (made(Mistake::split_by_view)) return dense.view({B, heads, T, d});
    if (made(Mistake::values_split_by_view) && role == Role::value) return dense.view({B, heads, T, d});
    if (made(Mistake::heads_interleaved)) return dense.view({B, T, d, heads}).transpose(2, 3).transpose(1, 2);
    if (made(Mistake::heads_never_transposed)) return dense.view({B, T, heads, d});
    Tensor by_head = dense.view({B, T, heads, d}).transpose(1, 2);
    if (made(Mistake::every_head_is_the_first)) return by_head.slice(1, 0, 1).expand(by_head.shape());
    return by_head;
}

/// q, k, v (B, H, T, d) -> context (B, H, T, d)
Tensor attend(const Roles& heads, const combinations::PossibleDivisors& sizes, const Mask& mask) {
    const bool divide_weights = made(Mistake::scale_after_softmax);
    const float divisor = combinations::score_divisor(sizes);
    const Tensor scores = combinations::products(heads.q, heads.k) / (divide_weights ? 1 : divisor);
    Tensor weights = combinations::masked_weights(scores, mask);
    if (made(Mistake::softmax_twice)) weights = combinations::masked_weights(weights, mask);
    if (made(Mistake::softmax_again_without_mask)) weights = combinations::masked_weights(weights, {});
    if (divide_weights) weights = weights / divisor;
    return combinations::weigh(made(Mistake::context_from_scores) ? scores : weights, heads.v);
}

}  // namespace

Tensor merge_heads(const Tensor& context) {
    need(context.rank() == 4, "merge_heads: context has four axes");
    const Shape merged{context.size(0), context.size(2), context.size(1) * context.size(3)};
    const Tensor read = made(Mistake::strides_ignored) ? combinations::read_as_contiguous(context) : context;
    if (made(Mistake::merge_by_view)) return read.contiguous().view(merged);
    if (made(Mistake::merge_features_first)) return read.transpose(1, 2).transpose(2, 3).contiguous().view(merged);
    if (made(Mistake::merge_batch_and_heads_confused))
        return read.transpose(0, 1).transpose(1, 2).contiguous().view(merged);

    const Index d = read.size(3);
    Tensor y = Tensor::zeros(merged);
    for (Index b = 0; b < read.size(0); ++b)
        for (Index h = 0; h < read.size(1); ++h)
            for (Index t = 0; t < read.size(2); ++t)
                for (Index i = 0; i < d; ++i) y(b, t, h * d + i) = read(b, h, t, i);
    return y;
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    need(merged.rank() == 3, "project_output: merged has three axes");
    need(w_o.rank() == 2 && w_o.size(0) == merged.size(2), "project_output: w_o needs a row for each feature");
    need(!b_o.defined() || b_o.shape() == Shape{w_o.size(1)}, "project_output: b_o needs an entry for each output");

    const Tensor w = made(Mistake::output_weight_transposed) ? w_o.transpose(0, 1) : w_o;
    if (!b_o.defined() || made(Mistake::bias_missing)) return matmul(merged, w);
    if (made(Mistake::bias_before_projection)) return matmul(merged + b_o, w);
    Tensor y = matmul(merged, w) + b_o;
    if (made(Mistake::bias_twice)) y = y + b_o;
    return y;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    need(x.rank() == 3, "multi_head_attention: x has three axes");
    const Index B = x.size(0);
    const Index T = x.size(1);
    const Index D = x.size(2);
    for (const Tensor& w : {w_q, w_k, w_v, w_o})
        need(w.shape() == Shape{D, D}, "multi_head_attention: weights are square, as wide as x");
    need(num_heads >= 1 && D % num_heads == 0, "multi_head_attention: the heads do not divide the width");

    const Index heads = made(Mistake::heads_ignored) ? 1 : num_heads;
    const auto [q, k, v] = project(x, w_q, w_k, w_v);
    const Roles by_head{split(q, heads, Role::query), split(k, heads, Role::key), split(v, heads, Role::value)};
    const Tensor context =
        attend(by_head, {.batch = B, .model = D, .heads = heads, .head_dim = D / heads, .queries = T, .keys = T}, mask);

    // Who never moved the heads away from their token has nothing to move back.
    const bool as_it_lies = made(Mistake::heads_never_transposed);
    Tensor merged = as_it_lies ? context.contiguous().view({B, T, D}) : merge_heads(context);
    if (made(Mistake::output_projection_missing)) return merged;
    Tensor y = project_output(merged, made(Mistake::output_uses_value_weight) ? w_v : w_o, {});
    if (made(Mistake::head_outputs_averaged)) y = y / static_cast<float>(num_heads);
    if (made(Mistake::residual_added_inside)) y = y + x;
    return y;
}

}  // namespace headway::ex04
