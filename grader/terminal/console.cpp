#include "terminal/console.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace headway::cli {
namespace {

std::string_view environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string_view() : std::string_view(value);
}

/// The locale that decides about characters; without any, UTF-8: nearly every terminal of today shows it.
bool shows_unicode() {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        const std::string_view value = environment(name);
        if (value.empty()) continue;
        return value.find("UTF-8") != std::string_view::npos || value.find("utf8") != std::string_view::npos ||
               value.find("utf-8") != std::string_view::npos;
    }
    return true;
}

}  // namespace

report::TerminalStyle terminal_style() {
    report::TerminalStyle style;
    const bool is_terminal = ::isatty(STDOUT_FILENO) == 1;
    winsize size{};
    if (is_terminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        style.width = std::clamp<std::size_t>(size.ws_col, 40, 100);
    style.colour = is_terminal && environment("NO_COLOR").empty() && environment("TERM") != "dumb";
    style.unicode = shows_unicode();
    style.read_by_editor = !environment("HEADWAY_READ_BY_EDITOR").empty();
    return style;
}

std::string seen_from_here(const std::filesystem::path& folder) {
    std::error_code gone;
    const std::filesystem::path relative = folder.lexically_relative(std::filesystem::current_path(gone));
    const bool is_below = !gone && !relative.empty() && relative != "." && *relative.begin() != "..";
    return (is_below ? relative : folder).string();
}

void show_paged(const std::string& text) {
    if (::isatty(STDOUT_FILENO) == 1) {
        // -F: no pager where it fits; -R: colours; -X: it stays on the screen. 127: there is no such program.
        std::FILE* pager = ::popen("${PAGER:-less -FRX} 2>/dev/null", "w");
        if (pager != nullptr) {
            std::fwrite(text.data(), 1, text.size(), pager);
            const int status = ::pclose(pager);
            if (!(WIFEXITED(status) && WEXITSTATUS(status) == 127)) return;
        }
    }
    fmt::print("{}", text);
}

ProgressLine::ProgressLine() : is_terminal_(::isatty(STDERR_FILENO) == 1) {}

void ProgressLine::show(const std::string& text) {
    if (!is_terminal_) {
        constexpr std::chrono::seconds quiet{30};
        const auto now = std::chrono::steady_clock::now();
        if (now - last_line_ < quiet) return;
        last_line_ = now;
        fmt::print(stderr, "{}\n", text);
        return;
    }
    fmt::print(stderr, "\r\033[K{:.78}", text);
    std::fflush(stderr);
    shown_ = true;
}

void ProgressLine::keep(const std::string& text) {
    clear();
    fmt::print(stderr, "{}\n", text);
}

void ProgressLine::clear() {
    if (!shown_) return;
    fmt::print(stderr, "\r\033[K");
    std::fflush(stderr);
    shown_ = false;
}

}  // namespace headway::cli
