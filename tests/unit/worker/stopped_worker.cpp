// Functions that never answer, each in its own way; interruption_test.cpp asks them.
#include "worker/dispatcher.hpp"

#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <pthread.h>
#include <unistd.h>

namespace {

volatile int zero = 0;

[[gnu::noinline]] double spin() {
    while (zero == 0) {
    }
    return zero;
}

[[gnu::noinline]] double rest() {
    while (zero == 0) ::pause();
    return zero;
}

[[gnu::noinline]] double ask_for_memory() {
    while (zero == 0) std::free(std::malloc(static_cast<std::size_t>(zero) + 100));
    return zero;
}

[[gnu::noinline]] double deeper(int depth) {  // NOLINT(misc-no-recursion)
    return depth + zero < 0 ? depth : deeper(depth + 1) + depth;
}

double recurse() { return deeper(1); }

[[gnu::noinline]] double touch_nothing() {
    int* const nothing = reinterpret_cast<int*>(static_cast<std::intptr_t>(zero));
    return *const_cast<volatile int*>(nothing);
}

[[gnu::noinline]] double give_up() {
    if (zero == 0) std::abort();
    return 0;
}

double spin_deaf() {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
    return spin();
}

sigjmp_buf way_out;

/// A handler of the submission's own, which comes back with an answer as soon as it is asked.
double answer_when_asked() {
    if (sigsetjmp(way_out, 1) != 0) return 7;
    std::signal(SIGURG, [](int) { siglongjmp(way_out, 1); });
    return spin();
}

[[gnu::noinline]] double spin_on_a_spoilt_stack() {
    char room[16] = {};
    char* volatile end = room;
    std::memset(end, 'A', 600);
    return spin() + room[zero];
}

/// The child is asked nothing, and tells nothing when it dies.
double spin_with_a_child() {
    if (::fork() == 0) std::abort();
    return spin();
}

}  // namespace

void headway::worker::add_functions(Dispatcher& dispatcher) {
    dispatcher.add("spin", spin);
    dispatcher.add("rest", rest);
    dispatcher.add("ask_for_memory", ask_for_memory);
    dispatcher.add("recurse", recurse);
    dispatcher.add("touch_nothing", touch_nothing);
    dispatcher.add("give_up", give_up);
    dispatcher.add("spin_deaf", spin_deaf);
    dispatcher.add("answer_when_asked", answer_when_asked);
    dispatcher.add("spin_on_a_spoilt_stack", spin_on_a_spoilt_stack);
    dispatcher.add("spin_with_a_child", spin_with_a_child);
}
