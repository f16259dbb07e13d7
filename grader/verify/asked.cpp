#include "verify/asked.hpp"

#include "submission/digest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <regex>

namespace headway::cli {
namespace {

/// What one function is asked.
struct Row {
    std::map<std::string, std::size_t> sizes;  ///< "B H T S d": how many questions
    std::size_t masks = 0, misfits = 0;
    bool state = false;
};

/// A function is declared where its name stands before a bracket, and nothing but its type before it.
std::set<std::string> declared_in(const std::string& header) {
    static const std::regex declaration(R"((?:^|\n) *(?:virtual )?[A-Za-z][A-Za-z0-9_:<>]* ([a-z][a-z0-9_]*)\()");
    std::set<std::string> names;
    for (std::sregex_iterator one(header.begin(), header.end(), declaration), end; one != end; ++one)
        names.insert((*one)[1].str());
    return names;
}

/// The tests of a visible test, as its source declares them.
std::vector<std::string> declared_tests(const std::string& source) {
    static const std::regex declaration(R"(TEST\((\w+),\s*(\w+)\))");
    std::vector<std::string> names;
    for (std::sregex_iterator one(source.begin(), source.end(), declaration), end; one != end; ++one)
        names.push_back((*one)[1].str() + "." + (*one)[2].str());
    return names;
}

std::string or_none(std::size_t count) { return count == 0 ? "-" : std::to_string(count); }

}  // namespace

std::string asked_table(const std::string& header, const ExerciseProof& exercise) {
    std::map<std::string, Row> rows;
    for (const std::string& name : declared_in(header)) rows[name];
    for (const Specimen& specimen : exercise.specimens)
        for (const AskedSweep& sweep : specimen.sweeps)
            for (const std::string& name : sweep.functions) {
                const auto found = rows.find(name);
                if (found == rows.end()) continue;
                Row& row = found->second;
                if (sweep.kind == "sizes") row.sizes[sweep.of] += sweep.questions;
                if (sweep.kind == "masks") row.masks += sweep.questions;
                if (sweep.kind == "misfits") row.misfits += sweep.questions;
                if (sweep.kind == "state") row.state = true;
            }
    std::string text = fmt::format("\n{}\n  {:<31} {:>5} {:>7} {:>5}  {}\n", exercise.info->name, "function", "masks",
                                   "misfits", "again", "sizes in every relation (questions)");
    for (const auto& [name, row] : rows) {
        std::vector<std::string> sizes;
        for (const auto& [axes, count] : row.sizes) sizes.push_back(fmt::format("{} ({})", axes, count));
        text += fmt::format("  {:<31} {:>5} {:>7} {:>5}  {}\n", name, or_none(row.masks), or_none(row.misfits),
                            row.state ? "yes" : "-", sizes.empty() ? "-" : fmt::format("{}", fmt::join(sizes, ", ")));
    }
    return text;
}

std::vector<std::string> visible_tests_left_out(const Course& course, const std::string& exercise,
                                                const std::set<std::string>& asked) {
    std::vector<std::string> gaps;
    const std::string source = build::read_file(course.root / "exercises" / exercise / "visible_test.cpp");
    for (const std::string& name : declared_tests(source))
        if (!asked.contains(name))
            gaps.push_back(
                fmt::format("the visible test {} has no twin: see visible.cpp and visible_test.sha256 in "
                            "grader/suites/{}",
                            name, exercise));
    return gaps;
}

}  // namespace headway::cli
