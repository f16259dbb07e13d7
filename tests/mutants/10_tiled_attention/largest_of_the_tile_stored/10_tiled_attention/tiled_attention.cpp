#include "tiled_attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

// Keys in the outer loop, queries in the inner one: every tile of queries has its own Running, all alive at once.

namespace headway::ex10 {
namespace {

using Limits = std::numeric_limits<float>;

struct Range {
    Index begin;
    Index end;
    Index length() const { return end - begin; }
};

std::vector<Range> ranges(Index length, Index tile) {
    std::vector<Range> result;
    for (Index begin = 0; begin < length; begin += tile) result.push_back({begin, std::min(begin + tile, length)});
    return result;
}

Tensor part(const Tensor& x, const Range& range) { return x.slice(2, range.begin, range.end); }

Tensor larger(const Tensor& a, const Tensor& b) { return max(cat({a, b}, -1), -1, KeepAxis::yes); }

Tensor at_least(const Tensor& x, float value) { return larger(x, Tensor::full(x.shape(), value)); }

class Blocked {
public:
    Blocked(const Mask& mask, Causal causal, const Shape& shape)
        : shape_(shape), offset_(shape[3] - shape[2]), causal_(causal == Causal::yes) {
        if (mask.defined()) mask_ = mask.expand(shape);
    }

    bool is_all_future(const Range& queries, const Range& keys) const {
        return causal_ && keys.begin >= queries.end + offset_;
    }

    Mask tile(const Range& queries, const Range& keys) const {
        Mask result = Mask::allow_all({shape_[0], shape_[1], queries.length(), keys.length()});
        for (Index b = 0; b < shape_[0]; ++b)
            for (Index h = 0; h < shape_[1]; ++h)
                for (Index t = queries.begin; t < queries.end; ++t)
                    for (Index s = keys.begin; s < keys.end; ++s)
                        result(b, h, t - queries.begin, s - keys.begin) = at(b, h, t, s);
        return result;
    }

private:
    bool at(Index b, Index h, Index t, Index s) const {
        if (causal_ && s > t + offset_) return true;
        return mask_.defined() && mask_(b, h, t, s);
    }

    Shape shape_;
    Index offset_;
    bool causal_;
    Mask mask_;
};

}  // namespace

Running nothing_seen(Index B, Index H, Index T, Index d_v) {
    if (std::min({B, H, T, d_v}) < 1) throw std::invalid_argument("nothing_seen: all sizes must be positive");
    return Running{.largest = Tensor::full({B, H, T, 1}, -Limits::infinity()),
                   .total = Tensor::zeros({B, H, T, 1}),
                   .gathered = Tensor::zeros({B, H, T, d_v})};
}

void absorb(Running& running, const Tensor& scores, const Tensor& v) {
    const Tensor& old = running.gathered;
    if (scores.rank() != 4) throw std::invalid_argument("absorb: scores are not (B, H, T, n)");
    const Shape for_scores = {old.size(0), old.size(1), old.size(2), scores.size(3)};
    const Shape for_values = {old.size(0), old.size(1), scores.size(3), old.size(3)};
    if (scores.shape() != for_scores) throw std::invalid_argument("absorb: scores are not (B, H, T, n)");
    if (v.shape() != for_values) throw std::invalid_argument("absorb: v is not (B, H, n, d_v)");

    const Tensor of_tile = max(scores, -1, KeepAxis::yes);
    const Tensor now = larger(running.largest, of_tile);
    const Tensor base = at_least(now, Limits::lowest());  // finite, also where now is not
    const Tensor raised = exp(scores - base);
    const Tensor shrink = exp(running.largest - base);
    running = Running{of_tile, running.total * shrink + sum(raised, -1, KeepAxis::yes),
                      running.gathered * shrink + matmul(raised, v)};
}

Tensor context(const Running& running) { return running.gathered / at_least(running.total, Limits::min()); }

Tensor tiled_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, Causal causal, Index tile) {
    if (tile < 1) throw std::invalid_argument("tiled_attention: tile is below 1");
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4) throw std::invalid_argument("tiled_attention: rank");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2), d_v = v.size(3);
    if (k.shape() != Shape{B, H, S, q.size(3)}) throw std::invalid_argument("tiled_attention: q and k do not fit");
    if (v.shape() != Shape{B, H, S, d_v}) throw std::invalid_argument("tiled_attention: k and v do not fit");
    const Blocked blocked(mask, causal, {B, H, T, S});
    const Tensor scaled = q / std::sqrt(static_cast<float>(q.size(3)));

    const std::vector<Range> rows = ranges(T, tile);
    std::vector<Running> states;
    for (const Range& queries : rows) states.push_back(nothing_seen(B, H, queries.length(), d_v));

    for (const Range& keys : ranges(S, tile)) {
        const Tensor turned = part(k, keys).transpose(-2, -1);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (blocked.is_all_future(rows[i], keys)) continue;
            const Tensor scores = matmul(part(scaled, rows[i]), turned);
            absorb(states[i], masked_fill(scores, blocked.tile(rows[i], keys), -Limits::infinity()), part(v, keys));
        }
    }

    std::vector<Tensor> results;
    for (const Running& state : states) results.push_back(context(state));
    return cat(results, 2);
}

}  // namespace headway::ex10
