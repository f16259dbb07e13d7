#include "memory.hpp"

#include <fstream>
#include <string>

#include <malloc.h>

namespace headway::bench {
namespace {

/// A line of /proc/self/status, in bytes.
double status(const std::string& name) {
    std::ifstream file("/proc/self/status");
    for (std::string line; std::getline(file, line);)
        if (line.rfind(name + ":", 0) == 0) return std::stod(line.substr(name.size() + 1)) * 1024;
    return 0;
}

}  // namespace

double extra_memory(const std::function<void()>& work) {
    malloc_trim(0);                               // what was freed before must not be there for `work` to use
    std::ofstream("/proc/self/clear_refs") << 5;  // the peak counts from here
    const double before = status("VmRSS");
    work();
    return status("VmHWM") - before;
}

void keep_freed_memory() {
    constexpr int whatever_the_size = 1 << 30;
    mallopt(M_MMAP_THRESHOLD, whatever_the_size);
    mallopt(M_TRIM_THRESHOLD, whatever_the_size);
}

}  // namespace headway::bench
