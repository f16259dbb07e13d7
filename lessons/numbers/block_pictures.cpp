#include "charts.hpp"
#include "lessons.hpp"

#include <block.hpp>

namespace headway::lessons {
namespace {

/// One block from the bottom to the top: boxes on a line, and residuals around them.
void draw_block(Picture& picture, double x, const std::string& name, const Labels& boxes,
                const std::vector<std::pair<int, int>>& residuals) {
    constexpr double pitch = 40, height = 28, width = 120, bottom = 296;
    picture.label({x, 20}, name, {.anchor = Anchor::middle, .type = Type::strong});
    const auto y = [&](int i) { return bottom - pitch * i; };
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        const double middle = y(static_cast<int>(i));
        picture.arrow({x, middle + pitch - height / 2}, {x, middle + height / 2}, Tone::ink);
        const bool is_sum = boxes[i] == "+";
        const bool is_norm = boxes[i].starts_with("norm");
        picture.cell({x - (is_sum ? 16 : width / 2), middle - height / 2, is_sum ? 32 : width, height},
                     is_sum    ? Tone::green
                     : is_norm ? Tone::orange
                               : Tone::blue,
                     0.5, boxes[i]);
    }
    picture.arrow({x, y(static_cast<int>(boxes.size())) + pitch - height / 2},
                  {x, y(static_cast<int>(boxes.size())) + 14}, Tone::ink);
    for (const auto& [from, to] : residuals) {
        const double side = x + width / 2 + 16, below = y(from) + pitch / 2, at = y(to);
        picture.line({x, below}, {side, below}, Tone::green);
        picture.line({side, below}, {side, at}, Tone::green);
        picture.arrow({side, at}, {x + 16, at}, Tone::green);
    }
}

void orders(Blocks& blocks) {
    Picture picture(500, 340);
    draw_block(picture, 120, "pre-norm", {"norm 1", "attention", "+", "norm 2", "MLP", "+"}, {{0, 2}, {3, 5}});
    draw_block(picture, 370, "post-norm", {"attention", "+", "norm 1", "MLP", "+", "norm 2"}, {{0, 1}, {3, 4}});
    blocks.picture(
        "14/orders", picture,
        "Two blocks, from the input to the output. Pre-norm: norm 1, attention, plus the input; norm 2, MLP, "
        "plus what went into norm 2. Post-norm: attention, plus the input, norm 1; MLP, plus what went into "
        "it, norm 2.");
}

/// GELU and its derivative, from -4 to 4.
void gelu(Blocks& blocks) {
    constexpr int steps = 64;
    constexpr double left = 30, width = 440, zero = 170, unit = 55;
    Picture picture(500, 250);
    picture.label({16, 20}, "GELU, and its derivative (dashed)", {.type = Type::strong});
    const auto across = [&](double x) { return left + width * (x + 4) / 8; };
    picture.line({left, zero}, {left + width, zero}, Tone::faint);
    picture.line({across(0), zero - 3 * unit + 30}, {across(0), zero + 30}, Tone::faint);
    for (const int x : {-4, -2, 2, 4})
        picture.label({across(x), zero + 16}, std::to_string(x), {.anchor = Anchor::middle, .type = Type::small});
    const auto value = [](double x) {
        return rounded(ex14::gelu(Tensor::full({1}, static_cast<float>(x)), ex14::Gelu::exact)(0), 2);
    };
    const auto slope = [](double x) {
        const Tensor at = Tensor::full({1}, static_cast<float>(x));
        return rounded(ex14::gelu_backward(at, Tensor::ones({1}), ex14::Gelu::exact)(0), 2);
    };
    for (int i = 0; i < steps; ++i) {
        const double from = -4 + 8.0 * i / steps, to = -4 + 8.0 * (i + 1) / steps;
        if (value(to) < 2.4)
            picture.line({across(from), zero - unit * value(from)}, {across(to), zero - unit * value(to)}, Tone::blue);
        if (i % 2 == 0)
            picture.line({across(from), zero - unit * slope(from)}, {across(to), zero - unit * slope(to)},
                         Tone::orange);
    }
    blocks.picture(
        "14/gelu", picture,
        "GELU is nearly 0 left of -3, dips to " + fixed(value(-0.75), 2) +
            " at -0.75, goes through 0 and is nearly x right of 3. Its derivative is a half at 0, below 0 left "
            "of -0.75, and a little above 1 around 1.4.");
}

void block_pictures(Blocks& blocks) {
    orders(blocks);
    gelu(blocks);
}

const Announced announced{&block_pictures};

}  // namespace
}  // namespace headway::lessons
