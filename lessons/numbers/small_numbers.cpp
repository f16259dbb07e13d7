#include "format.hpp"
#include "lessons.hpp"

#include <small_numbers.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

namespace headway::lessons {
namespace {

using ex12::Format;

float in(Format format, float x) { return ex12::rounded(Tensor::of({1}, {x}), format)(0); }
float half(float x) { return in(Format::half, x); }

/// "2,048", "65,504" or "inf".
std::string whole(double x) {
    if (std::isnan(x)) return "NaN";
    if (std::isinf(x)) return x > 0 ? "inf" : "-inf";
    return grouped(static_cast<Index>(x));
}

/// "1.6e38"
std::string in_powers(double x) {
    const double exponent = std::floor(std::log10(x));
    return fixed(x / std::pow(10.0, exponent), 1) + "e" + fixed(exponent, 0);
}

/// All digits of a number of sixteen bits.
std::string exact(float x) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.15g", static_cast<double>(x));
    return text.data();
}

// ---- sixteen bits --------------------------------------------------------------------------------------------------

/// The exponent of the distance from x, a power of two, to the next larger number of a format.
template <class Holds>
int exponent_of_step(double x, Holds holds) {
    for (int exponent = -200;; ++exponent) {
        const double next = x + std::ldexp(1.0, exponent);
        if (next > x && static_cast<double>(static_cast<float>(next)) == next && holds(static_cast<float>(next)))
            return exponent;
    }
}

std::string power(int exponent) {
    return exponent >= 0 ? grouped(Index{1} << exponent) : "2^" + std::to_string(exponent);
}

void steps(Blocks& blocks) {
    std::vector<Labels> lines{{"numbers from", "half", "bfloat16", "float"}};
    for (const int exponent : {-24, -15, -14, 0, 8, 10, 11, 15, 16}) {
        const double x = std::ldexp(1.0, exponent);
        const auto step = [&](Format format) {
            return power(exponent_of_step(x, [&](float next) { return in(format, next) == next; }));
        };
        const bool has_halves = std::isfinite(half(static_cast<float>(x)));
        lines.push_back({power(exponent), has_halves ? step(Format::half) : "none", step(Format::bfloat16),
                         power(exponent_of_step(x, [](float) { return true; }))});
    }
    blocks.text("12/steps", grid(lines));

    lines = {{"number", "half", "bfloat16"}};
    for (const float x : {255.0F, 257.0F, 2047.0F, 2049.0F, 2050.0F, 2051.0F, 65'519.0F, 65'520.0F})
        lines.push_back({whole(x), whole(half(x)), whole(in(Format::bfloat16, x))});
    blocks.text("12/rounded", grid(lines));
    blocks.number("12/tenth", exact(half(0.1F)));
    blocks.number("12/largest", whole(half(65'519)));
}

void sums(Blocks& blocks) {
    std::vector<Labels> lines{{"ones", "in float", "in half", "in bfloat16"}};
    for (const Index n : {100, 256, 1000, 2048, 4096, 10'000}) {
        const Tensor ones = Tensor::ones({n});
        lines.push_back({grouped(n), whole(sum(ones, 0)()), whole(ex12::sum_in(ones, Format::half)(0)),
                         whole(ex12::sum_in(ones, Format::bfloat16)(0))});
    }
    blocks.text("12/sums", grid(lines));
}

// ---- where attention breaks ----------------------------------------------------------------------------------------

void exponentials(Blocks& blocks) {
    const auto log_infinite = static_cast<float>(std::log(65'520.0));  // what is less goes to 65,504
    const float below = half(log_infinite), step = std::ldexp(1.0F, std::ilogb(below) - 10);
    const float first_infinite = below < log_infinite ? below + step : below;
    std::vector<Labels> lines{{"x", "e^x", "in half"}};
    for (const float x : {-18.0F, -17.0F, 0.0F, 10.0F, 11.0F, 11.0859375F, first_infinite, 12.0F, 88.0F}) {
        const double e = std::exp(static_cast<double>(x));
        const float kept = half(static_cast<float>(e));
        const bool is_least = kept == std::ldexp(1.0F, -24);
        lines.push_back({exact(x), e < 1 || e > 1e9 ? in_powers(e) : grouped(static_cast<Index>(std::round(e))),
                         is_least ? "2^-24" : whole(kept)});
    }
    blocks.text("12/exponentials", grid(lines));
    blocks.number("12/log-largest", fixed(std::log(65'504.0), 4));
    blocks.number("12/log-infinite", fixed(std::log(65'520.0), 4));
    blocks.number("12/first-infinite", exact(first_infinite));
    blocks.number("12/log-float", fixed(std::log(static_cast<double>(std::numeric_limits<float>::max())), 2));
}

void totals(Blocks& blocks) {
    std::vector<Labels> lines{
        {"equal keys", "weight, total in float", "their sum", "weight, total in half", "their sum"}};
    for (const Index S : {512, 2048, 4096, 16'384}) {
        Labels line{grouped(S)};
        for (const ex12::Total total : {ex12::Total::in_float, ex12::Total::in_half}) {
            const Tensor weights = ex12::softmax_in_half(Tensor::zeros({S}), total);
            line.push_back("1/" + grouped(static_cast<Index>(1 / weights(0))));
            line.push_back(fixed(sum(weights, 0)(), 0));
        }
        lines.push_back(line);
    }
    blocks.text("12/totals", grid(lines));
}

/// What a program does that adds a constant where a key is blocked, and looks no further.
Tensor weights_with_penalty(const Tensor& scores, const std::vector<bool>& blocked, float penalty, int times) {
    Tensor s = scores.clone();
    for (Index i = 0; i < s.numel(); ++i)
        for (int time = 0; blocked[static_cast<std::size_t>(i)] && time < times; ++time)
            s(i) = half(s(i) + half(penalty));
    const Tensor e = ex12::rounded(exp(ex12::rounded(s - max(s, 0, KeepAxis::yes), Format::half)), Format::half);
    return ex12::rounded(e / sum(e, 0, KeepAxis::yes), Format::half);
}

std::string row_of(const Tensor& weights) {
    std::string row;
    for (Index i = 0; i < weights.numel(); ++i) row += (i > 0 ? " " : "") + fixed(weights(i), 3);
    return row;
}

void masks(Blocks& blocks) {
    const Tensor scores = Tensor::of({3}, {1, 2, 3}), low = Tensor::of({3}, {-65'504, 2, 3});
    const std::vector<bool> last{false, false, true}, last_two{false, true, true}, all{true, true, true};
    std::vector<Labels> lines{{"where a key is blocked", "last key blocked", "open score -65,504", "all blocked"}};
    const auto add = [&](const std::string& name, float penalty, int times) {
        lines.push_back({name, row_of(weights_with_penalty(scores, last, penalty, times)),
                         row_of(weights_with_penalty(low, last_two, penalty, times)),
                         row_of(weights_with_penalty(scores, all, penalty, times))});
    };
    add("-1e9 is added", -1e9F, 1);
    add("-65,504 is added", -65'504, 1);
    add("-65,504, by two masks", -65'504, 2);
    const auto filled = [](const Tensor& x, const std::vector<bool>& blocked) {
        Tensor masked = x.clone();
        for (Index i = 0; i < x.numel(); ++i)
            if (blocked[static_cast<std::size_t>(i)]) masked(i) = -std::numeric_limits<float>::infinity();
        return row_of(ex12::softmax_in_half(masked, ex12::Total::in_float));
    };
    lines.push_back({"-inf: softmax_in_half", filled(scores, last), filled(low, last_two), filled(scores, all)});
    blocks.text("12/masks", grid(lines));
}

void products(Blocks& blocks) {
    const Tensor sums = Tensor::of({2}, {90'000, 89'700});  // (300, 0, 0, 0) times (300, 0, 0, 0) and (299, 0, 0, 0)
    const Tensor early = ex12::rounded(ex12::rounded(sums, Format::half) / 2.0F, Format::half);
    const Tensor late = ex12::rounded(sums / 2.0F, Format::half);
    const auto weights = [](const Tensor& s) {
        const Tensor e = exp(s - max(s, 0, KeepAxis::yes));
        return e / sum(e, 0, KeepAxis::yes);
    };
    const auto line = [&](const std::string& name, const Tensor& s) {
        const Tensor w = weights(s);
        return Labels{name, whole(s(0)), whole(s(1)), fixed(w(0), 3), fixed(w(1), 3)};
    };
    blocks.text("12/products", grid({{"q·k = 90,000 and 89,700, d = 4", "score 0", "score 1", "weight 0", "weight 1"},
                                     line("rounded, then divided", early),
                                     line("divided, then rounded", late)}));
    blocks.number("12/thirty-two", grouped(64 * 32 * 32));
}

void small_numbers(Blocks& blocks) {
    steps(blocks);
    sums(blocks);
    exponentials(blocks);
    totals(blocks);
    masks(blocks);
    products(blocks);
}

const Announced announced{&small_numbers};

}  // namespace
}  // namespace headway::lessons
