// Grading a class by array jobs of Slurm: the coordinator's side, and what a task runs.
#include "instructor/class_desk.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_status.hpp"
#include "terminal/interrupt.hpp"

#include "classroom/batch_run.hpp"
#include "classroom/local_grader.hpp"
#include "classroom/shard.hpp"
#include "classroom/slurm.hpp"
#include "submission/scratch_folder.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

classroom::SlurmOptions slurm_options(const Course& course, const ClassArguments& arguments) {
    classroom::SlurmOptions options;
    options.waves = fs::absolute(arguments.gradebook + ".shards");
    options.processors = std::max<std::size_t>(1, arguments.jobs);
    options.work = {fs::read_symlink("/proc/self/exe").string(), "class", "work-shard", "--jobs",
                    std::to_string(options.processors)};
    if (arguments.unsafe) options.work.emplace_back("--unsafe");
    options.environment = {{"HEADWAY_ROOT", course.root.string()}, {"HEADWAY_POLICY", course.policy.string()}};
    options.partition = arguments.partition;
    options.account = arguments.account;
    options.more = arguments.sbatch;
    return options;
}

std::string queue_text(const classroom::QueueState& queue) {
    std::string text = fmt::format(" · tasks: {} running, {} waiting", queue.running, queue.waiting);
    if (!queue.reason.empty()) text += fmt::format(" ({})", queue.reason);
    return text;
}

/// @throws CourseError if this machine would not give the marks that the class's edition gives
void require_same_suites(const Course& course, const classroom::Shard& shard) {
    const auto here = classroom::suites_of(course, shard.seed());
    for (const auto& [exercise, digest] : shard.suites()) {
        const auto found = here.find(exercise);
        if (found == here.end() || found->second != digest)
            throw CourseError(fmt::format(
                "this node would judge {} otherwise than the gradebook says: tests, libraries or compiler are others. "
                "Every node needs the same build of Headway, at the same path, and the same compiler",
                exercise));
    }
}

/// Of the node, not of the cluster. TMPDIR comes from where the class was handed in, and need not be here.
fs::path temporary_folder() {
    std::error_code none;
    const fs::path folder = fs::temp_directory_path(none);
    return none ? fs::path("/tmp") : folder;
}

}  // namespace

classroom::RunState grade_on_slurm(const Course& course, const ClassArguments& arguments,
                                   gradebook::Gradebook& gradebook, const gradebook::Edition& edition) try {
    const classroom::SlurmOptions slurm = slurm_options(course, arguments);
    ProgressLine line;
    classroom::QueueState last;
    classroom::BatchOptions options;
    options.waves = slurm.waves;
    options.shard_size = arguments.shard_size;
    options.most_queued = arguments.most_queued;
    options.poll = std::chrono::seconds(arguments.poll_seconds);
    options.stop = Interrupt::requested;
    options.progress = [&](const classroom::RunState& state, const classroom::QueueState& queue) {
        last = queue;
        line.show(progress_text(state) + queue_text(queue));
    };
    classroom::Slurm queue(slurm);
    const classroom::RunState state = classroom::run_in_batches(gradebook, edition, queue, options);
    line.clear();
    if (Interrupt::requested() && last.running + last.waiting > 0)
        fmt::print(stderr, "headway: {} tasks stay in Slurm's queue and go on; scancel takes them back\n",
                   last.running + last.waiting);
    return state;
} catch (const classroom::QueueError& error) {
    throw CourseError(fmt::format("Slurm: {}. Nothing is lost; the same command goes on from here.", error.what()));
}

int run_class_work_shard(const Course& course, const ClassArguments& arguments) {
    classroom::Shard shard(arguments.folder);
    require_same_suites(course, shard);
    require_jail(course, arguments);
    const Interrupt interrupt;
    const build::ScratchFolder scratch(temporary_folder());
    classroom::RunOptions options;
    options.workers = std::max<std::size_t>(1, arguments.jobs);
    options.stop = Interrupt::requested;
    const classroom::RunState state =
        classroom::run_pending(shard, classroom::local_grader(course, shard.seed(), scratch.path()), options);
    if (Interrupt::requested()) return interrupted;
    if (state.unavailable > 0) throw CourseError(state.last_problem);
    return all_passed;
}

}  // namespace headway::cli
