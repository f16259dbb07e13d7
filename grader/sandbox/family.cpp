#include "sandbox/family.hpp"

#include "sandbox/descriptor.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace headway::sandbox {
namespace {

std::string proc_path(pid_t pid, const char* file) { return "/proc/" + std::to_string(pid) + "/" + file; }

/// The beginning of a small file; empty if the process is gone.
std::string read_proc(pid_t pid, const char* file) {
    const Descriptor descriptor(::open(proc_path(pid, file).c_str(), O_RDONLY | O_CLOEXEC));
    std::array<char, 4096> buffer;  // NOLINT(*-member-init): filled by read
    const ssize_t got = descriptor ? ::read(descriptor.get(), buffer.data(), buffer.size()) : 0;
    return {buffer.data(), got > 0 ? static_cast<std::size_t>(got) : 0};
}

template <class Number>
Number number_in(std::string_view text, int base = 10) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    Number number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number, base);
    return number;
}

pid_t parent_of(pid_t pid) {
    const std::string stat = read_proc(pid, "stat");  // 12 (any name) S parent ...
    const std::size_t name_end = stat.rfind(')');
    return name_end == std::string::npos ? -1 : number_in<pid_t>(std::string_view(stat).substr(name_end + 3));
}

/// What is named by a number in a folder, in the order of these, with its inode.
std::map<pid_t, ino_t> numbers_in_folder(const std::string& path) {
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()), ::closedir);
    std::map<pid_t, ino_t> numbers;
    while (const dirent* entry = folder ? ::readdir(folder.get()) : nullptr)
        if (const auto number = number_in<pid_t>(entry->d_name); number > 0)
            numbers.emplace_hint(numbers.end(), number, entry->d_ino);
    return numbers;
}

/// Of a thread that lives: where the first one has ended, the process's own file tells no memory.
/// @param field  with the line end before it: the first line is a name that the process chose, such as "VmRSS:"
std::uint64_t status_number(pid_t pid, std::string_view field, int base = 10) {
    const auto in = [&](const std::string& status) -> std::optional<std::uint64_t> {
        const std::size_t at = status.find(field);
        if (at == std::string::npos) return std::nullopt;
        return number_in<std::uint64_t>(std::string_view(status).substr(at + field.size()), base);
    };
    if (const auto number = in(read_proc(pid, "status"))) return *number;
    for (const auto& [thread, inode] : numbers_in_folder(proc_path(pid, "task")))
        if (const auto number = in(read_proc(pid, ("task/" + std::to_string(thread) + "/status").c_str())))
            return *number;
    return 0;
}

std::uint64_t status_bytes(pid_t pid, std::string_view field) { return status_number(pid, field) << 10U; }

/// All processes that this machine shows us. A number that is given away again has another inode in /proc.
std::map<pid_t, ino_t> all_processes() { return numbers_in_folder("/proc"); }

std::chrono::nanoseconds computed_by(pid_t pid) {
    clockid_t clock = 0;
    timespec time{};
    if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &time) != 0) return {};
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

/// How long a thread was ready to compute without a processor: the second number of its schedstat.
std::chrono::nanoseconds waited_by(pid_t thread) {
    const std::string numbers = read_proc(thread, "schedstat");  // computed waited turns
    const std::size_t second = std::min(numbers.find(' '), numbers.size());
    return std::chrono::nanoseconds(number_in<std::int64_t>(std::string_view(numbers).substr(second)));
}

/// Whether this kernel counts that; one that does not shows zeros.
bool tells_of_waiting() {
    static const bool tells = number_in<std::int64_t>(read_proc(::getpid(), "schedstat")) > 0;
    return tells;
}

bool is_ready(pid_t thread) {
    const std::string stat = read_proc(thread, "stat");  // 12 (any name) R ...
    const std::size_t name_end = stat.rfind(')');
    return name_end != std::string::npos && stat.compare(name_end, 3, ") R") == 0;
}

/// What has been added to a number that only grows, unless it is another one by now; `last` becomes `now`.
std::chrono::nanoseconds growth(std::chrono::nanoseconds& last, std::chrono::nanoseconds now) {
    const auto before = std::exchange(last, now);
    return now < before ? now : now - before;
}

}  // namespace

void Family::look() {
    const std::map<pid_t, ino_t> running = all_processes();
    std::erase_if(members_, [&](pid_t pid) { return !running.contains(pid); });
    // A stranger's number may have become a child's since. Who is asked once more in vain stays a stranger.
    std::erase_if(strangers_, [&](const auto& stranger) {
        const auto now = running.find(stranger.first);
        return now == running.end() || now->second != stranger.second;
    });
    // A child may have a smaller number than its parent, where the numbers have started over: until nobody is added.
    for (bool grown = true; grown;) {
        grown = false;
        for (const auto& [pid, inode] : running) {
            if (members_.contains(pid) || strangers_.contains(pid)) continue;
            if (!members_.contains(parent_of(pid))) continue;
            members_.insert(pid);
            grown = true;
        }
    }
    for (const auto& [pid, inode] : running)
        if (!members_.contains(pid)) strangers_.emplace(pid, inode);
}

std::chrono::nanoseconds Family::cpu_time() const {
    std::chrono::nanoseconds sum{0};
    for (const pid_t pid : members_) sum += computed_by(pid);
    return sum;
}

void Family::look_at_times() {
    const auto now = std::chrono::steady_clock::now();
    std::map<pid_t, std::chrono::nanoseconds> computed, waited;
    std::chrono::nanoseconds longest{0};
    bool ready = false;
    used_.starts_others = false;
    for (const pid_t pid : members_) {
        used_.starts_others |= !computed_.empty() && !computed_.contains(pid);
        auto& of_process = computed[pid] = computed_[pid];
        used_.computed += growth(of_process, std::max(of_process, computed_by(pid)));
        for (const auto& [thread, inode] : numbers_in_folder(proc_path(pid, "task"))) {
            if (!tells_of_waiting()) {
                ready |= is_ready(thread);
                continue;
            }
            auto& of_thread = waited[thread] = waited_[thread];
            longest = std::max(longest, growth(of_thread, waited_by(thread)));
        }
    }
    if (ready && looked_ != std::chrono::steady_clock::time_point{}) longest = now - looked_;
    if (!used_.starts_others) used_.waited += longest;
    computed_ = std::move(computed);
    waited_ = std::move(waited);
    looked_ = now;
}

bool Family::is_ready_to_compute() const {
    for (const pid_t pid : members_)
        for (const auto& [thread, inode] : numbers_in_folder(proc_path(pid, "task")))
            if (is_ready(thread)) return true;
    return false;
}

pid_t Family::handler_of(int signal) const {
    for (const pid_t pid : members_)
        if ((status_number(pid, "\nSigCgt:", 16) >> static_cast<unsigned>(signal - 1) & 1U) != 0) return pid;
    return -1;
}

std::uint64_t Family::resident_bytes() const {
    std::uint64_t sum = 0;
    for (const pid_t pid : members_) sum += status_bytes(pid, "\nVmRSS:");
    return sum;
}

std::uint64_t Family::written_bytes() const {
    std::uint64_t sum = 0;
    for (const pid_t pid : members_) sum += status_bytes(pid, "\nRssAnon:") + status_bytes(pid, "\nRssShmem:");
    return sum;
}

std::uint64_t Family::peak_resident_bytes() const {
    std::uint64_t sum = 0;
    for (const pid_t pid : members_) sum += status_bytes(pid, "\nVmHWM:");
    return sum;
}

std::uint64_t Family::faults_of_ended_children() const {
    std::uint64_t sum = 0;
    for (const pid_t pid : members_) {
        const std::string stat = read_proc(pid, "stat");  // 12 (any name) S ..., cminflt is the eleventh
        std::size_t at = stat.rfind(')');
        for (int field = 2; field < 11 && at != std::string::npos; ++field) at = stat.find(' ', at + 1);
        if (at != std::string::npos) sum += number_in<std::uint64_t>(std::string_view(stat).substr(at));
    }
    return sum;
}

bool Family::reset_peak() const {
    bool any = false;
    for (const pid_t pid : members_) {
        const Descriptor clear(::open(proc_path(pid, "clear_refs").c_str(), O_WRONLY | O_CLOEXEC));
        any |= clear && ::write(clear.get(), "5", 1) == 1;
    }
    return any;
}

bool Family::is_shut() const {
    return !members_.empty() && std::ranges::all_of(members_, [](pid_t pid) {
        struct stat about {};
        if (::stat(proc_path(pid, "clear_refs").c_str(), &about) != 0) return false;  // it is gone, or none has one
        return about.st_uid != status_number(pid, "\nUid:");  // the kernel has given its files to root
    });
}

}  // namespace headway::sandbox
