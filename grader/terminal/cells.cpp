#include "terminal/cells.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "terminal/ascii.hpp"
#include "verdict/utf8.hpp"

namespace headway::report {
namespace {

struct Range {
    char32_t first, last;
};

bool within(char32_t c, const auto& ranges) {
    return std::ranges::any_of(ranges, [&](const Range& range) { return c >= range.first && c <= range.last; });
}

/// Unicode 15 East Asian Width W and F, generously: whole blocks of emoji.
constexpr std::array<Range, 19> wide = {{{0x1100, 0x115F},
                                         {0x231A, 0x231B},
                                         {0x2329, 0x232A},
                                         {0x23E9, 0x23F3},
                                         {0x25FD, 0x25FE},
                                         {0x2600, 0x27BF},
                                         {0x2B1B, 0x2B1C},
                                         {0x2B50, 0x2B55},
                                         {0x2E80, 0x303E},
                                         {0x3041, 0xA4CF},
                                         {0xA960, 0xA97F},
                                         {0xAC00, 0xD7A3},
                                         {0xF900, 0xFAFF},
                                         {0xFE10, 0xFE19},
                                         {0xFE30, 0xFE6F},
                                         {0xFF00, 0xFF60},
                                         {0xFFE0, 0xFFE6},
                                         {0x16FE0, 0x1B2FF},
                                         {0x1F000, 0x3FFFD}}};

constexpr std::array<Range, 5> combining = {
    {{0x300, 0x36F}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x20D0, 0x20FF}, {0xFE20, 0xFE2F}}};

/// Our own marks lie in a block of emoji, but are narrow everywhere.
bool is_narrow_mark(char32_t c) { return c == U'✓' || c == U'✗'; }

class CellMaker {
public:
    CellMaker(Alphabet alphabet, Tone tone) : alphabet_(alphabet), tone_(tone) {}

    void add(char32_t c) {
        if (c >= 0x20 && c < 0x7F) {  // nearly all text, and some is 64 KiB of a loop's output
            put(std::string(1, static_cast<char>(c)), 1);
        } else if (c == U'\t') {
            do put(" ", 1);
            while (cells_.size() % tab_stop != 0);
        } else if (verdict::is_hidden(c)) {
            spell(verdict::spelled_out(c));
        } else if (columns(c) == 0) {
            add_mark(c);
        } else if (alphabet_ == Alphabet::ascii && c >= 0x80 && c != U'\u00A0') {
            spell("?");
        } else {
            std::string glyph;
            verdict::append_utf8(glyph, c);
            put(std::move(glyph), columns(c));
        }
    }

    void spell(std::string_view ascii) {
        for (const char letter : ascii) put(std::string(1, letter), 1);
    }

    Cells take() { return std::exchange(cells_, {}); }

private:
    static constexpr std::size_t tab_stop = 4;
    static constexpr std::size_t longest_glyph = 12;  // bytes: a letter and a few marks

    void put(std::string glyph, std::size_t width) { cells_.push_back({std::move(glyph), width, tone_}); }

    void add_mark(char32_t c) {
        if (cells_.empty() || alphabet_ == Alphabet::ascii) return;
        if (cells_.back().glyph.size() < longest_glyph) verdict::append_utf8(cells_.back().glyph, c);
    }

    Alphabet alphabet_;
    Tone tone_;
    Cells cells_;
};

}  // namespace

std::size_t columns(char32_t c) {
    if (c < combining.front().first) return 1;
    if (within(c, combining)) return 0;
    return within(c, wide) && !is_narrow_mark(c) ? 2 : 1;
}

std::size_t columns(const Cells& cells) {
    std::size_t sum = 0;
    for (const Cell& cell : cells) sum += cell.columns;
    return sum;
}

std::vector<Cells> safe_lines(std::string_view text, Alphabet alphabet, Tone tone) {
    const std::string spelled = alphabet == Alphabet::ascii ? spelled_in_ascii(text) : std::string(text);
    std::string_view rest = spelled;
    std::vector<Cells> lines;
    CellMaker maker(alphabet, tone);
    while (!rest.empty()) {
        const char32_t c = verdict::take_code_point(rest);
        if (c == U'\n' || c == U'\r') {
            if (c == U'\r' && rest.starts_with('\n')) rest.remove_prefix(1);
            lines.push_back(maker.take());
        } else {
            maker.add(c);
        }
    }
    if (Cells last = maker.take(); !last.empty()) lines.push_back(std::move(last));
    return lines;
}

Cells safe_line(const std::vector<Span>& spans, Alphabet alphabet) {
    Cells line;
    for (const Span& span : spans) {
        bool first = true;
        for (Cells& part : safe_lines(span.text, alphabet, span.tone)) {
            if (!first) line.push_back({" ", 1, span.tone});
            first = false;
            std::ranges::move(part, std::back_inserter(line));
        }
    }
    return line;
}

}  // namespace headway::report
