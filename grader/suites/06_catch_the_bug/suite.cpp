// Exercise 06: the submitted tests are the submission; what is asked of them is which attentions they tell apart.
#include "suites/06_catch_the_bug/experiments.hpp"

#include "student/hidden_test.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <any>
#include <iterator>
#include <memory>
#include <optional>

namespace headway::judge {
namespace {

HIDDEN_SUITE(CatchTheBug);

const char* const no_tests = "a TEST";

/// Kept by the first hidden test: all of them look at the same trial.
struct Conducted {
    Trial trial;
    std::optional<Unfair> first_alarm = {};
};

Conducted& conducted_in(Session& session) {
    if (!session.kept.has_value())
        session.kept = std::make_shared<Conducted>(Conducted{Trial(session.student, session.seed)});
    return *std::any_cast<const std::shared_ptr<Conducted>&>(session.kept);
}

const Trial& trial_in(Session& session) {
    const Trial& conducted = conducted_in(session).trial;
    if (!conducted.says_anything() && conducted.runs().back().lost == std::nullopt) {
        session.student.test_record().not_implemented = no_tests;
        throw StopTest{};
    }
    return conducted;
}

/// Why the first right attention that is failed is failed; empty where none is, or the tests do not come to their end.
const Unfair& first_alarm_in(Session& session) {
    Conducted& conducted = conducted_in(session);
    if (!conducted.first_alarm) {
        conducted.first_alarm.emplace();
        const Trial& trial = conducted.trial;
        if (!trial.false_alarms().empty())
            if (const Encounter& met = trial.run_of(trial.false_alarms().front()->id); !met.lost)
                conducted.first_alarm = why_failed(session.student, session.seed, trial, met);
    }
    return *conducted.first_alarm;
}

/// @param thrown_at  as Failure::frames
[[noreturn]] void fail_with(const std::string& message, const std::vector<std::int64_t>& thrown_at = {}) {
    verdict::Failure failure;
    if (!thrown_at.empty()) failure.frames = thrown_at;
    failure.kind = verdict::FailureKind::wrong_behaviour;
    failure.message = message;
    fail(failure);
}

std::vector<const roster::Entry*> wrong_ones(const std::string& property) {
    std::vector<const roster::Entry*> found;
    for (const roster::Entry& entry : roster::entries())
        if (entry.property == property) found.push_back(&entry);
    return found;
}

bool all_caught(const Trial& trial, const std::string& property) {
    return std::ranges::all_of(wrong_ones(property), [&](const auto* wrong) { return trial.catches(*wrong); });
}

/// Each right attention that is failed takes back one property that was caught.
std::vector<std::string> taken_back(const Trial& trial) {
    std::vector<std::string> caught;
    for (const Property& one : suites().at("CatchTheBug").properties)
        if (one.points > 0 && all_caught(trial, one.name)) caught.push_back(one.name);
    caught.resize(std::min(caught.size(), trial.false_alarms().size()));
    return caught;
}

/// Where tests that fail a right attention are not counted, what they fail passes too. An attention about which nothing
/// is asked passes for another reason, so it is told first.
std::string why_one_slips_through(Session& session, const Trial& trial,
                                  const std::vector<const roster::Entry*>& missed) {
    const char* const name = missed.size() == 1 ? "It" : "One of them";
    const bool some_not_counted = trial.fair().size() < trial.tests().size();
    std::string first;
    for (const roster::Entry* one : missed) {
        const Unnoticed why = why_unnoticed(session.student, session.seed, trial, trial.run_of(one->id), name,
                                            first_alarm_in(session).mend);
        if (!why.shows) return why.words;
        if (one == missed.front()) first = why.words;
        if (!some_not_counted) break;
    }
    return first;
}

/// "2 wrong attentions pass. One of them answers ..."
std::string what_slips_through(Session& session, const Trial& trial, const std::string& property) {
    if (trial.fair().empty())
        return "none of your tests passes with every right attention, so none tells right from wrong";
    const auto wrong = wrong_ones(property);
    std::vector<const roster::Entry*> missed;
    std::ranges::copy_if(wrong, std::back_inserter(missed), [&](const auto* one) { return !trial.catches(*one); });
    const bool one = missed.size() == 1;
    return fmt::format(
        "{} {}wrong attention{} {}.{}{}", missed.size(),
        missed.size() < wrong.size() ? fmt::format("of {} ", wrong.size()) : "", wrong.size() == 1 ? "" : "s",
        one ? "passes" : "pass", why_one_slips_through(session, trial, missed),
        trial.fair().size() < trial.tests().size() ? " (Tests that fail a right one are not counted.)" : "");
}

/// Said of the whole set, where what it says could be chance.
void expect_reproducible(const Trial& trial) {
    if (trial.not_reproducible())
        fail_with("your tests are not reproducible, so none of them counts: " + *trial.not_reproducible());
}

/// Of a wrong attention. The same sentence under each property would hide all else that is said.
[[noreturn]] void fail_where_lost(const Trial& trial, const Encounter& met) {
    const char* const what_catches = "; a wrong attention is caught by a test that fails";
    const bool is_told =
        !trial.false_alarms().empty() && trial.run_of(trial.false_alarms().front()->id).how_lost() == met.how_lost();
    if (is_told && met.none_reached()) fail_with("no test of yours was reached, as above with a right attention");
    if (is_told)
        fail_with(std::string("your tests do not come to their end, as above with a right attention") + what_catches);
    fail_with("your tests" + met.how_lost() + what_catches, met.lost->frames);
}

void expect_caught(Session& session, const std::string& property) {
    const Trial& trial = trial_in(session);
    expect_reproducible(trial);
    if (!all_caught(trial, property)) {
        for (const auto* wrong : wrong_ones(property))
            if (const Encounter& met = trial.run_of(wrong->id); met.lost) fail_where_lost(trial, met);
        for (const auto* wrong : wrong_ones(property))
            if (trial.only_knows_by_sight(*wrong))
                fail_with(
                    "your tests fail a wrong attention here, and pass one that answers zeros, noise, NaN or other "
                    "shapes: they know what one mistake answers, and not what is right. Compare with what is right.");
        fail_with(what_slips_through(session, trial, property));
    }
    const std::vector<std::string> not_counted = taken_back(trial);
    if (std::ranges::find(not_counted, property) != not_counted.end())
        fail_with("caught, and taken back: each right attention that your tests fail costs one that they catch");
}

std::string percent(int part, int whole) { return fmt::format("{} %", whole == 0 ? 100 : 100 * part / whole); }

void remark_on_coverage(Student& student, const Trial& trial) {
    if (!trial.counts()) return;
    const LineCounts& counts = *trial.counts();
    std::size_t wrong = 0, caught = 0;
    for (const roster::Entry& entry : roster::entries()) {
        wrong += entry.is_right() ? 0 : 1;
        caught += !entry.is_right() && trial.catches(entry) ? 1 : 0;
    }
    remark(student,
           fmt::format(
               "your tests run {} of the lines and {} of the branches of a right attention, and catch {} of {} "
               "wrong ones{}",
               percent(counts.lines_run, counts.lines), percent(counts.branches_taken, counts.branches), caught, wrong,
               caught < wrong && counts.lines_run == counts.lines ? ": a line that is run is not a line that is checked"
                                                                  : ""));
}

/// The first few of them, and how many more.
std::string some_of(const std::set<std::string>& tests) {
    constexpr std::size_t most = 5;
    std::vector<std::string> shown(tests.begin(), tests.end());
    shown.resize(std::min(shown.size(), most));
    const std::string names = fmt::format("{}", fmt::join(shown, ", "));
    return tests.size() > most ? fmt::format("{} and {} more", names, tests.size() - most) : names;
}

/// A test that ends with an exception never came to ask; else it must have asked somebody else.
std::string why_never_asked(const Trial& trial) {
    if (!trial.false_alarms().empty()) {
        const Encounter& met = trial.run_of(trial.false_alarms().front()->id);
        const std::string words = met.first_words();
        if (!met.lost && words.find("C++ exception") != std::string::npos &&
            words.find("thrown in ") != std::string::npos)
            return ": " + met.first_failed + " ends with an exception before it asks";
    }
    return " (do they bring an attention() of their own?)";
}

void remark_on_tests(Student& student, const Trial& trial) {
    if (trial.questions() == 0 && trial.has_ended())
        remark(student, "your tests never ask the attention under test" + why_never_asked(trial));
    const std::string all = fmt::format("every one of {} attentions, right and wrong", roster::entries().size());
    if (const auto tests = trial.passing_everything(); !tests.empty())
        remark(student, fmt::format("{}: {} with {}, so nothing is caught there", some_of(tests),
                                    tests.size() == 1 ? "passes" : "pass", all));
    if (const auto tests = trial.passing_everything(); !tests.empty())
        for (const auto& [test, different] : trial.repeating_questions()) {
            if (!tests.contains(test)) continue;
            const std::string asks = different == 1
                                         ? "asks the same question each time, number by number"
                                         : fmt::format(
                                               "asks {} questions, of which only {} differ: the others hold the same "
                                               "numbers as one before",
                                               trial.run_of(roster::reference).asked.at(test), different);
            remark(student, test + ' ' + asks +
                                ". If it writes to a copy of Inputs: that shares its tensors, so clone() the one that "
                                "is to change. A tensor that is transposed twice has its old strides again, unless "
                                "contiguous() stands in between.");
        }
    if (const auto tests = trial.failing_everything(); !tests.empty())
        remark(student, fmt::format("{}: {} with {}", some_of(tests), tests.size() == 1 ? "fails" : "fail", all));
}

/// What else the tests say that no right attention passes. Each is mended by itself, whatever the first one said.
/// @param told  of one right attention, whose first words are told already
void remark_on_unfair_tests(Student& student, const Trial& trial, const Encounter& told) {
    constexpr int most = 4;
    const std::set<std::string> unfair = trial.failing_every_right_one();
    int shown = 0;
    for (const auto& [test, words] : told.words)
        if (test != told.first_failed && unfair.contains(test) && shown++ < most)
            remark(student, fmt::format("{} fails with every right attention: {}", test, words));
}

void remark_on_shipped(Student& student, const Trial& trial) {
    std::vector<std::string> projects;
    for (const roster::Entry& entry : roster::entries())
        if (!entry.is_right() && trial.catches(entry)) projects.push_back(entry.project);
    if (!projects.empty()) remark(student, fmt::format("what you caught has shipped in {}", fmt::join(projects, ", ")));
}

PROPERTY(CatchTheBug, RightOnesPass, 0, "right attentions pass, however they are written") {
    const Trial& trial = trial_in(session);
    student.test_record().output = trial.printed().text;
    student.test_record().output_truncated = trial.printed().truncated;
    remark_on_coverage(student, trial);
    remark_on_tests(student, trial);
    remark_on_shipped(student, trial);
    expect_reproducible(trial);
    if (trial.false_alarms().empty()) return;
    const Encounter& met = trial.run_of(trial.false_alarms().front()->id);
    const auto rights = std::ranges::count_if(roster::entries(), &roster::Entry::is_right);
    const std::string why =
        met.lost ? "your tests" + met.how_lost()
                 : fmt::format("{}, {}{}", met.first_failed, met.first_words(), first_alarm_in(session).words);
    if (!met.lost) remark_on_unfair_tests(student, trial, met);
    fail_with(fmt::format("{} of {} right attentions, written in different styles, fail. One of them: {}",
                          trial.false_alarms().size(), rights, why),
              met.lost ? met.lost->frames : met.thrown_at);
}

PROPERTY(CatchTheBug, Scale, 1, "a wrong scale is caught") { expect_caught(session, "Scale"); }

PROPERTY(CatchTheBug, Heads, 1, "heads split or merged in the wrong order are caught") {
    expect_caught(session, "Heads");
}

PROPERTY(CatchTheBug, SoftmaxAxis, 1, "softmax over another axis than the keys is caught") {
    expect_caught(session, "SoftmaxAxis");
}

PROPERTY(CatchTheBug, LargeScores, 1, "softmax that does not stand large scores, of either sign, is caught") {
    expect_caught(session, "LargeScores");
}

PROPERTY(CatchTheBug, Mask, 1,
         "masks that leave weight on blocked keys, or take it from open ones, at once or in a later call, are caught") {
    expect_caught(session, "Mask");
}

PROPERTY(CatchTheBug, MaskPerSequence, 1, "one mask for all sequences of the batch is caught") {
    expect_caught(session, "MaskPerSequence");
}

PROPERTY(CatchTheBug, Causal, 1, "a causal option that does not block just the future is caught") {
    expect_caught(session, "Causal");
}

PROPERTY(CatchTheBug, BlockedRows, 1, "queries that may see nothing but get something are caught") {
    expect_caught(session, "BlockedRows");
}

PROPERTY(CatchTheBug, Sources, 1,
         "q, k or v from an input, weight, bias or place in memory that is not theirs are caught") {
    expect_caught(session, "Sources");
}

PROPERTY(CatchTheBug, ReturnedWeights, 1,
         "returned weights that are not those the values were weighted with are caught") {
    expect_caught(session, "ReturnedWeights");
}

}  // namespace
}  // namespace headway::judge
