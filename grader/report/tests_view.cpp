#include "report/tests_view.hpp"

#include "report/loud.hpp"
#include "report/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace headway::report {
namespace {

using verdict::Exercise;
using verdict::Failure;
using verdict::Test;
using verdict::TestState;

constexpr std::size_t most_full_failures = 3;
constexpr std::size_t most_output_lines = 10;

using Tests = std::vector<const Test*>;

Tests tests_in(const Exercise& exercise, TestState state) {
    Tests found;
    for (const Test& test : exercise.tests) {
        if (test.state == state && !test.depends_on) found.push_back(&test);
    }
    return found;
}

Tests not_judged_in(const Exercise& exercise) {
    Tests found;
    for (const Test& test : exercise.tests)
        if (test.depends_on) found.push_back(&test);
    return found;
}

std::string points_of(const Tests& tests) {
    int points = 0;
    int max_points = 0;
    for (const Test* test : tests) {
        points += test->points;
        max_points += test->max_points;
    }
    if (max_points == 0) return {};
    return fmt::format("{}{}/{}{}", points, no_break_space, no_break_space, max_points);
}

bool is_frame(std::string_view line) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    const std::size_t number_ends = line.find_first_not_of("0123456789", 1);
    return line.starts_with('#') && number_ends > 1 && number_ends != std::string::npos &&
           line.substr(number_ends).starts_with(" 0x");
}

/// Files of the course, the compiler and the system have absolute paths, or lead out of the student's folder.
bool is_own_frame(std::string_view line) {
    const std::string_view place = line.substr(line.rfind(' ') + 1);
    const std::size_t number = place.rfind(':') + 1;
    return !place.starts_with('/') && !place.starts_with("../") && number > 0 && number < place.size() &&
           place.find_first_not_of("0123456789", number) == std::string::npos;
}

/// Of a function that calls itself, each frame once.
void add_frames(std::vector<std::string>& kept, std::span<const std::string> frames) {
    const auto without_number = [](const std::string& frame) {
        return std::string_view(frame).substr(frame.find(" 0x"));
    };
    for (auto frame = frames.begin(); frame != frames.end();) {
        const auto end = std::find_if(frame, frames.end(), [&](const std::string& later) {
            return without_number(later) != without_number(*frame);
        });
        kept.push_back(*frame);
        if (end - frame > 2)
            kept.push_back(fmt::format("    (the same {} times in a row)", end - frame));
        else
            kept.insert(kept.end(), frame + 1, end);
        frame = end;
    }
}

/// What it printed, its traces without the frames that led to the student's code: these are the grader's.
std::string without_callers(const std::string& output) {
    std::vector<std::string> lines;
    std::istringstream stream(output);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    std::vector<std::string> kept;
    for (auto line = lines.begin(); line != lines.end();) {
        const auto end = std::find_if_not(line, lines.end(), is_frame);
        if (line == end) {
            kept.push_back(*line++);
            continue;
        }
        auto last = end;  // behind the last frame of the student's own
        while (last != line && !is_own_frame(*(last - 1))) --last;
        if (last == line) last = end;
        add_frames(kept, {line, last});
        if (last != end) kept.emplace_back("    (what called that is not in your files)");
        line = end;
    }
    return fmt::format("{}{}", fmt::join(kept, "\n"), output.ends_with('\n') ? "\n" : "");
}

/// The longest part of a test; what another test printed already, and a sanitizer's report of one line, is not shown
/// again.
class Outputs {
public:
    explicit Outputs(Page& page) : page_(page) {}

    void show(const Test& test) {
        const bool verbose = page_.style().verbose;
        std::string output = verbose && !is_reported_already(test) ? test.output : printed_by(test);
        if (output.empty()) return;
        if (verbose && test.failure && test.failure->sanitizer) output = without_callers(output);
        if (!verbose && std::ranges::find(shown_, output) != shown_.end()) {
            page_.line(failure_indent, {{"printed the same as above", Tone::faint}});
            return;
        }
        shown_.push_back(output);
        page_.line(failure_indent, {{"printed:", Tone::faint}});
        page_.quote(failure_indent, output, verbose ? unlimited : most_output_lines,
                    verbose ? Page::LongLines::wrapped : Page::LongLines::cut);
        if (test.output_truncated) {
            page_.line(failure_indent, {{"(it printed more than is kept)", Tone::faint}});
        }
    }

private:
    bool is_reported_already(const Test& test) {
        if (!test.failure || !test.failure->sanitizer) return false;
        const bool is_known =
            std::ranges::any_of(reported_, [&](const Failure* earlier) { return are_alike(*earlier, *test.failure); });
        if (!is_known) reported_.push_back(&*test.failure);
        return is_known;
    }

    Page& page_;
    std::vector<std::string> shown_;
    std::vector<const Failure*> reported_;  ///< by a sanitizer
};

void show_passed(Page& page, const Tests& tests, Outputs& outputs) {
    if (page.style().verbose) {
        for (const Test* test : tests) {
            page.entry(2, {{"✓ ", Tone::good}, {property_of(*test)}}, {points_of({test})});
            outputs.show(*test);
        }
    } else if (!tests.empty()) {
        for (const Test* test : tests) page.entry(2, {{"✓ ", Tone::good}, {property_of(*test)}}, {points_of({test})});
        // Who prints to find a mistake looks for it where a test fails; where it passes it would only be long.
        const auto silent = [](const Test* test) { return test->output.empty(); };
        if (!std::ranges::all_of(tests, silent)) page.note_cut();
    }
}

/// Whether the mistakes that the page begins with are all that is wrong. Then further failures of a function only show
/// the same mistakes again.
bool is_explained(const Exercise& exercise) { return exercise.diagnosis && exercise.diagnosis->complete; }

/// What the page begins with. A sanitizer's report has more to say than fits there.
std::vector<const Failure*> told_first(const Exercise& exercise) {
    std::vector<const Failure*> told;
    if (!exercise.diagnosis) return told;
    for (const verdict::FunctionDiagnosis& function : exercise.diagnosis->functions) {
        if (function.state != verdict::FunctionState::unrecognised) continue;
        const auto loud = loud_failure(exercise, function.function);
        if (loud && !loud->failure->sanitizer) told.push_back(loud->failure);
    }
    return told;
}

/// The first of a kind in full; what is like an earlier one, is explained, or comes after three, in a line or two.
class Failures {
public:
    Failures(Page& page, const Place& place, const Exercise& exercise)
        : page_(page), place_(place), explained_(is_explained(exercise)), shown_(told_first(exercise)) {}

    enum class Detail { full, brief };

    Detail show(const Test& test) {
        if (!test.failure) {
            page_.line(failure_indent, {{"no more is told of it", Tone::faint}});
            return Detail::brief;
        }
        const Failure& failure = *test.failure;
        const bool known =
            std::ranges::any_of(shown_, [&](const Failure* earlier) { return are_alike(*earlier, failure); });
        const bool came_of_it =
            !known && std::ranges::any_of(shown_, [&](const Failure* one) { return may_come_of(*one, failure); });
        const bool follows = explained_ && std::ranges::any_of(shown_, [&](const Failure* earlier) {
                                 return earlier->function == failure.function && earlier->kind == failure.kind;
                             });
        if (page_.style().verbose || (!known && !came_of_it && !follows && shown_.size() < most_full_failures)) {
            if (known && failure.sanitizer) {
                Failure without_report = failure;
                without_report.sanitizer->first_lines.clear();
                show_failure(page_, test, without_report, place_);
            } else {
                show_failure(page_, test, failure, place_);
            }
            shown_.push_back(&failure);
            return Detail::full;
        }
        show_failure_briefly(page_, failure, known ? "as above: " : came_of_it ? std::string(after_no_return) : "");
        return Detail::brief;
    }

private:
    Page& page_;
    const Place& place_;
    bool explained_;
    std::vector<const Failure*> shown_;
};

/// Those that were not asked for want of time, after the first: what is to be said of them is said there.
void show_not_asked(Page& page, const Tests& tests) {
    if (tests.empty()) return;
    std::string properties;
    for (const Test* test : tests) properties += (properties.empty() ? "" : "; ") + property_of(*test);
    page.entry(2, {{"✗ ", Tone::bad}, {"not asked any more: " + properties}}, {points_of(tests)});
}

bool is_told_by_another(const Test& test) { return was_not_asked(test) && test.failure->message.empty(); }

void show_failed(Page& page, Tests tests, Failures failures, Outputs& outputs) {
    Tests not_asked;
    std::ranges::copy_if(tests, std::back_inserter(not_asked),
                         [](const Test* test) { return is_told_by_another(*test); });
    std::erase_if(tests, [](const Test* test) { return is_told_by_another(*test); });
    for (const Test* test : tests) {
        page.entry(2, {{"✗ ", Tone::bad}, {test->property}}, {points_of({test})});
        const auto detail = failures.show(*test);
        outputs.show(*test);
        if (detail == Failures::Detail::full) page.blank();
    }
    show_not_asked(page, not_asked);
}

/// Why is said of what they depend on.
void show_not_judged(Page& page, const Tests& tests, Outputs& outputs) {
    for (const Test* test : tests) {
        page.entry(2, {{"? ", Tone::waiting}, {property_of(*test)}}, {points_of({test})});
        if (!page.style().verbose) continue;
        if (test->failure) page.paragraphs({.indent = failure_indent}, message_of(*test->failure));
        outputs.show(*test);
    }
}

/// Functions that are stubs in one line, each that is none by itself.
void show_not_written(Page& page, const Tests& tests) {
    std::vector<std::string> told;
    Tests stubs;
    for (const Test* test : tests) {
        if (!test->failure || !test->failure->at) {
            stubs.push_back(test);
            continue;
        }
        std::string words = unwritten(*test);
        if (std::ranges::count(told, words) > 0) continue;
        const auto is_of_it = [&](const Test* other) { return unwritten(*other) == words; };
        Tests of_it;
        std::ranges::copy_if(tests, std::back_inserter(of_it), is_of_it);
        page.entry(2, {{"○ ", Tone::waiting}, {words}}, {points_of(of_it)});
        told.push_back(std::move(words));
    }
    std::vector<std::string> functions;
    for (const Test* test : stubs) {
        const std::string name = test->failure ? test->failure->function : "";
        if (!name.empty() && std::ranges::count(functions, name) == 0) functions.push_back(name);
    }
    const std::string what =
        functions.empty() ? std::string("what these properties need") : fmt::format("{}", fmt::join(functions, ", "));
    if (!stubs.empty()) page.entry(2, {{"○ ", Tone::waiting}, {"not written yet: " + what}}, {points_of(stubs)});
    if (!page.style().verbose) return;
    for (const Test* test : tests) page.paragraph({.indent = 4, .hanging = 2}, {{test->property, Tone::faint}});
}

void show_unavailable(Page& page, const Tests& tests) {
    for (const Test* test : tests) {
        page.entry(2, {{"? ", Tone::waiting}, {test->property + ": could not be tested"}}, {points_of({test})});
        if (test->failure) page.paragraphs({.indent = failure_indent, .most_lines = 4}, test->failure->message);
    }
}

}  // namespace

void show_remarks(Page& page, const Exercise& exercise) {
    for (const Test& test : exercise.tests) {
        if (!test.remarks) continue;
        for (const std::string& remark : *test.remarks)
            page.paragraph({.indent = 2, .hanging = 2}, {{"· ", Tone::faint}, {remark}});
    }
}

void show_tests(Page& page, const Exercise& exercise, const Place& place) {
    Outputs outputs(page);
    show_passed(page, tests_in(exercise, TestState::passed), outputs);
    show_failed(page, tests_in(exercise, TestState::failed), {page, place, exercise}, outputs);
    show_not_judged(page, not_judged_in(exercise), outputs);
    show_unavailable(page, tests_in(exercise, TestState::unavailable));
    show_not_written(page, tests_in(exercise, TestState::not_implemented));
    show_remarks(page, exercise);
}

}  // namespace headway::report
