// The judge: hidden suites, the reference, and one submission's workers. It is trusted; it never loads a submission.
// Prints one JSON document on standard output; exit status 0 unless it could not judge.
#include "judge/verbs.hpp"

#include "sandbox/descriptor.hpp"
#include "sandbox/orphans.hpp"

#include <CLI/CLI.hpp>

#include <array>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <stdexcept>

#include <sys/prctl.h>
#include <unistd.h>

namespace {

using namespace headway;

std::uint64_t read_seed(int number) {
    const sandbox::Descriptor descriptor(number);
    std::array<char, 32> digits{};
    const ssize_t got = ::read(number, digits.data(), digits.size());
    std::uint64_t seed = 0;
    if (got <= 0 || std::from_chars(digits.data(), digits.data() + got, seed).ec != std::errc())
        throw std::runtime_error("there is no seed under descriptor " + std::to_string(number));
    return seed;
}

/// The options of every verb that runs a submission.
void add_case(CLI::App& verb, judge::Case& asked, int& seed_descriptor) {
    verb.add_option("--exercise", asked.exercise, "by name: 03_scaled_scores")->required();
    verb.add_option("--worker", asked.worker, "the program to run")->required();
    verb.add_flag("--sanitized", asked.sanitized, "the program is of the sanitized build");
    auto* seed = verb.add_option("--seed", asked.seed, "what the inputs are drawn with");
    verb.add_option("--seed-under", seed_descriptor, "the descriptor to read it from: others see command lines")
        ->excludes(seed);
    verb.add_option("--policy", asked.run.policy, "file with the limits");
    verb.add_option("--jail", asked.run.jail, "how to jail workers, by name; see Jail::name")->default_val("none");
    verb.add_flag("--lone-build", asked.run.lone_build,
                  "there is no other build, and no diagnosis, to share the time with");
    verb.add_flag("--orderly", asked.orderly, "let workers end by themselves, so that they write what is counted");
}

}  // namespace

int main(int argc, char** argv) {
    // A worker of the same user must not be able to look into the judge's memory.
    ::prctl(PR_SET_DUMPABLE, 0);
    std::signal(SIGPIPE, SIG_IGN);
    sandbox::adopt_orphans();

    judge::Case asked;
    int seed_descriptor = -1;
    std::string answered_calls;
    judge::DiagnosisOptions diagnosis;
    int questions = 0;
    std::string recorded;
    std::string recorded_into;
    std::string listed;
    std::function<nlohmann::json()> answer;

    CLI::App app("Knows what is right; called by headway.");
    app.require_subcommand(1);
    auto& test = *app.add_subcommand("test", "run the hidden tests");
    add_case(test, asked, seed_descriptor);
    test.add_option("--answered-calls", answered_calls, "leave what was answered in this file, for `diagnose`");
    test.add_option("--counts", asked.run.counts, "the worker counts what is run; write that into this folder");
    test.callback([&] { answer = [&] { return judge::test(asked, answered_calls); }; });

    auto& diagnose = *app.add_subcommand("diagnose", "say why a submission is wrong");
    add_case(diagnose, asked, seed_descriptor);
    diagnose.add_option("--sanitized-worker", diagnosis.sanitized_worker,
                        "the program of the other build, if there is one");
    diagnose.add_option("--answered-calls", diagnosis.answered_calls, "what `test` left")->required();
    diagnose.add_option("--hung", diagnosis.hung, "a function that ran into its limit in the hidden tests");
    diagnose.add_option("--told", diagnosis.told, "\"function: what a hidden test says of it in words of its own\"");
    diagnose.callback([&] { answer = [&] { return judge::diagnose(asked, diagnosis); }; });

    auto& probe = *app.add_subcommand("probe", "ask random questions");
    add_case(probe, asked, seed_descriptor);
    probe.add_option("--count", questions, "how many")->required();
    probe.callback([&] { answer = [&] { return judge::probe(asked, questions); }; });

    auto& compare = *app.add_subcommand("compare", "count what the hidden tests compare, and how");
    add_case(compare, asked, seed_descriptor);
    compare.callback([&] { answer = [&] { return judge::compare(asked); }; });

    auto& record = *app.add_subcommand("record", "write down what one hidden test asks");
    add_case(record, asked, seed_descriptor);
    record.add_option("--test", recorded, "by name")->required();
    record.add_option("--into", recorded_into, "the file")->required();
    record.callback([&] { answer = [&] { return judge::record(asked, recorded, recorded_into); }; });

    auto& list = *app.add_subcommand("list", "the properties of an exercise");
    list.add_option("exercise", listed)->required();
    list.callback([&] { answer = [&] { return judge::list(listed); }; });

    app.add_subcommand("catalogue", "the mistakes that have a name")->callback([&] { answer = judge::catalogue; });

    CLI11_PARSE(app, argc, argv);
    try {
        if (seed_descriptor >= 0) asked.seed = read_seed(seed_descriptor);
        const std::string document = answer().dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
        return std::fputs((document + "\n").c_str(), stdout) < 0 || std::fflush(stdout) != 0 ? EXIT_FAILURE
                                                                                             : EXIT_SUCCESS;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "judge: %s\n", error.what());
        return EXIT_FAILURE;
    }
}
