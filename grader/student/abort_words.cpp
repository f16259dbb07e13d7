#include "student/abort_words.hpp"

#include <algorithm>
#include <array>

namespace headway::judge {
namespace {

/// A longer line is no message of the C library's.
constexpr std::size_t longest = 200;

std::string_view last_line(std::string_view printed) {
    constexpr std::string_view ends = "\r\n";
    printed = printed.substr(0, printed.find_last_not_of(ends) + 1);
    return printed.substr(printed.find_last_of(ends) + 1);  // npos + 1 = 0
}

/// What glibc's malloc prints when it finds that its own records were overwritten.
bool is_of_a_damaged_heap(std::string_view line) {
    constexpr std::array<std::string_view, 8> beginnings = {"double free or corruption",
                                                            "free(): ",
                                                            "malloc(): ",
                                                            "realloc(): ",
                                                            "munmap_chunk(): ",
                                                            "malloc_consolidate(): ",
                                                            "corrupted size vs. ",
                                                            "corrupted double-linked list"};
    return std::ranges::any_of(beginnings, [&](std::string_view one) { return line.starts_with(one); });
}

}  // namespace

std::string abort_words(std::string_view printed) {
    const std::string_view line = last_line(printed);
    if (line.size() > longest) return "aborted: SIGABRT";
    std::string said = "aborted: SIGABRT, after it printed \"" + std::string(line) + "\"";
    if (is_of_a_damaged_heap(line))
        return said + " (memory was freed twice, or something wrote where it must not, maybe earlier than here)";
    if (line.starts_with("*** stack smashing detected"))
        return said + " (something wrote past the end of a local array)";
    if (line.find("Assertion ") != std::string::npos && line.ends_with(" failed.")) return said;
    if (line == "terminate called without an active exception") return said + " (a std::thread that nobody joined?)";
    return "aborted: SIGABRT (std::abort, a failed assertion, or a thread that nobody joined)";
}

}  // namespace headway::judge
