#include "grouped_query.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

// Group by group: the queries of a group are a slice, its keys broadcast.
namespace headway::ex09 {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument(why); }

Index heads_per_group(Index num_heads, Index num_kv_heads) {
    if (num_heads < 1 || num_kv_heads < 1) refuse("fewer than one head");
    if (num_heads % num_kv_heads != 0) refuse("uneven groups");
    return num_heads / num_kv_heads;
}

Mask whole_mask(const Mask& mask, const Shape& scores) {
    if (!mask.defined()) return Mask::allow_all({1, 1, 1, 1}).expand(scores);
    return mask.expand(scores);
}

/// Softmax over the last axis; a row of minus infinities becomes zeros.
Tensor softmax(const Tensor& scores) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    Tensor largest = max(scores, -1, KeepAxis::yes);
    for (Index b = 0; b < largest.size(0); ++b)
        for (Index h = 0; h < largest.size(1); ++h)
            for (Index t = 0; t < largest.size(2); ++t)
                if (largest(b, h, t, 0) == -infinity) largest(b, h, t, 0) = 0;
    const Tensor raised = exp(scores - largest);
    Tensor total = sum(raised, -1, KeepAxis::yes);
    for (Index b = 0; b < total.size(0); ++b)
        for (Index h = 0; h < total.size(1); ++h)
            for (Index t = 0; t < total.size(2); ++t)
                if (total(b, h, t, 0) == 0) total(b, h, t, 0) = 1;
    return raised / total;
}

}  // namespace

Tensor repeat_heads(const Tensor& kv, Index num_heads) {
    if (kv.rank() != 4) refuse("repeat_heads: kv is (B, H_kv, S, d)");
    const Index B = kv.size(0), H_kv = kv.size(1), S = kv.size(2), d = kv.size(3);
    const Index group = heads_per_group(num_heads, H_kv);
    const Strides& step = kv.strides();
    const Tensor repeated = kv.as_strided({B, H_kv, group, S, d}, {step[0], step[1], 0, step[2], step[3]});
    return repeated.contiguous().view({B, num_heads, S, d});
}

Tensor grouped_query_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4) refuse("grouped_query_attention: four axes");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), H_kv = k.size(1), S = k.size(2);
    if (k.size(0) != B) refuse("grouped_query_attention: k has another batch");
    if (k.size(3) != d) refuse("grouped_query_attention: k has another width than q");
    if (v.size(1) != H_kv) refuse("grouped_query_attention: v has other heads than k");
    if (v.size(2) != S) refuse("grouped_query_attention: v has another length than k");
    const Index group = heads_per_group(H, H_kv);
    const Mask blocked = whole_mask(mask, {B, H, T, S});

    Tensor context = Tensor::zeros({B, H, T, v.size(3)});
    const Strides& step = blocked.strides();
    for (Index g = 0; g < H_kv; ++g) {
        const Tensor queries = q.slice(1, g * group, (g + 1) * group);
        const Tensor keys = k.slice(1, g, g + 1);
        const Tensor values = v.slice(1, g, g + 1);
        const Mask of_group = blocked.as_strided({B, group, T, S}, step, blocked.layout().offset + g * group * step[1]);
        const Tensor scores = matmul(queries, keys.transpose(-2, -1)) / std::sqrt(static_cast<float>(d));
        const Tensor weights = softmax(masked_fill(scores, of_group, -std::numeric_limits<float>::infinity()));
        context.slice(1, g * group, (g + 1) * group).copy_from(matmul(weights, values));
    }
    return context;
}

Index cached_numbers(Index B, Index S, Index num_heads, Index num_kv_heads, Index head_dim) {
    const Index heads = num_heads / heads_per_group(num_heads, num_kv_heads);
    const Index keys = B * heads * S * head_dim;
    const Index values = keys;
    return keys + values;
}

Tensor pool_heads(const Tensor& w, Index num_heads, Index num_kv_heads) {
    const Index group = heads_per_group(num_heads, num_kv_heads);
    if (w.rank() != 2) refuse("pool_heads: w is a matrix");
    if (w.size(1) % num_kv_heads != 0) refuse("pool_heads: the columns are not divisible by the heads");
    const Index d = w.size(1) / num_heads;
    const auto head = [&](Index h) { return w.slice(1, h * d, (h + 1) * d); };
    Tensor pooled = Tensor::zeros({w.size(0), num_kv_heads * d});
    for (Index g = 0; g < num_kv_heads; ++g) {
        Tensor total = head(g * group).clone();
        for (Index j = 1; j < group; ++j) total += head(g * group + j);
        pooled.slice(1, g * d, (g + 1) * d).copy_from(total / static_cast<float>(group));
    }
    return pooled;
}

Tensor grouped_query_self_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v,
                                    const Tensor& w_o, Index num_heads, Index num_kv_heads, const Mask& mask) {
    heads_per_group(num_heads, num_kv_heads);
    if (x.rank() != 3 || w_q.rank() != 2) refuse("grouped_query_self_attention: x is (B, T, D), w_q a matrix");
    if (w_q.size(1) % num_heads != 0) refuse("grouped_query_self_attention: w_q is not divisible by the heads");
    const Index D = x.size(2), d = w_q.size(1) / num_heads;
    const auto must_be = [](const Tensor& w, const Shape& shape) {
        if (w.shape() != shape) refuse("a matrix is " + to_string(w.shape()) + ", not " + to_string(shape));
    };
    must_be(w_q, {D, num_heads * d});
    must_be(w_k, {D, num_kv_heads * d});
    must_be(w_v, {D, num_kv_heads * d});
    must_be(w_o, {num_heads * d, D});

    const auto project = [&](const Tensor& w, Index heads) { return given::split_heads(matmul(x, w), heads); };
    const Tensor context =
        grouped_query_attention(project(w_q, num_heads), project(w_k, num_kv_heads), project(w_v, num_kv_heads), mask);
    return matmul(given::merge_heads(context), w_o);
}

}  // namespace headway::ex09
