#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <termios.h>

namespace headway::cli {

/// The whole terminal, until this object goes: the other screen of it, without echo, keys at once. What was on the
/// terminal before comes back, however the program ends.
class Screen {
public:
    /// @throws UsageError if standard input and output are no terminal
    Screen();
    ~Screen();
    Screen(const Screen&) = delete;
    Screen& operator=(const Screen&) = delete;

    std::size_t rows() const;

    /// Overwrites what is there, in one piece: nothing is cleared first, so nothing flickers.
    /// @param text  its lines from `top` on, as many as fit; none wider than the terminal
    /// @param footer  the last line
    void draw(std::string_view text, std::size_t top, std::string_view footer) const;

    /// A letter, or one of these; `none` if nothing was typed.
    enum Key : char { none = 0, up = 1, down = 2, page_up = 3, page_down = 4, escape = 27 };
    char key() const;

    /// Gives the terminal back.
    void leave() const;

private:
    termios before_{};
};

}  // namespace headway::cli
