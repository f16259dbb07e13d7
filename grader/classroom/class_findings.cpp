#include "classroom/class_findings.hpp"

#include "submission/digest.hpp"

#include <algorithm>
#include <filesystem>

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
        MistakeFinding& known = findings.mistakes[mistake.id];
        known.exercise = exercise;
        known.title = mistake.title;
        known.lesson = mistake.lesson;
        known.students.insert(students.begin(), students.end());
    }
}

Fingerprints prints_of(const std::vector<build::SourceFile>& files) {
    Fingerprints prints;
    for (const build::SourceFile& file : files) prints.merge(fingerprints_of(tokens_of(file.text)));
    return prints;
}

void add_alike(ClassFindings& findings, const Gradebook& gradebook, const std::string& exercise,
               const std::map<std::string, std::vector<std::string>>& owners, const Fingerprints& given) {
    std::vector<Document> documents;
    for (const auto& [source, students] : owners) {
        try {
            documents.push_back({source, prints_of(gradebook.source({exercise, source, ""}).files)});
        } catch (const std::runtime_error&) {
            continue;  // damaged: the next grading mends it
        }
        const bool says_something =
            std::ranges::any_of(documents.back().prints, [&](std::uint64_t print) { return !given.contains(print); });
        if (students.size() > 1 && says_something) findings.alike.push_back({exercise, students, {}, 1, 0});
    }
    for (const Alike& alike : find_alike(documents, given))
        findings.alike.push_back({exercise, owners.at(documents[alike.a].source), owners.at(documents[alike.b].source),
                                  alike.share, alike.common});
}

}  // namespace

ClassFindings find_out(const Gradebook& gradebook, const Edition& edition, std::vector<Mark> marks,
                       const std::map<std::string, Fingerprints>& starter) {
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
        const auto given = starter.find(exercise);
        add_alike(findings, gradebook, exercise, sources, given == starter.end() ? Fingerprints{} : given->second);
    }
    findings.marks = std::move(marks);
    return findings;
}

std::map<std::string, Fingerprints> starter_code(const cli::Course& course) {
    std::map<std::string, Fingerprints> starter;
    for (const cli::ExerciseInfo& info : course.exercises)
        for (const auto& entry : std::filesystem::directory_iterator(course.folder(info)))
            if (build::is_source(entry.path()))
                starter[info.name].merge(fingerprints_of(tokens_of(build::read_file(entry.path()))));
    return starter;
}

}  // namespace headway::classroom
