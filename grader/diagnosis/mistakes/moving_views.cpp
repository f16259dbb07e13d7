// Strides and views in exercise 02.
#include "diagnosis/chapters.hpp"
#include "diagnosis/moving.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace headway::diagnosis {
namespace {

constexpr const char* right_strides = "the last axis is dense; each other stride is the product of the sizes behind it";

/// Strides whose product is taken in another type.
template <class Narrow>
Strides narrow_strides(const Shape& shape) {
    Strides strides = row_major(shape);
    for (Index& stride : strides) stride = static_cast<Narrow>(stride);
    return strides;
}

}  // namespace

Chapter chapters::moving_views() {
    static constexpr Decision decisions[] = {
        {.id = "strides",
         .stage = Stage::none,
         .lesson = {{"02", "As a formula"}},
         .pseudocode = "strides[last] = 1;  strides[a] = strides[a + 1] · shape[a + 1];  () → ()"},
        {.id = "view_count",
         .stage = Stage::none,
         .lesson = {{"02", in_the_header}},
         .pseudocode = "if (product of shape != x.numel()) throw std::invalid_argument"},
        {.id = "view_strides",
         .stage = Stage::none,
         .lesson = {{"02", "Right shape, wrong numbers"}},
         .pseudocode = "if (!x.is_contiguous()) throw std::invalid_argument"},
        {.id = "view_storage",
         .stage = Stage::none,
         .lesson = {{"02", "As a formula"}},
         .pseudocode = "x.as_strided(shape, contiguous_strides(shape), x.offset())"},
    };
    static constexpr Mistake mistakes[] = {
        // ---- contiguous_strides ----
        {.id = "strides_first_axis_dense",
         .decision = "strides",
         .title = "the first axis is dense: each stride is the product of the sizes before it, as in Fortran",
         .right = right_strides,
         .symptom = "numbers land in column order",
         .question = "How far apart in storage do two neighbours of a row lie?",
         .make =
             [](Choices& c) {
                 c.moving.strides = [](const Shape& shape) {
                     Strides strides(shape.size());
                     std::exclusive_scan(shape.begin(), shape.end(), strides.begin(), Index{1}, std::multiplies<>());
                     return strides;
                 };
             }},
        {.id = "strides_back_to_front",
         .decision = "strides",
         .title = "strides are collected from the last axis to the first and never turned around",
         .right = right_strides,
         .symptom = "invisible for vectors; else rows and columns are mixed up",
         .question = "Which stride stands first in your list, and which axis does it belong to?",
         .make =
             [](Choices& c) {
                 c.moving.strides = [](const Shape& shape) {
                     Strides strides = row_major(shape);
                     std::reverse(strides.begin(), strides.end());
                     return strides;
                 };
             }},
        {.id = "strides_off_by_one_axis",
         .decision = "strides",
         .title = "each stride includes the size of its own axis",
         .right = right_strides,
         .symptom = "the second number of a row is looked for in another row",
         .question = "How far apart in storage do two neighbours of a row lie?",
         .make =
             [](Choices& c) {
                 c.moving.strides = [](const Shape& shape) {
                     Strides strides = row_major(shape);
                     for (std::size_t axis = 0; axis < shape.size(); ++axis) strides[axis] *= shape[axis];
                     return strides;
                 };
             }},
        {.id = "strides_multiply_their_own_size",
         .decision = "strides",
         .title = "each stride is multiplied by the size of its own axis instead of the axis after it",
         .right = "strides[a] = strides[a + 1] · shape[a + 1]: the product of the sizes behind",
         .symptom = "right for vectors and square matrices; else rows overlap, or lie beyond the storage",
         .question = "How far apart in storage do two rows of a (2, 3) lie, and which of its sizes is that?",
         .make =
             [](Choices& c) {
                 c.moving.strides = [](const Shape& shape) {
                     Strides strides(shape.size(), 1);
                     for (std::size_t axis = shape.size(); axis-- > 0;)
                         if (axis + 1 < shape.size()) strides[axis] = strides[axis + 1] * shape[axis];
                     return strides;
                 };
             }},
        {.id = "strides_of_the_next_axis_only",
         .decision = "strides",
         .title = "each stride is the size of the next axis only, not the product of all sizes behind",
         .right = right_strides,
         .symptom = "right for matrices, wrong from rank 3 on",
         .question = "How many numbers lie behind one step along axis 0?",
         .make =
             [](Choices& c) {
                 c.moving.strides = [](const Shape& shape) {
                     Strides strides(shape.size(), 1);
                     for (std::size_t axis = 1; axis < shape.size(); ++axis) strides[axis - 1] = shape[axis];
                     return strides;
                 };
             }},
        {.id = "strides_in_bytes",
         .decision = "strides",
         .title = "strides are counted in bytes, as in NumPy",
         .right = "strides count elements",
         .symptom = "every step is four times too long",
         .question = "How far apart in storage do two neighbours of a row lie, in numbers?",
         .make =
             [](Choices& c) {
                 c.moving.strides = [](const Shape& shape) {
                     Strides strides = row_major(shape);
                     for (Index& stride : strides) stride *= static_cast<Index>(sizeof(float));
                     return strides;
                 };
             }},
        {.id = "strides_count_empty_axes_as_one",
         .decision = "strides",
         .title = "an axis of size 0 counts as 1 in the strides before it, as in PyTorch",
         .right = "the products of the sizes behind, 0 included: () → (), (2, 0, 3) → (0, 3, 1)",
         .symptom = "no number is lost, since there is none; strides that are compared differ",
         .question = "What is the product of the sizes behind axis 0 of (2, 0, 3)?",
         .make =
             [](Choices& c) {
                 c.moving.strides = [](const Shape& shape) {
                     Shape filled = shape;
                     for (Index& size : filled) size = std::max<Index>(size, 1);
                     return row_major(filled);
                 };
             }},
        {.id = "scalar_gets_a_stride",
         .decision = "strides",
         .title = "the shape () of a scalar gets the strides (1)",
         .right = "as many strides as axes: () → ()",
         .symptom = "as_strided refuses: shape and strides differ in rank",
         .question = "How many axes has a scalar?",
         .make =
             [](Choices& c) {
                 c.moving.strides = [](const Shape& shape) { return shape.empty() ? Strides{1} : row_major(shape); };
             }},
        {.id = "strides_in_32_bits",
         .decision = "strides",
         .title = "strides are multiplied as unsigned 32-bit integers",
         .right = "Index, which has 64 bits",
         .symptom = "right until a tensor has more than 2³² numbers",
         .question = "Which type holds your running product?",
         .make = [](Choices& c) { c.moving.strides = &narrow_strides<std::uint32_t>; }},
        {.id = "strides_in_int",
         .decision = "strides",
         .title = "strides are multiplied as int",
         .right = "Index, which has 64 bits",
         .symptom = "right until a tensor has more than 2³¹ numbers",
         .question = "Which type holds your running product?",
         .make = [](Choices& c) { c.moving.strides = &narrow_strides<std::int32_t>; }},
        // ---- view ----
        {.id = "view_without_count_check",
         .decision = "view_count",
         .title = "view refuses no element count: counts are not compared, or what is compared is always equal",
         .right = "refuse a shape with more or fewer elements than x",
         .symptom = "numbers are lost, or others of the storage appear",
         .question = "What does your view count for the shape (89), and for 90 numbers? A product begins with 1.",
         .make = [](Choices& c) { c.moving.viewing.fills = [](const Tensor&, const Shape&) { return true; }; }},
        {.id = "view_accepts_fewer",
         .decision = "view_count",
         .title = "view accepts a shape with fewer elements than x has",
         .right = "the element counts must be equal",
         .symptom = "the last numbers are lost",
         .question = "What does your view make of 90 numbers and the shape (89)?",
         .make =
             [](Choices& c) {
                 c.moving.viewing.fills = [](const Tensor& x, const Shape& shape) {
                     return Layout::contiguous(shape).numel() <= x.numel();
                 };
             }},
        {.id = "view_refuses_empty_tensors",
         .decision = "view_count",
         .title = "a tensor without elements is refused",
         .right = "0 elements fill every shape with a 0 in it",
         .symptom = "an empty batch throws",
         .question = "How many elements has the shape (0, 3), and how many has an empty x?",
         .make =
             [](Choices& c) {
                 c.moving.viewing.fills = [](const Tensor& x, const Shape& shape) {
                     return x.numel() > 0 && right().moving.viewing.fills(x, shape);
                 };
             }},
        {.id = "view_refuses_scalars",
         .decision = "view_count",
         .title = "view refuses the shape () of one number",
         .right = "() has one element: a view of one number may have no axes",
         .symptom = "a loss, which is one number, cannot be seen as such",
         .question = "How many elements has a tensor without axes?",
         .make =
             [](Choices& c) {
                 c.moving.viewing.fills = [](const Tensor& x, const Shape& shape) {
                     return !shape.empty() && right().moving.viewing.fills(x, shape);
                 };
             }},
        {.id = "view_counts_the_storage",
         .decision = "view_count",
         .title = "view compares the element count with the whole storage",
         .right = "compare with x.numel()",
         .symptom = "right for fresh tensors; every view of a slice is refused",
         .question = "What is storage_size() of a slice?",
         .make =
             [](Choices& c) {
                 c.moving.viewing.fills = [](const Tensor& x, const Shape& shape) {
                     return Layout::contiguous(shape).numel() == x.storage_size();
                 };
             }},
        {.id = "view_accepts_transposed",
         .decision = "view_strides",
         .title = "view does not look at the strides of x",
         .right = "refuse what no strides can express, such as a transposed matrix seen as one row",
         .symptom = "a transposed tensor silently comes back in the order of storage",
         .question = "In which order does storage hold the numbers of a transposed matrix?",
         .make = [](Choices& c) { c.moving.viewing.dense = [](const Tensor& x) { return x; }; }},
        {.id = "view_copies_when_strides_do_not_fit",
         .decision = "view_strides",
         .title = "view copies in secret what strides cannot express, as reshape does",
         .right = "a view shares storage or throws: never a copy",
         .symptom = "writing to the view does not reach x",
         .question = "Does writing to your result always change x?",
         .make =
             [](Choices& c) {
                 c.moving.viewing.dense = [](const Tensor& x) { return x.is_contiguous() ? x : row_major_copy(x); };
             }},
        {.id = "view_looks_at_the_last_axis_only",
         .decision = "view_strides",
         .title = "view takes x for contiguous as soon as its last axis is dense",
         .right = "every stride must be row-major",
         .symptom = "a transpose of the first axes silently comes back in the order of storage",
         .question = "Which strides has x.transpose(0, 1) of a tensor of rank 3?",
         .make =
             [](Choices& c) {
                 c.moving.viewing.dense = [](const Tensor& x) {
                     return x.strides().back() == 1 ? x : throw Refusal("view");
                 };
             }},
        {.id = "view_compares_strides",
         .decision = "view_strides",
         .title = "view compares the strides of x with row-major ones, also along axes of size 1",
         .right = "x.is_contiguous(): along an axis of size 1 nothing steps, so its stride says nothing",
         .symptom = "a column that was transposed is a row, and cannot be viewed",
         .question = "Which strides has a (3, 1) that was transposed, and which has a fresh (1, 3)?",
         .make =
             [](Choices& c) {
                 c.moving.viewing.dense = [](const Tensor& x) {
                     return x.strides() == row_major(x.shape()) ? x : throw Refusal("view");
                 };
             }},
        {.id = "view_refuses_offsets",
         .decision = "view_strides",
         .title = "view refuses a tensor that starts in mid-storage",
         .right = "an offset does not matter: only strides do",
         .symptom = "slices of a batch cannot be viewed",
         .question = "Is x.slice(0, 1, 3) contiguous?",
         .make =
             [](Choices& c) {
                 c.moving.viewing.dense = [](const Tensor& x) {
                     return x.is_contiguous() && x.offset() == 0 ? x : throw Refusal("view");
                 };
             }},
        {.id = "view_copies",
         .decision = "view_storage",
         .title = "view returns a copy",
         .right = "share storage: as_strided",
         .symptom = "right numbers; writing to the view does not reach x",
         .question = "Which line of your view allocates?",
         .make = [](Choices& c) { c.moving.viewing.result = &row_major_copy; }},
        {.id = "view_ignores_offset",
         .decision = "view_storage",
         .title = "view starts at the beginning of the storage",
         .right = "start at x.offset()",
         .symptom = "right for fresh tensors, other numbers for slices",
         .question = "Where in its storage does x.slice(0, 1, 3) begin?",
         .make = [](Choices& c) { c.moving.viewing.result = &with_offset_0; }},
        {.id = "view_shape_and_strides_swapped",
         .decision = "view_storage",
         .title = "as_strided gets the strides first and the shape second",
         .right = "x.as_strided(shape, strides): first the sizes, then the strides",
         .symptom = "a shape that nobody asked for, or an exception: the positions lie beyond the storage",
         .question = "In which order does as_strided take its arguments?",
         .make =
             [](Choices& c) {
                 c.moving.viewing.result = [](const Tensor& view) {
                     return view.as_strided(view.strides(), view.shape());
                 };
             }},
    };
    return {decisions, mistakes};
}

}  // namespace headway::diagnosis
