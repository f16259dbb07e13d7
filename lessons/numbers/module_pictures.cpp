#include "charts.hpp"
#include "lessons.hpp"
#include "sentence.hpp"

#include <module.hpp>

#include <cmath>

namespace headway::lessons {
namespace {

constexpr Index here = 3;

/// What forward does with the row of "here" in head 0, shown as in the table: all projections are I, so the output is
/// the row itself; the query is twice the scaled scores, as forward divides by √4.
void dropout(Blocks& blocks) {
    const auto attention = ex05::make_multi_head_attention({.embed_dim = 4, .bias = false, .dropout = 0.5F, .seed = 5});
    const Tensor eye = Tensor::eye(4);
    attention->load_state_dict(
        {{"q_proj.weight", eye}, {"k_proj.weight", eye}, {"v_proj.weight", eye}, {"out_proj.weight", eye}});
    const Tensor scores = two_heads().raw_scores()[0][0].slice(0, here, here + 1);  // (1, 4)
    const Tensor query = (scores * (2.0F / std::sqrt(3.0F))).view({1, 1, 4});
    const auto weights = [&] { return attention->forward(query, eye.view({1, 4, 4}), eye.view({1, 4, 4}), Mask{})[0]; };

    Picture picture(480, 250);
    picture.label({16, 24}, "The row of here, call by call (p = 0.5)", {.type = Type::strong});
    for (std::size_t s = 0; s < tokens.size(); ++s)
        picture.label({132 + 82 * static_cast<double>(s) + 41, 50}, tokens[s],
                      {Tone::faint, Anchor::middle, Type::small});
    std::string words = "The weights of here.";
    for (int call = 0; call < 4; ++call) {
        if (call == 3) attention->eval();
        const std::string name = call == 3 ? "eval" : "training " + std::to_string(call + 1);
        const double y = 64 + 44 * call;
        const std::vector<double> row = numbers_of(weights());
        picture.label({122, y + 19}, name, {.anchor = Anchor::end});
        for (std::size_t s = 0; s < row.size(); ++s) {
            const Box box{132 + 82 * static_cast<double>(s), y, 82, 38};
            // Doubled weights reach 2, so half of the colour is a weight of 1.
            picture.cell(box, call == 3 ? Tone::blue : Tone::orange, rounded(row[s]) / 2,
                         row[s] == 0 ? "" : fixed(row[s], 3));
            if (row[s] == 0) picture.label(box.middle(), "× 0", {Tone::faint, Anchor::middle, Type::normal});
        }
        words += " " + name + ": " + in_words(tokens, row) + ".";
    }
    blocks.picture("05/dropout", picture, words + " In training some are 0 and the others twice as large.");
}

/// The four maps that the module owns, around the attention that owns nothing.
void projections(Blocks& blocks) {
    const auto attention = ex05::make_multi_head_attention({.embed_dim = 6, .num_heads = 2});
    std::string names;
    Index count = 0;
    const auto shape_of = [&](const std::string& wanted) {
        for (const auto& [name, parameter] : attention->named_parameters())
            if (name == wanted) return to_string(parameter.shape());
        throw std::logic_error("no parameter is called " + wanted);
    };
    Picture picture(480, 316);
    picture.label({16, 24}, "One object, four projections", {.type = Type::strong});
    picture.frame({10, 44, 460, 222}, Tone::faint, Dash::yes);
    const Labels inputs{"query", "key", "value"};
    const Labels maps{"q_proj", "k_proj", "v_proj"};
    const Tone tones[] = {Tone::blue, Tone::orange, Tone::green};
    const auto box = [&](double x, double y, const std::string& map, Tone tone) {
        picture.bar({x, y, 124, 58}, tone);
        picture.label({x + 62, y + 14}, map, {.anchor = Anchor::middle, .type = Type::strong});
        picture.label({x + 62, y + 32}, "weight " + shape_of(map + ".weight"),
                      {.anchor = Anchor::middle, .type = Type::small});
        picture.label({x + 62, y + 48}, "bias " + shape_of(map + ".bias"),
                      {.anchor = Anchor::middle, .type = Type::small});
    };
    for (std::size_t i = 0; i < maps.size(); ++i) {
        const double y = 54 + 70 * static_cast<double>(i);
        box(78, y, maps[i], tones[i]);
        picture.label({16, y + 29}, inputs[i], {.type = Type::small});
        picture.arrow({58, y + 29}, {76, y + 29}, Tone::ink);
        picture.arrow({204, y + 29}, {232, 153 + (y + 29 - 153) * 0.45}, tones[i]);
    }
    picture.frame({234, 100, 84, 106}, Tone::ink);
    picture.label({276, 134}, "weights,", {.anchor = Anchor::middle, .type = Type::small});
    picture.label({276, 153}, "dropout,", {.anchor = Anchor::middle, .type = Type::small});
    picture.label({276, 172}, "merge", {.anchor = Anchor::middle, .type = Type::small});
    picture.arrow({318, 153}, {334, 153}, Tone::ink);
    box(336, 124, "out_proj", Tone::purple);
    picture.arrow({398, 182}, {398, 286}, Tone::ink);
    picture.label({398, 298}, "output", {.anchor = Anchor::middle, .type = Type::small});
    for (const Tensor& parameter : attention->parameters()) count += parameter.numel();
    picture.label({16, 290}, std::to_string(count) + " parameters, all in the coloured boxes", {.type = Type::small});
    blocks.picture(
        "05/projections", picture,
        "The module as a box that owns four smaller boxes. q_proj makes queries from the query, k_proj keys from the "
        "key, v_proj values from the value; weights, dropout and merge own nothing; out_proj makes the output. Each of "
        "the four has a weight " +
            shape_of("q_proj.weight") + " and a bias " + shape_of("q_proj.bias") + ", " + std::to_string(count) +
            " parameters in all.");
}

void module_pictures(Blocks& blocks) {
    dropout(blocks);
    projections(blocks);
}

const Announced announced{&module_pictures};

}  // namespace
}  // namespace headway::lessons
