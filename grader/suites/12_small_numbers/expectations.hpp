#pragma once

#include "suites/12_small_numbers/eight.hpp"
#include "suites/12_small_numbers/sixteen.hpp"

#include "student/evidence.hpp"
#include "student/expect.hpp"
#include "student/student.hpp"

#include <functional>
#include <optional>
#include <string>

/// What the hidden tests of exercise 12 ask with, and what should come back.
/// B batch · H heads · T queries · S keys · P tokens in the cache · n new tokens · d head_dim · d_v value width
namespace headway::judge::small_numbers {

using diagnosis::CodedRows;
using diagnosis::Eights;
using diagnosis::Halves;
using reference::Array;
using reference::exact;

// Formats and totals, as calls name them.
inline const std::string half = "half", bfloat16 = "bfloat16", in_half = "in_half", in_float = "in_float";

/// Axes of a tensor of any rank up to four, by their names from the last one back.
CheckedPart part_of(const std::string& name, const Shape& shape);

/// Whether 0 may stand for -0.
enum class Zeros { alike, signed_ones };

/// Every number, whatever its size: what is not finite, the sign of a zero where it counts, and what is so small that
/// an ordinary comparison does not see it are told in words.
/// @param what  "rounded", for messages
/// @param relative  how far what is small may be off
/// @param made_of  what is said of a number besides, if anything
void expect_numbers(Student& student, const std::string& what, const Tensor& actual, const Array& expected,
                    double relative, Zeros zeros = Zeros::alike,
                    const std::function<std::string(std::size_t)>& made_of = nullptr);

// ---- the student's own functions, asked outside the story ---------------------------------------------------

Array own_halves(Student& student, const Array& x);
/// Nothing if an answer is of no use.
std::optional<Array> own_softmax(Student& student, const Tensor& scores, const std::string& total);
std::optional<Array> own_attention(Student& student, const Tensor& q, const Tensor& k, const Tensor& v,
                                   const Mask& mask);

// ---- rows of codes -------------------------------------------------------------------------------------------

/// Rows as a call hands them over.
struct Rows {
    Tensor codes;   ///< (B, H, P, width), whole numbers
    Tensor scales;  ///< (B, H, P)

    CodedRows numbers() const;
    /// code · scale, as floats.
    Tensor decoded() const;
};
/// What an answer holds, if its codes fill its shape.
std::optional<Rows> rows_of(const wire::Record& answer, const std::string& prefix);

/// Ends the test if the shape, the codes or the scales of `answer` under this prefix ("", "k_", "v_") are wrong.
void expect_rows(Student& student, const wire::Record& answer, const std::string& prefix, const CodedRows& expected);

/// The same, or what `own` gives, which follows from the student's own row_scales and to_int8.
void expect_rows_given(Student& student, const FunctionCall& call, const wire::Record& answer,
                       const std::string& prefix, const CodedRows& expected,
                       const std::function<std::optional<CodedRows>()>& own);

struct Cache {
    Rows k, v;  ///< all undefined: nothing yet
    Arguments appended(const Tensor& new_k, const Tensor& new_v) const;
    Arguments attended(const Tensor& q, const Mask& mask) const;
    diagnosis::CodedCache numbers() const;
};
/// A cache as the student's own row_scales and to_int8 would continue it; nothing if they are of no use.
std::optional<diagnosis::CodedCache> own_append(Student& student, const Cache& cache, const Tensor& k, const Tensor& v);

}  // namespace headway::judge::small_numbers
