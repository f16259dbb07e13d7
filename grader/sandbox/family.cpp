#include "family.hpp"

#include "descriptor.hpp"

#include <array>
#include <charconv>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>

#include <dirent.h>
#include <fcntl.h>

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
Number number_in(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    Number number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

pid_t parent_of(pid_t pid) {
    const std::string stat = read_proc(pid, "stat");  // 12 (any name) S parent ...
    const std::size_t name_end = stat.rfind(')');
    return name_end == std::string::npos ? -1 : number_in<pid_t>(std::string_view(stat).substr(name_end + 3));
}

/// @param field  with the line end before it: the first line is a name that the process chose, such as "VmRSS:"
std::uint64_t status_bytes(pid_t pid, std::string_view field) {
    const std::string status = read_proc(pid, "status");
    const std::size_t at = status.find(field);
    return at == std::string::npos
               ? 0
               : number_in<std::uint64_t>(std::string_view(status).substr(at + field.size())) << 10U;
}

/// All processes that this machine shows us, in the order of their numbers.
std::set<pid_t> all_processes() {
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc"), ::closedir);
    std::set<pid_t> processes;
    while (const dirent* entry = folder ? ::readdir(folder.get()) : nullptr)
        if (const auto pid = number_in<pid_t>(entry->d_name); pid > 0) processes.insert(processes.end(), pid);
    return processes;
}

}  // namespace

void Family::look() {
    const std::set<pid_t> running = all_processes();
    const auto gone = [&](pid_t pid) { return !running.contains(pid); };
    std::erase_if(members_, gone);
    std::erase_if(strangers_, gone);
    // A child may have a smaller number than its parent, where the numbers have started over: until nobody is added.
    for (bool grown = true; grown;) {
        grown = false;
        for (const pid_t pid : running) {
            if (members_.contains(pid) || strangers_.contains(pid)) continue;
            if (!members_.contains(parent_of(pid))) continue;
            members_.insert(pid);
            grown = true;
        }
    }
    for (const pid_t pid : running)
        if (!members_.contains(pid)) strangers_.insert(pid);
}

std::chrono::nanoseconds Family::cpu_time() const {
    std::chrono::nanoseconds sum{0};
    for (const pid_t pid : members_) {
        clockid_t clock = 0;
        timespec time{};
        if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &time) != 0) continue;
        sum += std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
    }
    return sum;
}

std::uint64_t Family::resident_bytes() const {
    std::uint64_t sum = 0;
    for (const pid_t pid : members_) sum += status_bytes(pid, "\nVmRSS:");
    return sum;
}

std::uint64_t Family::peak_resident_bytes() const {
    std::uint64_t sum = 0;
    for (const pid_t pid : members_) sum += status_bytes(pid, "\nVmHWM:");
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

}  // namespace headway::sandbox
