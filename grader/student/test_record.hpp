#pragma once

#include "verdict/verdict.hpp"
#include "wire/value.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace headway::judge {

using verdict::Stage;

class Student;

/// What is thrown to end a test.
struct StopTest {
    std::optional<verdict::Failure> failure = {};  ///< nothing where the test's record already says why
    bool says_it_of_last_call = false;             ///< the message completes "your split_heads ..."
};

/// A check that passed only because the answer follows from the student's own answers from other functions, which are
/// wrong. If no other test finds one of these functions wrong, the failure counts.
struct Credit {
    std::vector<std::string> functions;
    verdict::Failure failure;
};

/// How many arrays of numbers were compared, and how many of them so loosely that hardly any answer could be wrong.
struct Comparisons {
    std::size_t all = 0, blind = 0;
};

/// Questions that were generated and asked in turn, of some functions: with sizes in every relation, with masks of
/// every form, with shapes that do not fit, or once more after other calls.
struct Sweep {
    std::string kind;  ///< "sizes", "masks", "misfits" or "state"
    std::string of;    ///< what stands in every relation: "B H T S d"
    std::size_t questions = 0;
    std::set<std::string> functions;
};

/// A call that does not fit, and was answered all the same or threw an exception of another type: it fails the test.
/// What else is not refused is asked before that, so that all missing checks are told in one grading.
struct LetThrough {
    std::string function;
    std::string because;       ///< "D = 7 is not divisible by 3 heads"
    std::string kind;          ///< of those that one check would refuse, the first is told
    verdict::Failure failure;  ///< with the story up to here
    bool threw = false;        ///< an exception of another type
};

/// The objects of a call in a story: what it made, and what it was given, by the names of its arguments.
struct ObjectsOfCall {
    std::optional<std::uint64_t> made = {};
    std::vector<std::pair<std::string, std::uint64_t>> given = {};
};

/// What happens in a test. Each Student keeps one: its calls and the expectations write in it, and the code that runs
/// the test reads it and starts a new one.
struct TestRecord {
    std::vector<std::string> story;
    std::vector<ObjectsOfCall> objects;  ///< of the calls in the story
    std::string function;                ///< of the student's, called last
    std::optional<verdict::Failure> failure;
    std::string not_implemented;  ///< the function that is still a stub
    std::string unavailable;      ///< why the machine or the course is at fault
    bool in_doubt = false;        ///< a worker ended as if something outside had ended it: asked again, it may not
    std::string output;
    bool output_truncated = false;
    std::uint64_t answered_bytes = 0;  ///< all answers, with every element written out

    std::vector<Credit> credits;
    /// It failed, and if one of these functions is wrong, what they answer leaves nothing to judge.
    std::vector<std::string> waits_for;
    std::set<std::string> asked;       ///< functions of the student's that are part of the story
    std::set<std::string> answered;    ///< those that returned something, outside the story too
    std::set<std::string> refused;     ///< those that had to throw, and did
    std::set<std::string> shown;       ///< those that gave a right answer that not every function gives: see shown()
    std::vector<std::string> remarks;  ///< worth knowing, whether it passes or fails
    bool outside_story = false;        ///< calls that are made now are not added to it
    Comparisons comparisons;
    std::vector<Sweep> sweeps;  ///< no part of a verdict: `verify --asked` shows them
    std::vector<LetThrough> let_through;
    std::string besides;        ///< what else was found wrong, to be told beside what was let through
    bool has_computed = false;  ///< what is asked now has given right answers in this test: see ask_in_turn()

    void add_to_story(std::string call, const std::vector<wire::Field>& arguments);
    /// The story; where several modules or caches were made in it, each with its number: "forward(module 2, ...)".
    std::vector<std::string> numbered_story() const;
    /// Takes over the failure that stopped the test, if there is one, with the story up to here. Of words without end
    /// it takes the beginning.
    /// What was let through before is told in its place: what came later may follow from that.
    void stopped_by(const StopTest& stop);
    /// With the function, and words that can be shown.
    verdict::Failure completed(const StopTest& stop) const;
};

/// What is told of the calls that were let through, of which there is one: all that the first function does not refuse,
/// and then the others', which `sentences` has one by one.
///     "B and H must be at least 1: your f should throw std::invalid_argument, but it answered; also let through: ..."
verdict::Failure in_one(const std::vector<LetThrough>& all);

/// Notes that the function called last, or `function`, shows that it computes: its answer is right and cannot be had
/// without computing, or it is wrong but computed. A test may pass without such an answer, if the functions only refuse
/// what they should, leave arguments alone, or give zeros where zeros are right. It then counts only if one of these
/// functions shows in another test that it computes: see Listener::settled.
void shown(Student& student);
void shown(Student& student, const std::string& function);

/// Adds a sentence to the verdict, whether the test passes or fails.
void remark(Student& student, std::string sentence);
/// That what memory `function` takes is not known (Student::Measured), which must not go unsaid.
void remark_unmeasured_memory(Student& student, const std::string& function);

/// Notes in the record a sweep of `functions`, and of those that answer as long as this lives.
class SweepInTurn {
public:
    SweepInTurn(Student& student, std::string kind, std::string of, std::size_t questions,
                std::set<std::string> functions = {});
    ~SweepInTurn();
    SweepInTurn(const SweepInTurn&) = delete;
    SweepInTurn& operator=(const SweepInTurn&) = delete;

private:
    TestRecord& record_;
    Sweep sweep_;
    std::set<std::string> answered_before_;
};

/// Ends the test with this failure; its record adds the story, and the function if that is empty.
[[noreturn]] void fail(verdict::Failure failure);

}  // namespace headway::judge
