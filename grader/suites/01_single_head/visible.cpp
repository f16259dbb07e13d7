// Exercise 01: what its visible test asks, asked of the submission. See student/visible_twin.hpp.
#include "student/visible_twin.hpp"

#include <visible_test.cpp>  // NOLINT(bugprone-suspicious-include)

namespace headway::ex01 {

using judge::asked_for;

Tensor softmax_rows(const Tensor& scores) { return asked_for<Tensor>("softmax_rows", {{"scores", scores}}); }

Tensor attention_weights(const Tensor& q, const Tensor& k) {
    return asked_for<Tensor>("attention_weights", {{"q", q}, {"k", k}});
}

Tensor single_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v) {
    return asked_for<Tensor>("single_head_attention", {{"x", x}, {"w_q", w_q}, {"w_k", w_k}, {"w_v", w_v}});
}

Tensor with_residual(const Tensor& x, const Tensor& attended) {
    return asked_for<Tensor>("with_residual", {{"x", x}, {"attended", attended}});
}

}  // namespace headway::ex01
