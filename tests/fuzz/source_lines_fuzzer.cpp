// Whatever addr2line makes of a program that a submission became, a line is one that was handed in.
#include "text_in.hpp"

#include "build/source_lines.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace headway;
    static const std::vector<build::SourceFile> files{{"a.cpp", "int f() {\n    throw 1;\n}\n"}, {"b/c.hpp", ""}};
    const std::vector<build::WayToThrow> ways{{0x10, 0x20}, {}, {0x20}};
    const auto sites = build::throw_sites(std::string(fuzz::as_text(data, size)), ways, files);
    fuzz::require(sites.size() == ways.size() && !sites[1]);
    for (const auto& site : sites) {
        if (!site) continue;
        fuzz::require(site->line.file == "a.cpp" && site->line.line >= 1 && site->line.line <= 3);
        fuzz::require(site->line.text == "int f() {" || site->line.text == "throw 1;" || site->line.text == "}");
    }
    return 0;
}
