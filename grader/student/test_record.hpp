#pragma once

#include "verdict/verdict.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace headway::judge {

/// What is known of one hidden test besides its name: declared beside its body by PROPERTY.
struct Declared {
    int points = 0;
    std::string property;  ///< "scores are divided by √head_dim"
};

/// The stage of attention that a check looks at; `state` is what lasts from one call to the next.
enum class Stage { none, project, split, scores, scale, mask, softmax, dropout, weigh, merge, output, state };
std::string to_string(Stage stage);

/// Ends a test whose failure has been recorded.
struct StopTest {};

/// A check that passed given the student's own answers from other functions, which are wrong themselves: if no other
/// test finds one of these functions wrong, the failure stands.
struct Credit {
    std::vector<std::string> functions;
    verdict::Failure failure;
};

/// What happens in the test that is running: the suites write here, the listener reads.
struct TestRecord {
    std::vector<std::string> story;
    std::string function;  ///< of the student's, called last
    std::optional<verdict::Failure> failure;
    std::string not_implemented;  ///< the function that is still a stub
    std::string unavailable;      ///< why the machine or the course is at fault
    std::string output;
    bool output_truncated = false;
    std::uint64_t answered_bytes = 0;  ///< all answers, with every element written out

    std::vector<Credit> credits;
    std::set<std::string> asked;       ///< functions of the student's that are part of the story
    std::set<std::string> answered;    ///< those that returned something, in an aside too
    std::set<std::string> refused;     ///< those that had to throw, and did
    std::set<std::string> shown;       ///< those that gave a right answer that not every function gives: see shown()
    std::vector<std::string> remarks;  ///< worth knowing, whether it passes or fails
    bool aside = false;                ///< what is asked now is no part of the story
};

TestRecord& current_test();

/// For what is asked only to judge an answer that was given before: it is not told, unless the worker is lost in it.
template <class Ask>
auto aside(Ask ask) {
    struct Guard {
        bool before = std::exchange(current_test().aside, true);
        ~Guard() { current_test().aside = before; }
    };
    const Guard guard;
    return ask();
}

/// Notes that the function called last, or `function`, gave an answer that is right and that no function gives without
/// computing it, or one that is wrong and computed all the same. A test that passes without such an answer (it was only
/// refused what should be, left arguments alone, gave zeros where zeros are due) stands only if one of the functions
/// that it asked gave one elsewhere: see Listener::settled.
void shown();
void shown(const std::string& function);

/// Adds a sentence that is told whether the test passes or fails.
void remark(std::string sentence);

/// Records the failure, with story and function filled in, and ends the test.
[[noreturn]] void fail(verdict::Failure failure);

}  // namespace headway::judge
