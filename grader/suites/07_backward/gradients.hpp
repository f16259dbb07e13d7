#pragma once

#include "reference/array.hpp"

#include <array>

namespace headway::diagnosis {

using reference::Array;

/// What is decided on the way back through attention (exercise 07). What it computes anew of the way forward, such as
/// the weights, is decided as ever. The defaults of what is no function are right.
struct Gradients {
    /// Through softmax: weights, gradient of the weights (..., T, S) -> gradient of the scores
    Array (*softmax)(const Array& weights, const Array& grad);
    /// What the gradients of q and k are multiplied by for head_dim d and values of width d_v.
    double (*factor_of_queries)(Index d, Index d_v);
    double (*factor_of_keys)(Index d, Index d_v);
    /// From the gradient of the scores (..., T, S), q (..., T, d) and k (..., S, d).
    Array (*queries)(const Array& grad_scores, const Array& q, const Array& k);
    Array (*keys)(const Array& grad_scores, const Array& q, const Array& k);
    /// What the gradient of v is multiplied by.
    double (*factor_of_values)(Index d, Index d_v);
    /// weights (..., T, S), gradient of the context (..., T, d_v) -> (..., S, d_v)
    Array (*values)(const Array& weights, const Array& grad_context);
    /// y = x·weightᵀ + bias: gradient of y (B, T, out) and weight (out, in) -> (B, T, in)
    Array (*input)(const Array& grad_y, const Array& weight);
    /// x (B, T, in), gradient of y -> (out, in)
    Array (*weight)(const Array& x, const Array& grad_y);
    /// gradient of y -> (out)
    Array (*bias)(const Array& grad_y);
    bool mean_is_unscaled = false;       ///< the row mean is not divided by √head_dim, what it is subtracted from is
    bool mean_over_value_width = false;  ///< the row mean is divided by d_v, as a mean over the context's features is
    bool values_get_grad_weights = false;  ///< the gradient of v is made with the gradients of the weights
    bool weight_is_added = true;           ///< to what is there
    bool bias_is_added = true;
    bool weight_in_a_copy = false;  ///< added to contiguous(): a copy of what is held, if that is a view with gaps
    bool bias_in_a_copy = false;
    bool low_rows_are_empty = false;  ///< a row all of whose scores are far below 0 is taken for one that sees no key
    // Through the module.
    bool mask_goes_back = true;      ///< the way back is masked as the way forward
    bool output_is_masked = true;    ///< the merged context, where it is worked out once more for the output projection
    bool output_sees_merged = true;  ///< the output projection's gradient is made of the merged context, not of x
    /// Through the output projection; null: as `input` goes through the others.
    Array (*output)(const Array& grad_y, const Array& weight) = nullptr;
    /// (B, T, D) -> (B, H, T, d): gradient of the merged context
    Array (*split)(const Array& grad, Index H);
    /// (B, H, T, d) -> (B, T, D): gradients of q, k and v
    std::array<Array (*)(const Array& grad), 3> merge;
    /// Whose weight (0, 1, 2 for q, k, v) the gradient of x through q, k, v goes back through; -1: it never gets there.
    std::array<int, 3> path{0, 1, 2};
    std::array<bool, 3> goes_back{true, true, true};  ///< the linear maps of q, k, v are gone back through at all
    std::array<std::size_t, 3> weight_into{0, 1, 2};  ///< whose gradient that of the weight of q, k, v is added to
    std::array<std::size_t, 3> bias_into{0, 1, 2};
    std::array<std::size_t, 3> made_of{0, 1, 2};  ///< whose gradient goes back through the map of q, k, v
    bool values_as_wide_as_keys = false;          ///< others are refused
    bool operator==(const Gradients&) const = default;
    static const Gradients& right();
};

}  // namespace headway::diagnosis
