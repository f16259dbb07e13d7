#pragma once

#include "descriptor.hpp"

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

    /// How often the kernel has killed for want of memory.
    std::uint64_t deaths() const;

private:
    void add(const std::filesystem::path& folder);

    std::vector<std::filesystem::path> folders_;
    std::vector<Descriptor> doors_;  ///< their cgroup.procs
    std::filesystem::path deaths_file_;
};

}  // namespace headway::sandbox
