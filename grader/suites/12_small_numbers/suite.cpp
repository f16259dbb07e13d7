// Hidden tests of exercise 12.       B batch · H heads · T queries · S keys · P tokens in the cache · n new tokens
//                                    d head_dim · d_v value width
#include "suites/12_small_numbers/inputs.hpp"
#include "suites/12_small_numbers/misfits.hpp"

#include "reference/attention.hpp"
#include "student/hidden_test.hpp"
#include "student/record_field.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <memory>

namespace headway::judge {
namespace {

using namespace small_numbers;  // what several files of this suite share

HIDDEN_SUITE(SmallNumbers);

const CheckedPart context_axes{"context vectors", Stage::weigh, {"b", "h", "query", "feature"}};

/// Rounding is exact: a number of a format that is off by less than this is the right one.
constexpr double a_hair = 1e-5;

// ---- sixteen bits ----------------------------------------------------------------------------------------------

void expect_rounded(Student& student, const Tensor& x, const std::string& format) {
    const Array given = exact(x);
    const auto made_of = [&](std::size_t i) { return ", of " + digits(given.value[i]) + " in " + format + ","; };
    expect_numbers(student, "rounded numbers", student.tensor("rounded", {{"x", x}, {"format", format}}),
                   diagnosis::rounded(Halves::right(), given, format == half), a_hair, Zeros::signed_ones, made_of);
}

void expect_all_rounded(Student& student, Random& random, const std::string& format) {
    // First what is nowhere special: where that is wrong, it says more.
    expect_rounded(student, around_numbers(random, format, 30, {}), format);
    expect_rounded(student, around_numbers(random, format, 0, borders_of(format)), format);
    const Sizes n = random_sizes(random);
    expect_rounded(student, random_tensor(random, {n.B, n.H, n.T, n.d}) * 30.0F, format);
    expect_rounded(student, random_tensor(random, {n.T, n.B, n.S}).transpose(0, 2), format);
    expect_rounded(student, strided(random_tensor(random, {n.S})), format);
    expect_rounded(student, random_tensor(random, {}), format);
    expect_rounded(student, around_numbers(random, format, 400, {}), format);
}

PROPERTY(SmallNumbers, HalvesAreTheNearest, 1,
         "rounded gives the nearest half, of two the even one; from 65,520 on infinity, below 2^-14 steps of 2^-24") {
    expect_all_rounded(student, random, half);
}

PROPERTY(SmallNumbers, Bfloat16KeepsTheRange, 1,
         "a bfloat16 has 8 binary digits, and the exponents of a float: rounded gives the nearest") {
    expect_all_rounded(student, random, bfloat16);
}

void expect_sum(Student& student, const Tensor& x, const std::string& format) {
    expect_numbers(student, "sums", student.tensor("sum_in", {{"x", x}, {"format", format}}),
                   diagnosis::sum_in(Halves::right(), exact(x), format == half), a_hair);
}

PROPERTY(SmallNumbers, EachPartialSumIsRounded, 1,
         "sum_in adds one number after the other, from the first on, and rounds each partial sum") {
    for (const std::string& format : {half, bfloat16}) {
        expect_sum(student, numbers_of_format(random, {4, 3, 30}, format), format);
        expect_sum(student, numbers_of_format(random, {200}, format), format);
        expect_sum(student, numbers_of_format(random, {2, 3, 4, 20}, format), format);
        expect_sum(student, numbers_of_format(random, {40, 3, 2}, format).transpose(0, 2), format);
        expect_sum(student, Tensor::ones({2, 3000}), format);
        expect_sum(student, Tensor::of({2, 4}, {2048, 1, 1, 1, -256, -1, -1, -0.5F}), format);
        expect_sum(student, Tensor::of({2, 3}, {60'000, 5'504, 16, -60'000, -5'504, -15}), half);
        for_every_relation(student, random, "A B N", [&](const AxisSizes& sizes, Random& own) {
            expect_sum(student, numbers_of_format(own, {sizes["A"], sizes["B"], sizes["N"]}, format), format);
        });
    }
    expect_sum(student, Tensor::of({4}, {60'000, 8'000, 60'000, -8'000}), half);
    expect_sum(student, strided(numbers_of_format(random, {5, 20}, half)), half);
}

void expect_softmax(Student& student, const Tensor& scores, const std::string& total, const Needs& needs = {}) {
    const FunctionCall call{"softmax_in_half", {{"scores", scores}, {"total", total}}};
    const std::vector<std::string> functions =
        total == in_half ? std::vector<std::string>{"rounded", "sum_in"} : std::vector<std::string>{"rounded"};
    expect_close_given(
        student, part_of("weights", scores.shape()), student.tensor(call.function, call.arguments),
        diagnosis::softmax_in_half(Halves::right(), exact(scores), total == in_half), functions,
        [&] { return own_softmax(student, scores, total); }, computes(student, call, "", needs));
}

STATES(SmallNumbers, SoftmaxRoundsEachStep, "half_steps", "half_total", "half_empty_rows");
PROPERTY(SmallNumbers, SoftmaxRoundsEachStep, 1,
         "scores, differences, exponentials and weights are rounded; the total is kept as asked; no key, no weight") {
    const Sizes n = random_sizes(random);
    for (const std::string& total : {in_float, in_half}) {
        expect_softmax(student, random_tensor(random, {n.B, n.H, n.T, n.S}), total);
        expect_softmax(student, random_tensor(random, {n.S, 60}) * 3.0F, total);
        expect_softmax(student, random_tensor(random, {40}) * 0.5F + 20.0F, total);
        expect_softmax(student, with_blocked(random, random_tensor(random, {n.B, n.T, n.S}) * 2.0F, false), total);
        expect_softmax(student, with_blocked(random, random_tensor(random, {n.B, n.T, n.S}) - 30.0F, true), total);
        expect_softmax(student, within_halves(random_tensor(random, {n.T, n.S}) * 2e4F), total, {.parts = false});
        expect_softmax(student, Tensor::of({2, 3}, {65'504, 65'504, -65'504, -65'504, -65'504, -65'472}), total,
                       {.parts = false});
        expect_softmax(student, Tensor::zeros({2, 4096}), total);
        expect_softmax(student, random_tensor(random, {3000}) * 0.25F, total);
        for_every_relation(student, random, "A B S", [&](const AxisSizes& sizes, Random& own) {
            expect_softmax(student, random_tensor(own, {sizes["A"], sizes["B"], sizes["S"]}) * 2.0F, total);
        });
    }
}

void expect_attention(Student& student, const Heads& in, const Mask& mask, const Needs& needs = {}) {
    const FunctionCall call{"attention_in_half", in.with(mask)};
    expect_close_given(
        student, context_axes, student.tensor(call.function, call.arguments),
        diagnosis::attention_in_half(diagnosis::right(), in.q, in.k, in.v, mask), {"rounded", "softmax_in_half"},
        [&] { return own_attention(student, in.q, in.k, in.v, mask); }, computes(student, call, "", needs));
}

STATES(SmallNumbers, AttentionSumsInFloat, "half_attention", "half_attention_sums", "half_attention_weights",
       "half_context", "scale", "mask");
PROPERTY(SmallNumbers, AttentionSumsInFloat, 1,
         "attention_in_half rounds q, k, v, scores, weights and contexts; sums and quotients by √d are floats") {
    Sizes n = random_sizes(random);
    expect_attention(student, random_heads(random, n), Mask{});
    expect_attention(student, heads_of_few_digits(random, n), random_mask(random, {n.B, n.H, n.T, n.S}));
    for_every_mask(student, random, {n.B, n.H, n.T, n.S},
                   [&](const Mask& mask, Random& own) { expect_attention(student, random_heads(own, n), mask); });
    expect_attention(student, beyond_the_largest(random, n), Mask{}, {.parts = false});
    expect_attention(student, large_term_first(random, n), Mask{}, {.parts = false});
    expect_attention(student, near_the_ends(random, n), reference::causal_mask(n.T, n.S), {.parts = false});
    expect_attention(student, random_heads(random, n), Mask::block_all({n.T, 1}));
    n.d = 96;
    n.S = 40;
    expect_attention(student, random_heads(random, n), random_mask(random, {n.T, n.S}));
    Heads equal = random_heads(random, n);
    equal.q.fill(0);
    expect_attention(student, equal, Mask{}, {.parts = false});
    for_every_relation(student, random, "B H T S d d_v", [&](const AxisSizes& sizes, Random& own) {
        const Sizes some = sizes.sizes();
        expect_attention(student, random_heads(own, some), mask_of_any_form(own, {some.B, some.H, some.T, some.S}));
    });
}

// ---- eight bits ------------------------------------------------------------------------------------------------

void expect_scales(Student& student, const Tensor& x) {
    expect_numbers(student, "scales", student.tensor("row_scales", {{"x", x}}), Eights::right().scales(exact(x)), 1e-6);
}

PROPERTY(SmallNumbers, EachRowHasItsOwnScale, 1, "row_scales gives max|x| / 127 of each row by itself, 0 for zeros") {
    const Sizes n = random_sizes(random);
    const Shape shape{n.B, n.H, n.S, n.d};
    expect_scales(student, random_tensor(random, shape));
    Tensor x = uneven_rows(random, shape);
    x.slice(2, 1, 2).slice(0, 1, 2).fill(0);
    expect_scales(student, x);
    expect_scales(student, (x * x) * -1.0F);
    expect_scales(student, uneven_rows(random, {n.S, n.H, n.d, n.B}).transpose(0, 2));
    expect_scales(student, strided(x));
    expect_scales(student, random_tensor(random, shape) * 1e-28F);
    expect_scales(student, random_tensor(random, shape) * 1e28F);
    for_every_relation(student, random, "B H P d", [&](const AxisSizes& sizes, Random& own) {
        expect_scales(student, uneven_rows(own, {sizes["B"], sizes["H"], sizes["P"], sizes["d"]}));
    });
}

void expect_codes(Student& student, const Tensor& x, const Tensor& scales) {
    expect_rows(student, student.record("to_int8", {{"x", x}, {"scales", scales}}), "",
                diagnosis::to_int8(Eights::right(), exact(x), exact(scales)));
}

void expect_numbers_of(Student& student, const Rows& rows) {
    expect_numbers(
        student, "numbers",
        student.tensor("from_int8", {{"shape", rows.codes.shape()}, {"codes", rows.codes}, {"scales", rows.scales}}),
        diagnosis::from_int8(Eights::right(), rows.numbers()), 1e-6);
}

PROPERTY(SmallNumbers, CodesAreTheNearest, 1,
         "to_int8 gives the nearest code to x / scale, from -127 to 127; from_int8 gives code · scale") {
    const Sizes n = random_sizes(random);
    const Shape shape{n.B, n.H, n.S, n.d};
    const auto own_scales = [](const Tensor& x) { return reference::to_tensor(Eights::right().scales(exact(x))); };
    for (const float size : {1.0F, 1e-25F, 1e25F}) {
        const Tensor x = uneven_rows(random, shape) * size;
        expect_codes(student, x, own_scales(x));
        expect_codes(student, x, own_scales(x) * 0.4F);  // past both ends
        expect_codes(student, x, own_scales(x) * 5.0F);
    }
    Tensor x = random_tensor(random, shape), scales = own_scales(x);
    scales.slice(1, 1, 2).fill(0);
    expect_codes(student, x, scales);
    expect_codes(student,
                 Tensor::of({1, 1, 1, 11}, {1e9F, -3e9F, 3e9F, 1e30F, -1e30F, 127.6F, -127.6F, 128, -128, 300, -300}),
                 Tensor::ones({1, 1, 1}));
    expect_codes(student, x.transpose(0, 2), own_scales(x).transpose(0, 2));
    expect_numbers_of(student, random_rows(random, n.B, n.H, n.S, n.d, -8, 4));
    expect_numbers_of(student, random_rows(random, n.B, n.H, n.S, n.d, -90, -80));
    for_every_relation(student, random, "B H P d", [&](const AxisSizes& sizes, Random& own) {
        const Tensor some = uneven_rows(own, {sizes["B"], sizes["H"], sizes["P"], sizes["d"]});
        expect_codes(student, some, own_scales(some) * 0.8F);
        expect_numbers_of(student, random_rows(own, sizes["B"], sizes["H"], sizes["P"], sizes["d"], -8, 4));
    });
}

// ---- the cache -------------------------------------------------------------------------------------------------

void expect_appended(Student& student, const Cache& cache, const Tensor& k, const Tensor& v) {
    const FunctionCall call{"append", cache.appended(k, v)};
    const wire::Record answer = student.record(call.function, call.arguments);
    const diagnosis::CodedCache due = diagnosis::append(Eights::right(), cache.numbers(), exact(k), exact(v));
    const auto own = [&] { return student.outside_story([&] { return own_append(student, cache, k, v); }); };
    expect_rows_given(student, call, answer, "k_", due.k, [&] {
        const auto follows = own();
        return follows ? std::optional(follows->k) : std::nullopt;
    });
    expect_rows_given(student, call, answer, "v_", due.v, [&] {
        const auto follows = own();
        return follows ? std::optional(follows->v) : std::nullopt;
    });
}

PROPERTY(SmallNumbers, CacheKeepsItsCodes, 1,
         "append leaves old codes and scales as they are, and puts new rows, each with its own scale, behind them") {
    const Sizes n = random_sizes(random);
    for (const Index fresh : {Index{1}, n.T}) {
        const Tensor k = uneven_rows(random, {n.B, n.H, fresh, n.d}), v = uneven_rows(random, {n.B, n.H, fresh, n.d_v});
        expect_appended(student, Cache{}, k, v);
        expect_appended(student, random_cache(random, n.B, n.H, n.S, n.d, n.d_v), k, v);
    }
    for_every_relation(student, random, "B H P n d d_v", [&](const AxisSizes& sizes, Random& own) {
        const Index B = sizes["B"], H = sizes["H"], fresh = sizes["n"];
        const Cache cache = random_cache(own, B, H, sizes["P"], sizes["d"], sizes["d_v"]);
        expect_appended(student, cache, uneven_rows(own, {B, H, fresh, sizes["d"]}),
                        uneven_rows(own, {B, H, fresh, sizes["d_v"]}));
    });
}

void expect_attended(Student& student, const Tensor& q, const Cache& cache, const Mask& mask) {
    const FunctionCall call{"int8_attention", cache.attended(q, mask)};
    const auto context = [&](const Tensor& k, const Tensor& v) {
        return reference::attention(exact(q), exact(k), exact(v), mask).context;
    };
    expect_close_given(
        student, context_axes, student.tensor(call.function, call.arguments),
        context(cache.k.decoded(), cache.v.decoded()), {"from_int8"},
        [&]() -> std::optional<Array> {
            const auto own_numbers = [&](const Rows& rows) {
                return student.tensor("from_int8",
                                      {{"shape", rows.codes.shape()}, {"codes", rows.codes}, {"scales", rows.scales}});
            };
            const Tensor k = own_numbers(cache.k), v = own_numbers(cache.v);
            if (k.shape() != cache.k.codes.shape() || v.shape() != cache.v.codes.shape()) return std::nullopt;
            return context(k, v);
        },
        computes(student, call));
}

STATES(SmallNumbers, CodesTakeTheirScalesIntoAttention, "eight_attention", "scale", "mask");
PROPERTY(SmallNumbers, CodesTakeTheirScalesIntoAttention, 1,
         "int8_attention is attention to code · scale of keys and values, row by row; no key, no context") {
    const Sizes n = random_sizes(random);
    const auto q = [&](Random& own, const Sizes& of) { return random_tensor(own, {of.B, of.H, of.T, of.d}); };
    expect_attended(student, q(random, n), random_cache(random, n.B, n.H, n.S, n.d, n.d_v), Mask{});
    for_every_mask(student, random, {n.B, n.H, n.T, n.S}, [&](const Mask& mask, Random& own) {
        expect_attended(student, q(own, n), random_cache(own, n.B, n.H, n.S, n.d, n.d_v), mask);
    });
    for_every_relation(student, random, "B H T S d d_v", [&](const AxisSizes& sizes, Random& own) {
        const Sizes some = sizes.sizes();
        expect_attended(student, q(own, some), random_cache(own, some.B, some.H, some.S, some.d, some.d_v),
                        mask_of_any_form(own, {some.B, some.H, some.T, some.S}));
    });
}

PROPERTY(SmallNumbers, ScalesAreCountedAndMisfitsRefused, 1,
         "cache_bytes counts keys, values and scales; what does not fit is refused, strides change no answer; "
         "arguments stay") {
    expect_bytes_counted(student, random);
    expect_left_alone(student, random);
    expect_sixteen_bits_checked(student, random);
    expect_eight_bits_checked(student, random);
}

}  // namespace
}  // namespace headway::judge
