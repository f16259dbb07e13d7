#include "classroom/class_page.hpp"

#include "classroom/exports.hpp"
#include "classroom/html.hpp"
#include "intake/student_id.hpp"
#include "terminal/page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace headway::classroom {
namespace {

using gradebook::Mark;
using Cell = Html::Cell;

constexpr std::size_t most_pairs = 20;

Cell number(std::size_t value) { return {std::to_string(value), "", true}; }
Cell number(double value) { return {fmt::format("{:.1f}", value), "", true}; }
/// Who has no usable id has a row, and no page.
Cell student(const std::string& id) {
    return {id, intake::is_usable_id(id) ? "students/" + id + ".html" : std::string()};
}

double share(std::size_t part, std::size_t all) {
    return all == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(all);
}

void show_distribution(Html& page, const std::vector<Mark>& marks) {
    std::array<std::size_t, 10> counts{};
    std::size_t incomplete = 0;
    for (const Mark& mark : marks) {
        if (!mark.complete) ++incomplete;
        if (!mark.complete || mark.max_points <= 0) continue;
        const double tenth = std::clamp(10 * mark.points / mark.max_points, 0.0, 9.0);
        ++counts[static_cast<std::size_t>(tenth)];
    }
    std::vector<Html::Bar> bars;
    for (std::size_t i = 0; i < counts.size(); ++i) bars.push_back({fmt::format("{} %", i * 10), counts[i]});
    page.heading("Marks").bars("How many students reached which share of the points", bars);
    if (incomplete > 0)
        page.paragraph(
            fmt::format("{} without a mark yet: something of theirs is not graded, could not be read, or came at a "
                        "time that is not known.",
                        incomplete));
}

void show_exercises(Html& page, const ClassFindings& findings) {
    std::vector<std::vector<Cell>> rows;
    for (const auto& [name, finding] : findings.exercises) {
        std::vector<std::string> states;
        for (const auto& [state, count] : finding.states) states.push_back(fmt::format("{} {}", count, state));
        const double mean = finding.graded == 0 ? 0 : finding.points / static_cast<double>(finding.graded);
        rows.push_back({{name}, number(finding.graded), number(mean), {fmt::format("{}", fmt::join(states, ", "))}});
    }
    page.heading("Exercises").table({"exercise", "graded", "mean points", "states"}, rows);
    rows.clear();
    for (const auto& [name, finding] : findings.exercises)
        for (const PropertyFinding& one : finding.properties)
            rows.push_back({{name.substr(0, 2)},
                            {one.property},
                            number(share(one.passed, one.asked)),
                            number(one.asked - one.passed)});
    page.heading("Properties").table({"", "property", "hold, %", "do not"}, rows);
}

std::vector<const MistakeFinding*> by_frequency(const ClassFindings& findings) {
    std::vector<const MistakeFinding*> mistakes;
    for (const auto& [key, mistake] : findings.mistakes) mistakes.push_back(&mistake);
    std::ranges::stable_sort(mistakes, std::ranges::greater{},
                             [](const MistakeFinding* mistake) { return mistake->students.size(); });
    return mistakes;
}

void show_mistakes(Html& page, const ClassFindings& findings) {
    std::vector<std::vector<Cell>> rows;
    for (const MistakeFinding* mistake : by_frequency(findings))
        rows.push_back({{mistake->exercise.substr(0, 2)},
                        {mistake->title},
                        number(mistake->students.size()),
                        number(share(mistake->students.size(), findings.marks.size())),
                        {mistake->lesson},
                        {fmt::format("{}", fmt::join(mistake->students, " "))}});
    page.heading("Misconceptions");
    page.paragraph("As the diagnosis names them. Who shares one can be helped together: the last column is the group.");
    page.table({"", "misconception", "students", "%", "lesson", "who"}, rows);
}

void show_lessons(Html& page, const ClassFindings& findings) {
    std::map<std::string, std::set<std::string>> by_lesson;
    for (const auto& [key, mistake] : findings.mistakes)
        if (!mistake.lesson.empty()) by_lesson[mistake.lesson].insert(mistake.students.begin(), mistake.students.end());
    std::vector<std::pair<std::size_t, std::string>> order;
    for (const auto& [lesson, students] : by_lesson) order.emplace_back(students.size(), lesson);
    std::ranges::sort(order, std::ranges::greater{});
    std::vector<std::vector<Cell>> rows;
    for (const auto& [count, lesson] : order) rows.push_back({{lesson}, number(count)});
    page.heading("Which lesson to revisit").table({"lesson", "students it would help"}, rows);
}

/// "03: scores are not scaled": the same mistake may be made in several exercises.
std::string titled(const MistakeFinding& mistake) { return mistake.exercise.substr(0, 2) + ": " + mistake.title; }

void show_pairs(Html& page, const ClassFindings& findings) {
    const std::vector<const MistakeFinding*> mistakes = by_frequency(findings);
    std::vector<std::pair<std::size_t, std::pair<const MistakeFinding*, const MistakeFinding*>>> pairs;
    for (std::size_t a = 0; a < mistakes.size(); ++a)
        for (std::size_t b = a + 1; b < mistakes.size(); ++b) {
            const auto both = static_cast<std::size_t>(std::ranges::count_if(
                mistakes[a]->students, [&](const std::string& id) { return mistakes[b]->students.contains(id); }));
            if (both > 1) pairs.push_back({both, {mistakes[a], mistakes[b]}});
        }
    std::ranges::stable_sort(pairs, std::ranges::greater{}, [](const auto& pair) { return pair.first; });
    if (pairs.size() > most_pairs) pairs.resize(most_pairs);
    std::vector<std::vector<Cell>> rows;
    const auto all = static_cast<double>(std::max<std::size_t>(1, findings.marks.size()));
    for (const auto& [both, pair] : pairs) {
        const double by_chance =
            static_cast<double>(pair.first->students.size()) * static_cast<double>(pair.second->students.size()) / all;
        rows.push_back({{titled(*pair.first)}, {titled(*pair.second)}, number(both), number(by_chance)});
    }
    page.heading("What goes together");
    if (rows.empty()) page.paragraph("No two misconceptions have more than one student in common.");
    if (!rows.empty()) page.table({"misconception", "and", "students", "by chance"}, rows);
}

void show_students(Html& page, const std::vector<Mark>& marks) {
    std::vector<std::vector<Cell>> rows;
    std::vector<std::string> headings = {"student", "points"};
    for (const Mark& mark : marks) {
        std::vector<Cell> row = {student(mark.student), mark.complete ? number(mark.points) : Cell{"-", "", true}};
        for (const gradebook::ExerciseMark& one : mark.exercises) {
            if (rows.empty()) headings.push_back(one.exercise.substr(0, 2));
            const bool has_points = one.standing == gradebook::Standing::graded || one.set_to;
            row.push_back(has_points ? number(one.points) : Cell{to_string(one.standing), "", true});
        }
        rows.push_back(std::move(row));
    }
    page.heading("Students").table(headings, rows);
}

std::string similarity_line(const ClassFindings& findings) {
    if (findings.rings.empty()) return "Hand-ins that are alike: none";
    return fmt::format("Hand-ins that are alike: {}, the largest of {}",
                       report::counted(findings.rings.size(), "group"),
                       report::counted(findings.rings.front().students(), "student"));
}

}  // namespace

std::string class_page(const ClassFindings& findings) {
    Html page("The class");
    page.paragraph(fmt::format("{} students. Ids only: what is here names nobody.", findings.marks.size()));
    show_distribution(page, findings.marks);
    show_lessons(page, findings);
    show_mistakes(page, findings);
    show_pairs(page, findings);
    show_exercises(page, findings);
    page.heading("Similarity").link("similarity.html", similarity_line(findings));
    show_students(page, findings.marks);
    return page.take();
}

}  // namespace headway::classroom
