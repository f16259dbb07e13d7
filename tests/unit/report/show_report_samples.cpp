/// Prints what students see for each kind of verdict, to look at while changing it:  show_report_samples [WIDTH]
/// [OPTION...] with options colour, ascii, verbose.
#include <cstdio>
#include <string_view>

#include "report/terminal.hpp"
#include "verdict/sample_verdicts.hpp"

int main(int count, char** arguments) {
    headway::report::TerminalStyle style;
    for (int i = 1; i < count; ++i) {
        const std::string_view argument = arguments[i];
        if (argument == "colour") style.colour = true;
        if (argument == "ascii") style.unicode = false;
        if (argument == "verbose") style.verbose = true;
        if (argument.find_first_not_of("0123456789") == std::string_view::npos) style.width = std::stoul(arguments[i]);
    }
    for (const auto& [name, verdict] : headway::samples::all()) {
        std::printf("\n======== %s\n%s", name.c_str(), headway::report::render(verdict, style).c_str());
    }
    using namespace headway::samples;
    std::printf("\n======== status\n%s", headway::report::render_status(
                                             {all_right(), half_written(), wrong(), untouched(), never_graded()}, style)
                                             .c_str());
}
