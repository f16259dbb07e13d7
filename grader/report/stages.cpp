#include "report/stages.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace headway::report {
namespace {

using verdict::Window;

/// "T" for "query"; empty for axes whose size has no letter of its own.
std::string_view letter_of(std::string_view axis) {
    if (axis == "b") return "B";
    if (axis == "h") return "H";
    if (axis == "query") return "T";
    if (axis == "key") return "S";
    return "";
}

std::string sizes_of(const Window& window) {
    std::string text;
    for (std::size_t i = 0; i < window.axes.size(); ++i)
        if (const auto letter = letter_of(window.axes[i]); !letter.empty())
            text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", letter, window.shape[i]);
    return text;
}

void mark(StagesSeen& seen, verdict::Stage stage) {
    const auto found = std::ranges::find(stages, stage, &StageShape::stage);
    if (found == stages.end()) return;
    const auto i = static_cast<std::size_t>(found - stages.begin());
    seen.wrong.at(i) = true;
    seen.first_wrong = std::min(seen.first_wrong, i);
    seen.in_heads = seen.in_heads || found->single_shape.empty();
}

/// A mistake with a name says which step is wrong. Without one the stage is a guess, and is not drawn; no more is that
/// of a test, which is only the one that it looked at.
bool mark_diagnosed(StagesSeen& seen, const verdict::Exercise& exercise) {
    if (!exercise.diagnosis) return false;
    for (const verdict::NamedMistake& mistake : exercise.diagnosis->mistakes) mark(seen, mistake.stage);
    return true;
}

}  // namespace

StagesSeen stages_seen(const verdict::Exercise& exercise) {
    StagesSeen seen;
    const bool diagnosed = mark_diagnosed(seen, exercise);
    for (const verdict::Test& test : exercise.tests) {
        if (test.state != verdict::TestState::failed || !test.failure || test.depends_on) continue;
        if (!diagnosed) mark(seen, test.failure->stage);
        if (!test.failure->window) continue;
        const Window& window = *test.failure->window;
        seen.in_heads = seen.in_heads || (!window.axes.empty() && window.axes.front() == "b");
        if (seen.sizes.empty()) seen.sizes = sizes_of(window);
    }
    return seen;
}

}  // namespace headway::report
