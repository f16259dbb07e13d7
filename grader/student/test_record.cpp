#include "student/test_record.hpp"

#include "student/record_field.hpp"
#include "student/student.hpp"
#include "verdict/utf8.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>

namespace headway::judge {
namespace {

/// Of a failure's words, as they are shown: spelled out, one byte becomes four. What a submission throws is shorter;
/// names of its parameters, and values that are written out, may have any length, and all views and the diagnosis get
/// them.
constexpr std::size_t most_message_bytes = 8192;

/// Of each object that calls of a story made and others were given: its number among those of its name.
std::map<std::uint64_t, std::pair<std::string, std::size_t>> numbers_of(const std::vector<ObjectsOfCall>& calls) {
    constexpr std::array<std::string_view, 2> names{"module", "cache"};
    std::map<std::uint64_t, std::string> called;
    for (const ObjectsOfCall& call : calls)
        for (const auto& [name, id] : call.given)
            if (std::ranges::find(names, name) != names.end()) called.emplace(id, name);
    std::map<std::uint64_t, std::pair<std::string, std::size_t>> numbers;
    std::map<std::string, std::size_t> count;
    for (const ObjectsOfCall& call : calls)
        if (call.made && called.contains(*call.made) && !numbers.contains(*call.made)) {
            const std::string& name = called.at(*call.made);
            numbers.emplace(*call.made, std::pair(name, ++count[name]));
        }
    std::erase_if(numbers, [&](const auto& one) { return count[one.second.first] < 2; });
    return numbers;
}

/// "forward(module, query)" -> "forward(module 2, query)"; what has its number already stays.
void number(std::string& call, const std::string& name, std::size_t which) {
    for (std::size_t at = call.find(name); at != std::string::npos; at = call.find(name, at + 1)) {
        const std::size_t end = at + name.size();
        const bool begins = at > 0 && (call[at - 1] == '(' || call[at - 1] == ' ');
        if (!begins || end >= call.size() || (call[end] != ',' && call[end] != ')')) continue;
        call.insert(end, ' ' + std::to_string(which));
        return;
    }
}

}  // namespace

verdict::Failure TestRecord::completed(const StopTest& stop) const {
    verdict::Failure one = stop.failure.value_or(verdict::Failure{});
    if (one.function.empty()) one.function = function;
    if (stop.says_it_of_last_call) one.message = "your " + function + " " + one.message;
    const auto make_showable = [](std::string& words) {
        words = verdict::beginning_of(verdict::showable(words), most_message_bytes);
    };
    make_showable(one.message);
    if (one.sentences)
        for (verdict::Sentence& sentence : *one.sentences) make_showable(sentence.message);
    return one;
}

void TestRecord::add_to_story(std::string call, const std::vector<wire::Field>& arguments) {
    objects.resize(story.size());
    story.push_back(std::move(call));
    ObjectsOfCall& last = objects.emplace_back();
    for (const wire::Field& argument : arguments)
        if (const auto* handle = std::get_if<wire::Handle>(&argument.value))
            last.given.emplace_back(argument.name, handle->id);
}

std::vector<std::string> TestRecord::numbered_story() const {
    std::vector<std::string> told = story;
    const std::vector<ObjectsOfCall> calls(
        objects.begin(), objects.begin() + static_cast<std::ptrdiff_t>(std::min(objects.size(), story.size())));
    const auto numbers = numbers_of(calls);
    for (std::size_t i = 0; i < calls.size(); ++i) {
        for (const auto& [name, id] : calls[i].given)
            if (const auto found = numbers.find(id); found != numbers.end() && found->second.first == name)
                number(told[i], name, found->second.second);
        const auto made = calls[i].made ? numbers.find(*calls[i].made) : numbers.end();
        if (made == numbers.end()) continue;
        const std::string as = ": " + made->second.first + ' ' + std::to_string(made->second.second);
        if (!told[i].ends_with(as)) told[i] += as;
    }
    return told;
}

void TestRecord::stopped_by(const StopTest& stop) {
    if (!unavailable.empty()) return;
    if (!let_through.empty()) {
        failure = completed({in_one(let_through)});
        if (!besides.empty()) failure->message += ". Besides: " + besides;
        waits_for.clear();
        return;
    }
    if (!stop.failure) return;
    failure = completed(stop);
    failure->story = numbered_story();
}

void shown(Student& student) { shown(student, student.test_record().function); }
void shown(Student& student, const std::string& function) { student.test_record().shown.insert(function); }

void remark(Student& student, std::string sentence) { student.test_record().remarks.push_back(std::move(sentence)); }

void remark_unmeasured_memory(Student& student, const std::string& function) {
    remark(student, "how much memory your " + function +
                        " takes cannot be told on this machine (its kernel does not count it for a group of "
                        "processes), so nothing is held against it.");
}

SweepInTurn::SweepInTurn(Student& student, std::string kind, std::string of, std::size_t questions,
                         std::set<std::string> functions)
    : record_(student.test_record()), sweep_{std::move(kind), std::move(of), questions, std::move(functions)} {
    std::swap(answered_before_, record_.answered);
}

SweepInTurn::~SweepInTurn() {
    sweep_.functions.insert(record_.answered.begin(), record_.answered.end());
    record_.answered.merge(answered_before_);
    record_.sweeps.push_back(std::move(sweep_));
}

void fail(verdict::Failure failure) { throw StopTest{std::move(failure)}; }

void fail_for_form(const std::string& field) {
    verdict::Failure failure;
    failure.kind = verdict::FailureKind::protocol;
    failure.message = "sent something that is not an answer (its " + field + " is missing or of another kind)";
    throw StopTest{std::move(failure), true};
}

}  // namespace headway::judge
