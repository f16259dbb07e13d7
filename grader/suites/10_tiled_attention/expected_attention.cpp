#include "suites/10_tiled_attention/expected_attention.hpp"

#include "suites/10_tiled_attention/own_parts.hpp"

#include "student/hidden_test.hpp"

#include <utility>

namespace headway::judge::tiled {
namespace {

using reference::Array;

/// @param context  what came of that call
void expect_context(Student& student, const Inputs& in, const Mask& mask, bool causal, Index tile,
                    const Tensor& context) {
    const FunctionCall call{"tiled_attention", in.with(mask, causal, tile)};
    expect_close_given(
        student, context_axes, context, expected_context(in, mask, causal), {"nothing_seen", "absorb", "context"},
        [&] { return from_own_parts(student, call.arguments); }, computes(student, call));
}

}  // namespace

void expect_attention(Student& student, const Inputs& in, const Mask& mask, bool causal, Index tile) {
    expect_context(student, in, mask, causal, tile, student.tensor("tiled_attention", in.with(mask, causal, tile)));
}

void MaskedQuestions::expect_masked(const Inputs& in, const Mask& mask, bool causal, Index tile) {
    if (!causal) return expect_attention(student_, in, mask, false, tile);
    const Tensor context = student_.tensor("tiled_attention", in.with(mask, true, tile));
    if (!what_is_wrong(student_, context_axes, context, expected_context(in, mask, true))) return;
    if (is_right_without_mask(in, tile)) return expect_context(student_, in, mask, true, tile, context);
    if (!left_) left_ = Left{in, mask, tile};
    expect_attention(student_, in, mask, false, tile);
}

void MaskedQuestions::leave_to_others() {
    if (!left_) return;
    const FunctionCall call{"tiled_attention", left_->in.with(left_->mask, true, left_->tile)};
    const Tensor context = student_.tensor(call.function, call.arguments);
    const Array expected = expected_context(left_->in, left_->mask, true);
    auto failure = what_is_wrong(student_, context_axes, context, expected);
    if (!failure) return;
    const auto follows = what_follows(student_, [&] { return from_own_parts(student_, call.arguments); });
    if (follows && !difference(context_axes, context, *follows))
        return expect_context(student_, left_->in, left_->mask, true, left_->tile, context);
    // It is wrong without the mask, too, and there more depends on what it is asked.
    pass_on_credit(student_, {"tiled_attention"}, std::move(*failure), expected_context(left_->in, Mask{}, true),
                   computes(student_, {call.function, left_->in.with(Mask{}, true, left_->tile)}));
}

bool MaskedQuestions::is_right_without_mask(const Inputs& in, Index tile) {
    const Outcome alone =
        student_.outside_story([&] { return student_.outcome("tiled_attention", in.with(Mask{}, true, tile)); });
    const auto* context = std::get_if<Tensor>(&alone.value);
    return context != nullptr && !difference(context_axes, *context, expected_context(in, Mask{}, true));
}

}  // namespace headway::judge::tiled
