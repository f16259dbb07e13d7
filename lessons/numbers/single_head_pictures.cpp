#include "charts.hpp"
#include "lessons.hpp"
#include "sentence.hpp"

#include <single_head.hpp>

#include <algorithm>
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

/// Scores of raw rows, which are a mirror, beside those of queries and keys, which are not.
void mirror(Blocks& blocks, const Tensor& x, const Tensor& q, const Tensor& k) {
    const Tensor raw = matmul(x, x.transpose(0, 1));
    const Tensor scores = matmul(q, k.transpose(0, 1));
    constexpr double side = 44, top = 66;
    Picture picture(480, 286);
    const auto draw = [&](double left, const std::string& title, const Tensor& table, Tone tone) {
        picture.label({left, 24}, title, {.type = Type::strong});
        for (Index t = 0; t < 4; ++t) {
            picture.label({left + 44 + side * (static_cast<double>(t) + 0.5), top - 12}, name_of(t),
                          {Tone::faint, Anchor::middle, Type::small});
            picture.label({left + 38, top + side * (static_cast<double>(t) + 0.5)}, name_of(t),
                          {Tone::ink, Anchor::end, Type::small});
            for (Index s = 0; s < 4; ++s)
                picture.cell(
                    {left + 44 + side * static_cast<double>(s), top + side * static_cast<double>(t), side, side}, tone,
                    std::max(0.0, rounded(table(t, s), 0)) / 8, fixed(table(t, s), 0));
        }
        // The pair that a mirror cannot tell apart.
        picture.frame({left + 44 + side, top + 2 * side, side, side}, Tone::ink);
        picture.frame({left + 44 + 2 * side, top + side, side, side}, Tone::ink);
        picture.label({left + 20, top + 4 * side + 20},
                      "sat on cat " + fixed(table(sat, 1), 0) + ", cat on sat " + fixed(table(1, sat), 0),
                      {.type = Type::small});
    };
    draw(10, "x · xᵀ: a mirror", raw, Tone::orange);
    draw(248, "q · kᵀ: none", scores, Tone::blue);
    blocks.picture("01/mirror", picture,
                   "Two tables of scores. In x times x transposed, sat on cat and cat on sat are both " +
                       fixed(raw(sat, 1), 0) + ". In q times k transposed, sat on cat is " + fixed(scores(sat, 1), 0) +
                       " and cat on sat is " + fixed(scores(1, sat), 0) + ".");
}

void single_head_pictures(Blocks& blocks) {
    const OneHead head = one_head();
    const Tensor q = matmul(head.x, head.w_q);
    const Tensor k = matmul(head.x, head.w_k);
    arrows(blocks, q, k);
    softmax(blocks, q, k);
    mirror(blocks, head.x, q, k);
}

const Announced announced{&single_head_pictures};

}  // namespace
}  // namespace headway::lessons
