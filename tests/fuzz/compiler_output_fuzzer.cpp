// Whatever compiler, linker and nm print, it becomes a problem in words. A submission writes much of that itself, by
// #error, by names of symbols and by files that are no C++.
#include "text_in.hpp"

#include "build/defined_functions.hpp"
#include "build/diagnostics.hpp"
#include "build/own_messages.hpp"
#include "build/source_lines.hpp"

#include <csignal>

namespace {

using namespace headway;

const build::NamesForStudent names{"03_scaled_scores", "exercises/03_scaled_scores", "/course/", "/desk/"};
const std::vector<build::SourceFile> files{
    {"scaled_scores.cpp", "#include <x>\n\tint √ = y;\n\n    return x[1] = 2;\n"}, {"a.hpp", "int f()\r\n"}};

void check(const verdict::Compilation& build) {
    fuzz::require(build.problem != verdict::BuildProblem::none);
    fuzz::require(!build.message.empty());
    fuzz::require(build.line >= 0 && build.column >= 0);
}

/// Each is told at a line that was handed in, and marks stand below that.
void check_messages(const std::optional<std::vector<verdict::CompilerMessage>>& messages) {
    if (!messages) return;
    fuzz::require(messages->size() <= 20);
    for (const verdict::CompilerMessage& one : *messages) {
        const auto line = build::source_line(files, one.at.file, one.at.line);
        fuzz::require(line && line->text == one.at.text);
        fuzz::require(one.marks.size() <= one.at.text.size() + 1);
        fuzz::require(one.marks.find_first_not_of(" ~^") == std::string::npos);
        fuzz::require(one.column >= 0 && one.notes.size() <= 4);
    }
}

}  // namespace

/// The first byte says how the tool ended; a zero byte parts what the linker prints from what nm prints.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view text = fuzz::as_text(data + 1, size - 1);
    sandbox::Finished finished;
    finished.output = text;
    finished.ended.exit_code = 1;
    finished.timed_out = (data[0] & 2U) != 0;
    finished.out_of_memory = (data[0] & 4U) != 0;
    if ((data[0] & 8U) != 0) finished.ended = {0, SIGXCPU};
    if ((data[0] & 1U) == 0) {
        const verdict::Compilation build = build::explain_compile(finished, "scaled_scores.cpp", names, files);
        check(build);
        check_messages(build.errors);
        check_messages(build::own_messages(build::Severity::warning, finished.output, files, names));
        return 0;
    }
    const std::size_t end = text.find('\0');
    finished.output = text.substr(0, end);
    const std::string listed(end == text.npos ? "" : text.substr(end + 1));
    build::library_functions_listed(listed);
    check(build::explain_link(finished, build::functions_listed(listed), names, {}));
    return 0;
}
