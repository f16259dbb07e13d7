#include "grading/where_it_failed.hpp"

#include "submission/function_places.hpp"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <map>
#include <optional>
#include <set>

namespace headway::cli {
namespace {

using verdict::Failure;

/// Of one build: most failures of a function throw at one place.
constexpr std::size_t most_ways = 16;

using Sites = std::map<build::WayToThrow, std::optional<build::ThrowSite>>;

/// All in one run of a tool. Nothing where it cannot be told: a line decides no point.
Sites sites_of(const std::vector<Failure*>& failures, const build::Workspace& workspace, build::Build build) {
    Sites sites;
    for (const Failure* failure : failures)
        if (failure->frames && sites.size() < most_ways) sites[*failure->frames];
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

/// "forward (dropout)" -> "forward"
std::string without_variant(const std::string& function) { return function.substr(0, function.find(" (")); }

std::set<std::string> functions_named_in(const verdict::Exercise& exercise) {
    std::set<std::string> names;
    for (const verdict::Test& test : exercise.tests)
        if (test.state == verdict::TestState::failed && test.failure)
            names.insert(without_variant(test.failure->function));
    if (exercise.diagnosis)
        for (const verdict::NamedMistake& mistake : exercise.diagnosis->mistakes)
            for (const std::string& function : mistake.functions) names.insert(without_variant(function));
    return names;
}

}  // namespace

void find_lines(std::vector<verdict::Test>& tests, const build::Workspace& workspace, build::Build build) {
    std::vector<Failure*> failures;
    for (verdict::Test& test : tests)
        if (test.failure) failures.push_back(&*test.failure);
    const Sites sites = sites_of(failures, workspace, build);
    for (Failure* failure : failures) {
        if (failure->sanitizer)
            failure->at =
                build::source_line(workspace.submission().files, failure->sanitizer->file, failure->sanitizer->line);
        const auto found = failure->frames ? sites.find(*failure->frames) : sites.end();
        failure->frames.reset();
        if (found == sites.end() || !found->second) continue;
        failure->at = found->second->line;
        if (found->second->is_the_throw) failure->advice.reset();  // the words are the student's own
    }
}

void find_functions(verdict::Exercise& exercise, const std::vector<build::SourceFile>& files) {
    std::vector<verdict::FunctionPlace> places;
    for (const std::string& function : functions_named_in(exercise))
        if (const auto place = build::definition_of(function, files))
            if (auto line = build::source_line(files, place->file, place->line))
                places.push_back({function, std::move(*line)});
    if (!places.empty()) exercise.places = std::move(places);
}

}  // namespace headway::cli
