#include "sandbox/process.hpp"

#include "sandbox/control_group.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <thread>
#include <utility>

#include <poll.h>

namespace headway::sandbox {
namespace {

using std::chrono::steady_clock;

/// One command that is run to its end.
class Run {
public:
    Run(const Launch& launch, std::chrono::seconds wall_limit, const TakeOutput& take_output)
        : is_jailed_(launch.command().jailed),
          is_counted_alone_(launch.command().group != nullptr),
          process_(Process::start(launch, Channel::no)),
          deadline_(begin_ + wall_limit),
          most_resident_(launch.command().limits.resident),
          take_output_(take_output) {}

    Finished to_the_end() {
        while (!over_limits() && read_output()) {
        }
        // It may have closed its output and go on.
        while (!process_.ended() && !over_limits()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        finished_.ended = process_.wait();
        // Without a group of its own, what the kernel ends in ours was within the limits that we watch.
        finished_.starved = is_counted_alone_ ? process_.was_starved() : deaths_around_us() > deaths_before_;
        finished_.out_of_memory |= process_.ran_out_of_memory() && !finished_.starved;
        finished_.seconds = steady_clock::now() - begin_;
        // bubblewrap ends without waiting for the jail's first process, so the kernel may tell us of its own time
        // alone.
        finished_.computed = std::max(process_.computed(), process_.time_used().computed);
        return std::move(finished_);
    }

private:
    /// Kills it if so.
    bool over_limits() {
        const auto now = steady_clock::now();
        finished_.timed_out |= now > deadline_;
        if ((is_jailed_ || most_resident_ > 0) && now > next_look_) {
            process_.time_used();  // adds what has come since the last look
            finished_.out_of_memory |= most_resident_ > 0 && process_.resident_bytes() > most_resident_;
            next_look_ = now + tick;
        }
        if (!finished_.timed_out && !finished_.out_of_memory) return false;
        process_.kill();
        return true;
    }

    /// @return false at the end of its output
    bool read_output() {
        pollfd waiting{process_.output(), POLLIN, 0};
        if (::poll(&waiting, 1, static_cast<int>(tick.count())) <= 0) return true;
        const ssize_t got = ::read(process_.output(), buffer_.data(), buffer_.size());
        if (got < 0 && errno == EINTR) return true;
        if (got <= 0) return false;
        take_output_({buffer_.data(), static_cast<std::size_t>(got)});
        return true;
    }

    static constexpr std::chrono::milliseconds tick{20};

    steady_clock::time_point begin_ = steady_clock::now();
    bool is_jailed_;
    bool is_counted_alone_;
    std::uint64_t deaths_before_ = deaths_around_us();
    Process process_;
    steady_clock::time_point deadline_;
    steady_clock::time_point next_look_ = begin_;
    std::uint64_t most_resident_;
    const TakeOutput& take_output_;
    Finished finished_;
    std::array<char, 1 << 14> buffer_{};
};

}  // namespace

Finished run(const Launch& launch, std::chrono::seconds wall_limit, std::size_t most_output) {
    std::string output;
    bool truncated = false;
    Finished finished = run(launch, wall_limit, [&](std::string_view bytes) {
        const std::size_t room = most_output - output.size();
        output.append(bytes.substr(0, room));
        truncated |= bytes.size() > room;
    });
    finished.output = std::move(output);
    finished.output_truncated = truncated;
    return finished;
}

Finished run(const Launch& launch, std::chrono::seconds wall_limit, const TakeOutput& take_output) {
    return Run(launch, wall_limit, take_output).to_the_end();
}

}  // namespace headway::sandbox
