#include "gradebook/marking_policy.hpp"

#include "gradebook/class_toml.hpp"
#include "intake/hand_in.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string_view>

namespace headway::gradebook {
namespace {

using intake::utc;

/// A misspelt word would be a rule that silently does not hold.
void allow_only(const toml::table& table, const std::string& where, const std::vector<std::string_view>& known) {
    for (const auto& [key, value] : table) {
        (void)value;
        if (std::find(known.begin(), known.end(), key.str()) == known.end())
            throw MarkingPolicyError(fmt::format("class.toml: {}{} is unknown", where, std::string_view(key.str())));
    }
}

/// The table of that name; null where there is none.
const toml::table* table_of(const toml::table& file, std::string_view name, const char* example) {
    const toml::node* node = file.get(name);
    if (node != nullptr && !node->is_table())
        throw MarkingPolicyError(
            fmt::format("class.toml: {} is a table: write [{}] and, below it, {}", name, name, example));
    return node == nullptr ? nullptr : node->as_table();
}

/// One of these words. @return its number
std::size_t word(const toml::node_view<const toml::node> node, const char* what,
                 const std::vector<std::string>& words) {
    if (!node) return 0;
    const auto found = std::find(words.begin(), words.end(), node.value_or(std::string()));
    if (found == words.end())
        throw MarkingPolicyError(fmt::format("class.toml: {} is \"{}\"", what, fmt::join(words, "\" or \"")));
    return static_cast<std::size_t>(found - words.begin());
}

double number(const toml::node_view<const toml::node> node, const char* what, double otherwise, double least,
              double most) {
    if (!node) return otherwise;
    const auto value = node.value<double>();
    if (!value || !(*value >= least && *value <= most))
        throw MarkingPolicyError(fmt::format("class.toml: {} is a number from {} to {}", what, least, most));
    return *value;
}

int whole_number(const toml::node_view<const toml::node> node, const char* what, int otherwise, int most,
                 int least = 0) {
    const double value = number(node, what, otherwise, least, most);
    if (value != static_cast<int>(value))
        throw MarkingPolicyError(fmt::format("class.toml: {} is a whole number", what));
    return static_cast<int>(value);
}

std::optional<std::string> time(const toml::node_view<const toml::node> node) {
    if (!node) return std::nullopt;
    std::ostringstream written;
    if (const auto* text = node.as_string())
        written << text->get();
    else if (const auto* date_time = node.as_date_time())
        written << date_time->get();
    auto time = utc(written.str());
    if (!time) throw MarkingPolicyError("class.toml: a deadline is a time such as 2024-05-01T22:00:00+02:00");
    return time;
}

/// "3", "03" and "03_scaled_scores" are one.
std::string exercise_called(std::string_view name, const std::vector<std::string>& exercises) {
    const std::string padded = name.size() == 1 ? "0" + std::string(name) : std::string(name);
    for (const std::string& exercise : exercises)
        if (exercise == name || exercise.substr(0, 2) == padded) return exercise;
    throw MarkingPolicyError(fmt::format("class.toml: there is no exercise {}", name));
}

/// Exercises as one table names them. Of two names for one, which of them holds would be the alphabet's choice.
class NamedOnce {
public:
    explicit NamedOnce(const std::vector<std::string>& exercises) : exercises_(exercises) {}

    std::string take(std::string_view name) {
        std::string exercise = exercise_called(name, exercises_);
        const auto [before, is_new] = names_.emplace(exercise, name);
        if (!is_new)
            throw MarkingPolicyError(
                fmt::format("class.toml: {} and {} are one exercise: write both under one name", before->second, name));
        return exercise;
    }

private:
    const std::vector<std::string>& exercises_;
    std::map<std::string, std::string> names_;
};

bool yes_or_no(const toml::node_view<const toml::node> node, const char* what) {
    if (node && !node.is_boolean()) throw MarkingPolicyError(fmt::format("class.toml: {} is true or false", what));
    return node.value_or(false);
}

void read_exercises(MarkingPolicy& policy, const toml::table& table, const std::vector<std::string>& exercises) {
    NamedOnce named(exercises);
    for (const auto& [key, node] : table) {
        ExerciseMarking& exercise = policy.exercises.at(named.take(key.str()));
        const toml::table* one = node.as_table();
        if (one == nullptr) throw MarkingPolicyError("class.toml: write [exercises.03] and what it counts below");
        allow_only(*one, "exercises." + std::string(key.str()) + ".", {"points", "deadline", "extra_credit"});
        const toml::table& view = *one;
        exercise.points = number(view["points"], "points", exercise.points, 0, 1e6);
        if (view["deadline"]) exercise.deadline = time(view["deadline"]);
        exercise.extra_credit = yes_or_no(view["extra_credit"], "extra_credit");
    }
}

void read_extensions(MarkingPolicy& policy, const toml::table& table, const std::vector<std::string>& exercises) {
    constexpr int most_days = 3650;
    for (const auto& [student, node] : table) {
        auto& days = policy.extensions[std::string(student.str())];
        NamedOnce named(exercises);
        if (const toml::table* by_exercise = node.as_table())
            for (const auto& [exercise, value] : *by_exercise)
                days[named.take(exercise.str())] =
                    whole_number(toml::node_view<const toml::node>(&value), "an extension in days", 0, most_days);
        else
            days[""] = whole_number(toml::node_view<const toml::node>(&node), "an extension in days", 0, most_days);
    }
}

void read_groups(MarkingPolicy& policy, const toml::table& table) {
    std::set<std::string> known;
    for (const auto& [name, node] : table) {
        const toml::array* members = node.as_array();
        if (members == nullptr) throw MarkingPolicyError("class.toml: a group is a list of students");
        for (const toml::node& member : *members) {
            const auto student = member.value<std::string>();
            if (!student)
                throw MarkingPolicyError("class.toml: a group is a list of students, each in quotation marks");
            if (!known.insert(*student).second)
                throw MarkingPolicyError(fmt::format("class.toml: {} is in two groups", *student));
            policy.groups[std::string(name.str())].push_back(*student);
        }
    }
}

/// What is dropped must count alike, or what can be reached would not be the same for all.
void require_equal_points(const MarkingPolicy& policy, const std::vector<std::string>& regular) {
    for (const std::string& one : regular)
        if (policy.exercises.at(one).points != policy.exercises.at(regular.front()).points)
            throw MarkingPolicyError(fmt::format(
                "class.toml: drop_lowest and best need exercises that count alike, and {} counts {:g} "
                "points, but {} {:g}; extra_credit = true takes one out of this",
                regular.front(), policy.exercises.at(regular.front()).points, one, policy.exercises.at(one).points));
}

/// How many of a student's exercises count, said in one of two ways; and to what the total is rounded.
void read_total(MarkingPolicy& policy, const toml::table& table) {
    if (table["round"]) policy.round_to = number(table["round"], "round", 1, 0.01, 1000);
    if (!table["drop_lowest"] && !table["best"]) return;
    if (table["drop_lowest"] && table["best"])
        throw MarkingPolicyError("class.toml: drop_lowest and best say one thing in two ways: write one of them");
    std::vector<std::string> regular;
    for (const auto& [exercise, marking] : policy.exercises)
        if (marking.is_regular()) regular.push_back(exercise);
    if (regular.empty())
        throw MarkingPolicyError("class.toml: no exercise counts of which drop_lowest or best could leave some");
    const int count = static_cast<int>(regular.size());
    policy.drop_lowest = table["best"] ? count - whole_number(table["best"], "best", count, count, 1)
                                       : whole_number(table["drop_lowest"], "drop_lowest", 0, count - 1);
    if (policy.drop_lowest > 0) require_equal_points(policy, regular);
}

void read(MarkingPolicy& policy, const toml::table& table, const std::vector<std::string>& exercises) {
    allow_only(table, "",
               {"attempts", "unknown_time", "deadline", "drop_lowest", "best", "round", "late", "exercises",
                "extensions", "groups"});
    policy.attempts = static_cast<MarkingPolicy::Counts>(word(table["attempts"], "attempts", {"best", "last"}));
    policy.unknown_time = static_cast<MarkingPolicy::UnknownTime>(
        word(table["unknown_time"], "unknown_time", {"open", "on time", "when graded"}));
    for (const std::string& exercise : exercises) policy.exercises[exercise].deadline = time(table["deadline"]);
    if (const toml::table* late = table_of(table, "late", "percent_a_day = 10")) {
        allow_only(*late, "late.", {"percent_a_day", "free_days", "grace_minutes", "last_day"});
        const toml::table& view = *late;
        policy.late_percent_a_day = number(view["percent_a_day"], "percent_a_day", policy.late_percent_a_day, 0, 100);
        policy.free_days = whole_number(view["free_days"], "free_days", policy.free_days, 365);
        policy.grace_minutes = whole_number(view["grace_minutes"], "grace_minutes", policy.grace_minutes, 1440);
        policy.last_day = whole_number(view["last_day"], "last_day", policy.last_day, 3650);
    }
    if (const toml::table* part = table_of(table, "exercises", "03 = { points = 20 }"))
        read_exercises(policy, *part, exercises);
    read_total(policy, table);
    if (const toml::table* part = table_of(table, "extensions", "s4711 = 3")) read_extensions(policy, *part, exercises);
    if (const toml::table* part = table_of(table, "groups", "team = [\"s1\", \"s2\"]")) read_groups(policy, *part);
}

}  // namespace

MarkingPolicy MarkingPolicy::parse(const std::string& text, const std::vector<std::string>& exercises) {
    MarkingPolicy policy;
    for (const std::string& exercise : exercises) policy.exercises[exercise] = {};
    read(policy, parse_class_toml(text), exercises);
    return policy;
}

int MarkingPolicy::extension(const std::string& student, const std::string& exercise) const {
    const auto of_student = extensions.find(student);
    if (of_student == extensions.end()) return 0;
    const auto days = [&](const std::string& key) {
        const auto found = of_student->second.find(key);
        return found == of_student->second.end() ? 0 : found->second;
    };
    return std::max(days(""), days(exercise));
}

std::set<std::string> MarkingPolicy::strangers(const std::set<std::string>& known) const {
    std::set<std::string> named;
    for (const auto& [student, days] : extensions) named.insert(student);
    for (const auto& [group, members] : groups) named.insert(members.begin(), members.end());
    for (const std::string& student : known) named.erase(student);
    return named;
}

std::vector<std::string> MarkingPolicy::members(const std::string& student) const {
    for (const auto& [name, members] : groups)
        if (std::find(members.begin(), members.end(), student) != members.end()) return members;
    return {student};
}

}  // namespace headway::gradebook
