#pragma once

#include "sandbox/descriptor.hpp"
#include "sandbox/family.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/resource.h>
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
    std::uint64_t stack = 0;          ///< bytes of a thread's, which it reserves as addresses
    std::uint64_t files = 0;          ///< open at once, in each process
};

/// Whether a jailed program may start processes, or become another program. What they take does not show in the process
/// that is measured.
enum class Offspring {
    any,
    counted,  ///< only where a control group tells the most memory that all of them took
    none,
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
    Offspring offspring = Offspring::any;

    // ---- what a jail adds; see Jail::lock ------------------------------------------------------------------------
    bool jailed = false;  ///< arguments start a jail, and the program in it later
    std::vector<Attachment> attachments = {};
    bool alone = false;    ///< the kernel ends it (SIGSYS) if it starts a process or becomes another program
    bool guarded = false;  ///< its first process cleans up after the others: asked to end, it ends all of them
    std::filesystem::path delivery = {};       ///< gets what the jail hands out; empty: nothing
    bool delivery_is_parcel = false;           ///< of several files; see parcel.hpp
    std::shared_ptr<ControlGroup> group = {};  ///< may be null
};

/// Programs that may run outside the jail, since no student wrote them. One line for each place that starts one:
/// tests/unit/sandbox/process_starts_test.cpp holds this list against the tree.
enum class Trusted {
    judge,                ///< headway-judge
    reference_attention,  ///< headway-attention, which answers the tests of exercise 06 with code of the course
    reference_counts,     ///< gcov, on what that program counted
    solutions_compiler,   ///< verify compiles all solutions together
    slurm,                ///< sbatch, squeue and the like
    packer,               ///< tar or CMake, on one's own exercises/
    difference,           ///< diff
    browser,              ///< what opens a lesson
    tests_of_headway,     ///< Headway's own tests and benchmarks
};

/// What Process::start and run take. There are two ways to get one: Jail::lock, for a program that a student wrote or
/// a tool that reads a student's files, and trusted(), for one on the list above.
class Launch {
public:
    const Command& command() const { return command_; }

private:
    friend class Jail;
    friend Launch trusted(Command command, Trusted program);
    explicit Launch(Command command) : command_(std::move(command)) {}

    Command command_;
};

/// `command` as it is, in a process of its own but in no jail.
Launch trusted(Command command, Trusted program);

/// Where a jail finds what it is given. The program in it inherits the channel alone.
namespace number {
inline constexpr int channel = 3;
inline constexpr int ready = 4;
inline constexpr int delivery = 5;
inline constexpr int jail = 6;
inline constexpr int entry = 7;
inline constexpr int system_calls = 8;
inline constexpr int seed = 9;  ///< the judge's, which is in no jail
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
    static Process start(const Launch& launch, Channel channel);

    Process(Process&& other) noexcept;
    Process& operator=(Process&& other) noexcept;
    ~Process();

    int channel() const { return channel_.get(); }
    int output() const { return output_.get(); }

    void hang_up() { channel_.reset(); }
    /// Sends a signal to the first of its processes that has a handler for it.
    /// @return whether there is one
    bool ask(int signal) const;
    /// Everything in its session and its jail, so that what it started dies too.
    void kill();
    /// Blocks until it has ended.
    Ended wait();
    std::optional<Ended> ended();

    /// Measured from outside, over the process and what it has started: a submission cannot lie about these. Zero once
    /// it has ended.
    std::chrono::nanoseconds cpu_time() const;
    /// Stays what it was once it has ended.
    TimeUsed time_used() const;
    /// All that it computed, with all that it started and waited for; known once it has ended. bubblewrap does not
    /// always wait for its jail: time_used() is what was seen of that.
    std::chrono::nanoseconds computed() const { return computed_; }
    /// See Family.
    bool is_ready_to_compute() const { return !ended_ && family_.is_ready_to_compute(); }
    std::uint64_t resident_bytes() const;
    /// How many processes there were at the last look, the jail's own two included.
    std::size_t processes() const { return family_.members().size(); }

    /// The memory that there was at one moment, to tell by how much it grew later at most.
    struct MemoryMark {
        std::uint64_t resident = 0;
        std::uint64_t written = 0;  ///< of that, without code and other files
        std::set<pid_t> members;
        std::uint64_t faults_of_ended_children = 0;
        bool is_shut = false;       ///< it keeps its memory from us, on purpose; growth is not known
        bool group_counts = false;  ///< the control group tells the peak, of processes that have ended too
        std::uint64_t in_group = 0;
    };
    /// Peaks count from here. @return nothing where the kernel does not let us
    std::optional<MemoryMark> mark_memory() const;
    /// Bytes at the peak, over those at the mark: of its processes, and of those that have ended too where a group
    /// counts.
    std::uint64_t growth_since(const MemoryMark& mark) const;
    /// Whether it has started a process since, as far as that can be seen afterwards.
    bool has_started_processes_since(const MemoryMark& mark) const;
    /// Whether the kernel ended it, or one that it started, for want of memory.
    bool ran_out_of_memory() const;
    /// Whether that was for want of the machine's memory: what it may use itself was not used up.
    bool was_starved() const;

private:
    Process(pid_t pid, Descriptor channel, Descriptor output);
    void await_start(const Command& command, int report);
    std::string how_it_ended();
    void conclude(int status, const rusage& used);

    pid_t pid_ = -1;
    Descriptor channel_;
    Descriptor output_;
    std::optional<Ended> ended_;
    std::chrono::nanoseconds computed_{0};
    bool jailed_ = false;
    bool guarded_ = false;
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
    bool out_of_memory = false;  ///< it used more than it may
    bool starved = false;        ///< the kernel ended some of it because the machine had no memory left
    std::chrono::duration<double> seconds{0};
    std::chrono::nanoseconds computed{0};  ///< by all its processes
};

/// Runs a command to its end. Output beyond `most_output` is read and dropped.
Finished run(const Launch& launch, std::chrono::seconds wall_limit, std::size_t most_output);

/// The same, but its output is handed over piece by piece as it comes, and none of it is kept.
using TakeOutput = std::function<void(std::string_view)>;
Finished run(const Launch& launch, std::chrono::seconds wall_limit, const TakeOutput& take_output);

}  // namespace headway::sandbox
