#include "suites/02_head_splitting/axis_below_zero.hpp"

#include "reference/array.hpp"
#include "student/expect.hpp"

#include <string>
#include <utility>
#include <variant>

namespace headway::judge {
namespace {

using verdict::FailureKind;

/// x.size(-1) does not refuse -1, so that a check by it lets such an axis through, and shape[-1] is memory before the
/// vector's. If that ends the program, the failure says why.
Outcome asked_below_zero(Student& student, const Tensor& x) {
    try {
        return student.outcome("transpose", {{"x", x}, {"axis0", Index{-1}}, {"axis1", Index{1}}});
    } catch (const StopTest& stop) {
        if (!stop.failure || (stop.failure->kind != FailureKind::sanitizer && stop.failure->kind != FailureKind::crash))
            throw;
        verdict::Failure failure = *stop.failure;
        failure.kind = FailureKind::wrong_behaviour;
        failure.stage = Stage::split;
        failure.message =
            "an axis below 0 is neither refused nor counted from the end: with axis0 = -1, " + failure.message;
        fail(std::move(failure));
    }
}

}  // namespace

void expect_axis_below_zero(Student& student, const Tensor& x) {
    const Outcome outcome = asked_below_zero(student, x);
    const auto* turned = std::get_if<Tensor>(&outcome.value);
    if (turned == nullptr) return;
    const Tensor right = x.transpose(-1, 1);
    expect(turned->shape() == right.shape(), Stage::split,
           "you let axes below 0 count from the end, so -1 must be the last one, axis + rank: transpose(x, -1, 1) "
           "should have the shape " +
               headway::to_string(right.shape()) + ", and yours has " + headway::to_string(turned->shape()));
    expect_close(student, {"numbers", Stage::split, {"axis 0", "axis 1", "axis 2", "axis 3"}}, *turned,
                 reference::exact(right));
}

}  // namespace headway::judge
