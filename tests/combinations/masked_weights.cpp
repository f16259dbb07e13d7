#include "attention_steps.hpp"
#include "mistakes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

// Softmax with a mask, written as loops over rows. To share over another axis, the axis is moved to the end.
namespace headway::combinations {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

Mask transposed(const Mask& mask, std::size_t a, std::size_t b) {
    Shape shape = mask.shape();
    Strides strides = mask.strides();
    std::swap(shape.at(a), shape.at(b));
    std::swap(strides.at(a), strides.at(b));
    return mask.as_strided(shape, strides, mask.layout().offset);
}

/// The mask as the loops read it, (B, H, T, S); undefined if there is none.
Mask as_read(const Mask& mask, const Shape& shape) {
    if (!mask.defined() || made(Mistake::mask_ignored)) return {};
    const Mask wide = mask.expand(shape);
    Mask blocked = wide.clone();
    for (Index b = 0; b < shape[0]; ++b)
        for (Index h = 0; h < shape[1]; ++h)
            for (Index t = 0; t < shape[2]; ++t)
                for (Index s = 0; s < shape[3]; ++s) {
                    bool& here = blocked(b, h, t, s);
                    if (made(Mistake::mask_read_transposed)) here = wide(b, h, s, t);
                    if (made(Mistake::mask_of_first_sequence)) here = wide(0, h, t, s);
                    if (made(Mistake::mask_of_first_head)) here = wide(b, 0, t, s);
                }
    return made(Mistake::mask_inverted) ? !blocked : blocked;
}

/// The mask without the rows that it blocks whole.
Mask without_blocked_rows(const Mask& blocked) {
    Mask relaxed = blocked.clone();
    for (Index b = 0; b < blocked.size(0); ++b)
        for (Index h = 0; h < blocked.size(1); ++h)
            for (Index t = 0; t < blocked.size(2); ++t) {
                bool any_visible = false;
                for (Index s = 0; s < blocked.size(3); ++s) any_visible = any_visible || !blocked(b, h, t, s);
                for (Index s = 0; s < blocked.size(3); ++s) relaxed(b, h, t, s) = any_visible && blocked(b, h, t, s);
            }
    return relaxed;
}

/// 1 where the mask is true, else 0.
Tensor as_numbers(const Mask& mask) { return masked_fill(Tensor::zeros(mask.shape()), mask, 1); }

float exponential(float score) { return made(Mistake::softmax_base_two) ? std::exp2(score) : std::exp(score); }

/// One row of scores, and which of them do not count; undefined: all count.
struct Row {
    Tensor scores;
    Mask blocked;
    Index b, h, t;

    Index size() const { return scores.size(3); }
    float score(Index s) const { return scores(b, h, t, s); }
    bool counts(Index s) const { return !blocked.defined() || !blocked(b, h, t, s); }
};

float largest(const Row& row) {
    float result = made(Mistake::softmax_max_starts_at_zero) ? 0 : -infinity;
    for (Index s = 0; s < row.size(); ++s)
        if (row.counts(s) || made(Mistake::softmax_max_includes_blocked)) result = std::max(result, row.score(s));
    return result;
}

float largest_of_all(Row row) {
    float result = -infinity;
    for (row.b = 0; row.b < row.scores.size(0); ++row.b)
        for (row.h = 0; row.h < row.scores.size(1); ++row.h)
            for (row.t = 0; row.t < row.scores.size(2); ++row.t) result = std::max(result, largest(row));
    return result;
}

/// Writes the shares of one row; `weights` holds zeros.
void share(const Row& row, float subtracted, Tensor& weights) {
    float total = 0;
    bool any = false;
    for (Index s = 0; s < row.size(); ++s) {
        if (!row.counts(s)) continue;
        any = true;
        const float e = exponential(row.score(s) - subtracted);
        weights(row.b, row.h, row.t, s) = e;
        if (made(Mistake::softmax_sum_stops_early) && s == row.size() - 1) continue;
        total += e;
    }
    if (!any || made(Mistake::softmax_not_normalised)) return;
    for (Index s = 0; s < row.size(); ++s)
        if (row.counts(s)) weights(row.b, row.h, row.t, s) /= total;
}

Tensor softmax_last_axis(const Tensor& scores, const Mask& blocked) {
    Tensor weights = Tensor::zeros(scores.shape());
    Row row{scores, blocked, 0, 0, 0};
    const bool one_for_all = made(Mistake::softmax_max_of_everything);
    const float of_all = one_for_all ? largest_of_all(row) : 0;
    for (row.b = 0; row.b < scores.size(0); ++row.b)
        for (row.h = 0; row.h < scores.size(1); ++row.h)
            for (row.t = 0; row.t < scores.size(2); ++row.t) {
                float subtracted = one_for_all ? of_all : largest(row);
                if (made(Mistake::softmax_max_not_subtracted)) subtracted = 0;
                share(row, subtracted, weights);
            }
    return weights;
}

Tensor softmax_over_axis(const Tensor& scores, const Mask& blocked, Index axis) {
    const Mask moved = blocked.defined() ? transposed(blocked, static_cast<std::size_t>(axis), 3) : Mask{};
    return softmax_last_axis(scores.transpose(axis, 3), moved).transpose(axis, 3).contiguous();
}

Tensor softmax_over_matrix(const Tensor& scores, const Mask& blocked) {
    const Shape flat{scores.size(0), scores.size(1), 1, scores.size(2) * scores.size(3)};
    const Mask moved =
        blocked.defined() ? blocked.clone().as_strided(flat, Layout::contiguous(flat).strides, 0) : Mask{};
    return softmax_last_axis(scores.contiguous().view(flat), moved).view(scores.shape());
}

Tensor softmax(const Tensor& scores, const Mask& blocked) {
    if (made(Mistake::softmax_missing)) return blocked.defined() ? masked_fill(scores, blocked, 0) : scores;
    if (made(Mistake::softmax_over_queries)) return softmax_over_axis(scores, blocked, 2);
    if (made(Mistake::softmax_over_heads)) return softmax_over_axis(scores, blocked, 1);
    if (made(Mistake::softmax_over_batch)) return softmax_over_axis(scores, blocked, 0);
    if (made(Mistake::softmax_over_whole_matrix)) return softmax_over_matrix(scores, blocked);
    return softmax_last_axis(scores, blocked);
}

}  // namespace

Tensor masked_weights(const Tensor& scores, const Mask& mask) {
    const Mask blocked = as_read(mask, scores.shape());
    if (!blocked.defined()) return softmax(scores, {});

    if (made(Mistake::mask_after_softmax)) return masked_fill(softmax(scores, {}), blocked, 0);
    if (made(Mistake::mask_multiplied_into_scores)) return softmax(scores * as_numbers(!blocked), {});
    if (made(Mistake::mask_added_as_one)) return softmax(scores + as_numbers(blocked), {});
    if (made(Mistake::mask_fill_ten_thousand)) return softmax(masked_fill(scores, blocked, -1e4F), {});

    if (made(Mistake::blocked_rows_uniform)) return softmax(masked_fill(scores, blocked, -1e9F), {});
    if (made(Mistake::blocked_rows_nan)) return softmax(masked_fill(scores, blocked, -infinity), {});
    if (made(Mistake::blocked_rows_unmasked)) return softmax(scores, without_blocked_rows(blocked));
    return softmax(scores, blocked);
}

}  // namespace headway::combinations
