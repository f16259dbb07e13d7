// Attention in half: inputs, scores, weights and contexts are rounded, and sums may be.
#include "suites/12_small_numbers/known.hpp"

namespace headway::diagnosis {
namespace {

/// (..., M, K) · (..., K, N) with sums in half.
Array half_product(const Halves& choices, const Array& a, const Array& b, bool rounds_products) {
    const Rounding round(choices, true);
    const Index B = a.size(0), H = a.size(1), M = a.size(2), K = a.size(3), N = b.size(3);
    Array result = zeros({B, H, M, N});
    each(result.shape, [&](Coordinate at, std::size_t i) {
        Known total = Known::exactly(0);
        for (Index j = 0; j < K; ++j) {
            const Index of_a[] = {at[0], at[1], at[2], j}, of_b[] = {at[0], at[1], j, at[3]};
            const std::size_t left = position(a.shape, of_a), right = position(b.shape, of_b);
            const double value = a.value[left] * b.value[right];
            const double off = a.error[left] * std::abs(b.value[right]) + b.error[right] * std::abs(a.value[left]);
            Known product{value - off, value, value + off};
            if (rounds_products) product = round(product);
            Known next = sum_of(total, product);
            const double float_off =
                static_cast<float>(next.value) == next.value ? 0 : reference::unit_roundoff * std::abs(next.value);
            next = {next.low - float_off, next.value, next.high + float_off};
            total = round(next);
        }
        result.value[i] = total.value;
        result.error[i] = total.error();
    });
    return result;
}

Widths widths_of(const Array& q, const Array& k, const Array& v) {
    Widths widths;
    widths.B = q.size(0);
    widths.H = q.size(1);
    widths.T = q.size(2);
    widths.S = k.size(2);
    widths.d = widths.default_d = q.size(3);
    widths.d_v = v.size(3);
    widths.D = widths.H * widths.d;
    return widths;
}

}  // namespace

Array attention_in_half(const Choices& c, const Tensor& q_given, const Tensor& k_given, const Tensor& v_given,
                        const Mask& mask) {
    const Halves& choices = c.of<Halves>();
    const Rounding round(choices, true);
    const auto read = [&](const Tensor& x, Argument which, std::size_t role, double by = 1) {
        const Array numbers = c.reading.tensor(x, which);
        const Array scaled = by == 1 ? numbers : reference::scale(numbers, by);
        return choices.rounds_input.at(role) ? round(scaled) : scaled;
    };
    Array q = read(q_given, Argument::query, 0);
    const Array k = read(k_given, Argument::key, 1), v = read(v_given, Argument::value, 2);
    double factor = c.scoring.factor(widths_of(q, k, v));
    if (choices.rounds_root) factor = 1 / round(1 / factor);
    const bool as_they_came = choices.scaled == Halves::Scaled::queries_as_they_came;
    if (as_they_came) q = read(q_given, Argument::query, 0, factor);
    if (choices.scaled == Halves::Scaled::queries_first) q = round(reference::scale(q, factor));
    if (as_they_came || choices.scaled == Halves::Scaled::queries_first) factor = 1;
    Array sums = choices.of_scores == Halves::Sums::in_float
                     ? c.scoring.product(q, k)
                     : half_product(choices, q, reference::transpose(k, -2, -1),
                                    choices.of_scores == Halves::Sums::with_products);
    if (choices.scaled == Halves::Scaled::after_rounding) sums = round(sums);
    Array scores = round(reference::scale(sums, factor));
    Blocked blocked = c.masking.read(mask, scores.shape);
    const Blocked as_asked = blocked;
    c.masking.block(scores, blocked);
    for (std::size_t i = 0; i < blocked.size(); ++i) {
        if (!blocked[i]) continue;
        scores.value[i] = -std::numeric_limits<double>::infinity();
        scores.error[i] = 0;
    }
    Array weights = softmax_in_half(choices, scores, choices.attention_total_in_half);
    c.masking.afterwards(weights, as_asked);
    const Array& gathered = c.weighing.gathered == Gathered::keys ? k : v;
    Array context = choices.of_context == Halves::Sums::in_float
                        ? c.weighing.context({weights, scores, q, k, gathered, as_asked})
                        : half_product(choices, weights, gathered, choices.of_context == Halves::Sums::with_products);
    return choices.rounds_context ? round(context) : context;
}

}  // namespace headway::diagnosis
