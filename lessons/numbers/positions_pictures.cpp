#include "charts.hpp"
#include "lessons.hpp"

#include <positions.hpp>

#include <array>

namespace headway::lessons {
namespace {

/// Where (1, 0) points in two planes, for tokens at positions 0 to 4.
void turns(Blocks& blocks) {
    constexpr Index T = 5;
    const Tensor arrows = Tensor::rows({{1, 0, 1, 0}}).expand({1, 1, T, 4});
    const Tensor at = ex13::token_positions({0}, 0, T);
    const Tensor turned = ex13::rotate_pairs(arrows, ex13::rotation_angles(at, 4, 100));
    constexpr std::array<Tone, 2> tone_of_pair{Tone::blue, Tone::orange};
    Picture picture(500, 262);
    std::string words = "Arrows that begin at (1, 0), for five tokens.";
    for (Index pair = 0; pair < 2; ++pair) {
        const double y = 70 + 124 * static_cast<double>(pair);
        picture.label({16, y - 54}, "pair " + std::to_string(pair), {.type = Type::strong});
        words += " Pair " + std::to_string(pair) + ":";
        for (Index t = 0; t < T; ++t) {
            const Point centre{60 + 95 * static_cast<double>(t), y};
            const double right = rounded(turned(0, 0, t, 2 * pair), 2), up = rounded(turned(0, 0, t, 2 * pair + 1), 2);
            picture.line({centre.x - 38, centre.y}, {centre.x + 38, centre.y}, Tone::faint);
            picture.line({centre.x, centre.y - 38}, {centre.x, centre.y + 38}, Tone::faint);
            picture.arrow(centre, {centre.x + 36 * right, centre.y - 36 * up},
                          tone_of_pair.at(static_cast<std::size_t>(pair)));
            picture.label({centre.x, y + 52}, "token " + std::to_string(t),
                          {.anchor = Anchor::middle, .type = Type::small});
            words += (t == 0 ? " token " : ", token ") + std::to_string(t) + " (" + fixed(right, 2) + ", " +
                     fixed(up, 2) + ")";
        }
        words += ".";
    }
    blocks.picture("13/turns", picture, words);
}

/// Three texts of one batch, padded on the left.
void padding(Blocks& blocks) {
    constexpr Index T = 6;
    const std::vector<Index> padded{0, 2, 4};
    const Tensor at = ex13::token_positions(padded, 0, T), next = ex13::token_positions(padded, T, 1);
    Picture picture(500, 196);
    picture.label({16, 20}, "Positions of three texts, and of the next token", {.type = Type::strong});
    std::string words = "Positions in three rows of six columns.";
    for (Index b = 0; b < 3; ++b) {
        const double y = 42 + 48 * static_cast<double>(b);
        const Index count = padded[static_cast<std::size_t>(b)];
        words += " With " + std::to_string(count) + " tokens of padding:";
        for (Index t = 0; t <= T; ++t) {
            const Box box{16 + 66 * static_cast<double>(t) + (t == T ? 10 : 0), y, 60, 36};
            const bool is_padding = t < count;
            const std::string number = fixed(t < T ? at(b, t) : next(b, 0), 0);
            if (is_padding)
                picture.frame(box, Tone::faint, Dash::yes);
            else
                picture.cell(box, t < T ? Tone::blue : Tone::orange, 0.6, number);
            if (is_padding) picture.label(box.middle(), number, {.tone = Tone::faint, .anchor = Anchor::middle});
            words += (t == 0 ? " " : t == T ? "; next " : ", ") + number;
        }
        words += ".";
    }
    blocks.picture("13/padding", picture, words);
}

void positions_pictures(Blocks& blocks) {
    turns(blocks);
    padding(blocks);
}

const Announced announced{&positions_pictures};

}  // namespace
}  // namespace headway::lessons
