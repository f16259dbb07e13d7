#pragma once

#include "reference/array.hpp"
#include "student/test_record.hpp"

#include <headway/mask.hpp>
#include <headway/tensor.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace headway::judge {

/// The part of an answer that a check looks at: its name and axes for messages, and the stage that is wrong if it
/// fails.
struct CheckedPart {
    std::string name;  ///< "scores"
    Stage stage = Stage::none;
    std::vector<std::string> axes;                                ///< "b", "h", "query", "key"
    std::string blocked = "may not attend", open = "may attend";  ///< what true and false mean in a mask
};

/// The comparator: |actual - expected| <= atol + rtol·|expected|, written so that NaN never passes; infinities neither.
bool close(double actual, double expected, double atol, double rtol);

/// How far from `expected` an element may be: a multiple of the forward error bound, because the bound does not see all
/// float32 rounding, such as that of intermediate results multiplied in another order.
double tolerance(double expected, double error_bound);

/// Whether most numbers may be off by more than half of the largest: an error that was bounded again and again, by the
/// worst that each step could do, and holds nearly every answer by now. A comparison with such bounds asks nothing.
bool is_blind(const reference::Array& expected);

/// Nothing if `actual` has the shape and, within tolerance, the numbers of `expected`; else what differs.
std::optional<verdict::Failure> difference(const CheckedPart& part, const Tensor& actual,
                                           const reference::Array& expected);

// ---- expectations: those that note something in the record of the test take the student ------------------------

/// How the answer to the last call differs from the reference. If it does not, the function is noted as shown(), unless
/// all numbers of `expected` are alike: a constant could give those.
std::optional<verdict::Failure> what_is_wrong(Student& student, const CheckedPart& part, const Tensor& actual,
                                              const reference::Array& expected);

/// Ends the test with what is wrong, if anything is.
void expect_close(Student& student, const CheckedPart& part, const Tensor& actual, const reference::Array& expected);

/// Ends the test if two answers of the student's to equal questions differ by more than the order of sums does (see
/// repeated()). Equality is not noted as shown(): both may be constant.
void expect_alike(const CheckedPart& part, const Tensor& actual, const Tensor& other);

/// What shows that an answer is computed all the same, where this was expected (see computes()); asked only where
/// credit is at stake, and outside the story.
using Evidence = std::function<bool(const reference::Array& expected)>;
/// What follows from the student's own answers; nothing if these are of no use. Asked only where something is wrong,
/// and outside the story.
using Follows = std::function<std::optional<reference::Array>()>;

/// `from_own`, asked outside the story; nothing if the shapes of the student's own answers do not fit together.
std::optional<reference::Array> what_follows(Student& student, const Follows& from_own);

/// Right if `actual` is what it should be, or what follows from the student's own answers from other `functions`.
/// The second passes on credit: it stands only if another test finds one of those functions wrong. Where nothing
/// follows from these answers, nothing can be judged.
void expect_close_given(Student& student, const CheckedPart& part, const Tensor& actual,
                        const reference::Array& expected, const std::vector<std::string>& functions,
                        const Follows& from_own, const Evidence& evidence);

/// The test passes for now; `failure` stands only if no other test finds one of `functions` wrong. The first of these
/// that is wrong is named: "right, given your ...". Ends the test with the failure if nothing shows that the answer is
/// computed: zeros follow from zeros. If `functions` are others than the one that was asked, it cannot be judged then.
void pass_on_credit(Student& student, const std::vector<std::string>& functions, verdict::Failure failure,
                    const reference::Array& expected, const Evidence& evidence);

/// Numbers that a submission gave, with room for having computed their inputs in another order.
reference::Array own(const Tensor& tensor);

void expect_shape(const CheckedPart& part, const Shape& actual, const Shape& expected);

/// Every entry equal; `Mask{}` never is.
void expect_mask(Student& student, const CheckedPart& part, const Mask& actual, const Mask& expected);

/// With the nine digits that tell a float from every other: "0.1", "NaN", "-inf".
std::string digits(double number);

/// Ends the test with `message` unless `holds`.
void expect(bool holds, Stage stage, const std::string& message);

}  // namespace headway::judge
