#include "worker/interruption.hpp"

#include "wire/whereabouts.hpp"
#include "worker/own_calls.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>

#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

namespace headway::worker {
namespace {

/// A stack may be used up, which is why the program ends. Room for a walk, and for the registers of any processor.
constexpr std::size_t stack_of_handlers = std::size_t{64} << 10U;

struct Telling {
    wire::Whereabouts whereabouts;
    wire::Whereabouts end_of_stack{wire::Whereabouts::Stack::is_used_up};
    std::uintptr_t stack_begin = 0;  ///< it grows downwards from here
    std::uintptr_t stack_bytes = 0;
    OwnCalls calls;
    int channel = -1;
    bool (*claim)() = nullptr;
    pid_t process = 0;
};

Telling* telling = nullptr;

/// Nothing here may ask for memory: the call may have been interrupted while it did so itself.
void tell(wire::Whereabouts& whereabouts) {
    if (::getpid() != telling->process || !telling->claim()) return;  // a child that was forked tells nothing
    walk_from_interruption(telling->calls);
    for (std::size_t i = 0; i < telling->calls.count; ++i) whereabouts.set(i, telling->calls.addresses[i]);
    whereabouts.send(telling->channel);
}

std::uintptr_t stack_pointer(const void* context) {
    const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    return static_cast<std::uintptr_t>(registers.gregs[REG_RSP]);
#elif defined(__aarch64__)
    return static_cast<std::uintptr_t>(registers.sp);
#else
    static_cast<void>(registers);
    return 0;
#endif
}

/// Whether memory was touched where the stack of the first thread would have to grow to, and may not. Half of it
/// counts as all: what is at its end is the kernel's business. Other threads have stacks that nobody knows here.
bool is_at_the_end_of_the_stack(const siginfo_t& info, const void* context) {
    constexpr std::uintptr_t pushed_below = 512, largest_frame = std::uintptr_t{64} << 10U;
    const auto at = reinterpret_cast<std::uintptr_t>(info.si_addr);
    const std::uintptr_t pointer = stack_pointer(context);
    const bool is_deep = pointer < telling->stack_begin && telling->stack_begin - pointer > telling->stack_bytes / 2 &&
                         telling->stack_begin - pointer < 2 * telling->stack_bytes;
    return is_deep && at + pushed_below > pointer && at < pointer + largest_frame;
}

void answer(int /*signal*/, siginfo_t* /*info*/, void* /*context*/) {
    const int error = errno;
    tell(telling->whereabouts);
    errno = error;
}

/// Its action is the usual one again by now, and takes place when this returns.
void tell_and_end(int signal, siginfo_t* info, void* context) {
    tell(signal == SIGSEGV && is_at_the_end_of_the_stack(*info, context) ? telling->end_of_stack
                                                                         : telling->whereabouts);
    std::raise(signal);
}

void handle(int signal, void (*handler)(int, siginfo_t*, void*), int flags) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) return;
    action = {};
    action.sa_sigaction = handler;
    action.sa_flags = SA_ONSTACK | SA_SIGINFO | flags;
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
    rlimit stack{};
    told.stack_begin = reinterpret_cast<std::uintptr_t>(&stack);
    if (::getrlimit(RLIMIT_STACK, &stack) == 0) told.stack_bytes = stack.rlim_cur;
    telling = &told;
    prepare_own_calls();
    give_handlers_a_stack();
    handle(wire::where_are_you, answer, SA_RESTART);
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT})
        handle(signal, tell_and_end, static_cast<int>(SA_RESETHAND));
}

}  // namespace headway::worker
