#include "merge_heads.hpp"

#include <headway/eigen.hpp>

#include <stdexcept>

namespace headway::ex04 {

namespace {

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

RowMajor to_eigen(const Tensor& w) {
    RowMajor m(w.size(0), w.size(1));
    for (Index r = 0; r < w.size(0); ++r)
        for (Index c = 0; c < w.size(1); ++c) m(r, c) = w(r, c);
    return m;
}

Tensor multiply(const Tensor& x, const RowMajor& w) {
    const Tensor dense = x.contiguous();
    Tensor y = Tensor::empty({x.size(0), x.size(1), w.cols()});
    const Index rows = x.size(0) * x.size(1);
    Eigen::Map<RowMajor>(y.data(), rows, w.cols()) = Eigen::Map<const RowMajor>(dense.data(), rows, w.rows()) * w;
    return y;
}

}  // namespace

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4) throw std::invalid_argument("merge_heads: context");
    return context.transpose(1, 2).contiguous().view(
        {context.size(0), context.size(2), context.size(1) * context.size(3)});
}

Tensor project_output(const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    if (merged.rank() != 3 || w_o.rank() != 2 || merged.size(2) != w_o.size(0))
        throw std::invalid_argument("project_output: merged and w_o");
    if (b_o.defined() && b_o.shape() != Shape{w_o.size(1)}) throw std::invalid_argument("project_output: b_o");
    Tensor y = multiply(merged, to_eigen(w_o));
    return b_o.defined() ? y + b_o : y;
}

Tensor multi_head_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& w_o,
                            Index num_heads, const Mask& mask) {
    if (x.rank() != 3 || num_heads < 1 || x.size(2) % num_heads != 0)
        throw std::invalid_argument("multi_head_attention: x and num_heads");
    for (const Tensor* w : {&w_q, &w_k, &w_v, &w_o})
        if (w->shape() != Shape{x.size(2), x.size(2)}) throw std::invalid_argument("multi_head_attention: weights");
    const Tensor q = multiply(x, to_eigen(w_q));
    const Tensor k = multiply(x, to_eigen(w_k));
    const Tensor v = multiply(x, to_eigen(w_v).transpose());
    const Tensor context =
        given::scaled_dot_product_attention(given::split_heads(q, num_heads), given::split_heads(k, num_heads),
                                            given::split_heads(v, num_heads), mask)
            .context;
    return project_output(merge_heads(context), w_o, Tensor());
}

}  // namespace headway::ex04
