#include "build/killed.hpp"

#include <csignal>
#include <string>

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

}  // namespace headway::build
