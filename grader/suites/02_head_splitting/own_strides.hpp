#pragma once

#include "student/student.hpp"

#include <optional>

namespace headway::judge {

/// What the student's contiguous_strides gives for this shape. Nothing if it throws, or gives other than one stride an
/// axis, each from 0 to storage_size: sums of larger ones might overflow where they are laid over a tensor of ours.
std::optional<Strides> own_strides(Student& student, const Shape& shape, Index storage_size);

}  // namespace headway::judge
