#pragma once

#include <headway/tensor.hpp>

namespace student {

/// Fresh storage, one copy_from per matrix.
inline headway::Tensor row_major_copy(const headway::Tensor& x) {
    headway::Tensor copy = headway::Tensor::empty(x.shape());
    if (x.rank() <= 2) {
        copy.copy_from(x);
        return copy;
    }
    for (headway::Index i = 0; i < x.size(0); ++i) copy[i].copy_from(row_major_copy(x[i]));
    return copy;
}

}  // namespace student
