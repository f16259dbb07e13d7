#pragma once

#include <headway/layout.hpp>

namespace headway {

/// How many multiply-adds every matmul of this process has done so far: M·K·N for each product of (M, K) and (K, N).
Index multiply_adds();

}  // namespace headway
