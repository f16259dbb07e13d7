#include "suites/06_catch_the_bug/conversation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

namespace headway::judge {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr int most_questions = 2000;
constexpr int most_turns = 10'000;  // questions, and beginnings and ends of tests
constexpr std::size_t most_tests = 500, most_name_bytes = 200, most_words_bytes = 400;
/// With one attention, for answering them.
constexpr milliseconds most_answering{10'000};

/// What is said of one function, when the program does not get to it.
constexpr std::string_view was = "was";
constexpr const char* too_many_questions = "ask one attention more than 2000 questions";

/// ": 1536 of them in Sequences.StayApart, 464 in Keys.MoveNothing"
std::string most_asking(const std::map<std::string, int>& asked) {
    constexpr std::size_t most = 3;
    std::vector<std::pair<int, std::string>> tests;
    for (const auto& [test, questions] : asked)
        if (!test.empty()) tests.emplace_back(questions, test);
    std::ranges::sort(tests, std::greater());
    tests.resize(std::min(tests.size(), most));
    std::string words;
    for (const auto& [questions, test] : tests)
        words +=
            fmt::format("{} {}{} in {}", words.empty() ? ":" : ",", questions, words.empty() ? " of them" : "", test);
    return words;
}

/// It computes what strangers ask, with code of ours.
sandbox::Launch attention_program(const fs::path& counts) {
    sandbox::Command command;
    command.arguments = {(fs::read_symlink("/proc/self/exe").parent_path() / "headway-attention").string()};
    if (!counts.empty()) command.environment = {"GCOV_PREFIX=" + counts.string()};
    command.limits.address_space = std::uint64_t{2} << 30U;
    return sandbox::trusted(std::move(command), sandbox::Trusted::reference_attention);
}

CallLimits limits_beside(const CallLimits& tests) {
    CallLimits limits;
    limits.budget = tests.budget;
    limits.answer_bytes = tests.answer_bytes;
    return limits;
}

/// The attention's answer as the tests are told it.
wire::Value handed_on(wire::Reply reply) {
    if (!reply.error) return std::move(reply.result);
    return wire::Record{{{"refused", reply.error->message}}};
}

/// Of what the tests' program says of itself: a line in the verdict depends on that, and no point.
std::vector<std::int64_t> thrown_at(const wire::Record& end, const std::string& test) {
    const wire::Field* thrown = end.find("thrown");
    const auto* by_test = thrown != nullptr ? std::get_if<wire::Record>(&thrown->value) : nullptr;
    const wire::Field* found = by_test != nullptr ? by_test->find(test) : nullptr;
    const auto* places = found != nullptr ? std::get_if<Shape>(&found->value) : nullptr;
    if (places == nullptr) return {};
    const auto count = static_cast<std::ptrdiff_t>(std::min(places->size(), wire::most_frames));
    return {places->begin(), places->begin() + count};
}

}  // namespace

bool throws_out_of_range(const std::string& words) {
    return words.starts_with("C++ exception") && words.find(" is out of range for axis ") != std::string::npos;
}

bool Encounter::none_reached() const {
    return lost && lost->message.starts_with(was) && lost->message.find(before_main) != std::string::npos;
}

std::string Encounter::how_lost() const {
    if (!lost) return {};
    if (lost->message == too_many_questions) {
        const bool in_one = asked.contains(running) && asked.at(running) >= most_questions * 9 / 10;
        return " " + lost->message + most_asking(asked) + (in_one ? " (in a loop that does not end?)" : "") +
               "; keep an answer that several tests or rounds need";
    }
    if (none_reached()) return " were" + lost->message.substr(was.size());
    return (running.empty() ? " " : ", in " + running + ", ") + lost->message;
}

AttentionProcess::AttentionProcess(const CallLimits& tests, std::uint64_t seed, const fs::path& counts)
    : link_(attention_program(counts), limits_beside(tests)), seed_(seed) {}

wire::Value AttentionProcess::answer(const std::string& id, const wire::Value& question) {
    if (link_.time_used() > most_answering) throw NoAnswer{verdict::FailureKind::timeout, "ask for too much work"};
    try {
        return handed_on(link_.exchange(
            {++calls_, "attend", {{"id", id}, {"seed", static_cast<Index>(seed_)}, {"inputs", question}}},
            most_answering));
    } catch (const NoAnswer& why) {
        if (why.in_doubt) throw MachineTooBusy("the attention under test " + why.message + ". Grade again.");
        throw NoAnswer{verdict::FailureKind::protocol, "ask what no attention could answer: one " + why.message};
    } catch (const wire::MalformedMessage&) {
        throw NoAnswer{verdict::FailureKind::protocol, "ask with more than a message may hold"};
    }
}

void converse(WorkerLink& tests, const Answering& answer, milliseconds patience, Encounter& met) {
    const auto left = [&] {
        const auto used = std::chrono::duration_cast<milliseconds>(tests.time_used());
        return std::max(patience - used, milliseconds(1));
    };
    std::uint64_t call = 0;
    wire::Value said = tests.exchange({++call, "run_tests", {}}, left()).result;
    const auto is_of_a_test = [&] {
        const auto* record = std::get_if<wire::Record>(&said);
        const wire::Field* test = record != nullptr ? record->find("now_in") : nullptr;
        const auto* name = test != nullptr ? std::get_if<std::string>(&test->value) : nullptr;
        if (name != nullptr) met.running = name->substr(0, most_name_bytes);
        return name != nullptr;
    };
    for (int question = 0, turn = 0;; ++turn) {
        if (turn > most_turns) throw NoAnswer{verdict::FailureKind::protocol, "run more than 500 tests"};
        if (is_of_a_test()) {
            said = tests.exchange({++call, "answer", {{"reply", wire::Record{}}}}, left()).result;
            continue;
        }
        const auto* record = std::get_if<wire::Record>(&said);
        const wire::Field* asks = record != nullptr ? record->find("asks") : nullptr;
        if (asks == nullptr) break;
        if (question++ == most_questions) throw NoAnswer{verdict::FailureKind::protocol, too_many_questions};
        ++met.asked[met.running];
        const wire::Value reply = answer(asks->value);
        said = tests.exchange({++call, "answer", {{"reply", reply}}}, left()).result;
    }
    const auto* end = std::get_if<wire::Record>(&said);
    const wire::Field* report = end != nullptr ? end->find("report") : nullptr;
    const auto* outcomes = report != nullptr ? std::get_if<wire::Record>(&report->value) : nullptr;
    if (outcomes == nullptr || outcomes->fields.size() > most_tests)
        throw NoAnswer{verdict::FailureKind::protocol,
                       "ended without a report that can be read (of 500 tests at most)"};
    for (const wire::Field& test : outcomes->fields) {
        const std::string name = test.name.substr(0, most_name_bytes);
        const auto* words = std::get_if<std::string>(&test.value);
        met.there.insert(name);
        if (words == nullptr) continue;
        if (words->empty()) {
            met.passed.insert(name);
            continue;
        }
        // Numbers read from the wrong place tell less than an index that is past an end.
        if (met.failed.empty() || (throws_out_of_range(*words) && !throws_out_of_range(met.first_words()))) {
            met.first_failed = name;
            met.thrown_at = thrown_at(*end, test.name);
        }
        met.failed.insert(name);
        met.words.emplace(name, words->substr(0, most_words_bytes));
    }
}

}  // namespace headway::judge
