// A submission may print what looks like a sanitizer's report.
#include "text_in.hpp"

#include "student/sanitizer_report.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace headway;
    const auto report = judge::parse_sanitizer_report(std::string(fuzz::as_text(data, size)));
    fuzz::require(!report.kind.empty() && report.line >= 0);
    fuzz::require(report.first_lines.size() <= 12);
    for (const std::string& line : report.first_lines) fuzz::require(line.size() <= 400);
    // Only the student's own files are named.
    fuzz::require(report.file.empty() || report.file.front() != '/');
    judge::describe(report, "split_heads");
    return 0;
}
