#include "merge_heads.hpp"

#include <array>
#include <stdexcept>

namespace headway::ex04 {

namespace {

Tensor project(const Tensor& x, const Tensor& w) {
    if (w.rank() != 2 || w.size(0) != x.size(-1) || w.size(1) != w.size(0))
        throw std::invalid_argument("project: " + to_string(x.shape()) + " x " + to_string(w.shape()));
    return matmul(x, w);
}

Tensor project_to_heads(const Tensor& x, const Tensor& w, Index num_heads) {
    return given::split_heads(project(x, w), num_heads);
}

}  // namespace

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads");
    Tensor merged = Tensor::empty({context.size(0), context.size(2), context.size(1) * context.size(3)});
    given::split_heads(merged, context.size(1)).copy_from(context);
    return merged;
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.rank() != 3 || w_o.rank() != 2 || merged.size(2) != w_o.size(0))
        throw std::invalid_argument("project_output");
    Tensor out = Tensor::zeros({merged.size(0), merged.size(1), w_o.size(1)});
    if (b_o.defined()) {
        if (b_o.shape() != Shape{w_o.size(1)}) throw std::invalid_argument("project_output: b_o");
        out.copy_from(b_o);
    }
    out += matmul(merged, w_o);
    return out;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3 || num_heads < 1) throw std::invalid_argument("multi_head_attention");
    std::array<Tensor, 3> projected = {project(x, w_q), project(x, w_k), project(x, w_v)};
    const Tensor q = project_to_heads(projected[0], w_q, num_heads);
    const Tensor k = project_to_heads(projected[1], w_k, num_heads);
    const Tensor v = project_to_heads(projected[2], w_v, num_heads);
    if (w_o.shape() != w_q.shape()) throw std::invalid_argument("multi_head_attention: w_o");
    return project_output(merge_heads(given::scaled_dot_product_attention(q, k, v, mask).context), w_o, {});
}

}  // namespace headway::ex04
