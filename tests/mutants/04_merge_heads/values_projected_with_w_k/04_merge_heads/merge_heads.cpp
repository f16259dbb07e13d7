#include "merge_heads.hpp"

#include <array>
#include <stdexcept>

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: context " + to_string(context.shape()));
    const auto& shape = context.shape();
    Tensor merged = Tensor::empty({shape[0], shape[2], shape[1] * shape[3]});
    for (Index h = 0; h < shape[1]; ++h)
        merged.slice(-1, h * shape[3], (h + 1) * shape[3]).copy_from(context.select(1, h));
    return merged;
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (w_o.rank() != 2 || merged.rank() != 3 || w_o.size(0) != merged.size(2))
        throw std::invalid_argument("project_output: w_o " + to_string(w_o.shape()));
    if (b_o.defined() && b_o.shape() != Shape{w_o.size(1)})
        throw std::invalid_argument("project_output: b_o " + to_string(b_o.shape()));
    Tensor out = matmul(merged, w_o);
    if (b_o.defined()) out += b_o;
    return out;
}

namespace {

enum Role { query, key, value, role_count };

}  // namespace

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("multi_head_attention: rank of x");
    if (num_heads < 1) throw std::invalid_argument("multi_head_attention: num_heads");
    for (const Tensor& w : {w_q, w_k, w_v, w_o})
        if (w.shape() != Shape{x.size(2), x.size(2)}) throw std::invalid_argument("multi_head_attention: weights");
    std::array<Tensor, role_count> heads;
    heads[query] = given::split_heads(matmul(x, w_q), num_heads);
    heads[key] = given::split_heads(matmul(x, w_k), num_heads);
    heads[value] = given::split_heads(matmul(x, w_k), num_heads);
    const auto result = given::scaled_dot_product_attention(heads[query], heads[key], heads[value], mask);
    return project_output(merge_heads(result.context), w_o, {});
}

}  // namespace headway::ex04
