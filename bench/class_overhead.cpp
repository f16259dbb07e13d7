// What keeping a class costs beside grading it: a class whose grading takes no time, in milliseconds a hand-in. The
// verdicts are as long as real ones. For two sizes, so that one sees whether it is linear.
//     class_overhead [HAND_INS...]     (default: 1000 10000)
#include "build/scratch_folder.hpp"
#include "class/grading_run.hpp"
#include "class/shard.hpp"

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

void measure(int students, const std::filesystem::path& folder) {
    gradebook::Gradebook gradebook(folder / "gradebook.sqlite", gradebook::Access::read_write);
    const auto edition = gradebook.propose({0, 7, "", {{"03_scaled_scores", "suite"}}});
    gradebook.apply(edition);
    auto begin = steady_clock::now();
    for (int student = 0; student < students; ++student) {
        const build::Submission source = hand_in(student);
        gradebook.record({0, "s" + std::to_string(student), "folder", {}, "", "", {{source.exercise, source.digest()}}},
                         {source});
    }
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
        measure(size, folder.path());
    }
}
