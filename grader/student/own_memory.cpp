#include "student/own_memory.hpp"

#include <new>

#include <sys/resource.h>

namespace headway::judge {

bool& own_memory_ran_out() {
    static bool ran_out = false;
    return ran_out;
}

void bound_own_memory([[maybe_unused]] std::uint64_t bytes) {
    std::set_new_handler([] {
        own_memory_ran_out() = true;
        throw std::bad_alloc();
    });
#ifndef HEADWAY_ASAN
    // The soft limit: workers are given their own; see Process::start.
    rlimit limit{};
    if (::getrlimit(RLIMIT_AS, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max == RLIM_INFINITY || limit.rlim_max > bytes ? bytes : limit.rlim_max;
    ::setrlimit(RLIMIT_AS, &limit);
#endif
}

}  // namespace headway::judge
