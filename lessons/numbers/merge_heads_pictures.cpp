#include "charts.hpp"
#include "lessons.hpp"
#include "sentence.hpp"

#include <merge_heads.hpp>
#include <scaled_scores.hpp>

#include <array>

namespace headway::lessons {
namespace {

constexpr Index here = 3;
constexpr std::array<Tone, 2> tone_of_head{Tone::blue, Tone::orange};

std::string name_of(Index token) { return tokens[static_cast<std::size_t>(token)]; }
std::string head_name(Index h) { return "head " + std::to_string(h); }

/// Both heads' weights side by side.
void two_maps(Blocks& blocks, const Tensor& weights) {
    Picture picture(480, 210);
    std::string words = "Two heat maps of four queries by four keys.";
    for (Index h = 0; h < 2; ++h) {
        draw_heatmap(picture, {10 + 238 * static_cast<double>(h), 10},
                     {head_name(h),
                      tokens,
                      tokens,
                      weights[0][h],
                      tone_of_head.at(static_cast<std::size_t>(h)),
                      42,
                      {.width = 44, .height = 36}});
        for (Index t = 0; t < 4; ++t)
            words += (t == 0 ? " In " + head_name(h) + " " : "; ") + name_of(t) + " gives " +
                     in_words(tokens, numbers_of(weights[0][h][t]), 2) + (t == 3 ? "." : "");
    }
    blocks.picture("04/heads", picture, words);
}

/// Where "here" looks: an arc to each key, as thick as its weight.
void looks(Blocks& blocks, const Tensor& weights) {
    Picture picture(480, 236);
    picture.label({16, 24}, "Where here looks", {.type = Type::strong});
    constexpr double line = 124;
    const auto x = [](Index token) { return 62 + 118 * static_cast<double>(token); };
    for (Index s = 0; s < 4; ++s)
        picture.label({x(s), line}, name_of(s), {.anchor = Anchor::middle, .type = Type::strong});
    std::string words = "The sentence, with arcs from here to the tokens it looks at.";
    for (Index h = 0; h < 2; ++h) {
        const Tone tone = tone_of_head.at(static_cast<std::size_t>(h));
        const double side = h == 0 ? -1 : 1;  // head 0 above the sentence, head 1 below it
        picture.label({16, line + side * 52}, head_name(h), {tone, Anchor::start, Type::strong});
        for (Index s = 0; s < 4; ++s) {
            const double weight = rounded(weights(0, h, here, s), 3);
            if (weight < 0.05 || s == here) continue;
            const Point from{x(here), line + side * 14};
            const Point to{x(s), line + side * 14};
            picture.arc(from, to, -side * 24 * static_cast<double>(here - s), tone, 1 + 6 * weight);
            picture.label({to.x - 10, to.y + side * 18}, fixed(weight, 3), {tone, Anchor::end, Type::strong});
        }
        words += " " + head_name(h) + " gives " + in_words(tokens, numbers_of(weights[0][h][here])) + ".";
    }
    picture.label({16, 216}, "Weights below 0.05 are not drawn.", {.tone = Tone::faint, .type = Type::small});
    blocks.picture("04/arcs", picture, words);
}

/// The rows of w_o in the colours of the heads that they belong to, and what each head writes to one feature.
void output_projection(Blocks& blocks, const TwoHeads& two, const ex03::Attended& attended) {
    const Tensor output = ex04::multi_head_attention(two.x, two.w_q, two.w_k, two.w_v, two.w_o, 2, {});
    constexpr double side = 38;
    constexpr Point corner{82, 66};
    Picture picture(480, 396);
    picture.label({16, 24}, "w_o: three rows for each head", {.type = Type::strong});
    for (Index j = 0; j < 6; ++j)
        picture.label({corner.x + (static_cast<double>(j) + 0.5) * side, 52}, "f" + std::to_string(j),
                      {Tone::faint, Anchor::middle, Type::small});
    for (Index i = 0; i < 6; ++i)
        for (Index j = 0; j < 6; ++j)
            picture.cell(
                {corner.x + static_cast<double>(j) * side, corner.y + static_cast<double>(i) * side, side, side},
                tone_of_head.at(static_cast<std::size_t>(i / 3)), two.w_o(i, j) == 0 ? 0 : 1, fixed(two.w_o(i, j), 0));
    for (Index h = 0; h < 2; ++h)
        picture.label({corner.x - 8, corner.y + side * (1.5 + 3 * static_cast<double>(h))}, head_name(h),
                      {tone_of_head.at(static_cast<std::size_t>(h)), Anchor::end, Type::strong});
    picture.frame({corner.x + 2 * side, corner.y - 2, side, 6 * side + 4}, Tone::ink);
    picture.label({336, 150}, "feature f2:", {.type = Type::small});
    picture.label({336, 172}, "both heads write", {.type = Type::small});

    const double y = 340;
    picture.label({16, y - 20}, "f2 of here, written by both", {.type = Type::strong});
    double x = 16;
    std::string words;
    for (Index h = 0; h < 2; ++h) {
        const float term = matmul(attended.context.select(1, h), two.w_o.slice(0, 3 * h, 3 * h + 3))(0, here, 2);
        const double width = 78 * rounded(term);
        picture.cell({x, y, width, 40}, tone_of_head.at(static_cast<std::size_t>(h)), 1, fixed(term, 3));
        words += (h == 0 ? "" : " and ") + head_name(h) + " writes " + fixed(term, 3);
        x += width;
    }
    picture.label({x + 6, y + 20}, "= " + fixed(output(0, here, 2), 3));
    blocks.picture(
        "04/output", picture,
        "The matrix w_o with six rows: the first three belong to head 0, the last three to head 1. Below, feature 2 "
        "of here as a sum of two bars: " +
            words + ", together " + fixed(output(0, here, 2), 3) + ".");
}

void merge_heads_pictures(Blocks& blocks) {
    const TwoHeads two = two_heads();
    const ex03::Attended attended =
        ex03::scaled_dot_product_attention(two.split(two.w_q), two.split(two.w_k), two.split(two.w_v), {});
    two_maps(blocks, attended.weights);
    looks(blocks, attended.weights);
    output_projection(blocks, two, attended);
}

const Announced announced{&merge_heads_pictures};

}  // namespace
}  // namespace headway::lessons
