#pragma once

#include "grading/read_sources.hpp"

/// What the declaration of a name shows of why the line failed that uses it: what it holds, or that it holds nothing.
namespace headway::cli {

/// Where a Tensor or Mask is used that was declared without a value: names it, and its line.
void tell_what_holds_nothing(verdict::Failure& failure, const ReadSources& sources);

/// Where a std::optional is asked that nothing ever gives a value, or only what asks first whether it has one.
void tell_what_an_optional_lacks(verdict::Failure& failure, const ReadSources& sources);

/// Where Tensor::of gets more numbers than it needs of a list that begins with elements and grows by push_back.
void tell_what_a_list_begins_with(verdict::Failure& failure, const ReadSources& sources);

/// Where the program crashes at an element by a pointer that is data() of a Tensor declared without a value.
void tell_what_a_pointer_points_to(verdict::Failure& failure, const ReadSources& sources);

/// Where the function reads x.shape()[-1].
void tell_what_has_no_element_below_0(verdict::Failure& failure, const ReadSources& sources);

/// Where a child is registered before it was made, and the function made one that nothing keeps.
void tell_which_child_is_not_kept(verdict::Failure& failure, const ReadSources& sources);

}  // namespace headway::cli
