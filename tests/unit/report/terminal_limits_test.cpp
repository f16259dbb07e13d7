// What holds for every rendering, whatever a submission puts into the verdict.
#include <gtest/gtest.h>
#include <wchar.h>

#include <algorithm>
#include <clocale>
#include <ctime>
#include <regex>
#include <sstream>

#include "report/terminal.hpp"
#include "verdict/sample_verdicts.hpp"
#include "verdict/utf8.hpp"

namespace headway::report {
namespace {

std::vector<TerminalStyle> styles() {
    return {{}, {.verbose = true}, {.width = 40}, {.width = 57, .unicode = false}, {.width = 200, .verbose = true}};
}

std::vector<verdict::Verdict> samples_and_nasty() {
    std::vector<verdict::Verdict> verdicts = samples::nasty();
    for (auto& [name, verdict] : samples::all()) verdicts.push_back(std::move(verdict));
    return verdicts;
}

struct Rendering {
    TerminalStyle style;
    std::string text;
};

/// All verdicts in all styles. There is a lot of text in them, so one test makes them and asks all that is asked of
/// each.
std::vector<Rendering> renderings() {
    std::vector<Rendering> made;
    for (const verdict::Verdict& verdict : samples_and_nasty())
        for (const TerminalStyle& style : styles())
            made.push_back({style, render(verdict, style) + render_status(verdict.exercises, style)});
    return made;
}

/// Columns according to the C library, which knows nothing of our tables.
std::size_t columns_of(std::string_view line) {
    std::size_t sum = 0;
    while (!line.empty()) {
        const char32_t c = verdict::take_code_point(line);
        const int width = wcwidth(static_cast<wchar_t>(c));
        EXPECT_GE(width, 0) << "not printable: U+" << std::hex << static_cast<unsigned>(c);
        sum += static_cast<std::size_t>(std::max(width, 0));
    }
    return sum;
}

/// FILE:LINE:COLUMN is not wrapped, and cut only where no path is that long.
bool may_be_a_place(std::string_view line) {
    const std::size_t colon = line.rfind(':');
    const bool ends_with_number =
        colon != std::string::npos && line.find_first_not_of("0123456789", colon + 1) == std::string::npos;
    return line.starts_with("    ") && (ends_with_number || line.ends_with("…") || line.ends_with("..."));
}

void expect_to_fit(const Rendering& rendering) {
    std::istringstream lines(rendering.text);
    for (std::string line; std::getline(lines, line);)
        EXPECT_LE(columns_of(line), may_be_a_place(line) ? 1010U : rendering.style.width) << line;
}

bool is_control(char c) { return c != '\n' && (static_cast<unsigned char>(c) < 0x20 || c == 0x7F); }

void expect_no_control_characters_but_line_ends(const std::string& text) {
    EXPECT_EQ(std::ranges::count_if(text, is_control), 0);
    EXPECT_EQ(text.find("\u009b"), std::string::npos);
    EXPECT_EQ(text.find("\u202e"), std::string::npos);
    EXPECT_EQ(verdict::valid_utf8(text), text);
}

bool is_foreign(char c) { return static_cast<unsigned char>(c) >= 0x80; }

TEST(EveryRendering, FitsAndHoldsOnlyWhatATerminalShows) {
    const bool can_count_columns = std::setlocale(LC_CTYPE, "C.UTF-8") != nullptr;
    for (const Rendering& rendering : renderings()) {
        if (can_count_columns) expect_to_fit(rendering);
        expect_no_control_characters_but_line_ends(rendering.text);
        if (!rendering.style.unicode) {
            EXPECT_EQ(std::ranges::count_if(rendering.text, is_foreign), 0);
        }
    }
    std::setlocale(LC_CTYPE, "C");
    if (!can_count_columns) GTEST_SKIP() << "no locale to count columns with";
}

TEST(EveryRendering, SaysTheSameInColour) {
    const std::regex colour("\x1b\\[[0-9]+m");
    for (const auto& [name, verdict] : samples::all()) {
        const std::string coloured = render(verdict, {.colour = true});
        EXPECT_NE(coloured.find("\x1b["), std::string::npos);
        const std::string plain = std::regex_replace(coloured, colour, "");
        EXPECT_EQ(std::ranges::count_if(plain, is_control), 0);
        EXPECT_EQ(plain, render(verdict, {})) << name;
    }
}

TEST(EveryRendering, StaysShort) {
    for (const verdict::Verdict& verdict : samples::nasty()) {
        const std::string text = render(verdict, {});
        EXPECT_LE(std::ranges::count(text, '\n'), 300) << text.substr(0, 500);
    }
}

TEST(EveryRendering, OfMuchOutputIsFast) {
    verdict::Test test = samples::failed("A", "a", 1, samples::crashes());
    test.output = std::string(64 << 10, 'x');
    const verdict::Verdict verdict = samples::verdict_of(
        {samples::exercise("02", "head splitting", verdict::State::failed, std::vector<verdict::Test>(10, test))});
    const std::clock_t start = std::clock();
    render(verdict, {.verbose = true});
    // A second or two without optimisation; what took time by the square of the length would take minutes.
    EXPECT_LT(std::clock() - start, 20 * CLOCKS_PER_SEC);
}

}  // namespace
}  // namespace headway::report
