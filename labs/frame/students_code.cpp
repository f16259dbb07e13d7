#include "labs/frame/students_code.hpp"

#include "terminal/exit_status.hpp"

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

namespace headway::lab {
namespace {

// What a signal handler looks at.
const char* volatile running_exercise = nullptr;
const char* volatile running_function = nullptr;

void write_text(const char* text) {
    if (::write(STDERR_FILENO, text, std::strlen(text)) < 0) return;  // nobody is there to be told
}

/// Ends the program with a sentence, as a signal handler may.
[[noreturn]] void blame(const char* why) {
    const char* exercise = running_exercise;
    const std::array<char, 3> number{exercise[0], exercise[1], '\0'};
    for (const char* part : {"\nheadway: your ", static_cast<const char*>(running_function), " (", exercise, ") ", why,
                             ".\n./headway grade ", number.data(), " may say where.\n"})
        write_text(part);
    ::_exit(cli::some_did_not_pass);
}

extern "C" void on_crash(int signal) {
    if (running_exercise != nullptr)
        blame(signal == SIGSEGV || signal == SIGBUS ? "crashed: it touched memory that is not its own"
              : signal == SIGFPE                    ? "crashed: it divided by zero"
              : signal == SIGABRT                   ? "ended the program (abort)"
                                                    : "crashed");
    std::signal(signal, SIG_DFL);
    ::raise(signal);
}

void on_exit() {
    if (running_exercise != nullptr) blame("ended the program (exit)");
}

/// Once in a program.
void watch() {
    static std::array<char, 64 * 1024> stack;  // a stack that overflows has no room for a handler
    stack_t of_handler{};
    of_handler.ss_sp = stack.data();
    of_handler.ss_size = stack.size();
    ::sigaltstack(&of_handler, nullptr);
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
        struct sigaction action {};
        action.sa_handler = on_crash;
        action.sa_flags = SA_ONSTACK;
        ::sigaction(signal, &action, nullptr);
    }
    std::atexit(on_exit);
}

}  // namespace

StudentsTurn::StudentsTurn(const char* exercise, const char* function) {
    [[maybe_unused]] static const bool watched = (watch(), true);
    running_function = function;
    running_exercise = exercise;
}

StudentsTurn::~StudentsTurn() { running_exercise = nullptr; }

}  // namespace headway::lab
