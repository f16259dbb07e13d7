#pragma once

namespace headway::cli {

/// While it lives, the first Ctrl-C (or SIGTERM) only asks for an end; the second ends the program at once.
class Interrupt {
public:
    Interrupt();
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    static bool requested();
};

inline constexpr int interrupted = 130;

}  // namespace headway::cli
