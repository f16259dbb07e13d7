#pragma once

#include "suites/06_catch_the_bug/attentions/sizes.hpp"

#include <cstdint>
#include <string>

namespace headway::attentions {

/// How an attention comes by its answer where the specification leaves that open: which numbers are added first, where
/// factors go, how the answer lies in memory. Drawn anew for every seed, so that the last digits of an answer, recorded
/// today, are not those of a right attention tomorrow. Right and wrong attentions draw alike: habits tell nothing.
class Habits {
public:
    /// @param id  of the attention; each has habits of its own
    Habits(std::uint64_t seed, const std::string& id);

    /// The same question: factors moved between q and k and between v and w_o, features in another order, every tensor
    /// somewhere else in memory. For an attention whose own way of adding up is fixed.
    Inputs restated(const Inputs& in) const;

    /// x · w, with features added up from another one on. (B, T, D), (D, E) -> (B, T, E)
    Tensor product(const Tensor& x, const Tensor& w) const;
    /// q is multiplied by it and k divided.
    float lean() const { return lean_; }
    /// v is multiplied by it, and what is gathered from v divided.
    float lift() const { return lift_; }
    /// What exponents are measured from, above the largest.
    float shift() const { return shift_; }
    float total(const float* numbers, Index count) const;
    /// Each number over `total`.
    void divide(float* numbers, Index count, float total) const;

    /// The same numbers with other strides, and numbers between them that are nobody's.
    Tensor laid_out(const Tensor& x) const;
    /// Weights that are zero may be -0, which is equal.
    Tensor signed_zeros(const Tensor& weights) const;
    /// A refusal in words of its own.
    std::string worded(const std::string& refusal) const;

private:
    Tensor turned(const Tensor& x, Index axis) const;

    std::uint64_t places_;  ///< a seed for what depends on shapes
    float lean_, lift_, shift_, first_;
    int way_of_adding_, wording_;
    bool divides_, negative_zeros_;
};

}  // namespace headway::attentions
