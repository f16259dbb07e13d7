#include "worker_link.hpp"

#include "../wire/frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <span>
#include <system_error>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

namespace headway::judge {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using verdict::FailureKind;

/// How often limits are looked at while a call runs.
constexpr int tick_milliseconds = 10;

/// Room for a sanitizer report.
constexpr std::size_t tail_bytes = std::size_t{32} << 10U;

void make_nonblocking(int descriptor) { ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) | O_NONBLOCK); }

std::string seconds(milliseconds duration) { return fmt::format("{} s", static_cast<double>(duration.count()) / 1000); }

std::string mebibytes(std::uint64_t bytes) { return std::to_string(bytes >> 20U) + " MiB"; }

std::string signal_words(int signal) {
    switch (signal) {
        case SIGSEGV:
            return "crashed: SIGSEGV (it touched memory that is not its own, or recursed without end)";
        case SIGABRT:
            return "aborted: SIGABRT (a failed assertion, or an exception that left a noexcept function)";
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

}  // namespace

struct WorkerLink::Deadline {
    steady_clock::time_point wall;
    std::chrono::nanoseconds cpu;
    milliseconds cpu_limit;
    milliseconds wall_limit;
};

WorkerLink::WorkerLink(const sandbox::Launch& launch, const CallLimits& limits)
    : process_(sandbox::Process::start(launch, sandbox::Channel::yes)), limits_(limits) {
    next_look_ = steady_clock::now() + milliseconds(tick_milliseconds / 2);
    make_nonblocking(process_.channel());
    make_nonblocking(process_.output());
}

wire::Reply WorkerLink::exchange(const wire::Call& call, milliseconds cpu, milliseconds wall) {
    printed_in_call_ = 0;
    const Deadline deadline{steady_clock::now() + wall, process_.cpu_time() + cpu, cpu, wall};
    wire::Bytes payload;
    send_and_receive(wire::framed(wire::encode(call)), payload, deadline);
    drain_output();
    try {
        wire::Reply reply = wire::decode_reply(payload);
        if (reply.id != call.id) throw wire::MalformedMessage("an answer to another call");
        return reply;
    } catch (const wire::MalformedMessage& error) {
        stop(FailureKind::protocol, std::string("sent something that is not an answer (") + error.what() + ")");
    }
}

void WorkerLink::send_and_receive(const wire::Bytes& frame, wire::Bytes& reply, const Deadline& deadline) {
    std::span<const std::byte> unsent = frame;
    const auto send_what_fits = [&] {
        const ssize_t sent = ::send(process_.channel(), unsent.data(), unsent.size(), MSG_NOSIGNAL);
        if (sent > 0) unsent = unsent.subspan(static_cast<std::size_t>(sent));
    };
    send_what_fits();
    wire::Bytes received;
    for (;;) {
        std::array<pollfd, 2> waiting{{{process_.channel(), POLLIN, 0}, {process_.output(), POLLIN, 0}}};
        if (!unsent.empty()) waiting[0].events |= POLLOUT;
        const int ready = ::poll(waiting.data(), waiting.size(), tick_milliseconds);
        if (ready < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "poll");
        check_limits(deadline);
        if (ready <= 0) continue;
        if ((waiting[1].revents & (POLLIN | POLLHUP)) != 0 && !drain_output() && (waiting[0].revents & ~POLLOUT) == 0)
            std::this_thread::sleep_for(milliseconds(1));  // it closed its output: no news from there any more
        if ((waiting[0].revents & POLLOUT) != 0) send_what_fits();
        if ((waiting[0].revents & (POLLIN | POLLHUP | POLLERR)) == 0) continue;
        if (!receive(received)) explain_end();
        if (received.size() < wire::frame_header_bytes) continue;
        std::size_t size = 0;
        try {
            size = wire::payload_size(received);
        } catch (const wire::MalformedMessage& error) {
            stop(FailureKind::protocol, std::string("sent something that is not an answer (") + error.what() + ")");
        }
        if (received.size() < wire::frame_header_bytes + size) continue;
        if (received.size() > wire::frame_header_bytes + size) stop(FailureKind::protocol, "sent more than one answer");
        reply.assign(received.begin() + wire::frame_header_bytes, received.end());
        return;
    }
}

/// @return false at the end of the stream
bool WorkerLink::receive(wire::Bytes& received) {
    std::array<std::byte, 1 << 16> buffer;  // NOLINT(*-member-init): filled by recv
    for (;;) {
        const ssize_t got = ::recv(process_.channel(), buffer.data(), buffer.size(), 0);
        if (got > 0) {
            received.insert(received.end(), buffer.begin(), buffer.begin() + got);
            if (received.size() > wire::max_frame_bytes + wire::frame_header_bytes)
                stop(FailureKind::protocol, "sent more than an answer may hold");
            if (static_cast<std::size_t>(got) < buffer.size()) return true;
            continue;
        }
        if (got < 0 && errno == EINTR) continue;
        return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    }
}

/// @return false if it has closed its output
bool WorkerLink::drain_output() {
    std::array<char, 1 << 14> buffer;  // NOLINT(*-member-init): filled by read
    for (;;) {
        const ssize_t got = ::read(process_.output(), buffer.data(), buffer.size());
        if (got == 0) return false;
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return true;
        const auto count = static_cast<std::size_t>(got);
        const std::size_t room = limits_.output_kept - std::min(limits_.output_kept, printed_.text.size());
        printed_.text.append(buffer.data(), std::min(room, count));
        printed_.truncated |= count > room;
        printed_in_call_ += count;
        tail_.append(buffer.data(), count);
        if (tail_.size() > 2 * tail_bytes) tail_.erase(0, tail_.size() - tail_bytes);
        if (printed_in_call_ > limits_.output_flood)
            stop(FailureKind::output_flood, "printed more than " + mebibytes(limits_.output_flood) + " in one call");
    }
}

/// Now and then: looking costs more than most calls take.
void WorkerLink::check_limits(const Deadline& deadline) {
    const auto now = steady_clock::now();
    if (now < next_look_) return;
    next_look_ = now + milliseconds(tick_milliseconds / 2);
    if (process_.cpu_time() > deadline.cpu)
        stop(FailureKind::timeout, "did not come to an end within " + seconds(deadline.cpu_limit) +
                                       " of computing (a loop whose condition never becomes false?)");
    if (now > deadline.wall) {
        // On a busy machine a loop may not get all of its processor time before.
        const auto computed = process_.cpu_time() - (deadline.cpu - deadline.cpu_limit);
        stop(FailureKind::timeout,
             "gave no answer within " + seconds(deadline.wall_limit) +
                 (computed * 10 > deadline.cpu_limit ? " (a loop whose condition never becomes false?)"
                                                     : " (does it wait for something?)"));
    }
    if (process_.resident_bytes() > limits_.resident_bytes || process_.ran_out_of_memory())
        stop(FailureKind::memory, "used more than " + mebibytes(limits_.resident_bytes) + " of memory");
}

void WorkerLink::explain_end() {
    // The socket is closed; the process follows, unless only the socket was closed.
    const auto patience = steady_clock::now() + milliseconds(1000);
    while (!process_.ended() && steady_clock::now() < patience) std::this_thread::sleep_for(milliseconds(1));
    drain_output();
    const auto ended = process_.ended();
    if (!ended) stop(FailureKind::protocol, "closed its connection to the grader");
    if (tail_.find("AddressSanitizer") != std::string::npos || tail_.find("runtime error: ") != std::string::npos)
        stop(FailureKind::sanitizer, "was stopped by a sanitizer");
    if (process_.ran_out_of_memory())
        stop(FailureKind::memory, "used more than " + mebibytes(limits_.resident_bytes) + " of memory");
    if (ended->signal == SIGXCPU) stop(FailureKind::timeout, "used up its computing time");
    if (ended->signal != 0) stop(FailureKind::crash, signal_words(ended->signal));
    stop(FailureKind::exit, "ended the process: exit status " + std::to_string(ended->exit_code));
}

void WorkerLink::stop(FailureKind kind, const std::string& message) {
    process_.kill();
    process_.wait();
    throw NoAnswer{kind, message};
}

Printed WorkerLink::take_output() { return std::exchange(printed_, {}); }

void WorkerLink::finish() {
    process_.hang_up();
    const auto patience = steady_clock::now() + milliseconds(5000);
    while (!process_.ended() && steady_clock::now() < patience) std::this_thread::sleep_for(milliseconds(1));
}

}  // namespace headway::judge
