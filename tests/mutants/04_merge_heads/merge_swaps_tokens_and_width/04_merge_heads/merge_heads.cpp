#include "merge_heads.hpp"

#include <stdexcept>
#include <string>

namespace headway::ex04 {
namespace {

void require(bool condition, const std::string& otherwise) {
    if (!condition) throw std::invalid_argument(otherwise);
}

}  // namespace

Tensor merge_heads(const Tensor& context) {
    require(context.rank() == 4, "merge_heads: rank");
    const Shape& n = context.shape();
    return context.transpose(-1, -2).contiguous().view({n[0], n[2], n[1] * n[3]});
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    require(w_o.rank() == 2, "project_output: w_o is no matrix");
    require(merged.size(-1) == w_o.size(0), "project_output: merged and w_o");
    Tensor projected = matmul(merged, w_o);
    if (b_o.defined()) {
        require(b_o.rank() == 1 && b_o.size(0) == projected.size(-1), "project_output: bias");
        projected += b_o;
    }
    return projected;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    require(x.rank() == 3, "x is (B, T, D)");
    const Shape square{x.size(2), x.size(2)};
    require(w_q.shape() == square && w_k.shape() == square && w_v.shape() == square && w_o.shape() == square,
            "weights are (D, D)");
    require(num_heads >= 1 && x.size(2) % num_heads == 0, "D is not divisible by num_heads");
    auto heads_of = [&](const Tensor& w) { return given::split_heads(matmul(x, w), num_heads); };
    auto result = given::scaled_dot_product_attention(heads_of(w_q), heads_of(w_k), heads_of(w_v), mask);
    return project_output(merge_heads(result.context), w_o, Tensor{});
}

}  // namespace headway::ex04
