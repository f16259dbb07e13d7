#include "merge_heads.hpp"

#include <stdexcept>

namespace headway::ex04 {

static Index head_width(const Tensor& x, Index num_heads) {
    if (x.rank() != 3) throw std::invalid_argument("x must be (B, T, D), it is " + to_string(x.shape()));
    if (num_heads < 1) throw std::invalid_argument("at least one head");
    if (x.size(2) % num_heads != 0) throw std::invalid_argument("heads of equal width");
    return x.size(2) / num_heads;
}

static void need_square(const Tensor& w, Index D) {
    if (w.rank() != 2 || w.size(0) != D || w.size(1) != D)
        throw std::invalid_argument("weight must be (D, D), it is " + to_string(w.shape()));
}

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("context must be (B, H, T, d)");
    // A product with a selection matrix does it, too: features of head h go to columns [h·d, (h+1)·d).
    const Index H = context.size(1), d = context.size(3);
    const Tensor selection = Tensor::eye(H * d).view({H, d, H * d});  // (H, d, E)
    return sum(matmul(context, selection), 1);
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.rank() != 3 || w_o.rank() != 2) throw std::invalid_argument("merged (B, T, E), w_o (E, D)");
    if (b_o.defined() && b_o.shape() != Shape{w_o.size(1)}) throw std::invalid_argument("b_o must be (D)");
    Tensor y = matmul(merged, w_o);
    if (b_o.defined()) y = y + b_o;
    return y;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    const Index d = head_width(x, num_heads), D = x.size(2);
    need_square(w_q, D);
    need_square(w_k, D);
    need_square(w_v, D);
    need_square(w_o, D);
    const Tensor q = given::split_heads(matmul(x, w_q), num_heads);
    const Tensor k = given::split_heads(matmul(x, w_k), num_heads);
    const Tensor v = given::split_heads(matmul(x, w_v), num_heads);
    const Tensor contributions = matmul(v, w_o.contiguous().view({num_heads, d, D}));  // (B, H, T, D)
    return sum(given::scaled_dot_product_attention(q, k, contributions, mask).context, 1);
}

}  // namespace headway::ex04
