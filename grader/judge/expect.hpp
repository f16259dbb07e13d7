#pragma once

#include "../reference/array.hpp"
#include "test_record.hpp"

#include <headway/mask.hpp>
#include <headway/tensor.hpp>

#include <optional>
#include <string>
#include <vector>

namespace headway::judge {

/// What a check looks at: its name and axes for messages, and the stage that is wrong if it fails.
struct Looking {
    std::string at;  ///< "scores"
    Stage stage = Stage::none;
    std::vector<std::string> axes;  ///< "b", "h", "query", "key"
};

/// The comparator: |actual - expected| <= atol + rtol·|expected|, written so that NaN never passes; infinities neither.
bool close(double actual, double expected, double atol, double rtol);

/// How far from `expected` an element may be: a multiple of the forward error bound, for float32 rounding that the
/// bound does not see, such as products of intermediate results in another order.
double tolerance(double expected, double error_bound);

/// Nothing if `actual` has the shape and, within tolerance, the numbers of `expected`; else what differs.
std::optional<verdict::Failure> difference(const Looking& looking, const Tensor& actual,
                                           const reference::Array& expected);

/// Ends the test with that difference, if there is one.
void expect_close(const Looking& looking, const Tensor& actual, const reference::Array& expected);

/// Right if `actual` is what it should be, or what follows from the student's own answers from other `functions`.
/// The second passes on credit: it stands only if another test finds one of those functions wrong.
/// @param from_own  nothing if the student's answers are of no use
void expect_close_given(const Looking& looking, const Tensor& actual, const reference::Array& expected,
                        const std::vector<std::string>& functions, const std::optional<reference::Array>& from_own);

/// The test passes for now; `failure` stands only if no other test finds one of `functions` wrong.
void pass_on_credit(const std::vector<std::string>& functions, verdict::Failure failure);

/// Numbers that a submission gave, with room for having computed their inputs in another order.
reference::Array own(const Tensor& tensor);

void expect_shape(const Looking& looking, const Shape& actual, const Shape& expected);

/// Every entry equal; `Mask{}` never is.
void expect_mask(const Looking& looking, const Mask& actual, const Mask& expected);

/// Ends the test with `message` unless `holds`.
void expect(bool holds, Stage stage, const std::string& message);

}  // namespace headway::judge
