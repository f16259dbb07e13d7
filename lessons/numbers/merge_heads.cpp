#include "lessons.hpp"
#include "sentence.hpp"

#include <headway/given.hpp>
#include <merge_heads.hpp>
#include <scaled_scores.hpp>

#include <algorithm>
#include <numeric>

namespace headway::lessons {
namespace {

constexpr Index the = 0, cat = 1, sat = 2, here = 3;
const Labels features{"thing", "action", "place", "pos x", "pos y", "one"};
const Labels inner{"h0 0", "h0 1", "h0 2", "h1 0", "h1 1", "h1 2"};
const Labels outer{"f0", "f1", "f2", "f3", "f4", "f5"};

ex03::Attended attend(const TwoHeads& two) {
    return ex03::scaled_dot_product_attention(two.split(two.w_q), two.split(two.w_k), two.split(two.w_v), {});
}

/// Queries, keys, values and scores of both heads.
void heads(Blocks& blocks, const TwoHeads& two) {
    const Tensor raw = two.raw_scores();  // (1, 2, 4, 4)
    std::string projected;
    std::vector<std::string> scores;
    for (Index h = 0; h < 2; ++h) {
        const std::string head = ", head " + std::to_string(h);
        const auto shown = [&](const std::string& name, const Tensor& w) {
            return matrix(name + head, tokens, {}, two.split(w)[0][h]);
        };
        projected += (h > 0 ? "\n" : "") + beside({shown("q", two.w_q), shown("k", two.w_k), shown("v", two.w_v)});
        scores.push_back(matrix("q·kᵀ" + head, tokens, tokens, raw[0][h]));
    }
    blocks.text("04/query-key-value", projected);
    blocks.text("04/scores", beside(scores));
}

/// The way from x to the output at the size of the first Transformer.
void shapes(Blocks& blocks) {
    constexpr Index B = 32, T = 128, D = 512, H = 8, d = D / H;
    std::vector<Labels> lines{{"", "axes", "shape", "numbers"}};
    const auto add = [&](const std::string& name, const std::string& axes, const Shape& shape) {
        Index numbers = 1;
        for (const Index size : shape) numbers *= size;
        lines.push_back({name, axes, to_string(shape), grouped(numbers)});
    };
    add("x", "(B, T, D)", {B, T, D});
    add("q, and so k and v", "(B, T, D)", {B, T, D});
    add("split", "(B, H, T, d)", {B, H, T, d});
    add("scores, weights", "(B, H, T, T)", {B, H, T, T});
    add("context", "(B, H, T, d)", {B, H, T, d});
    add("merged", "(B, T, H·d)", {B, T, H * d});
    add("output", "(B, T, D)", {B, T, D});
    add("x + output", "(B, T, D)", {B, T, D});
    blocks.text("04/shapes", grid(lines));
    blocks.number("04/check-output", grouped(D * D));
}

void trace(Blocks& blocks, const TwoHeads& two) {
    const ex03::Attended attended = attend(two);
    const Tensor& weights = attended.weights;
    const Tensor merged = ex04::merge_heads(attended.context);
    const Tensor output = ex04::multi_head_attention(two.x, two.w_q, two.w_k, two.w_v, two.w_o, 2, {});
    blocks.text("04/embeddings", matrix("x", tokens, features, two.x[0]));
    blocks.text("04/projections", matrix("w_q", features, inner, two.w_q) + "\n" +
                                      matrix("w_k", features, inner, two.w_k) + "\n" +
                                      matrix("w_v", features, inner, two.w_v));
    blocks.text("04/weights-0", heatmap("head 0", tokens, tokens, weights[0][0]));
    blocks.text("04/weights-1", heatmap("head 1", tokens, tokens, weights[0][1]));
    blocks.number("04/here-on-cat", fixed(weights(0, 0, here, cat), 3));
    blocks.number("04/here-on-sat", fixed(weights(0, 1, here, sat), 3));
    blocks.number("04/the-on-here", fixed(weights(0, 1, the, here), 3));
    blocks.text("04/merged", matrix("merged", tokens, inner, merged[0]));
    blocks.text("04/output-projection", matrix("w_o", inner, outer, two.w_o));
    blocks.text("04/output", matrix("merged · w_o", tokens, outer, output[0]));
    blocks.text("04/residual", matrix("x + output", tokens, outer, (two.x + output)[0]));
    blocks.number("04/here-merged-0", fixed(merged(0, here, 0), 3));
    blocks.number("04/here-output-0", fixed(output(0, here, 0), 3));
    blocks.text("04/flatten-too-early", matrix("view only", tokens, {}, attended.context.view({1, 4, 6})[0]));

    std::vector<Labels> terms{{"feature 2 of here", ""}};
    for (Index h = 0; h < 2; ++h) {
        const Tensor term = matmul(attended.context.select(1, h), two.w_o.slice(0, 3 * h, 3 * h + 3));  // (1, 4, 6)
        terms.push_back({"head " + std::to_string(h) + " writes", fixed(term(0, here, 2), 3)});
    }
    terms.push_back({"sum", fixed(output(0, here, 2), 3)});
    blocks.text("04/per-head-terms", grid(terms));
}

/// How the row of "here" changes if head 1's values are doubled, with and without the output projection.
void isolation(Blocks& blocks, const TwoHeads& two) {
    const auto change = [&](const Tensor& w_o) {
        Tensor w_v = two.w_v.clone();
        w_v.slice(1, 3, 6) *= 2.0F;  // the columns of head 1
        const auto output = [&](const Tensor& w) {
            return ex04::multi_head_attention(two.x, two.w_q, two.w_k, w, w_o, 2, {})[0].slice(0, here, here + 1);
        };
        return output(w_v) - output(two.w_v);
    };
    blocks.text("04/isolated", matrix("change of here", {"without w_o", "with w_o"}, outer,
                                      ops::cat({change(Tensor::eye(6)), change(two.w_o)}, 0)));
}

void cost(Blocks& blocks) {
    constexpr Index B = 8;
    constexpr Index T = 2048;
    constexpr Index D = 512;
    std::vector<Labels> lines{{"H", "head_dim", "projections", "scores and context", "weights, B = 8", ""}};
    for (const Index H : {1, 8, 64}) {
        const Index d = D / H;
        const Index bytes = B * H * T * T * static_cast<Index>(sizeof(float));
        lines.push_back({std::to_string(H), std::to_string(d), grouped(4 * T * D * (H * d)), grouped(2 * H * T * T * d),
                         grouped(B * H * T * T), fixed(static_cast<double>(bytes) / 1e9, 2) + " GB"});
    }
    blocks.text("04/cost",
                "T = 2048, D = 512; multiply-adds for one sentence, weights for a batch of 8\n\n" + grid(lines));
}

void real_models(Blocks& blocks) {
    struct Model {
        std::string name;
        Index D, H, d;
    };
    const std::vector<Model> models{{"Transformer (base)", 512, 8, 64},
                                    {"BERT base, GPT-2 small", 768, 12, 64},
                                    {"GPT-3 175B", 12288, 96, 128},
                                    {"T5-11B", 1024, 128, 128},
                                    {"Gemma 7B", 3072, 16, 256}};
    std::string table =
        "| model | $D$ | $H$ | head_dim | $H \\cdot d$ | = $D$? | parameters of attention in a layer, without biases: "
        "$4 D H d$ "
        "|\n"
        "|---|--:|--:|--:|--:|---|--:|\n";
    for (const Model& model : models)
        table += "| " + model.name + " | " + std::to_string(model.D) + " | " + std::to_string(model.H) + " | " +
                 std::to_string(model.d) + " | " + std::to_string(model.H * model.d) + " | " +
                 (model.H * model.d == model.D ? "yes" : "no") + " | " + grouped(4 * model.D * model.H * model.d) +
                 " |\n";
    blocks.markdown("04/models", table);
}

/// Heads of width 1: which key a query likes best, second best, ...
void width_one(Blocks& blocks) {
    const Tensor q = Tensor::of({1, 1, 5, 1}, {-2, -1, 1, 2, 5});
    const Tensor k = Tensor::of({1, 1, 4, 1}, {3, -1, 2, 0});
    const Tensor scores = ex03::attention_scores(q, k);  // / √1
    std::vector<Labels> lines{{"q", "k0 = 3", "k1 = -1", "k2 = 2", "k3 = 0", "ranking"}};
    for (Index t = 0; t < 5; ++t) {
        std::vector<Index> order(4);
        std::iota(order.begin(), order.end(), 0);
        std::sort(order.begin(), order.end(),
                  [&](Index a, Index b) { return scores(0, 0, t, a) > scores(0, 0, t, b); });
        Labels line{fixed(q(0, 0, t, 0), 0)};
        for (Index s = 0; s < 4; ++s) line.push_back(fixed(scores(0, 0, t, s), 0));
        std::string ranking;
        for (const Index s : order) ranking += (ranking.empty() ? "k" : " > k") + std::to_string(s);
        line.push_back(ranking);
        lines.push_back(line);
    }
    blocks.text("04/width-one", grid(lines));
}

void full_width(Blocks& blocks) {
    constexpr Index D = 768;
    constexpr Index H = 12;
    constexpr Index T = 1024;
    std::vector<Labels> lines{{"", "head_dim", "parameters", "multiply-adds, T = 1024"}};
    const auto add = [&](const std::string& name, Index d) {
        lines.push_back(
            {name, std::to_string(d), grouped(4 * D * H * d), grouped(4 * T * D * H * d + 2 * T * T * H * d)});
    };
    add("12 heads of width D / H", D / H);
    add("12 heads of width D", D);
    blocks.text("04/full-width", grid(lines));
}

void merge_heads(Blocks& blocks) {
    const TwoHeads two = two_heads();
    heads(blocks, two);
    trace(blocks, two);
    shapes(blocks);
    isolation(blocks, two);
    cost(blocks);
    real_models(blocks);
    width_one(blocks);
    full_width(blocks);
}

const Announced announced{&merge_heads};

}  // namespace
}  // namespace headway::lessons
