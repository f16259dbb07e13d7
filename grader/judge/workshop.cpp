#include "judge/workshop.hpp"

#include "sandbox/control_group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <vector>

namespace headway::judge {
namespace {

namespace fs = std::filesystem;

/// Both builds are asked at the same time, by a judge each, and then a third one asks why.
constexpr double share_of_a_build = 0.4;
constexpr double share_of_diagnosis = 0.2;

/// Of what coverage counted: one for each worker. A dozen tests need two each where all of them fail, and those that
/// measure some more.
constexpr int most_parcels = 40;

/// Of a thread, whatever the machine's is.
constexpr std::uint64_t stack = sandbox::mebibytes(8);

constexpr int most_arenas = 4;

fs::path own_folder() { return fs::read_symlink("/proc/self/exe").parent_path(); }

/// Nothing of the judge's own environment. The patterns make uninitialised memory visible.
std::vector<std::string> worker_environment(const Program& program) {
    if (program.sanitized)
        return {
            "ASAN_OPTIONS=detect_leaks=0:malloc_fill_byte=254:max_malloc_fill_size=1073741824:"
            "detect_stack_use_after_return=1:allocator_may_return_null=0:color=never:"
            "disable_coredump=0:"  // it would lower a limit that stops more: see no_core_dumps of the jail
            // What was freed is given out again after 16 MiB and not 256: fresh pages cost more than all checks.
            "quarantine_size_mb=16:malloc_context_size=16:symbolize=" +
                std::string(program.symbolized ? "1" : "0"),
            "UBSAN_OPTIONS=print_stacktrace=1:color=never"};
    // Chunks of the thread cache are handed out again as they are; and each arena, of which a machine with many
    // processors has many, reserves 64 MiB of addresses.
    return {fmt::format("MALLOC_PERTURB_={}", program.fill),
            fmt::format("GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.arena_max={}", most_arenas)};
}

}  // namespace

Workshop::Workshop(const Run& run)
    : jail_(sandbox::Jail::from_name(run.jail, own_folder() / "headway-enter", sandbox::read_policy(run.policy))),
      counts_(run.counts) {
    // Without a control group nobody counts the pages of files, where exercise 10's scores could be kept.
    std::string ignored;
    folder_ = sandbox::ControlGroup::make({.memory = most().memory, .processes = most().processes}, ignored)
                  ? most().folder
                  : std::min(most().folder, sandbox::mebibytes(1));
    limits_.time = most().call_cpu;
    limits_.time_after_timeout = limits_.time / 20;
    limits_.start = most().call_cpu;
    limits_.wall = most().call_wall;
    limits_.budget = budget(run.lone_build ? 1.0 : share_of_a_build, TimeBudget::OwnTime::not_counted);
    // The tests of exercise 06, which have no other build, ask: with as many numbers as their header lets them.
    if (run.lone_build) limits_.answer_bytes = std::size_t{24} << 20U;
    limits_.resident_bytes = most().memory;
    limits_.output_flood = most().output;
    limits_.threads = most().processes;
}

Student Workshop::student(const Program& program, const CallLimits& limits) const {
    if (!counts_.empty())
        return {jail_.lock_with_parcel(counting_command(program), contents(program), parcel()), limits};
    Student student(jail_.lock(command(program), contents(program)), limits);
    // A sanitizer's own memory and time are measured by nobody.
    if (!program.sanitized)
        student.measured_in([this, program](sandbox::Offspring offspring) {
            sandbox::Command measured = command(program);
            measured.offspring = offspring;
            return jail_.lock(measured, contents(program));
        });
    const Program known_good{.worker = own_folder() / "headway-attention", .sanitized = program.sanitized};
    if (fs::exists(known_good.worker))
        student.compared_with([this, known_good] { return jail_.lock(command(known_good), contents(known_good)); });
    return student;
}

void Workshop::keep_parcel() {
    std::error_code ignored;
    if (kept_ < most_parcels) fs::rename(parcel(), counts_ / std::to_string(kept_++), ignored);
}

CallLimits Workshop::limits_of_diagnosis() const {
    CallLimits limits = limits_;
    limits.time = limits_.time / 3;
    limits.time_after_timeout = limits_.time / 30;
    limits.budget = budget(share_of_diagnosis, TimeBudget::OwnTime::counted);
    limits.answer_bytes = limits_.answer_bytes / 4;  // it keeps many; its questions are small
    return limits;
}

std::shared_ptr<TimeBudget> Workshop::budget(double share, TimeBudget::OwnTime own) const {
    const auto time = std::chrono::duration_cast<std::chrono::nanoseconds>(share * most().all_calls);
    return std::make_shared<TimeBudget>(time, own);
}

sandbox::Command Workshop::command(const Program& program) const {
    sandbox::Command command;
    command.arguments = {program.worker};
    command.environment = worker_environment(program);
    command.directory = fs::path(program.worker).parent_path();
    // Stacks are reserved whole and hardly written to. AddressSanitizer reserves 20 TiB of addresses; there only the
    // resident size is watched.
    command.limits.stack = stack;
    if (!program.sanitized)
        command.limits.address_space = most().memory + sandbox::mebibytes(512) + most().processes * stack;
    command.limits.file_size = most().folder;
    command.limits.resident = most().memory;
    command.limits.processes = most().processes;
    command.limits.files = most().files;
    return command;
}

/// Counts go to the one folder that the jail packs, whatever folder the compiler had in mind.
sandbox::Command Workshop::counting_command(const Program& program) const {
    sandbox::Command counting = command(program);
    counting.environment.push_back("GCOV_PREFIX=" + sandbox::Jail::parcel_place().string());
    counting.environment.emplace_back("GCOV_PREFIX_STRIP=99");
    return counting;
}

sandbox::JailContents Workshop::contents(const Program& program) const {
    return {.program = program.worker,
            .readable = {},
            .own_processes_visible = program.sanitized,
            .folder = folder_,
            .secret = {}};
}

}  // namespace headway::judge
