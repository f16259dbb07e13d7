#include "reference/array.hpp"

#include <algorithm>
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

/// How many matrices there are in the last two axes.
Index matrices(const Array& array) {
    return std::accumulate(array.shape.begin(), array.shape.end() - 2, Index{1}, std::multiplies<>());
}

}  // namespace

Index Array::size(Index axis) const {
    return shape.at(as_size(axis < 0 ? axis + static_cast<Index>(shape.size()) : axis));
}

Array exact(const Tensor& tensor) {
    if (!tensor.defined()) return zeros({0});
    Array array = zeros(tensor.shape());
    const Tensor dense = tensor.contiguous();
    std::copy_n(dense.data(), array.value.size(), array.value.begin());
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
    const auto width = as_size(N);
    std::vector<double> magnitude(width);
    const auto rows = as_size(matrices(a) * M);
    for (std::size_t row = 0; row < rows; ++row) {
        const std::size_t first_of_b = shared_b ? 0 : row / as_size(M) * as_size(K) * width;
        double* value = &c.value[row * width];
        double* error = &c.error[row * width];
        std::fill(magnitude.begin(), magnitude.end(), 0.0);
        // Along the rows of b, so that the compiler can work on several columns at once.
        for (std::size_t k = 0; k < as_size(K); ++k) {
            const double x = a.value[row * as_size(K) + k];
            const double x_error = a.error[row * as_size(K) + k];
            const double* y = &b.value[first_of_b + k * width];
            const double* y_error = &b.error[first_of_b + k * width];
            for (std::size_t n = 0; n < width; ++n) {
                value[n] += x * y[n];
                magnitude[n] += std::abs(x * y[n]);
                error[n] += std::abs(x) * y_error[n] + x_error * (std::abs(y[n]) + y_error[n]);
            }
        }
        for (std::size_t n = 0; n < width; ++n) error[n] += static_cast<double>(K + 4) * unit_roundoff * magnitude[n];
    }
    return c;
}

Array transpose(const Array& a, Index axis0, Index axis1) {
    const auto rank = static_cast<Index>(a.shape.size());
    auto first = as_size(axis0 < 0 ? axis0 + rank : axis0);
    auto second = as_size(axis1 < 0 ? axis1 + rank : axis1);
    if (first > second) std::swap(first, second);
    if (first == second) return a;
    const auto count = [&](std::size_t from, std::size_t to) {
        std::size_t product = 1;
        for (std::size_t axis = from; axis < to; ++axis) product *= as_size(a.shape[axis]);
        return product;
    };
    // (outer, A, middle, B, inner) -> (outer, B, middle, A, inner)
    const std::size_t outer = count(0, first), middle = count(first + 1, second),
                      inner = count(second + 1, as_size(rank));
    const std::size_t A = as_size(a.shape[first]), B = as_size(a.shape[second]);
    Shape shape = a.shape;
    std::swap(shape[first], shape[second]);
    Array result = zeros(shape);
    std::size_t to = 0;
    for (std::size_t o = 0; o < outer; ++o)
        for (std::size_t j = 0; j < B; ++j)
            for (std::size_t m = 0; m < middle; ++m)
                for (std::size_t i = 0; i < A; ++i)
                    for (std::size_t n = 0; n < inner; ++n, ++to) {
                        const std::size_t from = (((o * A + i) * middle + m) * B + j) * inner + n;
                        result.value[to] = a.value[from];
                        result.error[to] = a.error[from];
                    }
    return result;
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
