#include "control_group.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <system_error>
#include <thread>

#include <fcntl.h>

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

/// Unlike any other of this machine.
std::string fresh_name() {
    static std::atomic<int> made{0};
    return "headway-" + std::to_string(::getpid()) + "-" + std::to_string(++made);
}

/// What graders left behind that were killed: groups named after a process that is gone. One with processes stays.
void remove_abandoned(const fs::path& parent) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(parent, ignored)) {
        const std::string name = entry.path().filename().string();
        int owner = 0;
        if (std::sscanf(name.c_str(), "headway-%d-", &owner) != 1 || owner <= 0) continue;
        if (::kill(owner, 0) != 0 && errno == ESRCH) ::rmdir(entry.path().c_str());
    }
}

fs::path make_folder(const fs::path& parent, const std::string& name) {
    remove_abandoned(parent);  // cheap: there are few
    const fs::path folder = parent / name;
    std::error_code error;
    fs::create_directory(folder, error);
    if (error) throw std::system_error(error, parent.string());
    return folder;
}

/// Where version 2 lets us make a group: below the root as root, else beside our own. A group with processes of its
/// own cannot hand its controllers down.
fs::path version_2_parent() {
    const fs::path own = root / own_place("");
    const fs::path parent = ::geteuid() == 0 || own == root ? root : own.parent_path();
    std::ifstream handed_down(parent / "cgroup.subtree_control");
    std::string names((std::istreambuf_iterator<char>(handed_down)), {});
    if (names.find("memory") == std::string::npos || names.find("pids") == std::string::npos)
        write_setting(parent / "cgroup.subtree_control", "+memory +pids");
    return parent;
}

}  // namespace

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
            group->add(make_folder(version_2_parent(), fresh_name()));
            const fs::path& folder = group->folders_.back();
            write_setting(folder / "memory.max", memory);
            write_setting(folder / "pids.max", processes);
            group->deaths_file_ = folder / "memory.events";
            group->watch_memory(folder / "memory.current", folder / "memory.peak");
        } else {
            group->add(make_folder(root / "memory" / own_place("memory"), fresh_name()));
            write_setting(group->folders_.back() / "memory.limit_in_bytes", memory);
            const fs::path& folder = group->folders_.back();
            group->deaths_file_ = folder / "memory.oom_control";
            group->watch_memory(folder / "memory.usage_in_bytes", folder / "memory.max_usage_in_bytes");
            group->add(make_folder(root / "pids" / own_place("pids"), fresh_name()));
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

std::uint64_t ControlGroup::deaths() const {
    std::ifstream lines(deaths_file_);
    std::string name;
    for (std::uint64_t value = 0; lines >> name >> value;)
        if (name == "oom_kill") return value;
    return 0;
}

}  // namespace headway::sandbox
