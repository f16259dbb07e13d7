// What is done to weights before they meet the values.
#include "diagnosis/chapters.hpp"

#include "reference/attention.hpp"

#include <algorithm>
#include <cmath>

namespace headway::diagnosis {
namespace {

using reference::scale;

}  // namespace

Chapter chapters::after_softmax() {
    static constexpr Decision decisions[] = {
        {.id = "softmax_times",
         .stage = Stage::softmax,
         .lesson = {{"01", "As a formula"}},
         .pseudocode = "scores → softmax → weights → weights · v: softmax once"},
        {.id = "weights_finish",
         .stage = Stage::softmax,
         .lesson = {{"01", "Why divide by √d?"}},
         .pseudocode = "weights = softmax(q·kᵀ / √d); nothing more is done to them before they meet v"},
        // Without masks that is the same as applying it twice.
        {.id = "softmax_again",
         .stage = Stage::softmax,
         .lesson = {{"03", "Masks: which keys do not exist"}},
         .pseudocode = "scores → softmax → weights → weights · v: softmax once"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "softmax_twice",
         .decision = "softmax_times",
         .title = "softmax is applied twice",
         .right = "apply it once: what comes out of it are weights already",
         .symptom = "weights become almost uniform; nothing crashes",
         .question = "Which functions on the way call softmax?",
         .make = [](Choices& c) { c.softmaxing.times = 2; }},
        {.id = "softmax_missing",
         .decision = "softmax_times",
         .title = "softmax is missing: scores are used as weights",
         .right = "softmax turns the scores of a query into weights that sum to 1",
         .symptom = "outputs are unbounded, and may be negative mixtures",
         .question = "What do your weights add up to?",
         .make = [](Choices& c) { c.softmaxing.times = 0; }},
        {.id = "scale_after_softmax",
         .decision = "weights_finish",
         .title = "the weights are divided by √head_dim after softmax",
         .right = "scale the scores before softmax; weights sum to 1",
         .symptom = "rows sum to 1/√head_dim, so outputs are too small",
         .question = "What do your weights add up to?",
         .make =
             [](Choices& c) {
                 c.scoring.factor = [](const Widths&) { return 1.0; };
                 c.softmaxing.finish = [](const Array& weights, const Widths& w) {
                     return scale(weights, 1 / std::sqrt(static_cast<double>(w.d)));
                 };
             }},
        {.id = "softmax_again_without_mask",
         .decision = "softmax_again",
         .title = "softmax is applied once more to the weights, without the mask",
         .right = "weights are normalised already",
         .symptom = "blocked keys get a weight again",
         .question = "Which functions on the way call softmax?",
         .make =
             [](Choices& c) {
                 c.softmaxing.finish = [](const Array& weights, const Widths&) {
                     return reference::masked_softmax(weights, Mask{});
                 };
             }},
        {.id = "weights_rescaled",
         .decision = "weights_finish",
         .title = "the weights are divided by √head_dim, as the scores were before",
         .right = "scale the scores only; weights sum to 1",
         .symptom = "outputs are too small by √head_dim",
         .question = "What do your weights add up to?",
         .make =
             [](Choices& c) {
                 c.softmaxing.finish = [](const Array& weights, const Widths& w) {
                     return scale(weights, 1 / std::sqrt(static_cast<double>(w.d)));
                 };
             }},
        {.id = "only_the_best_key",
         .decision = "weights_finish",
         .title = "each query takes its best key alone instead of a weighted sum",
         .right = "keep the weights: softmax is a soft maximum",
         .symptom = "works, but nothing can be learned from how close the others came",
         .question = "How many keys contribute to one output?",
         .make =
             [](Choices& c) {
                 c.softmaxing.finish = [](const Array& weights, const Widths&) {
                     Array hard = weights;
                     const auto S = static_cast<std::size_t>(weights.size(-1));
                     for (std::size_t row = 0; row < hard.value.size(); row += S) {
                         const auto begin = weights.value.begin() + static_cast<std::ptrdiff_t>(row);
                         const auto best = std::max_element(begin, begin + static_cast<std::ptrdiff_t>(S));
                         for (std::size_t s = 0; s < S; ++s) {
                             hard.value[row + s] = *best > 0 && begin + static_cast<std::ptrdiff_t>(s) == best ? 1 : 0;
                             hard.error[row + s] = 0;
                         }
                     }
                     return hard;
                 };
             }},
        {.id = "weights_averaged_over_heads",
         .decision = "weights_finish",
         .title = "the weights are averaged over the heads, and every head uses the average",
         .right = "each head has its own weights",
         .symptom = "many heads learn no more than one",
         .question = "Do two heads of your module ever differ in their weights?",
         .make =
             [](Choices& c) {
                 c.softmaxing.finish = [](const Array& weights, const Widths&) {
                     if (weights.shape.size() != 4) return weights;
                     Array mean = weights;
                     const auto H = static_cast<std::size_t>(weights.size(1));
                     const auto matrix = static_cast<std::size_t>(weights.size(2) * weights.size(3));
                     for (std::size_t i = 0; i < mean.value.size(); ++i) {
                         const std::size_t first = i / (H * matrix) * H * matrix + i % matrix;
                         double sum = 0;
                         double error = 0;
                         for (std::size_t h = 0; h < H; ++h) {
                             sum += weights.value[first + h * matrix];
                             error += weights.error[first + h * matrix];
                         }
                         mean.value[i] = sum / static_cast<double>(H);
                         mean.error[i] = error;
                     }
                     return mean;
                 };
             }},
    };
    return {decisions, mistakes};
}

}  // namespace headway::diagnosis
