#pragma once

#include <functional>
#include <string>
#include <vector>

namespace headway::bench {

/// Seconds that one run took.
struct Time {
    double cpu = 0;     ///< of processors, over all threads
    double passed = 0;  ///< on the clock
};

/// Runs its work `times` times, and returns what one run took.
using Contender = std::function<Time(int times)>;

/// A contender that does a piece of work in this process.
Contender timed(std::function<void()> work);

/// What one contender's runs took.
class Times {
public:
    void add(Time time) { all_.push_back(time); }
    /// By CPU time where one thread works: what else the machine does counts less there. By the clock where more do.
    double median(int threads) const { return at(0.5, threads); }
    double least(int threads) const { return at(0.0, threads); }

private:
    double at(double part, int threads) const;
    std::vector<Time> all_;
};

/// Round after round each contender runs once, so that what else the machine does meets all; what takes less than some
/// milliseconds runs several times in a row. One run of each comes before that, and is not counted.
std::vector<Times> in_turns(const std::vector<Contender>& contenders, int rounds, int threads);

}  // namespace headway::bench
