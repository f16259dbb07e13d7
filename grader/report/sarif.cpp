#include "report/sarif.hpp"

#include <fmt/format.h>

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "report/words.hpp"
#include "verdict/utf8.hpp"

namespace headway::report {
namespace {

using nlohmann::json;
using verdict::Exercise;
using verdict::State;
using verdict::Test;
using verdict::TestState;

/// A plain text message: {0} would be a placeholder, and [text](address) a link. [§3.11.5, §3.11.6]
json sarif_message(std::string_view text) {
    std::string literal;
    for (const char c : verdict::showable(text)) {
        if (c == '(' && literal.ends_with(']')) literal += ' ';
        literal += c;
        if (c == '{' || c == '}') literal += c;
    }
    return {{"text", literal}};
}

/// A relative reference: every byte but letters, digits, -._~ and / is encoded. [RFC 3986, §2]
std::string sarif_uri(std::string_view path) {
    std::string uri;
    for (const char c : path) {
        const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                              std::string_view("-._~/").find(c) != std::string_view::npos;
        uri +=
            is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    }
    return uri;
}

/// The one run of a report.
class SarifRun {
public:
    explicit SarifRun(const Renamed& renamed) : renamed_(renamed) {}

    void add(const Exercise& exercise) {
        if (exercise.state == State::unavailable) add_notification(exercise);
        if (exercise.build.problem != verdict::BuildProblem::none)
            add_result(exercise, "Builds", "the submission builds", exercise.build.message,
                       location_of(exercise, exercise.build));
        for (const Test& test : exercise.tests)
            if (test.state == TestState::failed && !test.depends_on)
                add_result(exercise, test.name, test.property, test.failure ? report::message_of(*test.failure) : "",
                           location_of(exercise, test));
    }

    json take() {
        const json driver = {{"name", "Headway"}, {"rules", std::move(rules_)}};
        const json invocation = {{"executionSuccessful", notifications_.empty()},
                                 {"toolExecutionNotifications", notifications_}};
        return {{"tool", {{"driver", driver}}},
                {"invocations", json::array({invocation})},
                {"results", std::move(results_)}};
    }

private:
    void add_notification(const Exercise& exercise) {
        const std::string problem =
            exercise.problem.empty() ? "the machine or the course is at fault" : exercise.problem;
        notifications_.push_back(
            {{"level", "error"}, {"message", sarif_message(exercise.number + " could not be graded: " + problem)}});
    }

    void add_result(const Exercise& exercise, const std::string& name, const std::string& property,
                    const std::string& message, Location location) {
        const std::string id = verdict::showable(exercise.name + "." + name);
        add_rule(id, property);
        location.file = exercise.name + "/" + location.file;
        if (renamed_) location = renamed_(location);
        json physical = {{"artifactLocation", {{"uri", sarif_uri(location.file)}, {"uriBaseId", "%SRCROOT%"}}}};
        if (location.line) physical["region"] = {{"startLine", *location.line}};
        const json whole = {{"physicalLocation", physical}};
        const std::string text = message.empty() ? property : property + ": " + message;
        results_.push_back({{"ruleId", id},
                            {"level", "error"},
                            {"message", sarif_message(text)},
                            {"locations", json::array({whole})}});
    }

    /// No two rules have one id.
    void add_rule(const std::string& id, const std::string& property) {
        if (ids_.insert(id).second) rules_.push_back({{"id", id}, {"shortDescription", sarif_message(property)}});
    }

    const Renamed& renamed_;
    std::set<std::string> ids_;  ///< of rules
    json rules_ = json::array();
    json results_ = json::array();
    json notifications_ = json::array();
};

}  // namespace

json sarif(const verdict::Verdict& verdict, const Renamed& renamed) {
    SarifRun run(renamed);
    for (const Exercise& exercise : verdict.exercises) run.add(exercise);
    return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
            {"version", "2.1.0"},
            {"runs", json::array({run.take()})}};
}

}  // namespace headway::report
