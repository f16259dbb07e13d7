#include "lessons.hpp"
#include "sentence.hpp"

#include <headway/random.hpp>
#include <single_head.hpp>

#include <cmath>

namespace headway::lessons {
namespace {

constexpr Index cat = 1, sat = 2;

void raw_attention(Blocks& blocks, const Tensor& x) {
    const Tensor scores = matmul(x, x.transpose(0, 1));
    const Tensor weights = ex01::softmax_rows(scores);
    blocks.text("01/embeddings", matrix("x", tokens, {"thing", "action", "place"}, x));
    blocks.text("01/raw-scores", matrix("x·xᵀ", tokens, tokens, scores));
    blocks.text("01/raw-weights", heatmap("softmax(x·xᵀ)", tokens, tokens, weights));
    blocks.number("01/raw-sat-on-sat", fixed(weights(sat, sat), 3));
    blocks.number("01/raw-sat-on-cat", fixed(weights(sat, cat), 3));
    blocks.number("01/raw-score-sat-cat", fixed(scores(sat, cat), 0));
}

/// Negative factors in brackets.
std::string factor(float value) { return value < 0 ? "(" + fixed(value, 0) + ")" : fixed(value, 0); }

/// The row of weights of one token, step by step.
std::string by_hand(const Tensor& q, const Tensor& k, Index token) {
    std::vector<Labels> lines{{"key", "k", "q·k", "/ √2", "exp", "share"}};
    const Tensor scores = matmul(q, k.transpose(0, 1)) / std::sqrt(2.0F);
    const Tensor raised = exp(scores);
    const float total = sum(raised[token], 0)();
    for (Index s = 0; s < k.size(0); ++s) {
        std::string products;
        for (Index i = 0; i < 2; ++i) products += (i > 0 ? " + " : "") + fixed(q(token, i), 0) + "·" + factor(k(s, i));
        lines.push_back({tokens[static_cast<std::size_t>(s)], row_text(k[s]),
                         products + " = " + fixed(q(token, 0) * k(s, 0) + q(token, 1) * k(s, 1), 0),
                         fixed(scores(token, s), 3), fixed(raised(token, s), 3), fixed(raised(token, s) / total, 3)});
    }
    lines.push_back({"sum", "", "", "", fixed(total, 3), "1"});
    return "q of " + tokens[static_cast<std::size_t>(token)] + " = " + row_text(q[token]) + "\n\n" + grid(lines);
}

void weights(Blocks& blocks, const OneHead& head) {
    const Tensor q = matmul(head.x, head.w_q);
    const Tensor k = matmul(head.x, head.w_k);
    const Tensor scores = matmul(q, k.transpose(0, 1));
    const Tensor weights = ex01::attention_weights(q, k);
    const Labels features{"thing", "action", "place"};
    blocks.text("01/query-key", beside({matrix("w_q", features, {}, head.w_q), matrix("w_k", features, {}, head.w_k)}) +
                                    "\n" +
                                    beside({matrix("q = x·w_q", tokens, {}, q), matrix("k = x·w_k", tokens, {}, k)}));
    blocks.text("01/sat-by-hand", by_hand(q, k, sat));
    blocks.text("01/scores", matrix("q·kᵀ", tokens, tokens, scores));
    blocks.text("01/weights", heatmap("softmax(q·kᵀ / √2)", tokens, tokens, weights));
    blocks.number("01/score-sat-cat", fixed(scores(sat, cat), 0));
    blocks.number("01/score-cat-sat", fixed(scores(cat, sat), 0));
    blocks.number("01/sat-on-cat", fixed(weights(sat, cat), 3));
    blocks.number("01/cat-on-sat", fixed(weights(cat, sat), 3));
    blocks.number("01/sat-on-cat-by-value-width", fixed(ex01::softmax_rows(scores / std::sqrt(3.0F))(sat, cat), 3));
    blocks.number("01/cat-x", row_text(head.x[cat]));
    blocks.number("01/cat-k", row_text(k[cat]));
    blocks.number("01/cat-v", row_text(matmul(head.x, head.w_v)[cat]));
}

/// How the largest of 8 weights depends on the width, with and without dividing by its root.
void variance(Blocks& blocks) {
    constexpr Index draws = 250;
    constexpr Index keys = 8;
    std::vector<Labels> lines{{"d", "√d", "std of q·k", "largest weight, not scaled", "largest weight, / √d"}};
    for (const Index d : {3, 64, 512}) {
        Random random(static_cast<std::uint64_t>(d));
        const float root = std::sqrt(static_cast<float>(d));
        double squares = 0;
        double unscaled = 0;
        double scaled = 0;
        Index hard = 0;  // draws in which one key gets nearly everything, without the scale
        for (Index draw = 0; draw < draws; ++draw) {
            const Tensor q = random.normal({1, d});
            const Tensor k = random.normal({keys, d});
            const Tensor scores = matmul(q, k.transpose(0, 1));
            for (Index s = 0; s < keys; ++s) squares += static_cast<double>(scores(0, s)) * scores(0, s);
            const float largest = max(ex01::softmax_rows(scores)[0], 0)();
            unscaled += largest;
            hard += largest > 0.9F ? 1 : 0;
            scaled += max(ex01::softmax_rows(scores / root)[0], 0)();
        }
        lines.push_back({std::to_string(d), fixed(root, 2), fixed(std::sqrt(squares / (draws * keys)), 2),
                         fixed(unscaled / draws, 2), fixed(scaled / draws, 2)});
        if (d == 512) blocks.number("01/variance-hard", fixed(100.0 * static_cast<double>(hard) / draws, 0) + " %");
    }
    blocks.text("01/variance", grid(lines));
    blocks.number("01/variance-draws", grouped(draws));
}

/// One draw of each width, not scaled and scaled.
void one_draw(Blocks& blocks) {
    std::vector<Tensor> rows;
    for (const Index d : {3, 512}) {
        Random random(1);
        const Tensor q = random.normal({1, d});
        const Tensor k = random.normal({5, d});
        rows.push_back(ex01::softmax_rows(matmul(q, k.transpose(0, 1))));
        rows.push_back(ex01::attention_weights(q, k));
    }
    blocks.text("01/one-draw", heatmap("softmax of 5 scores", {"d = 3", "d = 3, / √3", "d = 512", "d = 512, / √512"},
                                       {"k0", "k1", "k2", "k3", "k4"}, ops::cat(rows, 0)));
}

/// The row of "sat", colder and warmer.
void temperature(Blocks& blocks, const OneHead& head) {
    const Tensor scores = matmul(matmul(head.x, head.w_q), matmul(head.x, head.w_k).transpose(0, 1));
    const Tensor row = scores.slice(0, sat, sat + 1);  // (1, 4)
    std::vector<Tensor> rows;
    for (const float divisor : {0.5F, std::sqrt(2.0F), 8.0F}) rows.push_back(ex01::softmax_rows(row / divisor));
    blocks.text("01/temperature",
                heatmap("sat", {"scores / 0.5", "scores / √2", "scores / 8"}, tokens, ops::cat(rows, 0)));
}

/// Comparing rows, comparing projections, and collecting a third projection.
void three_stages(Blocks& blocks, const OneHead& head) {
    const Tensor alike = ex01::softmax_rows(matmul(head.x, head.x.transpose(0, 1)));
    const Tensor learned = ex01::attention_weights(matmul(head.x, head.w_q), matmul(head.x, head.w_k));
    std::vector<Labels> lines{{"", "sat on cat", "cat on sat", "sat receives"}};
    const auto add = [&](const std::string& name, const Tensor& weights, const Tensor& collected) {
        lines.push_back({name, fixed(weights(sat, cat), 3), fixed(weights(cat, sat), 3),
                         row_text(matmul(weights, collected)[sat])});
    };
    add("softmax(x·xᵀ)·x", alike, head.x);
    add("softmax(q·kᵀ / √2)·x", learned, head.x);
    add("softmax(q·kᵀ / √2)·v", learned, matmul(head.x, head.w_v));
    blocks.text("01/three-stages", grid(lines));
}

std::string sum_of_values(const Tensor& weights, const Tensor& v, const Tensor& context) {
    std::vector<Labels> lines{{"", "weight", "value", "weight · value"}};
    for (Index s = 0; s < v.size(0); ++s)
        lines.push_back({tokens[static_cast<std::size_t>(s)], fixed(weights(sat, s), 3), row_text(v[s]),
                         row_text(v[s] * weights(sat, s))});
    lines.push_back({"sum", "", "", row_text(context[sat])});
    return grid(lines);
}

void values(Blocks& blocks, const OneHead& head) {
    const Tensor v = matmul(head.x, head.w_v);
    const Tensor weights = ex01::attention_weights(matmul(head.x, head.w_q), matmul(head.x, head.w_k));
    const auto context = [&](const Tensor& w_v) {
        return ex01::single_head_attention(head.x, head.w_q, head.w_k, w_v);
    };
    const Labels features{"thing", "action", "place"};
    blocks.text("01/values", beside({matrix("w_v", features, {}, head.w_v), matrix("v = x·w_v", tokens, {}, v)}));
    blocks.text("01/context", matrix("context", tokens, {}, context(head.w_v)));
    blocks.text("01/sat-context-by-hand", sum_of_values(weights, v, context(head.w_v)));
    blocks.text("01/values-saved", grid({{"context of sat with", ""},
                                         {"w_v of its own", row_text(context(head.w_v)[sat])},
                                         {"w_v = I", row_text(context(Tensor::eye(3))[sat])},
                                         {"w_v = w_k", row_text(context(head.w_k)[sat])}}));
    blocks.text("01/residual",
                beside({matrix("x", tokens, {}, head.x),
                        matrix("x + context", tokens, {}, ex01::with_residual(head.x, context(head.w_v)))}));

    const Tensor same = ex01::single_head_attention(head.x, Tensor::zeros({3, 2}), head.w_k, head.w_v);
    blocks.text("01/uninformative", beside({matrix("context", tokens, {}, same),
                                            matrix("x + context", tokens, {}, ex01::with_residual(head.x, same))}));
}

void single_head(Blocks& blocks) {
    const OneHead head = one_head();
    raw_attention(blocks, head.x);
    weights(blocks, head);
    one_draw(blocks);
    variance(blocks);
    temperature(blocks, head);
    values(blocks, head);
    three_stages(blocks, head);

    const Tensor q = Tensor::rows({{4, 4}});
    const Tensor k = Tensor::rows({{4, 0}, {0, 4}, {-4, 0}});
    blocks.text("01/two-keys",
                heatmap("weights", {"q = (4, 4)"}, {"(4, 0)", "(0, 4)", "(-4, 0)"}, ex01::attention_weights(q, k)));
}

const Announced announced{&single_head};

}  // namespace
}  // namespace headway::lessons
