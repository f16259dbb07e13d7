// The judge: hidden suites, the reference, and one worker at a time. It is trusted; it never loads a submission.
// Prints one JSON document on standard output; exit status 0 unless it could not judge.
#include "hidden_test.hpp"
#include "listener.hpp"
#include "own_memory.hpp"
#include "workshop.hpp"

#include "../diagnosis/diagnose.hpp"
#include "../sandbox/orphans.hpp"
#include "../wire/frame.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <sys/prctl.h>
#include <unistd.h>

namespace {

using namespace headway;

struct Options {
    std::string exercise;
    std::string worker;
    std::uint64_t seed = 1;
    bool sanitized = false;
    bool orderly = false;
    bool lone_build = false;
    std::string counts;
    bool list = false;
    bool catalogue = false;
    int probes = 0;
    std::string diagnose;
    std::vector<std::string> hung;
    std::string test;
    std::string record;
    std::string policy;
    std::string jail = "none";
};

std::pair<const std::string, judge::Suite>& suite_of(const std::string& exercise) {
    for (auto& named : judge::suites())
        if (named.second.exercise == exercise) return named;
    throw std::runtime_error("there is no suite for " + exercise);
}

/// @param which  one test of it, or all of them
nlohmann::json run_suite(const std::string& name, const judge::Suite& suite, const std::string& which = "*") {
    int argc = 1;
    std::string program = "judge";
    char* argv[] = {program.data(), nullptr};
    testing::InitGoogleTest(&argc, argv);
    GTEST_FLAG_SET(filter, name + "." + which);
    GTEST_FLAG_SET(catch_exceptions, true);
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    auto* listener = new judge::Listener(suite);
    listeners.Append(listener);                           // owns it
    [[maybe_unused]] const int failed = RUN_ALL_TESTS();  // a result, not a failure of the judge
    nlohmann::json document = nlohmann::json::array();
    for (const verdict::Test& test : listener->settled()) document.push_back(verdict::to_json(test));
    return document;
}

/// What the submission answers to random questions, as numbers; see PROBE.
nlohmann::json run_probes(judge::Student& student, const judge::Suite& suite, const Options& options) {
    nlohmann::json document = nlohmann::json::array();
    for (int i = 0; i < options.probes; ++i) {
        Random random(options.seed + static_cast<std::uint64_t>(i));
        std::vector<double> answers;
        judge::current_test() = {};
        try {
            suite.probe(student, random, answers);
        } catch (const judge::StopTest&) {
            const auto& failure = judge::current_test().failure;
            answers.push_back(failure ? 1e6 + static_cast<double>(failure->kind) : 1e7);
            student.fresh_worker();
        }
        nlohmann::json row = nlohmann::json::array();
        for (const double answer : answers) row.push_back(fmt::format("{:.6g}", answer));
        document.push_back(std::move(row));
    }
    return document;
}

/// As it was asked: a suite may go on to write into a tensor that it has shown.
judge::Arguments as_asked(judge::Arguments arguments) {
    for (wire::Field& field : arguments)
        if (auto* tensor = std::get_if<Tensor>(&field.value)) *tensor = tensor->clone();
    return arguments;
}

/// Of what the hidden tests heard, for diagnosis to look at: it unfolds to some times as much.
constexpr std::uint64_t most_heard = std::uint64_t{64} << 20U;

/// Asks anew, in both builds, why a submission is wrong.
nlohmann::json run_diagnosis(const std::string& name, const judge::Suite& suite, const Options& options,
                             const judge::Workshop& workshop) {
    // Of an exercise without a catalogue of mistakes nothing can be said: its tests need not run again.
    if (!diagnosis::subjects().contains(suite.exercise)) return verdict::to_json(verdict::Diagnosis{});
    const judge::CallLimits limits = workshop.limits_of_diagnosis();
    judge::Student plain = workshop.student({options.worker}, limits);
    judge::Student reversed = workshop.student({options.worker}, limits);
    judge::Student refilled = workshop.student({options.worker, false, 170}, limits);
    judge::Student sanitized = workshop.student({options.diagnose, true, 1, false}, limits);
    for (judge::Student* student : {&plain, &reversed, &refilled, &sanitized})
        for (const std::string& function : options.hung) student->has_hung(function);
    judge::session() = {&plain, options.seed, false};
    std::vector<diagnosis::Heard> heard;
    std::uint64_t heard_bytes = 0;
    plain.witnessed_by(
        [&](const std::string& function, const judge::Arguments& arguments, const judge::Outcome& outcome) {
            // What lives in the worker is not at hand.
            const auto stayed = [](const wire::Value& value) { return std::holds_alternative<wire::Handle>(value); };
            if (stayed(outcome.value) || std::any_of(arguments.begin(), arguments.end(),
                                                     [&](const wire::Field& field) { return stayed(field.value); }))
                return;
            heard_bytes += wire::bytes_to_unfold(outcome.value);
            for (const wire::Field& argument : arguments) heard_bytes += wire::bytes_to_unfold(argument.value);
            if (heard_bytes > most_heard) return;
            heard.push_back({function, as_asked(arguments), diagnosis::answer_of(outcome)});
        });
    run_suite(name, suite);
    plain.witnessed_by(nullptr);
    plain.fresh_worker();
    return verdict::to_json(
        diagnosis::diagnose(suite.exercise, {plain, reversed, refilled, sanitized}, heard, options.seed));
}

/// Runs one test and writes what it asked to a file, as the frames that the worker got.
nlohmann::json record_test(judge::Student& student, const std::string& name, const judge::Suite& suite,
                           const Options& options) {
    std::ofstream file(options.record, std::ios::binary);
    student.recorded_by([&](const wire::Call& call) {
        const wire::Bytes frame = wire::framed(wire::encode(call));
        file.write(reinterpret_cast<const char*>(frame.data()), static_cast<std::streamsize>(frame.size()));
    });
    nlohmann::json result = run_suite(name, suite, options.test);
    if (!file.flush()) throw std::runtime_error("cannot write " + options.record);
    return result;
}

nlohmann::json list_properties(const judge::Suite& suite) {
    nlohmann::json document = nlohmann::json::array();
    for (const auto& [name, declared] : suite.properties)
        document.push_back({{"name", name}, {"property", declared.property}, {"points", declared.points}});
    return document;
}

nlohmann::json list_catalogue() {
    nlohmann::json document = nlohmann::json::array();
    for (const diagnosis::Mistake& mistake : diagnosis::mistakes())
        if (!mistake.equivalent)
            document.push_back({{"id", mistake.id}, {"title", mistake.title}, {"decision", mistake.decision}});
    return document;
}

nlohmann::json judge_worker(const Options& options) {
    if (options.catalogue) return list_catalogue();
    auto& [name, suite] = suite_of(options.exercise);
    if (options.list) return list_properties(suite);
    judge::Workshop workshop({options.policy, options.jail, options.counts, options.lone_build});
    judge::bound_own_memory(workshop.own_memory());
    if (!options.diagnose.empty()) return run_diagnosis(name, suite, options, workshop);
    judge::CallLimits limits = workshop.limits();
    if (options.probes > 0) limits.budget = nullptr;  // verify asks far more than a grading does
    judge::Student student = workshop.student({options.worker, options.sanitized}, limits);
    if (options.orderly) student.let_workers_end([] {});
    if (!options.counts.empty()) student.let_workers_end([&workshop] { workshop.keep_parcel(); });
    judge::session() = {&student, options.seed, options.sanitized};
    if (!options.record.empty()) return record_test(student, name, suite, options);
    nlohmann::json document = options.probes > 0 ? run_probes(student, suite, options) : run_suite(name, suite);
    student.fresh_worker();
    return document;
}

std::uint64_t read_seed(int number) {
    const sandbox::Descriptor descriptor(number);
    std::array<char, 32> digits{};
    const ssize_t got = ::read(number, digits.data(), digits.size());
    std::uint64_t seed = 0;
    if (got <= 0 || std::from_chars(digits.data(), digits.data() + got, seed).ec != std::errc())
        throw std::runtime_error(fmt::format("there is no seed under descriptor {}", number));
    return seed;
}

}  // namespace

int main(int argc, char** argv) {
    // A worker of the same user must not be able to look into the judge's memory.
    ::prctl(PR_SET_DUMPABLE, 0);
    std::signal(SIGPIPE, SIG_IGN);
    sandbox::adopt_orphans();

    Options options;
    int seed_descriptor = -1;
    CLI::App app("Runs one hidden suite against one worker; called by headway.");
    app.add_option("--exercise", options.exercise);
    app.add_flag("--catalogue", options.catalogue, "print the mistakes that have a name");
    app.add_option("--worker", options.worker);
    app.add_option("--seed", options.seed);
    app.add_option("--seed-under", seed_descriptor, "the descriptor to read the seed from: others see command lines");
    app.add_flag("--sanitized", options.sanitized);
    app.add_flag("--orderly", options.orderly, "let the worker end by itself, so that it writes coverage data");
    app.add_flag("--lone-build", options.lone_build,
                 "there is no other build, and no diagnosis, to share the time with");
    app.add_option("--counts", options.counts, "the worker counts what is run; write that into this folder");
    app.add_flag("--list", options.list, "print the suite's properties instead of running it");
    app.add_option("--diagnose", options.diagnose, "the sanitized worker; say why the submission is wrong");
    app.add_option("--hung", options.hung, "with --diagnose: a function that ran into its limit in the hidden tests");
    app.add_option("--test", options.test, "with --record: the one test to run");
    app.add_option("--record", options.record, "write what the test asks to this file");
    app.add_option("--probes", options.probes, "answer this many random questions instead of running the suite");
    app.add_option("--policy", options.policy, "file with the limits");
    app.add_option("--jail", options.jail, "how to jail workers, by name; see Jail::name");
    CLI11_PARSE(app, argc, argv);
    try {
        if (seed_descriptor >= 0) options.seed = read_seed(seed_descriptor);
        const std::string document =
            judge_worker(options).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
        return std::fputs((document + "\n").c_str(), stdout) < 0 || std::fflush(stdout) != 0 ? EXIT_FAILURE
                                                                                             : EXIT_SUCCESS;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "judge: %s\n", error.what());
        return EXIT_FAILURE;
    }
}
