#include "process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

namespace headway::sandbox {
namespace {

using std::chrono::steady_clock;

[[noreturn]] void throw_errno(const std::string& what) {
    throw std::system_error(errno, std::generic_category(), what);
}

struct Pair {
    Descriptor ours;
    Descriptor theirs;
};

Pair make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw_errno("pipe");
    return {Descriptor(ends[0]), Descriptor(ends[1])};
}

Pair make_socket() {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) throw_errno("socketpair");
    return {Descriptor(ends[0]), Descriptor(ends[1])};
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
    std::vector<char*> result;
    result.reserve(strings.size() + 1);
    for (const std::string& string : strings) result.push_back(const_cast<char*>(string.c_str()));
    result.push_back(nullptr);
    return result;
}

// ---- in the child, between fork and exec: only async-signal-safe calls -------------------------------------------

void set_limit(__rlimit_resource resource, std::uint64_t value) {
    if (value == 0) return;
    const rlimit limit{value, value};
    ::setrlimit(resource, &limit);
}

void apply(const Limits& limits) {
    set_limit(RLIMIT_CPU, static_cast<std::uint64_t>(limits.cpu.count()));
    set_limit(RLIMIT_AS, limits.address_space);
    set_limit(RLIMIT_FSIZE, limits.file_size);
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
}

/// Puts `descriptor` at `number`, open across exec.
void place(int descriptor, int number) {
    if (descriptor == number)
        ::fcntl(number, F_SETFD, 0);
    else
        ::dup2(descriptor, number);
}

struct ChildSide {
    const Command& command;
    char* const* arguments;
    char* const* environment;
    int output;
    int channel;  // -1: none
    int error;    // gets errno if exec fails
};

[[noreturn]] void become(const ChildSide& side) {
    ::setsid();
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    apply(side.command.limits);
    // Out of the way of the numbers that they will be placed at.
    const int error = ::fcntl(side.error, F_DUPFD_CLOEXEC, 16);
    const int channel = side.channel < 0 ? -1 : ::fcntl(side.channel, F_DUPFD_CLOEXEC, 16);
    const int output = ::fcntl(side.output, F_DUPFD_CLOEXEC, 16);
    place(::open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
    place(output, STDOUT_FILENO);
    place(output, STDERR_FILENO);
    if (channel >= 0) place(channel, 3);
    const unsigned first_closed = channel >= 0 ? 4 : 3;
    ::close_range(first_closed, static_cast<unsigned>(error - 1), 0);
    ::close_range(static_cast<unsigned>(error + 1), ~0U, 0);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::signal(SIGPIPE, SIG_DFL);
    ::signal(SIGINT, SIG_DFL);
    if (::chdir(side.command.directory.c_str()) == 0) ::execve(side.arguments[0], side.arguments, side.environment);
    const int why = errno;
    if (::write(error, &why, sizeof why) < 0) ::_exit(126);
    ::_exit(127);
}

// ---- reading /proc ------------------------------------------------------------------------------------------------

std::string proc_path(pid_t pid, const char* file) { return "/proc/" + std::to_string(pid) + "/" + file; }

std::uint64_t status_kilobytes(pid_t pid, const std::string& field) {
    std::ifstream status(proc_path(pid, "status"));
    for (std::string line; std::getline(status, line);)
        if (line.starts_with(field)) return std::stoull(line.substr(field.size()));
    return 0;
}

Ended to_ended(int status) {
    if (WIFSIGNALED(status)) return {0, WTERMSIG(status)};
    return {WEXITSTATUS(status), 0};
}

}  // namespace

Process::Process(pid_t pid, Descriptor channel, Descriptor output)
    : pid_(pid), channel_(std::move(channel)), output_(std::move(output)) {}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      channel_(std::move(other.channel_)),
      output_(std::move(other.output_)),
      ended_(other.ended_) {}

Process& Process::operator=(Process&& other) noexcept {
    std::swap(pid_, other.pid_);
    std::swap(channel_, other.channel_);
    std::swap(output_, other.output_);
    std::swap(ended_, other.ended_);
    return *this;
}

Process::~Process() {
    if (pid_ < 0 || ended_) return;
    kill();
    wait();
}

Process Process::start(const Command& command, Channel channel) {
    const std::vector<char*> arguments = pointers(command.arguments);
    const std::vector<char*> environment = pointers(command.environment);
    Pair output = make_pipe();
    Pair error = make_pipe();
    Pair socket = channel == Channel::yes ? make_socket() : Pair{};
    const ChildSide side{
        command, arguments.data(), environment.data(), output.theirs.get(), socket.theirs.get(), error.theirs.get()};
    const pid_t pid = ::fork();
    if (pid < 0) throw_errno("fork for " + command.arguments.at(0));
    if (pid == 0) become(side);

    Process process(pid, std::move(socket.ours), std::move(output.ours));
    output.theirs.reset();
    error.theirs.reset();
    socket.theirs.reset();
    int why = 0;
    if (::read(error.ours.get(), &why, sizeof why) == sizeof why)
        throw std::system_error(why, std::generic_category(), "cannot start " + command.arguments.at(0));
    return process;
}

void Process::kill() {
    if (ended_) return;
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);
}

Ended Process::wait() {
    if (ended_) return *ended_;
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0)
        if (errno != EINTR) throw_errno("waitpid");
    ended_ = to_ended(status);
    ::kill(-pid_, SIGKILL);  // what it left running in its session
    return *ended_;
}

std::optional<Ended> Process::ended() {
    if (ended_) return ended_;
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
    ended_ = to_ended(status);
    ::kill(-pid_, SIGKILL);
    return ended_;
}

std::chrono::nanoseconds Process::cpu_time() const {
    clockid_t clock = 0;
    timespec time{};
    if (ended_ || ::clock_getcpuclockid(pid_, &clock) != 0 || ::clock_gettime(clock, &time) != 0) return {};
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

std::uint64_t Process::resident_bytes() const { return ended_ ? 0 : status_kilobytes(pid_, "VmRSS:") << 10U; }

std::uint64_t Process::peak_resident_bytes() const { return ended_ ? 0 : status_kilobytes(pid_, "VmHWM:") << 10U; }

bool Process::reset_peak() const {
    std::ofstream clear(proc_path(pid_, "clear_refs"));
    return static_cast<bool>(clear << "5" << std::flush);
}

Finished run(const Command& command, std::chrono::seconds wall_limit, std::size_t most_output) {
    const auto begin = steady_clock::now();
    Process process = Process::start(command, Channel::no);
    Finished finished;
    std::array<char, 1 << 14> buffer{};
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(begin + wall_limit - steady_clock::now());
        pollfd waiting{process.output(), POLLIN, 0};
        const int ready = left.count() <= 0 ? 0 : ::poll(&waiting, 1, static_cast<int>(left.count()));
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) {
            finished.timed_out = true;
            process.kill();
            break;
        }
        const ssize_t got = ::read(process.output(), buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        const std::size_t room = most_output - finished.output.size();
        finished.output.append(buffer.data(), std::min(room, static_cast<std::size_t>(got)));
        finished.output_truncated |= static_cast<std::size_t>(got) > room;
    }
    // It may have closed its output and go on.
    while (!process.ended()) {
        if (steady_clock::now() > begin + wall_limit) {
            finished.timed_out = true;
            process.kill();
            process.wait();
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    finished.ended = process.wait();
    finished.seconds = steady_clock::now() - begin;
    return finished;
}

}  // namespace headway::sandbox
