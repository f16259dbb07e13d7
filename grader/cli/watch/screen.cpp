#include "cli/watch/screen.hpp"

#include "grading/course.hpp"

#include <algorithm>
#include <array>

#include <sys/ioctl.h>
#include <unistd.h>

namespace headway::cli {
namespace {

void put(std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
        if (written <= 0) return;  // the terminal is gone; the signal says so
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

constexpr std::string_view other_screen = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J";  // no cursor, no wrapping
constexpr std::string_view own_screen = "\x1b[?7h\x1b[?25h\x1b[?1049l";
constexpr std::string_view erase_line = "\x1b[K";  // before its text: past a full line it would take the last column

}  // namespace

Screen::Screen() {
    if (::isatty(STDIN_FILENO) != 1 || ::isatty(STDOUT_FILENO) != 1 || ::tcgetattr(STDIN_FILENO, &before_) != 0)
        throw UsageError("watch needs a terminal; ./headway grade does without");
    termios raw = before_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    raw.c_cc[VSUSP] = _POSIX_VDISABLE;  // stopped, it would leave the terminal as it is
    ::tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    put(other_screen);
}

Screen::~Screen() { leave(); }

void Screen::leave() const {
    put(own_screen);
    ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
}

std::size_t Screen::rows() const {
    winsize size{};
    const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 1;
    return known ? size.ws_row : 24;
}

void Screen::draw(std::string_view text, std::size_t top, std::string_view footer) const {
    std::string frame = "\x1b[?2026h\x1b[H";  // terminals that know it show the frame when it is whole
    const std::size_t room = rows() - 1;
    for (std::size_t line = 0, drawn = 0; drawn < room; ++line) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        if (line >= top) {
            frame.append(erase_line).append(text.substr(0, end)).append("\n");
            ++drawn;
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    frame.append(erase_line).append(footer).append("\x1b[?2026l");
    put(frame);
}

char Screen::key() const {
    char typed = none;
    if (::read(STDIN_FILENO, &typed, 1) != 1) return none;
    if (typed == ' ') return page_down;
    if (typed != '\x1b') return typed;
    std::array<char, 8> sequence{};  // an arrow, say: what follows is there already
    const ssize_t count = ::read(STDIN_FILENO, sequence.data(), sequence.size());
    const std::string_view rest(sequence.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
    if (rest.starts_with("[A") || rest.starts_with("OA")) return up;
    if (rest.starts_with("[B") || rest.starts_with("OB")) return down;
    if (rest.starts_with("[5~")) return page_up;
    if (rest.starts_with("[6~")) return page_down;
    return escape;
}

}  // namespace headway::cli
