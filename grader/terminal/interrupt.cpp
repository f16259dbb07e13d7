#include "terminal/interrupt.hpp"

#include <atomic>
#include <csignal>
#include <cstring>

#include <unistd.h>

namespace headway::cli {
namespace {

std::atomic<int> requests = 0;
const char* volatile to_say = "";
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may use nothing else");

extern "C" void on_signal(int) {
    if (requests++ > 0) ::_exit(interrupted);
    if (::write(STDERR_FILENO, to_say, std::strlen(to_say)) < 0) return;  // there is nobody to read it
}

}  // namespace

Interrupt::Interrupt(const char* said) {
    to_say = said;
    requests = 0;
    std::signal(SIGINT, on_signal);
    std::signal(SIGTERM, on_signal);
}

Interrupt::~Interrupt() {
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
}

bool Interrupt::requested() { return requests > 0; }

}  // namespace headway::cli
