#pragma once

#include <string>
#include <string_view>

namespace headway::report {

/// The course's signs in ASCII, for terminals that have nothing else: `q·kᵀ / √head_dim` is `q*k^T / sqrt(head_dim)`.
/// What it does not know stays as it is.
std::string spelled_in_ascii(std::string_view text);

}  // namespace headway::report
