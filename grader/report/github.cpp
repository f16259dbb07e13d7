#include "report/github.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "report/exercise_view.hpp"
#include "verdict/utf8.hpp"

namespace headway::report {
namespace {

using verdict::Exercise;
using verdict::Test;

/// What a submission wrote must not become a command, a property or a line of its own.
std::string command_escaped(std::string_view text, bool is_property) {
    std::string escaped;
    for (const char c : verdict::showable(text)) {
        const bool special = c == '%' || c == '\r' || c == '\n' || (is_property && (c == ':' || c == ','));
        escaped += special ? fmt::format("%{:02X}", static_cast<unsigned>(c)) : std::string(1, c);
    }
    return escaped;
}

std::string annotation(const std::string& file, int line, const std::string& title, const std::string& message) {
    return fmt::format("::error file={},line={},title={}::{}\n", command_escaped(file, true), line > 0 ? line : 1,
                       command_escaped(title, true), command_escaped(message, false));
}

/// "03_scaled_scores" -> "scaled_scores.cpp"
std::string main_file(const Exercise& exercise) { return exercise.name.substr(exercise.name.find('_') + 1) + ".cpp"; }

/// A #line directive may name any file, and system's files have relative names too.
bool is_in_the_exercise(const std::string& file) {
    const std::filesystem::path path(file);
    return !path.empty() && path.is_relative() && std::ranges::find(path, "..") == path.end();
}

std::string of_test(const Exercise& exercise, const Test& test, const std::string& folder) {
    if (test.state != verdict::TestState::failed || test.depends_on) return "";
    std::string file = main_file(exercise);
    int line = 0;
    std::string message = test.property;
    if (test.failure && !test.failure->message.empty()) message += ": " + test.failure->message;
    if (test.failure && test.failure->at) {
        file = test.failure->at->file;
        line = test.failure->at->line;
    } else if (test.failure && test.failure->sanitizer && is_in_the_exercise(test.failure->sanitizer->file)) {
        file = test.failure->sanitizer->file;
        line = test.failure->sanitizer->line;
    }
    return annotation(folder + "/" + exercise.name + "/" + file, line, exercise.number + " " + exercise.title, message);
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

std::string github_annotations(const verdict::Verdict& verdict, const std::string& folder) {
    std::string text;
    for (const Exercise& exercise : verdict.exercises) {
        if (exercise.build.problem != verdict::BuildProblem::none) {
            const bool is_known = is_in_the_exercise(exercise.build.file);
            text += annotation(
                folder + "/" + exercise.name + "/" + (is_known ? exercise.build.file : main_file(exercise)),
                is_known ? exercise.build.line : 0, exercise.number + " does not build", exercise.build.message);
        }
        for (const Test& test : exercise.tests) text += of_test(exercise, test, folder);
    }
    return text;
}

std::string github_without_commands(const std::string& text, const std::string& token) {
    return fmt::format("::stop-commands::{0}\n{1}\n::{0}::\n", token, text);
}

std::string github_summary(const verdict::Verdict& verdict) {
    std::string text = "## Headway\n\n| exercise | | points |\n|---|---|---|\n";
    std::string mistakes;
    for (const Exercise& exercise : verdict.exercises) {
        text += fmt::format("| {} {} | {} | {} |\n", exercise.number, markdown_escaped(exercise.title),
                            state_in_words(exercise).text, points_text(exercise));
        if (!exercise.build.message.empty())
            mistakes += fmt::format("- **{}** {}\n", exercise.number, markdown_escaped(exercise.build.message));
        if (exercise.diagnosis)
            for (const verdict::NamedMistake& mistake : exercise.diagnosis->mistakes)
                mistakes += fmt::format("- **{}** {}. {}{}\n", exercise.number, markdown_escaped(mistake.title),
                                        markdown_escaped(mistake.right),
                                        mistake.lesson.empty() ? "" : " (" + markdown_escaped(mistake.lesson) + ")");
    }
    return text + (mistakes.empty() ? "" : "\n" + mistakes);
}

}  // namespace headway::report
