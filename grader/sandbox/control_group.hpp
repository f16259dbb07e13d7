#pragma once

#include "sandbox/descriptor.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace headway::sandbox {

/// A kernel control group (cgroup v1 or v2) that bounds memory and number of processes of a whole jail, pages that no
/// process maps included. Goes with this object.
class ControlGroup {
public:
    struct Bounds {
        std::uint64_t memory = 0;  ///< bytes
        std::uint64_t processes = 0;
    };

    /// @return null where none can be made, with the reason in `why`
    static std::shared_ptr<ControlGroup> make(const Bounds& bounds, std::string& why);

    ControlGroup() = default;
    ~ControlGroup();
    ControlGroup(const ControlGroup&) = delete;
    ControlGroup& operator=(const ControlGroup&) = delete;

    /// The calling process and all that it will start; async-signal-safe.
    void enter() const;

    /// How often the kernel has killed one of its processes for want of memory: the group's, or the machine's.
    std::uint64_t deaths() const;
    /// Whether the group has ever needed more than its own bound. If not, what died of memory died of the machine's.
    bool has_reached_its_bound() const;

    /// Bytes of all its processes, and of files in memory that they made.
    std::uint64_t memory() const;
    /// The most there were, also in processes that have ended. Older kernels do not tell: 0.
    std::uint64_t peak_memory() const;
    /// The peak counts from here. @return false where the kernel does not let us
    bool reset_peak_memory() const;

private:
    void make_folder(const std::filesystem::path& parent);
    void add(const std::filesystem::path& folder);
    void watch_memory(const std::filesystem::path& now, const std::filesystem::path& peak);

    std::vector<std::filesystem::path> folders_;
    std::vector<Descriptor> holds_;  ///< locks on them: as long as they are held, no other grader tidies them away
    std::vector<Descriptor> doors_;  ///< their cgroup.procs
    std::filesystem::path events_;
    std::filesystem::path hits_;  ///< version 1: how often the bound was reached
    std::filesystem::path memory_file_;
    Descriptor peak_;  ///< one and the same: version 2 resets what is read through it, for nobody else
    bool peak_can_be_reset_ = false;
};

/// How often the kernel has killed for want of memory in the control group that we are in ourselves; 0 where nobody
/// counts.
std::uint64_t deaths_around_us();

}  // namespace headway::sandbox
