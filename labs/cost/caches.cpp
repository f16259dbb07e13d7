#include "labs/cost/caches.hpp"

#include "labs/cost/halves.hpp"
#include "labs/cost/measure.hpp"
#include "labs/frame/program.hpp"
#include "labs/frame/students_code.hpp"

#include <headway/given.hpp>
#include <headway/not_implemented.hpp>
#include <headway/random.hpp>

#include <small_numbers.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace headway::lab {
namespace {

using ex12::Format;
using ex12::Int8Cache;

constexpr const char* exercise = "12_small_numbers";
constexpr Index H = 4, head_dim = 64;

Tensor rounded(const Tensor& x) {
    return of_student(exercise, "rounded", [&] { return ex12::rounded(x, Format::half); });
}
Int8Cache appended(const Int8Cache& cache, const Tensor& k, const Tensor& v) {
    return of_student(exercise, "append", [&] { return ex12::append(cache, k, v); });
}
Tensor attended(const Tensor& q, const Int8Cache& cache) {
    return of_student(exercise, "int8_attention", [&] { return ex12::int8_attention(q, cache, Mask{}); });
}

/// T tokens that are in the cache, and one more.
struct CachedText {
    Tensor q, k, v, next_k, next_v;

    CachedText(Random& random, Index T)
        : q(random.normal({1, H, 1, head_dim})),
          k(random.normal({1, H, T, head_dim})),
          v(random.normal({1, H, T, head_dim})),
          next_k(random.normal({1, H, 1, head_dim})),
          next_v(random.normal({1, H, 1, head_dim})) {}
    Index T() const { return k.size(2); }
};

bool is_written() {
    const Tensor x = Tensor::ones({1, 1, 1, 2});
    const StudentsTurn turn(exercise, "append");
    try {
        ex12::rounded(x, Format::half);
        ex12::int8_attention(x, ex12::append({}, x, x), Mask{});
        ex12::cache_bytes(1, 1, 1, 1, 1, ex12::Kept::as_int8);
        return true;
    } catch (const NotImplemented&) {
        return false;
    } catch (...) {
        return true;  // what is wrong with it is told when it is used
    }
}

// ---- three ways to keep a text, and to go on ---------------------------------------------------------------------

/// Adds the next token, and attends to all.
Tensor step_in_float(const CachedText& text) {
    return given::scaled_dot_product_context(text.q, ops::cat({text.k, text.next_k}, 2),
                                             ops::cat({text.v, text.next_v}, 2));
}

struct HalfCache {
    Halves k, v;
};

Tensor step_in_half(const CachedText& text, const HalfCache& cache) {
    const Halves k = appended(cache.k, in_halves(rounded(text.next_k)));
    const Halves v = appended(cache.v, in_halves(rounded(text.next_v)));
    return given::scaled_dot_product_context(text.q, from_halves(k), from_halves(v));
}

Tensor step_in_int8(const CachedText& text, const Int8Cache& cache) {
    return attended(text.q, appended(cache, text.next_k, text.next_v));
}

Index bytes_in(const Tensor& x) { return x.numel() * static_cast<Index>(sizeof(float)); }
Index bytes_in(const Halves& x) { return static_cast<Index>(x.bits.size() * sizeof(std::uint16_t)); }
Index bytes_in(const ex12::Int8Rows& x) { return static_cast<Index>(x.codes.size()) + bytes_in(x.scales); }

/// Infinite if shapes differ or a number is NaN.
double largest_difference(const Tensor& a, const Tensor& b) {
    if (a.shape() != b.shape()) return std::numeric_limits<double>::infinity();
    const Tensor x = a.contiguous(), y = b.contiguous();
    double largest = 0;
    for (Index i = 0; i < x.numel(); ++i) {
        const double difference = std::abs(static_cast<double>(x.data()[i]) - y.data()[i]);
        if (std::isnan(difference)) return std::numeric_limits<double>::infinity();
        largest = std::max(largest, difference);
    }
    return largest;
}

void add_costs(CacheCosts& costs, const CachedText& text, int repeats) {
    constexpr double far_off = 0.2;  // numbers of a context of few tokens are about 1 large
    const Tensor exact = step_in_float(text);
    const HalfCache halves{in_halves(rounded(text.k)), in_halves(rounded(text.v))};
    const Int8Cache codes = appended(Int8Cache{}, text.k, text.v);
    const auto add = [&](const std::string& kept, Index bytes, const std::function<Tensor()>& step) {
        const double error = largest_difference(step(), exact);
        if (error > far_off)
            throw NotDone("attention to your cache in " + kept +
                          " (12_small_numbers) is not near attention to floats.\n./headway grade 12 may say why.");
        costs.caches.push_back({text.T(), kept, bytes / text.T(), error, milliseconds(repeats, step)});
    };
    add("float", bytes_in(text.k) + bytes_in(text.v), [&] { return step_in_float(text); });
    add("half", bytes_in(halves.k) + bytes_in(halves.v), [&] { return step_in_half(text, halves); });
    add("int8", bytes_in(codes.k) + bytes_in(codes.v), [&] { return step_in_int8(text, codes); });
}

}  // namespace

std::optional<CacheCosts> measure_caches(Index longest, int repeats) {
    if (!is_written()) return std::nullopt;
    Random random(12);
    CacheCosts costs{.H = H, .head_dim = head_dim, .bytes_said = 0, .caches = {}};
    costs.bytes_said = of_student(exercise, "cache_bytes",
                                  [] { return ex12::cache_bytes(1, H, 1, head_dim, head_dim, ex12::Kept::as_int8); });
    for (const Index T : {longest / 16, longest / 4, longest}) add_costs(costs, CachedText(random, T), repeats);
    return costs;
}

}  // namespace headway::lab
