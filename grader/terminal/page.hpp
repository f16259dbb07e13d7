#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "terminal/cells.hpp"
#include "terminal/style.hpp"

namespace headway::report {

inline constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

/// Lines of text for a terminal, none wider than the style allows but places. All text goes through cells.
class Page {
public:
    explicit Page(const TerminalStyle& style);

    const TerminalStyle& style() const { return style_; }
    Alphabet alphabet() const { return style_.unicode ? Alphabet::unicode : Alphabet::ascii; }
    /// Columns to the right of `indent`.
    std::size_t room(std::size_t indent) const;
    /// Whether `text` fits on one line.
    bool fits(std::size_t indent, std::string_view text) const;

    /// Before whatever text follows; two are like one, and a rule needs none.
    void blank();
    void rule();

    /// Wrapped text; lines after the first are indented by `hanging` more. After `most_lines` it says how many follow.
    struct Paragraph {
        std::size_t indent = 0;
        std::size_t hanging = 0;
        std::size_t most_lines = unlimited;
    };
    void paragraph(const Paragraph& form, const std::vector<Span>& spans);
    /// FILE:LINE:COLUMN in one line, however wide: terminals and editors make links of those that are whole.
    void place(std::size_t indent, const Span& place);
    /// A paragraph, or where an editor reads it one line.
    void told(const Paragraph& form, const std::vector<Span>& spans);
    /// Each line of `text` is a paragraph.
    void paragraphs(const Paragraph& form, std::string_view text, Tone tone = Tone::plain);

    /// `text` wrapped on the left, `right` at the right end of the first line.
    void entry(std::size_t indent, const std::vector<Span>& text, const Span& right);

    /// A line that is cut rather than wrapped.
    void line(std::size_t indent, const std::vector<Span>& spans);

    enum class LongLines { cut, wrapped };
    /// Lines behind a bar, as they are.
    void quote(std::size_t indent, std::string_view text, std::size_t most_lines, LongLines long_lines);

    /// A line of source behind a bar, whole, with marks below its characters (see marked_lines()).
    void source(std::size_t indent, std::string_view text, std::string_view marks, Tone tone);

    /// Whether something was left out that verbose would show.
    bool has_cut() const { return has_cut_; }
    void note_cut() { has_cut_ = true; }

    std::string take();

private:
    void put(std::size_t indent, const Cells& cells);
    Cells behind_bar(Cells cells) const;
    void put_up_to(std::size_t most_lines, const Paragraph& form, const std::vector<Cells>& lines);

    TerminalStyle style_;
    std::string text_;
    bool blank_is_due_ = false;
    bool has_cut_ = false;
};

/// "1 line", "3 lines"
std::string counted(std::size_t count, std::string_view noun);

}  // namespace headway::report
