#include "suites/07_backward/gradients.hpp"

#include "reference/attention.hpp"
#include "reference/backward.hpp"

#include <cmath>

namespace headway::diagnosis {
namespace {

using reference::matmul;
using reference::transpose;

double inverse_root(Index d, Index) { return 1 / std::sqrt(static_cast<double>(d)); }

double unscaled(Index, Index) { return 1; }

Array of_queries(const Array& grad_scores, const Array&, const Array& k) { return matmul(grad_scores, k); }
Array of_keys(const Array& grad_scores, const Array& q, const Array&) {
    return matmul(transpose(grad_scores, -2, -1), q);
}
Array of_values(const Array& weights, const Array& grad_context) {
    return matmul(transpose(weights, -2, -1), grad_context);
}

/// (B, T, width) -> (B·T, width)
Array rows_of(const Array& x) { return reference::reshape(x, {x.numel() / x.size(-1), x.size(-1)}); }

Array of_weight(const Array& x, const Array& grad_y) { return matmul(transpose(rows_of(grad_y), 0, 1), rows_of(x)); }

Array of_bias(const Array& grad_y) {
    const Array rows = rows_of(grad_y);
    const Array ones = reference::exact(Tensor::ones({1, rows.size(0)}));
    return reference::reshape(matmul(ones, rows), {rows.size(1)});
}

Gradients right_way_back() {
    Gradients g{};
    g.softmax = &reference::softmax_backward;
    g.factor_of_queries = g.factor_of_keys = &inverse_root;
    g.factor_of_values = &unscaled;
    g.queries = &of_queries;
    g.keys = &of_keys;
    g.values = &of_values;
    g.input = &matmul;
    g.weight = &of_weight;
    g.bias = &of_bias;
    g.split = &reference::split_heads;
    g.merge = {&reference::merge_heads, &reference::merge_heads, &reference::merge_heads};
    return g;
}

}  // namespace

const Gradients& Gradients::right() {
    static const Gradients all = right_way_back();
    return all;
}

}  // namespace headway::diagnosis
