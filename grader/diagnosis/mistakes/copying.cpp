// contiguous in exercise 02.
#include "diagnosis/chapters.hpp"
#include "diagnosis/moving.hpp"

#include <algorithm>
#include <functional>

namespace headway::diagnosis {
namespace {

/// The numbers in the order of memory, from `begin` on, as a fresh tensor of this shape.
Tensor copy_of_storage(const Tensor& x, Index begin) {
    const Index count = std::min(x.numel(), x.storage_size() - begin);
    Tensor copy = Tensor::zeros(x.shape());
    std::copy_n(x.data() - x.offset() + begin, count, copy.data());
    return copy;
}

/// Number n of the copy is the n-th of x, where the first axis runs fastest.
Tensor column_major_copy(const Tensor& x) {
    Tensor copy = Tensor::zeros(x.shape());
    for (Index n = 0; n < x.numel(); ++n) {
        Index rest = n, position = 0;
        for (std::size_t axis = 0; axis < x.shape().size(); ++axis) {
            position += rest % x.shape()[axis] * x.strides()[axis];
            rest /= x.shape()[axis];
        }
        copy.data()[n] = x.data()[position];
    }
    return copy;
}

constexpr const char* right_test = "return x itself if x.is_contiguous(), and a copy only if not";

constexpr const char* right_copy =
    "a fresh tensor with row-major strides: element [i, j, ...] of x becomes its element [i, j, ...]";

}  // namespace

Chapter chapters::copying() {
    static constexpr Decision decisions[] = {
        {.id = "contiguous_if",
         .stage = Stage::none,
         .lesson = {{"02", "As a formula"}},
         .pseudocode = "if (x.is_contiguous()) return x;  // no copy"},
        {.id = "contiguous_copy",
         .stage = Stage::none,
         .lesson = {{"02", "As a formula"}},
         .pseudocode = "for each index, in row-major order: copy[n++] = storage[offset + Σ i·stride]"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "contiguous_always_copies",
         .decision = "contiguous_if",
         .title = "contiguous copies what is contiguous already",
         .right = right_test,
         .symptom = "right numbers; memory and time for nothing",
         .question = "What does your function do with a fresh tensor?",
         .make = [](Choices& c) { c.moving.packing.is_dense = [](const Tensor&) { return false; }; }},
        {.id = "contiguous_never_copies",
         .decision = "contiguous_if",
         .title = "contiguous returns x as it is, whatever its strides",
         .right = right_test,
         .symptom = "a view of the result is refused, and data() is in another order",
         .question = "Which strides has your result for a transposed matrix?",
         .make = [](Choices& c) { c.moving.packing.is_dense = [](const Tensor&) { return true; }; }},
        {.id = "contiguous_looks_at_the_last_axis_only",
         .decision = "contiguous_if",
         .title = "contiguous takes a tensor for contiguous as soon as its last axis is dense",
         .right = right_test,
         .symptom = "split heads stay scattered",
         .question = "Which strides has x.transpose(0, 1) of a tensor of rank 3?",
         .make =
             [](Choices& c) {
                 c.moving.packing.is_dense = [](const Tensor& x) {
                     return x.strides().back() == 1 || x.is_contiguous();
                 };
             }},
        {.id = "contiguous_takes_falling_strides_for_dense",
         .decision = "contiguous_if",
         .title = "contiguous takes a tensor for contiguous as soon as no stride is larger than the one before it",
         .right = right_test,
         .symptom = "right for transposed tensors; a slice with gaps, or a single column, is returned as it is",
         .question = "Which strides have the first 2 columns of a (3, 4), and which strides has a fresh (3, 2)?",
         .make =
             [](Choices& c) {
                 c.moving.packing.is_dense = [](const Tensor& x) {
                     return x.is_contiguous() || std::ranges::is_sorted(x.strides(), std::ranges::greater{});
                 };
             }},
        {.id = "contiguous_copies_slices",
         .decision = "contiguous_if",
         .title = "contiguous copies a slice that is contiguous but starts in mid-storage",
         .right = right_test,
         .symptom = "right numbers; memory and time for nothing",
         .question = "Is x.slice(0, 1, 3) contiguous?",
         .make =
             [](Choices& c) {
                 c.moving.packing.is_dense = [](const Tensor& x) { return x.is_contiguous() && x.offset() == 0; };
             }},
        {.id = "contiguous_counts_instead_of_looking",
         .decision = "contiguous_if",
         .title = "contiguous takes a tensor for contiguous if it shows all of its storage",
         .right = right_test,
         .symptom = "a transposed matrix stays as it is",
         .question = "How many numbers does a transposed matrix show?",
         .make =
             [](Choices& c) {
                 c.moving.packing.is_dense = [](const Tensor& x) { return x.numel() == x.storage_size(); };
             }},
        {.id = "contiguous_keeps_the_strides",
         .decision = "contiguous_copy",
         .title = "contiguous copies the numbers and keeps the old strides, as clone() does",
         .right = right_copy,
         .symptom = "right numbers; a view of the result is still refused",
         .question = "Which strides has your result for a transposed matrix?",
         .make = [](Choices& c) { c.moving.packing.copy = [](const Tensor& x) { return x.clone(); }; }},
        {.id = "contiguous_copies_in_storage_order",
         .decision = "contiguous_copy",
         .title = "contiguous copies the numbers in the order of storage",
         .right = right_copy,
         .symptom = "right strides; the numbers of a transposed matrix stand in other places",
         .question = "In which order does storage hold the numbers of a transposed matrix?",
         .make =
             [](Choices& c) {
                 c.moving.packing.copy = [](const Tensor& x) { return copy_of_storage(x, x.offset()); };
             }},
        {.id = "contiguous_counts_the_first_axis_fastest",
         .decision = "contiguous_copy",
         .title = "contiguous walks through x column-major: its first axis runs fastest, not its last",
         .right = right_copy,
         .symptom =
             "right strides; the numbers of an x that is copied and has two axes longer than 1 stand in other places",
         .question = "Number 0 of the copy is x[0, 0, 0]: is number 1 x[0, 0, 1] or x[1, 0, 0]?",
         .make = [](Choices& c) { c.moving.packing.copy = &column_major_copy; }},
        {.id = "contiguous_copies_the_beginning_of_the_storage",
         .decision = "contiguous_copy",
         .title = "contiguous copies the storage from its beginning",
         .right = right_copy,
         .symptom = "right strides; strides and offset of x are ignored",
         .question = "Which of x's strides appear in your loop?",
         .make = [](Choices& c) { c.moving.packing.copy = [](const Tensor& x) { return copy_of_storage(x, 0); }; }},
        {.id = "contiguous_forgets_the_offset",
         .decision = "contiguous_copy",
         .title = "contiguous walks along the strides from the beginning of the storage",
         .right = "start at x.offset()",
         .symptom = "right for transposed tensors, other numbers for slices",
         .question = "Where in its storage does x.slice(2, 1, 4) begin?",
         .make =
             [](Choices& c) {
                 c.moving.packing.copy = [](const Tensor& x) { return row_major_copy(with_offset_0(x)); };
             }},
        {.id = "contiguous_only_changes_the_strides",
         .decision = "contiguous_copy",
         .title = "contiguous gives x row-major strides without moving a number",
         .right = right_copy,
         .symptom = "the numbers of a transposed matrix stand in other places",
         .question = "In which order does storage hold the numbers of a transposed matrix?",
         .make =
             [](Choices& c) {
                 c.moving.packing.copy = [](const Tensor& x) { return x.as_strided(x.shape(), row_major(x.shape())); };
             }},
        {.id = "contiguous_sorts_x_in_place",
         .decision = "contiguous_copy",
         .title = "contiguous writes the row-major order back into the storage of x",
         .right = right_copy,
         .symptom = "the caller's x, and every other view of it, holds other numbers than before",
         .question = "Who else sees the storage that you write to?",
         .make =
             [](Choices& c) {
                 c.moving.packing.copy = [](const Tensor& x) {
                     const Tensor ordered = row_major_copy(x);
                     Tensor sorted = x.as_strided(x.shape(), row_major(x.shape()));
                     sorted.copy_from(ordered);
                     return sorted;
                 };
             }},
    };
    return {decisions, mistakes};
}

}  // namespace headway::diagnosis
