#include "build/diagnostics.hpp"

#include "build/own_messages.hpp"
#include "build/presentable.hpp"
#include "build/unseen_definition.hpp"
#include "submission/function_places.hpp"
#include "submission/words_of_files.hpp"

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <optional>
#include <string_view>

#include <fmt/format.h>

namespace headway::build {
namespace {

using verdict::BuildProblem;
using verdict::Compilation;

std::string next_step(const NamesForStudent& names) {
    return fmt::format("Fix it and run ./headway grade {} again.", names.exercise.substr(0, 2));
}

/// "headway::ex03::causal_mask(long, long)" -> "causal_mask"
std::string plain_name(const std::string& symbol) {
    const std::string before = symbol.substr(0, symbol.find('('));
    const std::size_t colon = before.rfind("::");
    return colon == std::string::npos ? before : before.substr(colon + 2);
}

std::vector<std::string_view> lines_printed(std::string_view output) {
    std::vector<std::string_view> lines;
    while (!output.empty()) {
        const std::size_t end = std::min(output.find('\n'), output.size());
        lines.push_back(output.substr(0, end));
        output.remove_prefix(std::min(end + 1, output.size()));
    }
    return lines;
}

/// What stands in a line behind these words, if it has them.
std::optional<std::string_view> behind(std::string_view words, std::string_view line) {
    const std::size_t at = line.find(words);
    return at == std::string::npos ? std::nullopt : std::optional(line.substr(at + words.size()));
}

/// What stands in quotes there: `main' or 'main'. A symbol may have some of its own.
std::optional<std::string_view> quoted_behind(std::string_view words, std::string_view line) {
    const auto rest = behind(words, line);
    if (!rest || !(rest->starts_with('`') || rest->starts_with('\''))) return {};
    const std::size_t end = rest->rfind('\'');
    return end == rest->npos || end == 0 ? std::nullopt : std::optional(rest->substr(1, end - 1));
}

std::vector<std::string> undefined_symbols(const std::string& output) {
    std::vector<std::string> symbols;
    for (const std::string_view line : lines_printed(output)) {
        auto symbol = quoted_behind("undefined reference to ", line);  // GNU ld
        if (!symbol) symbol = behind("undefined symbol: ", line);      // lld and mold
        if (symbol && std::find(symbols.begin(), symbols.end(), *symbol) == symbols.end())
            symbols.emplace_back(*symbol);
    }
    return symbols;
}

/// What is defined twice; empty if nothing is.
std::string duplicate_symbol(const std::string& output) {
    for (const std::string_view line : lines_printed(output)) {
        if (const auto symbol = quoted_behind("multiple definition of ", line)) return std::string(*symbol);  // GNU ld
        // mold and lld, which may name the two files first
        if (const auto symbol = behind("duplicate symbol: ", line)) {
            constexpr std::string_view object = ".o: ";
            const std::size_t file = symbol->rfind(object);
            return std::string(file == symbol->npos ? *symbol : symbol->substr(file + object.size()));
        }
    }
    return {};
}

/// A function that the submission defines under the wanted name, with other parameters or in another namespace.
std::string near_miss(const std::string& wanted, const std::vector<std::string>& defined) {
    const std::string name = plain_name(wanted);
    for (const std::string& symbol : defined)
        if (symbol != wanted && symbol.find('(') != std::string::npos && plain_name(symbol) == name) return symbol;
    return {};
}

bool is_member_of_02(const std::string& symbol) {
    return symbol.starts_with("headway::Tensor::view(") || symbol.starts_with("headway::Tensor::transpose(") ||
           symbol.starts_with("headway::Tensor::contiguous(");
}

/// Where it is used first: in the student's function of this name, which is to do what it does?
bool is_in_function(const std::string& name, const std::optional<FoundAt>& use, const std::vector<SourceFile>& files) {
    if (!use) return false;
    std::string around;
    for (const SourceFile& file : files)
        if (file.path.string() == use->file)
            for (const DefinedFunction& function : functions_defined_in(file.text))
                if (function.line <= use->line) around = function.name;
    return around == name;
}

/// What is said of a member that 02 asks for under the same name.
std::string instead_of_member(const std::string& member, const std::vector<SourceFile>& files) {
    if (is_in_function(member, first_use_of_member(member, files), files))
        return fmt::format(
            "it is what you write here. That line is in your own {0}: write what {0} does in place of x.{0}(...).",
            member);
    return fmt::format("it is what you write here. Call your own {0}(x, ...) in place of x.{0}(...).", member);
}

/// The exercise that asks for what given:: has under this name.
std::string writes_given(const std::string& name) {
    if (name == "split_heads") return "02";
    return name == "merge_heads" ? "04" : "03";
}

/// What is said of what this exercise is not given.
std::string instead_of(const std::string& symbol, const std::string& exercise, const std::vector<SourceFile>& files) {
    const std::string name = plain_name(symbol);
    if (is_member_of_02(symbol)) return instead_of_member(name, files);
    if (symbol.starts_with("headway::given::") && is_in_function(name, first_use_in("given", name, files), files))
        return fmt::format(
            "it is what you write here. That line is in your own {0}: write what {0} does in place of "
            "given::{0}(...).",
            name);
    if (symbol.starts_with("headway::given::") && definition_of(name, files))
        return fmt::format("call your own, {}(...) without given::.", name);
    if (symbol.starts_with("headway::given::") && exercise == "06")
        return "this exercise does without it, and without anything else of given::, since its tests tell by hand, or "
               "by a relation, what a right answer is (lesson 06). Write what you need of it yourself.";
    if (symbol.starts_with("headway::given::") && (exercise == "10" || exercise == "14"))
        return "this exercise does without it, and without anything else of given::. Write what you need of it "
               "yourself.";
    if (symbol.starts_with("headway::given::") && exercise > writes_given(name))
        return "this exercise does without it. Write what you need of it yourself.";
    return "it is what you are asked to write here, or comes later in the course.";
}

/// What one undefined symbol means.
Compilation explain_undefined(const std::string& symbol, const std::vector<std::string>& defined,
                              const NamesForStudent& names, const std::vector<SourceFile>& files) {
    Compilation build;
    if (symbol.starts_with("headway::ex")) {
        const std::string miss = near_miss(symbol, defined);
        const std::string why = miss.empty() ? why_not_seen_outside(plain_name(symbol), files) : "";
        if (!why.empty()) {
            build.problem = BuildProblem::wrong_signature;
            build.message =
                fmt::format("{} is declared in the header, but {} {}", plain_name(symbol), why, next_step(names));
            return build;
        }
        build.problem = miss.empty() ? BuildProblem::missing_definition : BuildProblem::wrong_signature;
        if (miss.empty())
            build.message = fmt::format(
                "{} is declared in the header, but {} does not define it. Write it, if only as "
                "throw NotImplemented{{\"{}\"}}; and run ./headway grade {} again.",
                plain_name(symbol), names.folder.string(), plain_name(symbol), names.exercise.substr(0, 2));
        else
            build.message = fmt::format(
                "you define  {}\nthe header declares  {}\nC++ takes them for two functions. Give "
                "yours the header's namespace and parameters. {}",
                miss, symbol, next_step(names));
        return build;
    }
    if (is_member_of_02(symbol) || symbol.starts_with("headway::given::") || symbol.starts_with("headway::nn::")) {
        build.problem = BuildProblem::not_available;
        const std::string name = without(symbol.substr(0, symbol.find('(')), "headway::");
        build.message = fmt::format("{} is not available in exercise {}: {} {}", name, names.exercise.substr(0, 2),
                                    instead_of(symbol, names.exercise.substr(0, 2), files), next_step(names));
        return build;
    }
    build.problem = BuildProblem::link_error;
    if (symbol.starts_with("omp_") || symbol.starts_with("GOMP_"))
        build.message = fmt::format(
            "{} is a function of OpenMP, which submissions are not linked with: there are std::thread and std::async, "
            "and OpenMP's pragmas are passed over. Put what calls {} between #ifdef _OPENMP and #endif. {}",
            symbol, symbol, next_step(names));
    else if (symbol.starts_with("vtable for "))
        build.message = fmt::format("a virtual function of {} is declared, but never defined. {}",
                                    symbol.substr(std::string("vtable for ").size()), next_step(names));
    else
        build.message = fmt::format("{} is used, but never defined. {}", symbol, next_step(names));
    return build;
}

bool is_a_sentence(const std::string& text) { return text.ends_with('.') || text.ends_with('?'); }

/// Linkers know no lines: where the name stands in the sources is the next best. What is not there at all has no place.
std::optional<FoundAt> place_of(const std::string& symbol, const std::vector<SourceFile>& files) {
    const std::string name = plain_name(symbol);
    auto found = is_member_of_02(symbol)                  ? first_use_of_member(name, files)
                 : symbol.starts_with("headway::given::") ? first_use_in("given", name, files)
                                                          : definition_of(name, files);
    return found ? found : first_use_of(name, files);
}

/// " given::softmax (scaled_scores.cpp:12)"
std::string with_place(const std::string& symbol, const std::vector<SourceFile>& files) {
    const std::string name = (symbol.starts_with("headway::given::") ? " given::" : " ") + plain_name(symbol);
    // What the header declares and nobody defines is missing everywhere.
    const auto found = symbol.starts_with("headway::ex") ? std::nullopt : place_of(symbol, files);
    return found ? fmt::format("{} ({}:{})", name, found->file, found->line) : name;
}

void place(Compilation& build, const std::string& symbol, const std::vector<SourceFile>& files) {
    if (build.problem == BuildProblem::missing_definition) return;
    const auto found = place_of(symbol, files);
    if (!found) return;
    build.file = found->file;
    build.line = found->line;
}

}  // namespace

Compilation explain_compile(const sandbox::Finished& finished, const std::string& source, const NamesForStudent& names,
                            const std::vector<SourceFile>& files) {
    Compilation build;
    build.diagnostics = presentable(finished.output, names);
    build.file = source;
    if (finished.out_of_memory) {
        build.problem = BuildProblem::too_long;
        build.message =
            fmt::format("{}/{} needs too much memory to compile; a huge array, or a template without end? {}",
                        names.folder.string(), source, next_step(names));
        return build;
    }
    if (finished.timed_out || finished.ended.signal == SIGXCPU) {
        build.problem = BuildProblem::too_long;
        build.message =
            fmt::format("{}/{} takes too long to compile; a template or constexpr computation without end? {}",
                        names.folder.string(), source, next_step(names));
        return build;
    }
    build.problem = BuildProblem::compile_error;
    build.errors = own_messages(Severity::error, with_short_lines(finished.output), files, names);
    std::string what;
    if (!build.errors->empty()) {
        const verdict::CompilerMessage& first = build.errors->front();
        build.file = first.at.file;
        build.line = first.at.line;
        build.column = first.column;
        what = fmt::format(" (line {}): {}{}", build.line, first.text, is_a_sentence(first.text) ? "" : ".");
        if (!first.advice.empty()) what += " " + first.advice;
    }
    build.message = fmt::format("{}/{} does not compile{} {}", names.folder.string(), build.file,
                                what.empty() ? "." : what, next_step(names));
    return build;
}

Compilation explain_large_objects(const std::string& source, const NamesForStudent& names) {
    Compilation build;
    build.problem = BuildProblem::too_long;
    build.file = source;
    build.message = fmt::format("with {}/{} the compiled files are larger than they may be together; huge arrays? {}",
                                names.folder.string(), source, next_step(names));
    return build;
}

namespace {

/// Whether functions of all these names are defined, with other parameters.
bool are_defined_otherwise(const std::vector<std::string>& undefined, const std::vector<std::string>& defined) {
    const auto without_parameters = [](const std::string& function) { return function.substr(0, function.find('(')); };
    return std::ranges::all_of(undefined, [&](const std::string& one) {
        return std::ranges::count(defined, without_parameters(one), without_parameters) > 0;
    });
}

}  // namespace

Compilation explain_link(const sandbox::Finished& finished, const std::vector<std::string>& defined,
                         const NamesForStudent& names, const std::vector<SourceFile>& all_files) {
    Compilation build;
    const std::vector<SourceFile> files = read_for_advice(all_files);
    const std::string output = presentable(finished.output, names);
    const std::vector<std::string> undefined = undefined_symbols(output);
    const std::string twice = duplicate_symbol(output);
    if (twice == "main") {
        build.problem = BuildProblem::has_main;
        build.message = fmt::format(
            "your submission defines main. The grader has a main of its own and calls your "
            "functions; remove yours (for trying things out there is ./headway try {}). {}",
            names.exercise.substr(0, 2), next_step(names));
    } else if (!undefined.empty()) {
        build = explain_undefined(undefined.front(), defined, names, files);
        if (undefined.size() > 1) {
            build.message += are_defined_otherwise(undefined, defined) ? "\nThe same is so of:" : "\nAlso missing:";
            for (std::size_t i = 1; i < std::min<std::size_t>(undefined.size(), 6); ++i)
                build.message += with_place(undefined[i], files) + (i + 1 < undefined.size() ? "," : "");
        }
    } else {
        build.problem = BuildProblem::link_error;
        build.message =
            twice.empty() ? "the files of your submission do not link. " : fmt::format("{} is defined twice. ", twice);
        build.message += next_step(names);
    }
    build.diagnostics = output;
    place(build, undefined.empty() ? twice : undefined.front(), files);
    return build;
}

}  // namespace headway::build
