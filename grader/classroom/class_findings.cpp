#include "classroom/class_findings.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <utility>

namespace headway::classroom {
namespace {

using gradebook::Edition;
using gradebook::ExerciseMark;
using gradebook::Gradebook;
using gradebook::Mark;

/// Who handed in a source, and as what; attempts that count only.
struct Owner {
    std::string student;
    std::string entry;
};
using Owners = std::map<std::string, std::map<std::string, std::vector<Owner>>>;  // exercise -> source -> students

std::vector<std::string> students_of(const std::vector<Owner>& owners) {
    std::vector<std::string> students;
    for (const Owner& owner : owners) students.push_back(owner.student);
    return students;
}

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

/// The first of each group, and everybody who is in none. Class.toml names groups; and what is one entry of an export
/// was handed in by all of its students together, as groups do on Gradescope.
std::vector<std::string> parties_of(const std::vector<Owner>& owners, const gradebook::MarkingPolicy& policy) {
    std::set<std::string> parties;
    std::map<std::string, std::string> by_entry;
    for (const Owner& owner : owners) {
        const std::vector<std::string> members = policy.members(owner.student);
        parties.insert(by_entry.try_emplace(owner.entry, *std::ranges::min_element(members)).first->second);
    }
    return {parties.begin(), parties.end()};
}

/// Those of the class, and those of others.
std::vector<Origin> programs_of(const Gradebook& gradebook, const std::string& exercise,
                                const std::map<std::string, std::vector<Owner>>& owners, const Elsewhere& elsewhere,
                                const gradebook::MarkingPolicy& policy) {
    std::vector<Origin> programs;
    for (const auto& [source, theirs] : owners) {
        try {
            programs.push_back(
                {students_of(theirs), "", gradebook.source({exercise, source, ""}).files, parties_of(theirs, policy)});
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
    std::map<std::int64_t, std::string> entries;  // by attempt
    for (const gradebook::Attempt& attempt : gradebook.attempts()) entries[attempt.id] = attempt.entry;
    Owners owners;
    for (const Mark& mark : marks)
        for (const ExerciseMark& one : mark.exercises) {
            findings.exercises[one.exercise];
            if (!one.source.empty()) owners[one.exercise][one.source].push_back({mark.student, entries[one.attempt]});
        }
    for (const auto& [exercise, sources] : owners) {
        for (const auto& [source, theirs] : sources)
            if (const auto graded = gradebook.verdict(source, edition.suites.at(exercise)))
                add_verdict(findings, exercise, graded->exercise, students_of(theirs));
        const auto info = std::ranges::find(course.exercises, exercise, &cli::ExerciseInfo::name);
        if (info == course.exercises.end()) continue;  // the course had it when this class was graded
        const CourseMaterial material = material_of(course, *info);
        std::vector<Origin> programs = programs_of(gradebook, exercise, sources, elsewhere, policy);
        for (Origin& one : take_what_is_too_long(programs, material))
            findings.not_compared.push_back({exercise, std::move(one)});
        std::ranges::move(find_rings(exercise, std::move(programs), material), std::back_inserter(findings.rings));
    }
    std::ranges::stable_sort(findings.rings, std::ranges::greater{}, &RingFinding::students);
    findings.marks = std::move(marks);
    return findings;
}

}  // namespace headway::classroom
