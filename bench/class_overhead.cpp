// What keeping a class costs beside grading it: a class whose grading takes no time, in milliseconds a hand-in. The
// verdicts are as long as real ones. For two sizes, so that one sees whether it is linear. On a batch system, the peak
// memory of who hands in and merges, with half of the class in flight at once and with a twentieth.
//     class_overhead [HAND_INS...]     (default: 1000 10000)
#include "classroom/batch_run.hpp"
#include "classroom/grading_run.hpp"
#include "classroom/shard.hpp"
#include "submission/scratch_folder.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace {

using namespace headway;
using std::chrono::steady_clock;

double milliseconds_since(steady_clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(steady_clock::now() - begin).count();
}

/// Twelve tests, half of them failed with a page of words.
verdict::Exercise verdict_on(const build::Submission& source) {
    verdict::Exercise exercise;
    exercise.name = source.exercise;
    exercise.digest = source.digest();
    exercise.state = verdict::State::failed;
    exercise.max_points = 10;
    for (int i = 0; i < 12; ++i) {
        verdict::Test& test = exercise.tests.emplace_back();
        test.name = "ScoresAreDividedBySqrtHeadDim" + std::to_string(i);
        test.property = "scores are divided by the square root of head_dim";
        test.state = i % 2 == 0 ? verdict::TestState::passed : verdict::TestState::failed;
        if (i % 2 == 0) continue;
        test.failure.emplace();
        for (int line = 0; line < 20; ++line)
            test.failure->message +=
                source.digest().substr(static_cast<std::size_t>(line)) + " is not what it should be\n";
    }
    return exercise;
}

build::Submission hand_in(int student) {
    return {"03_scaled_scores", {}, {{"scaled_scores.cpp", std::string(3000, ' ') + std::to_string(student)}}, {}};
}

classroom::RunState run(classroom::Ledger& ledger) {
    classroom::RunOptions options;
    options.workers = 2;
    return classroom::run_pending(
        ledger, [](const build::Submission& source, const classroom::Log&) { return verdict_on(source); }, options);
}

/// A new gradebook.
gradebook::Edition take_down(gradebook::Gradebook& gradebook, int students) {
    const auto edition = gradebook.propose({0, 7, "", {{"03_scaled_scores", "suite"}}});
    gradebook.apply(edition);
    for (int student = 0; student < students; ++student) {
        const build::Submission source = hand_in(student);
        gradebook.record({0, "s" + std::to_string(student), "folder", {}, "", "", {{source.exercise, source.digest()}}},
                         {source});
    }
    return edition;
}

/// Runs each task in a process of its own, and at once.
class Cluster : public classroom::BatchQueue {
public:
    explicit Cluster(std::filesystem::path waves) : waves_(std::move(waves)) {}

    classroom::QueueLimits limits() override { return {}; }
    void submit(const std::string& wave, std::size_t shards) override {
        for (std::size_t i = 0; i < shards; ++i) {
            if (const pid_t task = ::fork(); task != 0) {
                ::waitpid(task, nullptr, 0);
                continue;
            }
            classroom::Shard shard(waves_ / wave / std::to_string(i));
            run(shard);
            ::_exit(EXIT_SUCCESS);
        }
    }
    std::vector<classroom::QueuedTask> tasks(const std::vector<std::string>&) override { return {}; }
    void cancel(const std::string&) override {}
    void cancel(const classroom::QueuedTask&) override {}

private:
    std::filesystem::path waves_;
};

double peak_mebibytes() {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    return static_cast<double>(used.ru_maxrss) / 1024;
}

void measure_batches(int students, std::size_t most_in_flight, const std::filesystem::path& folder) {
    std::filesystem::create_directory(folder);
    std::fflush(stdout);
    const pid_t coordinator = ::fork();  // the memory of a process is its own
    if (coordinator == 0) {
        gradebook::Gradebook gradebook(folder / "gradebook.sqlite", gradebook::Access::read_write);
        const auto edition = take_down(gradebook, students);
        const double before = peak_mebibytes();
        Cluster cluster(folder / "waves");
        classroom::BatchOptions options;
        options.waves = folder / "waves";
        options.most_in_flight = most_in_flight;
        options.poll = std::chrono::milliseconds(1);
        const auto state = classroom::run_in_batches(gradebook, edition, cluster, options);
        if (state.done != static_cast<std::size_t>(students)) ::_exit(EXIT_FAILURE);
        std::printf("  %6d hand-ins in batches, %6zu in flight: %.1f MiB more at its peak than before\n", students,
                    most_in_flight, peak_mebibytes() - before);
        std::fflush(stdout);
        ::_exit(EXIT_SUCCESS);
    }
    int status = 0;
    ::waitpid(coordinator, &status, 0);
    if (status != 0) std::exit(EXIT_FAILURE);
}

void measure(int students, const std::filesystem::path& folder) {
    gradebook::Gradebook gradebook(folder / "gradebook.sqlite", gradebook::Access::read_write);
    auto begin = steady_clock::now();
    const auto edition = take_down(gradebook, students);
    const double taken_down = milliseconds_since(begin) / students;

    // As a shard, whose results nobody merges: the gradebook stays as it is.
    classroom::Manifest manifest{7, edition.suites, {}};
    for (const gradebook::Job& job : gradebook.pending(edition)) manifest.work.emplace_back(job, gradebook.source(job));
    classroom::write_manifest(folder / "shard", manifest);
    classroom::Shard shard(folder / "shard");
    begin = steady_clock::now();
    run(shard);
    const double sharded = milliseconds_since(begin) / students;

    classroom::GradebookLedger ledger(gradebook, edition);
    begin = steady_clock::now();
    const auto state = run(ledger);
    const double scheduled = milliseconds_since(begin) / students;
    if (state.done != static_cast<std::size_t>(students)) std::exit(EXIT_FAILURE);
    std::printf("  %6d hand-ins: taken down %.2f ms, scheduled and kept %.2f ms (at most 5), in a shard %.2f ms each\n",
                students, taken_down, scheduled, sharded);
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<int> sizes;
    for (int i = 1; i < argc; ++i) sizes.push_back(std::atoi(argv[i]));
    if (sizes.empty()) sizes = {1000, 10000};
    for (const int size : sizes) {
        const build::ScratchFolder folder(std::filesystem::temp_directory_path());
        for (const int part : {2, 20})
            measure_batches(size, static_cast<std::size_t>(size / part), folder.path() / std::to_string(part));
        measure(size, folder.path());
    }
}
