#include "grading/handed_on.hpp"

#include "grading/where_it_failed.hpp"

#include "build/source_lines.hpp"
#include "submission/digest.hpp"
#include "submission/source_words.hpp"
#include "verdict/phrases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string_view>
#include <system_error>

namespace headway::cli {
namespace {

/// The name in front of the first bracket of a line: "Mask decoding_mask(const ..." -> "decoding_mask"
std::string declared_in(const std::string& line) {
    const std::string head = line.substr(0, line.find('('));
    return head.size() == line.size() ? std::string() : head.substr(head.find_last_of(" *&") + 1);
}

/// The functions whose comment, the lines that begin with /// above them, says when they may refuse.
std::set<std::string> may_refuse(const std::string& header) {
    constexpr std::string_view no_code = " \t/";
    std::set<std::string> names;
    std::istringstream text(header);
    std::string comment;
    for (std::string line; std::getline(text, line);) {
        const std::size_t begin = std::min(line.find_first_not_of(no_code), line.size());
        if (line.starts_with("///")) {
            comment += line.substr(begin) + ' ';
            continue;
        }
        if (comment.find("std::invalid_argument, if your own ") != std::string::npos) names.insert(declared_in(line));
        comment.clear();
    }
    names.erase("");
    return names;
}

/// Where to look for what does not fit: what `function` works on may come from another function that has a name.
std::string what_may_not_fit(const verdict::Exercise& exercise, const verdict::Failure& failure,
                             const std::string& function) {
    std::string look = "look at what it is handed there";
    bool another_is_wrong = false;
    if (exercise.diagnosis)
        for (const verdict::FunctionDiagnosis& one : exercise.diagnosis->functions) {
            const std::string name = verdict::name_alone(one.function);
            if (name == function || one.state != verdict::FunctionState::named || one.given_own.value_or(false))
                continue;
            another_is_wrong = true;
            if (std::ranges::any_of(failure.story,
                                    [&](const std::string& step) { return step.starts_with(name + '('); }))
                return fmt::format("{}, and at {}, which is wrong itself.", look, name);
        }
    return another_is_wrong ? look + '.' : fmt::format("{}, and where {} makes that.", look, function);
}

}  // namespace

AskedFor asked_for(const std::filesystem::path& course_folder) {
    AskedFor asked;
    std::error_code ignored;
    for (const auto& file : std::filesystem::directory_iterator(course_folder, ignored)) {
        if (file.path().extension() != ".hpp") continue;
        const std::string text = build::read_file(file.path());
        const std::vector<build::Word> words = build::words_without_directives(text);
        for (std::size_t i = 0; i + 1 < words.size(); ++i)
            if (words[i].is_name() && words[i + 1].text == "(") asked.functions.insert(words[i].text);
        asked.may_refuse.merge(may_refuse(text));
    }
    return asked;
}

void tell_what_is_handed_on(verdict::Exercise& exercise, const AskedFor& asked,
                            const std::vector<build::SourceFile>& files) {
    const build::SourceLines own(files);
    const auto is_wrong = [&](const std::string& function) {
        return std::ranges::any_of(exercise.tests,
                                   [&](const verdict::Test& test) {
                                       return test.failure && verdict::name_alone(test.failure->function) == function;
                                   }) ||
               (exercise.diagnosis && std::ranges::any_of(exercise.diagnosis->functions, [&](const auto& one) {
                    return verdict::name_alone(one.function) == function;
                }));
    };
    for (verdict::Test& test : exercise.tests) {
        if (!test.failure || !test.failure->at || !test.failure->through) continue;
        verdict::Failure& failure = *test.failure;
        const auto holder = own.function_around(*failure.at);
        if (!holder || !asked.functions.contains(holder->name) || is_wrong(holder->name)) continue;
        const std::string function = verdict::name_alone(failure.function);
        const std::string told =
            !verdict::ends_the_program(failure.kind) && asked.may_refuse.contains(holder->name)
                ? fmt::format(
                      "The header lets {0} refuse only what your own {1} does not ask of it, and here {1} asks for it: "
                      "let {0} answer that, unless what it is handed there is wrong.",
                      holder->name, function)
                : fmt::format("Nothing that was asked of {} itself is wrong: {}", holder->name,
                              what_may_not_fit(exercise, failure, function));
        failure.advice = failure.advice ? *failure.advice + " " + told : told;
    }
}

}  // namespace headway::cli
