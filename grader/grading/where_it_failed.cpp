#include "grading/where_it_failed.hpp"

#include "grading/causes_in_callers.hpp"
#include "grading/causes_in_declarations.hpp"
#include "grading/causes_in_lines.hpp"
#include "grading/causes_in_loops.hpp"
#include "grading/causes_in_source.hpp"
#include "grading/causes_of_crashes.hpp"
#include "submission/function_places.hpp"
#include "verdict/phrases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <map>
#include <optional>
#include <set>
#include <string_view>

namespace headway::cli {
namespace {

using verdict::Failure;

/// Of one build: most failures of a function throw at one place.
constexpr std::size_t most_ways = 16;

using Sites = std::map<build::WayToThrow, std::optional<build::ThrowSite>>;

/// All in one run of a tool. Nothing where it cannot be told: a line decides no point.
template <typename Told>  // which has `frames`
Sites sites_of(const std::vector<Told*>& all, const build::Workspace& workspace, build::Build build) {
    Sites sites;
    for (const Told* told : all)
        if (told->frames && sites.size() < most_ways) sites[*told->frames];
    if (sites.empty()) return sites;
    std::vector<build::WayToThrow> ways;
    for (const auto& [way, site] : sites) ways.push_back(way);
    try {
        auto found = workspace.throw_sites(build, ways);
        for (std::size_t i = 0; i < ways.size(); ++i) sites[ways[i]] = std::move(found[i]);
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): what is known without it is said anyway
    }
    return sites;
}

/// The line where the compiler sees that something is read which has no value, if it sees that once in all that was
/// handed in, and in this function.
std::optional<verdict::SourceLine> warned_of_in(const std::string& function,
                                                const std::vector<verdict::CompilerMessage>& warnings,
                                                const ReadSources& sources) {
    const auto is_of_that = [](const verdict::CompilerMessage& warning) {
        return warning.text.find("uninitialized]") != std::string::npos;
    };
    if (std::ranges::count_if(warnings, is_of_that) != 1) return {};
    const auto warning = std::ranges::find_if(warnings, is_of_that);
    const auto& place = sources.definition_of(function);
    if (!place || warning->at.file != place->file) return {};
    int begins = 0;  // of the functions, the last one that begins before the warning
    for (const build::DefinedFunction& defined : sources.functions_of(warning->at.file))
        if (defined.line <= warning->at.line) begins = defined.line;
    return begins == place->line ? std::optional(warning->at) : std::nullopt;
}

}  // namespace

std::optional<verdict::SourceLine> way_through(const std::string& function, const build::ThrowSite& site,
                                               const build::SourceLines& own) {
    const auto is_in_it = [&](const verdict::SourceLine& line) {
        const auto around = own.function_around(line);
        return around && around->name == verdict::name_alone(function);
    };
    if (is_in_it(site.line)) return {};
    const auto line = std::ranges::find_if(site.callers, is_in_it);
    // Where a function clears up at its end, a call returns to its last bracket, wherever it was made.
    const bool is_told = line != site.callers.end() && line->text.find_first_not_of("}; ") != std::string::npos;
    return is_told ? std::optional(own.with_left_side(*line)) : std::nullopt;
}

std::vector<verdict::SourceLine> callers_in(const verdict::SanitizerReport& report, const build::SourceLines& own) {
    std::vector<verdict::SourceLine> callers;
    bool is_behind = false;  // past the line that the report names
    for (const std::string& line : report.first_lines) {
        if (line.find(" by thread ") != std::string::npos) break;  // how that memory was made or freed
        const std::size_t number = line.find_first_not_of(' ');
        if (number == std::string::npos || line[number] != '#') continue;
        // "    #1 0x560 in headway::ex02::split_heads(headway::Tensor const&, long) ./head_splitting.cpp:31:7"
        std::string place = line.substr(line.rfind(' ') + 1);
        if (place.starts_with("./")) place.erase(0, 2);
        const std::size_t colon = place.find(':');
        if (colon == std::string::npos) continue;
        const std::string digits = place.substr(colon + 1, 9);
        const auto at = own.at(place.substr(0, colon), std::atoi(digits.c_str()));
        if (!at) continue;
        if (is_behind) callers.push_back(*at);
        is_behind = is_behind || (at->file == report.file && at->line == report.line);
    }
    return callers;
}

namespace {

std::set<std::string> functions_named_in(const verdict::Exercise& exercise, const build::SourceLines& own) {
    std::set<std::string> names;
    for (const verdict::Test& test : exercise.tests) {
        if (test.state != verdict::TestState::failed || !test.failure) continue;
        names.insert(verdict::name_alone(test.failure->function));
        if (!test.failure->at || !verdict::ends_the_program(test.failure->kind)) continue;
        if (const auto around = own.function_around(*test.failure->at); around && !around->name.empty())
            names.insert(around->name);
    }
    if (exercise.diagnosis)
        for (const verdict::NamedMistake& mistake : exercise.diagnosis->mistakes)
            for (const std::string& function : mistake.functions) names.insert(verdict::name_alone(function));
    return names;
}

/// In which function every call of `function` that ended the program did so; empty if they differ, or nobody knows.
std::string function_where_it_ends(const std::string& function, const verdict::Exercise& exercise,
                                   const build::SourceLines& own) {
    std::set<std::string> names;
    for (const verdict::Test& test : exercise.tests) {
        if (!test.failure || verdict::name_alone(test.failure->function) != function ||
            !verdict::ends_the_program(test.failure->kind))
            continue;
        if (!test.failure->at) return {};
        const auto around = own.function_around(*test.failure->at);
        names.insert(around ? around->name : std::string());
    }
    return names.size() == 1 ? *names.begin() : std::string();
}

/// The one function with the same mistake through which all calls of `function` went that ended the program; empty if
/// there is no such one.
std::string function_on_the_way(const verdict::FunctionDiagnosis& function, const verdict::Exercise& exercise,
                                const build::SourceLines& own) {
    const std::string name = verdict::name_alone(function.function);
    const auto has_the_same = [&](const std::string& other) {
        return std::ranges::any_of(exercise.diagnosis->functions, [&](const verdict::FunctionDiagnosis& one) {
            return one.function == other && one.mistakes == function.mistakes;
        });
    };
    std::set<std::string> names;
    for (const verdict::Test& test : exercise.tests) {
        if (!test.failure || verdict::name_alone(test.failure->function) != name ||
            !verdict::ends_the_program(test.failure->kind))
            continue;
        if (!test.failure->sanitizer) return {};
        std::string innermost;
        for (const verdict::SourceLine& line : callers_in(*test.failure->sanitizer, own)) {
            const auto around = own.function_around(line);
            if (innermost.empty() && around && has_the_same(around->name)) innermost = around->name;
        }
        names.insert(innermost);
    }
    return names.size() == 1 ? *names.begin() : std::string();
}

bool is_one_line(const std::optional<verdict::SourceLine>& a, const std::optional<verdict::SourceLine>& b) {
    return a && b && a->file == b->file && a->line == b->line;
}

void tell_where_a_sanitizer_ended_it(Failure& failure, const ReadSources& sources) {
    failure.at = sources.lines().at(failure.sanitizer->file, failure.sanitizer->line);
    name_what_lacks_a_return(failure, sources);
    tell_what_clone_keeps(failure, sources);
    tell_of_a_mask_that_is_not_given(failure, {}, sources);
    tell_of_a_vector_without_elements(failure, sources);
    tell_what_one_less_than_none_is(failure, sources);
    tell_what_a_pointer_points_to(failure, sources);
    tell_what_refuses(failure);
    tell_what_calls_itself(failure, callers_in(*failure.sanitizer, sources.lines()), sources);
    tell_what_has_no_element_below_0(failure, sources);
    if (!failure.at) return;
    const build::ThrowSite site{.line = *failure.at, .callers = callers_in(*failure.sanitizer, sources.lines())};
    failure.through = way_through(failure.function, site, sources.lines());
}

/// What is returned at the end of a block may be told as the block's bracket.
verdict::SourceLine not_a_bracket(const verdict::SourceLine& line, const build::SourceLines& own) {
    if (line.text.find_first_not_of("}; ") != std::string::npos) return line;
    const auto before = own.at(line.file, line.line - 1);
    return before && before->text.ends_with(';') ? *before : line;
}

/// @param site  where the call threw, or was stopped, by the program's word
void tell_where_it_was(Failure& failure, const build::ThrowSite& site, const ReadSources& sources) {
    // What waits for something is where it waits. Tests that are handed in and do not end behave wrongly.
    const bool computes =
        (failure.kind == verdict::FailureKind::timeout || failure.kind == verdict::FailureKind::wrong_behaviour) &&
        failure.message.find("a loop whose condition") != std::string::npos;
    failure.at = not_a_bracket(computes ? site.in_loop.value_or(site.line) : site.line, sources.lines());
    // Advice is on the library's words; at a throw of the student's own, the words are the student's.
    if (site.is_the_throw) failure.advice.reset();
    tell_who_hands_on_what_is_refused(failure, site, sources);
    if (computes) {
        tell_of_a_step_that_sets(failure, sources);
        tell_what_continue_skips(failure, sources);
        tell_for_what_a_loop_goes_on(failure, sources);
    }
    tell_what_counts_another(failure, sources);
    tell_whose_end_moves(failure, sources);
    tell_how_a_sum_begins(failure, sources);
    tell_what_was_never_made(failure, sources);
    tell_which_piece_is_not_cut(failure, sources);
    tell_of_a_mask_that_is_not_given(failure, site.callers, sources);
    tell_of_a_vector_without_elements(failure, sources);
    tell_what_one_less_than_none_is(failure, sources);
    tell_what_a_pointer_points_to(failure, sources);
    tell_what_was_handed_on_empty(failure, site.callers, sources);
    tell_what_holds_nothing(failure, sources);
    tell_what_an_optional_lacks(failure, sources);
    tell_what_has_no_element_below_0(failure, sources);
    tell_which_child_is_not_kept(failure, sources);
    tell_what_a_list_begins_with(failure, sources);
    tell_what_refuses(failure);
    tell_what_a_remainder_gives(failure);
    tell_what_calls_itself(failure, site.callers, sources);
    tell_what_a_mask_may_lack(failure, sources);
    tell_what_a_copy_would_lose(failure);
    if (failure.kind == verdict::FailureKind::exception) tell_what_a_comma_leaves(failure);
    if (failure.kind == verdict::FailureKind::exception)
        failure.through = way_through(failure.function, site, sources.lines());
}

}  // namespace

void find_lines(std::vector<verdict::Test>& tests, const build::Workspace& workspace, build::Build build) {
    std::vector<Failure*> failures;
    for (verdict::Test& test : tests)
        if (test.failure) failures.push_back(&*test.failure);
    const Sites sites = sites_of(failures, workspace, build);
    const ReadSources sources(workspace.submission().files);
    for (verdict::Test& test : tests)
        if (test.state == verdict::TestState::not_implemented && test.failure)
            tell_of_a_throw_left(*test.failure, sources);
    for (Failure* failure : failures) {
        tell_which_list_has_braces(*failure, sources);
        if (failure->sanitizer) tell_where_a_sanitizer_ended_it(*failure, sources);
        const auto found = failure->frames ? sites.find(*failure->frames) : sites.end();
        failure->frames.reset();
        if (found != sites.end() && found->second) tell_where_it_was(*failure, *found->second, sources);
    }
}

void find_lines(verdict::Diagnosis& diagnosis, const std::vector<verdict::CompilerMessage>& warnings,
                const build::Workspace& workspace) {
    std::vector<verdict::FunctionDiagnosis*> functions;
    for (verdict::FunctionDiagnosis& function : diagnosis.functions)
        if (std::ranges::count(function.mistakes, "uninitialised_memory") > 0) functions.push_back(&function);
    const Sites sites = sites_of(functions, workspace, build::Build::plain);
    const ReadSources sources(workspace.submission().files);
    for (verdict::FunctionDiagnosis* function : functions) {
        const auto found = function->frames ? sites.find(*function->frames) : sites.end();
        if (found != sites.end() && found->second)
            function->at = found->second->line;
        else if (!function->frames)
            function->at = warned_of_in(verdict::name_alone(function->function), warnings, sources);
        tell_what_leaves_the_end(*function, sources);
        tell_of_other_empty_ones(*function, sources);
    }
    for (verdict::FunctionDiagnosis& function : diagnosis.functions) function.frames.reset();
    tell_what_hides_a_member(diagnosis, warnings, workspace.submission().files);
    tell_what_ends_with_its_line(diagnosis, workspace.submission().files);
}

void leave_causes_to_names(verdict::Exercise& exercise) {
    if (!exercise.diagnosis) return;
    const auto has_wrong_input = [&](const std::string& function) {
        return std::ranges::any_of(exercise.diagnosis->functions, [&](const verdict::FunctionDiagnosis& one) {
            return verdict::name_alone(one.function) == function && one.state == verdict::FunctionState::unjudged;
        });
    };
    const auto is_named = [&](const std::string& function) {
        return std::ranges::any_of(exercise.diagnosis->mistakes, [&](const verdict::NamedMistake& mistake) {
            // That it throws names no cause.
            return mistake.id != "refuses_what_fits" && std::ranges::any_of(mistake.functions, [&](const auto& one) {
                       return verdict::name_alone(one) == function;
                   });
        });
    };
    for (verdict::Test& test : exercise.tests)
        if (test.failure && test.failure->message.find(" is out of range for axis ") != std::string::npos &&
            (is_named(test.failure->function) || has_wrong_input(test.failure->function)))
            test.failure->advice.reset();
}

void leave_out_sizes(verdict::Exercise& exercise) {
    if (!exercise.diagnosis) return;
    const auto is_of_a_view = [&](const verdict::Test& test) {
        return test.failure->message.find("the tensor is not contiguous (its strides are ") != std::string::npos;
    };
    for (verdict::NamedMistake& mistake : exercise.diagnosis->mistakes) {
        if (mistake.id != "refuses_what_fits" || mistake.functions.size() != 1) continue;
        std::size_t views = 0, others = 0;
        for (const verdict::Test& test : exercise.tests)
            if (test.failure && test.failure->kind == verdict::FailureKind::exception &&
                verdict::name_alone(test.failure->function) == verdict::name_alone(mistake.functions.front()))
                ++(is_of_a_view(test) ? views : others);
        const std::size_t sizes = mistake.right.find("; ");
        if (views == 0 || others > 0 || sizes == std::string::npos) continue;
        const std::string whole = mistake.right;
        mistake.right.resize(sizes);
        for (std::string& hint : mistake.hints)
            if (hint == whole) hint = mistake.right;
    }
}

void tell_in_whose_lines(verdict::Exercise& exercise, const std::vector<build::SourceFile>& files) {
    if (!exercise.diagnosis) return;
    const build::SourceLines own(files);
    auto& functions = exercise.diagnosis->functions;
    for (verdict::FunctionDiagnosis& one : functions) {
        if (one.inputs > 0 || one.mistakes.size() != 1) continue;  // found in numbers, or not by that alone
        // Where memory is read too early, the line is known that makes it; else it is where the program ended.
        const bool is_of_memory = one.mistakes.front() == "uninitialised_memory";
        const auto maker = is_of_memory && one.at ? own.function_around(*one.at) : std::nullopt;
        const std::string name = verdict::name_alone(one.function);
        std::string other = maker ? maker->name : function_where_it_ends(name, exercise, own);
        auto holder = std::ranges::find(functions, other, &verdict::FunctionDiagnosis::function);
        if (!maker && holder == functions.end()) {  // a helper's
            other = function_on_the_way(one, exercise, own);
            holder = std::ranges::find(functions, other, &verdict::FunctionDiagnosis::function);
        }
        if (other == name || holder == functions.end() || holder->mistakes != one.mistakes) continue;
        if (!maker || is_one_line(holder->at, one.at)) one.inherited = one.mistakes;
    }
}

void find_functions(verdict::Exercise& exercise, const std::vector<build::SourceFile>& files) {
    const build::SourceLines own(files);
    std::vector<verdict::FunctionPlace> places;
    for (const auto& [function, place] : build::definitions_of(functions_named_in(exercise, own), files))
        if (auto line = build::source_line(files, place.file, place.line))
            places.push_back({function, std::move(*line)});
    if (!places.empty()) exercise.places = std::move(places);
}

}  // namespace headway::cli
