#include "charts.hpp"
#include "lessons.hpp"
#include "sentence.hpp"

#include <headway/random.hpp>
#include <scaled_scores.hpp>

#include <cmath>

namespace headway::lessons {
namespace {

/// One random query and five keys, narrow and wide: their weights with the scale and without it.
void scales(Blocks& blocks) {
    const Labels keys{"k0", "k1", "k2", "k3", "k4"};
    Picture picture(480, 372);
    std::string words = "Bars of the five weights of one random query.";
    double y = 12;
    for (const Index d : {3, 512}) {
        Random random(1);
        const Tensor q = random.normal({1, 1, 1, d});
        const Tensor k = random.normal({1, 1, 5, d});
        const Tensor scaled = ex03::attention_scores(q, k);
        const Tensor unscaled = scaled * std::sqrt(static_cast<float>(d));
        const std::string name = "d = " + std::to_string(d);
        const std::vector<double> without = numbers_of(ex03::masked_softmax(unscaled, {}));
        const std::vector<double> with = numbers_of(ex03::masked_softmax(scaled, {}));
        draw_bars(picture, {8, y}, {name + ", not scaled", keys, without, 1, 130, 34, Tone::orange, 3, 27});
        draw_bars(picture, {248, y}, {name + ", divided by √d", keys, with, 1, 130, 34, Tone::blue, 3, 27});
        words += " With " + name + ", not scaled: " + in_words(keys, without) +
                 "; divided by √d: " + in_words(keys, with) + ".";
        y += 184;
    }
    blocks.picture("03/scales", picture, words);
}

/// As torch's is_causal: query 0 stands at key 0.
Mask aligned_top_left(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) mask(t, s) = s > t;
    return mask;
}

void masks(Blocks& blocks) {
    const Labels padded{"The", "cat", "pad", "pad"};
    const Mask padding = ex03::padding_mask({4, 2}, 4).expand({2, 1, 4, 4}).as_strided({4, 4}, {0, 1}, 4);
    Picture picture(480, 278);
    draw_staircase(picture, {12, 12}, {"causal_mask(4, 4)", tokens, tokens, ex03::causal_mask(4, 4)});
    draw_staircase(picture, {252, 12}, {"padding, sentence 1", padded, padded, padding});
    draw_mask_key(picture, {56, 240});
    blocks.picture(
        "03/masks", picture,
        "Two masks of four queries by four keys. The causal one is a staircase: The sees itself, cat sees two "
        "keys, sat three, here all four. The padding mask blocks the two columns of padding for every query.");
}

void more_keys(Blocks& blocks) {
    const Labels last{"sat", "here"};
    Picture picture(480, 198);
    draw_staircase(picture, {12, 12}, {"causal_mask(2, 4)", last, tokens, ex03::causal_mask(2, 4)});
    draw_staircase(picture, {252, 12}, {"aligned top left", last, tokens, aligned_top_left(2, 4)});
    draw_mask_key(picture, {56, 160});
    blocks.picture(
        "03/more-keys", picture,
        "Two masks of the queries sat and here by four keys. In causal_mask(2, 4) the staircase ends in the lower "
        "right corner: sat sees three keys, here all four. Aligned top left, sat sees one key and here two.");
}

void scaled_scores_pictures(Blocks& blocks) {
    scales(blocks);
    masks(blocks);
    more_keys(blocks);
}

const Announced announced{&scaled_scores_pictures};

}  // namespace
}  // namespace headway::lessons
