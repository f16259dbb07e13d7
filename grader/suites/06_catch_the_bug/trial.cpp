#include "suites/06_catch_the_bug/trial.hpp"

#include "submission/scratch_folder.hpp"
#include "wire/message.hpp"

#include <headway/random.hpp>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>

namespace headway::judge {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

/// Where all tests have not come to their end so many times, and not once did, they will not the next time.
constexpr int most_lost = 3;

using Nonsense = Tensor (*)(const Tensor& answer, Random& random);

Tensor zeros(const Tensor& answer, Random&) { return Tensor::zeros(answer.shape()); }
Tensor noise(const Tensor& answer, Random& random) { return random.normal(answer.shape()); }
Tensor no_number(const Tensor& answer, Random&) {
    return Tensor::full(answer.shape(), std::numeric_limits<float>::quiet_NaN());
}
Tensor another_shape(const Tensor& answer, Random&) {
    Shape shape = answer.shape();
    shape.insert(shape.begin(), 2);
    return Tensor::ones(shape);
}

std::size_t fingerprint_of(const wire::Value& question) {
    const wire::Bytes bytes = wire::encode(wire::Call{0, "", {{"inputs", question}}});
    return std::hash<std::string_view>()({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace

/// Once more where the tests may have been ended by something outside.
Encounter Trial::conduct(Student& student, const roster::Entry& entry) {
    Encounter met = conduct_once(student, entry);
    if (!met.lost || !met.lost->in_doubt) return met;
    student.in_doubt();
    student.test_record().in_doubt = false;  // this is all of it that is repeated
    --lost_;
    return conduct_once(student, entry);
}

Encounter Trial::conduct_once(Student& student, const roster::Entry& entry) {
    Encounter met;
    met.attention = &entry;
    std::optional<build::ScratchFolder> counts;
    if (entry.id == roster::reference) counts.emplace(fs::temp_directory_path());
    AttentionProcess attention(student.limits(), seed_, counts ? counts->path() : fs::path());
    const std::unique_ptr<WorkerLink> tests = student.another_worker();
    const auto answer = [&](const wire::Value& question) {
        ++questions_;
        if (entry.id == roster::reference) digests_[met.running].insert(fingerprint_of(question));
        return attention.answer(entry.id, question);
    };
    try {
        converse(*tests, answer, patience_, met);
        ++ended_;
        // Tests that do not end with one attention may well do so with the next: in some such time as they took before.
        longest_ = std::max(longest_, std::chrono::duration_cast<milliseconds>(tests->time_used()));
    } catch (const NoAnswer& why) {
        met.lost = why;
        ++lost_;
        if (lost_ == 1) printed_ = tests->take_output();
        if (why.kind == verdict::FailureKind::timeout) {
            // How much of its time was left when it was waited for is nobody's concern.
            met.lost->message =
                "did not come to their end in time: they may compute for a second with one attention (a loop whose "
                "condition never becomes false, or too much work?)";
            patience_ = std::clamp(4 * longest_, milliseconds(500), patience_);
        }
    }
    tests_.insert(met.there.begin(), met.there.end());
    met.computed = tests->time_used() + attention.time_used();
    if (lost_ == 0 && entry.id == roster::wrong_everywhere) {
        printed_ = tests->take_output();
        if (!printed_.text.empty()) printed_.text.insert(0, "(with a wrong attention)\n");
    }
    if (counts) {
        attention.finish();
        const fs::path beside = fs::read_symlink("/proc/self/exe").parent_path();
        counts_ = line_counts(counts->path(), beside / "headway-attention.gcno");
    }
    return met;
}

Trial::Trial(Student& student, std::uint64_t seed) : seed_(seed) {
    Attentions order;
    for (const roster::Entry& entry : roster::entries()) order.push_back(&entry);
    Random random(seed);
    for (std::size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1], order[static_cast<std::size_t>(random.integer(0, static_cast<Index>(i) - 1))]);
    for (const roster::Entry* entry : order) {
        if (ended_ == 0 && lost_ >= most_lost) {
            Encounter unasked = runs_.back();
            unasked.attention = entry;
            runs_.push_back(std::move(unasked));
        } else {
            runs_.push_back(conduct(student, *entry));
        }
        if (lost_ == 0 && tests_.empty()) return;  // there is nothing to run
    }
    for (const Encounter& met : runs_)
        if (met.attention->is_right() && (met.lost || !met.failed.empty())) false_alarms_.push_back(met.attention);
    compare_names();
    if (!not_reproducible_ && ended_ > 0) repeat(student, order);
    look_for_fair_ones();
    if (!fair_.empty()) try_nonsense(student);
}

void Trial::try_nonsense(Student& student) {
    Random random(seed_);
    for (const Nonsense nonsense : {&zeros, &noise, &no_number, &another_shape}) {
        AttentionProcess attention(student.limits(), seed_);
        const std::unique_ptr<WorkerLink> tests = student.another_worker();
        const auto answer = [&](const wire::Value& question) {
            wire::Value right = attention.answer(roster::reference, question);
            if (auto* record = std::get_if<wire::Record>(&right))
                for (wire::Field& field : record->fields)
                    if (const auto* tensor = std::get_if<Tensor>(&field.value)) field.value = nonsense(*tensor, random);
            return right;
        };
        Encounter met;
        try {
            converse(*tests, answer, patience_, met);
            fail_nonsense_.merge(met.failed);
        } catch (const NoAnswer&) {
            // What has not passed by then did not take it for an answer.
            for (const std::string& test : tests_)
                if (!met.passed.contains(test)) fail_nonsense_.insert(test);
        }
    }
}

void Trial::compare_names() {
    for (const Encounter& met : runs_)
        for (const std::string& test : tests_)
            if (!met.lost && !met.there.contains(test) && !not_reproducible_)
                not_reproducible_ = "there is a test " + test + " in some runs and not in others";
}

void Trial::repeat(Student& student, const Attentions& order) {
    const auto again = [&](auto is_wanted) {
        const roster::Entry& entry = **std::ranges::find_if(order, is_wanted);
        const Encounter& before = run_of(entry.id);
        const Encounter now = conduct(student, entry);
        if (before.lost || now.lost) return;
        std::set<std::string> differing;
        std::ranges::set_symmetric_difference(before.passed, now.passed, std::inserter(differing, differing.end()));
        std::ranges::set_symmetric_difference(before.failed, now.failed, std::inserter(differing, differing.end()));
        std::ranges::set_symmetric_difference(before.there, now.there, std::inserter(differing, differing.end()));
        if (!differing.empty() && !not_reproducible_)
            not_reproducible_ = *differing.begin() + " does not say the same twice of the same attention";
    };
    again([](const roster::Entry* entry) { return entry->is_right() && entry->id != roster::reference; });
    again([](const roster::Entry* entry) { return !entry->is_right(); });
}

void Trial::look_for_fair_ones() {
    if (not_reproducible_) return;
    bool any = false;
    for (const Encounter& met : runs_) {
        if (!met.attention->is_right() || met.lost) continue;
        if (!std::exchange(any, true)) fair_ = met.passed;
        std::erase_if(fair_, [&](const std::string& test) { return !met.passed.contains(test); });
        std::erase_if(fair_, [&](const std::string& test) { return met.failed.contains(test); });
    }
}

bool Trial::says_anything() const {
    return std::ranges::any_of(runs_, [](const Encounter& met) { return !met.passed.empty() || !met.failed.empty(); });
}

const Encounter& Trial::run_of(const std::string& id) const {
    return *std::ranges::find_if(runs_, [&](const Encounter& met) { return met.attention->id == id; });
}

bool Trial::catches(const roster::Entry& wrong) const {
    return std::ranges::any_of(run_of(wrong.id).failed, [&](const std::string& test) {
        return fair_.contains(test) && fail_nonsense_.contains(test);
    });
}

bool Trial::only_knows_by_sight(const roster::Entry& wrong) const {
    const bool fails =
        std::ranges::any_of(run_of(wrong.id).failed, [&](const std::string& test) { return fair_.contains(test); });
    return fails && !catches(wrong);
}

std::set<std::string> Trial::failing_everything() const {
    std::set<std::string> left = tests_;
    for (const Encounter& met : runs_)
        std::erase_if(left, [&](const std::string& test) { return !met.failed.contains(test); });
    return left;
}

std::set<std::string> Trial::failing_every_right_one() const {
    std::set<std::string> left;
    bool any = false;
    for (const Encounter& met : runs_) {
        if (!met.attention->is_right() || met.lost) continue;
        if (!std::exchange(any, true)) left = met.failed;
        std::erase_if(left, [&](const std::string& test) { return !met.failed.contains(test); });
    }
    return left;
}

std::map<std::string, std::size_t> Trial::repeating_questions() const {
    std::map<std::string, std::size_t> found;
    const Encounter& met = run_of(roster::reference);
    for (const auto& [test, digests] : digests_)
        if (met.asked.contains(test) && digests.size() < static_cast<std::size_t>(met.asked.at(test)))
            found.emplace(test, digests.size());
    return found;
}

std::set<std::string> Trial::passing_everything() const {
    std::set<std::string> left = tests_;
    for (const Encounter& met : runs_)
        std::erase_if(left, [&](const std::string& test) { return !met.passed.contains(test); });
    return left;
}

}  // namespace headway::judge
