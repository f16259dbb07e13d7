#include "build/killed.hpp"

#include <csignal>
#include <string>

namespace headway::build {
namespace {

/// Ran into a limit of ours, or into none and succeeded: how it ended is the submission's doing.
bool is_its_own_doing(const sandbox::Finished& finished, std::chrono::seconds cpu) {
    return (finished.ended.success() && !finished.timed_out) || finished.timed_out || finished.out_of_memory ||
           finished.seconds >= cpu;
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
