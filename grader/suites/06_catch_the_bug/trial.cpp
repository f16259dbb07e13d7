#include "trial.hpp"

#include "build/scratch_folder.hpp"

#include <headway/random.hpp>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <utility>

namespace headway::judge {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr int most_questions = 2000;
/// For all tests against one attention, and once they have not come to their end with another.
struct Patience {
    milliseconds cpu, wall;
};
constexpr Patience at_first{milliseconds(3000), milliseconds(12'000)}, later{milliseconds(500), milliseconds(2000)};
/// Tests that do not come to their end so many times will not do so the next time.
constexpr int most_lost = 3;

fs::path beside_the_judge(const std::string& name) { return fs::read_symlink("/proc/self/exe").parent_path() / name; }

/// It computes what strangers ask, with code of ours.
sandbox::Command attention_program(const fs::path& counts) {
    sandbox::Command command;
    command.arguments = {beside_the_judge("headway-attention").string()};
    command.environment = {"GCOV_PREFIX=" + counts.string()};
    command.limits.address_space = std::uint64_t{2} << 30U;
    return command;
}

/// The attention's answer as the tests are told it.
wire::Value handed_on(wire::Reply reply) {
    if (!reply.error) return std::move(reply.result);
    return wire::Record{{{"refused", reply.error->message}}};
}

}  // namespace

Encounter Trial::conduct(Student& student, const roster::Entry& entry) {
    const bool counted = entry.id == roster::reference;
    const build::ScratchFolder counts(fs::temp_directory_path() / "headway-counts");
    CallLimits limits;
    WorkerLink attention(attention_program(counts.path()), limits);
    const std::unique_ptr<WorkerLink> tests = student.another_worker();
    Encounter met;
    met.attention = &entry;
    const Patience most = lost_ > 0 ? later : at_first;
    const auto cpu_left = [&] {
        const auto used = std::chrono::duration_cast<milliseconds>(tests->process().cpu_time());
        return std::max(most.cpu - used, milliseconds(1));
    };
    try {
        std::uint64_t id = 0;
        wire::Value said = tests->exchange({++id, "run_tests", {}}, cpu_left(), most.wall).result;
        for (int question = 0;; ++question, ++questions_) {
            const auto* record = std::get_if<wire::Record>(&said);
            const wire::Field* asks = record != nullptr ? record->find("asks") : nullptr;
            if (asks == nullptr) break;
            if (question == most_questions)
                throw NoAnswer{verdict::FailureKind::protocol, "ask one attention more than 2000 questions"};
            wire::Value answer;
            try {
                answer = handed_on(attention.exchange({id, "attend", {{"id", entry.id}, {"inputs", asks->value}}},
                                                      limits.cpu, limits.wall));
            } catch (const NoAnswer& why) {
                throw std::runtime_error("the attention " + entry.id + " " + why.message);
            }
            said = tests->exchange({++id, "answer", {{"reply", answer}}}, cpu_left(), most.wall).result;
        }
        const auto* end = std::get_if<wire::Record>(&said);
        const wire::Field* report = end != nullptr ? end->find("report") : nullptr;
        if (report == nullptr || !std::holds_alternative<wire::Record>(report->value))
            throw NoAnswer{verdict::FailureKind::protocol, "ended without a report"};
        for (const wire::Field& test : std::get<wire::Record>(report->value).fields) {
            const auto* words = std::get_if<std::string>(&test.value);
            tests_.insert(test.name);
            if (words == nullptr || words->empty()) continue;
            if (met.failed.empty()) met.first_words = test.name + ", " + *words;
            met.failed.insert(test.name);
        }
    } catch (const NoAnswer& why) {
        met.lost = why;
        // How much of its time was left when it was waited for is nobody's concern.
        if (why.kind == verdict::FailureKind::timeout)
            met.lost->message =
                "did not come to their end (a loop whose condition never becomes false, or too much work?)";
        ++lost_;
    }
    if (counted || lost_ == 1) printed_ = tests->take_output();
    if (counted) {
        attention.finish();
        counts_ = line_counts(counts.path(), beside_the_judge("headway-attention.gcno"));
    }
    return met;
}

Trial::Trial(Student& student, std::uint64_t seed) {
    std::vector<const roster::Entry*> order;
    for (const roster::Entry& entry : roster::entries()) order.push_back(&entry);
    Random random(seed);
    for (std::size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1], order[static_cast<std::size_t>(random.integer(0, static_cast<Index>(i) - 1))]);
    for (const roster::Entry* entry : order) {
        if (lost_ < most_lost) {
            runs_.push_back(conduct(student, *entry));
        } else {
            Encounter& unasked = runs_.emplace_back();
            unasked.attention = entry;
            unasked.lost = runs_.front().lost;
        }
        if (lost_ == 0 && tests_.empty()) return;  // there is nothing to run
    }
    for (const Encounter& met : runs_) {
        if (!met.attention->is_right()) continue;
        unfair_.insert(met.failed.begin(), met.failed.end());
        if (met.lost || !met.failed.empty()) false_alarms_.push_back(met.attention);
    }
}

const Encounter& Trial::run_of(const std::string& id) const {
    return *std::ranges::find_if(runs_, [&](const Encounter& met) { return met.attention->id == id; });
}

bool Trial::catches(const roster::Entry& wrong) const {
    return !std::ranges::includes(unfair_, run_of(wrong.id).failed);
}

std::set<std::string> Trial::failing_everything() const {
    std::set<std::string> left = tests_;
    for (const Encounter& met : runs_)
        std::erase_if(left, [&](const std::string& test) { return !met.failed.contains(test); });
    return left;
}

std::set<std::string> Trial::passing_everything() const {
    std::set<std::string> left = tests_;
    for (const Encounter& met : runs_)
        std::erase_if(left, [&](const std::string& test) { return met.lost || met.failed.contains(test); });
    return left;
}

}  // namespace headway::judge
