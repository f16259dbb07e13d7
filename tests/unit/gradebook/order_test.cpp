// Marks are what is known, and not the order in which it became known: random terms of a class, compared with a second
// reading of the rules in marks.hpp that shares no code with the first.
#include "gradebook/marks.hpp"

#include "gradebook/second_reading.hpp"
#include "submission/scratch_folder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace headway::gradebook {
namespace {

using namespace second_reading;

/// In memory where there is some: thousands of commits would wait for the disk.
std::filesystem::path quick_folder() {
    return std::filesystem::is_directory("/dev/shm") ? "/dev/shm" : std::filesystem::temp_directory_path();
}

/// The same commands, for a gradebook.
class Term {
public:
    explicit Term(const std::filesystem::path& file) : gradebook_(file, Access::read_write) { regrade(Rules{}); }

    void hand_in(const std::string& student, int content, int now, MaybeHour time, Says from = Says::person) {
        const auto time_from = from == Says::person ? intake::TimeFrom::person : intake::TimeFrom::platform;
        Attempt attempt{0, student, student, {}, "", "", {}, at(now), time_from};
        if (time) attempt.submitted = at(*time);
        std::vector<build::Submission> sources;
        for (std::size_t e = 0; e < exercises.size(); ++e) {
            if (contents[content][e] < 0) continue;
            sources.push_back({exercises[e], {}, {{"a.cpp", fmt::format("{}", content)}}, {}});
            attempt.sources[exercises[e]] = sources.back().digest();
        }
        gradebook_.record(attempt, sources);
    }

    void grade() {
        for (const Job& job : gradebook_.pending(*gradebook_.current())) {
            const int content = std::stoi(gradebook_.source(job).files.front().text);
            Graded graded;
            graded.exercise.state = verdict::State::failed;
            graded.exercise.points = contents[content][job.exercise == exercises[0] ? 0 : 1];
            graded.exercise.max_points = 10;
            gradebook_.store(job, graded);
        }
    }

    void regrade(const Rules& rules) {
        const Edition edition{0, 7, rules.toml(), {{exercises[0], "suite"}, {exercises[1], "suite"}}};
        gradebook_.apply(gradebook_.propose(edition));
    }

    void decide(Decision::Kind kind, const std::string& student, std::optional<int> attempt, int exercise,
                double points = 0) {
        gradebook_.decide({{kind, student, attempt, name(exercise), points, "prof", "why", "2020"}});
    }
    void adjust(const std::string& student, int exercise, double points) {
        gradebook_.adjust({student, name(exercise), points, "prof", "why", "2020"});
    }
    void set_time(int id, int hour) { gradebook_.set_time(attempt(id), at(hour), {"prof", "why"}); }
    bool unset_time(int id) { return gradebook_.unset_time(attempt(id), {"prof", "why"}); }
    Gradebook& gradebook() { return gradebook_; }

    std::map<std::string, std::optional<double>> totals() {
        grade();
        const Edition edition = *gradebook_.current();
        std::map<std::string, std::optional<double>> totals;
        for (const Mark& mark :
             derive_marks(record_of(gradebook_, edition), MarkingPolicy::parse(edition.policy, exercises)))
            totals[mark.student] = mark.complete ? std::optional(mark.points) : std::nullopt;
        return totals;
    }

private:
    Attempt attempt(int id) const {
        const std::vector<Attempt> attempts = gradebook_.attempts();
        return *std::ranges::find(attempts, id, &Attempt::id);
    }
    static std::string name(int exercise) { return exercise < 0 ? "" : exercises[static_cast<std::size_t>(exercise)]; }
    Gradebook gradebook_;
};

/// One command of a random term, given to both.
class RandomTerm {
public:
    RandomTerm(const std::filesystem::path& file, unsigned seed) : term_(file), random_(seed) {}

    std::string step() {
        now_ += one_of(12);
        const std::string student = students[static_cast<std::size_t>(one_of(2))];
        const int exercise = one_of(3) - 1;
        switch (one_of(11)) {
            case 0:
            case 1:
            case 2:
                return hand_in(student);
            case 9:
                return old_download();
            case 3:
                return regrade();
            case 4:
                return adjust(student, exercise);
            case 5:
                return set(student, exercise);
            case 6:
                return remove(student);
            case 7:
                return pin(student, exercise);
            case 8:
                return set_time();
            default:
                return say_time(student);
        }
    }

    void compare(const std::string& story) {
        const auto totals = term_.totals();
        for (const std::string& student : students) {
            const bool is_there = std::ranges::count(model_.hand_ins, student, &Model::HandIn::student) > 0;
            ASSERT_EQ(totals.contains(student), (is_there || model_.rules.group) && !model_.gone[student]) << story;
            if (!totals.contains(student)) continue;
            const auto expected = model_.total(student);
            ASSERT_EQ(totals.at(student).has_value(), expected.has_value()) << student << story;
            ASSERT_NEAR(totals.at(student).value_or(-1), expected.value_or(-1), 1e-9) << student << story;
        }
    }

private:
    int one_of(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }

    std::string hand_in(const std::string& student) {
        const int content = one_of(5);
        const MaybeHour time = one_of(2) == 0 ? MaybeHour() : std::max(0, now_ - one_of(48));
        return hand_in(student, content, time, one_of(2) == 0 ? Says::person : Says::platform);
    }

    /// What was handed in before comes again, mostly with a time that it had.
    std::string old_download() {
        if (model_.hand_ins.empty()) return "";
        const Model::HandIn one =
            model_.hand_ins[static_cast<std::size_t>(one_of(static_cast<int>(model_.hand_ins.size())))];
        const bool is_dated = !one.in_exports.empty() && one_of(4) > 0;
        return hand_in(one.student, one.content, is_dated ? one.in_exports.front() : one.time(),
                       is_dated ? Says::platform : Says::person);
    }

    std::string hand_in(const std::string& student, int content, MaybeHour time, Says from) {
        term_.hand_in(student, content, now_, time, from);
        model_.hand_in(student, content, now_, time, from);
        return fmt::format("\nat {} {} hands in {} of {}{}", now_, student, content, time.value_or(-1),
                           from == Says::platform ? ", says the export" : "");
    }

    std::string say_time(const std::string& student) {
        for (auto last = model_.hand_ins.rbegin(); last != model_.hand_ins.rend(); ++last) {
            if (last->student != student) continue;
            last->say(std::max(0, last->recorded - one_of(60)));
            term_.gradebook().say_times({{student, at(*last->time())}});
            return fmt::format("\n{} was at {}", student, *last->time());
        }
        return "";
    }

    /// Of any attempt, the last or not; or what was said last of it is taken back.
    std::string set_time() {
        if (model_.hand_ins.empty()) return "";
        const int id = 1 + one_of(static_cast<int>(model_.hand_ins.size()));
        Model::HandIn& one = model_.hand_ins[static_cast<std::size_t>(id - 1)];
        if (one_of(3) == 0) {
            EXPECT_EQ(term_.unset_time(id), !one.said.empty());
            if (!one.said.empty()) one.said.pop_back();
            return fmt::format("\nunset-time {}", id);
        }
        const int hour = std::max(0, one.recorded - one_of(60));
        term_.set_time(id, hour);
        one.said.push_back(hour);
        return fmt::format("\nset-time {} {}", id, hour);
    }

    std::string regrade() {
        model_.rules = {one_of(2) == 0, one_of(3),     one_of(72),    one_of(4) * 20,
                        one_of(4),      2 + one_of(3), one_of(2) == 0};
        for (const std::string& student : students)
            if (one_of(2) == 0) model_.rules.extensions[student] = {one_of(4), one_of(3) - 1};
        model_.rules.counting = std::vector<std::string>{"", "best = 1\n", "drop_lowest = 1\n"}[random_() % 3];
        model_.rules.thousandths = std::vector<int>{0, 500, 1000, 2500}[random_() % 4];
        term_.regrade(model_.rules);
        return "\n" + model_.rules.toml();
    }

    std::string adjust(const std::string& student, int exercise) {
        const double points = one_of(30) - 15;
        term_.adjust(student, exercise, points);
        model_.adjusted[{student, exercise}] += points;
        return fmt::format("\nadjust {} {} {}", student, exercise, points);
    }

    std::string set(const std::string& student, int exercise) {
        const bool unset = one_of(2) == 0;
        const int points = one_of(11);
        term_.decide(unset ? Decision::Kind::unset : Decision::Kind::set, student, {}, exercise, points);
        model_.set[{student, exercise}] = points;
        if (unset) model_.set.erase({student, exercise});
        return fmt::format("\n{} {} {} {}", unset ? "unset" : "set", student, exercise, points);
    }

    std::string remove(const std::string& student) {
        const auto kind = one_of(2) == 0 ? Decision::Kind::remove : Decision::Kind::restore;
        if (one_of(4) == 0 || model_.hand_ins.empty()) {
            term_.decide(kind, student, {}, -1);
            model_.gone[student] = kind == Decision::Kind::remove;
            return fmt::format("\n{} {}", to_string(kind), student);
        }
        const int id = 1 + one_of(static_cast<int>(model_.hand_ins.size()));
        Model::HandIn& one = model_.hand_ins[static_cast<std::size_t>(id - 1)];
        term_.decide(kind, one.student, id, -1);
        one.removed = kind == Decision::Kind::remove;
        return fmt::format("\n{} {}", to_string(kind), id);
    }

    std::string pin(const std::string& student, int exercise) {
        if (one_of(3) == 0 || model_.hand_ins.empty()) {
            term_.decide(Decision::Kind::unpin, student, {}, exercise);
            std::erase_if(model_.pinned, [&](const auto& one) {
                return one.first.first == student && (exercise < 0 || one.first.second == exercise);
            });
            return fmt::format("\nunpin {} {}", student, exercise);
        }
        const int id = 1 + one_of(static_cast<int>(model_.hand_ins.size()));
        exercise = std::max(0, exercise);
        term_.decide(Decision::Kind::pin, student, id, exercise);
        model_.pinned[{student, exercise}] = id;
        return fmt::format("\npin {} {} {}", student, id, exercise);
    }

    Term term_;
    Model model_;
    std::mt19937 random_;
    int now_ = 0;
};

TEST(Order, RandomTermsGiveTheMarksThatTheRulesSay) {
    const build::ScratchFolder folder(quick_folder());
    for (unsigned seed = 0; seed < 300; ++seed) {
        RandomTerm term(folder.path() / fmt::format("{}.sqlite", seed), seed);
        std::string story = fmt::format("seed {}", seed);
        for (int step = 0; step < 14; ++step) story += term.step();
        term.compare(story);
        if (testing::Test::HasFatalFailure()) return;
    }
}

/// A time, a policy, a grading and an adjustment, in whatever order; before, anna handed in without a time.
TEST(Order, DoesNotMatterForTimesPolicyGradingAndDecisions) {
    const build::ScratchFolder folder(quick_folder());
    Rules late;
    late.deadline = 24;
    late.free_days = 1;
    std::vector<int> order = {0, 1, 2, 3, 4};
    std::set<double> totals;
    do {
        Term term(folder.path() / fmt::format("{}.sqlite", fmt::join(order, "")));
        term.hand_in("anna", 1, 200, {});
        for (const int command : order) {
            if (command == 0) term.hand_in("anna", 1, 210, 24 + 72);
            if (command == 1) term.regrade(late);
            if (command == 2) term.grade();
            if (command == 3) term.adjust("anna", 1, -1);
            if (command == 4) term.hand_in("anna", 1, 205, {});
        }
        totals.insert(term.totals().at("anna").value_or(-1));
    } while (std::next_permutation(order.begin(), order.end()));
    EXPECT_EQ(totals.size(), 1U);
    EXPECT_NEAR(*totals.begin(), 11 * 0.8 - 1, 1e-9);
}

/// Three downloads of a platform that says when, of which one is graded once more.
TEST(Order, DoesNotMatterForDownloadsThatSayWhen) {
    const build::ScratchFolder folder(quick_folder());
    Rules last;
    last.best = false;
    last.deadline = 240;
    std::vector<int> order = {0, 1, 2, 3};
    do {
        Term term(folder.path() / fmt::format("{}.sqlite", fmt::join(order, "")));
        term.regrade(last);
        for (const int download : order) {
            if (download == 0 || download == 3) term.hand_in("anna", 0, 230, 24, Says::platform);
            if (download == 1) term.hand_in("anna", 2, 230, 48, Says::platform);
            if (download == 2) term.hand_in("anna", 1, 230, 72, Says::platform);
        }
        EXPECT_EQ(term.gradebook().attempts().size(), 3U) << fmt::format("{}", fmt::join(order, " "));
        EXPECT_EQ(term.totals().at("anna"), 11) << fmt::format("{}", fmt::join(order, " "));
    } while (std::next_permutation(order.begin(), order.end()));
}

}  // namespace
}  // namespace headway::gradebook
