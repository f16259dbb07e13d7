#include "charts.hpp"
#include "lessons.hpp"
#include "sentence.hpp"

#include <scaled_scores.hpp>
#include <tiled_attention.hpp>

#include <cmath>

namespace headway::lessons {
namespace {

constexpr Index here = 3;

/// The tiles of a causal mask: left out, masked on the diagonal, or computed without a mask.
void tiles(Blocks& blocks) {
    constexpr Index T = 8, tile = 2, across = T / tile;
    constexpr double side = 74, left = 66, top = 78;
    const Mask mask = ex03::causal_mask(T, T);
    const auto blocked_in = [&](Index t, Index s) {
        Index count = 0;
        for (Index i = 0; i < tile; ++i)
            for (Index j = 0; j < tile; ++j) count += mask(t * tile + i, s * tile + j) ? 1 : 0;
        return count;
    };
    Picture picture(480, 446);
    picture.label({16, 24}, "T = S = 8, tiles of 2 by 2: left to right, row by row", {.type = Type::strong});
    Index computed = 0;
    const auto range = [](const char* name, Index i) {
        return name + std::to_string(i * tile) + "–" + std::to_string(i * tile + tile - 1);
    };
    for (Index t = 0; t < across; ++t) {
        const double y = top + side * static_cast<double>(t);
        picture.label({left + side * (static_cast<double>(t) + 0.5), top - 16}, range("k ", t),
                      {Tone::faint, Anchor::middle, Type::small});
        picture.label({left - 8, y + side / 2}, range("q ", t), {Tone::ink, Anchor::end, Type::small});
        Index last = 0;
        for (Index s = 0; s < across; ++s) {
            const Index blocked = blocked_in(t, s);
            const Box box{left + side * static_cast<double>(s), y, side, side};
            const bool is_skipped = blocked == tile * tile;
            picture.cell(box, blocked == 0 ? Tone::blue : Tone::orange, is_skipped ? 0 : 1);
            picture.label({box.middle().x, y + 22},
                          is_skipped     ? "skipped"
                          : blocked == 0 ? "whole"
                                         : "masked",
                          {is_skipped ? Tone::faint : Tone::ink, Anchor::middle, Type::small});
            if (is_skipped) continue;
            ++computed;
            last = s;
        }
        if (last > 0)
            picture.arrow({left + 14, y + 52}, {left + side * static_cast<double>(last + 1) - 14, y + 52}, Tone::ink);
    }
    picture.label({16, 404},
                  std::to_string(computed) + " of " + std::to_string(across * across) + " tiles are computed.", {});
    picture.label({16, 426}, "Along an arrow a row remembers largest, total and gathered.", {.type = Type::small});
    blocks.picture(
        "10/tiles", picture,
        "A grid of " + std::to_string(across) + " by " + std::to_string(across) +
            " tiles under a causal mask. Below the diagonal they are whole, on it masked, above it skipped: " +
            std::to_string(computed) + " of " + std::to_string(across * across) +
            " are computed, in each row from left to right.");
}

/// The scores of "here" from left to right, and the largest so far as a line above them.
void running_maximum(Blocks& blocks) {
    const TwoHeads two = two_heads();
    const Tensor scores = (two.raw_scores() / std::sqrt(3.0F)).slice(1, 0, 1).slice(2, here, here + 1);  // (1, 1, 1, 4)
    const Tensor v = two.split(two.w_v).slice(1, 0, 1);                                                  // (1, 1, 4, 3)
    ex10::Running running = ex10::nothing_seen(1, 1, 1, 3);
    constexpr double zero = 224, unit = 38, width = 92, left = 100;
    Picture picture(480, 406);
    picture.label({16, 24}, "Scores of here, and the largest so far", {.type = Type::strong});
    picture.line({left, zero}, {left + 4 * width, zero}, Tone::faint);
    const char* rows[] = {"largest", "old total ×", "total"};
    for (int i = 0; i < 3; ++i) picture.label({16, 330 + 27 * static_cast<double>(i)}, rows[i], {.type = Type::small});
    std::string words = "Bars of the four scores of here from left to right, with the largest so far as a line.";
    double before = 0;
    for (Index s = 0; s < 4; ++s) {
        const float was = running.largest(0, 0, 0, 0);
        ex10::absorb(running, scores.slice(3, s, s + 1), v.slice(2, s, s + 1));
        const float largest = running.largest(0, 0, 0, 0);
        const std::string factor = fixed(std::exp(static_cast<double>(was) - largest), 3);
        const std::string total = fixed(running.total(0, 0, 0, 0), 3);
        const double score = rounded(scores(0, 0, 0, s));
        const double x = left + width * static_cast<double>(s);
        const double height = (score < 0 ? -score : score) * unit;
        picture.bar({x + 18, score < 0 ? zero : zero - height, width - 36, height < 1 ? 1 : height}, Tone::blue);
        picture.label({x + width / 2, score < 0 ? zero - 12 : zero + 14}, fixed(score, 3),
                      {Tone::ink, Anchor::middle, Type::small});
        picture.label({x + width / 2, 306}, tokens[static_cast<std::size_t>(s)],
                      {.anchor = Anchor::middle, .type = Type::strong});
        const double level = zero - rounded(largest) * unit;
        if (s > 0 && level != before) picture.line({x, before}, {x, level}, Tone::orange);
        picture.line({x, level}, {x + width, level}, Tone::orange);
        before = level;
        const std::string values[] = {fixed(largest, 3), factor, total};
        for (int i = 0; i < 3; ++i)
            picture.label({x + width / 2, 330 + 27 * static_cast<double>(i)}, values[i],
                          {i == 1 ? Tone::orange : Tone::ink, Anchor::middle, Type::small});
        words += " " + tokens[static_cast<std::size_t>(s)] + ": score " + fixed(score, 3) + ", largest " + values[0] +
                 ", what was there times " + factor + ", total " + total + ".";
    }
    blocks.picture("10/largest", picture, words);
}

void tiled_attention_pictures(Blocks& blocks) {
    tiles(blocks);
    running_maximum(blocks);
}

const Announced announced{&tiled_attention_pictures};

}  // namespace
}  // namespace headway::lessons
