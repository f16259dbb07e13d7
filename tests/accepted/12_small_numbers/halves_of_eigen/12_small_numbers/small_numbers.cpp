#include "small_numbers.hpp"

#include <headway/eigen.hpp>

#include <cmath>
#include <limits>
#include <stdexcept>

namespace headway::ex12 {
namespace {

/// Any tensor as rows of its last axis.
EigenMatrix as_rows(const Tensor& x) {
    const Index width = x.rank() == 0 ? 1 : x.size(-1);
    return as_eigen(x.contiguous().view({x.numel() / width, width}));
}

Tensor as_tensor(const EigenMatrix& rows, const Shape& shape) {
    Tensor x = Tensor::empty({rows.rows(), rows.cols()});
    as_eigen(x) = rows;
    return x.view(shape);
}

template <class Narrow>
EigenMatrix narrowed(const EigenMatrix& x) {
    return x.cast<Narrow>().template cast<float>();
}

EigenMatrix narrowed(const EigenMatrix& x, Format format) {
    return format == Format::half ? narrowed<Eigen::half>(x) : narrowed<Eigen::bfloat16>(x);
}

/// A column of sums, feature after feature.
EigenMatrix running_sum(const EigenMatrix& x, Format format) {
    EigenMatrix total = EigenMatrix::Zero(x.rows(), 1);
    for (Index i = 0; i < x.cols(); ++i) total = narrowed(total + x.col(i), format);
    return total;
}

EigenMatrix softmax(const EigenMatrix& scores, Total kept) {
    const EigenMatrix s = narrowed<Eigen::half>(scores);
    EigenMatrix weights = EigenMatrix::Zero(s.rows(), s.cols());
    for (Index row = 0; row < s.rows(); ++row) {
        const float largest = s.row(row).maxCoeff();
        if (largest == -std::numeric_limits<float>::infinity()) continue;
        const EigenMatrix d = narrowed<Eigen::half>((s.row(row).array() - largest).matrix());
        EigenMatrix e = d.unaryExpr([](float x) { return static_cast<float>(std::exp(static_cast<double>(x))); });
        e = narrowed<Eigen::half>(e);
        const float total = kept == Total::in_half ? running_sum(e, Format::half)(0, 0) : e.sum();
        weights.row(row) = narrowed<Eigen::half>(e / total);
    }
    return weights;
}

void require_four_axes(const Tensor& x, const char* name) {
    if (x.rank() != 4) throw std::invalid_argument(std::string(name) + " needs four axes: " + to_string(x.shape()));
}

/// k and v for queries like q.
void require_keys_and_values(const Shape& q, const Shape& k, const Shape& v) {
    const bool alike = q[0] == k[0] && q[1] == k[1] && q[3] == k[3] && v[0] == k[0] && v[1] == k[1] && v[2] == k[2];
    if (!alike)
        throw std::invalid_argument("q " + to_string(q) + ", k " + to_string(k) + ", v " + to_string(v) +
                                    " do not fit together");
}

}  // namespace

Tensor rounded(const Tensor& x, Format format) { return as_tensor(narrowed(as_rows(x), format), x.shape()); }

Tensor sum_in(const Tensor& x, Format format) {
    if (x.rank() == 0) throw std::invalid_argument("sum_in: a number has no axis");
    Shape shape = x.shape();
    shape.back() = 1;
    return as_tensor(running_sum(as_rows(x), format), shape);
}

Tensor softmax_in_half(const Tensor& scores, Total total) {
    if (scores.rank() == 0) throw std::invalid_argument("softmax_in_half: a number has no axis");
    return as_tensor(softmax(as_rows(scores), total), scores.shape());
}

Tensor attention_in_half(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    require_four_axes(q, "q");
    require_four_axes(k, "k");
    require_four_axes(v, "v");
    require_keys_and_values(q.shape(), k.shape(), v.shape());
    const Index T = q.size(2), S = k.size(2);
    const float root = std::sqrt(static_cast<float>(q.size(3)));
    // A tensor of zeros takes the mask, whatever its axes: what it adds is 0, or -infinity.
    const Tensor bias =
        masked_fill(Tensor::zeros({q.size(0), q.size(1), T, S}), mask, -std::numeric_limits<float>::infinity());
    Tensor context = Tensor::empty({q.size(0), q.size(1), T, v.size(3)});
    const auto half = [](const Tensor& x) { return narrowed<Eigen::half>(as_rows(x)); };
    for (Index b = 0; b < q.size(0); ++b)
        for (Index h = 0; h < q.size(1); ++h) {
            const EigenMatrix products = half(q[b][h]) * half(k[b][h]).transpose();
            const EigenMatrix scores = narrowed<Eigen::half>(products / root) + as_rows(bias[b][h]);
            as_eigen(context[b][h]) = narrowed<Eigen::half>(softmax(scores, Total::in_float) * half(v[b][h]));
        }
    return context;
}

Tensor row_scales(const Tensor& x) {
    require_four_axes(x, "row_scales: x");
    return as_tensor(as_rows(x).cwiseAbs().rowwise().maxCoeff() / 127, {x.size(0), x.size(1), x.size(2)});
}

Int8Rows to_int8(const Tensor& x, const Tensor& scales) {
    require_four_axes(x, "to_int8: x");
    if (scales.shape() != Shape{x.size(0), x.size(1), x.size(2)})
        throw std::invalid_argument("to_int8: scales are " + to_string(scales.shape()));
    const Tensor steps = scales.contiguous().clone();
    EigenMatrix codes = as_rows(x);
    for (Index row = 0; row < codes.rows(); ++row) {
        const float step = steps.data()[row];
        if (step < 0) throw std::invalid_argument("to_int8: a scale is negative");
        if (step == 0)
            codes.row(row).setZero();
        else
            codes.row(row) = (codes.row(row) / step).cwiseMax(-127.0F).cwiseMin(127.0F).array().round().matrix();
    }
    Int8Rows rows{x.shape(), std::vector<std::int8_t>(static_cast<std::size_t>(x.numel())), steps};
    for (Index i = 0; i < x.numel(); ++i)
        rows.codes[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(codes.data()[i]);
    return rows;
}

Tensor from_int8(const Int8Rows& rows) {
    const Shape& shape = rows.shape;
    if (shape.size() != 4 || rows.scales.shape() != Shape{shape[0], shape[1], shape[2]})
        throw std::invalid_argument("from_int8: shape and scales do not fit");
    if (static_cast<Index>(rows.codes.size()) != shape[0] * shape[1] * shape[2] * shape[3])
        throw std::invalid_argument("from_int8: codes and shape do not fit");
    using Codes = Eigen::Matrix<std::int8_t, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const Eigen::Map<const Codes> codes(rows.codes.data(), rows.scales.numel(), shape[3]);
    const EigenMatrix scales = as_rows(rows.scales.contiguous().view({rows.scales.numel(), 1}));
    return as_tensor(scales.col(0).asDiagonal() * codes.cast<float>(), shape);
}

namespace {

/// Old rows are copied into a tensor of codes, so that cat() finds their places.
Int8Rows grown(const Int8Rows& old, const Tensor& x) {
    Int8Rows fresh = to_int8(x, row_scales(x));
    if (old.shape.empty()) return fresh;
    if (old.shape[0] != x.size(0) || old.shape[1] != x.size(1) || old.shape[3] != x.size(3))
        throw std::invalid_argument("append: new rows are " + to_string(x.shape()) + ", old ones " +
                                    to_string(old.shape));
    const auto as_floats = [](const Int8Rows& rows) {
        return Tensor::of(rows.shape, std::vector<float>(rows.codes.begin(), rows.codes.end()));
    };
    const Tensor codes = cat({as_floats(old), as_floats(fresh)}, 2);
    Int8Rows all{codes.shape(), {}, cat({old.scales, fresh.scales}, 2)};
    for (Index i = 0; i < codes.numel(); ++i) all.codes.push_back(static_cast<std::int8_t>(codes.data()[i]));
    return all;
}

}  // namespace

Int8Cache append(const Int8Cache& cache, const Tensor& k, const Tensor& v) {
    require_four_axes(k, "append: k");
    require_four_axes(v, "append: v");
    require_keys_and_values(k.shape(), k.shape(), v.shape());
    return {grown(cache.k, k), grown(cache.v, v)};
}

Tensor int8_attention(const Tensor& q, const Int8Cache& cache, const Mask& mask) {
    const Tensor k = from_int8(cache.k), v = from_int8(cache.v);
    require_four_axes(q, "int8_attention: q");
    require_keys_and_values(q.shape(), k.shape(), v.shape());
    return given::scaled_dot_product_context(q, k, v, mask);
}

Index cache_bytes(Index B, Index H, Index S, Index d, Index d_v, Kept kept) {
    for (const Index size : {B, H, S, d, d_v})
        if (size < 1) throw std::invalid_argument("cache_bytes: a size is " + std::to_string(size));
    const Index each = kept == Kept::as_float ? 4 : kept == Kept::as_half ? 2 : 1;
    const Index scales = kept == Kept::as_int8 ? B * H * S * 8 : 0;
    return B * H * S * d * each + B * H * S * d_v * each + scales;
}

}  // namespace headway::ex12
