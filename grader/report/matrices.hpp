#pragma once

#include "terminal/page.hpp"
#include "verdict/verdict.hpp"

namespace headway::report {

enum class Shown { nothing, numbers };

/// Shows `yours` and `expected`, either of which may be missing, beside each other or one below the other. What has
/// more than 6 rows (counting those of all matrices of a batch) or columns is not shown; then the shapes are, if they
/// differ.
Shown show_numbers(Page& page, std::size_t indent, const verdict::Failure& failure);

}  // namespace headway::report
