// stand_in_class GRADEBOOK BEGUN STUDENTS: the class engine with a grader that takes a millisecond. Each grading that
// begins writes a line to the file BEGUN. A source whose text holds "outage" fails for the machine at first.
#include "classroom/grading_run.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <set>
#include <thread>

#include <csignal>

namespace {

using namespace headway;

build::Submission hand_in(int student) {
    // Every third hands in what another one did.
    const int text = student % 3 == 0 ? student / 2 : student;
    const std::string outage = text % 10 == 1 ? "outage" : "";
    return {"03_scaled_scores", {}, {{"scaled_scores.cpp", "// " + std::to_string(text) + outage}}, {}};
}

void import(gradebook::Gradebook& gradebook, int students) {
    for (int student = 0; student < students; ++student) {
        const build::Submission source = hand_in(student);
        gradebook.record({0, "s" + std::to_string(student), "folder", {}, "", "", {{source.exercise, source.digest()}}},
                         {source});
    }
}

/// The first time in this process.
bool is_first_try(const std::string& digest) {
    static std::mutex mutex;
    static std::set<std::string> tried;
    const std::lock_guard lock(mutex);
    return tried.insert(digest).second;
}

verdict::Exercise grade(const build::Submission& source, const std::string& begun) {
    std::ofstream(begun, std::ios::app) << source.digest() + "\n";
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    verdict::Exercise exercise;
    exercise.name = source.exercise;
    exercise.digest = source.digest();
    const bool outage = source.files.front().text.find("outage") != std::string::npos && is_first_try(source.digest());
    exercise.state = outage ? verdict::State::unavailable : verdict::State::failed;
    exercise.problem = outage ? "a cosmic ray" : "";
    exercise.points = static_cast<int>(source.files.front().text.size());
    return exercise;
}

gradebook::Edition edition_of(gradebook::Gradebook& gradebook) {
    if (const auto current = gradebook.current()) return *current;
    const auto first = gradebook.propose({0, 7, "", {{"03_scaled_scores", "suite"}}});
    gradebook.apply(first);
    return first;
}

}  // namespace

int main(int, char** argv) try {
    std::signal(SIGXFSZ, SIG_IGN);  // a full disk is an error to report
    gradebook::Gradebook gradebook(argv[1], gradebook::Access::read_write);
    const gradebook::Edition edition = edition_of(gradebook);
    gradebook.drop_damaged();
    import(gradebook, std::atoi(argv[3]));
    classroom::RunOptions options;
    options.workers = 2;
    options.tries = 3;
    options.pause = std::chrono::milliseconds(0);
    const std::string begun = argv[2];
    classroom::GradebookLedger ledger(gradebook, edition);
    const auto state = classroom::run_pending(
        ledger, [&](const build::Submission& source, const classroom::Log&) { return grade(source, begun); }, options);
    return state.unavailable > 0 ? 3 : 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
}
