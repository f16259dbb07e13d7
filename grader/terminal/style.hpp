#pragma once

#include <cstddef>

namespace headway::report {

/// How text is shown: for which terminal, and how much of it.
struct TerminalStyle {
    std::size_t width = 80;  ///< columns; only places are wider (but 40 are taken even where there are fewer)
    bool colour = false;
    bool unicode = true;
    bool verbose = false;  ///< every property, all output, the compiler's words in full
    /// What an editor reads of a report is not wrapped, either: the compiler's words and a failure's line.
    bool read_by_editor = false;
    bool has_keys = false;  ///< `watch`: h, l and n do what commands do elsewhere
};

}  // namespace headway::report
