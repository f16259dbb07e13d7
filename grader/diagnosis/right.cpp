// The right choice of every decision.
#include "diagnosis/choices.hpp"
#include "diagnosis/elements.hpp"
#include "diagnosis/moving.hpp"

#include "reference/attention.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace headway::diagnosis {
namespace {

Array apply(const Array& x, const Array& w, Index) { return reference::matmul(x, w); }
Array read(const Tensor& tensor, Argument) { return reference::exact(tensor); }
Array as_it_is(const Array& array) { return array; }
Array as_projected(const Array& array, int) { return array; }
Array finished(const Array& weights, const Widths&) { return weights; }

Array product(const Array& q, const Array& k) { return reference::matmul(q, reference::transpose(k, -2, -1)); }
double inverse_root_of_head_dim(const Widths& widths) { return 1 / std::sqrt(static_cast<double>(widths.d)); }

Blocked read_mask(const Mask& mask, const Shape& shape) {
    const auto count = static_cast<std::size_t>(Layout::contiguous(shape).numel());
    if (!mask.defined()) return Blocked(count, false);
    // Where heads were never split, a mask with a plane a head has too many: some take the first, some refuse.
    if (shape.size() == 4 && shape[1] == 1 && mask.rank() >= 3 && mask.size(-3) > 1) throw Unpredictable{};
    const Mask dense = mask.expand(shape).clone();
    return Blocked(dense.data(), dense.data() + count);
}

bool future(Index t, Index s, Index T, Index S) { return s > t + (S - T); }
void keep_blocked(Array&, Blocked&) {}
void leave_weights(Array&, const Blocked&) {}

double maximum(const Row& row) { return row.maximum(); }
double exponential(double x) { return std::exp(x); }
double sum_alone(double sum, const Row&) { return sum; }
void zero(Row& row) { std::fill(row.score.begin(), row.score.end(), 0.0); }

Array weighed(const Weighable& at_hand) { return reference::matmul(at_hand.weights, at_hand.v); }
Array weights(const Weighable& at_hand) { return at_hand.weights; }

Array product_with_output_weight(const Projected& at) { return reference::matmul(at.merged, at.w_o); }
Array with_output_bias(const Array& product, const Projected& at) {
    return at.b_o == nullptr ? product : reference::add(product, *at.b_o);
}
Array as_output(const Array& output, const Projected&) { return output; }

Array add(const Array& x, const Array& attended) { return reference::add(x, attended); }

bool padding(std::span<const Index> lengths, std::size_t b, Index s, Index) { return s >= lengths[b]; }

bool fills(const Tensor& x, const Shape& shape) { return Layout::contiguous(shape).numel() == x.numel(); }
Tensor dense(const Tensor& x) { return x.is_contiguous() ? x : throw Refusal("view"); }
Layout swapped(const Layout& layout, std::size_t axis0, std::size_t axis1) {
    Layout other = layout;
    std::swap(other.shape[axis0], other.shape[axis1]);
    std::swap(other.strides[axis0], other.strides[axis1]);
    return other;
}
Tensor itself(const Tensor& result) { return result; }
bool is_dense(const Tensor& x) { return x.is_contiguous(); }
Tensor split(const Tensor& x, Index H, const Moving& own) {
    return transpose(view(x, {x.size(0), x.size(1), H, x.size(2) / H}, own), 1, 2, own);
}
Strides strides(const Shape& shape) { return Layout::contiguous(shape).strides; }

}  // namespace

Array Output::project(const Projected& at) const {
    if (!bias_first) return finish(bias(product(at), at), at);
    const Array biased = bias(at.merged, at);
    return finish(product({biased, at.w_o, nullptr, at.query, at.w_v, at.H}), at);
}

Choices right() {
    Choices c{};
    c.reading = {&read};
    c.projecting.apply = &apply;
    c.projecting.finish = &as_projected;
    c.splitting = {&reference::split_heads, &reference::split_heads};
    c.scoring = {&product, &inverse_root_of_head_dim, &as_it_is};
    c.masking = {&read_mask, &future, &keep_blocked, &leave_weights};
    c.softmaxing.shift = &maximum;
    c.softmaxing.exponential = &exponential;
    c.softmaxing.denominator = &sum_alone;
    c.softmaxing.empty_row = &zero;
    c.softmaxing.finish = &finished;
    c.weighing.context = &weighed;
    c.weighing.returned = &weights;
    c.merging = {&reference::merge_heads};
    c.output.product = &product_with_output_weight;
    c.output.bias = &with_output_bias;
    c.output.finish = &as_output;
    c.residual = {&add};
    c.masks.causal = &future;
    c.masks.padding = &padding;
    c.moving.strides = &strides;
    c.moving.viewing = {&fills, &dense, &itself};
    c.moving.transposing = {true, &swapped, &itself};
    c.moving.packing = {&is_dense, &row_major_copy};
    c.moving.split = &split;
    c.moving.split_result = &itself;
    c.grouping = right_grouping();
    return c;
}

}  // namespace headway::diagnosis
