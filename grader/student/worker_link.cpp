#include "student/worker_link.hpp"

#include "sandbox/descriptor.hpp"
#include "wire/frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <span>
#include <system_error>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

namespace headway::judge {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using verdict::FailureKind;

/// How often limits are looked at while a call runs.
constexpr int tick_milliseconds = 10;

/// Building a jail takes the machine a while, which no clock of the submission's measures: those that are made to die
/// again and again cost it this much each.
constexpr milliseconds cost_of_a_worker{10};

/// Of an answer: 64 MiB take the judge a quarter of a second.
constexpr std::chrono::nanoseconds cost_of_a_byte{4};

/// Of a call that takes too long, worth telling: it may grow for ever.
constexpr std::uint64_t much_memory = std::uint64_t{256} << 20U;

/// With so many, it is they that use the memory: what calls fork() in a loop.
constexpr std::size_t many_processes = 8;

/// Shorter waiting is not worth a look at how long we waited for a processor ourselves.
constexpr milliseconds short_wait{1};

/// So many bytes at once fill a pipe or a socket's queue: the worker may have had to wait for us to make room. A worker
/// that sends a byte now and then waits for nobody.
constexpr std::size_t much_moved = std::size_t{32} << 10U;

/// Room for a sanitizer report.
constexpr std::size_t tail_bytes = std::size_t{32} << 10U;

void make_nonblocking(int descriptor) { ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) | O_NONBLOCK); }

std::string seconds(milliseconds duration) { return fmt::format("{} s", static_cast<double>(duration.count()) / 1000); }

std::string mebibytes(std::uint64_t bytes) { return std::to_string(bytes >> 20U) + " MiB"; }

/// How long this thread has been without a processor: zero where the kernel does not tell.
std::chrono::nanoseconds own_waiting() {
    static const sandbox::Descriptor file(::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC));
    std::array<char, 100> text{};  // computed waited turns
    if (!file || ::pread(file.get(), text.data(), text.size() - 1, 0) <= 0) return {};
    char* second = nullptr;
    std::strtoll(text.data(), &second, 10);
    return std::chrono::nanoseconds(std::strtoll(second, nullptr, 10));
}

}  // namespace

struct WorkerLink::Deadline {
    steady_clock::time_point wall;
    std::chrono::nanoseconds begin;     ///< of time_used()
    std::chrono::nanoseconds computed;  ///< by then
    milliseconds limit;
    Time kind;
};

WorkerLink::WorkerLink(const sandbox::Launch& launch, const CallLimits& limits)
    : process_(sandbox::Process::start(launch, sandbox::Channel::yes)),
      is_alone_(launch.command().alone),
      limits_(limits) {
    next_look_ = steady_clock::now() + milliseconds(tick_milliseconds / 2);
    make_nonblocking(process_.channel());
    make_nonblocking(process_.output());
    // What is sent out of band would make poll() return at once for ever, and recv() find nothing. So it is no
    // exception.
    const int yes = 1;
    ::setsockopt(process_.channel(), SOL_SOCKET, SO_OOBINLINE, &yes, sizeof yes);
    if (limits_.budget) limits_.budget->spend(cost_of_a_worker);
}

WorkerLink::~WorkerLink() { charge(); }

std::chrono::nanoseconds WorkerLink::time_used() const { return std::max(used_.computed, waited_for_ - used_.waited); }

void WorkerLink::look_at_times() {
    used_ = process_.time_used();
    charge();
}

void WorkerLink::charge() {
    if (limits_.budget) limits_.budget->spend(time_used() - charged_);
    charged_ = time_used();
}

/// What is asked with is small, but for what the student answered before.
wire::Bytes WorkerLink::frame_of(const wire::Call& call) {
    try {
        return wire::framed(wire::encode(call));
    } catch (const wire::MalformedMessage&) {
        stop(FailureKind::memory, "would be asked with more than 64 MiB, from earlier answers of yours");
    }
}

wire::Reply WorkerLink::exchange(const wire::Call& call, milliseconds time, Time kind) {
    if (limits_.budget && limits_.budget->is_spent()) throw OutOfTime{};
    printed_in_call_ = 0;
    own_waiting_ = own_waiting();
    Deadline deadline{steady_clock::now() + limits_.wall, time_used(), used_.computed, time, kind};
    wire::Bytes payload;
    send_and_receive(frame_of(call), payload, deadline);
    begun_ = true;
    drain_output();
    // What it sends is received, checked and kept here, be it padding.
    if (limits_.budget) limits_.budget->spend(cost_of_a_byte * payload.size());
    try {
        wire::Reply reply = wire::decode_reply(payload, limits_.answer_bytes);
        if (reply.error && reply.error->kind == wire::ErrorKind::interrupted) explain_interruption(*reply.error);
        if (reply.id != call.id) throw wire::MalformedMessage("an answer to another call");
        if (reply.error && reply.error->uncaught) explain_uncaught(*reply.error);
        has_answered_ = true;
        return reply;
    } catch (const wire::MalformedMessage& error) {
        stop(FailureKind::protocol, std::string("sent something that is not an answer (") + error.what() + ")");
    }
}

void WorkerLink::send_and_receive(const wire::Bytes& frame, wire::Bytes& reply, Deadline& deadline) {
    std::span<const std::byte> unsent = frame;
    wire::Bytes received;
    counted_until_ = steady_clock::now();
    send_what_fits(unsent);
    for (bool answered = false; !answered;) {
        moved_ = 0;
        const int output = prints_ ? process_.output() : -1;  // it may have closed its output: then poll() skips it
        std::array<pollfd, 2> waiting{{{process_.channel(), POLLIN, 0}, {output, POLLIN, 0}}};
        if (!unsent.empty() && !hung_up_on_) waiting[0].events |= POLLOUT;
        const int ready = wait_for(waiting);
        if ((waiting[1].revents & (POLLIN | POLLHUP)) != 0) prints_ = drain_output();
        if ((waiting[0].revents & POLLOUT) != 0) send_what_fits(unsent);
        if ((waiting[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0) {
            if (!receive(received)) explain_end();
            answered = is_answer(received);
        } else if (ready == 0 && hung_up_on_) {
            explain_end();  // it reads no more, and has nothing to say either
        }
        count_time(answered || moved_ >= much_moved ? OwnWaiting::is_not_its_own : OwnWaiting::counts);
        check_limits(deadline);
    }
    reply.assign(received.begin() + wire::frame_header_bytes, received.end());
}

void WorkerLink::send_what_fits(std::span<const std::byte>& unsent) {
    const ssize_t sent = ::send(process_.channel(), unsent.data(), unsent.size(), MSG_NOSIGNAL);
    if (sent > 0) {
        unsent = unsent.subspan(static_cast<std::size_t>(sent));
        moved_ += static_cast<std::size_t>(sent);
    } else if (sent < 0 && (errno == EPIPE || errno == ECONNRESET)) {
        hung_up_on_ = true;  // only the worker does that; any other error is this machine's
    } else if (sent < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
        throw std::system_error(errno, std::generic_category(), "send");
    }
}

/// Whether it is a whole frame.
bool WorkerLink::is_answer(const wire::Bytes& received) {
    if (received.size() < wire::frame_header_bytes) return false;
    std::size_t size = 0;
    try {
        size = wire::payload_size(received);
    } catch (const wire::MalformedMessage& error) {
        stop(FailureKind::protocol, std::string("sent something that is not an answer (") + error.what() + ")");
    }
    if (received.size() > wire::frame_header_bytes + size) stop(FailureKind::protocol, "sent more than one answer");
    return received.size() == wire::frame_header_bytes + size;
}

int WorkerLink::wait_for(std::span<pollfd> descriptors) {
    const int ready = ::poll(descriptors.data(), descriptors.size(), tick_milliseconds);
    if (ready < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "poll");
    return ready;
}

/// Adds what has passed since the last time to waited_for_: whatever we did meanwhile, the worker had that time. It did
/// not where it had to wait for us: not how long we were kept from seeing what had come, if that was all or much.
void WorkerLink::count_time(OwnWaiting own) {
    const auto now = steady_clock::now();
    std::chrono::nanoseconds passed = now - std::exchange(counted_until_, now);
    if (passed > short_wait) {
        const auto before = std::exchange(own_waiting_, own_waiting());
        if (own == OwnWaiting::is_not_its_own) passed -= std::min(passed, own_waiting_ - before);
    }
    waited_for_ += passed;
}

/// @return false at the end of the stream
bool WorkerLink::receive(wire::Bytes& received) {
    std::array<std::byte, 1 << 16> buffer;  // NOLINT(*-member-init): filled by recv
    for (;;) {
        const ssize_t got = ::recv(process_.channel(), buffer.data(), buffer.size(), 0);
        if (got > 0) {
            received.insert(received.end(), buffer.begin(), buffer.begin() + got);
            moved_ += static_cast<std::size_t>(got);
            if (received.size() > wire::max_frame_bytes + wire::frame_header_bytes)
                stop(FailureKind::protocol, "sent more than an answer may hold");
            if (static_cast<std::size_t>(got) < buffer.size()) return true;
            continue;
        }
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return true;
        // Only the worker resets a connection; any other error is this machine's.
        if (got < 0 && errno != ECONNRESET) throw std::system_error(errno, std::generic_category(), "recv");
        hung_up_on_ |= got < 0;
        return false;
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
        moved_ += count;
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

/// Whether what it was sent lies in its socket's queue.
bool WorkerLink::has_unread() const {
    int bytes = 0;
    return ::ioctl(process_.channel(), SIOCOUTQ, &bytes) == 0 && bytes > 0;
}

/// Now and then: looking costs more than most calls take.
void WorkerLink::check_limits(Deadline& deadline) {
    const auto now = steady_clock::now();
    if (now < next_look_) return;
    next_look_ = now + milliseconds(tick_milliseconds / 2);
    const auto computed_before = used_.computed;
    look_at_times();
    if (!begun_ && !has_unread() && !hung_up_on_) {
        begun_ = true;
        deadline.begin = time_used();
        deadline.computed = used_.computed;
    }
    check_time(deadline, is_kept_waiting_since(computed_before));
    if (limits_.budget && limits_.budget->is_spent()) {
        process_.kill();
        process_.wait();
        throw OutOfTime{};
    }
    if (now > deadline.wall) {
        process_.kill();
        process_.wait();
        throw MachineTooBusy("this machine is too busy: a call that may take " + seconds(deadline.limit) +
                             " was not done after " + seconds(limits_.wall) +
                             ", most of which it waited for a processor. Grade again.");
    }
    if (process_.resident_bytes() > limits_.resident_bytes) stop_for_memory();
    look_at_memory();
}

void WorkerLink::stop_for_memory() {
    const std::size_t processes = process_.processes();
    const std::string together = processes > many_processes ? fmt::format(", in {} processes", processes) : "";
    stop(FailureKind::memory, "used more than " + mebibytes(limits_.resident_bytes) + " of memory" + together);
}

/// What the kernel says that it ended for want of memory, and whose.
void WorkerLink::look_at_memory() {
    if (process_.was_starved())
        stop(FailureKind::memory, "used more memory than this machine has left, and less than it may", Doubt::outside);
    if (process_.ran_out_of_memory()) stop_for_memory();
}

/// While it is kept from computing, nobody knows how long that has lasted: it looks like sleep until it is over.
bool WorkerLink::is_kept_waiting_since(std::chrono::nanoseconds computed) const {
    return used_.computed == computed && !used_.starts_others && process_.is_ready_to_compute();
}

void WorkerLink::check_time(Deadline& deadline, bool is_kept_waiting) {
    const milliseconds limit = begun_ ? deadline.limit : limits_.start;
    if (time_used() - deadline.begin <= limit || is_kept_waiting) return;
    const bool computes = (used_.computed - deadline.computed) * 2 > limit;
    std::string question = !computes && !process_.is_ready_to_compute() ? waits
                           : begun_                                     ? "a loop whose condition never becomes false?"
                                    : "does the value of a static or global variable take so long?";
    if (const std::uint64_t held = process_.resident_bytes(); held > much_memory)
        question += " It held " + mebibytes(held) + " of memory by then.";
    const std::string told = begun_ && deadline.kind == Time::shortened ? "did not come to an end in time, either"
                             : computes ? "did not come to an end within " + seconds(limit) + " of computing"
                                        : "gave no answer within " + seconds(limit);
    ask_where_it_is();
    stop(FailureKind::timeout, told + " (" + question + ")");
}

Printed WorkerLink::take_output() { return std::exchange(printed_, {}); }

bool WorkerLink::finish() {
    process_.hang_up();
    const auto patience = steady_clock::now() + milliseconds(5000);
    while (!process_.ended() && steady_clock::now() < patience) std::this_thread::sleep_for(milliseconds(1));
    return process_.ended().has_value();
}

}  // namespace headway::judge
