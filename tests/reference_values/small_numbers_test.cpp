// Exercise 12 beside PyTorch: its rounding to sixteen bits and its codes of eight exactly; its softmax and attention,
// which it computes in double, within what the roundings of half allow.
#include "cases.hpp"
#include "closeness.hpp"

#include "small_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headway::beside_pytorch {
namespace {

/// A half is off by at most this share of the number that it is rounded from, unless that is subnormal.
constexpr double half_step = 1.0 / 2048;
constexpr double half_of_the_least = 0x1p-25;

void expect_rounded(const std::string& name, ex12::Format format) {
    const Case value(name);
    const Tensor x = value["x"], due = value["rounded"], infinite = value["infinite"];
    const Tensor ours = ex12::rounded(x, format);
    for (Index i = 0; i < x.numel(); ++i) {
        const float expected = infinite(i) != 0 ? infinite(i) * std::numeric_limits<float>::infinity() : due(i);
        EXPECT_EQ(ours(i), expected) << name << " of " << x(i);
        EXPECT_EQ(std::signbit(ours(i)), std::signbit(expected)) << name << " of " << x(i);
    }
}

TEST(OfSmallNumbers, RoundingToHalfIsTheSame) { expect_rounded("12/half", ex12::Format::half); }
TEST(OfSmallNumbers, RoundingToBfloat16IsTheSame) { expect_rounded("12/bfloat16", ex12::Format::bfloat16); }

/// The largest |number|.
double reach(const Tensor& x) {
    const Tensor dense = x.contiguous();
    double largest = 0;
    for (Index i = 0; i < dense.numel(); ++i)
        largest = std::max(largest, std::abs(static_cast<double>(dense.data()[i])));
    return largest;
}

/// By which share weights may be off. A score that is off by δ changes its exponential by e^δ; an exponential is
/// rounded once, the total has the errors of its terms, and the weight is rounded. First-order; 1 % is for what is left
/// out.
/// @param of_scores  how far scores were off before   @param spread  how far scores are apart
double share_of_weights(double of_scores, double spread) {
    const double of_exponentials = of_scores + spread * half_step + half_step;
    return 1.01 * (2 * of_exponentials + half_step);
}

TEST(OfSmallNumbers, SoftmaxInHalfIsOffByItsRoundingsAlone) {
    const Case value("12/softmax");
    const Tensor scores = value["scores"], due = value["weights"].contiguous();
    const Tensor masked = masked_fill(scores, value.mask(), -std::numeric_limits<float>::infinity());
    const Tensor ours = ex12::softmax_in_half(masked, ex12::Total::in_float).contiguous();
    ASSERT_EQ(ours.shape(), due.shape());
    const double share = share_of_weights(0, 2 * reach(scores));
    for (Index i = 0; i < due.numel(); ++i)
        EXPECT_NEAR(ours.data()[i], due.data()[i], share * static_cast<double>(due.data()[i]) + 3 * half_of_the_least);
}

TEST(OfSmallNumbers, AttentionInHalfIsOffByItsRoundingsAlone) {
    const Case value("12/attention");
    const Tensor q = value["q"], k = value["k"], v = value["v"], due = value["context"].contiguous();
    const Tensor ours = ex12::attention_in_half(q, k, v, value.mask()).contiguous();
    ASSERT_EQ(ours.shape(), due.shape());
    const double score = reach(q) * reach(k) * std::sqrt(static_cast<double>(q.size(3)));
    const double allowed = reach(v) * (share_of_weights(score * half_step, 2 * score) + half_step);
    EXPECT_LT(allowed, 0.05);
    for (Index i = 0; i < due.numel(); ++i) EXPECT_NEAR(ours.data()[i], due.data()[i], allowed);
}

void expect_codes(const ex12::Int8Rows& ours, const Tensor& codes, const Tensor& scales) {
    ASSERT_EQ(ours.shape, codes.shape());
    for (Index i = 0; i < codes.numel(); ++i)
        EXPECT_EQ(ours.codes.at(static_cast<std::size_t>(i)), codes.data()[i]) << i;
    EXPECT_TRUE(close(ours.scales, scales));
}

TEST(OfSmallNumbers, CodesScalesAndAttentionFromThemAreTheSame) {
    const Case value("12/int8");
    const Tensor k = value["k"], v = value["v"], due = value["context"];
    ex12::Int8Cache cache;
    Index begin = 0;
    for (const Index n : {1, 4, 2}) {
        cache = ex12::append(cache, k.slice(2, begin, begin + n), v.slice(2, begin, begin + n));
        begin += n;
    }
    expect_codes(cache.k, value["k_codes"], value["k_scales"]);
    expect_codes(cache.v, value["v_codes"], value["v_scales"]);
    const Tensor ours = ex12::int8_attention(value["q"], cache, value.mask());
    const auto scale = static_cast<float>(reach(v));  // values are up to 2^6 times as loud
    EXPECT_TRUE(close(ours / scale, due / scale));
}

}  // namespace
}  // namespace headway::beside_pytorch
