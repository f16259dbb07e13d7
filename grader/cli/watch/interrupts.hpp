#pragma once

namespace headway::cli {

/// Wakes a loop that waits for descriptors: from a signal, or from another thread.
class Interrupts {
public:
    /// SIGINT, SIGTERM, SIGHUP ask to stop; SIGWINCH says that the terminal has another size. One at a time.
    Interrupts();
    ~Interrupts();
    Interrupts(const Interrupts&) = delete;
    Interrupts& operator=(const Interrupts&) = delete;

    /// Readable when something happened.
    int descriptor() const;
    void wake() const;
    /// Forgets what happened so far. @return whether somebody asked to stop
    bool asked_to_stop() const;
};

}  // namespace headway::cli
