#include "report/github.hpp"

#include <fmt/format.h>

#include <string_view>

#include "report/exercise_view.hpp"
#include "verdict/utf8.hpp"

namespace headway::report {
namespace {

using verdict::Exercise;

/// What a submission wrote must not become a command, a property or a line of its own.
std::string command_escaped(std::string_view text, bool is_property) {
    std::string escaped;
    for (const char c : verdict::showable(text)) {
        const bool special = c == '%' || c == '\r' || c == '\n' || (is_property && (c == ':' || c == ','));
        escaped += special ? fmt::format("%{:02X}", static_cast<unsigned>(c)) : std::string(1, c);
    }
    return escaped;
}

/// Markdown and HTML in it are text.
std::string markdown_escaped(std::string_view text) {
    std::string escaped;
    for (const char c : verdict::showable(text)) {
        if (c == '\n' || c == '\r')
            escaped += ' ';
        else if (std::string_view("\\`*_{}[]<>()#+!|~&@").find(c) != std::string_view::npos)
            escaped += fmt::format("&#{};", static_cast<unsigned>(c));
        else
            escaped += c;
    }
    return escaped;
}

}  // namespace

std::string github_annotations(const std::vector<Finding>& findings) {
    std::string text;
    for (const Finding& finding : findings)
        text += fmt::format("::error file={},line={},title={}::{}\n", command_escaped(finding.file, true), finding.line,
                            command_escaped(finding.title, true), command_escaped(finding.message, false));
    return text;
}

std::string github_without_commands(const std::string& text, const std::string& token) {
    return fmt::format("::stop-commands::{0}\n{1}\n::{0}::\n", token, text);
}

std::string github_summary(const verdict::Verdict& verdict) {
    std::string text = "## Headway\n\n| exercise | | points |\n|---|---|---|\n";
    std::string mistakes;
    int points = 0;
    int max_points = 0;
    for (const Exercise& exercise : verdict.exercises) {
        text += fmt::format("| {} {} | {} | {} |\n", exercise.number, markdown_escaped(exercise.title),
                            state_in_words(exercise).text, points_text(exercise));
        points += exercise.points;
        max_points += exercise.max_points;
        if (!exercise.build.message.empty())
            mistakes += fmt::format("- **{}** {}\n", exercise.number, markdown_escaped(exercise.build.message));
        if (exercise.diagnosis)
            for (const verdict::NamedMistake& mistake : exercise.diagnosis->mistakes)
                mistakes += fmt::format("- **{}** {}. {}{}\n", exercise.number, markdown_escaped(mistake.title),
                                        markdown_escaped(mistake.right),
                                        mistake.lesson.empty() ? "" : " (" + markdown_escaped(mistake.lesson) + ")");
    }
    text += fmt::format("| **all** | | **{} of {}** |\n", points, max_points);
    return text + (mistakes.empty() ? "" : "\n" + mistakes);
}

}  // namespace headway::report
