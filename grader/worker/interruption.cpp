#include "worker/interruption.hpp"

#include "wire/whereabouts.hpp"
#include "worker/own_calls.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>

#include <unistd.h>

namespace headway::worker {
namespace {

/// A stack may be used up, which is why the program ends. Room for a walk, and for the registers of any processor.
constexpr std::size_t stack_of_handlers = std::size_t{64} << 10U;

struct Telling {
    wire::Whereabouts whereabouts;
    OwnCalls calls;
    int channel = -1;
    bool (*claim)() = nullptr;
    pid_t process = 0;
};

Telling* telling = nullptr;

/// Nothing here may ask for memory: the call may have been interrupted while it did so itself.
void tell() {
    if (::getpid() != telling->process || !telling->claim()) return;  // a child that was forked tells nothing
    walk_from_interruption(telling->calls);
    for (std::size_t i = 0; i < telling->calls.count; ++i) telling->whereabouts.set(i, telling->calls.addresses[i]);
    telling->whereabouts.send(telling->channel);
}

void answer(int /*signal*/) {
    const int error = errno;
    tell();
    errno = error;
}

/// Its action is the usual one again by now, and takes place when this returns.
void tell_and_end(int signal) {
    tell();
    std::raise(signal);
}

void handle(int signal, void (*handler)(int), int flags) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) return;
    action = {};
    action.sa_handler = handler;
    action.sa_flags = SA_ONSTACK | flags;
    ::sigaction(signal, &action, nullptr);
}

void give_handlers_a_stack() {
    alignas(std::max_align_t) static std::array<std::byte, stack_of_handlers> room;
    stack_t stack{};
    if (::sigaltstack(nullptr, &stack) != 0 || (stack.ss_flags & SS_DISABLE) == 0) return;  // a sanitizer's
    stack = {.ss_sp = room.data(), .ss_flags = 0, .ss_size = room.size()};
    ::sigaltstack(&stack, nullptr);
}

}  // namespace

void tell_of_interruptions(int channel, bool (*claim)()) {
    static Telling told;
    told.channel = channel;
    told.claim = claim;
    told.process = ::getpid();
    telling = &told;
    prepare_own_calls();
    give_handlers_a_stack();
    handle(wire::where_are_you, answer, SA_RESTART);
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT})
        handle(signal, tell_and_end, static_cast<int>(SA_RESETHAND));
}

}  // namespace headway::worker
