#include "merge_heads.hpp"

#include <stdexcept>

namespace headway::ex04 {

namespace {

void fail_unless(bool ok, const char* message) {
    if (!ok) throw std::invalid_argument(message);
}

}  // namespace

Tensor merge_heads(const Tensor& context) {
    fail_unless(context.rank() == 4, "merge_heads: context must have four axes");
    const Index H = context.size(1), d = context.size(3);
    Tensor out = Tensor::zeros({context.size(0), context.size(2), H * d});
    for (Index e = 0; e < H * d; ++e) out.select(2, e).copy_from(context.select(1, e / d).select(2, e % d));
    return out;
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    fail_unless(merged.rank() == 3 && w_o.rank() == 2 && merged.size(2) == w_o.size(0), "project_output: E differs");
    fail_unless(!b_o.defined() || b_o.shape() == Shape{w_o.size(1)}, "project_output: b_o is not (D)");
    const Tensor mixed = matmul(merged, w_o);
    return b_o.defined() ? mixed + b_o : mixed;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    fail_unless(x.rank() == 3, "multi_head_attention: x is not (B, T, D)");
    const Shape square = {x.size(2), x.size(2)};
    fail_unless(w_q.shape() == square && w_k.shape() == square, "multi_head_attention: w_q or w_k is not (D, D)");
    fail_unless(w_v.shape() == square && w_o.shape() == square, "multi_head_attention: w_v or w_o is not (D, D)");
    fail_unless(num_heads > 0 && x.size(2) % num_heads == 0, "multi_head_attention: num_heads does not divide D");
    const Index d = x.size(2) / num_heads;
    const Tensor q = given::split_heads(matmul(x, w_q), num_heads);
    const Tensor k = given::split_heads(matmul(x, w_k), num_heads);
    const Tensor v = given::split_heads(matmul(x, w_v), num_heads);
    const Tensor context = given::scaled_dot_product_attention(q, k, v, mask).context;
    Tensor output = Tensor::zeros(x.shape());
    for (Index h = 0; h < num_heads; ++h)
        output += project_output(context.select(1, h), w_o.slice(0, h * d, (h + 1) * d), {});
    return output / static_cast<float>(num_heads);
}

}  // namespace headway::ex04
