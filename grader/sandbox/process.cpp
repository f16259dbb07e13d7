#include "sandbox/process.hpp"

#include "sandbox/child.hpp"
#include "sandbox/control_group.hpp"
#include "sandbox/orphans.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <span>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

namespace headway::sandbox {
namespace {

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

Descriptor open_file(const std::filesystem::path& path, int flags) {
    Descriptor file(::open(path.c_str(), flags | O_CLOEXEC, 0755));
    if (!file) throw_errno("cannot open " + path.string());
    return file;
}

/// A file without a name that holds `bytes`.
Descriptor nameless_file(const std::string& bytes) {
    Descriptor file(::memfd_create("headway", MFD_CLOEXEC));
    if (!file) throw_errno("memfd_create");
    if (::write(file.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) throw_errno("write");
    ::lseek(file.get(), 0, SEEK_SET);
    return file;
}

/// Descriptors that are the child's alone; ours close when this goes.
class Belongings {
public:
    void add(Descriptor descriptor, int number) {
        placements_.push_back({descriptor.get(), number});
        owned_.push_back(std::move(descriptor));
    }
    void add_shared(const Descriptor& descriptor, int number) { placements_.push_back({descriptor.get(), number}); }
    std::span<Placement> placements() { return placements_; }

private:
    std::vector<Descriptor> owned_;
    std::vector<Placement> placements_;
};

/// What the child of a jail says of its start: nothing (no jail), 0 (inside), 0 and errno (no program), errno.
std::vector<int> read_report(int report) {
    std::vector<int> words;
    for (;;) {
        int word = 0;
        const ssize_t got = ::read(report, &word, sizeof word);
        if (got < 0 && errno == EINTR) continue;
        if (got != sizeof word) return words;
        words.push_back(word);
    }
}

}  // namespace

Process::Process(pid_t pid, Descriptor channel, Descriptor output)
    : pid_(pid), channel_(std::move(channel)), output_(std::move(output)), family_(pid) {}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      channel_(std::move(other.channel_)),
      output_(std::move(other.output_)),
      ended_(other.ended_),
      computed_(other.computed_),
      jailed_(other.jailed_),
      guarded_(other.guarded_),
      group_(std::move(other.group_)),
      deaths_before_(other.deaths_before_),
      family_(std::move(other.family_)) {}

Process& Process::operator=(Process&& other) noexcept {
    std::swap(pid_, other.pid_);
    std::swap(channel_, other.channel_);
    std::swap(output_, other.output_);
    std::swap(ended_, other.ended_);
    std::swap(computed_, other.computed_);
    std::swap(jailed_, other.jailed_);
    std::swap(guarded_, other.guarded_);
    std::swap(group_, other.group_);
    std::swap(deaths_before_, other.deaths_before_);
    std::swap(family_, other.family_);
    return *this;
}

Process::~Process() {
    if (pid_ < 0 || ended_) return;
    kill();
    wait();
}

Launch trusted(Command command, Trusted) { return Launch(std::move(command)); }

Process Process::start(const Launch& launch, Channel channel) {
    const Command& command = launch.command();
    const std::vector<char*> arguments = pointers(command.arguments);
    const std::vector<char*> environment = pointers(command.environment);
    Pair output = make_pipe();
    Pair report = make_pipe();
    Pair socket = channel == Channel::yes ? make_socket() : Pair{};
    std::optional<Belongings> belongings(std::in_place);
    belongings->add(open_file("/dev/null", O_RDONLY), STDIN_FILENO);
    belongings->add_shared(output.theirs, STDOUT_FILENO);
    belongings->add(std::move(output.theirs), STDERR_FILENO);
    if (socket.theirs) belongings->add(std::move(socket.theirs), number::channel);
    if (command.jailed) belongings->add_shared(report.theirs, number::ready);
    if (!command.delivery.empty())
        belongings->add(open_file(command.delivery, O_WRONLY | O_CREAT | O_TRUNC), number::delivery);
    for (const Attachment& attachment : command.attachments)
        belongings->add(nameless_file(attachment.bytes), attachment.number);

    const std::uint64_t deaths_before = command.group ? command.group->deaths() : 0;
    const ChildSide side{launch, arguments.data(), environment.data(), belongings->placements(), report.theirs.get()};
    const pid_t pid = fork_own_child();
    if (pid < 0) throw_errno("fork for " + command.arguments.at(0));
    if (pid == 0) become(side);

    Process process(pid, std::move(socket.ours), std::move(output.ours));
    process.jailed_ = command.jailed;
    process.guarded_ = command.guarded;
    process.group_ = command.group;
    process.deaths_before_ = deaths_before;
    belongings.reset();
    report.theirs.reset();
    process.await_start(command, report.ours.get());
    return process;
}

/// Until the program runs.
void Process::await_start(const Command& command, int report) {
    const std::vector<int> words = read_report(report);
    if (!words.empty() && words.back() != 0)
        throw std::system_error(words.back(), std::generic_category(), "cannot start " + command.arguments.at(0));
    if (jailed_ && words.empty()) {
        std::string why(400, ' ');
        const ssize_t got = ::read(output_.get(), why.data(), why.size());
        why.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
        if (why.empty()) why = how_it_ended();
        throw std::system_error(EPERM, std::generic_category(), "the jail cannot be built: " + why);
    }
}

/// In words, of a jail that said nothing.
std::string Process::how_it_ended() {
    for (int patience = 0; patience < 1000 && !ended(); ++patience)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (!ended_) return "it says nothing";
    return ended_->signal != 0 ? "it was ended by signal " + std::to_string(ended_->signal)
                               : "it ended with exit status " + std::to_string(ended_->exit_code);
}

bool Process::ask(int signal) const {
    if (ended_) return false;
    family_.look();
    const pid_t asked = family_.handler_of(signal);
    return asked > 0 && ::kill(asked, signal) == 0;
}

void Process::kill() {
    if (ended_) return;
    if (guarded_) {
        ::kill(pid_, SIGTERM);
        return;
    }
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);
}

Ended Process::wait() {
    if (ended_) return *ended_;
    int status = 0;
    rusage used{};
    while (::wait4(pid_, &status, 0, &used) < 0)
        if (errno != EINTR) throw_errno("wait4");
    conclude(status, used);
    return *ended_;
}

std::optional<Ended> Process::ended() {
    if (ended_) return ended_;
    int status = 0;
    rusage used{};
    if (::wait4(pid_, &status, WNOHANG, &used) != pid_) return std::nullopt;
    conclude(status, used);
    return ended_;
}

/// bwrap tells of a signal as a shell does.
void Process::conclude(int status, const rusage& used) {
    const int code = WIFSIGNALED(status) ? 0 : WEXITSTATUS(status);
    const bool is_signal = jailed_ && code > 128 && code <= 128 + SIGRTMAX;
    ended_ = WIFSIGNALED(status) ? Ended{0, WTERMSIG(status)} : is_signal ? Ended{0, code - 128} : Ended{code, 0};
    for (const timeval& part : {used.ru_utime, used.ru_stime})
        computed_ += std::chrono::seconds(part.tv_sec) + std::chrono::microseconds(part.tv_usec);
    ::kill(-pid_, SIGKILL);  // what it left running in its session
    forget_own_child(pid_);
    bury_orphans();
}

std::chrono::nanoseconds Process::cpu_time() const { return ended_ ? std::chrono::nanoseconds{0} : family_.cpu_time(); }

TimeUsed Process::time_used() const {
    if (!ended_) {
        family_.look();
        family_.look_at_times();
    }
    return family_.time_used();
}

std::uint64_t Process::resident_bytes() const {
    if (ended_) return 0;
    family_.look();
    return family_.resident_bytes();
}

std::optional<Process::MemoryMark> Process::mark_memory() const {
    MemoryMark mark;
    mark.resident = resident_bytes();
    mark.written = ended_ ? 0 : family_.written_bytes();
    mark.is_shut = !ended_ && !family_.reset_peak();
    if (ended_ || (mark.is_shut && !family_.is_shut())) return std::nullopt;
    mark.members = family_.members();
    mark.faults_of_ended_children = family_.faults_of_ended_children();
    mark.group_counts = group_ && group_->reset_peak_memory();
    if (mark.group_counts) mark.in_group = group_->memory();
    return mark;
}

std::uint64_t Process::growth_since(const MemoryMark& mark) const {
    const auto over = [](std::uint64_t peak, std::uint64_t before) { return peak - std::min(peak, before); };
    const std::uint64_t seen = over(ended_ ? 0 : family_.peak_resident_bytes(), mark.resident);
    // The kernel charges a group in advance, 64 pages for each processor that it runs on, and its threads' stacks in
    // the kernel: more than many an answer needs.
    if (!mark.group_counts || !has_started_processes_since(mark)) return seen;
    return std::max(seen, over(group_->peak_memory(), mark.in_group));
}

bool Process::has_started_processes_since(const MemoryMark& mark) const {
    family_.look();
    return !std::ranges::includes(mark.members, family_.members()) ||
           family_.faults_of_ended_children() != mark.faults_of_ended_children;
}

bool Process::ran_out_of_memory() const { return group_ && group_->deaths() > deaths_before_; }

bool Process::was_starved() const { return ran_out_of_memory() && !group_->has_reached_its_bound(); }

}  // namespace headway::sandbox
