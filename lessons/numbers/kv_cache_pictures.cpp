#include "charts.hpp"
#include "lessons.hpp"
#include "sentence.hpp"

#include <kv_cache.hpp>

namespace headway::lessons {
namespace {

/// The cache after each call, and who looks at what: "The cat" as a prompt, then "sat", then "here".
void growing(Blocks& blocks) {
    const TwoHeads two = two_heads();
    constexpr Index capacity = 6;
    ex08::Projections projections(6, 6, Random{1});
    ex08::Cache cache = ex08::make_cache(1, 2, capacity, 3);
    Picture picture(480, 352);
    picture.label({16, 24}, "One row of keys and values per token", {.type = Type::strong});
    std::string words = "A cache with room for " + std::to_string(capacity) + " tokens, after each call.";
    double y = 48;
    Index begin = 0;
    for (const Index n : {2, 1, 1}) {
        const Index before = nn::rows_through_linear();
        ex08::decode(cache, projections, two.x.slice(1, begin, begin + n), {n});
        const Index rows = nn::rows_through_linear() - before;
        const Index length = cache.lengths[0];
        const std::string call = n == 2 ? "The cat" : tokens[static_cast<std::size_t>(length - 1)];
        picture.label({16, y + 50}, call, {.type = Type::strong});
        picture.label({16, y + 70}, std::to_string(rows) + " rows", {Tone::faint, Anchor::start, Type::small});
        const auto x = [](Index slot) { return 96 + 62 * static_cast<double>(slot); };
        for (Index s = 0; s < capacity; ++s) {
            const Box slot{x(s), y + 44, 62, 34};
            const bool is_new = s >= begin && s < length;
            picture.cell(slot, is_new ? Tone::orange : Tone::blue, s < length ? 1 : 0,
                         s < length ? tokens[static_cast<std::size_t>(s)] : "");
        }
        // The last new query looks at everything that is there, itself too.
        for (Index s = 0; s + 1 < length; ++s)
            picture.arc({x(length - 1) + 31, y + 43}, {x(s) + 31, y + 43}, 9 + 7 * static_cast<double>(length - 1 - s),
                        Tone::ink, 1.5);
        words += " " + call + ": " + std::to_string(n) + (n == 1 ? " new token, " : " new tokens, ") +
                 std::to_string(rows) + " rows through the projections, " + std::to_string(length) + " keys.";
        begin = length;
        y += 96;
    }
    picture.cell({96, 334 - 8, 20, 20}, Tone::orange, 1);
    picture.label({122, 336}, "new", {.type = Type::small});
    picture.cell({176, 334 - 8, 20, 20}, Tone::blue, 1);
    picture.label({202, 336}, "kept", {.type = Type::small});
    picture.cell({256, 334 - 8, 20, 20}, Tone::blue, 0);
    picture.label({282, 336}, "room", {.type = Type::small});
    blocks.picture("08/growing", picture, words);
}

void masks(Blocks& blocks) {
    const Labels keys{"k0", "k1", "k2", "k3", "k4", "k5"};
    const Labels queries{"new 0", "new 1"};
    const Mask mask = ex08::decoding_mask({4, 1}, 2, 6);  // (2, 1, 2, 6)
    Picture picture(480, 190);
    draw_staircase(picture, {6, 12}, {"4 tokens cached", queries, keys, mask.as_strided({2, 6}, {6, 1}, 0), 52, 29});
    draw_staircase(picture, {244, 12}, {"1 token cached", queries, keys, mask.as_strided({2, 6}, {6, 1}, 12), 52, 29});
    draw_mask_key(picture, {58, 148});
    const auto seen = [&](Index b, Index t) {
        Index count = 0;
        for (Index s = 0; s < 6; ++s) count += mask(b, 0, t, s) ? 0 : 1;
        return std::to_string(count);
    };
    blocks.picture(
        "08/masks", picture,
        "Two staircases, for two sequences of one batch, each of two new tokens by six keys. With four tokens cached "
        "the new ones see " +
            seen(0, 0) + " and " + seen(0, 1) + " keys; with one cached they see " + seen(1, 0) + " and " + seen(1, 1) +
            ".");
}

void kv_cache_pictures(Blocks& blocks) {
    growing(blocks);
    masks(blocks);
}

const Announced announced{&kv_cache_pictures};

}  // namespace
}  // namespace headway::lessons
