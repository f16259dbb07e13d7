#include "stopwatch.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <thread>
#include <utility>

namespace headway::bench {
namespace {

double seconds_of(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// A BLAS's threads look for more work for a while before they sleep, and would do so at the other's cost.
void let_threads_sleep(int threads) {
    if (threads > 1) std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

}  // namespace

Contender timed(std::function<void()> work) {
    return [work = std::move(work)](int times) {
        const double cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID), passed = seconds_of(CLOCK_MONOTONIC);
        for (int i = 0; i < times; ++i) work();
        return Time{(seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu) / times,
                    (seconds_of(CLOCK_MONOTONIC) - passed) / times};
    };
}

double Times::at(double part, int threads) const {
    std::vector<double> sorted;
    for (const Time& time : all_) sorted.push_back(threads == 1 ? time.cpu : time.passed);
    std::sort(sorted.begin(), sorted.end());
    return sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1))];
}

std::vector<Times> in_turns(const std::vector<Contender>& contenders, int rounds, int threads) {
    constexpr double at_least = 10e-3;
    std::vector<int> times;
    for (const Contender& contender : contenders) {
        contender(1);
        times.push_back(static_cast<int>(std::clamp(at_least / contender(1).passed, 1.0, 1000.0)));
    }
    std::vector<Times> measured(contenders.size());
    for (int round = 0; round < rounds; ++round)
        for (std::size_t i = 0; i < contenders.size(); ++i) {
            let_threads_sleep(threads);
            measured[i].add(contenders[i](times[i]));
        }
    return measured;
}

}  // namespace headway::bench
