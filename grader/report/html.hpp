#pragma once

#include <string>

#include "verdict/verdict.hpp"

namespace headway::report {

/// The whole verdict as one page that needs nothing else: no network, no script.
std::string html(const verdict::Verdict& verdict);

}  // namespace headway::report
