#include <algorithm>
#include <cstddef>
#include <utility>

#include "terminal/cells.hpp"

namespace headway::report {
namespace {

bool is_space(const Cell& cell) { return cell.glyph == " "; }

/// Fills lines word by word; the space between two words is dropped where the line ends.
class Wrapper {
public:
    Wrapper(std::size_t first_width, std::size_t width) : room_(first_width), width_(width) {}

    void add_space(const Cell& cell) { space_.push_back(cell); }

    void add_word(const Cells& word) {
        if (used_ + columns(space_) + columns(word) > room_ && used_ > 0) end_line();
        if (used_ + columns(space_) > room_ / 2 && lines_.empty() && line_.empty()) space_.clear();
        for (const Cell& cell : std::exchange(space_, {})) put(cell);
        for (auto begin = word.begin(); begin != word.end();) {
            const auto slash = std::find_if(begin, word.end(), [](const Cell& cell) { return cell.glyph == "/"; });
            const Cells piece(begin, slash == word.end() ? slash : slash + 1);
            begin += static_cast<std::ptrdiff_t>(piece.size());
            if (used_ + columns(piece) > room_ && used_ > 0) end_line();
            for (const Cell& cell : piece) {
                if (used_ + cell.columns > room_ && used_ > 0) end_line();
                put(cell);
            }
        }
    }

    std::vector<Cells> finish() {
        if (!line_.empty() || lines_.empty()) lines_.push_back(std::move(line_));
        return std::move(lines_);
    }

private:
    void put(const Cell& cell) {
        line_.push_back(cell);
        used_ += cell.columns;
    }

    void end_line() {
        lines_.push_back(std::exchange(line_, {}));
        space_.clear();
        used_ = 0;
        room_ = width_;
    }

    std::vector<Cells> lines_;
    Cells line_;
    Cells space_;
    std::size_t used_ = 0;
    std::size_t room_;
    std::size_t width_;
};

}  // namespace

std::vector<Cells> wrap(const Cells& cells, std::size_t first_width, std::size_t width) {
    Wrapper wrapper(first_width, width);
    for (auto at = cells.begin(); at != cells.end();) {
        if (is_space(*at)) {
            wrapper.add_space(*at++);
            continue;
        }
        const auto end = std::find_if(at, cells.end(), is_space);
        wrapper.add_word({at, end});
        at = end;
    }
    return wrapper.finish();
}

Cells cut(Cells cells, std::size_t width, Alphabet alphabet) {
    if (columns(cells) <= width) return cells;
    const std::size_t ellipsis = alphabet == Alphabet::unicode ? 1 : std::min<std::size_t>(3, width);
    std::size_t used = ellipsis;
    const auto end = std::ranges::find_if(cells, [&](const Cell& cell) { return (used += cell.columns) > width; });
    cells.erase(end, cells.end());
    if (alphabet == Alphabet::unicode) {
        cells.push_back({"…", 1, Tone::faint});
    } else {
        cells.insert(cells.end(), ellipsis, {".", 1, Tone::faint});
    }
    return cells;
}

}  // namespace headway::report
