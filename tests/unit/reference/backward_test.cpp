// The reference's gradients against central differences of its forward computation, all in double.
#include "reference/backward.hpp"
#include "reference/attention.hpp"
#include "student/inputs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace headway::reference {
namespace {

constexpr double step = 1e-5;
constexpr Index B = 2, H = 3, T = 4, S = 5, d = 6, d_v = 7;

/// What is differentiated: Σ outputs · upstream.
double loss(const Array& output, const Array& upstream) {
    double total = 0;
    for (std::size_t i = 0; i < output.value.size(); ++i) total += output.value[i] * upstream.value[i];
    return total;
}

/// Every element of `gradient` against what happens to `function` if the same element of `input` moves.
void expect_differences(Array input, const Array& gradient, const std::function<double(const Array&)>& function) {
    ASSERT_EQ(gradient.shape, input.shape);
    for (std::size_t i = 0; i < input.value.size(); ++i) {
        const double here = input.value[i];
        input.value[i] = here + step;
        const double above = function(input);
        input.value[i] = here - step;
        const double below = function(input);
        input.value[i] = here;
        EXPECT_NEAR(gradient.value[i], (above - below) / (2 * step), 1e-7) << "element " << i;
    }
}

Array random_array(Random& random, const Shape& shape) { return exact(judge::random_tensor(random, shape)); }

TEST(ReferenceGradients, OfSoftmaxAreDifferences) {
    Random random(1);
    const Array scores = random_array(random, {2, 3, S});
    const Array upstream = random_array(random, {2, 3, S});
    const Mask mask = Mask::of({S}, {false, true, false, false, false});
    const Array gradient = softmax_backward(masked_softmax(scores, mask), upstream);
    expect_differences(scores, gradient,
                       [&](const Array& moved) { return loss(masked_softmax(moved, mask), upstream); });
}

TEST(ReferenceGradients, OfAttentionAreDifferences) {
    Random random(2);
    const Array q = random_array(random, {B, H, T, d});
    const Array k = random_array(random, {B, H, S, d});
    const Array v = random_array(random, {B, H, S, d_v});
    const Array upstream = random_array(random, {B, H, T, d_v});
    Mask with_empty_row = judge::random_mask(random, {B, 1, T, S});
    for (Index s = 0; s < S; ++s) with_empty_row(0, 0, 1, s) = true;
    for (const Mask& mask : {Mask{}, causal_mask(T, S), with_empty_row}) {
        const AttentionGradients gradients = attention_backward(q, k, v, mask, upstream);
        const auto context = [&](const Array& a, const Array& b, const Array& c) {
            return loss(attention(a, b, c, mask).context, upstream);
        };
        expect_differences(q, gradients.q, [&](const Array& moved) { return context(moved, k, v); });
        expect_differences(k, gradients.k, [&](const Array& moved) { return context(q, moved, v); });
        expect_differences(v, gradients.v, [&](const Array& moved) { return context(q, k, moved); });
    }
}

TEST(ReferenceGradients, OfALinearAreDifferences) {
    Random random(3);
    const Array x = random_array(random, {B, T, S});
    const Array weight = random_array(random, {d, S});
    const Array bias = random_array(random, {d});
    const Array upstream = random_array(random, {B, T, d});
    const LinearGradients gradients = linear_backward(x, weight, upstream);
    const auto forward = [&](const Array& a, const Array& w, const Array& b) {
        return loss(add(matmul(a, transpose(w, 0, 1)), b), upstream);
    };
    expect_differences(x, gradients.x, [&](const Array& moved) { return forward(moved, weight, bias); });
    expect_differences(weight, gradients.weight, [&](const Array& moved) { return forward(x, moved, bias); });
    expect_differences(bias, gradients.bias, [&](const Array& moved) { return forward(x, weight, moved); });
}

/// What float32 does stays within the bounds, for small and large numbers.
TEST(ReferenceGradients, ErrorBoundsHoldForFloat32) {
    Random random(4);
    for (const float size : {0.1F, 1.0F, 3.0F}) {
        const Tensor scores = judge::random_tensor(random, {T, S}) * size;
        const Array weights = masked_softmax(exact(scores), Mask{});
        const Tensor grad = judge::random_tensor(random, {T, S}) * size;
        const Tensor w = to_tensor(weights);
        const Tensor in_float = w * (grad - sum(w * grad, -1, KeepAxis::yes));
        const Array in_double = softmax_backward(exact(w), exact(grad));
        for (Index i = 0; i < T * S; ++i) {
            const auto at = static_cast<std::size_t>(i);
            EXPECT_LE(std::abs(static_cast<double>(in_float.data()[i]) - in_double.value[at]), in_double.error[at]);
        }
    }
}

}  // namespace
}  // namespace headway::reference
