#pragma once

#include "student/student.hpp"

#include <optional>

namespace headway::judge {

/// What the student's contiguous_strides gives for this shape; nothing if it throws, or if they lead out of a storage
/// of so many numbers whatever the shape.
std::optional<Strides> own_strides(Student& student, const Shape& shape, Index storage_size);

}  // namespace headway::judge
