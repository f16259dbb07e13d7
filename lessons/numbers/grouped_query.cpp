#include "lessons.hpp"
#include "sentence.hpp"

#include <grouped_query.hpp>
#include <scaled_scores.hpp>

#include <cmath>

namespace headway::lessons {
namespace {

constexpr Index here = 3;

/// Which head of keys a query head uses.
void order(Blocks& blocks) {
    const Tensor kv = Tensor::arange(2).view({1, 2, 1, 1});
    const Tensor six = ex09::repeat_heads(kv, 6);
    std::vector<Labels> lines{{"query head"}, {"repeated: h / 3"}, {"tiled: h % 2"}};
    for (Index h = 0; h < 6; ++h) {
        lines[0].push_back(std::to_string(h));
        lines[1].push_back(fixed(six(0, h, 0, 0), 0));
        lines[2].push_back(std::to_string(h % 2));
    }
    blocks.text("09/order", grid(lines));
}

/// The running example, its two heads sharing the keys and values of head 0.
void shared(Blocks& blocks) {
    const TwoHeads two = two_heads();
    const Tensor q = two.split(two.w_q), k = two.split(two.w_k), v = two.split(two.w_v);
    const auto context = [&](const Tensor& keys, const Tensor& values) {
        const Tensor all = ex09::grouped_query_attention(q, keys, values, {});  // (1, 2, 4, 3)
        return ops::cat({all[0][0].slice(0, here, here + 1), all[0][1].slice(0, here, here + 1)}, 1);
    };
    const Tensor first_k = k.slice(1, 0, 1), first_v = v.slice(1, 0, 1);
    blocks.text("09/shared", matrix("contexts of here", {"H_kv = 2 (own keys)", "H_kv = 1 (shared)"},
                                    {"h0 0", "h0 1", "h0 2", "h1 0", "h1 1", "h1 2"},
                                    ops::cat({context(k, v), context(first_k, first_v)}, 0)));
    const Tensor keys = ex09::repeat_heads(first_k, 2);
    const Tensor weights = ex03::masked_softmax(ex03::attention_scores(q, keys), {});
    blocks.text("09/weights",
                heatmap("here, shared keys", {"head 0", "head 1"}, tokens,
                        ops::cat({weights[0][0].slice(0, here, here + 1), weights[0][1].slice(0, here, here + 1)}, 0)));
}

void cost(Blocks& blocks) {
    constexpr Index H = 32, D = 4096, d = 128, S = 4096;
    std::vector<Labels> lines{{"H_kv", "cached numbers", "of multi-head", "parameters", "multiply-adds"}};
    const Index all = ex09::cached_numbers(1, S, H, H, d);
    for (const Index H_kv : {32, 8, 1}) {
        const Index numbers = ex09::cached_numbers(1, S, H, H_kv, d);
        lines.push_back({std::to_string(H_kv), grouped(numbers), "1/" + std::to_string(all / numbers),
                         grouped(2 * D * H * d + 2 * D * H_kv * d), grouped(H * S * d)});
    }
    blocks.text("09/cost", grid(lines));
}

void models(Blocks& blocks) {
    struct Model {
        std::string name;
        Index layers, H, H_kv, d, length;
    };
    const std::vector<Model> all{{"Llama 2 7B", 32, 32, 32, 128, 4096},
                                 {"Llama 2 70B", 80, 64, 8, 128, 4096},
                                 {"Mistral 7B", 32, 32, 8, 128, 4096},
                                 {"Falcon 7B", 32, 71, 1, 64, 4096}};
    std::string table =
        "| model | layers | $H$ | $H_{kv}$ | head_dim | cache for 4,096 tokens, 2 bytes per number | with $H_{kv} = H$ "
        "|\n"
        "|---|--:|--:|--:|--:|--:|--:|\n";
    for (const Model& m : all) {
        const auto gigabytes = [&](Index H_kv) {
            return fixed(static_cast<double>(2 * m.layers * ex09::cached_numbers(1, m.length, m.H, H_kv, m.d)) / 1e9,
                         2);
        };
        table += "| " + m.name + " | " + std::to_string(m.layers) + " | " + std::to_string(m.H) + " | " +
                 std::to_string(m.H_kv) + " | " + std::to_string(m.d) + " | " + gigabytes(m.H_kv) + " GB | " +
                 gigabytes(m.H) + " GB |\n";
    }
    blocks.markdown("09/models", table);
}

void pooling(Blocks& blocks) {
    const Tensor w = Tensor::rows({{1, 2, 3, 4, 50, 60, 70, 80}});
    Tensor first = Tensor::zeros({1, 4});
    first.slice(1, 0, 2).copy_from(w.slice(1, 0, 2));
    first.slice(1, 2, 4).copy_from(w.slice(1, 4, 6));
    blocks.text("09/pooling", matrix("one row of w", {"w"}, {"h0", "h0", "h1", "h1", "h2", "h2", "h3", "h3"}, w) +
                                  "\n" +
                                  matrix("two groups", {"mean of the group", "first head"}, {"g0", "g0", "g1", "g1"},
                                         ops::cat({ex09::pool_heads(w, 4, 2), first}, 0)));
}

void check(Blocks& blocks) {
    blocks.number("09/check-parameters", grouped(2 * 12 * 12 + 2 * 12 * 6));
    const Index bytes = 2 * 32 * ex09::cached_numbers(1, 1, 32, 8, 128);  // a token of a model of 32 layers
    blocks.number("09/check-conversations", grouped(Index{40'000'000'000} / bytes / 4096));
    blocks.number("09/check-cache", grouped(ex09::cached_numbers(2, 100, 4, 2, 3)));
}

void grouped_query(Blocks& blocks) {
    order(blocks);
    shared(blocks);
    cost(blocks);
    models(blocks);
    pooling(blocks);
    check(blocks);
}

const Announced announced{&grouped_query};

}  // namespace
}  // namespace headway::lessons
