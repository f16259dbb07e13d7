#include "lessons.hpp"
#include "sentence.hpp"

#include <kv_cache.hpp>
#include <scaled_scores.hpp>

namespace headway::lessons {
namespace {

constexpr Index here = 3;

/// The maps of lesson 04, as nn::Linear stores them, without biases.
void load(ex08::Projections& projections, const TwoHeads& two) {
    for (Tensor& parameter : projections.parameters()) parameter.fill(0);
    projections.q_proj.weight.copy_from(two.w_q.transpose(0, 1));
    projections.k_proj.weight.copy_from(two.w_k.transpose(0, 1));
    projections.v_proj.weight.copy_from(two.w_v.transpose(0, 1));
    projections.out_proj.weight.copy_from(two.w_o.transpose(0, 1));
}

/// "The cat" as a prompt, then "sat", then "here".
void decoding(Blocks& blocks) {
    const TwoHeads two = two_heads();
    ex08::Projections projections(6, 6, Random{1});
    load(projections, two);
    ex08::Cache cache = ex08::make_cache(1, 2, 6, 3);
    std::vector<Labels> steps{{"call", "new tokens", "rows projected", "keys afterwards"}};
    Tensor last;
    Index begin = 0;
    for (const Index n : {2, 1, 1}) {
        const Index rows = nn::rows_through_linear();
        last = ex08::decode(cache, projections, two.x.slice(1, begin, begin + n), {n});
        begin += n;
        steps.push_back({n == 2 ? "The cat" : tokens[static_cast<std::size_t>(begin - 1)], std::to_string(n),
                         std::to_string(nn::rows_through_linear() - rows), std::to_string(cache.lengths[0])});
    }
    blocks.text("08/steps", grid(steps));
    blocks.text("08/cached-keys", matrix("k, head 0", {"The", "cat", "sat", "here", "-", "-"}, {}, cache.k[0][0]));

    ex08::Cache other = ex08::make_cache(1, 2, 6, 3);
    const Tensor whole = ex08::decode(other, projections, two.x, {4});
    blocks.text("08/equal", matrix("output for here", {"token by token", "all at once"}, {},
                                   ops::cat({last[0], whole[0].slice(0, here, here + 1)}, 0)));
}

/// Rows that go through the four maps to write 1, 2, ... tokens.
void rows(Blocks& blocks) {
    ex08::Projections projections(6, 6, Random{1});
    const Tensor x = Random(2).normal({1, 64, 6});
    const auto counted = [&](Index chunk, bool cached) {
        const Index before = nn::rows_through_linear();
        ex08::Cache cache = ex08::make_cache(1, 2, 64, 3);
        for (Index t = 0; t < chunk; ++t) {
            if (!cached) cache = ex08::make_cache(1, 2, 64, 3);
            const Index begin = cached ? t : 0;
            ex08::decode(cache, projections, x.slice(1, begin, t + 1), {t + 1 - begin});
        }
        return nn::rows_through_linear() - before;
    };
    std::vector<Labels> lines{{"tokens written", "without a cache", "with a cache"}};
    for (const Index T : {1, 4, 16, 64})
        lines.push_back({std::to_string(T), grouped(counted(T, false)), grouped(counted(T, true))});
    blocks.text("08/rows", grid(lines));
}

void masks(Blocks& blocks) {
    const Labels keys{"k0", "k1", "k2", "k3", "k4", "k5"};
    const Mask mask = ex08::decoding_mask({4, 1}, 2, 6);  // (2, 1, 2, 6)
    const Labels queries{"new 0", "new 1"};
    blocks.text("08/masks", beside({mask_picture("4 cached", queries, keys, mask.as_strided({2, 6}, {6, 1}, 0)),
                                    mask_picture("1 cached", queries, keys, mask.as_strided({2, 6}, {6, 1}, 12))}));
    Mask top_left = Mask::allow_all({2, 6});
    for (Index t = 0; t < 2; ++t)
        for (Index s = 0; s < 6; ++s) top_left(t, s) = s > t;
    blocks.text("08/two-wrong-masks", beside({mask_picture("top left", queries, keys, top_left),
                                              mask_picture("one offset", queries, keys, ex03::causal_mask(2, 6))}));
}

/// Multiply-adds for one more token after S others, D = 512: projections, scores, context.
void cost(Blocks& blocks) {
    constexpr Index D = 512;
    std::vector<Labels> lines{{"tokens before", "recomputed", "with a cache", "ratio"}};
    for (const Index S : {16, 256, 4096}) {
        const Index L = S + 1;
        const Index whole = 4 * L * D * D + 2 * L * L * D;
        const Index one = 4 * D * D + 2 * L * D;
        lines.push_back({grouped(S), grouped(whole), grouped(one),
                         fixed(static_cast<double>(whole) / static_cast<double>(one), 0)});
    }
    blocks.text("08/cost", grid(lines));
}

void memory(Blocks& blocks) {
    struct Model {
        std::string name;
        Index layers, heads, head_dim, length;
    };
    const std::vector<Model> models{
        {"GPT-2 small", 12, 12, 64, 1024}, {"Llama 2 7B", 32, 32, 128, 4096}, {"GPT-3 175B", 96, 96, 128, 2048}};
    std::string table =
        "| model | layers | $H$ | head_dim | tokens | numbers per token | cache, 2 bytes per number |\n"
        "|---|--:|--:|--:|--:|--:|--:|\n";
    for (const Model& m : models) {
        const Index token = 2 * m.layers * m.heads * m.head_dim;
        table += "| " + m.name + " | " + std::to_string(m.layers) + " | " + std::to_string(m.heads) + " | " +
                 std::to_string(m.head_dim) + " | " + grouped(m.length) + " | " + grouped(token) + " | " +
                 fixed(static_cast<double>(2 * token * m.length) / 1e9, 3) + " GB |\n";
    }
    blocks.markdown("08/memory", table);
    const Index tokens_in_check = Index{40'000'000'000} / (2 * 2 * 32 * 32 * 128);
    blocks.number("08/tokens-in-check", grouped(tokens_in_check));
    blocks.number("08/conversations-in-check", grouped(tokens_in_check / 4096));
}

void kv_cache(Blocks& blocks) {
    decoding(blocks);
    rows(blocks);
    masks(blocks);
    cost(blocks);
    memory(blocks);
}

const Announced announced{&kv_cache};

}  // namespace
}  // namespace headway::lessons
