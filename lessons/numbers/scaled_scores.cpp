#include "lessons.hpp"
#include "sentence.hpp"

#include <scaled_scores.hpp>
#include <single_head.hpp>

#include <cmath>
#include <limits>

namespace headway::lessons {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr Index the = 0, cat = 1, sat = 2, here = 3;

/// Mean over all rows, in bits.
double entropy(const Tensor& weights) {
    double total = 0;
    for (Index h = 0; h < 2; ++h)
        for (Index t = 0; t < 4; ++t)
            for (Index s = 0; s < 4; ++s) total -= weights(0, h, t, s) * std::log2(weights(0, h, t, s));
    return total / (2 * 4);
}

void scales(Blocks& blocks, const Tensor& raw) {
    const auto weights = [&](float width) { return ex03::masked_softmax(raw / std::sqrt(width), {}); };
    const Tensor unscaled = weights(1);
    const Tensor by_head_dim = weights(3);
    const Tensor by_model_width = weights(6);
    const auto row = [](const Tensor& w) { return w[0][0].slice(0, here, here + 1); };  // (1, 4)
    blocks.text("03/raw-scores", matrix("q·kᵀ, head 0", tokens, tokens, raw[0][0]));
    blocks.text("03/three-scales", heatmap("here, head 0", {"not scaled", "/ √3 (√head_dim)", "/ √6 (√D)"}, tokens,
                                           ops::cat({row(unscaled), row(by_head_dim), row(by_model_width)}, 0)));
    blocks.number("03/here-on-cat", fixed(by_head_dim(0, 0, here, cat), 3));
    blocks.number("03/here-on-cat-by-model-width", fixed(by_model_width(0, 0, here, cat), 3));
    blocks.text("03/entropy", grid({{"", "not scaled", "/ √head_dim", "/ √D", "even split"},
                                    {"bits", fixed(entropy(unscaled), 2), fixed(entropy(by_head_dim), 2),
                                     fixed(entropy(by_model_width), 2), "2.00"}}));
}

/// A row under the causal mask, step by step.
std::string masked_by_hand(const Tensor& raw) {
    const Mask mask = ex03::causal_mask(4, 4);
    const Tensor scaled = raw / std::sqrt(3.0F);
    const Tensor allowed = masked_fill(scaled, mask, -infinity);
    const float largest = max(allowed[0][0][sat], 0)();
    const Tensor raised = exp(allowed - largest);
    const Tensor weights = ex03::masked_softmax(scaled, mask);
    std::vector<Labels> lines{
        {"sat, head 0"}, {"q·k"}, {"/ √3"}, {"masked"}, {"exp(score - " + fixed(largest, 3) + ")"}, {"weight"}};
    for (Index s = 0; s < 4; ++s) {
        lines[0].push_back(tokens[static_cast<std::size_t>(s)]);
        lines[1].push_back(fixed(raw(0, 0, sat, s), 0));
        lines[2].push_back(fixed(scaled(0, 0, sat, s), 3));
        lines[3].push_back(fixed(allowed(0, 0, sat, s), 3));
        lines[4].push_back(fixed(raised(0, 0, sat, s), 3));
        lines[5].push_back(fixed(weights(0, 0, sat, s), 3));
    }
    return grid(lines);
}

/// As torch's is_causal: query 0 stands at key 0.
Mask aligned_top_left(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) mask(t, s) = s > t;
    return mask;
}

void masks(Blocks& blocks, const Tensor& raw) {
    const Mask padding = ex03::padding_mask({4, 2}, 4).expand({2, 1, 4, 4});
    const Mask of_second = padding.as_strided({4, 4}, {0, 1}, 4);
    blocks.text("03/masks", beside({mask_picture("causal", tokens, tokens, ex03::causal_mask(4, 4)),
                                    mask_picture("padding", {"The", "cat", "<pad>", "<pad>"},
                                                 {"The", "cat", "<pad>", "<pad>"}, of_second)}));
    blocks.text("03/masked-by-hand", masked_by_hand(raw));
    const Labels last{"sat", "here"};
    blocks.text("03/causal-two-four", beside({mask_picture("bottom right", last, tokens, ex03::causal_mask(2, 4)),
                                              mask_picture("top left", last, tokens, aligned_top_left(2, 4))}));
    const Tensor scaled = raw / std::sqrt(3.0F);
    const Mask causal = ex03::causal_mask(4, 4);
    blocks.text("03/polarity",
                heatmap("true = blocked", tokens, tokens, ex03::masked_softmax(scaled, causal)[0][0]) + "\n" +
                    heatmap("read the other way", tokens, tokens, ex03::masked_softmax(scaled, !causal)[0][0]));
}

void traps(Blocks& blocks, const Tensor& raw) {
    const Tensor scaled = raw / std::sqrt(3.0F);
    const Tensor row = scaled[0][0].slice(0, the, the + 1);  // (1, 4)
    const Tensor with_infinity = ex01::softmax_rows(row + -infinity);
    const Tensor with_penalty = ex01::softmax_rows(row + -1e9F);
    const Tensor in_this_course = ex03::masked_softmax(scaled, Mask::block_all({4, 4}))[0][0].slice(0, the, the + 1);
    blocks.text("03/large-penalty", matrix("every key blocked", {"-inf, plain softmax", "-1e9 added", "this course"},
                                           tokens, ops::cat({with_infinity, with_penalty, in_this_course}, 0)));

    const Tensor over_keys = ex01::softmax_rows(scaled[0][0]);
    const Tensor over_queries = ex01::softmax_rows(scaled[0][0].transpose(0, 1)).transpose(0, 1);
    blocks.text("03/axes", matrix("sum of the row", {"softmax over keys", "softmax over queries"}, tokens,
                                  ops::cat({sum(over_keys, 1).view({1, 4}), sum(over_queries, 1).view({1, 4})}, 0), 2));

    const Tensor as_numbers = masked_fill(Tensor::zeros({4, 4}), ex03::causal_mask(4, 4), 1.0F);
    blocks.text("03/mask-times-infinity", matrix("mask.float() * -inf", tokens, tokens, as_numbers * -infinity));
}

void scaled_scores(Blocks& blocks) {
    const TwoHeads two = two_heads();
    const Tensor raw = two.raw_scores();  // (1, 2, 4, 4)
    blocks.text("03/query-key", beside({matrix("q, head 0", tokens, {}, two.split(two.w_q)[0][0]),
                                        matrix("k, head 0", tokens, {}, two.split(two.w_k)[0][0])}));
    scales(blocks, raw);
    masks(blocks, raw);
    traps(blocks, raw);
}

const Announced announced{&scaled_scores};

}  // namespace
}  // namespace headway::lessons
