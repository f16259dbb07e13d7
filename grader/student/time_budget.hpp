#pragma once

#include <chrono>
#include <ctime>
#include <memory>
#include <optional>

namespace headway::judge {

/// The submission has used up its time. This is no StopTest, which ends only one test.
struct OutOfTime {};

/// What a submission may take for all that it is asked, in every worker: processor time, and time asleep while it is
/// waited for. Time without a processor on a busy machine is not counted, so that it makes the verdict later, not
/// worse.
class TimeBudget {
public:
    /// Also counts what this process computes from here on: for questions that the judge thinks about as long as the
    /// submission does.
    enum class OwnTime { not_counted, counted };

    TimeBudget(std::chrono::nanoseconds all, OwnTime own)
        : all_(all), own_begin_(own == OwnTime::counted ? std::optional(own_time()) : std::nullopt) {}

    void spend(std::chrono::nanoseconds time) { spent_ += time; }
    std::chrono::nanoseconds all() const { return all_; }
    bool is_spent() const {
        return spent_ + (own_begin_ ? own_time() - *own_begin_ : std::chrono::nanoseconds{0}) > all_;
    }

private:
    static std::chrono::nanoseconds own_time() {
        timespec used{};
        ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
        return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
    }

    std::chrono::nanoseconds all_;
    std::chrono::nanoseconds spent_{0};
    std::optional<std::chrono::nanoseconds> own_begin_;
};

}  // namespace headway::judge
