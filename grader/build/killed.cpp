#include "build/killed.hpp"

#include <algorithm>
#include <csignal>
#include <string>
#include <string_view>

namespace headway::build {
namespace {

/// The kernel's limit counts in ticks what is told in the end by the clock, so these two may differ a little.
bool has_computed_all(const sandbox::Finished& finished, std::chrono::seconds cpu) {
    return finished.computed >= std::chrono::nanoseconds(cpu) * 9 / 10;
}

/// Ran into a limit of ours, or into none and succeeded: how it ended is the submission's doing. How long it took by
/// the clock tells nothing: on a busy machine everything takes long.
bool is_its_own_doing(const sandbox::Finished& finished, std::chrono::seconds cpu) {
    if ((finished.ended.success() && !finished.timed_out) || finished.out_of_memory) return true;
    return !finished.starved && (finished.timed_out || has_computed_all(finished, cpu));
}

/// "g++: fatal error: Killed signal terminated program cc1plus"
bool driver_tells_of_an_end(std::string_view output) {
    while (!output.empty()) {
        const std::string_view line = output.substr(0, output.find('\n'));
        output.remove_prefix(std::min(line.size() + 1, output.size()));
        const std::string_view who = line.substr(0, line.find(':'));
        if (who != line && (who.ends_with("++") || who.ends_with("clang")) &&
            (line.find("CPU time limit exceeded") != std::string_view::npos ||
             line.find("Killed") != std::string_view::npos))
            return true;
    }
    return false;
}

}  // namespace

bool was_killed_from_outside(const sandbox::Finished& finished, std::chrono::seconds cpu) {
    if (is_its_own_doing(finished, cpu)) return false;
    const auto ended_by = [&](int signal) {
        return finished.ended.signal == signal || finished.ended.exit_code == 128 + signal;
    };
    return finished.starved || ended_by(SIGKILL) || ended_by(SIGTERM) || ended_by(SIGHUP) || ended_by(SIGINT);
}

bool may_have_been_killed(const sandbox::Finished& finished, std::chrono::seconds cpu) {
    if (is_its_own_doing(finished, cpu)) return false;
    return was_killed_from_outside(finished, cpu) ||
           finished.output.find(" signal terminated program ") != std::string::npos ||
           finished.output.find(" terminated with signal ") != std::string::npos;
}

/// The last look at it may have been a while before its end, so half of the time is enough.
bool used_up_its_time(const sandbox::Finished& finished, std::chrono::seconds cpu) {
    return !finished.ended.success() && finished.computed >= std::chrono::nanoseconds(cpu) / 2 &&
           driver_tells_of_an_end(finished.output);
}

}  // namespace headway::build
