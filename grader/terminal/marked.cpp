#include "terminal/marked.hpp"

#include <algorithm>
#include <iterator>
#include <string>

#include "verdict/utf8.hpp"

namespace headway::report {
namespace {

/// Of lines after the first, which a reader must not take for lines of the file.
constexpr std::size_t continued = 4;

/// A character as it is shown, which may take several columns, and the marks below.
struct Character {
    Cells shown, marks;
};

Character character(char32_t code_point, char mark, Alphabet alphabet, Tone tone) {
    std::string text;
    verdict::append_utf8(text, code_point == U'\t' ? U' ' : code_point);
    Character one{.shown = safe_line({{text}}, alphabet), .marks = {}};
    const std::size_t width = columns(one.shown);
    for (std::size_t i = 0; i < width; ++i)
        one.marks.push_back({std::string(1, mark == '^' && i > 0 ? '~' : mark), 1, tone});
    return one;
}

std::vector<Character> characters(std::string_view source, std::string_view marks, Alphabet alphabet, Tone tone) {
    std::vector<Character> all;
    const auto next_mark = [&] {
        const char mark = all.size() < marks.size() ? marks[all.size()] : ' ';
        return mark == '^' || mark == '~' ? mark : ' ';
    };
    while (!source.empty()) all.push_back(character(verdict::take_code_point(source), next_mark(), alphabet, tone));
    if (next_mark() != ' ') all.push_back(character(U' ', next_mark(), alphabet, tone));  // what is missing at the end
    return all;
}

bool is_blank(const Character& one) { return one.shown.size() == 1 && one.shown.front().glyph == " "; }

/// How many characters from `first` on fit; after a space, if one is not too far to the left.
std::ptrdiff_t that_fit(std::vector<Character>::const_iterator first, std::vector<Character>::const_iterator end,
                        std::size_t width) {
    std::size_t used = 0;
    auto fits = first;
    while (fits != end && used + columns(fits->shown) <= width) used += columns((fits++)->shown);
    if (fits == end) return fits - first;
    auto after_space = fits;
    while (after_space != first && !is_blank(*(after_space - 1))) --after_space;
    const bool is_near = (after_space - first) * 2 > fits - first;
    return std::max<std::ptrdiff_t>((is_near ? after_space : fits) - first, 1);
}

}  // namespace

std::vector<Cells> marked_lines(std::string_view source, std::string_view marks, std::size_t width, Alphabet alphabet,
                                Tone tone) {
    const std::vector<Character> all = characters(source, marks, alphabet, tone);
    std::vector<Cells> lines;
    for (auto at = all.begin(); at != all.end();) {
        const std::size_t indent = at == all.begin() ? 0 : std::min(continued, width / 2);
        const auto end = at + that_fit(at, all.end(), width - indent);
        Cells shown(indent, {" ", 1, Tone::plain});
        Cells below = shown;
        for (; at != end; ++at) {
            std::ranges::copy(at->shown, std::back_inserter(shown));
            std::ranges::copy(at->marks, std::back_inserter(below));
        }
        lines.push_back(std::move(shown));
        while (!below.empty() && below.back().glyph == " ") below.pop_back();
        if (!below.empty()) lines.push_back(std::move(below));
    }
    return lines;
}

}  // namespace headway::report
