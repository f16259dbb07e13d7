#include "merge_heads.hpp"

#include <map>
#include <stdexcept>
#include <string>

namespace headway::ex04 {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: context must be of rank 4");
    const Tensor tokens_first = context.transpose(2, 1);
    Tensor merged =
        Tensor::zeros({tokens_first.size(0), tokens_first.size(1), tokens_first.size(2), tokens_first.size(3)});
    merged += tokens_first;
    return merged.view({merged.size(0), merged.size(1), merged.size(2) * merged.size(3)});
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.rank() != 3 || w_o.rank() != 2 || merged.size(2) != w_o.size(0))
        throw std::invalid_argument("project_output: merged and w_o do not fit");
    Tensor result = Tensor::empty({merged.size(0), merged.size(1), w_o.size(1)});
    for (Index b = 0; b < merged.size(0); ++b) result[b].copy_from(matmul(merged[b], w_o));
    if (!b_o.defined()) return result;
    if (b_o.rank() != 1 || b_o.size(0) != w_o.size(1)) throw std::invalid_argument("project_output: b_o does not fit");
    return result + b_o;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3) throw std::invalid_argument("multi_head_attention: x must be of rank 3");
    if (num_heads < 1 || x.size(2) % num_heads != 0) throw std::invalid_argument("multi_head_attention: num_heads");
    const std::map<std::string, Tensor> weights = {{"q", w_q}, {"k", w_k}, {"v", w_v}, {"o", w_o}};
    std::map<std::string, Tensor> heads;
    for (const auto& [name, w] : weights) {
        if (w.rank() != 2 || w.size(0) != x.size(2) || w.size(1) != x.size(2))
            throw std::invalid_argument("multi_head_attention: w_" + name + " must be (D, D)");
        if (name != "o") heads[name] = given::split_heads(matmul(x, w), num_heads);
    }
    const Tensor found = given::scaled_dot_product_attention(heads["q"], heads["k"], heads["v"], mask).context;
    return project_output(merge_heads(found), weights.at("v"), {});
}

}  // namespace headway::ex04
