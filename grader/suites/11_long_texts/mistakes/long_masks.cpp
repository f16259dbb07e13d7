// How windows, global tokens, causality and padding are joined in one mask.
#include "suites/11_long_texts/windows.hpp"

#include "diagnosis/catalogue.hpp"

namespace headway::diagnosis {
namespace {

constexpr const char* joined_and_cut =
    "open where the window or a global token opens it; never the future, never padding";

constexpr const char* mask_axes = "(B, 1, T, S) with padding, (T, S) without";

}  // namespace

namespace chapters {

Chapter long_masks() {
    static constexpr Decision decisions[] = {
        {.id = "long_mask",
         .stage = Stage::mask,
         .lesson = {{"11", "Global tokens"}},
         .pseudocode = "!(!window | !global) | causal_mask(T, S) | padding: (B, 1, T, S)"},
        {.id = "long_mask_axes",
         .stage = Stage::mask,
         .lesson = {{"11", in_the_header}},
         .pseudocode = "(T, S) without padding; with padding (B, 1, T, S)"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "window_and_global",
         .decision = "long_mask",
         .title = "open is only what window and global tokens both open",
         .right = joined_and_cut,
         .symptom = "without global tokens nothing is open",
         .question = "True means blocked: what does | do to what is open?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().sees = [](const Windows::Sight& sight) {
                     return sight.window && sight.global && !sight.future && !sight.padding;
                 };
             }},
        {.id = "window_left_out",
         .decision = "long_mask",
         .title = "the window opens nothing: only global tokens do",
         .right = joined_and_cut,
         .symptom = "a token does not see itself",
         .question = "Where does your mask ask for the window?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().sees = [](const Windows::Sight& sight) {
                     return sight.global && !sight.future && !sight.padding;
                 };
             }},
        {.id = "globals_left_out",
         .decision = "long_mask",
         .title = "global tokens open nothing: only the window does",
         .right = joined_and_cut,
         .symptom = "right without global tokens",
         .question = "Where does your mask ask for global tokens?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().sees = [](const Windows::Sight& sight) {
                     return sight.window && !sight.future && !sight.padding;
                 };
             }},
        {.id = "globals_see_the_future",
         .decision = "long_mask",
         .title = "global tokens see the future, and are seen before they have come",
         .right = joined_and_cut,
         .symptom = "training looks brilliant: the answer is in sight",
         .question = "Is a global token of a causal model allowed to look ahead?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().sees = [](const Windows::Sight& sight) {
                     return (sight.global || (sight.window && !sight.future)) && !sight.padding;
                 };
             }},
        {.id = "padding_seen",
         .decision = "long_mask",
         .title = "padding is seen",
         .right = joined_and_cut,
         .symptom = "right without padding",
         .question = "Where is padding cut off?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().sees = [](const Windows::Sight& sight) {
                     return (sight.window || sight.global) && !sight.future;
                 };
             }},
        {.id = "padding_seen_by_globals",
         .decision = "long_mask",
         .title = "padding is cut from the window alone: where a global token opens it, it is seen",
         .right = joined_and_cut,
         .symptom = "right without padding, or without global tokens",
         .question = "In which order do you join and cut?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().sees = [](const Windows::Sight& sight) {
                     return ((sight.window && !sight.padding) || sight.global) && !sight.future;
                 };
             }},
        {.id = "padding_sees_nothing",
         .decision = "long_mask",
         .title = "queries that are padding see nothing: padding is cut from rows as well",
         .right = joined_and_cut,
         .symptom = "rows of padding are zeros, and nobody should care; but they are not what was asked for",
         .question = "Is padding a matter of keys or of queries?",
         .make =
             [](Choices& c) {
                 c.change<Windows>().sees = [](const Windows::Sight& sight) {
                     return (sight.window || sight.global) && !sight.future && !sight.padding &&
                            !sight.query_is_padding;
                 };
             }},
        {.id = "long_masks_inverted",
         .decision = "long_mask",
         .title = "true and false are swapped: open is blocked",
         .right = "true means \"may not attend\"",
         .symptom = "a token sees only what it should not",
         .question = "What does true mean in a mask?",
         .make = [](Choices& c) { c.change<Windows>().inverted = true; }},
        {.id = "long_mask_always_of_four_axes",
         .decision = "long_mask_axes",
         .title = "without padding, too, the mask has four axes: (1, 1, T, S) in place of (T, S)",
         .right = mask_axes,
         .symptom = "it broadcasts where it is used, but it is not what was asked for",
         .question = "Which shape comes back for Mask{}?",
         .make = [](Choices& c) { c.change<Windows>().axes = Windows::Axes::always_four; }},
        {.id = "long_mask_without_axis_of_heads",
         .decision = "long_mask_axes",
         .title = "with padding, the mask is (B, T, S): it has no axis for the heads",
         .right = mask_axes,
         .symptom = "under (B, H, T, S) the axis of sequences meets that of heads",
         .question = "Which axis of (B, H, T, S) does the first of three meet?",
         .make = [](Choices& c) { c.change<Windows>().axes = Windows::Axes::never_of_heads; }},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
