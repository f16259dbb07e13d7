#include "terminal/cells.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "terminal/ascii.hpp"
#include "verdict/utf8.hpp"

#include <utf8proc.h>

namespace headway::report {
namespace {

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
    return static_cast<std::size_t>(std::max(0, utf8proc_charwidth(static_cast<utf8proc_int32_t>(c))));
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
        // Where a line ends between two spans, too.
        if (span.text.ends_with('\n') && &span != &spans.back()) line.push_back({" ", 1, span.tone});
    }
    return line;
}

}  // namespace headway::report
