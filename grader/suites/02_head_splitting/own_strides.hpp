#pragma once

#include "student/student.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace headway::judge {

/// What the student's contiguous_strides gives for this shape. Nothing if it throws, or gives other than one stride an
/// axis, each from 0 to storage_size: sums of larger ones might overflow where they are laid over a tensor of ours.
std::optional<Strides> own_strides(Student& student, const Shape& shape, Index storage_size);

/// What a check of a function finds that may use contiguous_strides of this shape says nothing where these are wrong.
void beside_own_strides(Student& student, const Shape& shape, const std::function<void()>& check);

/// Calls of a function that may lay the student's own strides over x: where these are wrong, as_strided may refuse
/// them, and the function was right to ask.
class RefusedStrides {
public:
    /// @param functions  what the function may be built of
    RefusedStrides(Student& student, std::vector<std::string> functions)
        : student_(student), functions_(std::move(functions)) {}

    /// Makes a check, which fails unless as_strided was what refused: this shape, with the student's strides of it.
    void beside(const Shape& shape, const std::function<void()>& check);
    bool any() const { return first_.has_value(); }
    /// At the end of the test: it passes, given `functions`, if some check came to its end. Else nothing can be judged.
    void settle();

private:
    Student& student_;
    std::vector<std::string> functions_;
    std::optional<verdict::Failure> first_;
    bool some_were_made_ = false;
};

}  // namespace headway::judge
