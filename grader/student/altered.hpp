#pragma once

#include "student/layouts.hpp"

#include <headway/random.hpp>

#include <optional>

/// Arguments that are nearly those of another call.
namespace headway::judge {

/// Which of its numbers is changed: neither the first nor the last, and nobody knows which before the numbers are
/// drawn.
Index place_in(const Tensor& tensor);
/// Another number in one place: the shape, and what stands first and last, are as before.
Tensor nearly_the_same(const Tensor& tensor);
/// Two of its numbers exchanged: their sum, and any other that does not ask for their order, is as before.
Tensor with_two_exchanged(const Tensor& tensor);

/// With each tensor in that form.
Arguments each(Arguments arguments, Tensor form(const Tensor&), Nested nested = Nested::not_those);
/// One tensor dense, the next not, so that the strides of one are no good for another.
Arguments each_in_its_own_layout(Arguments arguments);

/// Arguments of the same shapes with other numbers.
Arguments with_other_numbers(const Arguments& arguments);

/// The same call with masks drawn anew, half of each blocked; nothing if it has none.
std::optional<Arguments> with_other_masks(Arguments arguments, Random& random);

}  // namespace headway::judge
