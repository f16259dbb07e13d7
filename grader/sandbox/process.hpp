#pragma once

#include "descriptor.hpp"
#include "family.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <sys/types.h>

namespace headway::sandbox {

class ControlGroup;

/// Zero means unlimited.
struct Limits {
    std::chrono::seconds cpu{0};
    std::uint64_t address_space = 0;  ///< bytes; unusable with AddressSanitizer, which reserves 20 TiB
    std::uint64_t file_size = 0;      ///< bytes of any file it writes
    std::uint64_t processes = 0;      ///< at once, threads included; counts only where the jail has a user of its own
    std::uint64_t resident = 0;       ///< bytes of all its processes together: watched from outside, by run()
};

/// Bytes that a process finds under a descriptor: no file that somebody else could change, no argument that the
/// process could read.
struct Attachment {
    int number;
    std::string bytes;
};

struct Command {
    std::vector<std::string> arguments;    ///< [0] is the program, with its path
    std::vector<std::string> environment;  ///< "NAME=value"; nothing is inherited
    std::filesystem::path directory = "/";
    Limits limits;

    // ---- what a jail adds; see Jail::lock ------------------------------------------------------------------------
    bool jailed = false;  ///< arguments start a jail, and the program in it later
    std::vector<Attachment> attachments = {};
    std::filesystem::path delivery = {};       ///< gets what the jail hands out; empty: nothing
    std::shared_ptr<ControlGroup> group = {};  ///< may be null
};

/// Where a jail finds what it is given. The program in it inherits the channel alone.
namespace number {
inline constexpr int channel = 3;
inline constexpr int ready = 4;
inline constexpr int delivery = 5;
inline constexpr int jail = 6;
inline constexpr int entry = 7;
inline constexpr int system_calls = 8;
inline constexpr int first_free = 32;
}  // namespace number

/// How a process ended.
struct Ended {
    int exit_code = 0;
    int signal = 0;  ///< 0: it exited by itself

    bool success() const { return signal == 0 && exit_code == 0; }
};

/// Whether the process gets a socket to its parent, as descriptor 3.
enum class Channel { no, yes };

/// A child process in a session of its own, with an environment, descriptors and limits that we chose: standard input
/// is empty, standard output and error are one pipe, everything else is closed. It dies with this object, and with us.
class Process {
public:
    /// Returns when the program runs; a jail is built by then.
    /// @throws std::system_error if it cannot be started; the message names the program, or why there is no jail
    static Process start(const Command& command, Channel channel);

    Process(Process&& other) noexcept;
    Process& operator=(Process&& other) noexcept;
    ~Process();

    int channel() const { return channel_.get(); }
    int output() const { return output_.get(); }

    void hang_up() { channel_.reset(); }
    /// Everything in its session and its jail, so that what it started dies too.
    void kill();
    /// Blocks until it has ended.
    Ended wait();
    std::optional<Ended> ended();

    /// Measured from outside, over the process and what it has started: a submission cannot lie about these. Zero once
    /// it has ended.
    std::chrono::nanoseconds cpu_time() const;
    std::uint64_t resident_bytes() const;

    /// The memory that there was at one moment, to tell by how much it grew later at most.
    struct MemoryMark {
        std::uint64_t resident = 0;
        std::set<pid_t> members;
        std::uint64_t faults_of_ended_children = 0;
        bool group_counts = false;  ///< the control group tells the peak, of processes that have ended too
        std::uint64_t in_group = 0;
    };
    /// Peaks count from here. @return nothing where the kernel does not let us
    std::optional<MemoryMark> mark_memory() const;
    /// Bytes at the peak, over those at the mark.
    std::uint64_t growth_since(const MemoryMark& mark) const;
    /// Whether it has started a process since, as far as that can be seen afterwards.
    bool has_started_processes_since(const MemoryMark& mark) const;
    /// Whether the kernel ended it, or one that it started, for want of memory.
    bool ran_out_of_memory() const;

private:
    Process(pid_t pid, Descriptor channel, Descriptor output);
    void await_start(const Command& command, int report);
    Ended to_ended(int status) const;

    pid_t pid_ = -1;
    Descriptor channel_;
    Descriptor output_;
    std::optional<Ended> ended_;
    bool jailed_ = false;
    std::shared_ptr<ControlGroup> group_;
    std::uint64_t deaths_before_ = 0;
    mutable Family family_;
};

/// A command that ran to its end, or into a limit.
struct Finished {
    Ended ended;
    std::string output;  ///< standard output and error, at most `most_output` bytes
    bool output_truncated = false;
    bool timed_out = false;
    bool out_of_memory = false;
    std::chrono::duration<double> seconds{0};
};

/// Runs a command to its end. Output beyond `most_output` is read and dropped.
Finished run(const Command& command, std::chrono::seconds wall_limit, std::size_t most_output);

}  // namespace headway::sandbox
