#pragma once

#include "suites/10_tiled_attention/inputs.hpp"

#include "student/student.hpp"

#include <optional>

namespace headway::judge::tiled {

/// Expects attention of the student's tiled_attention, or what follows from the student's own absorb and the others.
void expect_attention(Student& student, const Inputs& in, const Mask& mask, bool causal, Index tile);

/// Masks, with causal = true and without. Where causal is wrong without the mask too, the mask is judged without
/// causal, and what is wrong is left to the test of causality.
class MaskedQuestions {
public:
    explicit MaskedQuestions(Student& student) : student_(student) {}

    void expect_masked(const Inputs& in, const Mask& mask, bool causal, Index tile);

    /// Asks once more what was left: it costs a point here, too, unless another test finds a function wrong.
    void leave_to_others();

private:
    struct Left {
        Inputs in;
        Mask mask;
        Index tile;
    };

    bool is_right_without_mask(const Inputs& in, Index tile);

    Student& student_;
    std::optional<Left> left_;
};

}  // namespace headway::judge::tiled
