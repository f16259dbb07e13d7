// transpose in exercise 02.
#include "diagnosis/chapters.hpp"
#include "diagnosis/moving.hpp"

#include <algorithm>

namespace headway::diagnosis {
namespace {

constexpr const char* right_swap = "swap the sizes and the strides of the two axes";

Layout swapped_last_two(const Layout& x, std::size_t, std::size_t) {
    Layout layout = x;
    for (std::vector<Index>* list : {&layout.shape, &layout.strides})
        if (list->size() > 1) std::iter_swap(list->rbegin(), list->rbegin() + 1);
    return layout;
}

}  // namespace

Chapter chapters::moving_axes() {
    static constexpr Decision decisions[] = {
        {.id = "transpose_axes",
         .stage = Stage::none,
         .lesson = {{"02", in_the_header}},
         .pseudocode = "if (axis < 0 or axis >= x.rank()) throw std::out_of_range"},
        {.id = "transpose_swap",
         .stage = Stage::none,
         .lesson = {{"02", "As a formula"}},
         .pseudocode = "swap(shape[axis0], shape[axis1]); swap(strides[axis0], strides[axis1])"},
        {.id = "transpose_storage",
         .stage = Stage::none,
         .lesson = {{"02", "As a formula"}},
         .pseudocode = "x.as_strided(shape, strides, x.offset())"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "transpose_accepts_missing_axes",
         .decision = "transpose_axes",
         .title = "an axis that does not exist is not refused",
         .right = "throw std::invalid_argument or std::out_of_range",
         .symptom = "another axis is swapped, or memory behind the shape is read and written",
         .question = "What does your transpose do with axis 4 of a tensor of rank 4?",
         .make = [](Choices& c) { c.moving.transposing.checks_axes = false; }},
        {.id = "transpose_empties_an_axis_with_itself",
         .decision = "transpose_swap",
         .title = "an axis that changes places with itself gets size 0: x ^= x is 0",
         .right = right_swap,
         .symptom = "right until both axes are one",
         .question = "What do your three steps do where axis0 and axis1 are the same?",
         .make =
             [](Choices& c) {
                 c.moving.transposing.swap = [](const Layout& x, std::size_t a, std::size_t b) {
                     if (a != b) return right().moving.transposing.swap(x, a, b);
                     Layout layout = x;
                     layout.shape[a] = layout.strides[a] = 0;
                     return layout;
                 };
             }},
        {.id = "transpose_swaps_only_the_shape",
         .decision = "transpose_swap",
         .title = "transpose swaps the sizes but not the strides",
         .right = right_swap,
         .symptom = "the shape is right; the numbers are not, or are refused by as_strided",
         .question = "How far apart in storage do two neighbours along axis0 of the result lie?",
         .make =
             [](Choices& c) {
                 c.moving.transposing.swap = [](const Layout& x, std::size_t a, std::size_t b) {
                     Layout layout = x;
                     std::swap(layout.shape[a], layout.shape[b]);
                     return layout;
                 };
             }},
        {.id = "transpose_swaps_only_the_strides",
         .decision = "transpose_swap",
         .title = "transpose swaps the strides but not the sizes",
         .right = right_swap,
         .symptom = "invisible in square matrices, except that the numbers are cut off elsewhere",
         .question = "Which shape should your result have?",
         .make =
             [](Choices& c) {
                 c.moving.transposing.swap = [](const Layout& x, std::size_t a, std::size_t b) {
                     Layout layout = x;
                     std::swap(layout.strides[a], layout.strides[b]);
                     return layout;
                 };
             }},
        {.id = "transpose_loses_a_stride",
         .decision = "transpose_swap",
         .title = "transpose gives both axes the stride of axis1: the first is overwritten before it is copied",
         .right = right_swap,
         .symptom = "the shape is right; numbers stand twice in the result, and others not at all",
         .question = "Which number does your second assignment copy, after the first one?",
         .make =
             [](Choices& c) {
                 c.moving.transposing.swap = [](const Layout& x, std::size_t a, std::size_t b) {
                     Layout layout = x;
                     std::swap(layout.shape[a], layout.shape[b]);
                     layout.strides[a] = layout.strides[b];
                     return layout;
                 };
             }},
        {.id = "transpose_loses_a_size",
         .decision = "transpose_swap",
         .title = "transpose gives both axes the size of axis1: the first is overwritten before it is copied",
         .right = right_swap,
         .symptom = "right for square matrices; else numbers are missing or do not exist",
         .question = "Which number does your second assignment copy, after the first one?",
         .make =
             [](Choices& c) {
                 c.moving.transposing.swap = [](const Layout& x, std::size_t a, std::size_t b) {
                     Layout layout = x;
                     std::swap(layout.strides[a], layout.strides[b]);
                     layout.shape[a] = layout.shape[b];
                     return layout;
                 };
             }},
        {.id = "transpose_takes_x_for_row_major",
         .decision = "transpose_swap",
         .title = "transpose swaps the row-major strides of x's shape, not those that x has",
         .right = "swap x.strides(): x may be a view, a transposed one too",
         .symptom = "right for tensors that are contiguous; transposing twice does not give x back",
         .question = "What are the strides of a tensor that is transposed already?",
         .make =
             [](Choices& c) {
                 c.moving.transposing.swap = [](const Layout& x, std::size_t a, std::size_t b) {
                     Layout layout{x.shape, row_major(x.shape), x.offset};
                     std::swap(layout.shape[a], layout.shape[b]);
                     std::swap(layout.strides[a], layout.strides[b]);
                     return layout;
                 };
             }},
        {.id = "transpose_is_a_reshape",
         .decision = "transpose_swap",
         .title = "transpose gives x the swapped shape with row-major strides",
         .right = right_swap,
         .symptom = "the shape is right; no number changes its place in reading order",
         .question = "Which numbers stand in the first row of your result?",
         .make =
             [](Choices& c) {
                 c.moving.transposing.swap = [](const Layout& x, std::size_t a, std::size_t b) {
                     Shape shape = x.shape;
                     std::swap(shape[a], shape[b]);
                     return Layout{shape, row_major(shape), x.offset};
                 };
             }},
        {.id = "transpose_moves_the_axis",
         .decision = "transpose_swap",
         .title = "axis0 moves to the place of axis1 and the axes between shift, as in NumPy's moveaxis",
         .right = right_swap,
         .symptom = "invisible for neighbouring axes",
         .question = "Where does the axis between axis0 and axis1 stand afterwards?",
         .make =
             [](Choices& c) {
                 c.moving.transposing.swap = [](const Layout& x, std::size_t a, std::size_t b) {
                     Layout layout = x;
                     for (std::vector<Index>* list : {&layout.shape, &layout.strides}) {
                         const auto from = list->begin() + static_cast<Index>(a),
                                    to = list->begin() + static_cast<Index>(b);
                         if (from < to)
                             std::rotate(from, from + 1, to + 1);
                         else
                             std::rotate(to, from, from + 1);
                     }
                     return layout;
                 };
             }},
        {.id = "transpose_reverses_the_range",
         .decision = "transpose_swap",
         .title = "all axes from axis0 to axis1 are turned around, not these two swapped",
         .right = right_swap,
         .symptom = "invisible for axes that are at most two apart",
         .question = "Where do the axes between axis0 and axis1 stand afterwards?",
         .make =
             [](Choices& c) {
                 c.moving.transposing.swap = [](const Layout& x, std::size_t a, std::size_t b) {
                     Layout layout = x;
                     for (std::vector<Index>* list : {&layout.shape, &layout.strides})
                         std::reverse(list->begin() + static_cast<Index>(std::min(a, b)),
                                      list->begin() + static_cast<Index>(std::max(a, b)) + 1);
                     return layout;
                 };
             }},
        {.id = "transpose_always_swaps_the_last_two",
         .decision = "transpose_swap",
         .title = "transpose swaps the last two axes, whichever two are asked for",
         .right = right_swap,
         .symptom = "right for matrices only",
         .question = "Where in your transpose do axis0 and axis1 appear?",
         .make =
             [](Choices& c) {
                 c.moving.transposing.swap = [](const Layout& x, std::size_t a, std::size_t b) {
                     return a == b ? x : swapped_last_two(x, a, b);
                 };
             }},
        {.id = "transpose_ignores_its_axes",
         .decision = "transpose_swap",
         .title = "transpose swaps the last two axes, even where axis0 and axis1 are one",
         .right = right_swap,
         .symptom = "right for matrices only",
         .question = "Where in your transpose do axis0 and axis1 appear?",
         .make = [](Choices& c) { c.moving.transposing.swap = &swapped_last_two; }},
        {.id = "transpose_reverses_all_axes",
         .decision = "transpose_swap",
         .title = "transpose turns the order of all axes around, as NumPy's .T",
         .right = right_swap,
         .symptom = "right for matrices only",
         .question = "Where in your transpose do axis0 and axis1 appear?",
         .make =
             [](Choices& c) {
                 c.moving.transposing.swap = [](const Layout& x, std::size_t, std::size_t) {
                     Layout layout = x;
                     std::reverse(layout.shape.begin(), layout.shape.end());
                     std::reverse(layout.strides.begin(), layout.strides.end());
                     return layout;
                 };
             }},
        {.id = "transpose_copies",
         .decision = "transpose_storage",
         .title = "transpose moves the numbers into new storage",
         .right = "share storage: as_strided with swapped sizes and strides",
         .symptom = "right numbers; writing to the result does not reach x",
         .question = "Which line of your transpose allocates?",
         .make = [](Choices& c) { c.moving.transposing.result = &row_major_copy; }},
        {.id = "transpose_drops_the_offset",
         .decision = "transpose_storage",
         .title = "transpose starts at the beginning of the storage",
         .right = "start at x.offset()",
         .symptom = "right for fresh tensors, other numbers for slices",
         .question = "Where in its storage does x.slice(0, 1, 3) begin?",
         .make = [](Choices& c) { c.moving.transposing.result = &with_offset_0; }},
    };
    return {decisions, mistakes};
}

}  // namespace headway::diagnosis
