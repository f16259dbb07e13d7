#include <fmt/format.h>

#include <algorithm>

#include "report/exercise_view.hpp"
#include "report/next_step.hpp"
#include "report/terminal.hpp"
#include "terminal/page.hpp"

namespace headway::report {
namespace {

using verdict::Exercise;
using verdict::State;

Span mark_of(const Exercise& exercise) {
    if (is_not_graded(exercise)) return {"○ ", Tone::faint};
    switch (exercise.state) {
        case State::passed:
            return {"✓ ", Tone::good};
        case State::failed:
            return {"✗ ", Tone::bad};
        case State::partial:
            return {"◐ ", Tone::waiting};
        case State::not_started:
            return {"○ ", Tone::faint};
        case State::unavailable:
            break;
    }
    return {"? ", Tone::bad};
}

/// Titles in one column, as wide as the widest.
class Titles {
public:
    Titles(const Page& page, const std::vector<Exercise>& exercises) : alphabet_(page.alphabet()) {
        for (const Exercise& exercise : exercises) width_ = std::max(width_, columns(cells(exercise)));
        width_ = std::min(width_, page.room(0) / 2);
    }

    std::string padded(const Exercise& exercise) const {
        const Cells title = cut(cells(exercise), width_, alphabet_);
        std::string text;
        for (const Cell& cell : title) text += cell.glyph;
        return text + std::string(width_ - columns(title), ' ');
    }

private:
    Cells cells(const Exercise& exercise) const {
        return safe_line({{exercise.number + " " + exercise.title}}, alphabet_);
    }

    Alphabet alphabet_;
    std::size_t width_ = 0;
};

}  // namespace

std::string render_status(const std::vector<Exercise>& exercises, const TerminalStyle& style) {
    Page page(style);
    page.paragraph({}, {{"Headway: multi-head attention, learned by building it", Tone::strong}});
    page.blank();
    const Titles titles(page, exercises);
    int points = 0;
    int max_points = 0;
    for (const Exercise& exercise : exercises) {
        const Span state = is_not_graded(exercise) ? Span{"not graded yet", Tone::faint} : state_in_words(exercise);
        page.entry(0, {mark_of(exercise), {titles.padded(exercise)}, {"   "}, state}, {points_text(exercise)});
        points += exercise.points;
        max_points += exercise.max_points;
    }
    page.blank();
    page.paragraph({}, {{fmt::format("{} of {} points", points, max_points), Tone::strong}});
    show_next_step(page, exercises, "");
    return page.take();
}

}  // namespace headway::report
