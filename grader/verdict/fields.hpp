#pragma once

#include "verdict/verdict.hpp"

#include <concepts>
#include <type_traits>

/// Every field of the document by name, stated once for writing and for reading.
/// `field` is called as field(name, member); an std::optional member may be missing from a document.
namespace headway::verdict {

template <typename T, typename Plain>
concept MaybeConst = std::same_as<std::remove_const_t<T>, Plain>;

template <MaybeConst<Numbers> T>
void each_field(T& numbers, auto&& field) {
    field("shape", numbers.shape);
    field("values", numbers.values);
}

template <MaybeConst<Worst> T>
void each_field(T& worst, auto&& field) {
    field("axes", worst.axes);
    field("coordinate", worst.coordinate);
    field("expected", worst.expected);
    field("yours", worst.yours);
    field("tolerance", worst.tolerance);
}

template <MaybeConst<Window> T>
void each_field(T& window, auto&& field) {
    field("axes", window.axes);
    field("shape", window.shape);
    field("first", window.first);
    field("expected", window.expected);
    field("yours", window.yours);
    field("wrong", window.wrong);
}

template <MaybeConst<SanitizerReport> T>
void each_field(T& report, auto&& field) {
    field("kind", report.kind);
    field("file", report.file);
    field("line", report.line);
    field("first_lines", report.first_lines);
}

template <MaybeConst<SourceLine> T>
void each_field(T& line, auto&& field) {
    field("file", line.file);
    field("line", line.line);
    field("text", line.text);
}

template <MaybeConst<Sentence> T>
void each_field(T& sentence, auto&& field) {
    field("function", sentence.function);
    field("message", sentence.message);
}

template <MaybeConst<Failure> T>
void each_field(T& failure, auto&& field) {
    field("kind", failure.kind);
    field("function", failure.function);
    field("stage", failure.stage);
    field("message", failure.message);
    field("story", failure.story);
    field("worst", failure.worst);
    field("wrong_elements", failure.wrong_elements);
    field("all_elements", failure.all_elements);
    field("expected", failure.expected);
    field("yours", failure.yours);
    field("window", failure.window);
    field("sanitizer", failure.sanitizer);
    field("pattern", failure.pattern);
    field("at", failure.at);
    field("through", failure.through);
    field("advice", failure.advice);
    field("frames", failure.frames);
    field("sentences", failure.sentences);
}

template <MaybeConst<Test> T>
void each_field(T& test, auto&& field) {
    field("name", test.name);
    field("property", test.property);
    field("points", test.points);
    field("max_points", test.max_points);
    field("state", test.state);
    field("build", test.build);
    field("failure", test.failure);
    field("output", test.output);
    field("output_truncated", test.output_truncated);
    field("given", test.given);
    field("function", test.function);
    field("states", test.states);
    field("depends_on", test.depends_on);
    field("also_wrong", test.also_wrong);
    field("remarks", test.remarks);
    field("asked_nothing", test.asked_nothing);
    field("seconds", test.seconds);
}

template <MaybeConst<NamedMistake> T>
void each_field(T& mistake, auto&& field) {
    field("id", mistake.id);
    field("title", mistake.title);
    field("right", mistake.right);
    field("symptom", mistake.symptom);
    field("decision", mistake.decision);
    field("stage", mistake.stage);
    field("functions", mistake.functions);
    field("also_known_as", mistake.also_known_as);
    field("lesson", mistake.lesson);
    field("hints", mistake.hints);
    field("shipped", mistake.shipped);
}

template <MaybeConst<FunctionDiagnosis> T>
void each_field(T& function, auto&& field) {
    field("function", function.function);
    field("state", function.state);
    field("stage", function.stage);
    field("mistakes", function.mistakes);
    field("alternatives", function.alternatives);
    field("inputs", function.inputs);
    field("left_open", function.left_open);
    field("telling", function.telling);
    field("closeness", function.closeness);
    field("only_where", function.only_where);
    field("sentences", function.sentences);
    field("besides", function.besides);
    field("given_own", function.given_own);
    field("inherited", function.inherited);
    field("at", function.at);
    field("frames", function.frames);
}

template <MaybeConst<Diagnosis> T>
void each_field(T& diagnosis, auto&& field) {
    field("complete", diagnosis.complete);
    field("out_of_time", diagnosis.out_of_time);
    field("mistakes", diagnosis.mistakes);
    field("functions", diagnosis.functions);
    field("seconds", diagnosis.seconds);
}

template <MaybeConst<CompilerMessage> T>
void each_field(T& message, auto&& field) {
    field("text", message.text);
    field("at", message.at);
    field("column", message.column);
    field("marks", message.marks);
    field("advice", message.advice);
    field("notes", message.notes);
}

template <MaybeConst<Compilation> T>
void each_field(T& build, auto&& field) {
    field("problem", build.problem);
    field("message", build.message);
    field("file", build.file);
    field("line", build.line);
    field("column", build.column);
    field("diagnostics", build.diagnostics);
    field("errors", build.errors);
    field("warnings", build.warnings);
    field("compile_seconds", build.compile_seconds);
    field("link_seconds", build.link_seconds);
}

template <MaybeConst<MissedLine> T>
void each_field(T& missed, auto&& field) {
    field("line", missed.line);
    field("text", missed.text);
}

template <MaybeConst<Coverage> T>
void each_field(T& coverage, auto&& field) {
    field("file", coverage.file);
    field("reached_lines", coverage.reached_lines);
    field("all_lines", coverage.all_lines);
    field("missed", coverage.missed);
}

template <MaybeConst<FunctionPlace> T>
void each_field(T& place, auto&& field) {
    field("function", place.function);
    field("at", place.at);
}

template <MaybeConst<Exercise> T>
void each_field(T& exercise, auto&& field) {
    field("number", exercise.number);
    field("name", exercise.name);
    field("title", exercise.title);
    field("state", exercise.state);
    field("points", exercise.points);
    field("max_points", exercise.max_points);
    field("digest", exercise.digest);
    field("reused", exercise.reused);
    field("build", exercise.build);
    field("tests", exercise.tests);
    field("diagnosis", exercise.diagnosis);
    field("coverage", exercise.coverage);
    field("places", exercise.places);
    field("jails", exercise.jails);
    field("problem", exercise.problem);
    field("judge_seconds", exercise.judge_seconds);
    field("seconds", exercise.seconds);
}

template <MaybeConst<Verdict> T>
void each_field(T& verdict, auto&& field) {
    field("schema", verdict.schema);
    field("submission", verdict.submission);
    field("digest", verdict.digest);
    field("seed", verdict.seed);
    field("toolchain", verdict.toolchain);
    field("protections", verdict.protections);
    field("started", verdict.started);
    field("seconds", verdict.seconds);
    field("exercises", verdict.exercises);
}

}  // namespace headway::verdict
