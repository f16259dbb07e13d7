// Whatever gcov makes of counts that a submission left, coverage is of lines that exist.
#include "text_in.hpp"

#include "build/reached_lines.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace headway;
    static const std::vector<build::SourceFile> files{{"a.cpp", "int f() {\n    return 1;\n}\n"}, {"b/c.hpp", ""}};
    const auto document = nlohmann::json::parse(fuzz::as_text(data, size), nullptr, false);
    build::ReachedLines reached(files);
    reached.add(document);
    for (const verdict::Coverage& one : reached.found()) {
        fuzz::require(one.reached_lines >= 0 && one.reached_lines <= one.all_lines && one.all_lines <= 3);
        fuzz::require(one.missed.size() == static_cast<std::size_t>(one.all_lines - one.reached_lines));
        for (const verdict::MissedLine& missed : one.missed) fuzz::require(missed.line >= 1 && missed.line <= 3);
    }
    return 0;
}
