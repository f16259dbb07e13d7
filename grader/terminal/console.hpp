#pragma once

#include "terminal/style.hpp"

#include <chrono>
#include <filesystem>
#include <string>

namespace headway::cli {

/// What this terminal can show: its width, colours unless NO_COLOR is set or output goes elsewhere, Unicode by locale.
report::TerminalStyle terminal_style();

/// `folder` as terminals and editors find it from here: relative where it is below the current folder, else whole.
std::string seen_from_here(const std::filesystem::path& folder);

/// Prints; on a terminal by way of $PAGER, or less, which show short texts as they are.
void show_paged(const std::string& text);

/// One line on standard error that is overwritten as work goes on; where that is no terminal, a line every half minute.
class ProgressLine {
public:
    ProgressLine();
    ~ProgressLine() { clear(); }
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    void show(const std::string& text);
    /// A line that stays.
    void keep(const std::string& text);
    void clear();

private:
    bool is_terminal_;
    bool shown_ = false;
    std::chrono::steady_clock::time_point last_line_ = std::chrono::steady_clock::now();
};

}  // namespace headway::cli
