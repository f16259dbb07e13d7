#include "grading/judge.hpp"

#include "sandbox/control_group.hpp"
#include "sandbox/process.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;
using build::Build;

/// On any clock. What a submission can take is far less: this is for a machine that has no time for either.
constexpr std::chrono::seconds longest_judging{1800};

constexpr std::size_t longest_document = std::size_t{256} << 20U;

/// Bounds what a judge takes of the machine, whatever it is sent: a little above what it bounds itself to (see
/// judge::bound_own_memory), so that it can still say what has happened. Its workers have groups of their own. Null
/// where no group can be made: then its own bound is all there is.
std::shared_ptr<sandbox::ControlGroup> group_of_a_judge(const sandbox::Policy& policy) {
    constexpr std::uint64_t room_above = sandbox::mebibytes(256);
    constexpr std::uint64_t processes = 4096;  // the workers' are bounded where they live
    std::string ignored;
    return sandbox::ControlGroup::make({.memory = policy.judge.memory + room_above, .processes = processes}, ignored);
}

/// Its document. Its limits are set here, and what its end means is said here.
nlohmann::json answer_of(sandbox::Command command) {
    command.environment = {"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"};
    const auto finished =
        sandbox::run(sandbox::trusted(std::move(command), sandbox::Trusted::judge), longest_judging, longest_document);
    if (finished.ended.success() && !finished.timed_out && !finished.output_truncated)
        return nlohmann::json::parse(finished.output);
    const std::string how = finished.timed_out           ? "after 30 minutes"
                            : finished.out_of_memory     ? "it needed more memory than policy.toml gives a judge"
                            : finished.ended.signal != 0 ? fmt::format("signal {}", finished.ended.signal)
                                                         : fmt::format("exit status {}", finished.ended.exit_code);
    throw std::runtime_error(fmt::format("the judge did not finish ({}): {}", how, finished.output.substr(0, 400)));
}

nlohmann::json answer_about_course(const Course& course, const std::vector<std::string>& words) {
    sandbox::Command command;
    command.arguments = {course.toolchain.judge.string()};
    command.arguments.insert(command.arguments.end(), words.begin(), words.end());
    return answer_of(std::move(command));
}

}  // namespace

nlohmann::json Judge::ask(const std::string& verb, const fs::path& worker, Build build,
                          const std::vector<std::string>& options) const {
    const sandbox::Jail& jail = course_.machine().jail;
    sandbox::Command command;
    command.arguments = {course_.toolchain.judge.string(),
                         verb,
                         "--exercise",
                         exercise_,
                         "--worker",
                         worker.string(),
                         "--seed-under",
                         std::to_string(sandbox::number::seed),
                         "--policy",
                         course_.policy.string(),
                         "--jail",
                         jail.name()};
    // Command lines are for everybody to read, and the seed of a class is secret.
    command.attachments = {{sandbox::number::seed, std::to_string(seed_)}};
    if (build == Build::sanitized) command.arguments.emplace_back("--sanitized");
    if (!course_.toolchain.builds(exercise_, Build::sanitized)) command.arguments.emplace_back("--lone-build");
    if (course_.toolchain.orderly) command.arguments.emplace_back("--orderly");
    command.arguments.insert(command.arguments.end(), options.begin(), options.end());
    if (jail.exists()) command.group = group_of_a_judge(jail.policy());
    return answer_of(std::move(command));
}

std::vector<verdict::Test> Judge::test(const fs::path& worker, Build build, const fs::path& answered_calls) const {
    std::vector<std::string> options;
    if (!answered_calls.empty()) options = {"--answered-calls", answered_calls.string()};
    std::vector<verdict::Test> tests;
    for (const auto& test : ask("test", worker, build, options)) tests.push_back(verdict::test_from_json(test));
    return tests;
}

void Judge::count(const fs::path& worker, const fs::path& folder) const {
    ask("test", worker, Build::plain, {"--counts", folder.string()});
}

verdict::Diagnosis Judge::diagnose(const Suspect& suspect) const {
    std::vector<std::string> options = {"--answered-calls", suspect.answered_calls.string()};
    if (!suspect.sanitized.empty()) options.insert(options.end(), {"--sanitized-worker", suspect.sanitized.string()});
    for (const std::string& function : suspect.hung) options.insert(options.end(), {"--hung", function});
    // Linux takes 128 KiB in an argument.
    constexpr std::size_t longest_told = std::size_t{8} << 10U;
    for (const std::string& words : suspect.told)
        options.insert(options.end(), {"--told", words.substr(0, longest_told)});
    return verdict::diagnosis_from_json(ask("diagnose", suspect.plain, Build::plain, options));
}

std::vector<Answered> Judge::probe(const fs::path& worker, Build build, int count) const {
    std::vector<Answered> answers;
    for (const auto& row : ask("probe", worker, build, {"--count", std::to_string(count)})) {
        answers.push_back({row.at("words").get<std::string>(), {}, row.at("right").get<bool>()});
        for (const auto& number : row.at("numbers"))
            answers.back().numbers.push_back(std::strtod(number.get<std::string>().c_str(), nullptr));
    }
    return answers;
}

HowAsked Judge::how_asked(const fs::path& worker) const {
    HowAsked found;
    const nlohmann::json document = ask("compare", worker, Build::plain, {});
    for (const auto& sweep : document.at("sweeps"))
        found.sweeps.push_back({sweep.at("kind").get<std::string>(), sweep.at("of").get<std::string>(),
                                sweep.at("questions").get<std::size_t>(),
                                sweep.at("functions").get<std::vector<std::string>>()});
    found.visible_tests = document.at("visible").get<std::set<std::string>>();
    for (const auto& test : document.at("tests")) {
        const auto all = test.at("all").get<std::size_t>(), blind = test.at("blind").get<std::size_t>();
        if (4 * blind > all)
            found.blind_tests.push_back(
                fmt::format("{} compares {} of {} answers within bounds that nearly every answer keeps",
                            test.at("name").get<std::string>(), blind, all));
    }
    return found;
}

void Judge::record(const fs::path& worker, Build build, const std::string& test, const fs::path& file) const {
    ask("record", worker, build, {"--test", test, "--into", file.string()});
}

std::vector<verdict::Test> Judge::not_written() const {
    std::vector<verdict::Test> tests;
    for (const auto& property : answer_about_course(course_, {"list", exercise_})) {
        verdict::Test& test = tests.emplace_back();
        test.name = property.at("name").get<std::string>();
        test.property = property.at("property").get<std::string>();
        test.max_points = property.at("points").get<int>();
        test.state = verdict::TestState::not_implemented;
    }
    return tests;
}

int Judge::max_points() const {
    int points = 0;
    for (const auto& property : answer_about_course(course_, {"list", exercise_}))
        points += property.at("points").get<int>();
    return points;
}

std::map<std::string, std::vector<std::string>> Judge::stated() const {
    std::map<std::string, std::vector<std::string>> stated;
    for (const auto& property : answer_about_course(course_, {"list", exercise_}))
        if (property.contains("states"))
            stated[property.at("name").get<std::string>()] = property.at("states").get<std::vector<std::string>>();
    return stated;
}

std::vector<std::string> hung_functions(const verdict::Exercise& exercise) {
    std::set<std::string> names;
    for (const verdict::Test& test : exercise.tests)
        if (test.failure && test.failure->kind == verdict::FailureKind::timeout && !test.failure->function.empty())
            names.insert(test.failure->function);
    return {names.begin(), names.end()};
}

constexpr const char* between_calls_mark = " (between calls): ";

constexpr const char* refusal_mark = " (refusal): ";

/// Whether it is about a call that does not fit and was answered all the same.
bool is_missing_refusal(const verdict::Failure& failure) {
    constexpr std::string_view did = ", but it ";
    const std::size_t should = failure.message.find(" should throw ");
    const std::size_t what = should == std::string::npos ? should : failure.message.find(did, should);
    if (what == std::string::npos) return false;
    // Behind these words the submission's own may follow: only what comes next counts.
    const std::string_view done = std::string_view(failure.message).substr(what + did.size());
    return done.starts_with("returned ") || done.starts_with("answered");
}

/// What student/behaviour.cpp says of a function that is called again. Wrong numbers alone never lead to such words:
/// whatever else is wrong, it is a mistake of its own.
bool is_between_calls(const verdict::Failure& failure) {
    return failure.stage == verdict::Stage::state && (failure.message.find("called again") != std::string::npos ||
                                                      failure.message.find("after another call") != std::string::npos ||
                                                      failure.message.find("since the last call") != std::string::npos);
}

/// What one test says of several functions, one by one (see student/refusals.cpp). A message without such a list is of
/// one function, whatever words it holds.
std::vector<verdict::Failure> apart(const verdict::Failure& failure) {
    if (!failure.sentences) return {failure};
    std::vector<verdict::Failure> all;
    for (const verdict::Sentence& sentence : *failure.sentences) {
        verdict::Failure& one = all.emplace_back(failure);
        one.message = sentence.message;
        if (all.size() > 1) one.function = sentence.function;
    }
    return all;
}

/// What two tests say of one function, where it has one cause: by half of it, half would be mended.
std::string told_together(std::string first, const std::string& other) {
    const std::size_t slow = other.find(" with the same window; ");
    const bool is_one_cause = first.find(" looks at keys that no query sees") != std::string::npos &&
                              other.find(" looks at keys that the window blocks") != std::string::npos &&
                              slow != std::string::npos;
    if (!is_one_cause) return first;
    return other.substr(0, slow) +
           " with the same window, and computes with keys that no query sees (where these are NaN, so is what comes "
           "back): what it computes grows with T·S, and most of it is thrown away";
}

std::vector<std::string> told_in_words(const verdict::Exercise& exercise) {
    std::map<std::string, std::string> told, between_calls, missing_refusals;
    std::set<std::string> otherwise;
    for (const verdict::Test& test : exercise.tests) {
        if (test.state != verdict::TestState::failed || !test.failure || test.depends_on) continue;
        const verdict::Failure& failure = *test.failure;
        if (failure.kind == verdict::FailureKind::wrong_behaviour && is_between_calls(failure))
            between_calls.emplace(failure.function, failure.message);
        const bool is_in_words = failure.kind == verdict::FailureKind::wrong_behaviour && !failure.function.empty();
        if (is_in_words)
            for (const verdict::Failure& one : apart(failure)) {
                if (is_missing_refusal(one)) missing_refusals.emplace(one.function, one.message);
                const auto [known, is_first] = told.emplace(one.function, one.message);
                if (!is_first) known->second = told_together(std::move(known->second), one.message);
            }
        else
            otherwise.insert(failure.function);
    }
    std::vector<std::string> words;
    for (const auto& [function, message] : told)
        if (!otherwise.contains(function)) words.push_back(function + ": " + message);
    for (const auto& [function, message] : missing_refusals)
        if (otherwise.contains(function)) words.push_back(function + refusal_mark + message);
    for (const auto& [function, message] : between_calls) words.push_back(function + between_calls_mark + message);
    return words;
}

std::vector<std::string> named_mistakes(const Course& course) {
    std::vector<std::string> ids;
    for (const auto& mistake : answer_about_course(course, {"catalogue"}))
        ids.push_back(mistake.at("id").get<std::string>());
    return ids;
}

std::set<std::string> decisions_and_stages(const Course& course) {
    std::set<std::string> names;
    for (const auto& mistake : answer_about_course(course, {"catalogue"}))
        for (const char* key : {"decision", "stage"}) names.insert(mistake.at(key).get<std::string>());
    return names;
}

}  // namespace headway::cli
