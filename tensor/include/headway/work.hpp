#pragma once

#include <headway/layout.hpp>

namespace headway {

/// How many multiply-adds matrix products have done so far in this process, by matmul or by Eigen through eigen.hpp:
/// M·K·N for each product of (M, K) and (K, N).
Index multiply_adds();

}  // namespace headway
