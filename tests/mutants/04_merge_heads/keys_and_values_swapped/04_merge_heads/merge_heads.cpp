#include "merge_heads.hpp"

#include <stdexcept>
#include <tuple>

namespace headway::ex04 {
namespace {

std::tuple<Tensor, Tensor, Tensor> qkv(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v,
                                       Index num_heads) {
    return {given::split_heads(matmul(x, w_q), num_heads), given::split_heads(matmul(x, w_k), num_heads),
            given::split_heads(matmul(x, w_v), num_heads)};
}

}  // namespace

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: rank is " + std::to_string(context.rank()));
    const Tensor swapped = context.transpose(2, 1).contiguous();
    return swapped.view({swapped.size(0), swapped.size(1), swapped.size(2) * swapped.size(3)});
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (w_o.size(0) != merged.size(2)) throw std::invalid_argument("project_output: sizes");
    if (b_o.defined() && (b_o.rank() != 1 || b_o.size(0) != w_o.size(1)))
        throw std::invalid_argument("project_output: size of the bias");
    Tensor out = matmul(merged, w_o);
    if (b_o.defined()) out += b_o;
    return out;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("multi_head_attention: rank of x");
    const Index D = x.size(2);
    for (const Tensor& w : {w_q, w_k, w_v, w_o})
        if (w.rank() != 2 || w.size(0) != D || w.size(1) != D)
            throw std::invalid_argument("multi_head_attention: size of a weight");
    if (num_heads < 1) throw std::invalid_argument("multi_head_attention: num_heads");
    const auto [q, v, k] = qkv(x, w_q, w_k, w_v, num_heads);
    const Tensor context = given::scaled_dot_product_attention(q, k, v, mask).context;
    return project_output(merge_heads(context), w_o, {});
}

}  // namespace headway::ex04
