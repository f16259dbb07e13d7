#include "merge_heads.hpp"

#include <stdexcept>

namespace headway::ex04 {

namespace {

void require(bool fits, const char* what) {
    if (!fits) throw std::invalid_argument(what);
}

}  // namespace

Tensor merge_heads(const Tensor& context) {
    require(context.rank() == 4, "merge_heads: context must be (B, H, T, d)");
    const Index B = context.size(0);
    const Index H = context.size(1);
    const Index T = context.size(2);
    const Index d = context.size(3);
    const Strides& s = context.strides();
    if (s[1] == d * s[3])  // as split_heads left them: nothing has to move
        return context.as_strided({B, T, H * d}, {s[0], s[2], s[3]}, 0);
    return context.transpose(1, 2).contiguous().view({B, T, H * d});
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    require(merged.rank() == 3 && w_o.rank() == 2, "project_output: merged must be (B, T, E) and w_o (E, D)");
    require(merged.size(2) == w_o.size(0), "project_output: merged and w_o differ in E");
    require(!b_o.defined() || b_o.shape() == Shape{w_o.size(1)}, "project_output: b_o must be (D)");
    Tensor y = matmul(merged, w_o);
    if (b_o.defined()) y += b_o;
    return y;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    require(x.rank() == 3, "multi_head_attention: x must be (B, T, D)");
    const Index B = x.size(0);
    const Index T = x.size(1);
    const Index D = x.size(2);
    const Shape square{D, D};
    require(w_q.shape() == square && w_k.shape() == square && w_v.shape() == square,
            "multi_head_attention: w_q, w_k and w_v must be (D, D)");
    require(w_o.shape() == square, "multi_head_attention: w_o must be (D, D)");
    require(num_heads >= 1 && D % num_heads == 0, "multi_head_attention: num_heads must divide D");
    if (mask.defined()) (void)mask.expand({B, num_heads, T, T});  // refuses what does not broadcast

    const Tensor q = given::split_heads(matmul(x, w_q), num_heads);
    const Tensor k = given::split_heads(matmul(x, w_k), num_heads);
    const Tensor v = given::split_heads(matmul(x, w_v), num_heads);
    const Tensor context = given::scaled_dot_product_attention(q, k, v, mask).context;
    return project_output(merge_heads(context), w_o, Tensor{});
}

}  // namespace headway::ex04
