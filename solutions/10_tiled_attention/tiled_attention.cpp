#include "tiled_attention.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace headway::ex10 {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

[[noreturn]] void refuse(const std::string& function, const std::string& why) {
    throw std::invalid_argument(function + ": " + why);
}

/// True where the number of a row, (B, H, T, 1), is `value`.
Mask rows_with(const Tensor& rows, float value) {
    const Tensor dense = rows.contiguous();
    Mask same = Mask::allow_all(dense.shape());
    for (Index row = 0; row < dense.numel(); ++row) same.data()[row] = dense.data()[row] == value;
    return same;
}

/// Positions [begin, end) of an axis.
struct Range {
    Index begin, end;
    Index size() const { return end - begin; }
};

/// The part of a mask (B, H, T, S) that belongs to some queries and keys: a view.
Mask part_of(const Mask& mask, Range queries, Range keys) {
    if (!mask.defined()) return mask;
    const Strides& stride = mask.strides();
    return mask.as_strided({mask.size(0), mask.size(1), queries.size(), keys.size()}, stride,
                           mask.layout().offset + queries.begin * stride[2] + keys.begin * stride[3]);
}

/// True where key s lies past position t + offset.
Mask future(Range queries, Range keys, Index offset) {
    Mask mask = Mask::allow_all({queries.size(), keys.size()});
    for (Index t = 0; t < queries.size(); ++t)
        for (Index s = 0; s < keys.size(); ++s) mask(t, s) = keys.begin + s > queries.begin + t + offset;
    return mask;
}

/// Whether a and b, both (B, H, length, width), are equally large along these axes.
bool agree(const Tensor& a, const Tensor& b, std::initializer_list<Index> axes) {
    return std::all_of(axes.begin(), axes.end(), [&](Index axis) { return a.size(axis) == b.size(axis); });
}

void require_shapes_fit(const Tensor& q, const Tensor& k, const Tensor& v) {
    if (!agree(q, k, {0, 1, 3}) || !agree(k, v, {0, 1, 2}))
        refuse("tiled_attention", "q " + to_string(q.shape()) + ", k " + to_string(k.shape()) + " and v " +
                                      to_string(v.shape()) + " do not fit together");
}

}  // namespace

Running nothing_seen(Index B, Index H, Index T, Index d_v) {
    // -> (B, H, T, 1), (B, H, T, 1), (B, H, T, d_v)
    if (std::min({B, H, T, d_v}) < 1) refuse("nothing_seen", "every size must be at least 1");
    return {.largest = Tensor::full({B, H, T, 1}, -infinity),
            .total = Tensor::zeros({B, H, T, 1}),
            .gathered = Tensor::zeros({B, H, T, d_v})};
}

void absorb(Running& running, const Tensor& scores, const Tensor& v) {
    // scores (B, H, T, n), v (B, H, n, d_v)
    const Tensor& gathered = running.gathered;  // (B, H, T, d_v)
    if (!agree(scores, gathered, {0, 1, 2}) || !agree(v, gathered, {0, 1, 3}) || scores.size(3) != v.size(2))
        refuse("absorb", "scores " + to_string(scores.shape()) + " and v " + to_string(v.shape()) +
                             " do not fit what gathers " + to_string(gathered.shape()));
    const Tensor largest = max(cat({running.largest, max(scores, -1, KeepAxis::yes)}, -1), -1, KeepAxis::yes);
    const Tensor shift = masked_fill(largest, rows_with(largest, -infinity), 0.0F);  // -inf - -inf would be NaN
    const Tensor shrink = exp(running.largest - shift);                              // (B, H, T, 1); 0 at first
    const Tensor raised = exp(scores - shift);                                       // (B, H, T, n)
    running.total = running.total * shrink + sum(raised, -1, KeepAxis::yes);
    running.gathered = running.gathered * shrink + matmul(raised, v);
    running.largest = largest;
}

Tensor context(const Running& running) {
    // (B, H, T, d_v) / (B, H, T, 1)
    return running.gathered / masked_fill(running.total, rows_with(running.total, 0.0F), 1.0F);
}

Tensor tiled_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, Causal causal, Index tile) {
    // q (B, H, T, d), k (B, H, S, d), v (B, H, S, d_v) -> (B, H, T, d_v)
    require_shapes_fit(q, k, v);
    if (tile < 1) refuse("tiled_attention", "a tile of " + std::to_string(tile) + " holds nothing");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2);
    const Index offset = S - T;  // query t stands at position t + offset among the keys
    Mask wide = mask;
    if (mask.defined()) wide = mask.expand({B, H, T, S});
    Tensor output = Tensor::empty({B, H, T, v.size(3)});
    for (Index t = 0; t < T; t += tile) {
        const Range queries{t, std::min(t + tile, T)};
        const Tensor scaled = q.slice(2, queries.begin, queries.end) / std::sqrt(static_cast<float>(q.size(3)));
        Running running = nothing_seen(B, H, queries.size(), v.size(3));
        const Index visible = causal == Causal::yes ? std::clamp(queries.end + offset, Index{0}, S) : S;
        for (Index s = 0; s < visible; s += tile) {
            const Range keys{s, std::min(s + tile, visible)};
            Tensor scores = matmul(scaled, k.slice(2, keys.begin, keys.end).transpose(-2, -1));
            Mask blocked = part_of(wide, queries, keys);
            const bool any_future = keys.end - 1 > queries.begin + offset;  // the last key, for the first query
            if (causal == Causal::yes && any_future) blocked = blocked | future(queries, keys, offset);
            absorb(running, masked_fill(std::move(scores), blocked, -infinity), v.slice(2, keys.begin, keys.end));
        }
        output.slice(2, queries.begin, queries.end).copy_from(context(running));
    }
    return output;
}

}  // namespace headway::ex10
