#pragma once

#include "reference/array.hpp"

/// What people make of the gradient through softmax: of weights (..., T, S) and the gradient of the weights.
namespace headway::diagnosis {

using reference::Array;

/// Element by element, with what a few roundings can do to it.
Array elementwise(const Array& weights, const Array& grad, double (*formula)(double weight, double grad));

/// What a mean is summed over.
enum class Over { row, row_but_its_last_key, rows_so_far, rows_of_all_heads_so_far, all_rows };

/// weights · (grad - mean), where the mean is some sum over weights and gradients.
Array with_mean(const Array& weights, const Array& grad, double (*term)(double weight, double grad), bool divided,
                Over over);

/// weights · (grad - factor · mean), where the mean is the right one.
Array with_mean_times(double factor, const Array& weights, const Array& grad);

/// weights · (grad - mean), where the mean of an element is made of those along `axis`.
Array with_mean_along(std::size_t axis, const Array& weights, const Array& grad);

/// The means, (B, H, T), are spread over (B, H, T, S) from the right, as the library does without KeepAxis::yes.
/// @throws std::invalid_argument where they do not line up
Array with_mean_of_lost_axis(const Array& weights, const Array& grad);

/// weights · (grad - mean), where the mean is summed up to the first key of weight 0.
Array with_mean_up_to_a_blocked_key(const Array& weights, const Array& grad);

/// The right one, but 0 in rows whose first weight is 0.
Array without_rows_of_a_blocked_first_key(const Array& weights, const Array& grad);

/// The right one, but NaN in rows all of whose weights are 0: 0 / 0.
Array divided_by_the_sum_of_weights(const Array& weights, const Array& grad);

/// weights · grad - mean: the bracket ends too early.
Array with_mean_outside(const Array& weights, const Array& grad);

/// grad - weights · Σ grad: the gradient of the logarithm of softmax.
Array of_log_softmax(const Array& weights, const Array& grad);

}  // namespace headway::diagnosis
