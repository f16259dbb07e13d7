#include "array.hpp"

#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <stdexcept>

namespace headway::reference {
namespace {

std::size_t as_size(Index index) { return static_cast<std::size_t>(index); }

Array zeros(const Shape& shape) {
    const auto count = as_size(Layout::contiguous(shape).numel());
    return {shape, std::vector<double>(count), std::vector<double>(count)};
}

/// Row-major position `flat` of `layout.shape`, as a position in storage.
Index storage_position(const Layout& layout, Index flat) {
    Index position = layout.offset;
    for (Index axis = layout.rank() - 1; axis >= 0; --axis) {
        position += flat % layout.shape[as_size(axis)] * layout.strides[as_size(axis)];
        flat /= layout.shape[as_size(axis)];
    }
    return position;
}

/// How many matrices there are in the last two axes.
Index matrices(const Array& array) {
    return std::accumulate(array.shape.begin(), array.shape.end() - 2, Index{1}, std::multiplies<>());
}

}  // namespace

Index Array::size(Index axis) const {
    return shape.at(as_size(axis < 0 ? axis + static_cast<Index>(shape.size()) : axis));
}

Array exact(const Tensor& tensor) {
    Array array = zeros(tensor.shape());
    const float* storage = tensor.data() - tensor.offset();
    for (Index i = 0; i < array.numel(); ++i)
        array.value[as_size(i)] = static_cast<double>(storage[storage_position(tensor.layout(), i)]);
    return array;
}

Tensor to_tensor(const Array& array) {
    return Tensor::of(array.shape, std::vector<float>(array.value.begin(), array.value.end()));
}

Array matmul(const Array& a, const Array& b) {
    const Index M = a.size(-2);
    const Index K = a.size(-1);
    const Index N = b.size(-1);
    if (b.size(-2) != K) throw std::logic_error("reference::matmul: inner sizes differ");
    const bool shared_b = b.shape.size() == 2;
    if (!shared_b && matrices(a) != matrices(b)) throw std::logic_error("reference::matmul: batches differ");
    Shape shape = a.shape;
    shape.back() = N;
    Array c = zeros(shape);
    const Index batches = matrices(a);
    for (Index batch = 0; batch < batches; ++batch)
        for (Index m = 0; m < M; ++m)
            for (Index n = 0; n < N; ++n) {
                double sum = 0;
                double magnitude = 0;
                double inherited = 0;
                for (Index k = 0; k < K; ++k) {
                    const auto i = as_size((batch * M + m) * K + k);
                    const auto j = as_size(((shared_b ? 0 : batch) * K + k) * N + n);
                    sum += a.value[i] * b.value[j];
                    magnitude += std::abs(a.value[i] * b.value[j]);
                    inherited += std::abs(a.value[i]) * b.error[j] + a.error[i] * (std::abs(b.value[j]) + b.error[j]);
                }
                const auto o = as_size((batch * M + m) * N + n);
                c.value[o] = sum;
                c.error[o] = inherited + static_cast<double>(K + 4) * unit_roundoff * magnitude;
            }
    return c;
}

Array transpose(const Array& a, Index axis0, Index axis1) {
    const auto rank = static_cast<Index>(a.shape.size());
    const auto first = as_size(axis0 < 0 ? axis0 + rank : axis0);
    const auto second = as_size(axis1 < 0 ? axis1 + rank : axis1);
    Layout layout = Layout::contiguous(a.shape);
    std::swap(layout.shape[first], layout.shape[second]);
    std::swap(layout.strides[first], layout.strides[second]);
    Array b = zeros(layout.shape);
    for (Index i = 0; i < b.numel(); ++i) {
        const auto from = as_size(storage_position(layout, i));
        b.value[as_size(i)] = a.value[from];
        b.error[as_size(i)] = a.error[from];
    }
    return b;
}

Array reshape(const Array& a, const Shape& shape) {
    if (Layout::contiguous(shape).numel() != a.numel()) throw std::logic_error("reference::reshape: counts differ");
    return {shape, a.value, a.error};
}

Array scale(const Array& a, double factor) {
    Array b = a;
    for (std::size_t i = 0; i < b.value.size(); ++i) {
        b.value[i] *= factor;
        b.error[i] = b.error[i] * std::abs(factor) + unit_roundoff * std::abs(b.value[i]);
    }
    return b;
}

Array add(const Array& a, const Array& b) {
    if (b.numel() != a.numel() && (b.shape.size() != 1 || b.numel() != a.size(-1)))
        throw std::logic_error("reference::add: shapes differ");
    Array c = a;
    for (std::size_t i = 0; i < c.value.size(); ++i) {
        const std::size_t j = i % b.value.size();
        c.value[i] += b.value[j];
        c.error[i] += b.error[j] + unit_roundoff * (std::abs(a.value[i]) + std::abs(b.value[j]));
    }
    return c;
}

}  // namespace headway::reference
