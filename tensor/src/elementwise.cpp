#include "checks.hpp"
#include "dense.hpp"
#include "rows.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace headway {
namespace {

/// result[i] = function(x[i])
template <class Function>
Tensor map(const Tensor& x, const char* operation, Function function) {
    require_defined(x, operation);
    Tensor result = Tensor::empty(x.shape());
    for_each_row<2>(x.shape(), {&result.strides(), &x.strides()}, [&](auto at, auto step, Index length) {
        float* out = result.data() + at[0];
        const float* in = x.data() + at[1];
        if (step[0] == 1 && step[1] == 1) {  // the case that compilers vectorise
            for (Index i = 0; i < length; ++i) out[i] = function(in[i]);
        } else {
            for (Index i = 0; i < length; ++i) out[i * step[0]] = function(in[i * step[1]]);
        }
    });
    return result;
}

/// out[i] = function(a[i], b[i]), where `out` may be a or b itself.
template <class Function>
void combine_into(Tensor& out, const Tensor& a, const Tensor& b, Function function) {
    for_each_row<3>(out.shape(), {&out.strides(), &a.strides(), &b.strides()}, [&](auto at, auto step, Index length) {
        float* to = out.data() + at[0];
        const float* left = a.data() + at[1];
        const float* right = b.data() + at[2];
        // The cases that compilers vectorise: both next to each other, or a number for the whole row; to itself or not.
        if (step[0] == 1 && step[1] == 1 && step[2] == 1) {
            if (to == left)
                for (Index i = 0; i < length; ++i) to[i] = function(to[i], right[i]);
            else
                for (Index i = 0; i < length; ++i) to[i] = function(left[i], right[i]);
        } else if (step[0] == 1 && step[1] == 1 && step[2] == 0) {
            const float same = *right;
            if (to == left)
                for (Index i = 0; i < length; ++i) to[i] = function(to[i], same);
            else
                for (Index i = 0; i < length; ++i) to[i] = function(left[i], same);
        } else {
            for (Index i = 0; i < length; ++i) to[i * step[0]] = function(left[i * step[1]], right[i * step[2]]);
        }
    });
}

template <class Function>
Tensor combine(const Tensor& a, const Tensor& b, const char* operation, Function function) {
    require_defined(a, operation);
    require_defined(b, operation);
    Tensor result = Tensor::empty(broadcast_shapes(a.shape(), b.shape(), operation));
    combine_into(result, a.expand(result.shape()), b.expand(result.shape()), function);
    return result;
}

/// With an expanded target, one number in storage would be written several times, or added to several times.
void require_distinct_elements(const Tensor& target, const char* operation) {
    if (target.numel() == 0) return;
    for (std::size_t axis = 0; axis < target.shape().size(); ++axis)
        if (target.strides()[axis] == 0 && target.shape()[axis] > 1)
            throw std::invalid_argument(std::string(operation) + ": axis " + std::to_string(axis) + " of the target " +
                                        to_string(target.shape()) +
                                        " repeats the same numbers (stride 0); write to a tensor that is not expanded");
}

/// `source`, seen with the target's shape, such that writing to the target does not change what is still to be read.
Tensor readable_while_writing(const Tensor& target, const Tensor& source, const char* operation) {
    require_defined(target, operation);
    require_defined(source, operation);
    require_distinct_elements(target, operation);
    const Layout seen = expanded(source.layout(), target.shape(), operation);
    if (!source.shares_storage_with(target) || seen == target.layout()) return source.expand(target.shape());
    Tensor copy = Tensor::empty(source.shape());
    copy.copy_from(source);
    return copy.expand(target.shape());
}

template <class Function>
Tensor& update(Tensor& target, const Tensor& other, const char* operation, Function function) {
    combine_into(target, target, readable_while_writing(target, other, operation), function);
    return target;
}

template <class Function>
Tensor& update(Tensor& target, float other, const char* operation, Function function) {
    return update(target, Tensor::full({}, other), operation, function);
}

}  // namespace

void Tensor::fill(float value) {
    require_defined(*this, "fill");
    for_each_row<1>(shape(), {&strides()}, [&](auto at, auto step, Index length) {
        for (Index i = 0; i < length; ++i) data()[at[0] + i * step[0]] = value;
    });
}

void Tensor::copy_from(const Tensor& source) {
    const Tensor readable = readable_while_writing(*this, source, "copy_from");
    for_each_row<2>(shape(), {&strides(), &readable.strides()}, [&](auto at, auto step, Index length) {
        float* to = data() + at[0];
        const float* from = readable.data() + at[1];
        if (step[0] == 1 && step[1] == 1)
            std::copy_n(from, length, to);
        else
            for (Index i = 0; i < length; ++i) to[i * step[0]] = from[i * step[1]];
    });
}

Tensor operator+(const Tensor& a, const Tensor& b) { return combine(a, b, "a + b", std::plus<>()); }
Tensor operator-(const Tensor& a, const Tensor& b) { return combine(a, b, "a - b", std::minus<>()); }
Tensor operator*(const Tensor& a, const Tensor& b) { return combine(a, b, "a * b", std::multiplies<>()); }
Tensor operator/(const Tensor& a, const Tensor& b) { return combine(a, b, "a / b", std::divides<>()); }

namespace {

/// Whether `a` can become the result of an operation with `b`: a temporary that nobody else sees, and b broadcasts to
/// it.
bool becomes_result(const Tensor& a, const Tensor& b, const char* operation) {
    require_defined(b, operation);
    return a.owns_storage() && broadcast_shapes(a.shape(), b.shape(), operation) == a.shape();
}

}  // namespace

Tensor operator+(Tensor&& a, const Tensor& b) { return becomes_result(a, b, "a + b") ? std::move(a += b) : a + b; }
Tensor operator-(Tensor&& a, const Tensor& b) { return becomes_result(a, b, "a - b") ? std::move(a -= b) : a - b; }
Tensor operator*(Tensor&& a, const Tensor& b) { return becomes_result(a, b, "a * b") ? std::move(a *= b) : a * b; }
Tensor operator/(Tensor&& a, const Tensor& b) { return becomes_result(a, b, "a / b") ? std::move(a /= b) : a / b; }
Tensor operator/(Tensor&& a, float b) { return a.owns_storage() ? std::move(a /= b) : a / b; }

Tensor operator+(const Tensor& a, float b) {
    return map(a, "a + b", [b](float x) { return x + b; });
}
Tensor operator-(const Tensor& a, float b) {
    return map(a, "a - b", [b](float x) { return x - b; });
}
Tensor operator*(const Tensor& a, float b) {
    return map(a, "a * b", [b](float x) { return x * b; });
}
Tensor operator/(const Tensor& a, float b) {
    return map(a, "a / b", [b](float x) { return x / b; });
}
Tensor operator+(float a, const Tensor& b) {
    return map(b, "a + b", [a](float x) { return a + x; });
}
Tensor operator-(float a, const Tensor& b) {
    return map(b, "a - b", [a](float x) { return a - x; });
}
Tensor operator*(float a, const Tensor& b) {
    return map(b, "a * b", [a](float x) { return a * x; });
}
Tensor operator/(float a, const Tensor& b) {
    return map(b, "a / b", [a](float x) { return a / x; });
}
Tensor operator-(const Tensor& a) {
    return map(a, "-a", [](float x) { return -x; });
}

Tensor& Tensor::operator+=(const Tensor& other) { return update(*this, other, "a += b", std::plus<>()); }
Tensor& Tensor::operator-=(const Tensor& other) { return update(*this, other, "a -= b", std::minus<>()); }
Tensor& Tensor::operator*=(const Tensor& other) { return update(*this, other, "a *= b", std::multiplies<>()); }
Tensor& Tensor::operator/=(const Tensor& other) { return update(*this, other, "a /= b", std::divides<>()); }
Tensor& Tensor::operator+=(float other) { return update(*this, other, "a += b", std::plus<>()); }
Tensor& Tensor::operator-=(float other) { return update(*this, other, "a -= b", std::minus<>()); }
Tensor& Tensor::operator*=(float other) { return update(*this, other, "a *= b", std::multiplies<>()); }
Tensor& Tensor::operator/=(float other) { return update(*this, other, "a /= b", std::divides<>()); }

namespace ops {

Tensor exp(const Tensor& x) {
    require_defined(x, "exp");
    Tensor result = Tensor::empty(x.shape());
    result.copy_from(x);
    return exp(std::move(result));
}
Tensor exp(Tensor&& x) {
    if (!x.owns_storage()) return exp(x);
    exponentials(x.data(), x.numel(), 1.0F, 0.0F, x.data());
    return std::move(x);
}
Tensor log(const Tensor& x) {
    return map(x, "log", [](float value) { return std::log(value); });
}
Tensor sqrt(const Tensor& x) {
    return map(x, "sqrt", [](float value) { return std::sqrt(value); });
}

Tensor masked_fill(const Tensor& x, const Mask& mask, float value) {
    require_defined(x, "masked_fill");
    Tensor result = Tensor::empty(x.shape());
    result.copy_from(x);
    return masked_fill(std::move(result), mask, value);
}

Tensor masked_fill(Tensor&& x, const Mask& mask, float value) {
    if (!x.owns_storage()) return masked_fill(x, mask, value);
    if (!mask.defined()) return std::move(x);
    const Strides blocked = expanded(mask.layout(), x.shape(), "masked_fill: the mask").strides;
    for_each_row<2>(x.shape(), {&x.strides(), &blocked}, [&](auto at, auto step, Index length) {
        float* row = x.data() + at[0];
        const bool* fill = mask.data() + at[1];
        if (step[0] == 1 && step[1] == 1) {  // the case that compilers vectorise
            for (Index i = 0; i < length; ++i) row[i] = fill[i] ? value : row[i];
        } else {
            for (Index i = 0; i < length; ++i)
                if (fill[i * step[1]]) row[i * step[0]] = value;
        }
    });
    return std::move(x);
}

Tensor cat(const std::vector<Tensor>& tensors, Index axis) {
    if (tensors.empty()) throw std::invalid_argument("cat: there is no tensor to join");
    for (const Tensor& tensor : tensors) require_defined(tensor, "cat");
    const Index joined = checked_axis(tensors[0].layout(), axis, "cat");
    Shape shape = tensors[0].shape();
    Index& length = shape[static_cast<std::size_t>(joined)];
    length = 0;
    for (const Tensor& tensor : tensors) {
        Shape others = tensor.shape();
        if (others.size() == shape.size()) others[static_cast<std::size_t>(joined)] = length;
        if (others != shape)
            throw std::invalid_argument("cat: " + to_string(tensors[0].shape()) + " and " + to_string(tensor.shape()) +
                                        " differ in more than axis " + std::to_string(joined));
        length += tensor.size(joined);
    }
    Tensor result = Tensor::empty(shape);
    Index begin = 0;
    for (const Tensor& tensor : tensors) {
        const Index end = begin + tensor.size(joined);
        result.slice(joined, begin, end).copy_from(tensor);
        begin = end;
    }
    return result;
}

}  // namespace ops
}  // namespace headway
