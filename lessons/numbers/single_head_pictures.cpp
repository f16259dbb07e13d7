#include "charts.hpp"
#include "lessons.hpp"
#include "sentence.hpp"

#include <single_head.hpp>

#include <cmath>

namespace headway::lessons {
namespace {

constexpr Index sat = 2;

std::string name_of(Index token) { return tokens[static_cast<std::size_t>(token)]; }

/// The query of "sat" and all keys as arrows in one plane: both have two numbers.
void arrows(Blocks& blocks, const Tensor& q, const Tensor& k) {
    constexpr double unit = 112;
    constexpr Point origin{66, 206};
    Picture picture(480, 378);
    const auto place = [&](double x, double y) { return Point{origin.x + unit * x, origin.y - unit * y}; };
    for (int x = 0; x <= 3; ++x) {
        picture.line(place(x, -1.25), place(x, 1.25), Tone::faint, x == 0 ? Dash::no : Dash::yes);
        if (x > 0) picture.label(place(x, -1.38), fixed(x, 0), {Tone::faint, Anchor::middle, Type::small});
    }
    for (int y = -1; y <= 1; ++y) {
        picture.line(place(-0.25, y), place(3.4, y), Tone::faint, y == 0 ? Dash::no : Dash::yes);
        picture.label(place(-0.35, y), fixed(y, 0), {Tone::faint, Anchor::end, Type::small});
    }
    const Tensor scores = matmul(q, k.transpose(0, 1));
    std::string words = "A plane with five arrows from the origin. The query of sat goes to " + row_text(q[sat]) + ".";
    picture.arrow(origin, place(q(sat, 0), q(sat, 1)), Tone::blue);
    picture.label(place(q(sat, 0) + 0.08, q(sat, 1) - 0.3), "query of sat", {Tone::blue, Anchor::middle, Type::strong});
    for (Index s = 0; s < k.size(0); ++s) {
        const Point tip = place(k(s, 0), k(s, 1));
        const bool is_above = k(s, 1) > 0;
        picture.arrow(origin, tip, Tone::orange);
        picture.label({tip.x + (is_above ? -2 : 10), tip.y + (is_above ? -15 : 15)},
                      name_of(s) + ": " + fixed(scores(sat, s), 0), {Tone::orange, Anchor::start, Type::strong});
        words +=
            " The key of " + name_of(s) + " goes to " + row_text(k[s]) + ", score " + fixed(scores(sat, s), 0) + ".";
    }
    picture.label({16, 24}, "The query of sat, and each key with its score q · k", {.type = Type::strong});
    blocks.picture("01/arrows", picture, words + " The key that points where the query points has the largest score.");
}

/// One row of scores becomes shares.
void softmax(Blocks& blocks, const Tensor& q, const Tensor& k) {
    const Tensor scores = matmul(q, k.transpose(0, 1)) / std::sqrt(2.0F);
    const std::vector<double> scaled = numbers_of(scores[sat]);
    const std::vector<double> raised = numbers_of(exp(scores[sat]));
    const std::vector<double> shares = numbers_of(ex01::attention_weights(q, k)[sat]);
    Picture picture(480, 440);
    draw_bars(picture, {16, 12}, {"q · k / √2 for sat", tokens, scaled, 0, 350, 44, Tone::orange});
    draw_bars(picture, {16, 156}, {"exp of it: always above 0", tokens, raised, 0, 350, 44, Tone::green});
    draw_bars(picture, {16, 300}, {"divided by the sum: shares of 1", tokens, shares, 1, 350, 44, Tone::blue});
    blocks.picture("01/softmax", picture,
                   "Three sets of bars for the row of sat. Scores divided by √2: " + in_words(tokens, scaled) +
                       ". Their exponentials: " + in_words(tokens, raised) +
                       ". Divided by their sum, the weights: " + in_words(tokens, shares) + ".");
}

void single_head_pictures(Blocks& blocks) {
    const OneHead head = one_head();
    const Tensor q = matmul(head.x, head.w_q);
    const Tensor k = matmul(head.x, head.w_k);
    arrows(blocks, q, k);
    softmax(blocks, q, k);
}

const Announced announced{&single_head_pictures};

}  // namespace
}  // namespace headway::lessons
