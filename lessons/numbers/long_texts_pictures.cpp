#include "charts.hpp"
#include "lessons.hpp"

#include <long_texts.hpp>

namespace headway::lessons {
namespace {

Labels numbers(Index count) {
    Labels names;
    for (Index i = 0; i < count; ++i) names.push_back(std::to_string(i));
    return names;
}

Index open_pairs(const Mask& mask) {
    Index count = 0;
    for (Index t = 0; t < mask.size(0); ++t)
        for (Index s = 0; s < mask.size(1); ++s) count += mask(t, s) ? 0 : 1;
    return count;
}

void masks_of_long_texts(Blocks& blocks) {
    constexpr Index T = 8, w = 3;
    const Mask window = ex11::window_mask(T, T, w), joined = ex11::long_mask(T, T, w, {0}, Mask{});
    const Labels names = numbers(T);
    Picture picture(480, 304);
    draw_staircase(picture, {6, 12}, {"window of 3", names, names, window, 24, 24});
    draw_staircase(picture, {246, 12}, {"and token 0 global", names, names, joined, 24, 24});
    draw_mask_key(picture, {30, 264});
    blocks.picture("11/masks", picture,
                   "Two staircases of eight queries by eight keys. A window of 3 is a band along the diagonal with " +
                       std::to_string(open_pairs(window)) +
                       " open pairs. With token 0 global the first column is open too: " +
                       std::to_string(open_pairs(joined)) + " pairs.");
}

/// Which tokens the last one hears of, layer by layer.
void layers_reach(Blocks& blocks) {
    constexpr Index T = 10, w = 3, L = 4;
    Picture picture(480, 250);
    picture.label({16, 24}, "What token 9 hears of, with a window of 3", {.type = Type::strong});
    std::string words = "A row of ten tokens for each number of layers, with a window of 3.";
    for (Index layers = 1; layers <= L; ++layers) {
        const double y = 44 + 48 * static_cast<double>(layers - 1);
        const Mask reached = ex11::reach(ex11::window_mask(T, T, w), layers);
        picture.label({16, y + 17}, std::to_string(layers) + (layers == 1 ? " layer" : " layers"));
        Index count = 0;
        for (Index s = 0; s < T; ++s) {
            const bool hears = !reached(T - 1, s);
            count += hears ? 1 : 0;
            picture.cell({96 + 36 * static_cast<double>(s), y, 36, 34}, s == T - 1 ? Tone::orange : Tone::blue,
                         hears ? 1 : 0, std::to_string(s));
        }
        words += " " + std::to_string(layers) + (layers == 1 ? " layer: " : " layers: ") + std::to_string(count) +
                 " tokens.";
    }
    blocks.picture("11/layers", picture, words);
}

void long_texts_pictures(Blocks& blocks) {
    masks_of_long_texts(blocks);
    layers_reach(blocks);
}

const Announced announced{&long_texts_pictures};

}  // namespace
}  // namespace headway::lessons
