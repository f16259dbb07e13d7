#include "lessons.hpp"
#include "sentence.hpp"

#include <module.hpp>

#include <algorithm>
#include <cmath>

namespace headway::lessons {
namespace {

constexpr Index here = 3;

Index parameter_count(const ex05::Attention& attention) {
    Index count = 0;
    for (const Tensor& parameter : attention.parameters()) count += parameter.numel();
    return count;
}

/// The two heads of lesson 04 as a module, in eval mode.
std::unique_ptr<ex05::Attention> two_heads_module(const ex05::AttentionOptions& options) {
    const TwoHeads two = two_heads();
    auto attention = ex05::make_multi_head_attention(options);
    attention->load_state_dict({{"q_proj.weight", two.w_q.transpose(0, 1)},  // nn::Linear stores (out, in)
                                {"k_proj.weight", two.w_k.transpose(0, 1)},
                                {"v_proj.weight", two.w_v.transpose(0, 1)},
                                {"out_proj.weight", two.w_o.transpose(0, 1)}});
    attention->eval();
    return attention;
}

void parameters(Blocks& blocks) {
    std::vector<Labels> counts{{"num_heads", "head_dim", "parameters"}};
    for (const Index H : {1, 2, 3, 6})
        counts.push_back(
            {std::to_string(H), std::to_string(6 / H),
             std::to_string(parameter_count(*ex05::make_multi_head_attention({.embed_dim = 6, .num_heads = H})))});
    blocks.text("05/parameter-count", grid(counts));
    blocks.number("05/custom-count", std::to_string(parameter_count(*ex05::make_multi_head_attention(
                                         {.embed_dim = 10, .num_heads = 3, .head_dim = 4}))));

    std::vector<Labels> names{{"name", "shape", "parameters"}};
    const auto attention = ex05::make_multi_head_attention({.embed_dim = 6, .num_heads = 2});
    for (const auto& [name, parameter] : attention->named_parameters())
        names.push_back({name, to_string(parameter.shape()), std::to_string(parameter.numel())});
    blocks.text("05/names", grid(names));
}

/// The bias of the keys adds the same to all scores of a row, so it changes nothing.
void key_bias(Blocks& blocks) {
    const Tensor x = two_heads().x;
    const auto attention = ex05::make_multi_head_attention({.embed_dim = 6, .num_heads = 2, .seed = 1});
    attention->eval();
    const Tensor before = attention->forward(x, x, x, {});
    auto state = attention->state_dict();
    const Tensor bias = Tensor::full({6}, 5);
    for (auto& [name, value] : state)
        if (name == "k_proj.bias") value = bias;
    attention->load_state_dict(state);
    const Tensor change = (attention->forward(x, x, x, {}) - before).contiguous();
    float largest = 0;
    for (Index i = 0; i < change.numel(); ++i) largest = std::max(largest, std::abs(change.data()[i]));
    blocks.number("05/key-bias-change", largest < 1e-5F ? "below 0.00001" : fixed(largest, 5));
    blocks.number("05/key-bias-count", std::to_string(bias.numel()));
}

/// Dropout acts inside forward. Here forward shows the weights themselves: all projections are I, the keys and the
/// values are the rows of I, and the query is twice the scaled scores of "here", as forward divides by √4.
void dropout(Blocks& blocks) {
    constexpr Index calls = 4000;
    const auto attention = ex05::make_multi_head_attention({.embed_dim = 4, .bias = false, .dropout = 0.5F, .seed = 5});
    const Tensor eye = Tensor::eye(4);
    attention->load_state_dict(
        {{"q_proj.weight", eye}, {"k_proj.weight", eye}, {"v_proj.weight", eye}, {"out_proj.weight", eye}});
    const Tensor scores = two_heads().raw_scores()[0][0].slice(0, here, here + 1);  // (1, 4)
    const Tensor query = (scores * (2.0F / std::sqrt(3.0F))).view({1, 1, 4});
    const Tensor keys = eye.view({1, 4, 4});
    const auto weights = [&] { return attention->forward(query, keys, keys, Mask{})[0]; };  // (1, 4)

    std::vector<Tensor> rows(3);
    for (Tensor& row : rows) row = weights();
    Tensor total = Tensor::zeros({1, 4});
    for (Index call = 0; call < calls; ++call) total += weights();
    attention->eval();
    rows.push_back(weights());
    blocks.text("05/dropout-rows",
                matrix("here, head 0", {"training", "training", "training", "eval"}, tokens, ops::cat(rows, 0)));
    blocks.text("05/dropout-average", matrix("here, head 0", {"average in training", "eval"}, tokens,
                                             ops::cat({total / static_cast<float>(calls), weights()}, 0), 2));
    blocks.number("05/dropout-calls", grouped(calls));
}

void sequences(Blocks& blocks) {
    const TwoHeads two = two_heads();
    const auto attention = two_heads_module({.embed_dim = 6, .num_heads = 2, .bias = false});
    const Tensor query = two.x.slice(1, 2, 4);
    blocks.text("05/cross", grid({{"query", to_string(query.shape())},
                                  {"key, value", to_string(two.x.shape())},
                                  {"weights", to_string(attention->attention_weights(query, two.x, {}).shape())},
                                  {"output", to_string(attention->forward(query, two.x, two.x, {}).shape())}}));

    const Tensor backwards =
        ops::cat({two.x.slice(1, 3, 4), two.x.slice(1, 2, 3), two.x.slice(1, 1, 2), two.x.slice(1, 0, 1)}, 1);
    const auto output = [&](const Tensor& keys) {
        return attention->forward(two.x.slice(1, here, 4), keys, keys, {})[0];
    };
    blocks.text("05/permuted", matrix("output for here", {"keys: The cat sat here", "keys: here sat cat The"}, {},
                                      ops::cat({output(two.x), output(backwards)}, 0)));

    std::vector<Tensor> rows;
    for (const std::uint64_t seed : {1U, 2U})
        rows.push_back(ex05::make_multi_head_attention({.embed_dim = 6, .num_heads = 2, .seed = seed})
                           ->attention_weights(two.x, two.x, {})[0][0]
                           .slice(0, here, here + 1));
    blocks.text("05/two-seeds", heatmap("here, head 0", {"seed 1", "seed 2"}, tokens, ops::cat(rows, 0)));
}

/// Bounds of the uniform distributions that projections of width D are drawn from: Xavier's is √(6 / (in + out)).
void initialisation(Blocks& blocks) {
    constexpr double D = 512;
    blocks.text("05/initialisation", grid({{"", "bound"},
                                           {"nn::Linear: 1 / √in", fixed(1 / std::sqrt(D), 4)},
                                           {"Xavier, for (D, D)", fixed(std::sqrt(6 / (D + D)), 4)},
                                           {"Xavier, for (3D, D)", fixed(std::sqrt(6 / (D + 3 * D)), 4)}}));
}

/// Which rows of the output differ.
std::string changed_rows(const Tensor& a, const Tensor& b) {
    std::string names;
    for (Index t = 0; t < 4; ++t) {
        bool changed = false;
        for (Index i = 0; i < 6; ++i) changed |= std::abs(a(0, t, i) - b(0, t, i)) > 1e-6F;
        if (changed) names += (names.empty() ? "" : ", ") + tokens[static_cast<std::size_t>(t)];
    }
    return names;
}

void checklist(Blocks& blocks) {
    const Tensor x = two_heads().x;
    const auto attention = two_heads_module({.embed_dim = 6, .num_heads = 2, .bias = false, .causal = true});
    const auto any_order = two_heads_module({.embed_dim = 6, .num_heads = 2, .bias = false});
    const Tensor w = attention->attention_weights(x, x, {});
    const Tensor y = attention->forward(x, x, x, {});
    const auto with_change_of = [&](Index token) {
        Tensor other = x.clone();
        other(0, token, 0) += 1.0F;
        return changed_rows(y, attention->forward(other, other, other, {}));
    };
    Index nans = 0;
    for (Index t = 0; t < 4; ++t)
        for (Index i = 0; i < 6; ++i) nans += y(0, t, i) != y(0, t, i) ? 1 : 0;
    const Tensor sums = sum(w, -1);  // (1, 2, 4)
    std::string row_sums;
    for (Index h = 0; h < 2; ++h)
        for (Index t = 0; t < 4; ++t) row_sums += (row_sums.empty() ? "" : " ") + fixed(sums(0, h, t), 2);
    const Tensor swapped = ops::cat({x.slice(1, 2, 4), x.slice(1, 0, 2)}, 1);
    const bool same =
        changed_rows(any_order->forward(x, x, x, {}), any_order->forward(x, swapped, swapped, {})).empty();

    std::string text;
    text += "1  shape of w                  " + to_string(w.shape()) + "\n";
    text += "2  row sums                    " + row_sums + "\n";
    text += "3  The on cat, head 0          " + fixed(w(0, 0, 0, 1), 3) +
            (w(0, 0, 0, 1) == 0 ? ", exactly" : ", about") + "\n";
    text += "4  NaN in the output           " + std::to_string(nans) + "\n";
    text += "5  here changed, rows differ:  " + with_change_of(3) + "\n";
    text += "   The changed, rows differ:   " + with_change_of(0) + "\n";
    text += std::string("6  keys permuted (no mask):    ") + (same ? "the same output" : "ANOTHER OUTPUT") + "\n";
    blocks.text("05/checklist", text);
}

void attention_module(Blocks& blocks) {
    parameters(blocks);
    key_bias(blocks);
    dropout(blocks);
    sequences(blocks);
    checklist(blocks);
    initialisation(blocks);
}

const Announced announced{&attention_module};

}  // namespace
}  // namespace headway::lessons
