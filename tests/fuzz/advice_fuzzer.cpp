// A source, and what compiler, linker and addr2line say of it: whoever reads these for advice, in the grader's own
// process, ends soon, and tells only of what was handed in. Here the source is the submission's, too, as in life.
#include "text_in.hpp"

#include "build/diagnostics.hpp"
#include "build/idle_statements.hpp"
#include "build/own_messages.hpp"
#include "build/source_lines.hpp"
#include "build/unchecked.hpp"

#include <algorithm>

namespace {

using namespace headway;

const build::NamesForStudent names{"05_module", "exercises/05_module", "/course/", "/desk/"};

/// What stands before the next zero byte, taken off `text`.
std::string part(std::string_view& text) {
    const std::string_view taken = text.substr(0, text.find('\0'));
    text.remove_prefix(std::min(taken.size() + 1, text.size()));
    return std::string(taken);
}

/// Each at a line that was handed in.
void check(const std::vector<verdict::CompilerMessage>& messages, const std::vector<build::SourceFile>& files) {
    fuzz::require(messages.size() <= 20);
    const build::SourceLines own(files);
    for (const verdict::CompilerMessage& one : messages) {
        const auto line = own.at(one.at.file, one.at.line);
        fuzz::require(line && line->text == one.at.text);
    }
}

}  // namespace

/// Four texts, parted by zero bytes: a.cpp, what is said of it, what the linker says, b.hpp.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view text = fuzz::as_text(data, size);
    std::vector<build::SourceFile> files{{"a.cpp", part(text)}};
    sandbox::Finished compiled, linked;
    compiled.ended.exit_code = linked.ended.exit_code = 1;
    compiled.output = part(text);
    linked.output = part(text);
    files.push_back({"b.hpp", part(text)});

    fuzz::require(build::idle_statements(files).size() <= 3);
    fuzz::require(build::unchecked_places(files).size() <= 20);
    check(build::explain_compile(compiled, "a.cpp", names, files)
              .errors.value_or(std::vector<verdict::CompilerMessage>{}),
          files);
    check(build::own_messages(build::Severity::warning, build::with_short_lines(compiled.output), files, names), files);
    fuzz::require(!build::explain_link(linked, {"headway::ex05::f(int)"}, names, files).message.empty());

    // "0x1" and the like before a line of addr2line's: the places of any message will do.
    const std::vector<build::WayToThrow> ways{{0x1, 0x2}, {0x3}};
    const std::string printed = "0x1\n" + compiled.output + "\n0x2\n" + linked.output + "\n0x3\n" + compiled.output;
    fuzz::require(build::throw_sites(printed, ways, files).size() == ways.size());
    return 0;
}
