// Exercise 04: what its visible test asks, asked of the submission. See student/visible_twin.hpp.
#include "student/visible_twin.hpp"

#include <visible_test.cpp>  // NOLINT(bugprone-suspicious-include)

namespace headway::ex04 {

using judge::asked_for;

Tensor merge_heads(const Tensor& context) { return asked_for<Tensor>("merge_heads", {{"context", context}}); }

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    return asked_for<Tensor>("project_output", {{"merged", merged}, {"w_o", w_o}, {"b_o", b_o}});
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    return asked_for<Tensor>(
        "multi_head_attention",
        {{"x", x}, {"w_q", w_q}, {"w_k", w_k}, {"w_v", w_v}, {"w_o", w_o}, {"num_heads", num_heads}, {"mask", mask}});
}

}  // namespace headway::ex04
