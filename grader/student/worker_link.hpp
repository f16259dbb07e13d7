#pragma once

#include "student/time_budget.hpp"

#include "sandbox/process.hpp"
#include "verdict/verdict.hpp"
#include "wire/message.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <poll.h>

namespace headway::judge {

/// What one call may cost. Time is what it computes and what it sleeps: a loaded machine fails nobody.
struct CallLimits {
    std::chrono::milliseconds time{2'000};
    std::chrono::milliseconds time_after_timeout{200};  ///< for a function that has run into `time` before
    std::chrono::milliseconds start{3'000};             ///< until main runs: the call's time begins then
    std::chrono::milliseconds wall{300'000};  ///< then the machine is too busy, and the submission is not at fault
    std::shared_ptr<TimeBudget> budget = {};  ///< of all calls in all workers; null: there is none
    std::size_t answer_bytes = std::size_t{4} << 20U;  ///< with all elements written out, whatever the strides
    std::uint64_t resident_bytes = std::uint64_t{1} << 30U;
    std::uint64_t threads = 640;                        ///< at once: the jail's bound, for what is said of it
    std::size_t output_kept = std::size_t{64} << 10U;   ///< of what it prints in a test
    std::size_t output_flood = std::size_t{16} << 20U;  ///< printing more in one call is a failure
};

/// In the message of a call that was never read, since what runs before main came to no end, or to a bad one.
inline constexpr const char* before_main = "before main";

/// In what is said of a call that is stopped for time and has slept for most of it.
inline constexpr const char* waits = "does it wait for something?";
/// And how one ends whose calls lead ever deeper.
inline constexpr const char* used_up_the_stack =
    "used up the stack: does a function call itself, or do two call each other, without end, or is a local array too "
    "large? (SIGSEGV)";

/// Of one that is measured alone.
inline constexpr const char* starts_processes =
    "starts a process or another program, whose memory and time cannot be measured here; compute in the one that was "
    "called (threads are fine)";

/// A call that got no answer: the worker is gone. The next call needs a fresh one.
struct NoAnswer {
    verdict::FailureKind kind;
    std::string message;    ///< completes "your split_heads ..."
    bool in_doubt = false;  ///< something outside may have ended it: a signal that no limit of ours and no crash sends
    std::optional<wire::Error> thrown = {};  ///< the exception that ended the worker
    /// Where it was when its time was up, or a signal ended it, as wire::Error::frames; empty if it did not tell.
    std::vector<std::int64_t> frames = {};
};

/// A call that got no answer because this machine has no time or no room for workers. It says nothing about the
/// submission.
struct MachineTooBusy : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Printed {
    std::string text;  ///< at most CallLimits::output_kept bytes
    bool truncated = false;
};

/// One worker process, and the conversation with it. Never blocks on it for longer than the limits; every byte that
/// comes back is treated as hostile.
class WorkerLink {
public:
    WorkerLink(const sandbox::Launch& launch, const CallLimits& limits);
    ~WorkerLink();
    WorkerLink(const WorkerLink&) = delete;
    WorkerLink& operator=(const WorkerLink&) = delete;

    /// A call that follows one without an end has less time than others: what is told names one limit, theirs.
    enum class Time { usual, shortened };

    /// @param time  what this call may take, computing and sleeping
    /// @throws NoAnswer, OutOfTime, MachineTooBusy
    wire::Reply exchange(const wire::Call& call, std::chrono::milliseconds time, Time kind = Time::usual);

    /// Whether it has read what it was asked, as far as has been seen: its main runs.
    bool has_begun() const { return begun_; }

    /// What all its calls have taken: the time that we waited for it, without the time that it waited for a processor;
    /// but at least the time that it computed, also between calls.
    std::chrono::nanoseconds time_used() const;

    /// What it printed since the last time.
    Printed take_output();
    /// The end of its output: a sanitizer report is there, however much was printed before.
    const std::string& last_words() const { return tail_; }

    const sandbox::Process& process() const { return process_; }

    /// Lets it end by itself, so that it can write coverage data.
    /// @return whether it did
    bool finish();

private:
    struct Deadline;

    wire::Bytes frame_of(const wire::Call& call);
    void send_and_receive(const wire::Bytes& frame, wire::Bytes& reply, Deadline& deadline);
    void send_what_fits(std::span<const std::byte>& unsent);
    bool is_answer(const wire::Bytes& received);
    int wait_for(std::span<pollfd> descriptors);
    /// How long this process waited for a processor itself.
    enum class OwnWaiting { counts, is_not_its_own };
    void count_time(OwnWaiting own);
    void look_at_times();
    void charge();
    bool receive(wire::Bytes& received);
    bool drain_output();
    void check_limits(Deadline& deadline);
    bool is_kept_waiting_since(std::chrono::nanoseconds computed) const;
    void check_time(Deadline& deadline, bool is_kept_waiting);
    void ask_where_it_is();
    bool note_where_it_is(std::span<const std::byte> received);
    bool has_unread() const;
    void wait_for_end();
    [[noreturn]] void explain_end();
    [[noreturn]] void explain_uncaught(const wire::Error& error);
    [[noreturn]] void explain_interruption(const wire::Error& error);
    enum class Doubt { none, outside };
    [[noreturn]] void stop(verdict::FailureKind kind, const std::string& message, Doubt doubt = Doubt::none);
    void look_at_memory();
    [[noreturn]] void stop_for_memory();

    sandbox::Process process_;
    bool is_alone_;  ///< the kernel ends it if it starts a process
    CallLimits limits_;
    Printed printed_;
    std::string tail_;
    std::vector<std::int64_t> where_;  ///< the call was when it was interrupted
    bool stack_is_used_up_ = false;    ///< as it says
    std::size_t printed_in_call_ = 0;
    bool begun_ = false;
    bool has_answered_ = false;
    bool hung_up_on_ = false;  ///< by a worker that had not read all it was sent
    bool prints_ = true;       ///< it has not closed its output
    std::size_t moved_ = 0;    ///< bytes to and from it, since poll() was asked
    std::chrono::steady_clock::time_point counted_until_{};
    std::chrono::steady_clock::time_point next_look_{};  ///< at its times and its memory
    sandbox::TimeUsed used_;                             ///< when it was last looked at
    std::chrono::nanoseconds waited_for_{0};             ///< in all calls
    std::chrono::nanoseconds own_waiting_{0};            ///< of this process for a processor, when last looked at
    std::chrono::nanoseconds charged_{0};                ///< to the budget
};

}  // namespace headway::judge
