// Other ways to compute the same. They stand in the catalogue so that nobody adds one as a mistake, and so that a test
// holds them against the right choices: what differs from these by rounding alone must never be reported.
#include "diagnosis/chapters.hpp"
#include "diagnosis/elements.hpp"

#include "reference/attention.hpp"

#include <algorithm>
#include <cmath>

namespace headway::diagnosis {
namespace {

Array scaled(const Array& x, double power_of_head_dim) {
    const double factor = std::pow(static_cast<double>(x.size(-1)), power_of_head_dim);
    return mapped(x, [factor](double number) { return number * factor; });
}

Array product(const Array& q, const Array& k) { return reference::matmul(q, reference::transpose(k, -2, -1)); }

/// The product of one head's features with its rows of w_o, added up over heads.
Array sum_over_heads(const Projected& at) {
    const Index E = at.merged.size(-1);
    if (at.H < 1 || E % at.H != 0) return reference::matmul(at.merged, at.w_o);
    const Index d = E / at.H;
    Array sum;
    for (Index h = 0; h < at.H; ++h) {
        Shape features = at.merged.shape;
        features.back() = d;
        const Array part = gathered(at.merged, features, [&](Coordinate to) {
            std::vector<Index> from(to.begin(), to.end());
            from.back() += h * d;
            return position(at.merged.shape, from);
        });
        const Array rows = gathered(at.w_o, {d, at.w_o.shape[1]}, [&](Coordinate to) {
            return static_cast<std::size_t>((h * d + to[0]) * at.w_o.shape[1] + to[1]);
        });
        const Array product = reference::matmul(part, rows);
        sum = h == 0 ? product : reference::add(sum, product);
    }
    return sum;
}

}  // namespace

Chapter chapters::equivalents() {
    static constexpr Mistake mistakes[] = {
        {.id = "scale_on_queries",
         .decision = "scale",
         .title = "q is divided by √head_dim before the product",
         .make =
             [](Choices& c) {
                 c.scoring.product = [](const Array& q, const Array& k) { return product(scaled(q, -0.5), k); };
                 c.scoring.factor = [](const Widths&) { return 1.0; };
             },
         .equivalent = true},
        {.id = "scale_on_both",
         .decision = "scale",
         .title = "q and k are each divided by head_dim^¼",
         .make =
             [](Choices& c) {
                 c.scoring.product = [](const Array& q, const Array& k) {
                     return product(scaled(q, -0.25), scaled(k, -0.25));
                 };
                 c.scoring.factor = [](const Widths&) { return 1.0; };
             },
         .equivalent = true},
        {.id = "scores_turned_back",
         .decision = "scores",
         .title = "k·qᵀ is computed and then transposed",
         .make =
             [](Choices& c) {
                 c.scoring.product = [](const Array& q, const Array& k) {
                     return reference::transpose(product(k, q), -2, -1);
                 };
             },
         .equivalent = true},
        {.id = "softmax_shifted_further",
         .decision = "softmax_shift",
         .title = "a little more than the row's maximum is subtracted",
         .make = [](Choices& c) { c.softmaxing.shift = [](const Row& row) { return row.maximum() + 1; }; },
         .equivalent = true},
        {.id = "softmax_by_log_sum_exp",
         .decision = "softmax_sum",
         .title = "the logarithm of the sum of exponentials is subtracted before exp",
         .make =
             [](Choices& c) {
                 c.softmaxing.shift = [](const Row& row) {
                     double sum = 0;
                     for (std::size_t i = 0; i < row.score.size(); ++i)
                         if (!row.blocked[i]) sum += std::exp(row.score[i] - row.maximum());
                     return row.maximum() + std::log(sum);
                 };
                 c.softmaxing.denominator = [](double, const Row&) { return 1.0; };
             },
         .equivalent = true},
        {.id = "softmax_in_powers_of_two",
         .decision = "softmax_exponential",
         .title = "2^(x·log₂e) stands for eˣ",
         .make =
             [](Choices& c) {
                 c.softmaxing.exponential = [](double x) { return std::exp2(x * std::log2(std::exp(1.0))); };
             },
         .equivalent = true},
        {.id = "blocked_weights_zeroed_again",
         .decision = "mask_block",
         .title = "weights of blocked keys are set to 0 once more after softmax",
         .make =
             [](Choices& c) {
                 c.masking.afterwards = [](Array& weights, const Blocked& blocked) {
                     for (std::size_t i = 0; i < weights.value.size(); ++i)
                         if (blocked[i]) weights.value[i] = weights.error[i] = 0;
                 };
             },
         .equivalent = true},
        {.id = "causal_as_what_is_seen",
         .decision = "causal",
         .title = "the causal mask is written as not (s - t <= S - T)",
         .make =
             [](Choices& c) {
                 c.masks.causal =
                     c.masking.future = [](Index t, Index s, Index T, Index S) { return !(s - t <= S - T); };
             },
         .equivalent = true},
        {.id = "output_summed_over_heads",
         .decision = "output",
         .title = "each head is projected by its own rows of w_o, and the results are added",
         .make = [](Choices& c) { c.output.product = &sum_over_heads; },
         .equivalent = true},
        {.id = "residual_added_the_other_way",
         .decision = "residual",
         .title = "attended + x instead of x + attended",
         .make =
             [](Choices& c) {
                 c.residual.add = [](const Array& x, const Array& attended) { return reference::add(attended, x); };
             },
         .equivalent = true},
    };
    return {{}, mistakes};
}

}  // namespace headway::diagnosis
