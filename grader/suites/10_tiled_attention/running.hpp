#pragma once

#include "reference/array.hpp"
#include "student/expect.hpp"
#include "student/inputs.hpp"
#include "student/student.hpp"

#include <string>
#include <vector>

/// What was seen so far: the state that absorb changes. B batch · H heads · T queries · S keys · d_v value width
namespace headway::judge::tiled {

wire::Handle nothing_seen(Student& student, const Shape& queries, Index d_v);

/// Hands scores (B, H, T, S) and values (B, H, S, d_v) over, `tile` keys at a time.
wire::Handle absorbed(Student& student, const Tensor& scores, const Tensor& v, Index tile);

/// What a state holds. All three are tensors, whatever their shape: else the test ends.
wire::Record contents(Student& student, wire::Handle running);
/// The numbers of all of them, one behind the other.
std::vector<double> numbers_in(Student& student, wire::Handle running);

/// What absorb has gathered, divided by its total; 0 where nothing was seen.
Tensor summed(Student& student, wire::Handle running);

/// Softmax-weighted values, where scores of minus infinity are no keys.
reference::Array expected_sums(const Tensor& scores, const Tensor& v);

/// What these values are called.
inline const CheckedPart summed_axes{"gathered / total", Stage::softmax, {"b", "h", "query", "feature"}};

/// Expects these values after so many keys at a time.
void expect_sums(Student& student, const Tensor& scores, const Tensor& v, Index tile);

/// Expects the largest score of each row.
void expect_largest(Student& student, wire::Handle running, const Tensor& scores);
/// Expects the sum of exp(score - largest).
void expect_total(Student& student, wire::Handle running, const Tensor& scores);
/// The same, unless the largest is wrong, which is another test's business.
void expect_total_where_largest_is_right(Student& student, wire::Handle running, const Tensor& scores);

/// Expects -infinity, 0 and zeros.
/// @param when  completes "your total holds 1 ..."
void expect_nothing_seen(Student& student, wire::Handle running, const Shape& queries, Index d_v,
                         const std::string& when);

/// Expects the context of each row where some saw no key: the first row alone, or all but the first. What is wrong
/// where all rows saw keys is another test's business.
void expect_context_row_by_row(Student& student, Random& random, const Sizes& n);

}  // namespace headway::judge::tiled
