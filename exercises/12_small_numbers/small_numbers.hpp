#pragma once

#include <headway/given.hpp>
#include <headway/tensor.hpp>

#include <cstdint>
#include <vector>

// Exercise 12: small numbers. Attention in sixteen bits, and a cache of keys and values in eight.
//     B batch · H heads · T queries · S keys · P tokens in the cache · n new tokens · d head_dim · d_v value width
//
// Numbers of sixteen bits live in float tensors here: each is a float that the format can hold. Everything in
// <headway/given.hpp> up to scaled_dot_product_context is yours to use. No function changes its arguments or what an
// earlier call returned; tensors and masks may be views of any strides. Sizes are at least 1, unless a @throws speaks
// of others; NaN is given to `rounded` alone. Where shapes or ranks do not fit, throw std::invalid_argument: nothing
// broadcasts here but a mask. Where a tensor has an axis too few, std::out_of_range is right too, but only in
// attention_in_half, to_int8 and int8_attention.
namespace headway::ex12 {

// ---- sixteen bits --------------------------------------------------------------------------------------------------

/// half (binary16): 10 fraction bits. Largest 65,504; from 2^-14 down its numbers are 2^-24 apart, so 2^-24 is the
/// least. bfloat16: 7 fraction bits, and the exponents of a float: largest 2^127 · (2 - 2^-7); least 2^-133.
enum class Format { half, bfloat16 };

/// Each number as the nearest one of the format; of two that are equally near, the one whose last fraction bit is 0.
/// What lies half a step or more past the largest becomes an infinity (in half from 65,520 on). Signs stay, those of
/// zeros too; infinities stay, and NaN stays NaN.                                               [IEEE 754-2019, §4.3.1]
/// @param x  any shape, also that of a single number, ()   @return the same shape
Tensor rounded(const Tensor& x, Format format);

/// Sums along the last axis, one number after the other, each partial sum rounded:
///     total = 0;   for i = 0, 1, ...: total = rounded(total + x[..., i])
/// @param x  (..., n), numbers of the format   @return (..., 1)
/// @throws std::invalid_argument if x has no axis
Tensor sum_in(const Tensor& x, Format format);

/// How a softmax keeps its total Σ e. in_half: as sum_in(e, Format::half), each partial sum rounded. in_float: in float
/// or in double, added up in any order (any last bits are right); neither partial sums nor total are rounded to half.
enum class Total { in_half, in_float };

/// Softmax along the last axis in half. With r(·) = rounded(·, Format::half):
///     s = r(scores)    e = r(exp(r(s - max s)))    total = Σ e    weights = r(e / total)
/// r(s - max s) may be -infinity: then e is 0. exp and e / total are computed in float or in double; both are right.
/// @param scores  (..., S), from -65,504 to 65,504; -infinity where a key is blocked   @param total  how Σ e is kept
/// @return (..., S); zeros where every key is blocked
/// @throws std::invalid_argument if scores has no axis
Tensor softmax_in_half(const Tensor& scores, Total total);

/// Attention whose tensors are half and whose sums are float, as in a processor's matrix unit (the part that multiplies
/// whole blocks of matrices):
///     scores = r(Σ r(q)·r(k) / √d)    weights = softmax_in_half(masked scores, Total::in_float)
///     context = r(Σ weights·r(v))
/// Both sums, in any order, and the quotient by √d are float (double is right, too). Scores are rounded once, after the
/// division: Σ r(q)·r(k) may be larger than a half. Contexts are rounded once, after the sum. Rounded weights may add
/// up to a little more than 1, so a context of values near 65,504 may be an infinity.       [Micikevicius et al. 2018]
/// @param q  (B, H, T, d)   @param k  (B, H, S, d)   @param v  (B, H, S, d_v); numbers up to 65,504, and |q·k| / √d
///        too, of q and k as they come and rounded
/// @param mask  true = may not attend; broadcastable to (B, H, T, S)
/// @return (B, H, T, d_v); zeros for queries that see no key
Tensor attention_in_half(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask);

// ---- eight bits ----------------------------------------------------------------------------------------------------

/// Rows of whole numbers, each row with a scale of its own: number = code · scale. Codes go from -127 to 127, the same
/// way in both directions; there is no zero point.
struct Int8Rows {
    Shape shape;                     ///< (B, H, P, width)
    std::vector<std::int8_t> codes;  ///< B·H·P·width of them, row-major
    Tensor scales;                   ///< (B, H, P)
};

/// One scale per row, max|x| / 127: the largest number of the row is then 127 or -127. A row of zeros has scale 0.
/// Take |x|, not a root of x²: in float, squares of such numbers may be 0 or infinity.
/// @param x  (B, H, P, width), finite; numbers that are not 0 are between 1e-30 and 1e30   @return (B, H, P)
Tensor row_scales(const Tensor& x);

/// The nearest code to x / scale, a quotient in float or in double (of two, either one). Past 127 or -127, where a
/// scale is too small for its row, that end of the range is the code: it does not wrap around. Where a scale is 0, the
/// row's codes are 0.
/// @param x  as above   @param scales  (B, H, P), 0 or from 1e-32 to 1e30
/// @throws std::invalid_argument also if a scale is negative
Int8Rows to_int8(const Tensor& x, const Tensor& scales);

/// code · scale.   @return (B, H, P, width)
/// @throws std::invalid_argument if the shape has not four sizes, or codes or scales do not fit it; a shape with a size
///         below 1 is not asked about
Tensor from_int8(const Int8Rows& rows);

/// Keys and values of the tokens so far, as append leaves them: k and v are of the same tokens, and codes and scales
/// fill their shapes. Int8Cache{} holds nothing yet: the shapes of its k and v are empty. A cache whose parts do not
/// fit each other must be refused by int8_attention; append is not asked about one.
struct Int8Cache {
    Int8Rows k;  ///< (B, H, P, d)
    Int8Rows v;  ///< (B, H, P, d_v)
};

/// A new cache of P + n tokens: those of `cache`, codes and scales as they are, then the new ones, each row with the
/// scale that row_scales gives it.          @param k  (B, H, n, d)   @param v  (B, H, n, d_v)
Int8Cache append(const Int8Cache& cache, const Tensor& k, const Tensor& v);

/// softmax(q·kᵀ / √d, masked)·v with the keys and values that the cache stands for; all else in float or double.
/// @param q  (B, H, T, d)   @param cache  P >= 1 tokens; Int8Cache{} is not asked
/// @param mask  broadcastable to (B, H, T, P)
/// @return (B, H, T, d_v); zeros for queries that see no key
/// @throws std::invalid_argument also if the parts of the cache do not fit each other
Tensor int8_attention(const Tensor& q, const Int8Cache& cache, const Mask& mask);

/// How keys and values are kept: as floats, as halves, or as Int8Rows with float scales.
enum class Kept { as_float, as_half, as_int8 };

/// Bytes that the keys and values of S tokens take, scales included.
/// @throws std::invalid_argument if a size is below 1
Index cache_bytes(Index B, Index H, Index S, Index d, Index d_v, Kept kept);

}  // namespace headway::ex12
