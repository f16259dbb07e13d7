#pragma once

#include <cstddef>

namespace headway::report {

/// How text is shown: for which terminal, and how much of it.
struct TerminalStyle {
    std::size_t width = 80;  ///< columns; no line is wider (but 40 are taken even where there are fewer)
    bool colour = false;
    bool unicode = true;
    bool verbose = false;  ///< every property, all output, the compiler's words in full
};

}  // namespace headway::report
