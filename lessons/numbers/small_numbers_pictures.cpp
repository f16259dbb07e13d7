#include "charts.hpp"
#include "lessons.hpp"

#include <small_numbers.hpp>

#include <algorithm>
#include <cmath>

namespace headway::lessons {
namespace {

using ex12::Format;

float half(float x) { return ex12::rounded(Tensor::of({1}, {x}), Format::half)(0); }

/// The bits of three formats, each in a cell: sign, exponent, fraction.
void bits(Blocks& blocks) {
    struct Layout {
        std::string name;
        Index exponent, fraction;
    };
    constexpr double left = 14, side = 14.2;
    Picture picture(480, 262);
    picture.label({left, 24}, "Where the bits go", {.type = Type::strong});
    std::string words = "Bits as cells.";
    double y = 44;
    for (const Layout& layout : {Layout{"float", 8, 23}, {"half", 5, 10}, {"bfloat16", 8, 7}}) {
        const std::string counts =
            "1 + " + std::to_string(layout.exponent) + " + " + std::to_string(layout.fraction) + " bits";
        picture.label({left, y + 10}, layout.name);
        picture.label({left + 76, y + 10}, counts, {.tone = Tone::faint, .type = Type::small});
        for (Index bit = 0; bit < 1 + layout.exponent + layout.fraction; ++bit)
            picture.cell({left + side * static_cast<double>(bit), y + 24, side, 22},
                         bit == 0                 ? Tone::green
                         : bit <= layout.exponent ? Tone::orange
                                                  : Tone::blue,
                         1);
        words += " " + layout.name + ": 1 of sign, " + std::to_string(layout.exponent) + " of exponent, " +
                 std::to_string(layout.fraction) + " of fraction.";
        y += 60;
    }
    double x = left;
    for (const auto& [tone, name] :
         {std::pair{Tone::green, "sign"}, {Tone::orange, "exponent: how large"}, {Tone::blue, "fraction: how exact"}}) {
        picture.cell({x, y + 6, 20, 20}, tone, 1);
        picture.label({x + 28, y + 16}, name, {.type = Type::small});
        x += tone == Tone::green ? 84 : 186;
    }
    blocks.picture("12/bits", picture, words);
}

/// The numbers that half has around 2,048, and where those between them go.
void around_2048(Blocks& blocks) {
    constexpr double left = 26, unit = 46, line = 120;
    constexpr Index first = 2044, last = 2053;
    const auto at = [&](double number) { return left + unit * (number - first); };
    Picture picture(480, 206);
    picture.label({14, 24}, "What half has around 2,048", {.type = Type::strong});
    picture.line({at(first), line}, {at(last), line}, Tone::faint);
    std::string has, goes;
    for (Index i = first; i <= last; ++i) {
        const auto number = static_cast<float>(i);
        const double x = at(static_cast<double>(i));
        const bool is_half = half(number) == number;
        picture.label({x, line + 28}, std::to_string(i),
                      {is_half ? Tone::ink : Tone::faint, Anchor::middle, Type::small});
        if (is_half) {
            picture.bar({x - 5, line - 9, 10, 18}, Tone::blue);
            has += (has.empty() ? "" : ", ") + std::to_string(i);
            continue;
        }
        const float to = half(number);
        picture.arc({x, line - 2}, {at(static_cast<double>(to)) + (to < number ? 3 : -3), line - 13}, 34, Tone::orange);
        goes += (goes.empty() ? "" : ", ") + std::to_string(i) + " to " + fixed(static_cast<double>(to), 0);
    }
    picture.label({14, 184}, "From 2,048 on halves are 2 apart; ties go to the even one.", {.type = Type::small});
    blocks.picture("12/around", picture,
                   "A line of numbers. Half has " + has + ". What lies between is rounded: " + goes + ".");
}

/// Ones, added up one after the other: the total over their number.
void totals(Blocks& blocks) {
    constexpr double left = 62, bottom = 286, width = 290, height = 220;
    constexpr Index most = 4096;
    Picture picture(480, 346);
    picture.label({14, 24}, "Adding ones", {.type = Type::strong});
    picture.label({14, 48}, "total", {.tone = Tone::faint, .type = Type::small});
    picture.line({left, bottom}, {left + width, bottom}, Tone::faint);
    picture.line({left, bottom}, {left, bottom - height}, Tone::faint);
    const auto at = [&](Index n, double total) {
        return Point{left + width * static_cast<double>(n) / most, bottom - height * total / most};
    };
    for (const Index tick : {0, 2048, 4096}) {
        picture.label({at(tick, 0).x, bottom + 18}, grouped(tick), {Tone::faint, Anchor::middle, Type::small});
        if (tick > 0)
            picture.label({left - 8, at(0, static_cast<double>(tick)).y}, grouped(tick),
                          {Tone::faint, Anchor::end, Type::small});
    }
    picture.label({left + width / 2, bottom + 44}, "ones", {Tone::faint, Anchor::middle, Type::small});
    std::string words = "Totals of ones.";
    const auto draw = [&](const std::string& name, Tone tone, const auto& total_of) {
        const double total = total_of(most);
        const auto n = static_cast<Index>(total);  // of the ones that counted
        if (n < most) picture.line(at(n, total), at(most, total), tone);
        picture.line(at(0, 0), at(n, total), tone);
        picture.label({left + width + 10, at(most, total).y}, name, {.tone = tone, .type = Type::small});
        words += " In " + name + " " + grouped(most) + " ones make " + grouped(n) + ".";
    };
    draw("float", Tone::ink, [](Index n) { return static_cast<double>(sum(Tensor::ones({n}), 0)()); });
    draw("half", Tone::blue,
         [](Index n) { return static_cast<double>(ex12::sum_in(Tensor::ones({n}), Format::half)(0)); });
    draw("bfloat16", Tone::orange,
         [](Index n) { return static_cast<double>(ex12::sum_in(Tensor::ones({n}), Format::bfloat16)(0)); });
    blocks.picture("12/ones", picture, words);
}

/// One row among others: with one scale for all, a loud one leaves few codes to the quiet one.
void scales(Blocks& blocks) {
    const Tensor x = Tensor::of({1, 1, 2, 6}, {0.9F, -0.7F, 0.5F, -0.3F, 0.2F, 0.1F,  //
                                               18, 5, -7, 3, 11, -2});
    const Tensor own = ex12::row_scales(x);
    const Tensor one = Tensor::full({1, 1, 2}, own(0, 0, 1));
    Picture picture(480, 238);
    std::string words = "Codes of a quiet row.";
    double y = 14;
    for (const auto& [name, scales] : {std::pair{"its own scale", own}, {"the scale of the loudest row", one}}) {
        const ex12::Int8Rows rows = ex12::to_int8(x, scales);
        picture.label({14, y + 10}, std::string("A quiet row with ") + name, {.type = Type::strong});
        words += std::string(" With ") + name + ":";
        for (Index i = 0; i < 6; ++i) {
            const int code = rows.codes[static_cast<std::size_t>(i)];
            const std::string text = std::to_string(code);
            picture.cell({14 + 75 * static_cast<double>(i), y + 28, 75, 32}, Tone::blue, std::abs(code) / 127.0, text);
            words += (i > 0 ? ", " : " ") + text;
            picture.label({14 + 75 * (static_cast<double>(i) + 0.5), y + 78},
                          fixed(ex12::from_int8(rows)(0, 0, 0, i), 2), {Tone::faint, Anchor::middle, Type::small});
        }
        words += ".";
        y += 112;
    }
    blocks.picture("12/scales", picture, words);
}

void small_numbers_pictures(Blocks& blocks) {
    bits(blocks);
    around_2048(blocks);
    totals(blocks);
    scales(blocks);
}

const Announced announced{&small_numbers_pictures};

}  // namespace
}  // namespace headway::lessons
