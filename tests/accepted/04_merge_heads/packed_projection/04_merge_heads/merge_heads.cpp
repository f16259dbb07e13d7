#include "merge_heads.hpp"

#include <stdexcept>

using namespace headway;

static void require(bool ok, const std::string& message) {
    if (!ok) throw std::invalid_argument(message);
}

Tensor ex04::merge_heads(const Tensor& context) {
    require(context.rank() == 4, "context needs four axes");
    const auto shape = context.shape();
    // write through a (B, H, T, d) window on the result
    Tensor merged = Tensor::zeros({shape[0], shape[2], shape[1] * shape[3]});
    const Index d = shape[3], E = shape[1] * d;
    merged.as_strided(shape, {shape[2] * E, d, E, 1}).copy_from(context);
    return merged;
}

Tensor ex04::project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    require(merged.rank() == 3 && w_o.rank() == 2 && merged.size(2) == w_o.size(0), "merged does not fit w_o");
    require(!b_o.defined() || b_o.shape() == Shape{w_o.size(1)}, "b_o does not fit w_o");
    if (!b_o.defined()) return matmul(merged, w_o);
    // the bias as one more row of w_o, for a feature that is always 1
    const Tensor one = Tensor::ones({merged.size(0), merged.size(1), 1});
    return matmul(cat({merged, one}, 2), cat({w_o, b_o.expand({1, b_o.size(0)})}, 0));
}

Tensor ex04::multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v,
                                  const Tensor& w_o, Index num_heads, const Mask& mask) {
    require(x.rank() == 3, "x needs three axes");
    const Index D = x.size(-1);
    for (const auto& w : {w_q, w_k, w_v, w_o}) require(w.shape() == Shape{D, D}, "a weight is not (D, D)");
    require(num_heads >= 1 && D % num_heads == 0, "num_heads does not divide D");
    const Tensor packed = matmul(x, cat({w_q, w_k, w_v}, 1));  // (B, T, 3D)
    const auto heads = [&](Index which) {
        return given::split_heads(packed.slice(-1, which * D, (which + 1) * D).contiguous(), num_heads);
    };
    const auto [context, weights] = given::scaled_dot_product_attention(heads(0), heads(1), heads(2), mask);
    return project_output(merge_heads(context), w_o, Tensor{});
}
