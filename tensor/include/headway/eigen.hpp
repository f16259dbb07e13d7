#pragma once

#include <headway/eigen_products.hpp>
#include <headway/tensor.hpp>

#include <Eigen/Core>

#include <stdexcept>

namespace headway {

using EigenStride = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;
using EigenMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using EigenMap = Eigen::Map<EigenMatrix, Eigen::Unaligned, EigenStride>;

/// A matrix as Eigen sees it, whatever its strides: nothing is copied, writing writes to the tensor.
/// Rank-2 slices of any tensor work: `as_eigen(x[b][h]) * as_eigen(w)`.
/// @throws std::invalid_argument if the tensor is not of rank 2
inline EigenMap as_eigen(Tensor tensor) {
    if (tensor.rank() != 2)
        throw std::invalid_argument("as_eigen: a matrix is needed, the shape is " + to_string(tensor.shape()) +
                                    "; take a slice first, such as x[b][h]");
    return {tensor.data(), tensor.size(0), tensor.size(1), EigenStride(tensor.strides()[0], tensor.strides()[1])};
}

}  // namespace headway
