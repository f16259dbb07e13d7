#pragma once

#include "student/student.hpp"

#include <vector>

namespace headway::judge {

// The same numbers, laid out otherwise.

/// In a storage of the same size, the first axis dense: nothing more to send.
Tensor column_major(const Tensor& tensor);
/// As a slice: an offset, and a gap behind each row. Reading past a row's end meets NaN.
Tensor sliced(const Tensor& tensor);
/// Of four axes, as splitting into heads leaves them: (B, T, H, d) in memory, behind another sequence. Of others only
/// behind another slice of the first axis.
Tensor heads_as_split(const Tensor& tensor);
/// The numbers of a row lie side by side, but the rows in another order: only the last axis is dense.
Tensor rows_in_another_order(const Tensor& tensor);
/// The rows lie in their order, but with a gap behind each number: only the last axis is not dense.
Tensor with_gaps_in_rows(const Tensor& tensor);
/// Next to each other: contiguous() of such a tensor is the tensor itself.
Tensor dense(const Tensor& tensor);

/// What stands first along an axis, there everywhere, in one piece of memory: a stride of 0.
Tensor repeated_along(const Tensor& tensor, Index axis);

/// The arguments that are defined tensors, or also those in records, such as parameters.
enum class Nested { not_those, too };
std::vector<Tensor*> tensors_in(Arguments& arguments, Nested nested = Nested::not_those);

}  // namespace headway::judge
