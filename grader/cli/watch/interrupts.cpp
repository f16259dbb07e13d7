#include "cli/watch/interrupts.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace headway::cli {
namespace {

/// A signal handler may do little more than write to a pipe.
std::array<int, 2> ends = {-1, -1};
volatile std::sig_atomic_t stop = 0;

constexpr std::array handled = {SIGINT, SIGTERM, SIGHUP, SIGWINCH};

void on_signal(int signal) {
    const int error = errno;
    if (signal != SIGWINCH) stop = 1;
    [[maybe_unused]] const ssize_t written = ::write(ends[1], "!", 1);  // full: it will wake anyway
    errno = error;
}

}  // namespace

Interrupts::Interrupts() {
    if (::pipe2(ends.data(), O_NONBLOCK | O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category());
    struct sigaction action {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    for (const int signal : handled) ::sigaction(signal, &action, nullptr);
}

Interrupts::~Interrupts() {
    for (const int signal : handled) std::signal(signal, SIG_DFL);
    for (int& end : ends) ::close(end);
}

int Interrupts::descriptor() const { return ends[0]; }

void Interrupts::wake() const { [[maybe_unused]] const ssize_t written = ::write(ends[1], "!", 1); }

bool Interrupts::asked_to_stop() const {
    std::array<char, 64> bytes;
    while (::read(ends[0], bytes.data(), bytes.size()) > 0) {
    }
    return stop != 0;
}

}  // namespace headway::cli
