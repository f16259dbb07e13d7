#include "classroom/class_findings.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

namespace headway::classroom {
namespace {

using gradebook::Edition;
using gradebook::ExerciseMark;
using gradebook::Gradebook;
using gradebook::Mark;

/// Who handed in a source; attempts that count only.
using Owners =
    std::map<std::string, std::map<std::string, std::vector<std::string>>>;  // exercise -> source -> students

void add_verdict(ClassFindings& findings, const std::string& exercise, const verdict::Exercise& verdict,
                 const std::vector<std::string>& students) {
    ExerciseFinding& finding = findings.exercises[exercise];
    finding.graded += students.size();
    finding.points += verdict.points * static_cast<double>(students.size());
    finding.states[to_string(verdict.state)] += students.size();
    for (const verdict::Test& test : verdict.tests) {
        auto known = std::ranges::find(finding.properties, test.property, &PropertyFinding::property);
        if (known == finding.properties.end())
            known = finding.properties.insert(known, PropertyFinding{test.property, 0, 0});
        known->asked += students.size();
        if (test.state == verdict::TestState::passed) known->passed += students.size();
    }
    if (!verdict.diagnosis) return;
    for (const verdict::NamedMistake& mistake : verdict.diagnosis->mistakes) {
        MistakeFinding& known = findings.mistakes[{exercise, mistake.id}];
        known.exercise = exercise;
        known.title = mistake.title;
        known.lesson = mistake.lesson;
        known.students.insert(students.begin(), students.end());
    }
}

/// The first of each group, and everybody who is in none.
std::vector<std::string> parties_of(const std::vector<std::string>& students, const gradebook::MarkingPolicy& policy) {
    std::set<std::string> parties;
    for (const std::string& student : students) {
        const std::vector<std::string> members = policy.members(student);
        parties.insert(*std::ranges::min_element(members));
    }
    return {parties.begin(), parties.end()};
}

/// Those of the class, and those of others.
std::vector<Origin> programs_of(const Gradebook& gradebook, const std::string& exercise,
                                const std::map<std::string, std::vector<std::string>>& owners,
                                const Elsewhere& elsewhere, const gradebook::MarkingPolicy& policy) {
    std::vector<Origin> programs;
    for (const auto& [source, students] : owners) {
        try {
            programs.push_back(
                {students, "", gradebook.source({exercise, source, ""}).files, parties_of(students, policy)});
        } catch (const std::runtime_error&) {
            continue;  // damaged: the next grading mends it
        }
    }
    if (const auto others = elsewhere.programs.find(exercise); others != elsewhere.programs.end())
        programs.insert(programs.end(), others->second.begin(), others->second.end());
    return programs;
}

}  // namespace

ClassFindings find_out(const Gradebook& gradebook, const Edition& edition, std::vector<Mark> marks,
                       const cli::Course& course, const Elsewhere& elsewhere, const gradebook::MarkingPolicy& policy) {
    ClassFindings findings;
    Owners owners;
    for (const Mark& mark : marks)
        for (const ExerciseMark& one : mark.exercises) {
            findings.exercises[one.exercise];
            if (!one.source.empty()) owners[one.exercise][one.source].push_back(mark.student);
        }
    for (const auto& [exercise, sources] : owners) {
        for (const auto& [source, students] : sources)
            if (const auto graded = gradebook.verdict(source, edition.suites.at(exercise)))
                add_verdict(findings, exercise, graded->exercise, students);
        const auto info = std::ranges::find(course.exercises, exercise, &cli::ExerciseInfo::name);
        if (info == course.exercises.end()) continue;  // the course had it when this class was graded
        std::ranges::move(find_rings(exercise, programs_of(gradebook, exercise, sources, elsewhere, policy),
                                     material_of(course, *info)),
                          std::back_inserter(findings.rings));
    }
    std::ranges::stable_sort(findings.rings, std::ranges::greater{}, &RingFinding::students);
    findings.marks = std::move(marks);
    return findings;
}

}  // namespace headway::classroom
