#pragma once

#include <string>
#include <string_view>

namespace headway::report {

/// A formula of a lesson, as one would type it: `\frac{q k^\mathsf{T}}{\sqrt{d}}` is "(q kᵀ) / √d". Shapes that
/// stand below or above a symbol follow it.
std::string typed(std::string_view formula);

}  // namespace headway::report
