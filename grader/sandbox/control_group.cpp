#include "sandbox/control_group.hpp"

#include "sandbox/chance.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <fstream>
#include <sstream>
#include <system_error>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

namespace headway::sandbox {
namespace {

namespace fs = std::filesystem;

const fs::path root = "/sys/fs/cgroup";

void write_setting(const fs::path& file, const std::string& value) {
    const Descriptor descriptor(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
    if (!descriptor || ::write(descriptor.get(), value.data(), value.size()) < 0)
        throw std::system_error(errno, std::generic_category(), file.string());
}

/// Where this process is in `controller`'s hierarchy; "" is version 2's.
fs::path own_place(const std::string& controller) {
    std::ifstream lines("/proc/self/cgroup");  // 4:memory:/some/where
    for (std::string line; std::getline(lines, line);) {
        const std::size_t names = line.find(':') + 1;
        const std::size_t path = line.find(':', names) + 1;
        std::istringstream each(line.substr(names, path - 1 - names));
        std::string name;
        do {
            std::getline(each, name, ',');
            if (name == controller) return fs::path(line.substr(path)).relative_path();
        } while (each);
    }
    throw std::runtime_error("this machine has no control groups for " + controller);
}

const std::string prefix = "headway-jail-";

/// Held by the grader that has made the folder, and let go by the kernel when that grader ends, however it ends. It is
/// on the folder itself, which all graders of a machine see: process numbers mean nothing in another pid namespace.
Descriptor try_to_hold(const fs::path& folder) {
    Descriptor held(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (held && ::flock(held.get(), LOCK_EX | LOCK_NB) != 0) held.reset();
    return held;
}

/// What graders left behind that were killed: groups that nobody holds. One with processes stays.
void remove_abandoned(const fs::path& parent) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(parent, ignored)) {
        if (!entry.path().filename().string().starts_with(prefix)) continue;
        if (const Descriptor held = try_to_hold(entry.path())) ::rmdir(entry.path().c_str());
    }
}

bool is_the_same(const Descriptor& folder, const fs::path& path) {
    struct stat held {};
    struct stat there {};
    return ::fstat(folder.get(), &held) == 0 && ::stat(path.c_str(), &there) == 0 && held.st_ino == there.st_ino;
}

/// A judge lives in a group that we made. What it starts gets groups beside that, not in it: their memory is not the
/// judge's.
fs::path outside_our_own(fs::path place) {
    while (place.filename().string().starts_with("headway-")) place = place.parent_path();
    return place;
}

/// Where version 2 lets us make a group: below the root as root, else beside our own. A group with processes of its
/// own cannot hand its controllers down.
fs::path version_2_parent() {
    const fs::path own = root / own_place("");
    const fs::path outside = outside_our_own(own);
    const fs::path parent = ::geteuid() == 0 || own == root ? root : outside != own ? outside : own.parent_path();
    std::ifstream handed_down(parent / "cgroup.subtree_control");
    std::string names((std::istreambuf_iterator<char>(handed_down)), {});
    if (names.find("memory") == std::string::npos || names.find("pids") == std::string::npos)
        write_setting(parent / "cgroup.subtree_control", "+memory +pids");
    return parent;
}

/// "name value" a line; 0 if there is no such name.
std::uint64_t count_in(const fs::path& file, const std::string& wanted) {
    std::ifstream lines(file);
    std::string name;
    for (std::uint64_t value = 0; lines >> name >> value;)
        if (name == wanted) return value;
    return 0;
}

}  // namespace

void ControlGroup::make_folder(const fs::path& parent) {
    remove_abandoned(parent);  // cheap: there are few
    for (;;) {
        const fs::path folder = parent / (prefix + random_name());
        std::error_code error;
        fs::create_directory(folder, error);
        if (error) throw std::system_error(error, parent.string());
        // Between making and holding it, another grader may have taken it for abandoned.
        Descriptor held = try_to_hold(folder);
        if (!held || !is_the_same(held, folder)) continue;
        holds_.push_back(std::move(held));
        add(folder);
        return;
    }
}

void ControlGroup::add(const fs::path& folder) {
    folders_.push_back(folder);
    doors_.emplace_back(::open((folder / "cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
    if (!doors_.back()) throw std::system_error(errno, std::generic_category(), folder.string());
}

std::shared_ptr<ControlGroup> ControlGroup::make(const Bounds& bounds, std::string& why) {
    auto group = std::make_shared<ControlGroup>();
    const std::string memory = std::to_string(bounds.memory);
    const std::string processes = std::to_string(bounds.processes);
    try {
        if (fs::exists(root / "cgroup.controllers")) {
            group->make_folder(version_2_parent());
            const fs::path& folder = group->folders_.back();
            write_setting(folder / "memory.max", memory);
            write_setting(folder / "pids.max", processes);
            group->events_ = folder / "memory.events";
            group->watch_memory(folder / "memory.current", folder / "memory.peak");
        } else {
            group->make_folder(root / "memory" / outside_our_own(own_place("memory")));
            write_setting(group->folders_.back() / "memory.limit_in_bytes", memory);
            const fs::path folder = group->folders_.back();
            group->events_ = folder / "memory.oom_control";
            group->hits_ = folder / "memory.failcnt";
            group->watch_memory(folder / "memory.usage_in_bytes", folder / "memory.max_usage_in_bytes");
            group->make_folder(root / "pids" / outside_our_own(own_place("pids")));
            write_setting(group->folders_.back() / "pids.max", processes);
        }
        return group;
    } catch (const std::exception& error) {
        why = error.what();
        return nullptr;
    }
}

ControlGroup::~ControlGroup() {
    for (const fs::path& folder : folders_) {
        // The last of its processes may still be dying.
        std::error_code error;
        for (int attempt = 0; attempt < 200 && !fs::remove(folder, error) && error; ++attempt)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}

void ControlGroup::enter() const {
    for (const Descriptor& door : doors_)
        if (::write(door.get(), "0", 1) < 0) ::_exit(125);
}

void ControlGroup::watch_memory(const fs::path& now, const fs::path& peak) {
    memory_file_ = now;
    peak_ = Descriptor(::open(peak.c_str(), O_RDWR | O_CLOEXEC));
    peak_can_be_reset_ = bool(peak_);
    if (!peak_) peak_ = Descriptor(::open(peak.c_str(), O_RDONLY | O_CLOEXEC));
}

std::uint64_t ControlGroup::memory() const {
    std::uint64_t bytes = 0;
    std::ifstream(memory_file_) >> bytes;
    return bytes;
}

std::uint64_t ControlGroup::peak_memory() const {
    std::array<char, 32> text{};
    std::uint64_t bytes = 0;
    if (peak_ && ::pread(peak_.get(), text.data(), text.size(), 0) > 0)
        std::from_chars(text.data(), text.data() + text.size(), bytes);
    return bytes;
}

/// Version 1 takes a 0; version 2 takes any word since Linux 6.12, and refuses to be written before.
bool ControlGroup::reset_peak_memory() const { return peak_can_be_reset_ && ::pwrite(peak_.get(), "0", 1, 0) == 1; }

std::uint64_t ControlGroup::deaths() const { return count_in(events_, "oom_kill"); }

bool ControlGroup::has_reached_its_bound() const {
    if (hits_.empty()) return count_in(events_, "oom") > 0;
    std::uint64_t hits = 0;
    std::ifstream(hits_) >> hits;
    return hits > 0;
}

std::uint64_t deaths_around_us() {
    try {
        const bool is_version_2 = fs::exists(root / "cgroup.controllers");
        return is_version_2 ? count_in(root / own_place("") / "memory.events", "oom_kill")
                            : count_in(root / "memory" / own_place("memory") / "memory.oom_control", "oom_kill");
    } catch (const std::exception&) {
        return 0;  // a machine without control groups does not count
    }
}

}  // namespace headway::sandbox
