#include "format.hpp"
#include "lessons.hpp"

#include <small_numbers.hpp>

#include <headway/random.hpp>

#include <algorithm>
#include <cmath>
#include <functional>

namespace headway::lessons {
namespace {

using ex12::Format;
using ex12::Kept;

Tensor tokens(const Tensor& x) { return x.view({1, 1, x.size(0), x.size(1)}); }

/// The largest scale for every row: one scale per tensor.
Tensor same_scale(const Tensor& x) {
    const Tensor scales = ex12::row_scales(x);
    return Tensor::full(scales.shape(), max(scales.contiguous().view({scales.numel()}), 0)());
}

void codes(Blocks& blocks) {
    const Tensor x = tokens(Tensor::rows({{1.27F, -0.5F, 0.304F, 0}, {0.1F, 38.1F, -0.8F, 2.5F}}));
    const auto table = [&](Index row, const Tensor& scales) {
        const ex12::Int8Rows rows = ex12::to_int8(x, scales);
        const Tensor back = ex12::from_int8(rows);
        Labels line{fixed(scales(0, 0, row), 3)};
        double largest = 0;
        for (Index i = 0; i < 4; ++i) {
            line.push_back(std::to_string(rows.codes[static_cast<std::size_t>(4 * row + i)]));
            largest = std::max(largest, std::abs(static_cast<double>(back(0, 0, row, i)) - x(0, 0, row, i)));
        }
        line.push_back(fixed(largest, 3));
        return line;
    };
    const Labels heading{"scale", "code 0", "code 1", "code 2", "code 3", "largest error"};
    const auto lines = [&](const std::string& name, const Tensor& scales) {
        std::vector<Labels> all{heading};
        all.front().insert(all.front().begin(), name);
        for (Index row = 0; row < 2; ++row) {
            Labels line = table(row, scales);
            line.insert(line.begin(), "row " + std::to_string(row));
            all.push_back(line);
        }
        return all;
    };
    blocks.text("12/codes", grid(lines("a scale per row", ex12::row_scales(x))));
    blocks.text("12/codes-of-one-scale", grid(lines("one scale", same_scale(x))));

    std::vector<Labels> ends{{"number / scale", "nearest code", "lowest eight bits"}};
    for (const float number : {100.4F, 127.0F, 128.0F, 200.0F, -128.0F, -300.0F})
        ends.push_back(
            {fixed(number, number == std::round(number) ? 0 : 1),
             std::to_string(ex12::to_int8(tokens(Tensor::rows({{number}})), Tensor::ones({1, 1, 1})).codes[0]),
             std::to_string(static_cast<std::int8_t>(static_cast<std::uint8_t>(static_cast<int>(number))))});
    blocks.text("12/ends", grid(ends));
}

// ---- what a cache costs, in bytes and in error ---------------------------------------------------------------------

constexpr Index H = 4, T = 16, S = 256, d = 64;

struct Kind {
    std::string name;
    Tensor k, v;
};

/// Keys and values of the same draw: as they are, with the value of one token twenty times as loud, and with one
/// feature of all keys so.
std::vector<Kind> kinds() {
    Random random(13);
    const Tensor k = random.normal({1, H, S, d}), v = random.normal({1, H, S, d});
    const auto louder = [](const Tensor& x, Index axis, Index position) {
        Tensor copy = x.clone();
        Tensor part = copy.select(axis, position);
        part *= 20.0F;
        return copy;
    };
    return {{"even", k, v}, {"loud value", k, louder(v, 2, 3)}, {"loud feature", louder(k, 3, 5), v}};
}

struct Error {
    double largest = 0, mean = 0;
};

Error between(const Tensor& a, const Tensor& b) {
    const Tensor x = a.contiguous(), y = b.contiguous();
    Error error;
    for (Index i = 0; i < x.numel(); ++i) {
        const double off = std::abs(static_cast<double>(x.data()[i]) - y.data()[i]);
        error.largest = std::max(error.largest, off);
        error.mean += off / static_cast<double>(x.numel());
    }
    return error;
}

/// How keys and values may be kept.
struct Way {
    std::string name;
    double bytes;  ///< per number
    std::function<Tensor(const Tensor&)> kept;
};

std::vector<Way> ways() {
    const auto bytes = [](Kept kept) {
        return static_cast<double>(ex12::cache_bytes(1, H, S, d, d, kept)) / static_cast<double>(2 * H * S * d);
    };
    const auto in_codes = [](const auto& scales_of) {
        return [=](const Tensor& x) { return ex12::from_int8(ex12::to_int8(x, scales_of(x))); };
    };
    return {{"float", bytes(Kept::as_float), [](const Tensor& x) { return x; }},
            {"half", bytes(Kept::as_half), [](const Tensor& x) { return ex12::rounded(x, Format::half); }},
            {"bfloat16", bytes(Kept::as_half), [](const Tensor& x) { return ex12::rounded(x, Format::bfloat16); }},
            {"int8, a scale per row", bytes(Kept::as_int8), in_codes(&ex12::row_scales)},
            {"int8, one scale", 1, in_codes(&same_scale)}};
}

Tensor attended(const Tensor& k, const Tensor& v) {
    return given::scaled_dot_product_context(Random(1).normal({1, H, T, d}), k, v, Mask{});
}

void caches(Blocks& blocks) {
    std::vector<Labels> even{{"kept as", "bytes per number", "of float", "largest error", "mean, 1e-6"}};
    std::vector<Labels> loud{{"", "a loud value", "", "a loud key feature", ""},
                             {"kept as", "largest error", "mean", "largest error", "mean"}};
    std::vector<double> of_even, of_loud_value;  // mean errors
    for (const Way& way : ways()) {
        even.push_back(
            {way.name, fixed(way.bytes, way.bytes == std::round(way.bytes) ? 0 : 4), fixed(way.bytes / 4, 3)});
        loud.push_back({way.name});
        for (const Kind& kind : kinds()) {
            const Error error = between(attended(way.kept(kind.k), way.kept(kind.v)), attended(kind.k, kind.v));
            const bool is_even = kind.name == "even";
            Labels& line = is_even ? even.back() : loud.back();
            line.push_back(fixed(error.largest, 4));
            line.push_back(is_even ? grouped(static_cast<Index>(std::round(error.mean * 1e6))) : fixed(error.mean, 4));
            if (is_even) of_even.push_back(error.mean);
            if (kind.name == "loud value") of_loud_value.push_back(error.mean);
        }
    }
    blocks.text("12/caches", grid(even));
    blocks.text("12/loud-caches", grid(loud));
    blocks.number("12/int8-largest", even.at(4).at(3));
    blocks.number("12/mean-ratio", fixed(of_even.at(3) / of_even.at(2), 1));
    blocks.number("12/loud-ratio", fixed(of_loud_value.at(4) / of_loud_value.at(3), 0));
    const Kind plain = kinds().front();
    const Tensor context = attended(plain.k, plain.v), half_scales = ex12::row_scales(plain.v) / 2.0F;
    blocks.number("12/context-size", fixed(between(context, context * 0.0F).mean, 1));
    blocks.number("12/half-scale", fixed(between(half_scales, half_scales * 0.0F).mean, 2));
}

void sizes(Blocks& blocks) {
    constexpr Index layers = 12, heads = 12, positions = 1024, width = 64;
    std::vector<Labels> lines{{"kept as", "bytes", "of float"}};
    const double all = static_cast<double>(ex12::cache_bytes(1, heads, positions, width, width, Kept::as_float));
    for (const auto& [name, kept] :
         {std::pair{"float", Kept::as_float}, {"half", Kept::as_half}, {"int8", Kept::as_int8}}) {
        const Index bytes = ex12::cache_bytes(1, heads, positions, width, width, kept);
        lines.push_back({name, grouped(layers * bytes), fixed(static_cast<double>(bytes) / all, 3)});
    }
    blocks.text("12/sizes", grid(lines));
    const auto megabytes = [&](Kept kept) {
        return fixed(static_cast<double>(layers * ex12::cache_bytes(1, heads, positions, width, width, kept)) / 1e6, 1);
    };
    blocks.number("12/gpt2-float", megabytes(Kept::as_float));
    blocks.number("12/gpt2-int8", megabytes(Kept::as_int8));
}

void small_numbers_in_int8(Blocks& blocks) {
    codes(blocks);
    caches(blocks);
    sizes(blocks);
}

const Announced announced{&small_numbers_in_int8};

}  // namespace
}  // namespace headway::lessons
