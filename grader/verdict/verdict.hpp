#pragma once

#include "verdict/stage.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The one document that a grading yields; terminal, HTML, JSON and JUnit are renderings of it.
/// Its JSON form is described in grader/verdict/verdict.schema.json.
namespace headway::verdict {

inline constexpr const char* schema_name = "headway-verdict/2";

/// passed: every point. failed: everything is written, something is wrong. partial: some functions are still stubs.
/// not_started: all are. unavailable: the machine or the course is at fault, never the student; no mark is given.
enum class State { not_started, partial, failed, passed, unavailable };

enum class TestState { passed, failed, not_implemented, unavailable };

/// What went wrong in a test.
enum class FailureKind {
    wrong_value,      ///< numbers differ
    wrong_shape,      ///< shape differs
    wrong_behaviour,  ///< a copy where a view is asked, no exception where one is due, ...
    exception,        ///< the submission threw
    crash,            ///< a signal or abort
    exit,             ///< the submission ended its process
    timeout,          ///< CPU or wall clock limit
    memory,           ///< memory limit
    output_flood,     ///< printed more than it may
    sanitizer,        ///< AddressSanitizer or UndefinedBehaviorSanitizer reported
    protocol,         ///< what the worker sent is not an answer
};

/// Whether the program was stopped within a call: there is a line at which it was.
bool ends_the_program(FailureKind kind);

/// A small tensor to show; `values` in row-major order; in JSON what is not finite is "nan", "inf" or "-inf".
struct Numbers {
    std::vector<std::int64_t> shape;
    std::vector<double> values;
};

/// Of the elements that are beyond their tolerance, the one that differs most.
struct Worst {
    std::vector<std::string> axes;  ///< "b", "h", "query", "key"
    std::vector<std::int64_t> coordinate;
    double expected = 0;
    double yours = 0;
    double tolerance = 0;
};

/// The matrix in which the worst element lies: a tensor's last two axes, all others fixed. Of a long one, a part.
struct Window {
    std::vector<std::string> axes;    ///< of the tensor: "b", "h", "query", "key"
    std::vector<std::int64_t> shape;  ///< of the tensor
    std::vector<std::int64_t> first;  ///< the coordinate of the first element shown
    Numbers expected;                 ///< (rows, columns); one row if the tensor has a single axis
    Numbers yours;
    std::vector<std::int64_t> wrong;  ///< which elements differ, counted in row-major order
};

/// Why there was no room left on the stack, as far as a trace tells.
enum class StackUse { unknown, recursion, large_array };

struct SanitizerReport {
    std::string kind;  ///< "heap-buffer-overflow"
    std::string file;  ///< the student's, relative to the exercise folder; empty if unknown
    int line = 0;      ///< 0 if unknown
    std::vector<std::string> first_lines;
    StackUse stack_use = StackUse::unknown;  ///< of a stack-overflow; not written: the failure's message says it
    /// "freed at module.cpp:26", or "made at ...": where in the student's lines that memory was; not written.
    std::string memory_was = {};
};

/// A line of a submission: always one that was handed in, with its text as it was handed in.
struct SourceLine {
    std::string file;  ///< relative to the exercise folder
    int line = 0;
    std::string text;  ///< without the space around it
};

/// What is said of one function.
struct Sentence {
    std::string function;
    std::string message;
};

struct Failure {
    FailureKind kind = FailureKind::wrong_value;
    std::string function;  ///< the student's function that was called
    Stage stage = Stage::none;
    std::string message;             ///< one or two sentences
    std::vector<std::string> story;  ///< what was asked, step by step, with shapes
    std::optional<Worst> worst;
    std::int64_t wrong_elements = 0;
    std::int64_t all_elements = 0;
    std::optional<Numbers> expected;
    std::optional<Numbers> yours;
    std::optional<Window> window;
    std::optional<SanitizerReport> sanitizer;
    /// Where in the student's own files it happened, as the submission's program tells it: no point depends on that.
    std::optional<SourceLine> at;
    /// Where the function that was called got there, if `at` stands in another one.
    std::optional<SourceLine> through;
    std::optional<std::string> pattern;  ///< what the wrong ones among many questions have in common, in a sentence
    std::optional<std::string> advice;   ///< what to change, where a known mistake of handling the library was refused
    /// In a judge's answer alone: wire::Error::frames, which the grading replaces by `at`.
    std::optional<std::vector<std::int64_t>> frames;
    /// In a judge's answer alone: what the message tells of each function, where it tells of calls that should have
    /// been refused. A message holds words of the submission, so nobody can take it apart again.
    std::optional<std::vector<Sentence>> sentences;
};

/// The builds of a submission in which a test failed.
enum class FailedIn { neither, plain, sanitized, both };

/// One hidden test; a property, named as a sentence.
struct Test {
    std::string name;      ///< "ScoresAreDividedBySqrtHeadDim"
    std::string property;  ///< "scores are divided by √head_dim"
    int points = 0;
    int max_points = 0;
    TestState state = TestState::unavailable;
    FailedIn build = FailedIn::neither;  ///< also where it failed and was asked in one build alone
    std::optional<Failure> failure;
    std::string output;  ///< what the submission printed, at most 64 KiB
    bool output_truncated = false;
    double seconds = 0;
    /// Passed: right, given what this function of the student's answers, which is wrong.
    std::optional<std::string> given = {};
    /// With `given`: the function that is right.
    std::optional<std::string> function = {};
    /// With `given`: which decisions of the catalogue, or stages of them, the property states. A mistake in one of
    /// these breaks it.
    std::optional<std::vector<std::string>> states = {};
    /// Failed without having been judged: what this function of the student's answers, which is wrong, shows nothing
    /// of it.
    std::optional<std::string> depends_on = {};
    /// With `given` or `depends_on`: the other functions of the student's that it builds on and that are wrong.
    std::optional<std::vector<std::string>> also_wrong = {};
    /// Worth knowing, whether it passed or failed; nothing here costs a point.
    std::optional<std::vector<std::string>> remarks = {};
    /// In a judge's answer alone: it passed in the sanitized build, where nothing was asked: memory and time are
    /// measured in the other one.
    std::optional<bool> asked_nothing = {};
};

/// Whether it failed because all calls together had taken the time that there is before its own were made: a timeout
/// that is of no function. Only the first such test of an exercise says so in words.
bool was_not_asked(const Test& test);

/// A mistake of the catalogue that explains what the submission answered.
struct NamedMistake {
    std::string id;        ///< "scale_sqrt_model_width"
    std::string title;     ///< "scores are divided by √D, the model width"
    std::string right;     ///< "they should be divided by √head_dim, ..."
    std::string symptom;   ///< why it matters
    std::string decision;  ///< "scale"
    Stage stage = Stage::none;
    std::vector<std::string> functions;      ///< in which it shows, the first one first
    std::vector<std::string> also_known_as;  ///< titles of mistakes that no answer tells from it
    std::string lesson;                      ///< the section that settles it
    std::vector<std::string> hints;          ///< question, lesson, pseudocode
    std::vector<std::string> shipped;        ///< where real software had it
};

enum class FunctionState {
    named,
    follows,   ///< right given the student's own earlier functions
    unjudged,  ///< these give it no values to work on, or wrong ones of which nothing follows for it
    unrecognised
};

/// What is known of one wrong function.
struct FunctionDiagnosis {
    std::string function;
    FunctionState state = FunctionState::unrecognised;
    Stage stage = Stage::none;                ///< the first that goes wrong, if known
    std::vector<std::string> mistakes;        ///< ids
    std::vector<std::string> alternatives;    ///< ids of mistakes that no answer tells from these
    int inputs = 0;                           ///< questions whose answers are all reproduced
    int telling = 0;                          ///< of these, how many a right program answers otherwise; 0: not counted
    double closeness = 0;                     ///< the largest difference from the prediction, in tolerances
    std::optional<std::string> only_where;    ///< "T = S": elsewhere the mistake is not made
    std::vector<std::string> sentences;       ///< what is seen of it: where the difference lies, which invariants fail
    std::optional<int> left_open = {};        ///< questions besides, to which the mistakes allow any answer
    std::optional<std::string> besides = {};  ///< a refusal that tests missed, which its mistakes may explain or not
    /// true: it is right given the student's own earlier functions; its mistakes are theirs.
    std::optional<bool> given_own = {};
    /// Of `mistakes`, those that it has from the student's own earlier functions alone, if it has others too, or if it
    /// cannot be said that it is right given these. Absent: none, or not known.
    std::optional<std::vector<std::string>> inherited = {};
    /// Of memory that is read before anything was written to it: the line of the student's own that makes it, as the
    /// submission's program or its compiler tells it. No point depends on that.
    std::optional<SourceLine> at = {};
    /// In a judge's answer alone: addresses as in Failure::frames, which the grading replaces by `at`.
    std::optional<std::vector<std::int64_t>> frames = {};
};

struct Diagnosis {
    bool complete = false;                 ///< every wrong function is named or follows from one that is
    std::optional<bool> out_of_time = {};  ///< true: its time was up before every function was looked at
    std::vector<NamedMistake> mistakes;
    std::vector<FunctionDiagnosis> functions;
    double seconds = 0;
};

enum class BuildProblem {
    none,
    compile_error,
    missing_definition,  ///< declared in the header, not defined
    wrong_signature,     ///< defined with other parameters
    not_available,       ///< uses what this exercise asks the student to write
    has_main,
    link_error,
    too_long,   ///< over the compile limits
    no_source,  ///< the folder has no .cpp file
};

/// An error or a warning of the compiler's, told at the student's own line.
struct CompilerMessage {
    std::string text;    ///< the compiler's words, without the course's namespaces
    SourceLine at;       ///< for what goes wrong within a template, the line that asked for it
    int column = 0;      ///< in the file's line, counted from 1 in characters; 0 if unknown
    std::string marks;   ///< below `at.text`: ^ where it is, ~ what belongs to it; empty if unknown
    std::string advice;  ///< the course's sentence; empty if it has none
    std::vector<std::string> notes;
};

/// What the diagnosis says of a function that throws where an answer is due. Reports know it by that.
inline constexpr const char* throws_for_some = "it throws where it should answer";
/// How its words begin on where a function throws; and where the build that watches memory shows that it ends
/// otherwise, as a function without a return does.
inline constexpr std::string_view throws_where = "it throws where ", no_answer_where = "it gives no answer where ";

/// How its words on memory end where the end of an axis of a result is never written.
inline constexpr std::string_view end_is_never_written = ": do loops go that far?";

/// The advice where a compiler speaks of a library's code and nothing better is known.
inline constexpr const char* within_a_library =
    "This shows within code of a library that the line asks for: what it is given does not fit.";

struct Compilation {
    BuildProblem problem = BuildProblem::none;
    std::string message;  ///< in words, with the next step
    std::string file;     ///< the student's, relative to the exercise folder
    int line = 0;
    int column = 0;
    std::string diagnostics;  ///< the compiler's own words, capped, paths relative
    double compile_seconds = 0;
    double link_seconds = 0;
    /// Of a compile_error, those that have a line in the student's files. Missing in documents of before 0.2.
    std::optional<std::vector<CompilerMessage>> errors = {};
    /// Of a submission that was built; no point depends on them.
    std::optional<std::vector<CompilerMessage>> warnings = {};
};

struct MissedLine {
    int line = 0;
    std::string text;
};

/// How much of one of the student's files the hidden tests ran.
struct Coverage {
    std::string file;  ///< relative to the exercise folder
    int reached_lines = 0;
    int all_lines = 0;  ///< that hold code
    std::vector<MissedLine> missed;
};

/// Where the student defines a function.
struct FunctionPlace {
    std::string function;
    SourceLine at;
};

struct Exercise {
    std::string number;  ///< "03"
    std::string name;    ///< "03_scaled_scores"
    std::string title;
    State state = State::unavailable;
    int points = 0;
    int max_points = 10;
    std::string digest;   ///< sha256 of the sources, the suite, the toolchain and the seed
    bool reused = false;  ///< nothing changed since an earlier run, whose results these are
    Compilation build;
    std::vector<Test> tests;
    std::optional<Diagnosis> diagnosis;  ///< if some test failed
    std::vector<Coverage> coverage;      ///< empty: not measured
    /// Of the functions that a failed test or the diagnosis names, those that were found in the sources. Missing in
    /// documents of before 0.2.
    std::optional<std::vector<FunctionPlace>> places;
    /// Every run of the submission's code for this result ("compilation", "tests", "coverage", ...) and the jail that
    /// it had: "pool_user", "own_namespace", "none". Missing in documents of before 0.2.
    std::optional<std::map<std::string, std::string>> jails;
    std::string problem;  ///< if unavailable: what is wrong with machine or course, and the next step
    double judge_seconds = 0;
    double seconds = 0;
};

struct Verdict {
    std::string schema = schema_name;
    std::string submission;                        ///< path as given
    std::string digest;                            ///< sha256 of all graded sources
    std::optional<std::uint64_t> seed;             ///< missing where it is secret
    std::map<std::string, std::string> toolchain;  ///< "compiler": "g++ 12.2.0"
    /// "own_memory": "enforced" | "degraded: why" | "weaker: what it does not stop" | "absent: why". "jail" is there,
    /// and says "weaker", if it was the one without namespaces.
    std::map<std::string, std::string> protections;
    std::string started;  ///< ISO 8601, UTC
    double seconds = 0;
    std::vector<Exercise> exercises;
};

nlohmann::json to_json(const Verdict& verdict);
/// @throws std::runtime_error if the document is not of this schema
Verdict from_json(const nlohmann::json& document);

nlohmann::json to_json(const Exercise& exercise);
Exercise exercise_from_json(const nlohmann::json& document);
nlohmann::json to_json(const Diagnosis& diagnosis);
Diagnosis diagnosis_from_json(const nlohmann::json& document);
nlohmann::json to_json(const Test& test);
Test test_from_json(const nlohmann::json& document);

/// The time, as `started` is written.
std::string now();

/// "passed", "not_started", ...
std::string to_string(State state);
std::string to_string(TestState state);
std::string to_string(FailureKind kind);
std::string to_string(BuildProblem problem);
std::string to_string(FailedIn builds);
std::string to_string(FunctionState state);
/// The state of this name. @throws std::runtime_error if there is none
State state_from(const std::string& name);

}  // namespace headway::verdict
