#pragma once

namespace headway::cli {

/// While it lives, the first Ctrl-C (or SIGTERM) only asks for an end, and says so where there is something to say; the
/// second ends the program at once.
class Interrupt {
public:
    explicit Interrupt(const char* said = "");
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    static bool requested();
};

inline constexpr int interrupted = 130;

}  // namespace headway::cli
