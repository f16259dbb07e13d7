#include "student/repeated.hpp"

#include "student/expect.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace headway::judge {
namespace {

/// Of the largest number: four times this (see tolerance()) is what a sum of 160 such numbers may lose.
constexpr double lost_in_sums = 40 * reference::unit_roundoff;

bool equal(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// How far the answer at `i` may be from what it should be, where somebody knows that. What cannot be rounded, such as
/// the weight of a blocked key, stays as it is.
double bound(const reference::Array& right, std::size_t i, double answered, double otherwise) {
    if (!std::isfinite(right.error[i])) return otherwise;
    return right.error[i] == 0 && right.value[i] == answered ? 0 : std::max(otherwise, right.error[i]);
}

}  // namespace

reference::Array repeated(reference::Array answered) {
    double largest = 0;
    for (const double number : answered.value)
        if (std::isfinite(number)) largest = std::max(largest, std::abs(number));
    answered.error.assign(answered.value.size(), lost_in_sums * largest);
    return answered;
}

reference::Array repeated(const Tensor& answered) { return repeated(reference::exact(answered)); }

bool may_repeat(const reference::Array& first, const reference::Array& second, const reference::Array* right) {
    if (first.shape != second.shape || first.value.size() != second.value.size()) return false;
    const bool bounded = right != nullptr && right->shape == first.shape && right->error.size() == first.value.size();
    const reference::Array expected = repeated(first);
    for (std::size_t i = 0; i < first.value.size(); ++i) {
        if (equal(first.value[i], second.value[i])) continue;
        if (!std::isfinite(first.value[i])) return false;
        const double error = bounded ? bound(*right, i, first.value[i], expected.error[i]) : expected.error[i];
        if (!close(second.value[i], first.value[i], tolerance(first.value[i], error), 0)) return false;
    }
    return true;
}

}  // namespace headway::judge
