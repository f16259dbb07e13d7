#include "student/sanitizer_report.hpp"

#include "student/what_to_change.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <regex>
#include <sstream>

namespace headway::judge {
namespace {

constexpr std::size_t most_lines = 12;
constexpr std::size_t most_line_bytes = 400;

/// A file of the student's, in its folder; empty if it is another's. Frames in the student's files have relative paths;
/// the course's and the system's are absolute, or lead out of the folder as those of the C library do.
std::string students_file(const std::string& told) {
    const std::string path = std::filesystem::path(told).lexically_normal().generic_string();
    return path.starts_with('/') || path.starts_with("../") || path.starts_with('<') ? "" : path;
}

/// A submission may print what looks like a report, with any number in it.
int line_number(const std::string& digits) { return std::stoi(digits.substr(0, 9)); }

/// A frame of the program that calls the student's: in a trace it leads nowhere.
bool is_frame_of_the_worker(const std::string& line) {
    static const std::regex frame(R"(^\s*#\d+ 0x)");
    return std::regex_search(line, frame) &&
           (line.find("headway::worker::") != std::string::npos || line.find("/grader/worker/") != std::string::npos ||
            line.find("/grader/suites/") != std::string::npos);
}

/// The lines from the first that a sanitizer wrote.
std::vector<std::string> report_lines(const std::string& output) {
    std::vector<std::string> lines;
    std::istringstream stream(output);
    for (std::string line; std::getline(stream, line);) {
        const bool starts = line.find("==ERROR: AddressSanitizer") != std::string::npos ||
                            line.find("runtime error: ") != std::string::npos;
        if (lines.empty() && !starts) continue;
        if (!starts && line.starts_with("====")) continue;
        lines.push_back(line.substr(0, most_line_bytes));
    }
    return lines;
}

/// Endless calls fill all of a trace with a few functions of the student's, or, where nobody looks up names, with a few
/// places, and their beginning is not in it. (One that is inlined in parts stands there twice.)
verdict::StackUse stack_use(const std::vector<std::string>& lines) {
    static const std::regex frame(R"(^\s*#\d+ 0x[0-9a-f]+ in (.*) (\S+?):\d+(?::\d+)?$)");
    static const std::regex place(R"(^\s*#\d+ 0x[0-9a-f]+ .*\((\S+\+0x[0-9a-f]+)\))");
    constexpr int most_of_a_whole_trace = 100;
    std::map<std::string, int> times;
    int frames = 0;
    bool comes_back = false, begins = false, has_names = false;
    std::smatch match;
    for (const std::string& line : lines) {
        begins = begins || is_frame_of_the_worker(line);
        if (begins) continue;
        const bool is_named = std::regex_search(line, match, frame);
        if (!is_named && !std::regex_search(line, match, place)) continue;
        ++frames;
        has_names = has_names || is_named;
        const bool is_students = !is_named || !students_file(match[2]).empty();
        comes_back = (is_students && ++times[match[1]] > 2) || comes_back;
    }
    const bool is_whole = begins || (!has_names && frames < most_of_a_whole_trace);
    if (frames == 0 || is_whole == comes_back) return verdict::StackUse::unknown;
    return comes_back ? verdict::StackUse::recursion : verdict::StackUse::large_array;
}

/// A report has the trace of the use first; others follow, of what was done to that memory before.
enum class TraceOf : std::uint8_t { the_use, freeing, making };

}  // namespace

verdict::SanitizerReport parse_sanitizer_report(const std::string& output) {
    static const std::regex address_error(R"(AddressSanitizer: ([A-Za-z-]+))");
    static const std::regex undefined_error(R"(^(\S+?):(\d+):\d+: runtime error: (.*)$)");
    static const std::regex frame(R"(^\s*#\d+ 0x[0-9a-f]+ in .* (\S+?):(\d+)(:\d+)?$)");

    verdict::SanitizerReport report;
    const std::vector<std::string> lines = report_lines(output);
    std::smatch match;
    std::string made;
    TraceOf trace = TraceOf::the_use;
    for (const std::string& line : lines) {
        if (line.find("freed by thread ") != std::string::npos) trace = TraceOf::freeing;
        if (line.find("allocated by thread ") != std::string::npos) trace = TraceOf::making;
        if (report.kind.empty() && std::regex_search(line, match, address_error)) report.kind = match[1];
        if (report.kind.empty() && std::regex_search(line, match, undefined_error)) {
            report.kind = match[3];
            report.file = students_file(match[1]);
            if (!report.file.empty()) report.line = line_number(match[2]);
        }
        if (!std::regex_search(line, match, frame)) continue;
        const std::string file = students_file(match[1]);
        if (file.empty()) continue;
        const std::string at = file + ":" + std::to_string(line_number(match[2]));
        // What lies behind freed memory, where an index runs out, was never given back itself.
        const bool was_freed = trace == TraceOf::freeing && report.kind.find("buffer-overflow") == std::string::npos;
        if (was_freed && report.memory_was.empty()) report.memory_was = "freed at " + at;
        if (trace == TraceOf::making && made.empty()) made = "made at " + at;
        if (trace != TraceOf::the_use || !report.file.empty()) continue;
        report.file = file;
        report.line = line_number(match[2]);
    }
    // Where the memory was made is told only if the use is not in the student's lines, which say more.
    if (report.memory_was.empty() && report.file.empty()) report.memory_was = made;
    if (report.kind.empty()) report.kind = "a sanitizer report";
    for (const std::string& line : lines)
        if (report.first_lines.size() < most_lines && !is_frame_of_the_worker(line)) report.first_lines.push_back(line);
    if (report.kind == stack_overflow) report.stack_use = stack_use(lines);
    return report;
}

std::string describe(const verdict::SanitizerReport& report, const std::string& function) {
    struct Words {
        const char* kind;
        const char* sentence;
    };
    static constexpr Words known[] = {
        {"heap-buffer-overflow", "reads or writes outside of its memory"},
        {"stack-buffer-overflow", "reads or writes outside of a local array"},
        {"global-buffer-overflow", "reads or writes outside of a global array"},
        {"heap-use-after-free", "uses memory that has been freed"},
        {"stack-use-after-scope", "uses a local variable after the end of its scope"},
        {"stack-use-after-return", "uses a local variable after its function returned"},
        {stack_overflow, "uses up the stack: does it call itself, or is a local array too large for it?"},
        {"SEGV", "touches memory that is not its own"},
        {"FPE", "divides an integer by zero"},
        {"division by zero", "divides by zero"},
        {"container-overflow", "indexes a container beyond its size"},
        {no_return, "can end without returning a value"},
    };
    std::string text = "your " + function + " ";
    const auto* words = std::find_if(std::begin(known), std::end(known),
                                     [&](const Words& candidate) { return report.kind == candidate.kind; });
    if (report.stack_use == verdict::StackUse::recursion)
        text += std::string(recurses) + ": does it call itself, or do two call each other?";
    else if (report.stack_use == verdict::StackUse::large_array)
        text += std::string(too_large_arrays) + ": it calls nothing that calls itself";
    else
        text += words == std::end(known) ? "has undefined behaviour" : words->sentence;
    if (report.kind != no_return) text += " (" + report.kind + ")";
    if (!report.file.empty()) text += " at " + report.file + ":" + std::to_string(report.line);
    if (!report.memory_was.empty()) text += ", which was " + report.memory_was;
    return text;
}

std::optional<std::string> what_to_change(const verdict::SanitizerReport& report, const std::string& function) {
    if (report.kind == "container-overflow")
        return "A std::vector has as many elements as size() says. reserve() makes room and no elements: resize() "
               "does.";
    if (report.kind == "division by zero" || report.kind == "FPE")
        return "What stands behind / or % is 0 there: ask whether it is 0 before that, or look at where it comes from.";
    if (report.kind != no_return) return {};
    const std::string which = report.file.empty() ? function + ", or a function that it calls," : "The function there";
    return which + " ends without a return on some way through it: each way needs one.";
}

}  // namespace headway::judge
