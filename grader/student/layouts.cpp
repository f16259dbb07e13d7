#include "student/layouts.hpp"

#include "student/inputs.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace headway::judge {

Tensor column_major(const Tensor& tensor) {
    if (tensor.rank() < 2) return strided(tensor);
    const Tensor storage = Tensor::empty(Shape(tensor.shape().rbegin(), tensor.shape().rend()));
    const Strides strides(storage.strides().rbegin(), storage.strides().rend());
    Tensor view = storage.as_strided(tensor.shape(), strides, 0);
    view.copy_from(tensor);
    return view;
}

Tensor sliced(const Tensor& tensor) {
    if (tensor.rank() == 0) return tensor;
    Shape wide = tensor.shape();
    wide.back() += 2;
    if (wide.size() > 1) wide.front() += 1;
    Tensor view = Tensor::full(wide, std::numeric_limits<float>::quiet_NaN()).slice(-1, 1, 1 + tensor.size(-1));
    if (wide.size() > 1) view = view.slice(0, 1, 1 + tensor.size(0));
    view.copy_from(tensor);
    return view;
}

Tensor heads_as_split(const Tensor& tensor) {
    if (tensor.rank() == 0) return tensor;
    const bool are_heads = tensor.rank() == 4;
    Shape wide = tensor.shape();
    wide.front() += 1;
    if (are_heads) std::swap(wide[1], wide[2]);
    Tensor view = Tensor::full(wide, std::numeric_limits<float>::quiet_NaN()).slice(0, 1, wide.front());
    if (are_heads) view = view.transpose(1, 2);
    view.copy_from(tensor);
    return view;
}

Tensor rows_in_another_order(const Tensor& tensor) {
    if (tensor.rank() < 3) return sliced(tensor);
    Shape other = tensor.shape();
    std::reverse(other.begin(), other.end() - 1);
    const Tensor storage = Tensor::empty(other);
    Strides strides = storage.strides();
    std::reverse(strides.begin(), strides.end() - 1);
    Tensor view = storage.as_strided(tensor.shape(), strides, 0);
    view.copy_from(tensor);
    return view;
}

Tensor with_gaps_in_rows(const Tensor& tensor) {
    if (tensor.rank() == 0) return tensor;
    constexpr Index step = 2;
    Shape wide = tensor.shape();
    wide.back() *= step;
    const Tensor storage = Tensor::full(wide, std::numeric_limits<float>::quiet_NaN());
    Strides strides = storage.strides();
    strides.back() = step;
    Tensor view = storage.as_strided(tensor.shape(), strides, 0);
    view.copy_from(tensor);
    return view;
}

Tensor dense(const Tensor& tensor) { return tensor.contiguous(); }

Tensor repeated_along(const Tensor& tensor, Index axis) {
    return tensor.slice(axis, 0, 1).contiguous().clone().expand(tensor.shape());
}

namespace {

void collect(std::vector<Tensor*>& tensors, wire::Value& value, Nested nested) {
    if (auto* tensor = std::get_if<Tensor>(&value); tensor != nullptr && tensor->defined()) tensors.push_back(tensor);
    if (auto* record = std::get_if<wire::Record>(&value); record != nullptr && nested == Nested::too)
        for (wire::Field& field : record->fields) collect(tensors, field.value, nested);
}

}  // namespace

std::vector<Tensor*> tensors_in(Arguments& arguments, Nested nested) {
    std::vector<Tensor*> tensors;
    for (wire::Field& field : arguments) collect(tensors, field.value, nested);
    return tensors;
}

}  // namespace headway::judge
