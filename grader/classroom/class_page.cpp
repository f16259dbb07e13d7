#include "classroom/class_page.hpp"

#include "classroom/csv.hpp"
#include "classroom/exports.hpp"
#include "classroom/html.hpp"
#include "intake/student_id.hpp"
#include "report/exercise_view.hpp"
#include "terminal/page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace headway::classroom {
namespace {

using gradebook::Mark;
using report::counted;
using Cell = Html::Cell;

constexpr std::size_t most_pairs = 20;

Cell number(std::size_t value) { return {std::to_string(value), "", true}; }
Cell number(double value) { return {fmt::format("{:.1f}", value), "", true}; }
/// As in every export; in brackets what is not in the total.
Cell points_cell(double value, bool is_dropped = false) {
    return {is_dropped ? "(" + two_decimals(value) + ")" : two_decimals(value), "", true};
}
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
            fmt::format("{} without a mark yet: something is not graded, could not be read, or came at a time that is "
                        "not known. ./headway class export csv says what.",
                        counted(incomplete, "student")));
}

std::string state_in_words(const std::string& state) {
    verdict::Exercise exercise;
    exercise.state = verdict::state_from(state);
    return report::state_in_words(exercise).text;
}

void show_exercises(Html& page, const ClassFindings& findings) {
    std::vector<std::vector<Cell>> rows;
    for (const auto& [name, finding] : findings.exercises) {
        std::vector<std::string> states;
        for (const auto& [state, count] : finding.states)
            states.push_back(fmt::format("{} {}", count, state_in_words(state)));
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
    page.heading("Properties").table({"exercise", "property", "holds, %", "fails for"}, rows);
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
    page.paragraph(
        "As the diagnosis names them. People who share one can be helped together: the last column is the group.");
    page.table({"exercise", "misconception", "students", "%", "lesson", "who"}, rows);
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

std::vector<Cell> student_row(const Mark& mark, const Roster& roster) {
    std::vector<Cell> row = {student(mark.student)};
    if (!roster.empty()) {
        const Enrolled* person = roster.find(mark.student);
        row.push_back({person == nullptr ? "(not in the roster)" : person->name});
        row.push_back({person == nullptr ? "" : person->section});
    }
    row.push_back(mark.complete ? points_cell(mark.points) : Cell{"-", "", true});
    for (const gradebook::ExerciseMark& one : mark.exercises) {
        const bool is_decided = one.set_to || (!one.open && one.points > 0);  // nothing handed in, and points by hand
        row.push_back(one.standing == gradebook::Standing::graded || is_decided
                          ? points_cell(one.points, one.is_dropped)
                          : Cell{to_string(one.standing), "", true});
    }
    return row;
}

void show_students(Html& page, const std::vector<Mark>& marks, const Roster& roster) {
    std::vector<std::string> headings = {"student"};
    if (!roster.empty()) headings.insert(headings.end(), {"name", "section"});
    headings.emplace_back("points");
    if (!marks.empty())
        for (const gradebook::ExerciseMark& one : marks.front().exercises)
            headings.push_back(one.exercise.substr(0, 2));
    std::vector<std::vector<Cell>> rows;
    for (const Mark& mark : marks) rows.push_back(student_row(mark, roster));
    page.heading("Students").table(headings, rows);
}

std::string similarity_line(const ClassFindings& findings) {
    const std::size_t too_long = findings.not_compared.size();
    const std::string others =
        too_long == 0 ? "" : fmt::format("; not compared, too long: {}", report::counted(too_long, "program"));
    if (findings.rings.empty()) return "Hand-ins that are alike: none" + others;
    return fmt::format("Hand-ins that are alike: {}, the largest of {}{}",
                       report::counted(findings.rings.size(), "group"),
                       report::counted(findings.rings.front().students(), "student"), others);
}

/// Who is in the class and has handed in nothing, and who has and is not.
void show_roster(Html& page, const std::vector<Mark>& marks, const Roster& roster) {
    std::vector<std::vector<Cell>> absent;
    std::vector<std::vector<Cell>> guests;
    for (const Mark& mark : marks) {
        const Enrolled* person = roster.find(mark.student);
        if (person == nullptr) guests.push_back({student(mark.student)});
        if (person != nullptr && handed_in_nothing(mark))
            absent.push_back({student(mark.student), {person->name}, {person->section}});
    }
    page.heading("Nothing handed in");
    if (absent.empty()) page.paragraph("Everybody in the roster has handed in something that counts.");
    if (!absent.empty()) page.paragraph(counted(absent.size(), "student") + ", of whose work nothing counts yet.");
    if (!absent.empty()) page.table({"student", "name", "section"}, absent);
    if (guests.empty()) return;
    page.heading("Not in the roster");
    page.paragraph("Hand-ins under ids that the roster does not have: guests, or a mistyped id.");
    page.table({"student"}, guests);
}

std::string introduction(const ClassFindings& findings, const Roster& roster) {
    const std::string count = counted(findings.marks.size(), "student");
    if (!roster.empty()) return count + ", with names from the roster: this page is not for the class.";
    return count + ", by the ids that their hand-ins came with: where folders were called by names, these are names.";
}

}  // namespace

std::string class_page(const ClassFindings& findings, const Roster& roster) {
    Html page("The class");
    page.paragraph(introduction(findings, roster));
    show_distribution(page, findings.marks);
    show_lessons(page, findings);
    show_mistakes(page, findings);
    show_pairs(page, findings);
    show_exercises(page, findings);
    page.heading("Similarity").link("similarity.html", similarity_line(findings));
    show_students(page, findings.marks, roster);
    if (!roster.empty()) show_roster(page, findings.marks, roster);
    return page.take();
}

}  // namespace headway::classroom
