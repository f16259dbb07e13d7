#include "grading/at_once.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace headway::cli {

std::size_t processors() { return std::max(1U, std::thread::hardware_concurrency()); }

void at_once(std::size_t threads, const std::function<void()>& work) {
    std::mutex mutex;
    std::exception_ptr first;
    {
        std::vector<std::jthread> running;
        for (std::size_t i = 0; i < std::max<std::size_t>(1, threads); ++i)
            running.emplace_back([&] {
                try {
                    work();
                } catch (...) {
                    const std::lock_guard lock(mutex);
                    if (!first) first = std::current_exception();
                }
            });
    }
    if (first) std::rethrow_exception(first);
}

}  // namespace headway::cli
