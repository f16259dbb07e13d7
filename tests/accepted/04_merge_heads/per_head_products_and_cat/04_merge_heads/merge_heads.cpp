#include "merge_heads.hpp"

#include <stdexcept>

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: context is " + to_string(context.shape()));
    if (context.size(1) == 0) return Tensor::zeros({context.size(0), context.size(2), 0});
    std::vector<Tensor> heads;
    for (Index h = 0; h < context.size(1); ++h) heads.push_back(context.select(1, h));
    return cat(heads, -1);
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.rank() != 3 || w_o.rank() != 2) throw std::invalid_argument("project_output: (B, T, E) and (E, D)");
    if (b_o.defined() && (b_o.rank() != 1 || b_o.size(0) != w_o.size(1)))
        throw std::invalid_argument("project_output: bias must be (D)");
    const Tensor y = matmul(merged, w_o);
    return b_o.defined() ? y + b_o : y;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("multi_head_attention: x is " + to_string(x.shape()));
    const Index B = x.size(0), T = x.size(1), D = x.size(2);
    for (const auto& w : {w_q, w_k, w_v, w_o})
        if (w.shape() != Shape{D, D}) throw std::invalid_argument("multi_head_attention: a weight is not (D, D)");
    if (num_heads < 1 || D % num_heads != 0) throw std::invalid_argument("multi_head_attention: num_heads");
    const Index d = D / num_heads;
    const Mask wide = (mask.defined() ? mask : Mask::allow_all({1, 1})).expand({B, num_heads, T, T});
    const Strides ms = wide.strides();

    std::vector<Tensor> contexts;
    for (Index h = 0; h < num_heads; ++h) {
        const auto projected = [&](const Tensor& w) {
            return matmul(x, w.slice(1, h * d, (h + 1) * d)).view({B, 1, T, d});  // one head by itself
        };
        const Mask own = wide.as_strided({B, 1, T, T}, ms, wide.layout().offset + h * ms[1]);
        contexts.push_back(
            given::scaled_dot_product_attention(projected(w_q), projected(w_k), projected(w_v), own).context);
    }
    return project_output(merge_heads(cat(contexts, 1)), w_o, Tensor{});
}

}  // namespace headway::ex04
