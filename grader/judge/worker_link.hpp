#pragma once

#include "../sandbox/process.hpp"
#include "../verdict/verdict.hpp"
#include "../wire/message.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace headway::judge {

/// What one call may cost. The wall clock is generous, so that a loaded machine fails nobody.
struct CallLimits {
    std::chrono::milliseconds cpu{10'000};
    std::chrono::milliseconds cpu_after_timeout{2'000};  ///< for a function that has run into `cpu` before
    std::chrono::milliseconds wall{60'000};
    std::chrono::milliseconds wall_after_timeout{3'000};  ///< once any call has been waited for in vain
    std::uint64_t resident_bytes = std::uint64_t{1} << 30U;
    std::size_t output_kept = std::size_t{64} << 10U;   ///< of what it prints in a test
    std::size_t output_flood = std::size_t{16} << 20U;  ///< printing more in one call is a failure
};

/// A call that got no answer: the worker is gone. The next call needs a fresh one.
struct NoAnswer {
    verdict::FailureKind kind;
    std::string message;  ///< completes "your split_heads ..."
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

    /// @param cpu  what this call may compute   @param wall  how long it is waited for   @throws NoAnswer
    wire::Reply exchange(const wire::Call& call, std::chrono::milliseconds cpu, std::chrono::milliseconds wall);

    /// What it printed since the last time.
    Printed take_output();
    /// The last that it printed: where a sanitizer report is, however much came before.
    const std::string& last_words() const { return tail_; }

    const sandbox::Process& process() const { return process_; }

    /// Lets it end by itself, so that it can write coverage data.
    void finish();

private:
    struct Deadline;

    void send_and_receive(const wire::Bytes& frame, wire::Bytes& reply, const Deadline& deadline);
    bool receive(wire::Bytes& received);
    bool drain_output();
    void check_limits(const Deadline& deadline);
    [[noreturn]] void explain_end();
    [[noreturn]] void stop(verdict::FailureKind kind, const std::string& message);

    sandbox::Process process_;
    CallLimits limits_;
    Printed printed_;
    std::string tail_;
    std::size_t printed_in_call_ = 0;
    std::chrono::steady_clock::time_point next_look_{};  ///< at its memory
};

}  // namespace headway::judge
