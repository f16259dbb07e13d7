// How a worker ends that gives no answer, and what is said of that.
#include "student/worker_link.hpp"

#include "student/abort_words.hpp"
#include "wire/frame.hpp"
#include "wire/whereabouts.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <thread>
#include <utility>

#include <sys/socket.h>

namespace headway::judge {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using verdict::FailureKind;

/// How long the end of a process may take that has closed its connection.
constexpr milliseconds patience_with_the_dying{1000};

/// Of a worker's own time, for the answer to the question where it is.
constexpr milliseconds time_to_say_where{200};

std::string signal_words(int signal) {
    switch (signal) {
        case SIGSEGV:
            return "crashed: SIGSEGV (it touched memory that is not its own, or recursed without end)";
        case SIGFPE:
            return "crashed: SIGFPE (an integer division by zero)";
        case SIGBUS:
            return "crashed: SIGBUS (it touched memory that is not there)";
        case SIGILL:
        case SIGTRAP:
            return "crashed: it ran into code that must never be reached (a function without a return statement?)";
        default: {
            const char* name = ::sigabbrev_np(signal);
            return "was ended by the signal SIG" + std::string(name == nullptr ? std::to_string(signal) : name);
        }
    }
}

/// Completes "your split_heads ..."; what the program did then follows.
std::string never_reached() { return std::string("was never reached: ") + before_main + ", the program "; }

/// Whether somebody sends it, rather than the kernel to a program that does what it must not.
bool is_sent(int signal) { return signal == SIGKILL || signal == SIGTERM || signal == SIGHUP || signal == SIGINT; }

}  // namespace

/// It may stay silent, lie, or answer something else, of which some may have come already: then no line is told.
void WorkerLink::ask_where_it_is() {
    if (!begun_ || !process_.ask(wire::where_are_you)) return;
    const auto begin = time_used();
    const auto wall = steady_clock::now() + limits_.wall;
    wire::Bytes received;
    for (bool is_patient = true; is_patient && steady_clock::now() < wall;) {
        std::array<pollfd, 1> waiting{{{process_.channel(), POLLIN, 0}}};
        const int ready = wait_for(waiting);
        count_time(OwnWaiting::counts);
        const auto computed_before = used_.computed;
        look_at_times();
        is_patient = (time_used() - begin < time_to_say_where || is_kept_waiting_since(computed_before)) &&
                     process_.resident_bytes() <= limits_.resident_bytes;
        if (ready <= 0) continue;
        std::array<std::byte, wire::most_whereabouts_bytes> buffer;  // NOLINT(*-member-init): filled by recv
        const ssize_t got = ::recv(process_.channel(), buffer.data(), buffer.size(), 0);
        if (got <= 0) return;
        received.insert(received.end(), buffer.begin(), buffer.begin() + got);
        if (note_where_it_is(received) || received.size() > buffer.size()) return;
    }
}

/// @return whether that was a whole answer
bool WorkerLink::note_where_it_is(std::span<const std::byte> received) try {
    if (received.size() < wire::frame_header_bytes) return false;
    const std::size_t size = wire::payload_size(received);
    if (received.size() < wire::frame_header_bytes + size) return false;
    const auto sent = received.subspan(wire::frame_header_bytes, size);
    const wire::Reply reply = wire::decode_reply(wire::Bytes(sent.begin(), sent.end()));  // which is aligned
    if (reply.error && reply.error->kind == wire::ErrorKind::interrupted) where_ = reply.error->frames;
    return true;
} catch (const wire::MalformedMessage&) {
    return true;
}

void WorkerLink::wait_for_end() {
    count_time(OwnWaiting::is_not_its_own);
    const auto begin = steady_clock::now();
    while (!process_.ended() && steady_clock::now() < begin + patience_with_the_dying)
        std::this_thread::sleep_for(milliseconds(1));
    count_time(OwnWaiting::counts);
    drain_output();
}

void WorkerLink::explain_uncaught(const wire::Error& error) {
    wait_for_end();
    look_at_times();
    process_.kill();
    process_.wait();
    const auto told = [&](const std::string& said) {
        return "threw " + error.type + ", which nothing could catch" + (said.empty() ? "" : ": " + said);
    };
    // A worker that has answered has reached main, whatever it says.
    if (!error.before_main || has_answered_)
        throw NoAnswer{FailureKind::exception, told(error.message), false, error, error.frames};
    throw NoAnswer{FailureKind::exception, never_reached() + told(error.message), false, {}, error.frames};
}

/// A signal ends it, and it has said where it was.
void WorkerLink::explain_interruption(const wire::Error& error) {
    wait_for_end();
    if (!process_.ended())
        stop(FailureKind::protocol, "sent something that is not an answer (of a signal that never came)");
    where_ = error.frames;
    stack_is_used_up_ = error.type == wire::stack_is_used_up;
    // What the last call did before there was no room for more is none of it.
    const auto repeats = [&](std::int64_t address) { return std::ranges::count(where_, address) > 1; };
    if (stack_is_used_up_) where_.erase(where_.begin(), std::ranges::find_if(where_, repeats));
    explain_end();
}

void WorkerLink::explain_end() {
    // The socket is closed; the process follows, unless only the socket was closed.
    wait_for_end();
    const auto ended = process_.ended();
    if (!ended) stop(FailureKind::protocol, "closed its connection to the grader");
    if (tail_.find("AddressSanitizer") != std::string::npos || tail_.find("runtime error: ") != std::string::npos)
        stop(FailureKind::sanitizer, "was stopped by a sanitizer");
    look_at_memory();
    if (ended->signal == SIGXCPU) stop(FailureKind::timeout, "used up its computing time");
    if (ended->signal == SIGSEGV && stack_is_used_up_) stop(FailureKind::crash, used_up_the_stack);
    if (ended->signal == SIGSYS && is_alone_) stop(FailureKind::wrong_behaviour, starts_processes);
    if (ended->signal == SIGABRT) stop(FailureKind::crash, abort_words(tail_));
    if (ended->signal != 0)
        stop(FailureKind::crash, signal_words(ended->signal), is_sent(ended->signal) ? Doubt::outside : Doubt::none);
    stop(FailureKind::exit, "ended the process: exit status " + std::to_string(ended->exit_code));
}

void WorkerLink::stop(FailureKind kind, const std::string& message, Doubt doubt) {
    look_at_times();
    begun_ |= !has_unread() && !hung_up_on_;
    process_.kill();
    process_.wait();
    throw NoAnswer{kind, (begun_ ? "" : never_reached()) + message, doubt == Doubt::outside, {}, std::move(where_)};
}

}  // namespace headway::judge
