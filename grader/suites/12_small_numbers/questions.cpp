#include "suites/12_small_numbers/questions.hpp"

#include "suites/12_small_numbers/inputs.hpp"

#include "diagnosis/small_sizes.hpp"
#include "reference/attention.hpp"

#include <limits>

namespace headway::diagnosis {
namespace {

using judge::Arguments;
using judge::random_mask;
using judge::random_tensor;
using namespace judge::small_numbers;

judge::Sizes as_sizes(const SmallSizes& n) { return {n.B, n.H, n.T, n.S, n.d, n.d_v}; }

Tensor scales_that_fit(const Tensor& x) { return reference::to_tensor(Eights::right().scales(exact(x))); }

}  // namespace

Questions ask_rounded(Random& random) {
    const SmallSizes n = small_sizes(random);
    Questions questions;
    const auto ask = [&](const Tensor& x, const std::string& format) { questions.add({{"x", x}, {"format", format}}); };
    for (const std::string& format : {half, bfloat16}) {
        ask(around_numbers(random, format, 4, {}), format);
        ask(random_tensor(random, {n.T, n.S}) * 30.0F, format);
        ask(random_tensor(random, {n.T, n.S}).transpose(0, 1), format);
        ask(random_tensor(random, {n.T, 2 * n.S}).slice(1, 0, n.S), format);
    }
    ask(Tensor::of({5}, {65'519, 65'520, -65'536, 1e9F, 65'504}), half);
    ask(Tensor::of({4}, {3e-5F, -4e-5F, 6e-6F, 7e-7F}), half);
    ask(Tensor::of({4}, {65'520, 1e30F, -1e9F, 3e-7F}), bfloat16);
    constexpr float infinity = std::numeric_limits<float>::infinity();
    for (const std::string& format : {half, bfloat16}) ask(Tensor::of({3}, {infinity, -infinity, 1}), format);
    return questions;
}

Questions ask_sum(Random& random) {
    const SmallSizes n = small_sizes(random);
    Questions questions;
    const auto ask = [&](const Tensor& x, const std::string& format) { questions.add({{"x", x}, {"format", format}}); };
    for (const std::string& format : {half, bfloat16}) {
        ask(numbers_of_format(random, {n.T, 3}, format), format);
        ask(numbers_of_format(random, {n.S, n.T, 9}, format), format);
        ask(numbers_of_format(random, {12, n.T}, format).transpose(0, 1), format);
    }
    ask(Tensor::of({2, 4}, {2048, 1, 1, 1, -2048, -1, -1, -1}), half);
    ask(Tensor::of({2, 4}, {256, 1, 1, 1, -256, -1, -1, -1}), bfloat16);
    ask(Tensor::of({2, 3}, {60'000, 5'504, 15, 1, 2, 4}), half);  // near the largest, beside an ordinary row
    ask(random_tensor(random, {}), half);
    return questions;
}

Questions ask_softmax(Random& random) {
    const SmallSizes n = small_sizes(random);
    Questions questions;
    const auto ask = [&](const Tensor& scores, const std::string& total) {
        questions.add({{"scores", scores}, {"total", total}});
    };
    for (const std::string& total : {in_float, in_half}) {
        ask(random_tensor(random, {n.T, n.S}) * 2.0F, total);
        ask(random_tensor(random, {24}), total);
        ask(with_blocked(random, random_tensor(random, {6, n.S}) * 2.0F, true), total);
        ask(random_tensor(random, {3, 12}) * 2.0F + 15.0F, total);
        ask(random_tensor(random, {3, 6}) * 0.5F - 40.0F, total);
        ask(random_tensor(random, {3, 6}) * 0.5F - 12.0F, total);  // beside 0, exponentials have few digits left
    }
    ask(random_tensor(random, {}), in_float);
    return questions;
}

Questions ask_attention_in_half(Random& random) {
    const SmallSizes small = small_sizes(random);
    const judge::Sizes n = as_sizes(small);
    Questions questions;
    const auto ask = [&](const Heads& in, const Mask& mask, const std::string& name = {}) {
        questions.add(in.with(mask), name);
    };
    ask(random_heads(random, n), Mask{}, "there is no mask");
    ask(heads_of_few_digits(random, n), Mask{});
    ask(random_heads(random, n), random_mask(random, {n.B, n.H, n.T, n.S}), "there is a mask");
    ask(random_heads(random, n), reference::causal_mask(n.T, n.S));
    ask(beyond_the_largest(random, n), Mask{});
    ask(large_term_first(random, n), Mask{});
    ask(near_the_ends(random, n), Mask{});
    Mask rows = random_mask(random, {n.T, n.S});
    for (Index s = 0; s < n.S; ++s) rows(0, s) = true;
    ask(random_heads(random, n), rows, "empty rows");
    return questions;
}

Questions ask_scales(Random& random) {
    const SmallSizes n = small_sizes(random);
    Questions questions;
    const Shape shape{n.B, n.H, n.T, n.d};
    questions.add({{"x", random_tensor(random, shape)}});
    questions.add({{"x", uneven_rows(random, shape)}});
    Tensor x = random_tensor(random, shape);
    questions.add({{"x", (x * x) * -1.0F}});
    x.slice(2, 0, 1).slice(0, 0, 1).fill(0);
    questions.add({{"x", x}});
    questions.add({{"x", random_tensor(random, {n.T, n.H, n.B, n.d}).transpose(0, 2)}});
    questions.add({{"x", random_tensor(random, {n.B, n.H, n.T, n.d + 3}).slice(3, 1, n.d + 1)}});  // with gaps
    // The header promises both; in float, their squares are 0 and infinite.
    for (const float size : {1e-25F, 1e25F}) questions.add({{"x", random_tensor(random, shape) * size}});
    return questions;
}

Questions ask_codes(Random& random) {
    const SmallSizes n = small_sizes(random);
    Questions questions;
    const Shape shape{n.B, n.H, n.T, n.d};
    const auto ask = [&](const Tensor& x, const Tensor& scales) { questions.add({{"x", x}, {"scales", scales}}); };
    Tensor x = uneven_rows(random, shape);
    ask(x, scales_that_fit(x));
    ask(x, scales_that_fit(x) * 3.0F);
    ask(x, scales_that_fit(x) * 0.6F);
    Tensor some_zero = scales_that_fit(x);
    some_zero.slice(1, 0, 1).fill(0);
    ask(x, some_zero);
    ask(Tensor::of({1, 1, 1, 4}, {128, -128, 200, -300}), Tensor::ones({1, 1, 1}));
    ask(Tensor::of({1, 1, 1, 3}, {200, 127.4F, 5}), Tensor::ones({1, 1, 1}));
    ask(x.transpose(0, 2), scales_that_fit(x).transpose(0, 2));
    return questions;
}

Questions ask_numbers_of_codes(Random& random) {
    const SmallSizes n = small_sizes(random);
    Questions questions;
    for (const float high : {0.0F, 6.0F}) {
        const Rows rows = random_rows(random, n.B, n.H, n.T, n.d, -6, high);
        questions.add({{"shape", rows.codes.shape()}, {"codes", rows.codes}, {"scales", rows.scales}});
    }
    return questions;
}

Questions ask_append(Random& random) {
    const SmallSizes n = small_sizes(random);
    Questions questions;
    const auto ask = [&](const Cache& cache, Index fresh) {
        questions.add(
            cache.appended(uneven_rows(random, {n.B, n.H, fresh, n.d}), uneven_rows(random, {n.B, n.H, fresh, n.d_v})));
    };
    ask(Cache{}, 1);
    ask(Cache{}, n.T);
    ask(random_cache(random, n.B, n.H, n.S, n.d, n.d_v), 1);
    ask(random_cache(random, n.B, n.H, n.S, n.d, n.d_v), n.T);
    return questions;
}

Questions ask_int8_attention(Random& random) {
    const SmallSizes n = small_sizes(random);
    Questions questions;
    const auto ask = [&](const Mask& mask, const std::string& name = {}) {
        questions.add(
            random_cache(random, n.B, n.H, n.S, n.d, n.d_v).attended(random_tensor(random, {n.B, n.H, n.T, n.d}), mask),
            name);
    };
    ask(Mask{}, "there is no mask");
    ask(random_mask(random, {n.B, n.H, n.T, n.S}), "there is a mask");
    ask(reference::causal_mask(n.T, n.S));
    Mask rows = random_mask(random, {n.T, n.S});
    for (Index s = 0; s < n.S; ++s) rows(0, s) = true;
    ask(rows, "empty rows");
    return questions;
}

Questions ask_cache_bytes(Random& random) {
    const SmallSizes n = small_sizes(random);
    Questions questions;
    for (const std::string kept : {"as_float", "as_half", "as_int8"})
        for (const Index d_v : {n.d, n.d_v})
            questions.add({{"B", n.B}, {"H", n.H}, {"S", n.S}, {"d", n.d}, {"d_v", d_v}, {"kept", kept}});
    // More than 2^31 for keys, for values and for both.
    for (const std::string kept : {"as_float", "as_half", "as_int8"})
        questions.add({{"B", Index{5}},
                       {"H", Index{96}},
                       {"S", Index{131'072}},
                       {"d", Index{128}},
                       {"d_v", Index{64}},
                       {"kept", kept}});
    return questions;
}

}  // namespace headway::diagnosis
